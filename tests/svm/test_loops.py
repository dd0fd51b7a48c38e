"""The compiled loops against plain Python, infinities included."""

from __future__ import annotations

import numpy as np

from handful.svm import loops


def test_smallest_movable_skips_full_variables():
    errors = np.array([3.0, -2.0, 1.0, -2.0, -np.inf])
    u, high = np.array([0.0, 1.0, 0.0, 0.0, 1.0]), np.ones(5)
    assert loops.smallest_movable(errors, u, high) == -2.0
    assert loops.smallest_movable(errors, high, high) == np.inf


def test_pair_gains(rng):
    m = 37
    A = rng.normal(size=(m, 5))
    K = A @ A.T
    errors, u = rng.normal(size=m), rng.integers(0, 2, size=m).astype(float)
    gains = np.empty(m)
    i = int(np.argmin(errors))
    best, violation = loops.pair_gains(
        errors, u, np.zeros(m), K[i], np.diagonal(K).copy(), errors[i], K[i, i], 1e-12, gains
    )
    expected = [
        (errors[t] - errors[i]) ** 2 / max(K[i, i] + K[t, t] - 2 * K[i, t], 1e-12)
        if u[t] > 0 and errors[t] > errors[i]
        else 0.0
        for t in range(m)
    ]
    np.testing.assert_allclose(gains, expected)
    assert best == gains.max()
    assert violation == max(errors[t] - errors[i] for t in range(m) if u[t] > 0)


def test_ties_go_to_the_lowest_index():
    """Four equal points: the first pair moves."""
    K, y = np.eye(4), np.array([1.0, 1.0, -1.0, -1.0])
    u, errors = np.zeros(4), -y
    low, high = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
    steps, _ = loops.smo_pairs(K, np.ones(4), low, high, u, errors, 1e-3, 1, 1e-12)
    assert steps == 1
    assert u.tolist() == [1.0, 0.0, -1.0, 0.0]


def test_gather_and_move(rng):
    A = rng.normal(size=(9, 9))
    K = A @ A.T
    members = np.array([1, 4, 7])
    block = loops.gather_lower(K, members, 0.5)
    expected = K[np.ix_(members, members)] + 0.5 * np.eye(3)
    np.testing.assert_allclose(np.tril(block), np.tril(expected))
    u, errors = np.zeros(9), np.zeros(9)
    direction = np.array([1.0, -1.0, 5.0])
    loops.move(K, members, direction, 0.5, u, np.full(9, -1.0), np.ones(9), errors)
    assert u[members].tolist() == [0.5, -0.5, 1.0]
    np.testing.assert_allclose(errors, K @ u)


def test_room_along():
    u, low, high = np.array([0.5, 0.5, 0.5]), np.zeros(3), np.ones(3)
    room = loops.room_along(u, low, high, np.arange(3), np.array([2.0, -1.0, 0.0]))
    assert room.tolist() == [0.25, 0.5, np.inf]
