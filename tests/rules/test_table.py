"""Candidate tables: codes, thresholds, ties, and rows that stand for several examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.rules import collapse_rows, known_values
from handful.rules.half_spaces import dyadic_fraction, dyadic_fractions
from handful.rules.table import (
    ABOVE,
    BELOW,
    EQUAL,
    UNEQUAL,
    WITH_MISSING,
    check_finite,
    covered_rows,
    n_threads_of,
    run_blocks,
    threshold_rows,
)
from tests.oracles import covering as oracle
from tests.rules.cases import FAMILIES, SHAPES, messy, rows_and_pool, table_of


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", FAMILIES)
def test_codes_are_what_the_rules_say(family, shape, rng):
    rows, pool = rows_and_pool(rng, shape, m=16, pool_size=9)
    table = table_of(family, rows, pool)
    sides = (BELOW, ABOVE, EQUAL, UNEQUAL) if family == "stumps" else (BELOW, ABOVE)
    for t in range(table.n_directions):
        for j in range(table.n_thresholds[t]):
            for side in sides:
                rule = table.family.make_rule(table, rows, table.coded(t, j, side))
                np.testing.assert_array_equal(covered_rows(table, t, j, side), rule.is_met(rows.X))


@pytest.mark.parametrize("family", ["balls", "half-spaces", "stumps"])
def test_thresholds_are_those_of_the_pool(family, rng):
    rows, pool = rows_and_pool(rng, "grid", m=16, pool_size=9)
    table = table_of(family, rows, pool)
    X, y, pool_rows = rows.X.tolist(), rows.y.tolist(), rows.row_of[pool].tolist()
    slow = {
        "stumps": lambda: oracle.stump_directions(X, pool_rows),
        "balls": lambda: oracle.ball_directions(X, y, pool_rows),
        "half-spaces": lambda: oracle.pair_directions(X, y, pool_rows),
    }[family]()
    assert len(slow) == table.n_directions
    for t, direction in enumerate(slow):
        cuts = table.thresholds[t, : table.n_thresholds[t]]
        np.testing.assert_allclose(cuts, direction["cuts"], atol=1e-9)


def test_missing_values_lie_on_no_side():
    X = np.array([[1.0], [2.0], [math.nan], [3.0]])
    rows = collapse_rows(X, np.array([1, -1, 1, -1]))
    table = table_of("stumps", rows, np.arange(4))
    missing = np.isnan(rows.X[:, 0])
    assert missing.sum() == 1
    for side in (BELOW, ABOVE, EQUAL, UNEQUAL):
        for j in range(table.n_thresholds[0]):
            assert not covered_rows(table, 0, j, side)[missing].any()


def test_a_wholly_missing_column_has_no_threshold():
    X = np.array([[math.nan, 1.0], [math.nan, 2.0]])
    table = table_of("stumps", collapse_rows(X, np.array([1, -1])), np.arange(2))
    assert table.n_thresholds.tolist() == [0, 2]


def test_duplicates_collapse_to_weights(rng):
    X, y = messy(rng, "grid", m=40)
    rows = collapse_rows(X, y)
    assert rows.weight.sum() == rows.n_samples == 40
    np.testing.assert_array_equal(rows.X[rows.row_of], X)
    np.testing.assert_array_equal(rows.y[rows.row_of], y)
    assert len({(*x, label) for x, label in zip(X.tolist(), y, strict=True)}) == len(rows.y)


def test_large_data_are_not_collapsed(monkeypatch, rng):
    monkeypatch.setattr("handful.rules.search_rows.LARGEST_COLLAPSE", 10)
    X, y = messy(rng, "grid", m=11)
    rows = collapse_rows(X, y)
    np.testing.assert_array_equal(rows.X, X)
    np.testing.assert_array_equal(rows.row_of, np.arange(11))


def test_thresholds_are_kept_apart():
    values = np.array([[2.0, 1.0, 1.0 + 1e-12], [3.0, 3.0, 3.0]])
    padded, n_thresholds = threshold_rows(values, np.array([1e-10, 1e-10]))
    assert padded.tolist() == [[1.0, 2.0], [3.0, math.inf]]
    assert n_thresholds.tolist() == [2, 1]
    assert known_values(np.array([[math.nan]]))[0].size == 0


def test_dyadic_fractions_are_all_and_in_order():
    fractions, levels = dyadic_fractions(5)
    wanted = oracle.dyadic_fractions(5)
    assert fractions.tolist() == [float(f) for f in wanted]
    assert levels.tolist() == [oracle.level_of(f) for f in wanted]
    assert [dyadic_fraction(j) for j in range(31)] == [
        (f.numerator, oracle.level_of(f)) for f in wanted
    ]


def test_coincident_examples_give_no_two_point_rule():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]])
    rows = collapse_rows(X, np.array([1, -1, -1]))
    table = table_of("two-point", rows, np.arange(3))
    usable = [bool((rows.X[rows.row_of[table.pool[a]]] != rows.X[rows.row_of[table.pool[b]]]).any())
              for a, b in zip(table.first, table.second, strict=True)]  # fmt: skip
    assert table.n_thresholds.tolist() == [31 if u else 0 for u in usable]


def test_sides_depend_on_kind_family_and_type():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    rows = collapse_rows(X, np.array([1, -1, 1]), np.array([False, True]))
    stumps = table_of("stumps", rows, np.arange(3))
    plain = [[0, BELOW], [0, ABOVE], [1, EQUAL], [1, UNEQUAL]]
    assert stumps.family.sides(stumps, rows, -1).tolist() == plain
    with_missing = [[t, side + WITH_MISSING] for t, side in plain]
    assert stumps.family.sides(stumps, rows, 1).tolist() == with_missing
    balls = table_of("balls", rows, np.arange(3))
    labels = rows.y[rows.row_of[balls.pool]]
    wanted = [ABOVE if v > 0 else BELOW for v in labels]
    assert balls.family.sides(balls, rows, 1)[:, 1].tolist() == wanted
    pairs = table_of("half-spaces", rows, np.arange(3))
    assert set(pairs.family.sides(pairs, rows, -1)[:, 1]) == {ABOVE}


def test_values_that_overflow_are_refused():
    X = np.array([[1e200], [-1e200], [3e200]])
    rows = collapse_rows(X, np.array([1, -1, 1]))
    for family in ("balls", "half-spaces", "two-point"):
        with pytest.raises(ValueError, match="not finite on these examples"):
            table_of(family, rows, np.arange(3))
    check_finite(np.zeros(3))


def test_too_many_thresholds_are_refused(rng):
    X = np.arange(40_000.0)[:, None]
    rows = collapse_rows(X, np.where(X[:, 0] > 7, 1, -1))
    with pytest.raises(ValueError, match="`candidates` gives 40000 thresholds a feature"):
        table_of("stumps", rows, np.arange(40_000))


def test_blocks_cover_the_range_once(monkeypatch):
    monkeypatch.setattr("handful.rules.table._PARALLEL", 1)
    for n, threads in [(1, 4), (7, 2), (100, 3)]:
        seen = []
        run_blocks(lambda start, stop, seen=seen: seen.extend(range(start, stop)), n, 10, threads)
        assert sorted(seen) == list(range(n))


def test_number_of_threads(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert [n_threads_of(n) for n in (None, 1, 3, -1, -2, -99)] == [1, 1, 3, 8, 7, 1]
