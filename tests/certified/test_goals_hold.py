"""What is printed for a goal holds as often as it says, for all rows at once; shortcuts do not.

Six scores whose sensitivity and specificity at twelve thresholds are known; their counted errors
are independent, the hardest case for a union over rows. The adversary looks at every row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from handful.bounds import binomial_tail_inverse
from handful.candidates import ThresholdCounts, ThresholdGrid
from handful.certified import Chain, Goal, Roles
from handful.models import Constant
from tests.certified.simulation import n_allowed

ORDER = ["additive", "linear", "score card", "prototypes", "sparse linear", "half-spaces"]
N_DRAWS, N_ROWS, DELTA = 2000, 80, 0.2
SENSITIVITY = np.linspace(0.98, 0.5, 12)  # falls as the threshold rises
SPECIFICITY = np.linspace(0.3, 0.97, 12)
GRID = ThresholdGrid(tuple(np.linspace(-1, 1, 12).tolist()), (), ())
GOALS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
NATS = -np.log(Roles.of(ORDER).masses) - math.log(DELTA)


@dataclass(frozen=True)
class Draw:
    """Scores of one sample: errors at every threshold, which are nested."""

    wrong: np.ndarray  # thresholds by class
    nats: float

    def counts(self):
        n = np.array([N_ROWS, N_ROWS])
        zeros = np.zeros((0, 2), dtype=int)
        return ThresholdCounts(GRID, n, self.wrong, self.wrong[:, 0], zeros, zeros)

    def chain(self, goal):
        return Chain.of(goal, self.counts(), Constant(0), self.nats)

    def is_missed(self, goal):
        chain = self.chain(goal)
        (_, fp), (_, fn) = chain.rates(self.nats)
        j = chain.grid_place
        return fn < 1 - SENSITIVITY[j] - 1e-12 or fp < 1 - SPECIFICITY[j] - 1e-12


def draws(rng, n_draws):
    """Errors of a form follow from the places of its rows between the thresholds."""
    for _ in range(n_draws):
        forms = []
        for nats in NATS:
            found = rng.random((N_ROWS, 1)) > SENSITIVITY
            cleared = rng.random((N_ROWS, 1)) > SPECIFICITY
            forms.append(Draw(np.column_stack([cleared.sum(axis=0), found.sum(axis=0)]), nats))
        yield forms


@pytest.mark.parametrize("goal", ["sensitivity >= 0.8", "specificity >= 0.8"])
def test_a_goal_named_beforehand_is_missed_no_more_often_than_it_says(goal, rng):
    goal, n = Goal.of(goal), 60
    missed = sum(any(form.is_missed(goal) for form in forms) for forms in draws(rng, n))
    assert missed <= n_allowed(n, DELTA)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.7, 0.8, 0.9])
@pytest.mark.parametrize("quantity", ["sensitivity", "specificity"])
def test_goals_at_length(quantity, value, rng):
    goal = Goal(quantity, value)
    missed = sum(any(form.is_missed(goal) for form in forms) for forms in draws(rng, N_DRAWS))
    assert missed <= n_allowed(N_DRAWS, DELTA)


@pytest.mark.thorough
def test_own_limits_of_accepted_thresholds_miss_too_often(rng):
    missed, n = 0, 60
    for forms in draws(rng, n):
        for form in forms:
            accepted = form.chain(Goal("sensitivity", 0.6)).place + 1
            k, sizes = form.wrong[:accepted, 1], np.full(accepted, N_ROWS)
            own = np.asarray(binomial_tail_inverse(k, sizes, -form.nats - math.log(2.0)))
            if (own < 1 - SENSITIVITY[:accepted]).any():
                missed += 1
                break
    assert missed > n_allowed(n, DELTA)


@pytest.mark.thorough
def test_a_goal_hunted_after_looking_misses_too_often(rng):
    """Each goal alone holds; whoever picks the goal after looking must pay, as `reach` does."""
    n = 40
    hunted = sum(
        any(form.is_missed(Goal("sensitivity", value)) for form in forms for value in GOALS)
        for forms in draws(rng, n)
    )
    assert hunted > n_allowed(n, DELTA)
    late = 0
    for forms in draws(rng, n):  # every threshold pays
        for form in forms:
            points = form.counts().operating_points(form.nats)
            falls_short = points["sensitivity_at_least"] > SENSITIVITY + 1e-12
            if falls_short.any() or (points["specificity_at_least"] > SPECIFICITY + 1e-12).any():
                late += 1
                break
    assert late <= n_allowed(n, DELTA)
