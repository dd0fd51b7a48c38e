"""Kernels from short specifications: normalisation, views, and what is refused."""

import numpy as np
import pytest

from handful.boosting import LPBoostMKL
from handful.boosting.kernel_matrices import make_kernels


def _toy():
    i = np.arange(1, 13)
    X = np.column_stack([np.sin(i), np.cos(2 * i)])
    return X, np.sign(np.sin(i) + 0.5 * np.cos(2 * i))


def test_normalised_kernels_do_not_depend_on_scale(rng):
    X = rng.normal(size=(40, 3)) + 1.0
    y = np.where(X[:, 0] > X[:, 1], 1, -1)
    scores = LPBoostMKL(["linear"], nu=0.3).fit(X, y).decision_function(X)
    again = LPBoostMKL(["linear"], nu=0.3).fit(1e6 * X, y).decision_function(1e6 * X)
    np.testing.assert_allclose(again, scores, atol=1e-9)
    plain = LPBoostMKL(["linear"], nu=0.3, equal_variance=False).fit(X, y).decision_function(X)
    assert np.all(np.abs(plain) <= 1.0 + 1e-12)


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ("rbf", "`kernels` must be a list of at least one kernel"),
        ([], "`kernels` must be a list of at least one kernel"),
        (["precomputed"], "`kernels` must be computed from X"),
        ([{"gamma": 1.0}], "an entry without 'kernel'"),
        ([{"kernel": "rbf", "columns": [7]}], r"`columns` of a kernel must be in \[0, 2\)"),
        ([lambda X, Z: np.full((len(X), len(Z)), np.nan)], r"kernel 0 \(callable\) must give fin"),
        ([lambda X, Z: -(X @ Z.T)], "must be positive semi-definite, got the eigenvalue"),
        ([lambda X, Z: X[:, :1] - Z[:, 0] + 1.0], "must be symmetric"),
    ],
)
def test_bad_kernels(kernels, message):
    X, y = _toy()
    with pytest.raises(ValueError, match=message):
        LPBoostMKL(kernels, normalise=False).fit(X, y)


@pytest.mark.parametrize("spec", ["linear", {"kernel": "poly", "degree": 2, "coef0": 1.0}, "rbf"])
def test_normalised_kernel_has_a_unit_diagonal(rng, spec):
    X, Z = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    X[0] = 0.0
    kernel = make_kernels([spec], 3, normalise=True)[0]
    diagonal = np.diagonal(kernel(X))
    np.testing.assert_allclose(diagonal[1:], 1.0)
    assert diagonal[0] in (0.0, 1.0)
    assert np.abs(kernel(X, Z)).max() <= 1.0 + 1e-12
    np.testing.assert_allclose(kernel(X, Z), kernel(Z, X).T)
    plain = make_kernels([spec], 3, normalise=False)[0]
    np.testing.assert_allclose(
        kernel(X[1:], Z),
        plain(X[1:], Z) / np.sqrt(np.outer(np.diagonal(plain(X[1:])), np.diagonal(plain(Z)))),
    )


def test_views_look_at_their_columns_only(rng):
    X = rng.normal(size=(5, 3))
    kernel = make_kernels([{"kernel": "rbf", "gamma": 1.0, "columns": [2]}], 3, normalise=True)[0]
    other = X.copy()
    other[:, :2] = 0.0
    np.testing.assert_array_equal(kernel(X), kernel(other))
