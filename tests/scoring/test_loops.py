"""Compiled loops against plain sums and a general optimiser."""

import numpy as np
import pytest

from handful.scoring import _loops
from tests.oracles import scoring as oracle


def data(rng, n=60, q=4):
    items = (rng.random((q, n)) < 0.4).astype(np.uint8)
    y = (rng.random(n) < 0.2 + 0.5 * items[0]).astype(float)
    return items, y, rng.integers(1, 3, size=n).astype(float)


def test_log_loss(rng):
    eta, y, w = rng.normal(size=30) * 5, (rng.random(30) < 0.5).astype(float), rng.random(30)
    assert _loops.log_loss_sum(eta, y, w) == pytest.approx(oracle.log_loss(eta, y, w))


def test_small_systems(rng):
    A = rng.normal(size=(5, 5))
    H, g = A @ A.T + np.eye(5), rng.normal(size=5)
    expected = np.linalg.solve(H, g)
    _loops.solve_small(H, g, 5)
    np.testing.assert_allclose(g, expected, rtol=1e-9)


def test_weights_of_a_support_are_optimal(rng):
    items, y, w = data(rng)
    support, beta = np.array([0, 2]), np.zeros(3)
    loss = _loops.fit_support(items, support, 2, y, w, 0.1, beta, 50)

    def full(b):
        eta = b[2] + b[0] * items[0] + b[1] * items[2]
        return oracle.log_loss(eta, y, w) + 0.05 * (b[0] ** 2 + b[1] ** 2)

    assert full(beta) == pytest.approx(loss, rel=1e-5)
    for j in range(3):
        for step in (-0.05, 0.05):
            moved = beta.copy()
            moved[j] += step
            assert full(moved) > full(beta) - 1e-4


def test_gain_is_largest_for_the_item_that_matters(rng):
    items, y, w = data(rng, n=400)
    gains = np.empty(4)
    _loops.item_gains(items, np.zeros(400), y, w, 0.1, gains)
    assert np.argmax(np.abs(gains)) == 0
    assert gains[0] > 0


def test_curve_over_totals(rng):
    items, y, w = data(rng, n=80)
    totals = 2 * items[0].astype(np.int64) - items[1]
    bins, out = np.zeros((2, 21)), np.empty(2)
    zero = np.zeros(80, dtype=np.uint8)
    start = np.array([0.5, 0.0])
    loss = _loops.histogram_loss(totals, zero, 0, y, w, -10, 10, start, out, bins)
    assert loss == pytest.approx(oracle.curve_loss(totals, y, w), rel=1e-3)
    again = oracle.log_loss(out[1] + out[0] * totals, y, w)
    assert again + 0.5 * _loops.CURVE_RIDGE * out[0] ** 2 == pytest.approx(loss, rel=1e-5)


def test_moves_never_raise_the_loss_and_keep_signs(rng):
    items, y, w = data(rng, n=100, q=6)
    neighbours = np.array([[1], [0], [3], [2], [5], [4]])
    direction = np.array([1, 1, -1, -1, 0, 0])
    support, points = np.array([0, 2, 4]), np.array([1, -1, 1])
    start = np.array([0.5, 0.0])
    before = _loops.improve_points(
        items, support.copy(), points.copy(), 3, y, w, 3, direction, neighbours, start.copy(), 0
    )
    after = _loops.improve_points(
        items, support, points, 3, y, w, 3, direction, neighbours, start, 10
    )
    assert after <= before
    assert (direction[support] * points >= 0).all()
    assert np.abs(points).max() <= 3
    assert len(set(support.tolist())) == 3
