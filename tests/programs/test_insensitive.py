"""Regression by shifted examples against the published program, and what it must be."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.metrics.pairwise import rbf_kernel

from handful.programs.regression import solve_insensitive
from tests.oracles.programs import published_regressor


def _data(rng, m=30, n=3):
    X = rng.normal(size=(m, n))
    return X, X @ np.arange(1.0, n + 1) + rng.standard_t(3, size=m)


@pytest.mark.parametrize("C", [0.003, 0.1, 1.0, 50.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_it_is_the_published_program(rng, C, epsilon, weight):
    X, y = _data(rng)
    found = solve_insensitive(X, y, epsilon, C, weight=weight)
    value = published_regressor(X, y, epsilon, C, weight)
    assert found.value == pytest.approx(value, rel=1e-7)
    assert found.gap <= 1e-7
    # The objective of the function that is returned, computed from its residuals.
    t, r = 1.0 / found.unit, y - X @ found.coef - found.intercept
    slack = np.maximum(1.0 - t * (epsilon + np.array([r, -r])), 0.0).sum()
    own = max(1.0, t * (epsilon + np.abs(r).max())) + C * slack
    own += weight * t * np.abs(found.coef).sum()
    assert own == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("weight", [0.05, 1.0])
def test_kernel_columns_with_a_price(rng, weight):
    """Only the coefficients of the function are priced: the target's column is free."""
    X, y = _data(rng, m=40, n=2)
    K = rbf_kernel(X, gamma=0.5)
    found = solve_insensitive(K, y, 0.7, 1.0, weight=weight)
    assert found.value == pytest.approx(published_regressor(K, y, 0.7, 1.0, weight), rel=1e-7)
    assert 0 < np.count_nonzero(found.coef) < 40


def test_without_slack_it_is_chebyshev(rng):
    """With a dear slack and a wide tolerance the largest deviation is as small as it can be."""
    X, y = _data(rng)
    F = np.column_stack([X, np.ones(30), np.ones(30)])
    rows = np.vstack([F * [1, 1, 1, 1, -1], -F * [1, 1, 1, 1, 1]])
    least = linprog(
        np.eye(5)[-1], A_ub=rows, b_ub=np.concatenate([y, -y]), bounds=[(None, None)] * 5
    ).fun
    found = solve_insensitive(X, y, 2.0 * least, 1e4)
    residual = y - X @ found.coef - found.intercept
    assert np.abs(residual).max() == pytest.approx(least, rel=1e-6)
    assert found.h == pytest.approx(3.0, rel=1e-6)  # (2 + 1) / (2 - 1)


def test_touching_examples_are_those_outside_the_tube_or_at_the_cap(rng):
    X, y = _data(rng, m=60)
    found = solve_insensitive(X, y, 1.5, 1.0, touching=True)
    r = np.abs(y - X @ found.coef - found.intercept)
    expected = (r >= 1.5 - found.unit - 1e-6) | (r >= r.max() - 1e-6)
    np.testing.assert_array_equal(found.touching, np.flatnonzero(expected))
    assert 4 < len(found.touching) < 40
