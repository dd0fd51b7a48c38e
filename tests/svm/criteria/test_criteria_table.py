"""The table of criteria."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from handful.svm import CRITERIA, SupportVectorMachine, criteria_table, fit_svm_grid


@pytest.fixture
def data(rng):
    X = rng.normal(size=(50, 2))
    return X, np.where(X[:, 0] + 0.4 * rng.normal(size=50) > 0, 1.0, -1.0)


def test_columns_and_rows(data):
    grid = fit_svm_grid(*data, gammas=[0.5, 2.0], Cs=[1.0, 10.0, 100.0])
    frame = criteria_table(grid)
    fast = [name for name, entry in CRITERIA.items() if not entry.is_slow]
    assert list(frame.columns) == ["kernel", "gamma", "C", "n_support", "gap", *fast]
    assert frame["C"].tolist() == [1.0, 10.0, 100.0] * 2
    assert np.isfinite(frame["c2"]).all()


def test_same_numbers_for_an_svc_and_our_machine(data):
    X, y = data
    names = ["c2", "c3", "radius-margin", "span", "trace", "sparse-margin"]
    ours = [SupportVectorMachine(C=C, gamma=0.5, tol=1e-9).fit(X, y) for C in (1.0, 5.0)]
    theirs = [SVC(C=C, gamma=0.5, tol=1e-9).fit(X, y) for C in (1.0, 5.0)]
    first = criteria_table(ours, X, y, names=names)[names]
    second = criteria_table(theirs, X, y, names=names)[names]
    np.testing.assert_allclose(first, second, rtol=1e-4)
    alone = [ours[0].criterion(name).value for name in names]
    np.testing.assert_allclose(alone, first.iloc[0], rtol=1e-12)


def test_bad_machines(data, rng):
    X, y = data
    with pytest.raises(ValueError, match="`X` must be the training data"):
        criteria_table([SVC().fit(X, y)])
    three = SupportVectorMachine().fit(X, np.arange(50) % 3)
    with pytest.raises(ValueError, match="must have two classes each"):
        criteria_table([three], X, y)
    with pytest.raises(TypeError, match="got int"):
        criteria_table([3], X, y)
