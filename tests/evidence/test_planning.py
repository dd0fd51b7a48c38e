"""What is planned against what is obtained in simulation, within a tenth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from handful.evidence import (
    PlanDisplay,
    Watch,
    WatchState,
    alarm_delay,
    area_rows_needed,
    auc_limits,
    planned_area,
    rate_rows_needed,
    score_rows_needed,
    subgroup_rows_needed,
    watch_batch,
)
from tests.oracles import evidence as oracle


def test_a_score(rng):
    n = score_rows_needed(0.25, 0.2)
    found = [oracle.upper_rate(k, n, 0.05) for k in rng.binomial(n, 0.2, 400)]
    assert np.median(found) == pytest.approx(0.25, rel=0.1)
    assert score_rows_needed(0.25, 0.2, n_scores=3) > n


def test_a_sensitivity(rng):
    n = rate_rows_needed(0.8, 0.9, share=0.2)
    cases = rng.binomial(n, 0.2, 400)
    hits = rng.binomial(cases, 0.9)
    pairs = zip(hits, cases, strict=True)
    found = [oracle.lower_rate(k, m, 0.05 * 0.25 / 4) for k, m in pairs]
    assert np.median(found) == pytest.approx(0.8, rel=0.1)


def test_an_area(rng):
    n = area_rows_needed(0.7, 0.8, prevalence=0.3)
    assert planned_area(n, 0.8, prevalence=0.3) >= 0.7 - 1e-9
    assert planned_area(n - 10, 0.8, prevalence=0.3) < 0.7
    gap, found = norm.ppf(0.8) * math.sqrt(2), []
    for _ in range(60):
        case = rng.random(n) < 0.3
        values = rng.normal(size=n) + gap * case
        found.append(auc_limits(values[case], values[~case], delta=0.005).lower)
    assert np.median(found) == pytest.approx(0.7, rel=0.1)


def test_an_alarm(rng):
    planned, found = alarm_delay(0.1, 0.2, n_claims=3), []
    for _ in range(600):
        watch = Watch(claim=0.1, alpha=0.05 / 3)
        state = watch_batch(watch, WatchState(), rng.random(1000) < 0.2)[0]
        found.append(state.alarm_at or math.inf)
    assert np.median(found) == pytest.approx(planned, rel=0.1)


def test_a_subgroup_needs_more_the_smaller_it_is():
    few = subgroup_rows_needed(0.9, prevalence=0.2, share=0.5)
    many = subgroup_rows_needed(0.9, prevalence=0.2, share=0.1)
    assert many == pytest.approx(5 * few, rel=0.01)


def test_bad_guesses():
    with pytest.raises(ValueError, match="`target` must be below what is expected"):
        area_rows_needed(0.9, 0.8, prevalence=0.2)
    with pytest.raises(ValueError, match="`risk` must be above the claim"):
        alarm_delay(0.2, 0.1)
    with pytest.raises(ValueError, match="`share` must be in"):
        rate_rows_needed(0.8, 0.9, share=0.0)


def test_the_curve_is_a_frame():
    display = PlanDisplay.of("AUC", lambda n: planned_area(n, 0.8, prevalence=0.3), [100, 400])
    first, second = display.frame()["limit"]
    assert first < second < 0.8
