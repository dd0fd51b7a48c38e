"""The solver against coordinate descent, LIBSVM and its own proof of accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from handful.kernels import Kernel, center_kernel
from handful.svm import fit_svm_grid
from handful.svm.solver import best_bias_interval, duality_gap, solve_path
from tests.oracles import svm as oracle


def problem(rng, m, n, noise=0.5):
    X = rng.normal(size=(m, n))
    y = np.where(X[:, 0] + noise * rng.normal(size=m) > 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def libsvm(K, y, C):
    svc = SVC(C=C, kernel="precomputed", tol=1e-9, cache_size=100).fit(K, y)
    alpha = np.zeros(len(y))
    alpha[svc.support_] = np.abs(svc.dual_coef_[0])
    return alpha, float(svc.intercept_[0])


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 3.0])
@pytest.mark.parametrize("C", [0.05, 1.0, 300.0])
def test_equals_libsvm(rng, gamma, C):
    X, y = problem(rng, 90, 3)
    grid = fit_svm_grid(X, y, gammas=[gamma], Cs=[C], tol=1e-8)
    K = oracle.gaussian(X, X, gamma)
    alpha, bias = libsvm(K, y, C)
    theirs = oracle.dual_objective(K, y, alpha)
    assert grid[0].objective == pytest.approx(theirs, rel=1e-6)
    assert oracle.dual_objective(K, y, grid[0].alpha) == pytest.approx(grid[0].objective, rel=1e-9)
    np.testing.assert_allclose(grid[0].f, K @ (alpha * y) + bias, atol=2e-3)


def test_raw_features_and_huge_penalties(rng):
    """Features of sizes 1e-3 to 1e4, as in unscaled data, and C up to 1e6."""
    X, y = problem(rng, 80, 4, noise=1.0)
    X = X * np.array([1e-3, 1.0, 50.0, 1e4]) + np.array([0, 5, 200, 3e4])
    Cs = [1e-2, 1.0, 1e3, 1e6]
    grid = fit_svm_grid(X, y, gammas=[1e-6, 1e-3], Cs=Cs, tol=1e-6)
    for model in grid:
        K = oracle.gaussian(X, X, model.kernel.gamma)
        theirs = oracle.dual_objective(K, y, libsvm(K, y, model.C)[0])
        assert model.objective >= theirs * (1 - 1e-6)
        assert model.relative_gap <= 1e-6


def test_linear_kernel_of_low_rank(rng):
    X, y = problem(rng, 100, 2)
    grid = fit_svm_grid(X, y, kernels=[Kernel("linear")], Cs=[0.1, 10.0, 1000.0], tol=1e-7)
    for model in grid:
        alpha, _ = libsvm(X @ X.T, y, model.C)
        assert model.objective == pytest.approx(oracle.dual_objective(X @ X.T, y, alpha), rel=1e-6)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_without_bias_equals_coordinate_descent(C):
    X, y = oracle.paper_data()
    K = oracle.centred(oracle.gaussian(X, X, 2.0))
    found = solve_path(K, y, np.array([C]), fit_intercept=False, tol=1e-12)[0]
    np.testing.assert_allclose(found.alpha, oracle.coordinate_descent(K, y, C), atol=1e-8)
    assert found.bias == 0.0


@given(
    st.integers(5, 30),
    st.floats(0.01, 100.0),
    st.floats(0.01, 10.0),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_the_gap_is_the_difference_of_the_objectives(m, C, gamma, bias, center, seed):
    X, y = problem(np.random.default_rng(seed), m, 2)
    grid = fit_svm_grid(
        X, y, gammas=[gamma], Cs=[C, 4 * C], fit_intercept=bias, center=center, tol=1e-4
    )
    K = oracle.gaussian(X, X, gamma)
    K = oracle.centred(K) if center else K
    for model in grid:
        dual = oracle.dual_objective(K, y, model.alpha)
        primal = oracle.primal_objective(K, y, model.alpha, model.bias, model.C)
        scale = 1e-9 * (1.0 + abs(dual))
        assert model.gap == pytest.approx(primal - dual, abs=scale)
        assert -scale <= primal - dual <= 1e-4 * dual + scale
        assert model.alpha.min() >= 0
        assert model.alpha.max() <= model.C
        if bias:
            assert abs(model.coef.sum()) <= 1e-9 * model.alpha.sum()


def test_duplicates_and_contradictions(rng):
    X, y = problem(rng, 30, 2)
    X, y = np.r_[X, X, X[:10]], np.r_[y, y, -y[:10]]
    grid = fit_svm_grid(X, y, gammas=[0.5], Cs=[1.0, 1e4], tol=1e-6)
    for model in grid:
        alpha, _ = libsvm(grid.kernel_matrix(0), y, model.C)
        best = oracle.dual_objective(grid.kernel_matrix(0), y, alpha)
        assert model.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_few_distinct_points_with_contradictory_labels(seed):
    """A dozen distinct points, a wide kernel and a large C: the matrix is flat almost anywhere."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 4, 100), rng.integers(0, 2, 100), rng.integers(0, 2, 100)])
    y = np.where(rng.uniform(size=100) < 0.3 + 0.1 * X[:, 0], 1.0, -1.0)
    grid = fit_svm_grid(X, y, gammas=[5e-4], Cs=10.0 ** np.arange(6), center=True)
    assert max(model.relative_gap for model in grid) <= 1e-5


def test_constant_points_have_the_trivial_machine():
    X, y = np.ones((6, 2)), np.array([1.0, 1, 1, 1, -1, -1])
    model = fit_svm_grid(X, y, gammas=[1.0], Cs=[2.0])[0]
    assert model.gap == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(model.f, 1.0, atol=1e-6)


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_best_biases(n_positive, n_negative, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n_positive, n_negative])
    scores = rng.integers(-3, 4, size=y.size) / 2.0
    low, high = best_bias_interval(scores - y, y)
    assert (low, high) == pytest.approx(oracle.best_biases(scores, y))
    weights = rng.choice([0.1, 0.2, 0.3, 1.0], size=y.size)
    low, high = best_bias_interval(scores - y, y, weights)
    assert (low, high) == pytest.approx(oracle.best_biases(scores, y, weights))


def test_best_bias_needs_two_classes():
    with pytest.raises(ValueError, match="must hold both"):
        best_bias_interval(np.zeros(2), np.ones(2))


def test_gap_terms_are_never_negative():
    assert duality_gap(np.array([0.0, 1.0, 0.5]), np.array([3.0, 0.2, 1.0]), 1.0) == 0.0
    assert duality_gap(np.array([0.5]), np.array([1.5]), 1.0) == pytest.approx(0.25)
    assert duality_gap(np.array([0.5]), np.array([0.5]), 1.0) == pytest.approx(0.25)


def test_start_does_not_matter(rng):
    X, y = problem(rng, 60, 2)
    K = oracle.gaussian(X, X, 0.3)
    cold = solve_path(K, y, np.array([5.0]), tol=1e-9)[0]
    start = np.full(60, 0.0)
    pairs = min((y > 0).sum(), (y < 0).sum())
    start[np.flatnonzero(y > 0)[:pairs]] = 1.0
    start[np.flatnonzero(y < 0)[:pairs]] = 1.0
    warm = solve_path(K, y, np.array([5.0]), tol=1e-9, alpha=start)[0]
    assert warm.objective == pytest.approx(cold.objective, rel=1e-8)


def test_centring_equals_an_explicit_feature_map(rng):
    """Degree-two polynomial features, centred by hand."""
    X, y = problem(rng, 40, 2)
    a, b = X.T
    features = np.column_stack([a * a, b * b, np.sqrt(2) * a * b])
    shifted = features - features.mean(axis=0)
    kernel = Kernel("poly", gamma=1.0, degree=2)
    options = {"Cs": [0.5, 5.0], "fit_intercept": False, "tol": 1e-8}
    ours = fit_svm_grid(X, y, kernels=[kernel], center=True, **options)
    explicit = fit_svm_grid(shifted, y, kernels=[Kernel("linear")], **options)
    np.testing.assert_allclose(center_kernel(kernel(X)), shifted @ shifted.T, atol=1e-9)
    new = rng.normal(size=(15, 2))
    images = np.column_stack([new[:, 0] ** 2, new[:, 1] ** 2, np.sqrt(2) * new[:, 0] * new[:, 1]])
    np.testing.assert_allclose(
        ours.decision_function(new),
        explicit.decision_function(images - features.mean(axis=0)),
        atol=1e-3,
    )


def test_centring_does_not_change_a_machine_with_a_bias(rng):
    X, y = problem(rng, 50, 2)
    new = rng.normal(size=(9, 2))
    plain, centred = (
        fit_svm_grid(X, y, gammas=[0.7], Cs=[1.0], center=center, tol=1e-9)
        for center in (False, True)
    )
    np.testing.assert_allclose(
        plain.decision_function(new), centred.decision_function(new), atol=1e-4
    )
