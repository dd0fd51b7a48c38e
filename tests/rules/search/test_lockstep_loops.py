"""Orders: sorted, complete up to the pair's own example, ties with the own class first."""

from __future__ import annotations

import numpy as np
import pytest

from handful.rules import pair_tolerance
from handful.rules.search.lockstep_loops import Pairs, sort_block


def pairs_of(X, n_same):
    K = X @ X.T
    d = np.diag(K)
    tols = pair_tolerance(d[:n_same, None], d[n_same:], K[:n_same, n_same:])
    return Pairs(K[:n_same], K[n_same:], tols)


@pytest.mark.parametrize("name", ["smooth", "grid", "heavy"])
def test_orders_are_sorted_with_the_own_class_first(name, rng):
    X = rng.normal(size=(60, 2))
    X = {"smooth": X, "grid": np.round(X), "heavy": np.exp(6 * X)}[name]
    pairs = pairs_of(X, 25)
    owns = np.array([3, 20])
    orders = sort_block(pairs, owns)
    starts = np.concatenate([[0], orders.ends])
    for p in range(2 * 35):
        o, t = owns[p // 35], p % 35
        u, tol = pairs.own[o] - pairs.other[t], pairs.tols[o, t]
        rows = orders.rows[starts[p] : starts[p + 1]].astype(int)
        assert sorted(rows) == np.flatnonzero(u - tol <= u[o]).tolist()
        steps = np.diff(u[rows])
        assert (steps >= -tol).all()
        is_tied = np.abs(steps) <= tol
        other_before_own = (rows[:-1] >= 25) & (rows[1:] < 25)
        assert not (is_tied & other_before_own).any()
        assert not orders.is_tangled[p]


def test_chains_of_near_ties_are_flagged():
    """Three values, neighbours tied, ends not: no grouping is right, so bounds are not used."""
    X = np.array([[1.0], [1.0 + 0.8e-10], [1.0 + 1.6e-10], [1.0 + 9e-10], [0.0]])
    assert sort_block(pairs_of(X, 4), np.array([3])).is_tangled.tolist() == [True]
    X[1:3, 0] = 1.0
    assert sort_block(pairs_of(X, 4), np.array([3])).is_tangled.tolist() == [False]
