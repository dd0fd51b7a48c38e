"""Compiled loops against plain sums and a general optimiser."""

import numpy as np
import pytest

from handful.scoring import loops
from tests.oracles import scoring as oracle


def data(rng, n=60, q=4):
    items = (rng.random((q, n)) < 0.4).astype(np.uint8)
    y = (rng.random(n) < 0.2 + 0.5 * items[0]).astype(float)
    return items, y, rng.integers(1, 3, size=n).astype(float)


@pytest.mark.parametrize("k", [0, 3, 12])
def test_rows_with_equal_answers_are_one_pattern(k, rng):
    """Up to ten items answers are added up; beyond, every row is its own pattern."""
    items = (rng.random((12, 90)) < 0.5).astype(np.uint8)
    y, w = (rng.random(90) < 0.5).astype(float), rng.random(90)
    w[:5] = 0.0
    support, beta = rng.permutation(12)[:k], 5.0 * rng.normal(size=k + 1)
    codes, positives, negatives = loops.patterns(items, support, k, y, w)
    assert positives.sum() == pytest.approx(w[y == 1].sum())
    assert negatives.sum() == pytest.approx(w[y == 0].sum())
    if k <= 10:
        assert len(set(codes.tolist())) == len(codes) <= 2**k
    eta = np.empty(len(codes))
    loss = loops.pattern_loss(codes, positives, negatives, k, beta, eta)
    expected = oracle.log_loss(beta[k] + beta[:k] @ items[support], y, w)
    assert loss == pytest.approx(expected)


def test_small_systems(rng):
    A = rng.normal(size=(5, 5))
    H, g = A @ A.T + np.eye(5), rng.normal(size=5)
    expected = np.linalg.solve(H, g)
    loops.solve_small(H, g, 5)
    np.testing.assert_allclose(g, expected, rtol=1e-9)


@pytest.mark.parametrize("k", [2, 11])
def test_weights_of_a_support_are_optimal(k, rng):
    items, y, w = data(rng, q=12)
    support, beta = np.arange(12)[:k], np.zeros(k + 1)
    loss = loops.fit_support(items, support, k, y, w, 0.1, beta, 50)

    def full(b):
        eta = b[k] + b[:k] @ items[support]
        return oracle.log_loss(eta, y, w) + 0.05 * (b[:k] ** 2).sum()

    assert full(beta) == pytest.approx(loss, rel=1e-5)
    for j in range(k + 1):
        for step in (-0.05, 0.05):
            moved = beta.copy()
            moved[j] += step
            assert full(moved) > full(beta) - 1e-4


def test_gain_is_largest_for_the_item_that_matters(rng):
    items, y, w = data(rng, n=400)
    gains = np.empty(4)
    loops.item_gains(items, np.zeros(400), y, w, 0.1, gains)
    assert np.argmax(np.abs(gains)) == 0
    assert gains[0] > 0


@pytest.mark.parametrize("points", [-3, 0, 2])
def test_curve_over_totals(points, rng):
    items, y, w = data(rng, n=80)
    totals = 2 * items[0].astype(np.int64) - items[1]
    split, bins, out = np.zeros((4, 4)), np.zeros((2, 7)), np.empty(2)
    start = np.array([0.5, 0.0])
    loops.split_totals(totals, items[2], y, w, -1, 4, split)
    loss = loops.moved_loss(split, 4, -1, points, start, out, bins, np.inf)
    totals += points * items[2].astype(np.int64)
    assert loss == pytest.approx(oracle.curve_loss(totals, y, w), rel=1e-3)
    again = oracle.log_loss(out[1] + out[0] * totals, y, w)
    assert again + 0.5 * loops.CURVE_RIDGE * out[0] ** 2 == pytest.approx(loss, rel=1e-5)


def test_a_move_that_cannot_win_is_given_up_early(rng):
    """What is given up would not have been below the loss that must be beaten."""
    items, y, w = data(rng, n=200)
    split, bins, out = np.zeros((4, 1)), np.zeros((2, 10)), np.empty(2)
    totals = np.zeros(200, dtype=np.int64)
    for item in items:
        loops.split_totals(totals, item, y, w, 0, 1, split)
        for points in range(-5, 6):
            start = np.array([0.3, 0.1])
            exact = loops.moved_loss(split, 1, 0, points, start, out, bins, np.inf)
            for enough in (0.9 * exact, 0.999 * exact, 1.001 * exact):
                found = loops.moved_loss(split, 1, 0, points, start, out, bins, enough)
                assert (found < enough) == (exact < enough)


def test_losses_of_roundings(rng):
    items, y, w = data(rng, n=80)
    support, drafts = np.array([3, 0, 1]), np.array([[0, 0, 0], [1, 3, -2], [0, -1, 5]])
    curves, losses = np.tile([0.5, 0.0], (3, 1)), np.empty(3)
    loops.rounding_losses(items, support, 3, y, w, drafts, curves, losses)
    for draft, curve, loss in zip(drafts, curves, losses, strict=True):
        totals = draft @ items[support].astype(np.int64)
        assert loss == pytest.approx(oracle.curve_loss(totals, y, w), rel=1e-3)
        again = oracle.log_loss(curve[1] + curve[0] * totals, y, w)
        assert again + 0.5 * loops.CURVE_RIDGE * curve[0] ** 2 == pytest.approx(loss, rel=1e-5)


def test_moves_never_raise_the_loss_and_keep_signs(rng):
    items, y, w = data(rng, n=100, q=6)
    neighbours = np.array([[1], [0], [3], [2], [5], [4]])
    direction = np.array([1, 1, -1, -1, 0, 0])
    support, points = np.array([0, 2, 4]), np.array([1, -1, 1])
    start = np.array([0.5, 0.0])
    before = loops.improve_points(
        items, support.copy(), points.copy(), 3, y, w, 3, direction, neighbours, start.copy(), 0
    )
    after = loops.improve_points(
        items, support, points, 3, y, w, 3, direction, neighbours, start, 10
    )
    assert after <= before
    assert (direction[support] * points >= 0).all()
    assert np.abs(points).max() <= 3
    assert len(set(support.tolist())) == 3
