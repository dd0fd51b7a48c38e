"""Kernels against explicit feature maps and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import KernelCenterer

from handful.codec import decode, encode
from handful.kernels import KERNELS, Kernel, center_kernel, make_kernel


@pytest.mark.parametrize("name", ["linear", "rbf", "poly"])
def test_matches_scikit_learn(name, rng):
    X, Z = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    kernel = make_kernel(name, gamma=0.3, degree=2, coef0=1.0)
    both = {"gamma": 0.3, "degree": 2, "coef0": 1.0}
    options = {"linear": {}, "rbf": {"gamma": 0.3}, "poly": both}[name]
    np.testing.assert_allclose(kernel(X, Z), pairwise_kernels(X, Z, metric=name, **options))
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)))


def test_callable_and_precomputed(rng):
    X = rng.normal(size=(6, 2))
    kernel = make_kernel(lambda A, B: (A @ B.T) ** 2)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)))
    K = kernel(X)
    assert make_kernel("precomputed")(K) is K
    assert "`kernel` must be named to be written" in kernel.why_closed


def test_centring_matches_explicit_features(rng):
    X = rng.normal(size=(8, 3))
    mean = X.mean(axis=0)
    np.testing.assert_allclose(center_kernel(X @ X.T), (X - mean) @ (X - mean).T, atol=1e-12)
    K = make_kernel("rbf", gamma=1.0)(X)
    np.testing.assert_allclose(center_kernel(K), KernelCenterer().fit_transform(K.copy()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbff"}, "`kernel` must be one of"),
        ({"kernel": "rbf", "gamma": -1.0}, "`gamma` must be a positive"),
        ({"kernel": "rbf", "gamma": "scale"}, "'scale' would read the data"),
        ({"kernel": "poly", "degree": 0}, "`degree` must be"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        make_kernel(**options)


def test_round_trip():
    assert "rbf" in KERNELS
    kernel = Kernel("rbf", gamma=0.1)
    assert decode(Kernel, encode(kernel), "kernel") == kernel
