"""Vapnik's theorem for a finite class against bisection in high precision."""

from __future__ import annotations

import math

import pytest
from mpmath import mp

from handful.bounds import compression_bound, finite_class_bound
from tests.oracles import bounds as oracle

HAIR = 1 + mp.mpf("1e-12")


@pytest.mark.parametrize("m", [1, 9, 60, 5000])
@pytest.mark.parametrize("bits", [0, 1.5, 7, 50])
def test_equals_bisection(m, bits):
    for delta in (0.05, 0.3, 0.9):
        for k in {0, m // 10, m // 2, m}:
            expected = min(mp.mpf(1), oracle.finite_class(bits, m, k, delta))
            value = mp.mpf(finite_class_bound(bits, m, n_errors=k, delta=delta).risk)
            assert expected / HAIR <= value <= expected * HAIR


def test_factor_two_multiplies_the_confidence_too():
    risk = finite_class_bound(100, 500).risk
    assert risk == pytest.approx(2 * (100 * math.log(2) + math.log(20)) / 500, abs=1e-12)
    printed = 2 * math.log(2) * 100 / 500 + math.log(20) / 500
    assert risk > printed + 0.005


@pytest.mark.parametrize("k", [0, 5, 40])
def test_exact_tail_is_never_worse(k):
    nats = 10 * math.log(2)
    exact = compression_bound(200, 0, k, message_nats=nats, size_nats=0.0).risk
    assert exact <= finite_class_bound(10, 200, n_errors=k).risk


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((-1, 10), "`class_bits` must be"), ((3, 0), "`n_samples` must be at least 1")],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        finite_class_bound(*arguments)
