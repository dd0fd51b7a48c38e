import numpy as np
import pytest

from handful.certified import loops
from tests.oracles import menu as oracle


def run(bins, n_bins, y, weight, is_on, checkpoints, start, k=1, signs=None):
    n = len(y)
    scores = np.tile(np.full(k, start), (n, 1))
    curves = np.zeros((len(checkpoints), len(bins), int(n_bins.max()), k))
    kept = np.zeros((len(checkpoints), n, k))
    signs = np.zeros(len(bins), dtype=np.int64) if signs is None else np.array(signs)
    how = (is_on, 0.1, 1.0, 1.0, np.array(checkpoints))
    loops.boost(bins, n_bins, signs, y, weight, *how, scores, curves, kept)
    return curves, kept


def test_stumps_equal_their_slow_twin(rng):
    n = 80
    bins = rng.integers(0, 5, size=(3, n)).astype(np.uint8)
    y = (bins[0] + rng.integers(0, 4, size=n) > 3).astype(np.int64)
    weight = rng.integers(1, 4, size=n).astype(float)
    n_bins = np.full(3, 5)
    curves, kept = run(bins, n_bins, y, weight, np.ones(n, dtype=bool), (3, 12), 0.2)
    for row, rounds in enumerate((3, 12)):
        slow = oracle.boosted_stumps(bins, n_bins, y, weight, rounds, 0.1, 1.0, 1.0, 0.2)
        np.testing.assert_allclose(kept[row, :, 0], slow, rtol=1e-10)
        total = 0.2 + sum(curves[row, j, bins[j], 0] for j in range(3))
        np.testing.assert_allclose(total, slow, rtol=1e-10)


def test_stumps_of_one_direction_equal_their_slow_twin(rng):
    n = 80
    bins = rng.integers(0, 5, size=(3, n)).astype(np.uint8)
    y = (bins[0] + rng.integers(0, 4, size=n) > 3).astype(np.int64)
    weight, n_bins, signs = np.ones(n), np.full(3, 5), [-1, 1, 0]
    curves, kept = run(bins, n_bins, y, weight, np.ones(n, dtype=bool), (12,), 0.2, signs=signs)
    slow = oracle.boosted_stumps(bins, n_bins, y, weight, 12, 0.1, 1.0, 1.0, 0.2, signs)
    np.testing.assert_allclose(kept[0, :, 0], slow, rtol=1e-10)
    assert (np.diff(curves[0, 0, 1:, 0]) <= 0).all()  # against what the data show
    assert (np.diff(curves[0, 1, 1:, 0]) >= 0).all()


def test_rows_that_are_off_are_scored_but_teach_nothing(rng):
    n = 60
    bins = rng.integers(0, 4, size=(2, n)).astype(np.uint8)
    y = (bins[0] > 1).astype(np.int64)
    is_on = np.arange(n) < 40
    n_bins, weight = np.full(2, 4), np.ones(n)
    _, kept = run(bins, n_bins, y, weight, is_on, (10,), 0.0)
    other = y.copy()
    other[40:] = 1 - other[40:]
    _, again = run(bins, n_bins, other, weight, is_on, (10,), 0.0)
    np.testing.assert_array_equal(kept, again)
    assert np.mean((kept[0, 40:, 0] > 0) == y[40:]) == 1.0


def test_three_scores(rng):
    n = 90
    bins = rng.integers(0, 3, size=(1, n)).astype(np.uint8)
    y = bins[0].astype(np.int64)
    _, kept = run(bins, np.array([3]), y, np.ones(n), np.ones(n, dtype=bool), (20,), 0.0, k=3)
    assert (kept[0].argmax(axis=1) == y).all()
    g, h = np.empty((n, 3)), np.empty((n, 3))
    loops.gradients(kept[0], y, np.ones(n), np.ones(n, dtype=bool), g, h)
    assert g.sum(axis=1) == pytest.approx(np.zeros(n), abs=1e-12)
