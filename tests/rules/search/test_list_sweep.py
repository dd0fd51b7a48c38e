"""Greedy lists over several tables agree with nested loops."""

from __future__ import annotations

import math

import pytest

from handful.rules import ListSweep
from tests.oracles import covering as oracle
from tests.rules.cases import SHAPES, SIDES, path_of, rows_and_pool, table_of

PAIRS = ((1.0, 1.0), (1.0, 3.0), (2.0, 0.6), (math.inf, math.inf))


def both_ways(rng, shape, families, outputs, pool_size):
    rows, pool = rows_and_pool(rng, shape, m=11, pool_size=pool_size)
    tables = [table_of(family, rows, pool) for family in families]
    X, y, pool_rows = rows.X.tolist(), rows.y.tolist(), rows.row_of[pool].tolist()
    make = {
        "stumps": lambda: oracle.stump_directions(X, pool_rows),
        "balls": lambda: oracle.ball_directions(X, y, pool_rows),
        "half-spaces": lambda: oracle.pair_directions(X, y, pool_rows),
        "two-point": lambda: oracle.pair_directions(X, y, pool_rows, dyadic=5),
    }
    slow = [make[family]() for family in families]
    sweep = ListSweep(tables, rows, outputs, 3, rows.counter(tables))
    for negative, positive in PAIRS:
        penalties = {-1: negative, 1: positive}
        ours = path_of(sweep, penalties)
        theirs = oracle.list_cover(slow, y, rows.weight.tolist(), outputs, penalties, 3)
        yield rows, tables, ours, theirs


@pytest.mark.parametrize("outputs", [(-1, 1), (-1,), (1,)])
@pytest.mark.parametrize(
    "families",
    [("stumps",), ("balls",), ("stumps", "balls"), ("half-spaces", "stumps"), ("two-point",)],
)
def test_lists_agree_with_nested_loops(families, outputs, rng):
    for shape in SHAPES:
        for rows, tables, ours, theirs in both_ways(rng, shape, families, outputs, 6):
            assert len(ours) == len(theirs)
            for step, wanted in zip(ours, theirs, strict=True):
                table = tables[step.table]
                cut = table.thresholds[step.t, step.j]
                found = (step.table, step.t, SIDES[step.side], step.output)
                assert found == (wanted[0], wanted[1], *wanted[3:])
                assert cut == pytest.approx(wanted[2], rel=1e-9, abs=1e-9)
                if step.member >= 0:  # the row named as the threshold lies on it
                    assert table.codes[step.t, step.member] == 2 * step.j + 1
                    assert step.member in rows.row_of[table.pool]


def test_dyadic_rules_name_no_threshold_row(rng):
    for _, _, ours, _ in both_ways(rng, "smooth", ("two-point",), (-1, 1), 6):
        assert all(step.member == -1 for step in ours)


def test_a_list_stops_when_one_class_is_left(rng):
    rows, pool = rows_and_pool(rng, "smooth", m=20)
    tables = [table_of("balls", rows, pool)]
    sweep = ListSweep(tables, rows, (-1, 1), 50, rows.counter(tables))
    steps = path_of(sweep, {-1: 1e9, 1: 1e9})
    assert 0 < len(steps) < 20
