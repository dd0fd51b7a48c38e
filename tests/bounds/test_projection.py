"""Matching pursuit, sparse kernel PCA, the perceptron and code lengths."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import (
    SPARSE_PCA_METHODS,
    binomial_tail_inverse,
    code_length_bound,
    matching_pursuit_bound,
    perceptron_bound,
    sparse_pca_bound,
)
from tests.oracles import bounds as oracle

HAIR = 1 + mp.mpf("1e-9")


def test_printed_matching_pursuit():
    certificate = matching_pursuit_bound(1000, 10, 50)
    assert sum(term.nats for term in certificate.terms) == pytest.approx(1.068261216, abs=1e-9)
    assert certificate.is_vacuous


@pytest.mark.parametrize(("m", "d", "t"), [(10**5, 10, 50), (10**4, 1, 0), (10**6, 300, 7)])
def test_matching_pursuit_matches_the_formula(m, d, t):
    value = mp.mpf(matching_pursuit_bound(m, d, t, delta=0.01).risk)
    exact = oracle.matching_pursuit(m, d, t, 0.01)
    assert exact <= value <= exact * HAIR


@given(st.integers(1, 500), st.data())
def test_matching_pursuit_with_many_centres_is_vacuous(m, data):
    """Where fewer examples are left than centres the count of classes does not hold."""
    d = data.draw(st.integers(1, m))
    t = data.draw(st.integers(0, m - d))
    certificate = matching_pursuit_bound(m, d, t)
    total = math.fsum(term.nats for term in certificate.terms)
    assert bool(certificate.terms) == (2 * (m - d - t) > d)
    assert certificate.risk == pytest.approx(min(1.0, total) if total else 1.0, rel=1e-12)
    if m - d - t <= d:
        assert certificate.is_vacuous


PRINTED = [("hoeffding", 0.229549780), ("published", 0.233468733), ("kl", 0.166902322)]


@pytest.mark.parametrize(("method", "value"), PRINTED)
def test_printed_sparse_pca(method, value):
    assert sparse_pca_bound(1000, 10, 0.05, method=method).risk == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("method", SPARSE_PCA_METHODS)
@pytest.mark.parametrize("limit", [1.0, 0.3, 12.0])
@pytest.mark.parametrize(("m", "t", "q"), [(1, 0, 0.5), (200, 0, 0.1), (200, 30, 0.0)])
def test_sparse_pca_matches_the_formula(method, limit, m, t, q):
    certificate = sparse_pca_bound(m, t, q * limit, max_residual=limit, method=method)
    exact = oracle.sparse_pca(m, t, q * limit, limit, 0.05, method)
    exact = min(mp.mpf(limit), exact)
    assert exact <= mp.mpf(certificate.risk) <= exact * HAIR
    assert certificate.bound == "sparse-pca"
    assert sparse_pca_bound(5, 5, 0.0, max_residual=limit, method=method).risk == limit


def test_printed_perceptron():
    certificate = perceptron_bound(1000, 20)
    assert certificate.risk == pytest.approx(0.102090000, abs=1e-9)
    nats = float(oracle.log_coefficient(1000, 20)) + math.log(1000) - math.log(0.05)
    assert certificate.nats == pytest.approx(nats)
    assert nats / 980 == pytest.approx(0.107685438, abs=1e-9)


def test_perceptron_that_did_not_converge_pays_for_its_passes():
    certificate = perceptron_bound(200, 10, n_errors=4, n_passes=3)
    nats = float(oracle.log_coefficient(200, 10)) + math.log(200) - math.log(0.05)
    nats += math.log(math.pi**2 / 6 * 9)
    assert certificate.risk == pytest.approx(float(binomial_tail_inverse(4, 190, -nats)))
    assert certificate.assumes("any-passes")
    assert perceptron_bound(200, 10).assumes("converged")
    total = sum(math.exp(-math.log(math.pi**2 / 6 * p**2)) for p in range(1, 10**5))
    assert total <= 1.0


def run_perceptron(X, y, order, n_passes):
    w, updated = np.zeros(X.shape[1]), set()
    for _ in range(n_passes):
        for i in order:
            if y[i] * (X[i] @ w) <= 0:
                w = w + y[i] * X[i]
                updated.add(i)
    return w, sorted(updated)


@pytest.mark.parametrize("n_passes", [1, 2, 50])
def test_perceptron_is_rebuilt_from_its_updates(n_passes, rng):
    """The scheme behind the bound: rerunning on the examples updated on gives the same weights."""
    X = rng.integers(-5, 6, size=(40, 3)).astype(float)
    y = np.where(rng.normal(scale=0.5, size=40) < X @ [1.0, -2.0, 0.5], 1, -1)
    w, updated = run_perceptron(X, y, range(40), n_passes)
    again, _ = run_perceptron(X, y, updated, n_passes)
    np.testing.assert_array_equal(w, again)


def test_printed_code_length():
    assert code_length_bound(100, 500, exact=False).risk == pytest.approx(0.208643856, abs=1e-9)


@pytest.mark.parametrize("m", [1, 2, 9, 60])
@pytest.mark.parametrize("bits", [0, 1, 7, 50, 200])
def test_code_length_matches_rational_arithmetic(m, bits):
    for delta in (0.05, 0.3, 0.9):
        exact = oracle.code_length(bits, m, delta, exact=True)
        assert code_length_bound(bits, m, delta=delta).risk == pytest.approx(float(exact))
        simple = min(mp.mpf(1), oracle.code_length(bits, m, delta, exact=False))
        value = mp.mpf(code_length_bound(bits, m, delta=delta, exact=False).risk)
        assert simple <= value <= simple * HAIR


@given(st.integers(0, 500), st.integers(1, 2000), st.floats(1e-6, 0.999))
def test_exact_code_length_is_below_the_simple_one(bits, m, delta):
    exact = code_length_bound(bits, m, delta=delta).risk
    assert exact <= code_length_bound(bits, m, delta=delta, exact=False).risk
    assert exact <= code_length_bound(bits + 1, m, delta=delta).risk


def test_bits_are_rounded_up():
    assert code_length_bound(99.2, 500).risk == code_length_bound(100, 500).risk


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: matching_pursuit_bound(10, 0, 0), "`n_centers` must be at least 1"),
        (lambda: matching_pursuit_bound(10, 4, 7), "`n_errors` must be at most 6"),
        (lambda: sparse_pca_bound(10, 11, 0.1), "`n_centers` must be at most 10"),
        (lambda: sparse_pca_bound(10, 1, 1.1), "`mean_residual` must be in"),
        (lambda: sparse_pca_bound(10, 1, 0.1, method="x"), "`method` must be one of"),
        (lambda: sparse_pca_bound(10, 1, 0.1, max_residual=0.0), "`max_residual` must be in"),
        (lambda: perceptron_bound(10, 11), "`n_updates` must be at most 10"),
        (lambda: perceptron_bound(10, 3, n_errors=1), "`n_passes` must be given"),
        (lambda: perceptron_bound(10, 3, n_errors=8, n_passes=1), "`n_errors` must be at most 7"),
        (lambda: perceptron_bound(10, 3, n_passes=0), "`n_passes` must be at least 1"),
        (lambda: code_length_bound(-1, 10), "`code_bits` must be in"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
