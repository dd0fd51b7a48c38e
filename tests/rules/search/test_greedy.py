"""The greedy sweeps agree with nested loops over every rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.rules import Sweep, SweepOptions, collapse_rows, covered_rows
from handful.rules.search.greedy import add_rows, histogram
from tests.oracles import covering as oracle
from tests.rules.cases import (
    FAMILIES,
    KINDS,
    SHAPES,
    SIDES,
    SIGNS,
    messy,
    path_of,
    rows_and_pool,
    table_of,
)

PENALTIES = (0.4, 1.0, 2.5, math.inf)


def oracle_path(family, rows, pool, sign, penalty, options):
    X, y, weight = rows.X.tolist(), rows.y.tolist(), rows.weight.tolist()
    pool_rows = rows.row_of[pool].tolist()
    common = {
        "pool": pool_rows,
        "prefer_kept": options.prefer_kept,
        "stop": options.stop_on_nonpositive,
    }
    arguments = (y, weight, sign, penalty, options.max_rules)
    if family == "stumps":
        directions = oracle.stump_directions(X, pool_rows)
        return oracle.free_cover(directions, *arguments, **common)
    if family == "two-point":
        directions = oracle.pair_directions(X, y, pool_rows, sign, dyadic=5)
        fractions = oracle.dyadic_fractions(5)
        return oracle.free_cover(directions, *arguments, fractions=fractions, **common)
    if family == "balls":
        directions = oracle.ball_directions(X, y, pool_rows, sign)
    else:
        directions = oracle.pair_directions(X, y, pool_rows, sign)
    return oracle.member_cover(directions, *arguments, **common)


def engine_path(family, table, rows, sign, penalty, options):
    found, kept = [], set()
    for step in path_of(Sweep(table, rows, sign, options), penalty):
        owners = [p[step.t] for p in (table.first, table.second)]
        kept |= {int(table.pool_rows[k]) for k in owners if k >= 0}
        kept |= {step.member} if step.member >= 0 else set()
        cut = table.thresholds[step.t, step.j]
        where = step.member if family in ("balls", "half-spaces") else cut
        found.append((step.t, where, SIDES[step.side], step.n_other, step.n_same))
    return found, kept


def assert_same_path(found, wanted):
    assert len(found) == len(wanted), (found, wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours[0] == theirs[0]
        assert ours[2:] == theirs[2:]
        assert ours[1] == pytest.approx(theirs[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_sweeps_agree_with_nested_loops(family, kind, shape, rng):
    for trial in range(3):
        rows, pool = rows_and_pool(rng, shape, m=12, pool_size=(None, 7, 9)[trial])
        table = table_of(family, rows, pool)
        for penalty in PENALTIES:
            options = SweepOptions(
                max_rules=3, prefer_kept=trial != 1, stop_on_nonpositive=trial != 2
            )
            ours = engine_path(family, table, rows, SIGNS[kind], penalty, options)
            theirs = oracle_path(family, rows, pool, SIGNS[kind], penalty, options)
            assert_same_path(ours[0], theirs[0])
            assert ours[1] == theirs[1]


@pytest.mark.parametrize("family", FAMILIES)
def test_prefixes_are_shorter_sweeps(family, rng):
    rows, pool = rows_and_pool(rng, "smooth", m=25)
    table = table_of(family, rows, pool)
    paths = [path_of(Sweep(table, rows, 1, SweepOptions(max_rules=s)), 0.8) for s in (1, 2, 5)]
    assert paths[0] == paths[2][:1]
    assert paths[1] == paths[2][:2]


X_LINE = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])[:, None]
Y_LINE = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
I_24 = np.arange(1, 25)
X_24 = np.column_stack([np.sin(I_24), np.cos(2 * I_24)])
Y_24 = np.where((X_24**2).sum(axis=1) < 0.9, 1, -1)
PAPER = SweepOptions(max_rules=6, prefer_kept=False, stop_on_nonpositive=False)


def toy(family, X, y, kind, penalty):
    """Steps in original indices: (first, [second,] threshold)."""
    rows = collapse_rows(X, y)
    example = np.argsort(rows.row_of)  # rows are distinct here
    table = table_of(family, rows, np.sort(example[np.arange(len(y))]))
    steps = path_of(Sweep(table, rows, SIGNS[kind], PAPER), penalty)
    found = []
    for s in steps:
        owners = [int(table.pool[p[s.t]]) for p in (table.first, table.second) if p[s.t] >= 0]
        found.append((*owners, int(example[s.member])))
    return found, [table.thresholds[s.t, s.j] for s in steps]


def test_toy_vectors_of_balls():
    names, radii = toy("balls", X_LINE, Y_LINE, "conjunction", math.inf)
    assert names == [(3, 5)]
    assert radii == pytest.approx([1.2])
    names, radii = toy("balls", X_LINE, Y_LINE, "disjunction", math.inf)
    assert names == [(3, 2)]
    assert radii == pytest.approx([1.5])
    names, radii = toy("balls", X_24, Y_24, "conjunction", math.inf)
    assert names == [(5, 0), (2, 8), (0, 5)]
    assert radii == pytest.approx([1.68641291, 0.40416871, 1.68641291], abs=5e-9)


@pytest.mark.parametrize(
    ("X", "y", "kind", "penalty", "expected"),
    [
        (X_LINE, Y_LINE, "conjunction", math.inf, [(3, 0, 3), (3, 6, 5)]),
        (X_LINE, Y_LINE, "conjunction", 0.1, [(3, 0, 3), (3, 6, 5)]),
        (X_LINE, Y_LINE, "disjunction", math.inf, []),
        (X_24, Y_24, "conjunction", math.inf, [(3, 4, 3), (3, 21, 8)]),
        (X_24, Y_24, "disjunction", 1.0, [(3, 4, 1)]),
    ],
)
def test_toy_vectors_of_half_spaces(X, y, kind, penalty, expected):
    assert toy("half-spaces", X, y, kind, penalty)[0] == expected


def test_weights_stand_for_repeated_rows(rng):
    X, y = messy(rng, "grid", m=16)
    X, y = np.vstack([X, X[:6]]), np.concatenate([y, y[:6]])
    rows = collapse_rows(X, y)
    order = rng.permutation(len(y))
    shuffled = collapse_rows(X[order], y[order])
    np.testing.assert_array_equal(rows.X, shuffled.X)
    np.testing.assert_array_equal(rows.weight, shuffled.weight)
    _, first = np.unique(rows.row_of, return_index=True)
    table = table_of("stumps", rows, first)
    steps = path_of(Sweep(table, rows, 1, SweepOptions(max_rules=1)), 1.0)
    for s in steps:
        rule_covers = covered_rows(table, s.t, s.j, s.side)[rows.row_of]
        assert (rule_covers & (y == -1)).sum() == s.n_other
        assert (rule_covers & (y == 1)).sum() == s.n_same


def test_rows_without_weight_are_neither_counted_nor_live(rng):
    rows, pool = rows_and_pool(rng, "smooth", m=20)
    weight = rows.weight.copy()
    weight[rows.y < 0] = 0
    table = table_of("stumps", rows, pool)
    assert path_of(Sweep(table, rows, 1, SweepOptions(), weight), 1.0) == ()


def test_histograms_lose_exactly_the_removed_rows(rng):
    rows, pool = rows_and_pool(rng, "grid", m=20)
    table = table_of("balls", rows, pool)
    everything = np.ones(len(rows.y), bool)
    gone = rng.random(len(rows.y)) < 0.4
    counts = histogram(table, everything, rows.weight)
    add_rows(table, gone, -rows.weight, counts)
    np.testing.assert_array_equal(counts, histogram(table, ~gone, rows.weight))
    assert (counts.sum(axis=1) == rows.weight[~gone].sum()).all()


def test_threads_do_not_change_a_path(rng, monkeypatch):
    monkeypatch.setattr("handful.rules.table._PARALLEL", 1)
    rows, pool = rows_and_pool(rng, "duplicates", m=30)
    table = table_of("half-spaces", rows, pool)
    paths = [
        path_of(Sweep(table, rows, 1, SweepOptions(max_rules=4, n_threads=n)), 1.0)
        for n in (1, 2, 3)
    ]
    assert paths[0] == paths[1] == paths[2]
