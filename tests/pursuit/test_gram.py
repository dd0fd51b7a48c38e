"""Pursuits from sums are pursuits on rows."""

import numpy as np
import pytest

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal_pursuit
from handful.pursuit.gram import GramSums, HeldCandidates, MomentSums, gram_pursuit


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("criterion", ["residual", "cosine"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_the_path_is_that_of_the_rows(rng, intercept, criterion, n_outputs):
    X, codes = rng.normal(size=(90, 2)), rng.integers(0, 5, 90)
    values = rng.normal(size=(5, n_outputs))
    kernel = make_kernel("rbf", gamma=0.5)
    options = {"intercept": intercept, "criterion": criterion}
    rows = orthogonal_pursuit(KernelColumns(kernel, X, np.arange(30)), values[codes], 10, **options)
    job = GramSums(HeldCandidates((kernel,), X[:30]), values)
    parts = [job(X[a], codes[a]) for a in (slice(0, 40), slice(40, 90))]
    G, B, ones, totals, squares, n = (a + b for a, b in zip(*parts, strict=True))
    path = gram_pursuit(G, B, ones, (totals, float(squares), int(n)), 10, **options)
    np.testing.assert_array_equal(path.centers, rows.centers)
    np.testing.assert_allclose(path.residual_squares, rows.residual_squares, rtol=1e-8)
    for size in (0, 1, 5, 10):
        for own, theirs in zip(
            path.coefficients(size, 0.1), rows.coefficients(size, 0.1), strict=True
        ):
            np.testing.assert_allclose(own, theirs, rtol=1e-6, atol=1e-9)


def test_equal_candidates_are_taken_once(rng):
    A = np.repeat(rng.normal(size=(20, 2)), 2, axis=1)
    Y = rng.normal(size=(20, 1))
    totals = (Y.sum(axis=0), float(np.vdot(Y, Y)), 20)
    path = gram_pursuit(A.T @ A, A.T @ Y, A.sum(axis=0), totals, 4)
    assert path.n_centers == 2
    assert set(path.centers) in ({0, 2}, {0, 3}, {1, 2}, {1, 3})


def test_scales_far_from_zero(rng):
    X = np.column_stack([1e6 + rng.normal(size=50), np.full(50, 7.0)])
    job = MomentSums(X[0])
    found = [a + b for a, b in zip(job(X[:20], None), job(X[20:], None), strict=True)]
    center, scale = job.scaling(found)
    np.testing.assert_allclose(center, X.mean(axis=0), rtol=1e-12)
    assert scale[0] == pytest.approx(X[:, 0].std(), rel=1e-9)
    assert scale[1] == 1.0
