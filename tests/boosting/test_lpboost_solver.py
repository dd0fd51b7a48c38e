"""LPBoost on arrays against the full linear program, with strong duality and slackness."""

import numpy as np
import pytest

from handful.boosting._lpboost_solver import solve_lpboost
from handful.boosting._stumps import StumpColumns
from tests.oracles import boosting as oracle


def _problem(rng, m=40, d=3, missing=0.1):
    X = rng.integers(0, 8, size=(m, d)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=m) > 7, 1.0, -1.0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("nu", [0.3, 0.55, 0.9])
def test_equals_the_full_program(rng, nu):
    for _ in range(4):
        X, y = _problem(rng)
        caps = np.full(40, 1 / (40 * nu))
        H = oracle.stump_matrix(X, oracle.all_stumps(X))
        value = oracle.lpboost_primal(H, y, caps)[0]
        beta, _ = oracle.lpboost_dual(H, y, caps)
        assert beta == pytest.approx(value, abs=1e-8)  # strong duality of the oracles
        solution = solve_lpboost(StumpColumns(X), y, caps, tol=1e-9, max_iter=500)
        assert solution.beta == pytest.approx(value, abs=1e-7)
        _check_optimality(solution, y, caps)


def _check_optimality(solution, y, caps):
    """Feasibility, strong duality and complementary slackness of the pair (a, u)."""
    votes = sum(w * c.values for w, c in zip(solution.weights, solution.columns, strict=True))
    margins, rho, u = y * votes, solution.rho, solution.u
    slack = np.maximum(0.0, rho - margins)
    assert solution.weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert u.sum() == pytest.approx(1.0, abs=1e-8)
    assert np.all(u <= caps + 1e-9)
    assert rho - caps @ slack == pytest.approx(solution.beta, abs=1e-7)
    assert np.all(u[slack > 1e-7] >= caps[slack > 1e-7] - 1e-7)
    assert np.all(u[margins > rho + 1e-7] <= 1e-7)


@pytest.mark.parametrize("n_columns", [1, 8])
@pytest.mark.parametrize("smoothing", [0.0, 0.6])
def test_every_way_of_generating_gives_the_same_value(rng, n_columns, smoothing):
    X, y = _problem(rng, m=60, d=4)
    caps = np.full(60, 1 / (60 * 0.5))
    plain = solve_lpboost(StumpColumns(X), y, caps, tol=1e-9, max_iter=500, n_columns=1)
    other = solve_lpboost(
        StumpColumns(X), y, caps, tol=1e-9, max_iter=500, n_columns=n_columns, smoothing=smoothing
    )
    assert other.beta == pytest.approx(plain.beta, abs=1e-8)
