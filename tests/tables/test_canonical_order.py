"""Rows by content: digests, orders and draws that ignore position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from handful.conformal import NonconformityClassifier
from handful.tables import canonical_order, uniform_draws


def test_order_moves_with_the_rows(rng):
    X, codes = rng.integers(0, 3, (50, 2)).astype(float), rng.integers(0, 2, 50)
    examples = np.column_stack([X, codes])
    want = examples[canonical_order(X, codes)]
    for _ in range(5):
        shuffle = rng.permutation(50)
        order = canonical_order(X[shuffle], codes[shuffle])
        assert np.array_equal(examples[shuffle][order], want)


def test_leaving_rows_out_does_not_reorder_the_others(rng):
    X, codes = rng.normal(size=(30, 2)), np.zeros(30, dtype=np.intp)
    order = canonical_order(X, codes)
    keep = np.sort(rng.permutation(30)[:20])
    kept_order = keep[canonical_order(X[keep], codes[keep])]
    assert np.array_equal(kept_order, order[np.isin(order, keep)])


def test_order_looks_random(rng):
    """Sorted input does not stay sorted: the rank correlation is small."""
    order = canonical_order(np.arange(2000.0)[:, None], np.zeros(2000, dtype=np.intp))
    assert abs(np.corrcoef(order, np.arange(2000))[0, 1]) < 0.1


def test_equal_rows_are_ordered_by_label():
    X, codes = np.zeros((4, 1)), np.array([1, 0, 1, 0])
    assert codes[canonical_order(X, codes)].tolist() == [0, 0, 1, 1]


def test_order_and_draws_see_values_not_types(rng):
    X, codes = rng.integers(0, 5, (6, 2)), np.zeros(6, dtype=np.intp)
    for same in (X.astype(np.float32), pd.DataFrame(X)):
        assert np.array_equal(canonical_order(X, codes), canonical_order(same, codes))
        assert np.array_equal(uniform_draws(X, 3), uniform_draws(same, 3))
    words = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 1.0]})
    draws = uniform_draws(words, 3)
    assert draws[0] == draws[2] != draws[1]


def test_draws_are_uniform_and_change_with_the_seed(rng):
    X = rng.normal(size=(4000, 1))
    draws = uniform_draws(X, 3)
    assert ((draws >= 0) & (draws < 1)).all()
    counts = np.histogram(draws, bins=10, range=(0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 35  # chi square, 9 degrees of freedom
    assert abs(np.corrcoef(draws, uniform_draws(X, 4))[0, 1]) < 0.1


def test_labels_are_required_and_finite(rng):
    X = rng.normal(size=(20, 2))
    machine = NonconformityClassifier([GaussianNB()])
    with pytest.raises(ValueError, match="requires y to be passed"):
        machine.fit(X, None)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        machine.fit(X, np.append(np.zeros(19), np.nan))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        machine.fit(X, rng.normal(size=20))
