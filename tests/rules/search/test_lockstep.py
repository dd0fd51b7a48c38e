"""The lock-step engine: integer worths that order half-spaces, and a memory budget."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from handful.rules.search.exact import distinct_rows
from handful.rules.search.exact_loops import Case
from handful.rules.search.histogram import State
from handful.rules.search.lockstep import LockStep, lane_worth


@pytest.mark.parametrize("penalty", [0.05, 0.3, 1 / 3, 0.5, 0.85, 1.0, 1.2, 3.0, 40.0, np.inf])
def test_simple_penalties_order_all_counts(penalty):
    case = Case(np.ones(50, np.int64), 20, np.array([], np.int64), penalty, False)
    worth, scale, is_ordinal = lane_worth(case)
    assert is_ordinal
    gain, loss = int(worth[-1]), -int(worth[0])
    counts = [(q, r) for q, r in product(range(31), range(21)) if q > penalty * r or r == 0]
    true = [(round((q - penalty * r) * 2**24) if r else q * 2**24, q) for q, r in counts]
    lanes = [gain * q - loss * r for q, r in counts]
    by_true = sorted(range(len(counts)), key=lambda i: true[i])
    by_lane = sorted(range(len(counts)), key=lambda i: lanes[i])
    assert [true[i] for i in by_true] == [true[i] for i in by_lane]
    if penalty < np.inf:
        expected = [round(scale * (q - penalty * r)) + q for q, r in counts]
        assert lanes == expected


@pytest.mark.parametrize("penalty", [np.pi, 1 / 997])
def test_other_penalties_are_only_bounded(penalty):
    case = Case(np.ones(50, np.int64), 20, np.array([], np.int64), penalty, False)
    assert not lane_worth(case)[2]


def test_large_weights_are_only_bounded():
    case = Case(np.full(50, 10**6), 20, np.array([], np.int64), 1.0, False)
    worth, _, is_ordinal = lane_worth(case)
    assert not is_ordinal
    assert np.abs(worth.astype(np.int64)).sum() < 2**31


@pytest.mark.parametrize("budget", [0, 20_000, 10**9])
def test_orders_stay_within_the_budget(budget, rng, monkeypatch):
    monkeypatch.setattr("handful.rules.search.lockstep._BLOCK_BYTES", 10_000)
    X = rng.normal(size=(40, 2))
    y = np.where(rng.random(40) < 0.5, 1, -1)
    ones = np.ones((1, 40), np.int64)
    problem = distinct_rows(X @ X.T, y, "conjunction", ones, True, 3)
    monkeypatch.setattr("handful.rules.search.lockstep.MEMORY_BUDGET", budget)
    engine = LockStep(problem)
    states = [State(p, 0, problem.weights[0], problem.weights[0] > 0) for p in (0.5, 1.0)]
    engine.round(states, map, 1)
    used = sum(orders.rows.nbytes for orders in engine.known.values())
    assert len(engine.blocks) > 2
    assert used <= budget
    assert (budget == 10**9) == (len(engine.known) == len(engine.blocks))
    assert (budget == 0) == (used == 0)
