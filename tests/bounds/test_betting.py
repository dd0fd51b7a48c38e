"""Mean losses of groups: the capital against its slow twin, and what groups cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import Message, Term, betting_bound, kl_inverse
from tests.oracles import bounds as oracle

LOSSES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 2 / 3, 1.0]), min_size=1, max_size=25)


@given(losses=LOSSES, warm_up=LOSSES | st.just([]), nats=st.floats(0.0, 20.0))
def test_capital_equals_its_slow_twin_from_above(losses, warm_up, nats):
    ours = betting_bound(losses, warm_up=warm_up, message_nats=nats).risk
    exact = oracle.betting_limit(losses, warm_up, nats + math.log(20.0))
    assert ours >= exact
    assert ours <= exact + 1e-9


def test_bets_within_the_limit():
    """Near m = 0 a bet above 1 / (1 - m) would turn the capital negative, not exclude m."""
    losses = [0.0] * 30 + [1.0] * 3
    ours = betting_bound(losses, delta=1e-6).risk
    assert ours == pytest.approx(float(oracle.betting_limit(losses, [], math.log(1e6))), abs=1e-9)


def test_what_is_paid():
    message = Message([Term("rank", "favourite", 0.5)])
    paid = betting_bound([0.2] * 40, message_nats=message, n_choices=3)
    assert paid.terms[0] == Term("rank", "favourite", 0.5)
    assert paid.nats == pytest.approx(0.5 + math.log(3.0) + math.log(20.0))
    plain = betting_bound([0.2] * 40, delta=0.05 * math.exp(-0.5) / 3.0)
    assert paid.risk == pytest.approx(plain.risk, rel=1e-9)


def test_kl_is_the_chernoff_bound():
    losses = [0.1, 0.4, 0.0, 0.0, 0.3]
    ours = betting_bound(losses, method="kl").risk
    assert ours == pytest.approx(float(kl_inverse(0.16, math.log(20.0) / 5)), rel=1e-9)
    assert ours >= float(oracle.kl_inverse(0.16, math.log(20.0) / 5))


def test_steady_losses_are_certified_lower_than_by_their_mean_alone(rng):
    losses = rng.binomial(10, 0.25, size=40) / 10
    assert betting_bound(losses).risk < betting_bound(losses, method="kl").risk - 0.05


def test_warm_up_is_not_counted():
    assert betting_bound([0.5] * 20, warm_up=[0.0] * 200).risk > 0.5


def test_no_loss_is_allowed_to_leave_the_unit_interval():
    with pytest.raises(ValueError, match=r"`losses` must be in \[0, 1\]"):
        betting_bound([0.2, 1.2])
    with pytest.raises(ValueError, match=r"len\(losses\)"):
        betting_bound([])
    with pytest.raises(TypeError, match="`warm_up` must be one number a group"):
        betting_bound([0.2], warm_up=[None])


def test_a_loss_of_one_everywhere_is_vacuous():
    assert betting_bound(np.ones(5)).is_vacuous


def test_one_bad_group_does_not_end_the_game():
    """A bet may lose most of the capital, never all of it: one whole error is not the end."""
    losses = [0.0, 0.2, 0.0, 0.6, 0.4, 0.0, 0.0, 0.6, 0.0, 1.0, 0.8, 0.4]
    losses += [0.0, 0.0, 0.2, 0.5] * 15
    ours = betting_bound(losses, message_nats=45.0).risk
    exact = oracle.betting_limit(losses, [], 45.0 + math.log(20.0))
    assert exact <= ours <= exact + 1e-9
    without = [loss for loss in losses if loss < 1.0]
    assert ours < betting_bound(without, message_nats=45.0).risk + 0.06
