"""Binomial tails and relative entropy against 50-digit oracles, scipy and the printed vectors."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from handful.bounds import (
    binomial_tail_inverse,
    kl_divergence,
    kl_inverse,
    log_binomial_cdf,
    log_binomial_coefficient,
)
from tests.oracles import bounds as oracle

LOOSE = Fraction(1, 10**9)

COEFFICIENTS = [
    (615, 3, 17.468222662661447),
    (615, 18, 78.94258128933234),
    (691, 9, 45.98911758562872),
    (9, 3, 4.430816798843311),
]
TAILS = [
    (0, 100, math.log(0.05), 0.02951304960704082),
    (15, 612, math.log(0.05), 0.03749043196542744),
    (15, 612, -26.809086108, 0.09569885583746482),
    (15, 612, -22.3479496, 0.08670693712584815),
    (135, 682, -60.05078542, 0.3883661631489439),
    (612, 612, -5.0, 1.0),
    (3, 44, -21.0, 0.5008509439431428),
]
KL_INVERSES = [
    (0.1, 0.05, 0.2200786011069245),
    (0.0, 0.05, 0.04877057549928592),
    (0.024509803921568627, 0.04380569625490196, 0.09963926612371493),
]


@pytest.mark.parametrize(("n", "k", "value"), COEFFICIENTS)
def test_printed_coefficients(n, k, value):
    assert float(log_binomial_coefficient(n, k)) == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize(("k", "n", "log_delta", "value"), TAILS)
def test_printed_tail_inverses(k, n, log_delta, value):
    assert float(binomial_tail_inverse(k, n, log_delta)) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize(("q", "nats", "value"), KL_INVERSES)
def test_printed_kl_inverses(q, nats, value):
    assert float(kl_inverse(q, nats)) == pytest.approx(value, rel=1e-11)


def test_printed_kl_divergence():
    assert float(kl_divergence(0.1, 0.2)) == pytest.approx(0.036690014, abs=5e-10)


# ---- oracles -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10**5, 10**9])
def test_coefficient_is_exact_to_the_last_digits(n):
    for k in {0, 1, 2, n // 3, n // 2, n - 2, n - 1, n}:
        if 0 <= k <= n:
            exact = oracle.log_coefficient(n, k)
            assert float(log_binomial_coefficient(n, k)) == pytest.approx(
                float(exact), rel=3e-15, abs=3e-14
            )
    assert log_binomial_coefficient(n, n + 1) == -math.inf
    assert log_binomial_coefficient(n, -1) == -math.inf


@pytest.mark.parametrize("n", [1, 5, 60, 3000, 10**6])
@pytest.mark.parametrize("p", [1e-12, 0.001, 0.3, 0.5, 0.97, 1 - 2**-40])
def test_log_cdf_matches_the_exact_sum(n, p):
    for k in {0, 1, n // 10, n // 2, n - 1}:
        if k < n:
            exact = oracle.log_binomial_cdf(k, n, p)
            # relative, because a log-probability near 0 stands for a small upper tail
            assert float(log_binomial_cdf(k, n, p)) == pytest.approx(float(exact), rel=2e-12)


def test_log_cdf_edges():
    assert log_binomial_cdf(5, 5, 0.3) == 0.0
    assert log_binomial_cdf(2, 5, 0.0) == 0.0
    assert log_binomial_cdf(2, 5, 1.0) == -math.inf
    assert log_binomial_cdf(5, 5, 1.0) == 0.0
    assert log_binomial_cdf(-1, 5, 0.3) == -math.inf


def is_outward_and_tight(k, n, log_delta):
    """Whether the inverse is at or above the exact limit, by a relative 1e-9 at most."""
    p = float(binomial_tail_inverse(k, n, log_delta))
    if p == 1.0:  # the limit is 1 up to rounding
        return oracle.log_binomial_cdf(k, n, 1 - Fraction(1, 10**14)) >= log_delta
    is_outside = oracle.log_binomial_cdf(k, n, p) <= log_delta
    return is_outside and oracle.log_binomial_cdf(k, n, Fraction(p) * (1 - LOOSE)) > log_delta


@pytest.mark.parametrize("log_delta", [-1e-9, -1e-4, -0.5, -3.0, -40.0, -800.0, -1e6])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 44, 615, 20_000])
def test_tail_inverse_is_never_below_and_hardly_above(n, log_delta):
    for k in {0, 1, 2, n // 50, n // 3, n // 2, n - 2, n - 1}:
        if 0 <= k < n:
            assert is_outward_and_tight(k, n, log_delta), k


@pytest.mark.parametrize(
    ("k", "n", "log_delta"),
    [
        (0, 10**9, -1e-9),
        (0, 10**9, -1e6),
        (1, 10**9, -3.0),
        (10, 10**9, -3.0),  # the plain continued fraction cancels here
        (10, 10**9, -30.0),
        (5000, 10**9, -0.5),
        (10**9 - 1, 10**9, -3.0),
        (10**9 - 5, 10**9, -1e-9),
        (4 * 10**8, 10**9, -1e6),
        (5 * 10**8, 10**9, -60.0),
        (10**6 // 3, 10**6, -1.0),
        (10**6 // 3, 10**6, -1e-9),
    ],
)
def test_tail_inverse_with_very_many_examples(k, n, log_delta):
    assert is_outward_and_tight(k, n, log_delta)


@pytest.mark.slow
@pytest.mark.parametrize("log_delta", [-1e-9, -1e-3, -1.0, -3.0, -1e4])
@pytest.mark.parametrize("k", [10**7, 10**9 // 3, 10**9 // 2, 10**9 - 10**6])
def test_tail_inverse_near_the_middle_of_a_billion(k, log_delta):
    assert is_outward_and_tight(k, 10**9, log_delta)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (2, 9), (7, 30)])
def test_tail_inverse_matches_bisection(k, n):
    for log_delta in (-0.01, -2.0, -50.0):
        exact = oracle.tail_inverse(k, n, log_delta)
        got = mp.mpf(float(binomial_tail_inverse(k, n, log_delta)))
        assert exact <= got <= exact * (1 + mp.mpf("1e-11"))


def test_tail_inverse_matches_scipy(rng):
    n = rng.integers(1, 3000, 20_000)
    k = (n * rng.random(20_000)).astype(int)
    delta = rng.uniform(1e-12, 0.999, 20_000)
    ours = binomial_tail_inverse(k, n, np.log(delta))
    np.testing.assert_allclose(ours, stats.beta.isf(delta, k + 1, n - k), rtol=1e-9)


def test_tail_inverse_where_scipy_underflows():
    """Inverting scipy's log cdf gave 0.072 for a case like this; the truth is far above."""
    assert is_outward_and_tight(15, 612, -1000.0)
    assert float(binomial_tail_inverse(15, 612, -1000.0)) > 0.8


@pytest.mark.parametrize("q", [0.0, 1e-300, 1e-12, 0.01, 0.3, 0.5, 0.999, 1 - 2**-50])
def test_kl_inverse_is_never_below_and_hardly_above(q):
    for nats in (0.0, 1e-20, 1e-9, 0.01, 1.0, 30.0, 1e5):
        p = float(kl_inverse(q, nats))
        exact = oracle.kl_inverse(q, nats)
        assert exact <= p <= exact * (1 + mp.mpf("1e-9")) + 1e-320, nats
    assert kl_inverse(1.0, 0.1) == 1.0
    assert kl_inverse(q, math.inf) == 1.0


@pytest.mark.parametrize("p", [1e-12, 0.2, 0.5, 0.9])
def test_kl_divergence_matches_the_oracle(p):
    for q in (0.0, 1e-9, 0.1, 0.5, 0.95, 1.0):
        assert float(kl_divergence(q, p)) == pytest.approx(float(oracle.kl(q, p)), rel=1e-12)


def test_kl_divergence_edges():
    assert kl_divergence(0.0, 0.0) == 0.0
    assert kl_divergence(1.0, 1.0) == 0.0
    assert kl_divergence(0.5, 0.0) == math.inf
    assert kl_divergence(0.5, 1.0) == math.inf


# ---- properties ----------------------------------------------------------------------------

counts = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n)))
log_deltas = st.floats(-1e4, -1e-6)


@given(counts, log_deltas, st.floats(0.1, 100.0))
def test_tail_inverse_is_monotone(pair, log_delta, more):
    k, n = pair
    p = binomial_tail_inverse(k, n, log_delta)
    slack = 1 + 1e-11
    assert p <= binomial_tail_inverse(k + 1, n, log_delta) * slack
    assert p >= binomial_tail_inverse(k, n + 1, log_delta) / slack
    assert p <= binomial_tail_inverse(k, n, log_delta - more) * slack


@given(counts, log_deltas)
def test_binomial_below_kl_below_pinsker_and_binomial_below_closed_form(pair, log_delta):
    k, n = pair
    slack = 1 + 1e-11
    p, by_kl = binomial_tail_inverse(k, n, log_delta), kl_inverse(k / n, -log_delta / n)
    assert p <= by_kl * slack
    assert by_kl <= min(1.0, k / n + math.sqrt(-log_delta / (2 * n))) * slack
    closed = -math.expm1(-(float(log_binomial_coefficient(n, k)) - log_delta) / (n - k))
    assert p <= closed * slack


@given(counts, log_deltas)
def test_tail_inverse_inverts(pair, log_delta):
    k, n = pair
    p = float(binomial_tail_inverse(k, n, log_delta))
    if p < 1.0:
        assert log_binomial_cdf(k, n, p) <= log_delta * (1 - 1e-10)


@given(st.floats(0.0, 1.0), st.floats(0.0, 50.0))
def test_kl_inverse_inverts(q, nats):
    p = float(kl_inverse(q, nats))
    assert q <= p <= 1.0
    if p < 1.0:
        assert float(kl_divergence(q, p)) >= nats * (1 - 1e-10)
        assert float(kl_divergence(q, q + (p - q) * (1 - 1e-6))) <= nats + 1e-15


# ---- interface -----------------------------------------------------------------------------


def test_arrays_broadcast_and_scalars_stay_scalars():
    grid = binomial_tail_inverse(np.arange(4)[:, None], [10, 20, 30], -3.0)
    assert grid.shape == (4, 3)
    for i in range(4):
        for j, n in enumerate((10, 20, 30)):
            assert grid[i, j] == binomial_tail_inverse(i, n, -3.0)
    for value in (
        binomial_tail_inverse(1, 10, -1.0),
        log_binomial_cdf(1, 10, 0.5),
        kl_inverse(0.1, 0.2),
        kl_divergence(0.1, 0.2),
        log_binomial_coefficient(5, 2),
    ):
        assert isinstance(value, np.float64)  # not an array of no dimension
    assert binomial_tail_inverse([], [], []).shape == (0,)
    assert kl_inverse([0.1, 1.0], 0.1).shape == (2,)
    assert log_binomial_cdf([1, 2], 10, [[0.1], [0.2]]).shape == (2, 2)


def test_results_do_not_depend_on_company(rng):
    """A candidate's certificate is the same alone and among many (blocks, early leavers)."""
    n = rng.integers(1, 10**6, 20_000)
    k = (n * rng.random(20_000) ** 3).astype(int)
    log_delta = -(10.0 ** rng.uniform(-6, 4, 20_000))
    together = binomial_tail_inverse(k, n, log_delta)
    for i in rng.integers(0, 20_000, 60):
        assert together[i] == pytest.approx(
            float(binomial_tail_inverse(k[i], n[i], log_delta[i])), rel=1e-13
        )


def test_vacuous_where_nothing_is_left():
    assert binomial_tail_inverse(0, 0, -1.0) == 1.0
    assert binomial_tail_inverse(5, 5, -1.0) == 1.0
    assert binomial_tail_inverse(7, 5, -1.0) == 1.0
    assert binomial_tail_inverse(0, 5, -math.inf) == 1.0
    assert binomial_tail_inverse(0, 5, -1e308) == 1.0


def test_fractional_counts_lie_between_whole_ones():
    low, middle, high = binomial_tail_inverse([3, 3.5, 4], 50, -4.0)
    assert low < middle < high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binomial_tail_inverse(-1, 5, -1.0), "`n_errors` must be at least 0"),
        (lambda: binomial_tail_inverse(math.nan, 5, -1.0), "`n_errors` must be a number"),
        (lambda: binomial_tail_inverse(1, math.nan, -1.0), "`n_samples` must be a number"),
        (lambda: binomial_tail_inverse(1, math.inf, -1.0), "`n_samples` must be finite"),
        (lambda: binomial_tail_inverse(1, 5, 0.0), "`log_delta` must be negative"),
        (lambda: binomial_tail_inverse(1, 5, math.nan), "`log_delta` must be a number"),
        (lambda: binomial_tail_inverse("a", 5, -1.0), "`n_errors` must be numbers"),
        (lambda: log_binomial_cdf(1, 5, math.nan), "`p` must be a number"),
        (lambda: log_binomial_coefficient(math.nan, 5), "`n` must be a number"),
        (lambda: kl_inverse(1.1, 0.1), "`q` must be in"),
        (lambda: kl_inverse(0.1, -0.1), "`nats` must be at least 0"),
        (lambda: kl_inverse(0.1, math.nan), "`nats` must be a number"),
        (lambda: kl_divergence(-0.1, 0.5), "`q` must be in"),
        (lambda: kl_divergence(0.1, 1.5), "`p` must be in"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
