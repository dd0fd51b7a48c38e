"""Losses in a range, and randomised classifiers."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import REAL_LOSS_METHODS, kl_compression_bound, pac_bayes_bound, real_loss_bound
from tests.oracles import bounds as oracle

# q = 15/612, 612 examples outside, 26.809086108 nats
PRINTED = [
    ("kl-published", 1.0, 0.107132222),
    ("kl", 1.0, 0.099639266),
    ("catoni", 1.0, 0.104464628),
    ("catoni", 3.0, 0.116513742),
    ("linear", 0.5, 0.174621196),
]


@pytest.mark.parametrize(("method", "parameter", "value"), PRINTED)
def test_printed(method, parameter, value):
    nats = 26.809086108 + math.log(0.05)
    options = {"message_nats": nats, "size_nats": 0, "method": method, "parameter": parameter}
    certificate = real_loss_bound(612, 0, 15 / 612, **options)
    assert certificate.risk == pytest.approx(value, abs=1e-9)
    assert certificate.bound == "real-loss"
    assert method in certificate.explain()


@pytest.mark.parametrize("method", REAL_LOSS_METHODS)
@pytest.mark.parametrize("scale", [1.0, 0.001, 7.3])
@pytest.mark.parametrize(("m", "d", "q"), [(30, 2, 0.1), (500, 20, 0.0), (500, 0, 0.6)])
def test_matches_the_formulas(method, scale, m, d, q):
    options = {"message_nats": 2.0, "delta": 0.1, "method": method, "parameter": 0.8}
    certificate = real_loss_bound(m, d, q * scale, max_loss=scale, **options)
    nats, n = oracle.compression_nats(m, d, 2.0, 0.1), m - d
    share = mp.mpf(q * scale) / mp.mpf(scale)
    exact = mp.mpf(scale) * min(mp.mpf(1), oracle.real_loss(method, share, nats, n, 0.8))
    assert exact <= mp.mpf(certificate.risk) <= exact * (1 + mp.mpf("1e-9"))
    assert certificate.limit == scale


def test_zero_one_loss_is_the_kl_bound():
    ours = real_loss_bound(100, 3, 10 / 97, message_nats=1.0).risk
    assert ours == pytest.approx(kl_compression_bound(100, 3, 10, message_nats=1.0).risk, rel=1e-9)


@given(st.floats(0, 1), st.integers(1, 1000), st.floats(0, 50), st.sampled_from(REAL_LOSS_METHODS))
def test_scales_and_grows(q, m, nats, method):
    options = {"message_nats": nats, "method": method, "parameter": 0.7}
    one = real_loss_bound(m, 0, q, **options).risk
    four = real_loss_bound(m, 0, 4 * q, max_loss=4.0, **options).risk
    assert four == pytest.approx(4 * one, rel=1e-9)
    more = real_loss_bound(m, 0, q, **{**options, "message_nats": nats + 1}).risk
    assert one <= more * (1 + 1e-9)


def test_nothing_outside_is_vacuous():
    for method in REAL_LOSS_METHODS:
        certificate = real_loss_bound(5, 5, 0.0, method=method, max_loss=2.0)
        assert certificate.is_vacuous
        assert certificate.risk == 2.0


def test_printed_pac_bayes():
    assert pac_bayes_bound(614, 3, 14.5 / 611, 6.92).risk == pytest.approx(0.071234992, abs=1e-9)


@pytest.mark.parametrize(("m", "d"), [(1, 0), (40, 3), (2000, 10)])
def test_pac_bayes_matches_the_formula(m, d):
    for q, divergence in ((0.0, 0.0), (0.2, 3.0), (0.9, 0.5)):
        value = mp.mpf(pac_bayes_bound(m, d, q, divergence, delta=0.1).risk)
        exact = oracle.pac_bayes(m - d, q, divergence, 0.1)
        assert exact <= value <= exact * (1 + mp.mpf("1e-9"))


def test_vote_costs_a_factor_of_two():
    gibbs = pac_bayes_bound(500, 3, 0.05, 2.0)
    vote = pac_bayes_bound(500, 3, 0.05, 2.0, majority_vote=True)
    assert vote.risk == 2 * gibbs.risk
    assert "majority vote" in str(vote.quantity)
    assert "posterior" in str(gibbs.quantity)
    assert pac_bayes_bound(500, 3, 0.6, 2.0, majority_vote=True).risk == 1.0
    assert pac_bayes_bound(5, 5, 0.0, 0.0).is_vacuous


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean_loss": 1.1}, "`mean_loss` must be in"),
        ({"max_loss": 0.0}, "`max_loss` must be in"),
        ({"method": "best"}, "`method` must be one of"),
        ({"parameter": 0.0}, "`parameter` must be in"),
    ],
)
def test_bad_input(change, message):
    values = {"n_samples": 9, "n_compressed": 1, "mean_loss": 0.5}
    with pytest.raises(ValueError, match=message):
        real_loss_bound(**{**values, **change})
