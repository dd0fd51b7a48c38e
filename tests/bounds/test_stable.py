"""Stable schemes: the closed form of the sum against the sum itself."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.bounds import stable_bound, stable_risk
from tests.oracles import bounds as oracle

PRINTED = [
    (0, 100, 0.05, 0.04386477817352748),
    (3, 615, 0.05, 0.01725757203716596),
    (18, 615, 0.05, 0.053150069964078006),
    (58, 615, 0.05, 0.13360598142336388),
    (144, 691, 0.05, 0.2593637107364734),
    (10, 1000, 1e-6, 0.03843960855710577),
]


@pytest.mark.parametrize(("k", "n", "delta", "value"), PRINTED)
def test_printed(k, n, delta, value):
    assert stable_bound(n, k, delta=delta).risk == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("log_delta", [-1e-2, -0.5, -3.0, -30.0, -2000.0])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 7), (1, 7), (6, 7), (3, 40), (20, 40), (5, 300)])
def test_matches_the_sum(k, n, log_delta):
    """Outside the root of the explicit sum, and by a relative 1e-9 at most."""
    risk = mp.mpf(stable_risk(k, n, log_delta))
    if risk < 1:
        assert oracle.stable_sum(risk, k, n, log_delta) >= 1
        assert oracle.stable_sum(risk * (1 - mp.mpf("1e-9")), k, n, log_delta) <= 1
    else:
        assert oracle.stable_sum(1 - mp.mpf("1e-14"), k, n, log_delta) <= 1


def test_matches_the_oracles_root():
    assert stable_risk(4, 60, -2.0) == pytest.approx(float(oracle.stable_risk(4, 60, -2.0)))


def test_never_below_where_delta_is_next_to_one():
    assert stable_risk(0, 10, -1e-7) >= oracle.stable_risk(0, 10, -1e-7)
    assert stable_risk(2, 10, -1e-9) >= oracle.stable_risk(2, 10, -1e-9)


@settings(max_examples=40)
@given(st.integers(1, 10**6), st.data(), st.floats(-1e5, -1e-3))
def test_monotone(n, data, log_delta):
    k = data.draw(st.integers(0, n - 1))
    risk = stable_risk(k, n, log_delta)
    slack = 1 + 1e-9
    assert k / n <= risk <= 1.0
    assert risk <= stable_risk(k + 1, n, log_delta) * slack
    assert risk >= stable_risk(k, n + 1, log_delta) / slack
    assert risk <= stable_risk(k, n, 2 * log_delta) * slack


def test_a_billion_examples():
    assert 1e-6 < stable_risk(1000, 10**9, -3.0) < 1.3e-6


def test_choice_among_models_divides_delta():
    assert stable_bound(615, 58, n_choices=10).risk == stable_bound(615, 58, delta=0.005).risk
    certificate = stable_bound(615, 58, n_choices=10)
    assert certificate.nats == pytest.approx(math.log(10 / 0.05))
    assert certificate.delta == 0.05


def test_everything_kept_is_vacuous():
    assert stable_bound(5, 5).is_vacuous
    assert stable_bound(1, 1).is_vacuous
    assert not stable_bound(5, 0).is_vacuous


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stable_risk(6, 5, -1.0), "`n_compressed` must be at most 5"),
        (lambda: stable_risk(1, 5, 0.0), "`log_delta` must be in"),
        (lambda: stable_risk(1, 0, -1.0), "`n_samples` must be at least 1"),
        (lambda: stable_bound(5, 1, n_choices=0), "`n_choices` must be at least 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
