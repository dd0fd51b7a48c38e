"""Capped least squares against a general solver, and its two limits."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import rbf_kernel

from handful.programs import SolverError
from handful.programs.regression import solve_least_squares
from tests.oracles.programs import capped_least_squares


def _data(rng, m=30, n=3):
    X = rng.normal(size=(m, n))
    return X, X @ np.arange(1.0, n + 1) + rng.standard_t(3, size=m)


@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_it_is_what_a_general_solver_finds(rng, C, epsilon, weight):
    X, y = _data(rng)
    found = solve_least_squares(X, y, epsilon, C, weight=weight)
    value, coef, intercept = capped_least_squares(X, y, epsilon, C, weight)
    assert found.gap <= 1e-7
    assert found.value == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(found.coef, coef, atol=2e-3)
    assert found.intercept == pytest.approx(intercept, abs=2e-3)
    r = (y - X @ found.coef - found.intercept) / epsilon
    own = 1.0 + np.abs(r).max() + C * r @ r + weight * np.abs(found.coef).sum() / epsilon
    assert own == pytest.approx(found.value, rel=1e-9)


def test_kernel_columns_with_a_price(rng):
    X, y = _data(rng, m=25, n=2)
    K = rbf_kernel(X, gamma=0.5)
    found = solve_least_squares(K, y, 1.0, 0.5, weight=0.8)
    assert found.value == pytest.approx(capped_least_squares(K, y, 1.0, 0.5, 0.8)[0], rel=1e-6)
    assert 0 < np.count_nonzero(found.coef) < 15  # zeros are exact


def test_dear_squares_are_least_squares_and_cheap_ones_the_least_deviation(rng):
    X, y = _data(rng, m=80)
    plain = LinearRegression().fit(X, y)
    dear = solve_least_squares(X, y, 1.0, 1e6)
    np.testing.assert_allclose(dear.coef, plain.coef_, atol=1e-5)
    cheap = solve_least_squares(X, y, 1.0, 1e-9)
    r = np.abs(y - X @ cheap.coef - cheap.intercept)
    assert np.sum(r >= r.max() - 1e-5) >= 5  # as many as there are unknowns, and one more
    assert r.max() < np.abs(y - plain.predict(X)).max() - 0.1


@pytest.mark.thorough
def test_nearly_dependent_columns_are_proved_too(rng):
    """A wide kernel on many points: its matrix has a rank of a dozen."""
    X = np.sort(rng.uniform(-3, 3, size=300))[:, None]
    y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=300)
    for weight in (0.02, 0.2, 2.0):
        found = solve_least_squares(rbf_kernel(X, gamma=1.0), y, 0.1, 1.0, weight=weight)
        assert found.gap <= 1e-7


def test_what_is_not_proved_is_not_returned(rng):
    X, y = _data(rng)
    with pytest.raises(SolverError, match="gap does not prove it"):
        solve_least_squares(X, y, 1.0, 1.0, tol=-1.0)
