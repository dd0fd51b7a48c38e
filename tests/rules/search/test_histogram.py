"""The histogram engine: integer worths bound the true ones; separable data need few searches."""

from __future__ import annotations

import numpy as np
import pytest

from handful.kernels import make_kernel
from handful.models import Condition
from handful.rules import pair_value
from handful.rules.search import exact_loops
from handful.rules.search.exact import distinct_rows, exact_half_space_paths
from handful.rules.search.exact_loops import Case
from handful.rules.search.histogram import State, scaled_worth
from tests.oracles.half_spaces import greedy_path


@pytest.mark.parametrize("penalty", [0.001, 0.7, 1.0, 50.0, 1e30, np.inf])
@pytest.mark.parametrize("weight", [1, 1000, 2**22])
def test_scaled_worth_is_not_below_the_worth_and_fits(penalty, weight, rng):
    weights = rng.integers(1, weight + 1, 100)
    case = Case(weights, 40, np.array([2, 5]), penalty, False)
    worth, scale = scaled_worth(case)
    assert worth.dtype == np.int32
    assert np.abs(worth.astype(np.int64)).sum() < 2**31
    gains = np.concatenate([-penalty * weights[:40], weights[40:]])
    is_free = np.ones(100, bool)
    is_free[[2, 5]] = False
    assert (worth[is_free] >= scale * gains[is_free] - 1e-6).all()
    assert (worth[40:] == scale * weights[40:]).all()


def test_what_must_stay_uncovered_costs_more_than_all_gain():
    case = Case(np.ones(100, np.int64), 40, np.array([7]), 0.5, False)
    worth, _ = scaled_worth(case)
    assert -int(worth[7]) > worth[40:].sum()


def test_separable_data_need_few_searches(rng, monkeypatch):
    """All pairs tie at the top; only earlier ones may then win."""
    X = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [99, 99]], 30, axis=0)
    y = np.repeat([1, -1], 30)
    searched = []
    search = exact_loops.search_pairs

    def counting(live, pairs, best):
        searched.append(len(pairs))
        return search(live, pairs, best)

    monkeypatch.setattr(exact_loops, "search_pairs", counting)
    for kind in ("conjunction", "disjunction"):
        searched.clear()
        K = X @ X.T
        (path,) = exact_half_space_paths(K, y, kind=kind, penalties=[1.0], max_rules=3)
        assert [(s.a, s.b, s.c, s.n_other, s.n_same) for s in path] == greedy_path(
            K, y, kind, 1.0, 3
        )
        assert sum(searched) <= 2 * 256 + 16


def test_a_state_removes_what_the_rule_covers(rng):
    X = rng.integers(0, 4, (30, 2)).astype(float)
    y = np.where(rng.random(30) < 0.5, 1, -1)
    K = X @ X.T
    for kind, op in (("conjunction", "<"), ("disjunction", ">")):
        problem = distinct_rows(K, y, kind, np.ones((1, 30), np.int64), True, 2)
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
    problem = distinct_rows(X @ X.T, y, "conjunction", active, True, 1)
    assert len(problem.is_own) == 8
    assert problem.weights.sum(axis=1).tolist() == [12, 11]
    assert problem.names[:, 0].tolist() == [0, 1]
