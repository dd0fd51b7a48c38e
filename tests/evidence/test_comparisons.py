"""Calibration, paired comparison, goals in order: values, validity and power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from handful.bounds import betting_bound, binomial_tail_inverse
from handful.evidence import (
    accept_in_order,
    brier_limits,
    calibration_in_the_large,
    fixed_sequence,
    mean_limits,
    paired_difference,
    reliability,
)
from tests.chance import n_allowed
from tests.oracles import bounds as bound_oracle
from tests.oracles import evidence as oracle

LOSSES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=20)


@given(losses=LOSSES)
def test_mean_is_bet_on_from_both_sides(losses):
    found = mean_limits(losses, delta=0.1)
    upper = bound_oracle.betting_limit(losses, [], math.log(20.0))
    lower = 1 - bound_oracle.betting_limit([1 - loss for loss in losses], [], math.log(20.0))
    assert upper <= found.upper <= upper + 1e-9
    assert lower - 1e-9 <= found.lower <= lower


def test_brier_and_calibration_in_the_large():
    p, y = [0.1, 0.7, 0.4, 0.9] * 10, [0, 1, 1, 1] * 10
    losses = [(a - b) ** 2 for a, b in zip(p, y, strict=True)]
    assert brier_limits(p, y).upper == pytest.approx(betting_bound(losses).risk, abs=1e-9)
    found = calibration_in_the_large(p, y, delta=0.1)
    half = mean_limits([(1 + b - a) / 2 for a, b in zip(p, y, strict=True)], delta=0.1)
    assert found.estimate == pytest.approx(np.mean(y) - np.mean(p))
    assert found.lower == pytest.approx(2 * half.lower - 1, abs=1e-9)
    assert found.upper == pytest.approx(2 * half.upper - 1, abs=1e-9)


def _calibration_misses(rng, n_draws, delta, n_paid=None):
    """Misses of Brier score, of calibration in the large, of any bin; risks are half too high."""
    edges = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    missed = np.zeros(3, dtype=int)
    # For uniform p and outcomes of probability p / 2: E(p - y)^2 = E(p^2 - p^2 + p / 2).
    true = (0.25, -0.25, (edges[:-1] + edges[1:]) / 4)
    for _ in range(n_draws):
        p = rng.random(60)
        y = (rng.random(60) < p / 2).astype(float)
        whole = calibration_in_the_large(p, y, delta=delta)
        bins = reliability(p, y, edges=edges, delta=n_paid or delta)
        missed[0] += brier_limits(p, y, delta=delta).upper < true[0]
        missed[1] += not whole.lower <= true[1] <= whole.upper
        missed[2] += not ((bins.lower <= true[2]) & (true[2] <= bins.upper)).all()
    return missed


def test_calibration_holds_as_often_as_it_says(rng):
    missed = _calibration_misses(rng, 150, 0.4)
    assert missed.max() <= n_allowed(150, 0.4)
    assert missed.min() > 0


@pytest.mark.thorough
def test_calibration_holds_at_length(rng):
    assert _calibration_misses(rng, 2000, 0.2).max() <= n_allowed(2000, 0.2)


def test_bins_against_another_library():
    p, y = np.array([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]), np.array([0, 1, 0, 1, 1, 1])
    found = reliability(p, y, edges=[0, 0.5, 0.95, 1], delta=0.3)
    assert found.n_rows.tolist() == [2, 3, 1]
    assert found.n_events.tolist() == [1, 2, 1]
    assert found.mean_probability.tolist() == pytest.approx([0.05, 19 / 30, 1.0])
    for i, (n, k) in enumerate([(2, 1), (3, 2), (1, 1)]):
        assert found.lower[i] == pytest.approx(oracle.lower_rate(k, n, 0.05), abs=1e-9)
        assert found.upper[i] == pytest.approx(oracle.upper_rate(k, n, 0.05), abs=1e-9)
    empty = reliability([0.1], [0], edges=[0, 0.5, 1])
    assert (empty.lower[1], empty.upper[1]) == (0.0, 1.0)


def test_bad_bins_and_outcomes_are_named():
    with pytest.raises(ValueError, match="`edges` must enclose all probabilities"):
        reliability([0.1, 0.9], [0, 1], edges=[0.2, 1])
    with pytest.raises(ValueError, match="`edges` must increase"):
        reliability([0.1, 0.9], [0, 1], edges=[0, 1, 0.5])
    with pytest.raises(ValueError, match="`outcomes` must be 0 or 1, got 2"):
        brier_limits([0.1, 0.9], [0, 2])
    with pytest.raises(ValueError, match="`outcomes` has 1 rows"):
        brier_limits([0.1, 0.9], [0])


@given(first=st.integers(0, 30), second=st.integers(0, 30), rest=st.integers(1, 60))
def test_paired_difference(first, second, rest):
    n = first + second + rest
    found, turned = paired_difference(first, second, n), paired_difference(second, first, n)
    assert found.lower <= found.estimate <= found.upper
    assert found.lower == pytest.approx(-turned.upper, abs=1e-12)
    if first + second:
        test = binomtest(first, first + second, alternative="greater")
        assert found.p_value == pytest.approx(test.pvalue, rel=1e-9)
        share = oracle.lower_rate(first, first + second, 0.75 * 0.025)
        limit = oracle.lower_rate if share >= 0.5 else oracle.upper_rate
        expected = (2 * share - 1) * limit(first + second, n, 0.25 * 0.025)
        assert found.lower == pytest.approx(expected, abs=1e-9)
    else:
        assert (found.p_value, found.lower < 0 < found.upper) == (1.0, True)


# Probabilities that only the first and only the second errs, rows.
PAIRS = [(0.1, 0.1, 60), (0.3, 0.05, 40), (0.02, 0.2, 50), (0.5, 0.5, 20), (0.06, 0.05, 15)]


def exact_misses(p, q, n, delta):
    """Probabilities that the limit from below, that from above and the test fail: no draws."""
    below = above = test = 0.0
    for k in range(n + 1):
        weight = binom.pmf(k, n, min(p + q, 1.0))
        for i in range(k + 1):
            chance = weight * binom.pmf(i, k, p / (p + q))
            if chance < 1e-12:
                continue
            found = paired_difference(i, k - i, n, delta=delta)
            below += chance * (found.lower > p - q)
            above += chance * (found.upper < p - q)
            test += chance * (found.p_value <= delta and p <= q)
    return below, above, test


@pytest.mark.parametrize(("p", "q", "n"), [PAIRS[3], PAIRS[4]])
def test_paired_limits_hold_exactly(p, q, n):
    below, above, test = exact_misses(p, q, n, 0.2)
    assert max(below, above) <= 0.1
    assert test <= 0.2


def test_paired_limits_are_not_absurdly_loose():
    below, above, _ = exact_misses(0.5, 0.5, 20, 0.2)
    assert below + above > 0.005


@pytest.mark.thorough
@pytest.mark.parametrize(("p", "q", "n"), PAIRS)
@pytest.mark.parametrize("delta", [0.05, 0.4])
def test_paired_limits_hold_exactly_at_length(p, q, n, delta):
    below, above, test = exact_misses(p, q, n, delta)
    assert max(below, above) <= delta / 2
    assert test <= delta


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_order_is_kept(values, goal):
    found = fixed_sequence(values, goal)
    accepted = [i for i in range(len(values)) if all(v <= goal for v in values[: i + 1])]
    assert found.n_accepted == len(accepted)
    assert found.n_accepted == accept_in_order(values, delta=goal) if 0 < goal < 1 else True
    for i, printed in enumerate(found.printed):
        if len(accepted) == len(values):
            assert printed == max(values)
        elif i < len(accepted):
            assert printed == goal
        elif i == len(accepted):
            assert printed == values[i]
        else:
            assert math.isnan(printed)
    turned = fixed_sequence([-v for v in values], -goal, meaning="at least")
    assert turned.n_accepted == found.n_accepted
    assert np.array_equal(turned.printed, -found.printed, equal_nan=True)


def _sequence_misses(rng, n_draws, delta, prints_own):
    """Draws in which something printed is wrong; risks around the goal, counted on 60 rows."""
    risks, goal, missed = np.array([0.15, 0.18, 0.199, 0.21, 0.25, 0.17]), 0.2, 0
    for _ in range(n_draws):
        errors = rng.binomial(400, risks)
        limits = binomial_tail_inverse(errors, 400, math.log(delta))
        found = fixed_sequence(limits, goal)
        printed = np.where(np.arange(6) < found.n_accepted, limits, np.nan)
        shown = printed if prints_own else found.printed
        missed += bool((shown < risks).any())
    return missed


def test_goals_hold_as_often_as_they_say(rng):
    assert _sequence_misses(rng, 1000, 0.2, False) <= n_allowed(1000, 0.2)


def test_own_limits_of_accepted_candidates_fail(rng):
    """The simulation has power: limits below the goal may not be printed."""
    assert _sequence_misses(rng, 1000, 0.2, True) > n_allowed(1000, 0.2)
