"""Sparse kernel CCA equals deflating whole matrices and an explicit eigenproblem."""

import numpy as np
import pytest

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns
from handful.pursuit.correlation import canonical_weights, correlation_pursuit
from tests.oracles import pursuit as oracle


def _views(X, Y, memory_bytes=1 << 30):
    kernel = make_kernel("rbf", gamma=1.0)
    return (
        KernelColumns(kernel, X, memory_bytes=memory_bytes),
        KernelColumns(kernel, Y, memory_bytes=memory_bytes),
    )


def test_vector_of_the_specification():
    X, _ = oracle.toy()
    i = np.arange(1, 13)
    Y = np.column_stack([np.cos(i), np.sin(3 * i)])
    choice = correlation_pursuit(*_views(X, Y), 3)
    np.testing.assert_array_equal(choice.centers, [10, 11, 0])
    np.testing.assert_allclose(choice.scores, [0.811933508, 0.692937359, 0.633752276], atol=1e-9)


@pytest.mark.parametrize("memory_bytes", [0, 1 << 30])
def test_equals_deflating_whole_matrices(rng, memory_bytes):
    for _ in range(15):
        X, Y = rng.normal(size=(18, 2)), rng.normal(size=(18, 3))
        A, B = oracle.gaussian_kernel(X, X, 1.0), oracle.gaussian_kernel(Y, Y, 1.0)
        chosen, scores = oracle.deflated_cca(A, B, 5)
        choice = correlation_pursuit(*_views(X, Y, memory_bytes), 5)
        assert choice.centers.tolist() == chosen
        np.testing.assert_allclose(choice.scores, scores, rtol=1e-8)


@pytest.mark.parametrize("ridge", [1e-6, 0.01, 1.0])
def test_correlations_equal_the_generalised_eigenproblem(rng, ridge):
    t = rng.normal(size=(50, 2))
    G = t @ rng.normal(size=(2, 4)) + 0.3 * rng.normal(size=(50, 4))
    H = t @ rng.normal(size=(2, 3)) + 0.3 * rng.normal(size=(50, 3))
    weights = canonical_weights(G, H, 3, ridge)
    expected = oracle.canonical_correlations(G, H, ridge)
    np.testing.assert_allclose(weights.correlations, expected, rtol=1e-8)


def test_scores_reach_the_correlations_without_ridge(rng):
    G, H = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    H[:, 0] += G[:, 1]
    weights = canonical_weights(G, H, 2, 0.0)
    u = (G - weights.x_mean) @ weights.x_weights
    v = (H - weights.y_mean) @ weights.y_weights
    for k in range(2):
        assert np.corrcoef(u[:, k], v[:, k])[0, 1] == pytest.approx(
            weights.correlations[k], abs=1e-6
        )
        assert np.var(u[:, k]) == pytest.approx(1.0, abs=1e-6)


def test_duplicates_and_rank(rng):
    X = np.repeat(rng.normal(size=(4, 2)), 3, axis=0)
    choice = correlation_pursuit(*_views(X, X), 12)
    assert choice.centers.tolist()[0] == 0, "all cosines are 1: the first is taken"
    assert len(choice.centers) == 4
    np.testing.assert_allclose(choice.scores, 1.0, atol=1e-9)
