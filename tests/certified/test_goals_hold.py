"""What is printed for a goal holds as often as it says, for all rows at once; shortcuts do not.

Errors along a sequence of thresholds are drawn from a multinomial law, so that thousands of draws
cost little. `limits_for_goal` says what is printed, and is compared with the product first. The
laws use up delta: a true rate lies just above a limit that some number of errors gives. Each
shortcut is held against the same number of misses as the procedure.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.candidates import ThresholdCounts, ThresholdGrid
from handful.certified import Chain, Goal, Roles
from handful.models import Constant
from tests.certified.simulation import n_allowed
from tests.oracles.menu import certificate, limits_for_goal, upper_rates

ORDER = ["additive", "linear", "score card", "prototypes", "sparse linear", "half-spaces"]
MASSES = Roles.of(ORDER).masses
N_DRAWS, DELTA = 20_000, 0.2
N_OWN, N_OTHER = 300, 400  # counted rows of the goal's class, and of the other one
JUST_ABOVE = 1.0 + 1e-9

# A goal that the third threshold misses by a hair, and is accepted with probability delta / 2.
MISS = certificate(40, N_OWN, 0.5, DELTA)
HARD = np.array([0.03, 0.05, MISS * JUST_ABOVE, 0.3, 0.5])
OTHER = np.array([0.6, certificate(100, N_OTHER, 0.5, DELTA) * JUST_ABOVE, 0.2, 0.1, 0.05])

# Rates far apart in log odds: errors at one threshold say little of those at the next but one.
WIDE = 1.0 / (1.0 + np.exp(-np.linspace(-4.5, 2.5, 12)))
ALL_ACCEPTED, WIDE_OTHER = 0.99, WIDE[::-1]


def errors(rng, rates, n):
    """Errors of all draws at each threshold; those at one are among those at the next."""
    is_rising = rates[0] < rates[-1]
    up = rates if is_rising else rates[::-1]
    found = rng.multinomial(n, np.diff(up, prepend=0.0, append=1.0), size=N_DRAWS)
    found = found.cumsum(axis=1)[:, :-1]
    return found if is_rising else found[:, ::-1]


def is_missed(rng, level):
    """Of the hard law, for each draw: is a limit for either class below the truth?"""
    wrong, others = errors(rng, HARD, N_OWN), errors(rng, OTHER, N_OTHER)
    place, own, other = limits_for_goal(wrong, N_OWN, others, N_OTHER, MISS, level)
    return (own < HARD[place]) | (other < OTHER[place])


@pytest.mark.parametrize("quantity", ["sensitivity", "specificity"])
def test_what_is_simulated_is_what_is_printed(quantity, rng):
    own, n = int(quantity == "sensitivity"), 8
    wrong, others = errors(rng, HARD, N_OWN)[:n], errors(rng, OTHER, N_OTHER)[:n]
    for value in (MISS, 0.2, 0.02, ALL_ACCEPTED):  # some are accepted, none, all
        for mass in MASSES[:2]:
            place, *pair = limits_for_goal(wrong, N_OWN, others, N_OTHER, value, DELTA * mass / 2.0)
            for i in range(n):
                columns, sizes = (wrong[i], others[i]), (N_OWN, N_OTHER)
                order = (1, 0) if own else (0, 1)  # of classes; and back for the first class
                counts = np.column_stack([columns[k] for k in order])[:: 1 if own else -1]
                none, m = np.zeros((0, 2), dtype=int), len(HARD)
                grid = ThresholdGrid(tuple(range(m)), (), ())
                counted = ThresholdCounts(
                    grid, np.array([sizes[k] for k in order]), counts, counts[:, 0], none, none
                )
                nats = -math.log(DELTA * mass)
                chain = Chain.of(Goal(quantity, 1.0 - value), counted, Constant(0), nats)
                assert chain.place == place[i]
                found = [limit for _, limit in chain.rates(nats)]
                wanted = [pair[k][i] for k in order]
                assert found == pytest.approx(wanted, rel=1e-9)
                points = counted.operating_points(nats)[f"{quantity}_at_least"]
                late = upper_rates(wrong[i], N_OWN, DELTA * mass / (2.0 * m))
                assert (1.0 - points)[:: 1 if own else -1].tolist() == pytest.approx(
                    late.tolist(), rel=1e-9
                )


def test_a_goal_named_beforehand_is_missed_no_more_often_than_it_says(rng):
    """Half of delta for each class: two limits at the whole level miss too often."""
    n = is_missed(rng, DELTA / 2.0).sum()
    assert n <= n_allowed(N_DRAWS, DELTA)
    assert n > 0.8 * N_DRAWS * DELTA  # and delta is used
    assert is_missed(rng, DELTA).sum() > n_allowed(N_DRAWS, DELTA)


def test_the_worst_row_pays_for_its_role(rng):
    paid = np.array([is_missed(rng, DELTA * mass / 2.0) for mass in MASSES])
    assert paid.any(axis=0).sum() <= n_allowed(N_DRAWS, DELTA)
    unpaid = np.array([is_missed(rng, DELTA / 2.0) for _ in MASSES])
    assert unpaid.any(axis=0).sum() > n_allowed(N_DRAWS, DELTA)
    # one payment that is missing: the favourite takes all of delta, the others pay
    masses = [1.0, *MASSES[1:]]
    one = np.array([is_missed(rng, DELTA * mass / 2.0) for mass in masses])
    assert one.any(axis=0).sum() > n_allowed(N_DRAWS, DELTA)


def test_of_accepted_thresholds_the_goal_may_be_said_and_no_more(rng):
    wrong, others = errors(rng, WIDE, N_OWN), errors(rng, WIDE_OTHER, N_OTHER)
    allowed = n_allowed(N_DRAWS, DELTA / 2.0)  # of the goal's class
    for miss in (0.05, 0.2, 0.5, ALL_ACCEPTED):
        place, own, _ = limits_for_goal(wrong, N_OWN, others, N_OTHER, miss, DELTA / 2.0)
        assert (own < WIDE[place]).sum() <= allowed
    accepted = np.arange(len(WIDE)) <= place[:, None]
    own_limits = upper_rates(np.arange(N_OWN + 1), N_OWN, DELTA / 2.0)[wrong]
    assert ((own_limits < WIDE) & accepted).any(axis=1).sum() > allowed


def test_a_goal_hunted_after_looking_misses_too_often(rng):
    """Each goal alone holds; whoever picks the goal after looking must pay, as `reach` does."""
    wrong, others = errors(rng, WIDE, N_OWN), errors(rng, WIDE_OTHER, N_OTHER)
    allowed, hunted = n_allowed(N_DRAWS, DELTA / 2.0), np.zeros(N_DRAWS, dtype=bool)
    for miss in WIDE / JUST_ABOVE:
        place, own, _ = limits_for_goal(wrong, N_OWN, others, N_OTHER, miss, DELTA / 2.0)
        assert (own < WIDE[place]).sum() <= allowed
        hunted |= own < WIDE[place]
    assert hunted.sum() > allowed
    every = upper_rates(np.arange(N_OWN + 1), N_OWN, DELTA / (2.0 * len(WIDE)))
    assert (every[wrong] < WIDE).any(axis=1).sum() <= allowed


def test_only_the_last_accepted_threshold_has_its_other_limit_for_nothing(rng):
    """Given the labels, the other class says nothing of who is the last; a choice by it pays."""
    wrong, others = errors(rng, WIDE, N_OWN), errors(rng, WIDE_OTHER, N_OTHER)
    allowed, level = n_allowed(N_DRAWS, DELTA / 2.0), DELTA / 2.0
    place, _, other = limits_for_goal(wrong, N_OWN, others, N_OTHER, 0.6, level)
    assert (other < WIDE_OTHER[place]).sum() <= allowed
    is_accepted = np.arange(len(WIDE)) <= place[:, None]
    shares = 1.0 / np.arange(1, len(WIDE) + 1)[:, None]  # of one, of two, of three accepted
    limits = upper_rates(np.arange(N_OTHER + 1), N_OTHER, level * shares)
    unpaid = (limits[0, others] < WIDE_OTHER) & is_accepted
    assert unpaid.any(axis=1).sum() > allowed
    paid = (limits[place[:, None], others] < WIDE_OTHER) & is_accepted
    assert paid.any(axis=1).sum() <= allowed


def test_rates_row_by_row_miss_too_often_with_groups(rng):
    """Why goals for a class are refused with groups, and why one blind row of each is enough."""
    n_groups, size = 80, 10
    is_wrong = rng.random((N_DRAWS, n_groups)) < 0.4  # all cases of such a group are missed
    cases = np.where(is_wrong, 0.3, 0.8)  # how many rows of it are cases
    truth = 0.4 * 0.3 / (0.4 * 0.3 + 0.6 * 0.8)
    missed = []
    for n_rows in (size, 1):
        n = rng.binomial(n_rows, cases)
        limits = upper_rates((n * is_wrong).sum(axis=1), n.sum(axis=1), DELTA)
        missed.append((limits < truth).sum())
    assert missed[0] > n_allowed(N_DRAWS, DELTA)
    assert 0.6 * N_DRAWS * DELTA < missed[1] <= n_allowed(N_DRAWS, DELTA)
    assert missed[1] < missed[0]
