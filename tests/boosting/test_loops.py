"""The compiled loop against plain Python."""

import numpy as np
import pytest

from handful.boosting.loops import best_cuts


def _slow(order, counts, offsets, positions, prices, scores):
    """All cuts of every feature, the lowest index among the largest values first."""
    index, value = [], []
    for j in range(len(counts)):
        row = order[j][: counts[j]]
        options = []
        for c in range(offsets[j], offsets[j + 1]):
            left = sum(scores[i] for i in row[: positions[c]])
            right = sum(scores[i] for i in row[positions[c] :])
            options += [(2 * c, left - right - prices[c][0])]
            options += [(2 * c + 1, right - left - prices[c][1])]
        top = max((v for _, v in options), default=-np.inf)
        index.append(next((k for k, v in options if v >= top - 1e-9), -1))
        value.append(top)
    return index, value


@pytest.mark.parametrize("priced", [False, True])
def test_best_cuts_match_plain_loops(rng, priced):
    for _ in range(30):
        n, d = 8, 3
        order = np.array([rng.permutation(n) for _ in range(d)], dtype=np.int32)
        counts = rng.integers(0, n + 1, size=d)
        sizes = rng.integers(0, 5, size=d)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        positions = np.concatenate(
            [np.sort(rng.integers(0, k + 1, size=s)) for k, s in zip(counts, sizes, strict=True)]
        ).astype(np.int64)
        prices = rng.random((positions.size, 2)) * priced
        scores = rng.integers(-3, 4, size=n).astype(float)
        args = (order, counts, offsets, positions, prices, scores)
        index, value = best_cuts(*args, 1e-9)
        expected = _slow(*args)
        assert index.tolist() == expected[0]
        np.testing.assert_allclose(value, expected[1], atol=1e-12)


def test_compiled_and_plain_agree(rng):
    order = np.argsort(rng.normal(size=(2, 20)), axis=1).astype(np.int32)
    offsets, positions = np.array([0, 19, 38]), np.tile(np.arange(1, 20), 2)
    args = (order, np.array([20, 20]), offsets, positions, np.zeros((38, 2)))
    scores = rng.normal(size=20)
    plain = getattr(best_cuts, "py_func", best_cuts)
    for one, two in zip(best_cuts(*args, scores, 0.0), plain(*args, scores, 0.0), strict=True):
        np.testing.assert_array_equal(one, two)
