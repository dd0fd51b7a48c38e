import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from handful.programs import SolverError, kernel_programs
from handful.programs.kernel_programs import (
    interpolate,
    is_positive_semidefinite,
    pivoted_columns,
    solve_by_columns,
)
from tests.oracles.programs import one_norm_svm, published_mcm, toy


def test_pivots_span_the_matrix(rng):
    B = rng.normal(size=(20, 5))
    K = B @ B.T
    columns = pivoted_columns(K, 1e-10)
    assert columns.pivots.size == 5
    assert not columns.is_full
    part = K[:, columns.pivots]
    residual = K - part @ np.linalg.lstsq(part, K, rcond=None)[0]
    assert np.abs(residual).max() < 1e-8
    assert pivoted_columns(K + np.eye(20), 1e-10).is_full
    assert pivoted_columns(np.zeros((3, 3)), 0.1).pivots.size == 0


def test_semidefinite_or_not(rng):
    B = rng.normal(size=(10, 3))
    assert is_positive_semidefinite(B @ B.T)
    assert not is_positive_semidefinite(B @ B.T - 0.1 * np.eye(10))
    assert not is_positive_semidefinite(-np.eye(3))


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_interpolation_is_the_optimum_for_every_cost(C):
    X, y = toy()
    solution = interpolate(rbf_kernel(X, gamma=1.0), y, C)
    np.testing.assert_allclose(y * (rbf_kernel(X, gamma=1.0) @ solution.w + solution.b), 1.0)
    assert solution.value == pytest.approx(1.0, abs=1e-6)
    assert solution.gap < 1e-7


@pytest.mark.parametrize(
    ("weight", "value", "n_nonzero"),
    [
        (1e-3, 3.423524087, 10),
        (1e-2, 5.053178548, 8),
        (5e-2, 5.460115433, 5),
        (0.3, 6.354472664, 4),
        (1.0, 7.0, 0),
    ],
)
def test_priced_expansions_of_the_specification(weight, value, n_nonzero):
    X, y = toy()
    solution = solve_by_columns(rbf_kernel(X, gamma=1.0), y, 1.0, weight=weight)
    assert solution.value == pytest.approx(value, abs=2e-9)
    assert np.sum(np.abs(solution.w) > 1e-7 * max(1.0, np.abs(solution.w).max())) == n_nonzero


@pytest.mark.parametrize("capped", [True, False])
def test_column_generation_reaches_the_full_program(rng, capped, monkeypatch):
    X = rng.normal(size=(70, 2))
    y = np.where(np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=70) > 0, 1.0, -1.0)
    K = rbf_kernel(X, gamma=1.0)
    monkeypatch.setattr(kernel_programs, "_ALL_AT_ONCE", 10)
    found = solve_by_columns(K, y, 2.0, weight=0.5 if capped else 1.0, capped=capped)
    full = published_mcm(K, y, 2.0, 0.5)[0] if capped else one_norm_svm(K, y, 2.0)[0]
    assert found.value == pytest.approx(full, rel=1e-7)
    assert found.gap <= 1e-7
    assert 0 < np.sum(found.w != 0.0) < 40


def test_rounds_are_limited(rng, monkeypatch):
    X = rng.normal(size=(70, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    monkeypatch.setattr(kernel_programs, "_ALL_AT_ONCE", 10)
    monkeypatch.setattr(kernel_programs, "_MAX_ROUNDS", 1)
    monkeypatch.setattr(kernel_programs, "_first_columns", lambda K: np.array([0]))
    with pytest.raises(SolverError, match="gap over all columns"):
        solve_by_columns(rbf_kernel(X, gamma=1.0), y, 2.0, weight=0.01)
