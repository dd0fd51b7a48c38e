"""Sparse kernel PCA is a partial Cholesky factorisation with greedy pivots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import cholesky
from scipy.linalg.lapack import dpstrf

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, partial_cholesky
from tests.oracles import pursuit as oracle


def _columns(X, gamma=1.0, memory_bytes=1 << 30, candidates=None):
    kernel = make_kernel("rbf", gamma=gamma)
    return KernelColumns(kernel, X, candidates, memory_bytes=memory_bytes)


def test_vector_of_the_specification():
    X, _ = oracle.toy()
    result = partial_cholesky(_columns(X), 4)
    np.testing.assert_array_equal(result.centers, [11, 1, 4, 8])
    expected = [8.441603822, 5.479623724, 3.319416375, 1.436133763]
    np.testing.assert_allclose(result.traces[1:], expected, rtol=0, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 8), st.sampled_from([0, 1 << 30]))
def test_equals_deflating_the_whole_matrix(seed, n_centers, memory_bytes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(16, 3))
    chosen, traces, residuals = oracle.deflated_pca(oracle.gaussian_kernel(X, X, 0.3), n_centers)
    result = partial_cholesky(_columns(X, 0.3, memory_bytes), n_centers)
    assert result.centers.tolist() == chosen
    np.testing.assert_allclose(result.traces[1:], traces, rtol=1e-8)
    np.testing.assert_allclose(result.residuals, residuals, atol=1e-9)


def test_factor_equals_scipy_on_the_permuted_matrix(rng):
    X = rng.normal(size=(20, 3))
    K = oracle.gaussian_kernel(X, X, 0.5)
    result = partial_cholesky(_columns(X, 0.5), 20)
    order = result.centers
    assert sorted(order.tolist()) == list(range(20))
    expected = cholesky(K[np.ix_(order, order)], lower=True)
    np.testing.assert_allclose(result.factor[order], expected, atol=1e-8)


def test_diagonal_pivots_equal_lapack(rng):
    X = rng.normal(size=(25, 3))
    K = oracle.gaussian_kernel(X, X, 0.5)
    _, pivots, _, _ = dpstrf(K, lower=1)
    result = partial_cholesky(_columns(X, 0.5), 10, pivot="diagonal")
    # the first pivot is a tie of ones: LAPACK and we take the first
    np.testing.assert_array_equal(result.centers, pivots[:10] - 1)


def test_trace_pivots_are_never_worse_at_the_first_step(rng):
    X = rng.normal(size=(60, 2))
    trace = partial_cholesky(_columns(X), 1).traces[1]
    diagonal = partial_cholesky(_columns(X), 1, pivot="diagonal").traces[1]
    assert trace < diagonal


def test_candidates_and_tolerance(rng):
    X = rng.normal(size=(30, 2))
    result = partial_cholesky(_columns(X, candidates=np.array([3, 4, 9])), 10)
    assert set(result.centers.tolist()) == {3, 4, 9}
    full = partial_cholesky(_columns(X), 10)
    share = full.traces[5] / full.traces[0]
    assert len(partial_cholesky(_columns(X), 10, tol=share * (1 + 1e-9)).centers) == 5
    assert len(partial_cholesky(_columns(X), 10, tol=share * (1 - 1e-9)).centers) == 6


@pytest.mark.parametrize("pivot", ["trace", "diagonal"])
def test_rank_and_duplicates(rng, pivot):
    X = np.repeat(rng.normal(size=(5, 2)), 3, axis=0)
    result = partial_cholesky(_columns(X), 15, pivot=pivot)
    assert len(result.centers) == 5
    assert np.all(result.centers % 3 == 0)
    linear = KernelColumns(make_kernel("linear"), rng.normal(size=(20, 3)))
    assert len(partial_cholesky(linear, 10, pivot=pivot).centers) == 3
    zeros = KernelColumns(make_kernel("linear"), np.zeros((4, 2)))
    assert len(partial_cholesky(zeros, 3, pivot=pivot).centers) == 0
