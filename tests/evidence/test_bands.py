"""Bands, area and ledger: against slow twins, other libraries, and as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, norm
from sklearn.metrics import roc_auc_score

from handful.evidence import (
    auc_limits,
    delong_estimate,
    evidence_ledger,
    local_level,
    rate_limits,
    survival_band,
)
from tests.chance import n_allowed
from tests.oracles import bounds as bound_oracle
from tests.oracles import evidence as oracle

SCORES = st.lists(st.integers(0, 8), min_size=2, max_size=20)


@pytest.mark.parametrize(("n", "value"), [(30, 0.02306), (200, 0.01120), (1000, 0.00725)])
def test_published_levels(n, value):
    assert local_level(n, 0.2) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize("n", [2, 3, 7, 25])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.2, 0.7])
def test_level_against_binomial_counts(n, delta):
    level = local_level(n, delta)
    assert oracle.band_miss(n, level) <= delta
    assert oracle.band_miss(n, level * (1 + 1e-6)) > delta * (1 - 1e-7)


@pytest.mark.parametrize("n", [1600, 60_000])
def test_many_rows_get_a_level_on_the_safe_side(n):
    level = local_level(n, 0.2)
    assert 0.2 / n <= level < local_level(1500, 0.2)


def test_blocks_lose_little():
    """Order statistics are taken together beyond 1500 rows; the levels join."""
    assert local_level(1501, 0.2) > 0.97 * local_level(1500, 0.2)


@given(scores=SCORES, delta=st.sampled_from([0.01, 0.2]))
def test_band_is_clopper_pearson_at_the_local_level(scores, delta):
    both = survival_band(scores, delta=delta, at=np.arange(-1, 10))
    n, level = len(scores), local_level(len(scores), delta / 2)
    for t, lower, upper in zip(both.thresholds, both.lower, both.upper, strict=True):
        k = sum(score >= t for score in scores)
        assert lower == pytest.approx(oracle.lower_rate(k, n, level), abs=1e-9)
        assert upper == pytest.approx(oracle.upper_rate(k, n, level), abs=1e-9)
        assert lower <= oracle.lower_rate(k, n, level) + 1e-15
    assert (np.diff(both.lower) <= 0).all()
    assert (np.diff(both.upper) <= 0).all()


def _band_misses(rng, n_draws, delta, side, atoms, n=40, level=None):
    """Draws in which the band misses P(score >= t) at some threshold."""
    missed = 0
    for _ in range(n_draws):
        scores = rng.random(n)
        if atoms:
            scores = np.ceil(scores * atoms) / atoms
        band = survival_band(scores, delta=level or delta, side=side)
        true = 1.0 - band.thresholds + (1.0 / atoms if atoms else 0.0)
        if side == "above" and not atoms:
            # The largest miss is just above a score, at the limit of the next threshold.
            true = np.append(1.0, true[:-1])
        wrong = band.lower > true + 1e-12 if side == "below" else band.upper < true - 1e-12
        missed += bool(wrong.any())
    return missed


@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("atoms", [0, 5])
def test_band_holds_as_often_as_it_says(side, atoms, rng):
    missed = _band_misses(rng, 400, 0.2, side, atoms)
    assert missed <= n_allowed(400, 0.2)
    if not atoms:
        assert missed >= 400 * 0.2 / 4  # exact, so not loose


@pytest.mark.thorough
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_band_holds_at_length(side, delta, rng):
    missed = _band_misses(rng, 2000, delta, side, 0)
    assert 2000 * delta / 4 <= missed <= n_allowed(2000, delta)


def test_single_limits_are_no_band(rng, monkeypatch):
    """The simulation has power: limits at the full level miss at some threshold."""
    monkeypatch.setattr("handful.evidence.bands.local_level", lambda n, delta: delta)
    assert _band_misses(rng, 400, 0.2, "below", 0) > 2 * n_allowed(400, 0.2)


def test_rate_limits_are_clopper_pearson():
    found = rate_limits(8, 10, delta=0.1)
    assert found.lower == pytest.approx(beta.ppf(0.05, 8, 3), rel=1e-9)
    assert found.upper == pytest.approx(beta.isf(0.05, 9, 2), rel=1e-9)
    assert (rate_limits(0, 0).lower, rate_limits(0, 0).upper) == (0.0, 1.0)


@given(cases=SCORES, others=SCORES)
def test_area_against_pairs(cases, others):
    found, n = auc_limits(cases, others, delta=0.1), min(len(cases), len(others))
    area = oracle.area(cases, others)
    nats = math.log(20.0) / n
    assert found.estimate == pytest.approx(area, abs=1e-12)
    y = [1] * len(cases) + [0] * len(others)
    assert found.estimate == pytest.approx(roc_auc_score(y, cases + others), abs=1e-12)
    assert found.upper == pytest.approx(float(bound_oracle.kl_inverse(area, nats)), abs=1e-9)
    assert found.lower == pytest.approx(
        1 - float(bound_oracle.kl_inverse(1 - area, nats)), abs=1e-9
    )
    spread = math.sqrt(oracle.delong_variance(cases, others)) * norm.isf(0.05)
    estimate = delong_estimate(cases, others, delta=0.1)
    assert not estimate.is_guaranteed
    assert estimate.lower == pytest.approx(max(0.0, area - spread), abs=1e-9)


def test_area_holds_as_often_as_it_says(rng):
    true, missed = norm.cdf(0.8 / math.sqrt(2)), 0
    widths = []
    for _ in range(500):
        found = auc_limits(rng.normal(0.8, 1, 12), rng.normal(0, 1, 30), delta=0.5)
        missed += not found.lower <= true <= found.upper
        widths.append(found.upper - found.lower)
    assert 0 < missed <= n_allowed(500, 0.5)
    assert np.mean(widths) < 0.45


def test_area_of_pairs_taken_for_independent_fails(rng):
    """The simulation has power: n1 * n0 pairs are not so many independent numbers."""
    true = norm.cdf(0.8 / math.sqrt(2))
    areas = [oracle.area(rng.normal(0.8, 1, 12), rng.normal(0, 1, 30)) for _ in range(200)]
    from handful.bounds import kl_inverse

    wrong = [1 - float(kl_inverse(1 - a, math.log(20.0) / 360)) > true for a in areas]
    assert sum(wrong) > 2 * n_allowed(200, 0.05)


@settings(max_examples=30)
@given(cases=SCORES, others=SCORES, threshold=st.floats(-1, 10))
def test_ledger_against_its_formulas(cases, others, threshold):
    ledger = evidence_ledger(cases, others, delta=0.2)
    levels = {
        "sensitivity": local_level(len(cases), 0.05),
        "specificity": local_level(len(others), 0.05),
        "prevalence": 0.05,
    }
    row, at = oracle.ledger_row(cases, others, threshold, levels), ledger.index(threshold)
    assert ledger.n_true_positives[at] == row["tp"]
    assert ledger.n_false_positives[at] == row["fp"]
    assert ledger.sensitivity_lower[at] == pytest.approx(row["sens"], abs=1e-9)
    assert ledger.specificity_lower[at] == pytest.approx(row["spec"], abs=1e-9)
    assert ledger.ppv_lower()[at] == pytest.approx(row["ppv"], abs=1e-8)
    assert ledger.npv_lower()[at] == pytest.approx(row["npv"], abs=1e-8)
    benefit, n = ledger.net_benefit([0.2], threshold=threshold), len(cases) + len(others)
    assert benefit.estimate[0] == pytest.approx(row["tp"] / n - row["fp"] / n / 4, abs=1e-12)
    all_treated = len(cases) / n - len(others) / n / 4
    assert benefit.over_all[0] == pytest.approx(benefit.estimate[0] - all_treated, abs=1e-12)
    low, high = row["low"], row["high"]
    expected = low * row["sens"] - (1 - low) * (1 - row["spec"]) / 4
    assert benefit.lower[0] == pytest.approx(expected, abs=1e-8)
    expected = (1 - high) * row["spec"] / 4 - high * (1 - row["sens"])
    assert benefit.over_all_lower[0] == pytest.approx(expected, abs=1e-8)
    assert (ledger.positive_ratio_lower() >= 0).all()
    assert len({len(column) for column in ledger.columns().values()}) == 1


def _ledger_misses(rng, n_draws, delta, n=80, share=0.4):
    """Draws in which some limit of the ledger is wrong, for normal scores."""
    p = np.linspace(0.05, 0.9, 40)
    missed = {"rates": 0, "values": 0, "benefit": 0}
    for _ in range(n_draws):
        y = rng.random(n) < share
        y[:2] = True, False
        scores = rng.normal(y * 1.0, 1.0)
        ledger = evidence_ledger(scores[y], scores[~y], delta=delta)
        # A threshold just above a listed one has the limits of the next one.
        t = ledger.thresholds[:-1]
        sens, spec = norm.sf(t - 1.0), norm.cdf(t)
        edge = np.append(0.0, spec[:-1])
        rates = (ledger.sensitivity_lower[:-1] > sens) | (ledger.specificity_lower[:-1] > edge)
        ppv = share * sens / (share * sens + (1 - share) * (1 - spec))
        # Net benefit of the rule "score at least its quantile": any threshold may be picked.
        at = norm.ppf(p)
        true = share * norm.sf(at - 1.0) - (1 - share) * p / (1 - p) * norm.sf(at)
        lower = [ledger.net_benefit([q], threshold=c).lower[0] for q, c in zip(p, at, strict=True)]
        missed["rates"] += bool(rates.any())
        missed["values"] += bool((ledger.ppv_lower()[:-1] > ppv).any())
        missed["benefit"] += bool((np.asarray(lower) > true).any())
    return missed


def test_ledger_holds_as_often_as_it_says(rng):
    missed = _ledger_misses(rng, 150, 0.4)
    assert max(missed.values()) <= n_allowed(150, 0.4)
    assert missed["rates"] >= 150 * 0.4 / 4


@pytest.mark.thorough
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_ledger_holds_at_length(delta, rng):
    missed = _ledger_misses(rng, 2000, delta)
    assert max(missed.values()) <= n_allowed(2000, delta)
    assert missed["rates"] >= 2000 * delta / 4


def test_case_control_rows_have_no_predictive_values():
    ledger = evidence_ledger([3, 4, 5], [1, 2, 3], case_control=True)
    assert ledger.is_case_control
    assert "ppv_lower" not in ledger.columns()
    level = local_level(3, 0.025)
    assert ledger.sensitivity_lower[0] == pytest.approx(oracle.lower_rate(3, 3, level), abs=1e-9)
    for ask in (ledger.ppv_lower, ledger.npv_lower, lambda: ledger.net_benefit([0.2])):
        with pytest.raises(ValueError, match="case-control rows say nothing about the prevalence"):
            ask()


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([], "`cases` must be a non-empty sequence of numbers"),
        ([1.0, float("nan")], r"`cases` must hold finite numbers, got nan in row 1"),
    ],
)
def test_bad_scores_are_named(cases, message):
    with pytest.raises(ValueError, match=message):
        evidence_ledger(cases, [1.0])
    with pytest.raises(TypeError, match="`cases` must hold numbers"):
        auc_limits(["high"], [1.0])
