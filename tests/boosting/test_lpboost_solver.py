"""LPBoost on arrays against the full linear program, with strong duality and slackness."""

import numpy as np
import pytest

from handful.boosting.solver import solve_lpboost
from handful.boosting.weak_learners import StumpColumns
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


class _MerelyGood:
    """The same family without the claim of exact search: solved by vertices from the start."""

    is_exact = False

    def __init__(self, family):
        self.best = family.best


@pytest.mark.parametrize("nu", [0.3, 0.6, 1.0])
def test_interior_points_and_vertices_give_the_same_value(rng, nu):
    X, y = _problem(rng, m=60, d=4)
    caps = np.full(60, 1 / (60 * nu))
    inside = solve_lpboost(StumpColumns(X), y, caps, tol=1e-9, max_iter=500)
    vertices = solve_lpboost(_MerelyGood(StumpColumns(X)), y, caps, tol=1e-9, max_iter=500)
    assert inside.beta == pytest.approx(vertices.beta, abs=1e-8)


def _noisy(rng, m=400, d=6):
    """Real-valued features and a fifth of the labels wrong: the margin at nu = 0.2 is near 0."""
    X = rng.normal(size=(m, d))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    return X, np.where(rng.random(m) < 0.2, -y, y)


@pytest.mark.thorough
def test_margins_near_zero_take_few_rounds(rng):
    X, y = _noisy(rng)
    solution = solve_lpboost(StumpColumns(X), y, np.full(400, 1 / 80), tol=1e-6, max_iter=60)
    assert solution.is_converged
    assert 0.0 < solution.beta < 0.05
    votes = sum(w * c.values for w, c in zip(solution.weights, solution.columns, strict=True))
    upper = StumpColumns(X).best(solution.u * y)[0].edge
    lower = solution.rho - np.maximum(0.0, solution.rho - y * votes).sum() / 80
    assert upper - lower <= 1e-6 + 1e-12  # the gap, proved again from the parts
    assert solution.gap == pytest.approx(upper - lower, abs=1e-9)


def test_end_of_the_path_is_a_vertex(rng):
    """As many tight examples as columns: no vote of fewer examples at the margin exists."""
    X, y = _noisy(rng, m=150, d=4)
    solution = solve_lpboost(StumpColumns(X), y, np.full(150, 1 / 45), tol=1e-7, max_iter=100)
    votes = sum(w * c.values for w, c in zip(solution.weights, solution.columns, strict=True))
    n_tight = np.sum(np.abs(y * votes - solution.rho) < 1e-8)
    assert len(solution.columns) <= n_tight
    H = np.array([y * c.values for c in solution.columns]).T
    tight = np.abs(y * votes - solution.rho) < 1e-8
    basis = np.vstack([np.column_stack([H[tight], -np.ones(n_tight)]), [1.0] * H.shape[1] + [0.0]])
    assert np.linalg.matrix_rank(basis) == H.shape[1] + 1
