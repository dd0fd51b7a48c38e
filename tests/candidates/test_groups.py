"""Groups: means, one row of each, and three ways to certify them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handful.bounds import betting_bound, binomial_tail_inverse, pool_bound, prefers_betting
from handful.candidates import (
    Candidate,
    Code,
    Counts,
    GroupLosses,
    certified_risks,
    certify,
)
from handful.tables import Grouping


def counts(groups, n_held=5):
    return Counts(
        n_held=n_held, n_counted=len(groups.losses), n_errors=groups.n_errors, groups=groups
    )


def test_groups_are_numbered_by_their_first_rows():
    assert Grouping.of(np.array([5, 5, 1, 9, 1])).member.tolist() == [0, 0, 1, 2, 1]


def test_means_and_first_rows():
    is_wrong = np.array([True, False, True, True, False, False])
    groups = Grouping.of(np.array([7, 7, 2, 2, 2, 5]))
    np.testing.assert_allclose(groups.means(is_wrong), [0.5, 2 / 3, 0.0])
    assert groups.first.tolist() == [0, 2, 5]
    assert GroupLosses.of(groups, is_wrong).n_first == 2


def test_groups_that_are_held_back_are_not_counted():
    is_wrong = np.array([True, False, True, True, False, False])
    groups = Grouping.of(np.array([7, 7, 2, 2, 2, 5]))
    found = GroupLosses.of(groups, is_wrong, np.array([True, False, False]))
    np.testing.assert_allclose(found.losses, [2 / 3, 0.0])
    assert found.warm_up.tolist() == [0.5]
    assert found.n_first == 1
    assert not found.is_single
    assert GroupLosses.of(groups, is_wrong, np.array([False, False, True])).is_single


def test_the_pool_decides_between_one_row_and_betting(rng):
    groups = Grouping(np.repeat(np.arange(40), 10))
    steady = GroupLosses.of(groups, rng.random(400) < 0.25)
    found = replace(steady, warm_up=np.full(25, 0.25)).decided(3.0)
    assert found.how == "betting"
    assert betting_bound(found.losses.tolist(), warm_up=found.warm_up.tolist()).risk < (
        binomial_tail_inverse(found.n_errors, 40, np.log(0.05))
    )
    whole = np.repeat(rng.random(40) < 0.25, 10)
    pool = np.array([0.0, 1.0, 0.0, 0.0] * 6)
    found = replace(GroupLosses.of(groups, whole), warm_up=pool).decided(3.0)
    assert found.how == "one row"
    assert found.n_errors == whole[::10].sum()


def test_any_error_in_a_group():
    is_wrong = np.array([True, False, False, False])
    found = GroupLosses.of(Grouping(np.array([0, 0, 1, 1])), is_wrong, loss="any")
    assert (len(found.losses), found.n_errors, found.decided(3.0).how) == (2, 1, "one row")
    assert found.is_binomial


def test_groups_of_one_row_are_rows(rng):
    """Losses of 0 and 1: one row a group, counted by the binomial tail."""
    losses = (rng.random(30) < 0.2).astype(float)
    assert not prefers_betting(losses, 60, 3.0)


@pytest.mark.parametrize("n", [0, 5])
def test_without_a_pool_nothing_is_guessed(n):
    assert not prefers_betting(np.empty(0), n, 3.0)


def test_both_ways_pay_for_the_choice_and_the_smaller_counts(rng):
    groups = GroupLosses.of(Grouping(np.repeat(np.arange(40), 5)), rng.random(200) < 0.3)
    made = certify(Code("pool"), counts(groups), 0.05)
    tail = pool_bound(45, 5, groups.n_errors, message_nats=math.log(2.0)).risk
    bets = betting_bound(groups.losses.tolist(), message_nats=math.log(2.0)).risk
    assert made.risk == min(tail, bets)
    assert [term.kind for term in made.terms] == ["method", "confidence"]
    one = certify(Code("pool"), counts(replace(groups, how="one row")), 0.05)
    assert one.risk == pool_bound(45, 5, groups.n_errors).risk
    assert certify(Code("pool"), counts(replace(groups, how="betting")), 0.05).risk < bets


@pytest.mark.parametrize("how", ["both", "one row", "betting", "kl"])
def test_risks_of_many_are_the_certificates_of_each(rng, how):
    grouping = Grouping(np.repeat(np.arange(30), 4))
    found = [GroupLosses.of(grouping, rng.random(120) < p) for p in (0.1, 0.3, 0.6)]
    made = [counts(replace(groups, how=how)) for groups in found]
    candidates = [Candidate(code=Code("pool"), counts=own) for own in made]
    expected = [certify(c.code, c.counts, 0.1).risk for c in candidates]
    np.testing.assert_allclose(certified_risks(candidates, 0.1), expected, rtol=1e-12)
