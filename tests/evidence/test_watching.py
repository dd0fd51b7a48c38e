"""Evidence after deployment: capitals against slow twins, false alarms, delays."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.evidence import (
    Watch,
    WatchState,
    log_mixture_evidence,
    running_limits,
    watch_batch,
)
from tests.chance import n_allowed
from tests.oracles import evidence as oracle


@pytest.mark.parametrize(("k", "t"), [(0, 0), (3, 10), (24, 100), (60, 300), (1, 12)])
@pytest.mark.parametrize(("claim", "prior"), [(0.1, (2.0, 8.0)), (0.15, (1.0, 1.0))])
def test_mixture_against_quadrature(k, t, claim, prior):
    exact = float(oracle.mixture_evidence(k, t, claim, *prior))
    ours = float(log_mixture_evidence(k, t, claim=claim, prior=prior))
    assert ours <= math.log(exact)
    assert ours == pytest.approx(math.log(exact), abs=1e-5)


def test_evidence_far_below_the_claim_is_none():
    assert log_mixture_evidence(10, 10_000, claim=0.1) == -math.inf


@settings(max_examples=30)
@given(
    losses=st.lists(st.booleans(), min_size=1, max_size=25),
    claim=st.sampled_from([0.05, 0.1, 0.3]),
    cut=st.integers(0, 25),
)
def test_capitals_against_all_starting_points_in_any_batches(losses, claim, cut):
    watch = Watch(claim=claim, mixture_share=0.0, run_length=3.0, alpha=0.3)
    t = np.arange(1, len(losses) + 1)
    shares = 1 / np.log2(t + 1) - 1 / np.log2(t + 2)
    state, path = watch_batch(watch, WatchState(), losses)
    late = oracle.late_capital(losses, claim, watch.drifts(), shares)
    detector = oracle.late_capital(losses, claim, watch.drifts(), np.ones(len(losses)))
    assert path.log_evidence[-1] == pytest.approx(float(np.log(float(late))), abs=1e-5)
    assert path.log_detector[-1] == pytest.approx(float(np.log(float(detector))), abs=1e-5)
    assert path.log_evidence[-1] <= math.log(float(late))
    again = WatchState()
    for part in (losses[:cut], losses[cut:]):
        if part:
            again, _ = watch_batch(watch, again, part)
    assert (again.n_cases, again.n_errors) == (state.n_cases, state.n_errors)
    assert (again.late, again.detector) == (state.late, state.detector)
    assert (again.alarm_at, again.notice_at) == (state.alarm_at, state.notice_at)


def _alarms(rng, n_streams, watch, risk, n_cases, before=0):
    """Number of the alarm after ``before`` cases of the claimed risk; n_cases + 1 for none."""
    risks = np.where(np.arange(n_cases) < before, watch.claim, risk)
    found = [
        watch_batch(watch, WatchState(), rng.random(n_cases) < risks)[0] for _ in range(n_streams)
    ]
    return np.array([state.alarm_at or n_cases + 1 for state in found])


def test_false_alarms(rng):
    for share in (0.0, 0.6, 1.0):
        alarms = _alarms(rng, 300, Watch(claim=0.1, alpha=0.2, mixture_share=share), 0.1, 2000)
        assert np.sum(alarms <= 2000) <= n_allowed(300, 0.2)
        assert np.sum(alarms <= 2000) > 0


def test_late_alarms_at_the_price_of_one_start_fail(rng):
    """The simulation has power: at 1 / alpha the detector is no test."""
    watch = Watch(claim=0.1, run_length=20.0)
    states = [watch_batch(watch, WatchState(), rng.random(2000) < 0.1)[0] for _ in range(100)]
    assert sum(state.notice_at is not None for state in states) > 2 * n_allowed(100, 0.05)


def test_notices_are_as_rare_as_the_run_length_says(rng):
    states = [
        watch_batch(Watch(claim=0.1, run_length=5000.0), WatchState(), rng.random(1000) < 0.1)[0]
        for _ in range(300)
    ]
    assert sum(state.notice_at is not None for state in states) <= n_allowed(300, 0.2)


def test_late_drift_is_found_soon(rng):
    """After 2000 quiet cases; the mixture from the start alone needs more than 400."""
    watch = Watch(claim=0.1, alpha=0.05 / 3)
    late = _alarms(rng, 100, watch, 0.2, 4000, before=2000)
    assert np.median(late[late > 2000]) - 2000 <= 330
    slow = _alarms(rng, 100, replace(watch, mixture_share=1.0), 0.2, 4000, before=2000)
    assert np.median(slow[slow > 2000]) - 2000 > 400


MEDIANS = [(0.10, 0.20, 92), (0.05, 0.10, 225), (0.15, 0.20, 457)]


@pytest.mark.thorough
@pytest.mark.parametrize(("claim", "risk", "median"), MEDIANS)
def test_rows_to_an_alarm(claim, risk, median, rng):
    watch = Watch(claim=claim, alpha=0.05 / 3, mixture_share=1.0)
    found = np.median(_alarms(rng, 2000, watch, risk, 2000))
    assert found == pytest.approx(median, rel=0.08)


@pytest.mark.thorough
def test_false_alarms_at_length(rng):
    alarms = _alarms(rng, 2000, Watch(claim=0.1), 0.1, 10_000)
    assert np.sum(alarms <= 10_000) <= n_allowed(2000, 0.05)


@pytest.mark.parametrize(("k", "t"), [(0, 5), (3, 10), (10, 100), (40, 40)])
def test_running_limits_against_the_mixture(k, t):
    lower, upper = (float(end) for end in running_limits(k, t))
    for end, inner in ((lower, lower + 1e-4), (upper, upper - 1e-4)):
        if 0 < end < 1:
            assert oracle.whole_mixture(k, t, end, 0.5, 0.5) >= 20
            assert oracle.whole_mixture(k, t, inner, 0.5, 0.5) < 20


def test_running_limits_hold_at_all_times(rng):
    missed, ends_missed, t = 0, 0, np.arange(1, 1001)
    for _ in range(300):
        k = np.cumsum(rng.random(1000) < 0.1)
        lower, upper = running_limits(k, t, alpha=0.2)
        missed += bool(((lower > 0.1) | (upper < 0.1)).any())
        # Limits for one fixed number of cases do not hold at all of them.
        spread = 1.2816 * np.sqrt(0.1 * 0.9 / t)
        ends_missed += bool((np.abs(k / t - 0.1) > spread)[30:].any())
    assert 0 < missed <= n_allowed(300, 0.2)
    assert ends_missed > n_allowed(300, 0.2)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"`claim` must be in \(0, 1\), got 0"):
        Watch(claim=0.0)
    with pytest.raises(ValueError, match="`n_errors` must be between 0 and the number of cases"):
        log_mixture_evidence(3, 2, claim=0.1)
    with pytest.raises(ValueError, match="`losses` must be 0 or 1"):
        watch_batch(Watch(claim=0.1), WatchState(), [0, 2])
