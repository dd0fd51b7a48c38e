"""Every certificate holds as often as it says, for machines chosen with the data."""

from __future__ import annotations

import numpy as np
import pytest

from handful import bounds
from tests.bounds import toys
from tests.bounds.simulation import SIMULATIONS, n_allowed, n_missed

N_DRAWS = 2000


@pytest.mark.sample(10)
@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_holds_as_often_as_it_says(name, delta, rng):
    simulation = SIMULATIONS[name]
    certified, true = simulation.run(rng, N_DRAWS, delta)
    assert len(certified) == len(true) == N_DRAWS
    assert n_missed(certified, true) <= n_allowed(N_DRAWS, delta)
    assert np.mean(certified) <= simulation.reach, "absurdly loose"


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.2, 0.7])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_holds_as_often_as_it_says_at_length(name, delta, rng):
    certified, true = SIMULATIONS[name].run(rng, 20_000, delta)
    assert n_missed(certified, true) <= n_allowed(20_000, delta)


def test_every_guarantee_is_simulated():
    wanted = {name for name, bound in bounds.BOUNDS.items() if bound.is_guarantee}
    assert wanted | {"dkw", "conformal"} == {s.bound for s in SIMULATIONS.values()}


@pytest.mark.parametrize("delta", [0.6, 0.9])
@pytest.mark.parametrize("side", ["above", "below", "both"])
def test_empirical_distribution_at_large_delta(side, delta, rng):
    certified, true = toys.dkw(rng, N_DRAWS, delta, n=3, side=side)
    assert n_missed(certified, true) <= n_allowed(N_DRAWS, delta)


@pytest.mark.parametrize("m", [3, 5, 12])
def test_small_samples_and_pure_noise(m, rng):
    """Few examples and a large delta: where a missing unit in a count shows."""
    for delta in (0.2, 0.5):
        certified, true = toys.compression(rng, N_DRAWS, delta, noise=0.5, m=m)
        assert n_missed(certified, true) <= n_allowed(N_DRAWS, delta)


def test_unpaid_choice_of_a_model_is_seen(rng):
    """The simulation has power: eight models at the price of one fail."""
    certified, true = toys.held_out(rng, N_DRAWS, 0.05, n_paid=1)
    assert n_missed(certified, true) > 2 * n_allowed(N_DRAWS, 0.05)


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_unpaid_choice_of_a_disagreement_is_seen(delta, rng):
    """The simulation has power: the luckiest of twenty refits at the price of one fails."""
    certified, true = toys.disagreement(rng, N_DRAWS, delta, is_paid=False)
    assert n_missed(certified, true) > 2 * n_allowed(N_DRAWS, delta)


def test_unpaid_choice_of_the_kept_example_is_seen(rng):
    """The simulation has power: the best of eighty stumps at the price of one fails."""
    m, delta = 40, 0.05
    best = toys.best_stump(toys.Law(noise=0.5), rng, N_DRAWS, m)
    certified = bounds.binomial_tail_inverse(best["fp"] + best["fn"], m - 1, np.log(delta))
    assert n_missed(certified, best["risk"]) > 2 * n_allowed(N_DRAWS, delta)


def rejecting_machine(rng, n_draws, m):
    """Pure-noise labels and the half-space that rejects all but the last positive example.

    Returns counts by class: positives, false negatives, false positives.
    """
    y = rng.random((n_draws, m)) < 0.5  # in the order of the projection
    last = m - 1 - np.argmax(y[:, ::-1], axis=1)
    n_positives = y.sum(axis=1)
    return n_positives, n_positives - 1, m - 1 - last


def test_published_half_space_bound_fails(rng):
    """Labels that do not depend on x: the true risk of any machine is one half."""
    m, delta = 200, 0.05
    n_positives, fn, fp = rejecting_machine(rng, N_DRAWS, m)
    claimed = toys.by_row(
        lambda p, fn, fp: (
            bounds.published_half_space_bound(p, m - p, 1, 1, 0, fn, fp, 1, delta=delta).value
        ),
        n_positives,
        fn,
        fp,
    )
    valid = toys.by_row(
        lambda k: (
            bounds.compression_bound(
                m,
                2,
                k,
                message_nats=bounds.half_space_message(1, 1, 1, 0),
                size_nats=0,
                delta=delta,
            ).risk
        ),
        fn + fp,
    )
    assert np.mean(claimed < 0.5) > 0.95  # it promises 95 % and is wrong nearly always
    assert n_missed(valid, np.full(N_DRAWS, 0.5)) <= n_allowed(N_DRAWS, delta)


def test_published_ball_bound_fails(rng):
    """The same flaw: count everything of one class as an error."""
    m = 200
    n_same = rng.binomial(m - 2, 0.5, size=N_DRAWS) + 1
    claimed = toys.by_row(
        lambda s: bounds.published_ball_bound(s, m - s, 0, 1, 1, s - 1, 0).value, n_same
    )
    assert np.mean(claimed < 0.5) > 0.95
