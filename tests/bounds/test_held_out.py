"""Bounds from data set aside."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from handful.bounds import (
    binomial_tail_inverse,
    conformal_p_value,
    disagreement_bound,
    dkw_deviation,
    held_out_bound,
    selective_error_bound,
)
from tests.oracles import bounds as oracle


def test_printed_held_out():
    assert held_out_bound(100, 0).risk == pytest.approx(0.0295130496, abs=1e-10)
    assert held_out_bound(612, 15).risk == pytest.approx(0.0374904320, abs=1e-10)


def test_printed_thresholds_at_low_counts():
    """A union over 110 models and 50 thresholds."""
    for j, value in ((0, 0.207184474), (2, 0.288417889)):
        assert held_out_bound(50, j, n_choices=110 * 50).risk == pytest.approx(value, abs=1e-9)


def test_held_out_is_clopper_pearson():
    for k, n in ((0, 5), (3, 40), (39, 40)):
        wanted = stats.binomtest(k, n).proportion_ci(0.9, method="exact").high
        assert held_out_bound(n, k).risk == pytest.approx(wanted, rel=1e-9)


def test_held_out_pays_for_every_model():
    certificate = held_out_bound(50, 4, n_choices=7, delta=0.1)
    assert certificate.nats == pytest.approx(math.log(70))
    exact = oracle.tail_inverse(4, 50, -mp.log(mp.mpf(7) / mp.mpf(0.1)))
    assert exact <= mp.mpf(certificate.risk) <= exact * (1 + mp.mpf("1e-9"))
    assert held_out_bound(5, 5).is_vacuous
    assert held_out_bound(1, 0, delta=math.nextafter(1.0, 0.0)).risk > 0.0


@pytest.mark.parametrize(("k", "n", "nats"), [(0, 40, 0.0), (5, 500, 1.2), (79, 80, 3.0)])
def test_disagreement_adds_two_limits_at_half_of_delta(k, n, nats):
    certificate = disagreement_bound(n, k, 0.125, message_nats=nats, delta=0.1)
    exact = mp.mpf("0.125") + oracle.tail_inverse(k, n, mp.log(mp.mpf(0.1) / 2) - mp.mpf(nats))
    assert min(mp.mpf(1), exact) <= mp.mpf(certificate.risk)
    assert mp.mpf(certificate.risk) <= exact * (1 + mp.mpf("1e-9"))
    assert certificate.risk == pytest.approx(min(1.0, sum(t.nats for t in certificate.terms)))
    assert certificate.assumes("unlabelled")


def test_disagreement_of_nobody_costs_what_a_held_out_set_without_errors_does():
    half = held_out_bound(300, 0, delta=0.025).risk
    assert disagreement_bound(300, 0, 0.1).risk == pytest.approx(0.1 + half, rel=1e-12)
    assert disagreement_bound(5, 5, 0.0).is_vacuous


@given(st.integers(1, 10**5), st.data(), st.floats(1e-6, 0.99))
def test_held_out_is_monotone(n, data, delta):
    k = data.draw(st.integers(0, n - 1))
    risk = held_out_bound(n, k, delta=delta).risk
    slack = 1 + 1e-9
    assert risk <= held_out_bound(n, k + 1, delta=delta).risk * slack
    assert risk >= held_out_bound(n + 1, k, delta=delta).risk / slack
    assert risk <= held_out_bound(n, k, delta=delta, n_choices=2).risk * slack
    assert risk == binomial_tail_inverse(k, n, math.log(delta))


def test_printed_deviations():
    assert dkw_deviation(50, n_choices=110) == pytest.approx(0.277420487, abs=1e-9)
    assert dkw_deviation(50, n_choices=110, two_sided=True) == pytest.approx(0.289643916, abs=1e-9)


def test_one_sided_deviation_needs_a_small_delta():
    """Massart's one-sided form holds for delta up to 1/2; above it both sides are paid."""
    assert dkw_deviation(10, delta=0.5) == pytest.approx(math.sqrt(math.log(2) / 20))
    assert dkw_deviation(10, delta=0.51) == dkw_deviation(10, delta=0.51, two_sided=True)
    assert dkw_deviation(10, delta=0.9, n_choices=2) < dkw_deviation(
        10, delta=0.9, n_choices=2, two_sided=True
    )
    assert dkw_deviation(1, delta=0.99) > math.sqrt(math.log(2) / 2)


def test_printed_p_values():
    """Six margins, f(x) = 0.3: three of them are at most 0.3, two at most -0.3."""
    margins = [-0.8, -0.3, 0.2, 0.5, 0.9, 1.4]
    for score, value in ((0.3, 4 / 7), (-0.3, 3 / 7)):
        count = sum(v <= score for v in margins)
        assert conformal_p_value(count, 6) == pytest.approx(value)
    assert conformal_p_value(0, 0) == 1.0


@pytest.mark.parametrize("n", [1, 6, 19])
def test_p_value_law_is_exact(n):
    """Without ties the rank is uniform: P(p <= epsilon) = floor(epsilon (n + 1)) / (n + 1)."""
    values = [conformal_p_value(j, n) for j in range(n + 1)]
    for epsilon in (0.01, 0.05, 0.142857, 0.2, 0.5, 1.0):
        share = sum(p <= epsilon for p in values) / (n + 1)
        assert share == pytest.approx(math.floor(epsilon * (n + 1)) / (n + 1))
        assert share <= epsilon


@pytest.mark.parametrize(
    ("n", "selected", "errors"), [(2000, 1500, 30), (300, 300, 0), (300, 60, 3)]
)
def test_selective_error_matches_the_formula(n, selected, errors):
    certificate = selective_error_bound(n, selected, errors, delta=0.1)
    exact = min(mp.mpf(1), oracle.selective_error(n, selected, errors, 0.1))
    assert exact <= mp.mpf(certificate.risk) <= exact * (1 + mp.mpf("1e-9"))
    assert certificate.quantity.key == "accepted"


def test_selecting_next_to_nobody_is_vacuous():
    assert selective_error_bound(100, 0, 0).is_vacuous
    assert selective_error_bound(100, 5, 0).is_vacuous


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: held_out_bound(0, 0), "`n_samples` must be at least 1"),
        (lambda: held_out_bound(5, 6), "`n_errors` must be at most 5"),
        (lambda: disagreement_bound(5, 6, 0.1), "`n_disagreements` must be at most 5"),
        (lambda: disagreement_bound(5, 0, 1.5), "`certified_risk` must be in"),
        (lambda: disagreement_bound(5, 0, 0.1, message_nats=-1.0), "`message_nats`"),
        (lambda: dkw_deviation(0), "`n_samples` must be at least 1"),
        (lambda: dkw_deviation(5, delta=1.0), "`delta` must be in"),
        (lambda: dkw_deviation(5, n_choices=0), "`n_choices` must be at least 1"),
        (lambda: dkw_deviation(5, two_sided="yes"), "`two_sided` must be True or False"),
        (lambda: conformal_p_value(4, 3), "`n_at_most` must be at most 3"),
        (lambda: conformal_p_value(0, -1), "`n_calibration` must be at least 0"),
        (lambda: selective_error_bound(5, 6, 0), "`n_selected` must be at most 5"),
        (lambda: selective_error_bound(5, 3, 4), "`n_selected_errors` must be at most 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
