"""Compiled stump search against loops."""

import numpy as np
import pytest

from handful.boosting import WeakStump
from handful.boosting.weak_learners import StumpColumns
from tests.oracles import boosting as oracle


def _data(rng, n, d, values, missing):
    X = rng.integers(0, values, size=(n, d)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("values", [2, 5, 1000])
def test_best_stump_matches_oracle(rng, values, missing):
    for _ in range(15):
        X = _data(rng, 12, 3, values, missing)
        scores = rng.integers(-4, 5, size=12) / 7.0
        stump, edge = oracle.best_stump(X, scores)
        found = StumpColumns(X).best(scores)[0]
        assert (found.key.feature, found.key.threshold, found.key.sign) == stump
        assert found.edge == pytest.approx(edge, abs=1e-12)
        assert scores @ found.values == pytest.approx(edge, abs=1e-12)
        np.testing.assert_array_equal(found.key(X), found.values)


def test_fixed_thresholds_match_oracle(rng):
    grid = np.array([-0.5, 0.0, 0.0, 2.5, 99.0])
    for _ in range(15):
        X = _data(rng, 10, 2, 5, 0.2)
        scores = rng.normal(size=10)
        stump, edge = oracle.best_stump(X, scores, grid)
        found = StumpColumns(X, [np.unique(grid)] * 2).best(scores)[0]
        assert (found.key.feature, found.key.threshold, found.key.sign) == stump
        assert found.edge == pytest.approx(edge, abs=1e-12)


def test_all_values_list_every_stump(rng):
    X = _data(rng, 9, 3, 4, 0.2)
    scores = rng.normal(size=9)
    family = StumpColumns(X)
    expected = scores @ oracle.stump_matrix(X, oracle.all_stumps(X))
    np.testing.assert_allclose(family.all_values(scores), expected, atol=1e-12)
    for index in range(family.n_stumps):
        column = family.column_at(index, scores)
        assert column.edge == pytest.approx(expected[index], abs=1e-12)


def test_prices_move_the_choice_and_are_counted(rng):
    X = _data(rng, 9, 2, 4, 0.0)
    scores = rng.normal(size=9)
    family = StumpColumns(X, prices=True)
    values = family.all_values(scores)
    found = family.best(scores)[0]
    assert found.value == pytest.approx(values.max(), abs=1e-12)
    assert 0.0 < found.price < 1e-3
    assert found.edge == pytest.approx(scores @ found.values, abs=1e-12)


def test_several_columns_are_one_for_each_feature(rng):
    X = rng.normal(size=(40, 5))
    scores = rng.normal(size=40)
    found = StumpColumns(X).best(scores, 3)
    assert len({c.key.feature for c in found}) == 3
    assert [c.edge for c in found] == sorted((c.edge for c in found), reverse=True)


def test_midpoint_of_neighbouring_floats_still_separates():
    a = 1.0
    b = np.nextafter(a, 2.0)
    X = np.array([[a], [b], [1e308], [-1e308]])
    found = StumpColumns(X).best(np.array([1.0, -1.0, -1.0, 1.0]))[0]
    assert found.edge == 4.0
    np.testing.assert_array_equal(found.values, [1.0, -1.0, -1.0, 1.0])


def test_constant_columns_leave_the_constants():
    X = np.zeros((4, 2))
    found = StumpColumns(X).best(np.array([-1.0, -1.0, 1.0, -1.0]))
    assert found[0].key == WeakStump(-1, 0.0, -1)
    assert found[0].edge == 2.0
