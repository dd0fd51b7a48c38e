"""The engines' tolerance is that of the rules, and a state advances by what a rule covers."""

from __future__ import annotations

import numpy as np

from handful.kernels import make_kernel
from handful.models import Condition
from handful.rules.directions import pair_tolerance, pair_value
from handful.rules.search.exact import _distinct_rows
from handful.rules.search.half_space_states import State, half_space_tolerance


def test_tolerance_is_that_of_the_rules(rng):
    for k_aa, k_ab, k_bb in rng.normal(size=(20, 3)) * 1000:
        assert half_space_tolerance(k_aa, k_ab, k_bb) == pair_tolerance(k_aa, k_bb, k_ab)


def test_a_state_removes_what_the_rule_covers(rng):
    X = rng.integers(0, 4, (30, 2)).astype(float)
    y = np.where(rng.random(30) < 0.5, 1, -1)
    K = X @ X.T
    for kind, op in (("conjunction", "<"), ("disjunction", ">")):
        problem = _distinct_rows(K, y, kind, np.ones((1, 30), np.int64), True, 2)
        rows = problem.names[0]
        own, other = np.flatnonzero(problem.is_own)[0], np.flatnonzero(~problem.is_own)[0]
        c = np.flatnonzero(problem.is_own)[1]
        state = State(1.0, 0, problem.weights[0], problem.weights[0] > 0)
        state.advance(problem, 1, 0, own, other, c)
        (step,) = state.steps
        cut = K[step.a, step.c] - K[step.b, step.c]
        value, tol = pair_value(X[step.a], X[step.b], make_kernel("linear"), (step.a, step.b))
        assert (state.is_live == ~Condition(value, op, cut, tol).is_met(X)[rows]).all()


def test_weights_and_names_of_folds(rng):
    X = np.repeat(rng.normal(size=(4, 2)), 3, axis=0)
    y = np.array([1, 1, -1] * 4)
    active = np.ones((2, 12), np.int64)
    active[1, 0] = 0
    problem = _distinct_rows(X @ X.T, y, "conjunction", active, True, 1)
    assert len(problem.is_own) == 8
    assert problem.weights.sum(axis=1).tolist() == [12, 11]
    assert problem.names[:, 0].tolist() == [0, 1]
