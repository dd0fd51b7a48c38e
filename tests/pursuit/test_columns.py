"""Kernel columns on demand give what the whole matrix gives, stored or not."""

import numpy as np
import pytest

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, kernel_columns
from tests.oracles.pursuit import gaussian_kernel

MEMORIES = [0, 1 << 30]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(kernel_columns, "TILE_SIDE", 7)


@pytest.fixture
def data(rng):
    return rng.normal(size=(25, 3)) + 100.0, rng.normal(size=(25, 4))


@pytest.mark.parametrize("memory_bytes", MEMORIES)
@pytest.mark.parametrize("candidates", [None, np.array([1, 5, 6, 24])])
def test_gaussian_products_match_the_whole_matrix(data, memory_bytes, candidates):
    X, W = data
    kernel = make_kernel("rbf", gamma=0.4)
    columns = KernelColumns(kernel, X, candidates, memory_bytes=memory_bytes)
    K = gaussian_kernel(X, X, 0.4)
    A = K if candidates is None else K[:, candidates]
    assert columns.is_stored == (memory_bytes > 0)
    np.testing.assert_allclose(columns.products(W), A.T @ W, atol=1e-10)
    np.testing.assert_allclose(columns.squared_norms(), np.sum(A**2, axis=0), rtol=1e-10)
    np.testing.assert_allclose(columns.columns(np.array([3, 0])), A[:, [3, 0]], atol=1e-10)


@pytest.mark.parametrize("memory_bytes", MEMORIES)
@pytest.mark.parametrize("name", ["linear", "poly"])
def test_other_kernels(data, memory_bytes, name):
    X, W = data[0] - 100.0, data[1]
    kernel = make_kernel(name, gamma=0.5, degree=2, coef0=1.0)
    columns = KernelColumns(kernel, X, memory_bytes=memory_bytes)
    np.testing.assert_allclose(columns.products(W), kernel(X) @ W, atol=1e-10)
    np.testing.assert_allclose(columns.diagonal(), np.diag(kernel(X)), rtol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("candidates", [None, np.array([2, 3])])
def test_precomputed_matrix_is_used_as_it_is(data, order, candidates):
    X, W = data
    K = np.array(gaussian_kernel(X, X, 0.4), order=order)
    columns = KernelColumns(make_kernel("precomputed"), K, candidates, memory_bytes=0)
    A = K if candidates is None else K[:, candidates]
    np.testing.assert_allclose(columns.products(W), A.T @ W, atol=1e-12)
    np.testing.assert_allclose(columns.squared_norms(), np.sum(A**2, axis=0), atol=1e-12)
    np.testing.assert_array_equal(columns.columns(np.array([1])), A[:, [1]])


@pytest.mark.parametrize("memory_bytes", MEMORIES)
def test_inner_products_of_two_views(data, memory_bytes):
    X, Y = data
    x = KernelColumns(make_kernel("rbf", gamma=0.3), X, memory_bytes=memory_bytes)
    y = KernelColumns(make_kernel("rbf", gamma=0.1), Y, memory_bytes=memory_bytes)
    expected = np.sum(gaussian_kernel(X, X, 0.3) * gaussian_kernel(Y, Y, 0.1), axis=0)
    np.testing.assert_allclose(x.inner_products(y), expected, rtol=1e-10)


def test_landmarks_reproduce_a_small_matrix(data):
    X, _ = data
    columns = KernelColumns(make_kernel("rbf", gamma=0.4), X, memory_bytes=0)
    N = columns.landmark_factor()
    np.testing.assert_allclose(N @ N.T, gaussian_kernel(X, X, 0.4), atol=1e-7)


def test_storage_threshold_from_both_sides(data):
    X, _ = data
    kernel = make_kernel("rbf", gamma=0.4)
    needed = 8 * len(X) ** 2
    assert KernelColumns(kernel, X, memory_bytes=needed).is_stored
    assert not KernelColumns(kernel, X, memory_bytes=needed - 1).is_stored
    needed = 8 * len(X) * 3
    assert KernelColumns(kernel, X, np.arange(3), memory_bytes=needed).is_stored
    assert not KernelColumns(kernel, X, np.arange(3), memory_bytes=needed - 1).is_stored
