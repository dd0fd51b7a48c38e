"""Given columns, ranks and prices."""

import numpy as np
import pytest

from handful.boosting.kernel_matrices import KernelBalls
from handful.boosting.weak_learners import PrecomputedColumns, fixed_prices, ranked
from tests.oracles import boosting as oracle


def test_ties_go_to_the_lowest_index():
    scores = np.array([1.0, -1.0])
    assert ranked(np.array([0.0, 1.0, 1.0 + 1e-13, 0.5]), scores, 1) == [1]
    assert ranked(np.array([0.0, 1.0, 1.0 + 1e-13, 0.5]), scores, 3) == [1, 2, 3]


def test_best_column_has_the_largest_value(rng):
    H, scores = rng.normal(size=(20, 6)), rng.normal(size=20)
    for prices in (False, True):
        family = PrecomputedColumns(H, prices=prices)
        values = family.all_values(scores)
        expected = [s * (scores @ H[:, j]) for j in range(6) for s in (1, -1)]
        price = fixed_prices(12) if prices else np.zeros(12)
        np.testing.assert_allclose(values, np.array(expected) - price)
        found = family.best(scores, 3)
        assert found[0].value == pytest.approx(values.max())
        assert [c.value for c in found] == pytest.approx(sorted(values, reverse=True)[:3])
        j, sign = found[0].key
        np.testing.assert_array_equal(found[0].values, sign * H[:, j])


def test_prices_are_small_fixed_and_different():
    prices = fixed_prices(500)
    np.testing.assert_array_equal(prices[:100], fixed_prices(100))
    assert np.unique(prices).size == 500
    assert 0.0 < prices.min() < prices.max() < 1e-3


def test_edges_match_loops(rng):
    A = rng.normal(size=(9, 4))
    scores = rng.normal(size=9) * (rng.random(9) < 0.6)
    K = A @ A.T
    family = KernelBalls([K])
    assert family.edges(scores)[0] == pytest.approx(oracle.kernel_norm(K, scores))
    column = family.best(scores)[0]
    assert scores @ column.values == pytest.approx(column.edge)
    assert column.key.coefficients @ K[np.ix_(column.key.indices, column.key.indices)] @ (
        column.key.coefficients
    ) == pytest.approx(1.0)  # a function of norm one


def test_kernels_without_edge_have_no_member():
    family = KernelBalls([np.zeros((3, 3)), np.eye(3)])
    scores = np.array([0.5, -0.25, 0.0])
    found = family.best(scores, 2)
    assert [column.key.kernel for column in found] == [1]
    assert KernelBalls([np.zeros((3, 3))]).best(scores) == []
