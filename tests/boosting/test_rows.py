"""Merged examples."""

import numpy as np

from handful.boosting.weak_learners import merge_rows


def test_merged_rows_keep_all_weight(rng):
    X = rng.integers(0, 2, size=(40, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.choice([-1.0, 1.0], size=40)
    w = rng.integers(0, 3, size=40).astype(float)
    rows, signs, merged = merge_rows(X, y, w)
    assert merged.sum() == w.sum()
    keys = {(*np.nan_to_num(r, nan=9.0), s) for r, s in zip(rows, signs, strict=True)}
    assert len(keys) == len(rows)
    order = rng.permutation(40)
    again = merge_rows(X[order], y[order], w[order])
    for one, two in zip((rows, signs, merged), again, strict=True):
        np.testing.assert_array_equal(one, two)
