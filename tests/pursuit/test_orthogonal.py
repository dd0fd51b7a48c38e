"""The greedy path equals exhaustive orthogonal least squares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import orthogonal_mp

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal_pursuit
from tests.oracles import pursuit as oracle


def _columns(X, gamma=1.0, candidates=None, memory_bytes=1 << 30):
    kernel = make_kernel("rbf", gamma=gamma)
    return KernelColumns(kernel, X, candidates, memory_bytes=memory_bytes)


def test_vector_of_the_specification():
    X, y = oracle.toy()
    path = orthogonal_pursuit(_columns(X), y[:, None], 4)
    np.testing.assert_array_equal(path.centers, [6, 3, 5, 7])
    expected = [6.809199467, 6.156380634, 5.704650055, 4.980259547]
    np.testing.assert_allclose(path.residual_squares[1:], expected, rtol=0, atol=1e-9)
    coefficients, intercepts = path.coefficients(4)
    expected = [0.71506155, -0.91704512, 0.8411808, 0.76527844]
    np.testing.assert_allclose(coefficients[:, 0], expected, atol=1e-8)
    assert intercepts == 0.0


def test_literal_formula_of_the_lectures_chooses_otherwise():
    X, y = oracle.toy()
    K = oracle.gaussian_kernel(X, X, 1.0)
    assert oracle.deflated_pursuit(K, y, 4, transpose=False) == [6, 7, 0, 1]
    assert oracle.deflated_pursuit(K, y, 4) == [6, 3, 5, 7]


@pytest.mark.parametrize("memory_bytes", [0, 1 << 30])
@pytest.mark.parametrize("intercept", [False, True])
def test_equals_exhaustive_search(rng, intercept, memory_bytes):
    for _ in range(10):
        X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
        K = oracle.gaussian_kernel(X, X, 0.7)
        chosen, squares = oracle.exhaustive_least_squares(K, y, 5, intercept)
        columns = _columns(X, 0.7, memory_bytes=memory_bytes)
        path = orthogonal_pursuit(columns, y[:, None], 5, intercept=intercept)
        assert path.centers.tolist() == chosen
        np.testing.assert_allclose(path.residual_squares[1:], squares, rtol=1e-9)


def test_several_outputs_share_centres(rng):
    X, Y = rng.normal(size=(18, 2)), rng.normal(size=(18, 3))
    K = oracle.gaussian_kernel(X, X, 0.7)
    chosen, squares = oracle.exhaustive_least_squares(K, Y, 4, True)
    path = orthogonal_pursuit(_columns(X, 0.7), Y, 4, intercept=True)
    assert path.centers.tolist() == chosen
    np.testing.assert_allclose(path.residual_squares[1:], squares, rtol=1e-9)
    coefficients, intercepts = path.coefficients(4)
    np.testing.assert_allclose(K[:, chosen] @ coefficients + intercepts, path.fitted(4), atol=1e-8)


def test_candidates_restrict_the_choice(rng):
    X, y = rng.normal(size=(25, 2)), rng.normal(size=25)
    K = oracle.gaussian_kernel(X, X, 0.7)
    candidates = np.array([2, 7, 11, 12, 20])
    chosen, squares = oracle.exhaustive_least_squares(K, y, 3, columns=candidates)
    for memory_bytes in (0, 1 << 30):
        columns = _columns(X, 0.7, candidates, memory_bytes)
        path = orthogonal_pursuit(columns, y[:, None], 3)
        assert path.centers.tolist() == chosen
        np.testing.assert_allclose(path.residual_squares[1:], squares, rtol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans())
def test_every_prefix_is_a_least_squares_fit(seed, n_centers, intercept):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    K = oracle.gaussian_kernel(X, X, 1.0)
    path = orthogonal_pursuit(_columns(X), y[:, None], n_centers, intercept=intercept)
    ones = np.ones((15, int(intercept)))
    for size in range(1, path.n_centers + 1):
        G = np.hstack([ones, K[:, path.centers[:size]]])
        assert path.residual_squares[size] == pytest.approx(
            oracle.residual_square(G, y), rel=1e-6, abs=1e-9
        )
    assert np.all(np.diff(path.residual_squares) <= 1e-12)
    assert len(set(path.centers.tolist())) == path.n_centers


def test_omp_criterion_equals_scikit_learn(rng):
    X, y = rng.normal(size=(120, 3)), rng.normal(size=120)
    K = oracle.gaussian_kernel(X, X, 0.3)
    K /= np.linalg.norm(K, axis=0)
    for n_centers in (1, 4, 9):
        weights = orthogonal_mp(K, y, n_nonzero_coefs=n_centers)
        path = orthogonal_pursuit(_columns(X, 0.3), y[:, None], n_centers, criterion="cosine")
        assert set(path.centers.tolist()) == set(np.flatnonzero(weights).tolist())
        residual = float(np.sum((y - K @ weights) ** 2))
        assert path.residual_squares[-1] == pytest.approx(residual, rel=1e-9)


def test_ols_beats_omp_at_the_second_choice(rng):
    """Both take the same first column; the second of "residual" is the best there is."""
    n_better = 0
    for _ in range(20):
        columns, y = _columns(rng.normal(size=(30, 1))), rng.normal(size=(30, 1))
        ols = orthogonal_pursuit(columns, y, 2).residual_squares[2]
        omp = orthogonal_pursuit(columns, y, 2, criterion="cosine").residual_squares[2]
        assert ols <= omp * (1 + 1e-9)
        n_better += ols < omp * (1 - 1e-6)
    assert n_better > 0


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_ridge_solves_the_penalised_problem(rng, ridge):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30) + 2.0
    path = orthogonal_pursuit(_columns(X, 0.5), y[:, None], 5, intercept=True)
    a, b = path.coefficients(5, ridge)
    G = np.hstack([np.ones((30, 1)), oracle.gaussian_kernel(X, X, 0.5)[:, path.centers]])
    penalty = ridge * np.diag([0.0, 1, 1, 1, 1, 1])
    expected = np.linalg.solve(G.T @ G + penalty, G.T @ y)
    np.testing.assert_allclose(np.r_[b, a[:, 0]], expected, rtol=1e-7)


def test_duplicate_rows_are_chosen_once(rng):
    X = np.repeat(rng.normal(size=(6, 2)), 4, axis=0)
    y = np.repeat(rng.normal(size=6), 4)
    for memory_bytes in (0, 1 << 30):
        path = orthogonal_pursuit(_columns(X, 1.0, None, memory_bytes), y[:, None], 20)
        assert path.n_centers == 6
        assert np.all(path.centers % 4 == 0), "of equal rows the first is chosen"
        assert path.residual_squares[-1] < 1e-15


def test_constant_target_needs_no_centre_beside_an_intercept(rng):
    X = rng.normal(size=(10, 2))
    y = np.full((10, 1), 3.0)
    path = orthogonal_pursuit(_columns(X), y, 5, intercept=True)
    assert path.n_centers == 0
    assert path.coefficients(0)[1] == pytest.approx(3.0)
    assert orthogonal_pursuit(_columns(X), np.zeros((10, 1)), 5).n_centers == 0


def test_more_centres_than_the_rank(rng):
    X = rng.normal(size=(30, 2))
    columns = KernelColumns(make_kernel("linear"), X)
    path = orthogonal_pursuit(columns, rng.normal(size=(30, 1)), 10)
    assert path.n_centers == 2


def test_tolerance_stops_from_both_sides(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=(30, 1))
    full = orthogonal_pursuit(_columns(X), y, 10)
    share = full.residual_squares[4] / full.residual_squares[0]
    assert orthogonal_pursuit(_columns(X), y, 10, tol=share * (1 + 1e-9)).n_centers == 4
    assert orthogonal_pursuit(_columns(X), y, 10, tol=share * (1 - 1e-9)).n_centers == 5


def test_nearly_dependent_columns_keep_the_path_exact(rng):
    """A smooth kernel: deflated norms fall by ten orders and must not be trusted blindly."""
    X = np.linspace(0.0, 1.0, 40)[:, None]
    y = rng.normal(size=40)
    path = orthogonal_pursuit(_columns(X, 0.5), y[:, None], 12)
    K = oracle.gaussian_kernel(X, X, 0.5)
    np.testing.assert_allclose(path.basis.T @ path.basis, np.eye(path.n_centers), atol=1e-12)
    for size in range(1, path.n_centers + 1):
        expected = oracle.residual_square(K[:, path.centers[:size]], y)
        assert path.residual_squares[size] == pytest.approx(expected, rel=1e-4)


def test_predictions_do_not_move_with_the_origin(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=(40, 1))
    near = orthogonal_pursuit(_columns(X, memory_bytes=0), y, 8)
    far = orthogonal_pursuit(_columns(X + 1e4, memory_bytes=0), y, 8)
    np.testing.assert_array_equal(near.centers, far.centers)
