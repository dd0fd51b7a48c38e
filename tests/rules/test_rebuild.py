"""Machines rebuilt from compression set and message are the machines that were searched for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.covering.codes import exact_candidates
from handful.kernels import Kernel
from handful.models import Condition, WeightedSum
from handful.rules import (
    BALLS,
    HALF_SPACES,
    LINEAR,
    STUMPS,
    CodedPath,
    Geometry,
    Sweep,
    SweepOptions,
    ball_cover,
    collapse_rows,
    covered_rows,
    pair_value,
    rebuild_balls,
    rebuild_half_spaces,
    rebuild_stumps,
    rebuild_two_points,
    rule_set,
    signs_of,
)
from tests.rules.cases import (
    FAMILIES,
    KINDS,
    SHAPES,
    SIGNS,
    messy,
    path_of,
    rows_and_pool,
    table_of,
)

PENALTIES = (0.4, 0.8, 1.5, math.inf)
RBF = Kernel("rbf", gamma=0.3)
POLY = Kernel("poly", gamma=0.5, degree=2, coef0=1.0)


def new_points(rng, rows):
    """Random points, training points, and points between and far outside them."""
    X = rows.X
    mixed = 0.5 * (X[rng.integers(0, len(X), 60)] + X[rng.integers(0, len(X), 60)])
    return np.vstack([X, mixed, 3.0 * rng.normal(size=(60, X.shape[1])), 50 * X[:5]])


def as_searched(rows, table, path):
    """The machine with the thresholds of the search's own table."""
    return rule_set([table.family.make_rule(table, rows, rule) for rule in path.rules], path.kind)


def assert_rebuilt(rng, rows, table, steps, kind):
    path = CodedPath.of(rows, table, steps, kind)
    rebuilt, sign = rule_set(table.family.rebuild(path), kind), SIGNS[kind]
    searched = as_searched(rows, table, path)
    X = new_points(rng, rows)
    np.testing.assert_array_equal(rebuilt.labels(X), searched.labels(X))
    covered = np.zeros(len(rows.y), bool)
    for s in steps:
        covered |= covered_rows(table, s.t, s.j, s.side)
    np.testing.assert_array_equal(signs_of(rebuilt, rows.X) == -sign, covered)
    kept = path.kept
    assert set(rebuilt.examples) <= set(kept)
    if table.family.has_members:  # what the reconstruction relies on
        members = [rows.row_of[e] for e in kept if rows.y[rows.row_of[e]] == sign]
        assert not covered[members].any()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_rebuilding_gives_the_searched_machine(family, kind, shape, rng):
    for trial in range(5):
        rows, pool = rows_and_pool(rng, shape, m=24, pool_size=(None, 16, 10, 24, 20)[trial])
        table = table_of(family, rows, pool)
        options = SweepOptions(
            max_rules=5, prefer_kept=trial % 2 == 0, stop_on_nonpositive=trial % 3 == 0
        )
        sweep = Sweep(table, rows, SIGNS[kind], options)
        for penalty in PENALTIES:
            steps = path_of(sweep, penalty)
            for size in range(1, len(steps) + 1):
                assert_rebuilt(rng, rows, table, steps[:size], kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("balls", {"metric": "manhattan"}),
        ("balls", {"metric": "chebyshev"}),
        ("balls", {"ball_kernel": RBF}),
        ("balls", {"ball_kernel": POLY}),
        ("half-spaces", {"kernel": RBF}),
        ("half-spaces", {"kernel": POLY}),
        ("two-point", {"kernel": RBF}),
    ],
)
def test_rebuilding_with_kernels_and_metrics(family, options, kind, rng):
    for shape in ("smooth", "duplicates"):
        rows, pool = rows_and_pool(rng, shape, m=24)
        table = table_of(family, rows, pool, **options)
        steps = path_of(Sweep(table, rows, SIGNS[kind], SweepOptions(max_rules=4)), 1.0)
        for size in range(1, len(steps) + 1):
            assert_rebuilt(rng, rows, table, steps[:size], kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_all_half_spaces_are_rebuilt(shape, kind, rng):
    X, y = messy(rng, shape, m=20)
    rows = collapse_rows(X, y)
    geometry = Geometry()
    found = exact_candidates(
        rows, geometry, [kind], [0.7, 1.0, math.inf], SweepOptions(max_rules=4), ()
    )
    for candidate in found:
        machine = candidate.build()
        wrong = signs_of(machine, X) != y
        outside = np.ones(len(y), bool)
        outside[list(candidate.kept)] = False
        assert wrong.sum() == candidate.counts.n_errors_all
        assert wrong[outside].sum() == candidate.n_errors


def test_only_kept_examples_matter_to_the_rebuilt_machine(rng):
    """Rebuild from the kept rows alone, with nothing else in reach."""
    X, y = messy(rng, "smooth", m=30)
    rows = collapse_rows(X, y)
    _, first = np.unique(rows.row_of, return_index=True)
    table = table_of("half-spaces", rows, first)
    steps = path_of(Sweep(table, rows, 1, SweepOptions(max_rules=3)), 1.0)
    path = CodedPath.of(rows, table, steps, "conjunction")
    covers, kept = table.family.rebuild(path), list(path.kept)
    at = {e: k for k, e in enumerate(kept)}
    pairs = [(at[r.examples[0]], at[r.examples[1]]) for r in covers]
    directions = {i for pair in pairs for i in pair}
    again = rebuild_half_spaces(
        X[kept], y[kept], np.array([k not in directions for k in range(len(kept))]), pairs,
        "conjunction",
    )  # fmt: skip
    assert [r.cut for r in again] == [r.cut for r in covers]


def test_half_space_thresholds_by_hand():
    X = np.array([[3.0], [2.0], [0.0], [1.0]])
    y = np.array([1, 1, -1, -1])
    none, c = np.zeros(4, bool), np.array([False, True, False, False])
    tol = 1e-10 * 9.0
    (cover,) = rebuild_half_spaces(X, y, c, [(0, 2)], "conjunction", indices=[7, 8, 9, 10])
    assert cover == Condition(WeightedSum((3.0,)), "<", 6.0, tol, (7, 9, 8))
    c = np.array([False, False, False, True])
    (cover,) = rebuild_half_spaces(X, y, c, [(0, 2)], "disjunction")
    assert cover == Condition(WeightedSum((3.0,)), ">", 3.0, tol, (0, 2, 3))
    both = rebuild_half_spaces(X, y, none, [(0, 2), (1, 3)], "conjunction")
    assert [r.cut for r in both] == [6.0, 2.0]


def test_ball_radii_by_hand():
    X, y = np.array([[0.0], [2.0], [3.0], [-1.5]]), np.array([1, 1, -1, -1])
    covers = rebuild_balls(X, y, np.array([False, True, False, False]), "conjunction")
    assert [(r.value.center[0], r.op, r.cut) for r in covers] == [
        (0.0, ">", 2.0),
        (3.0, "<", 1.0),
        (-1.5, "<", 1.5),
    ]
    assert [r.examples for r in covers] == [(0, 1), (2, 1), (3, 0)]
    assert [r.tol for r in covers] == [2e-10, 1e-10, 1.5e-10]
    flipped = rebuild_balls(X, y, np.array([False, False, True, False]), "disjunction")
    assert [(r.op, r.cut) for r in flipped] == [("<", 1.5), ("<", 1.0), (">", 4.5)]


def test_two_points_and_stumps_by_hand():
    X, y = np.array([[2.0, 5.0], [0.0, 1.0]]), np.array([1, -1])
    (cover,) = rebuild_two_points(X[:, :1], y, [(0, 1)], [(3, 2)], "disjunction")
    assert (cover.op, cover.cut) == (">", pytest.approx(3.0))
    stumps = rebuild_stumps(X, [(1, "<", 0), (0, "=", 1)], indices=[4, 6])
    assert stumps == (Condition.on(1, "<", 5.0, (4,)), Condition.on(0, "=", 0.0, (6,)))


def test_thresholds_are_placed_at_the_example():
    X = np.array([[3.0, 4.0]])
    ball = BALLS.placed_at(ball_cover(np.zeros(2), 1.0, ">"), X)
    assert (ball.cut, ball.tol) == (5.0, 5e-10)
    assert STUMPS.placed_at(Condition.on(1, "<", 0.0), X).cut == 4.0
    value, tol = pair_value(np.array([1.0, 0.0]), np.array([0.0, 1.0]), LINEAR, (0, 1))
    assert HALF_SPACES.placed_at(Condition(value, "<", 0.0, tol), X).cut == -1.0


def test_precomputed_kernels_are_rebuilt_from_their_columns(rng):
    X, y = messy(rng, "smooth", m=12)
    K = X @ X.T
    a, b = int(np.argmax(y)), int(np.argmin(y))
    c = int(np.flatnonzero(y == 1)[1])
    kept, is_threshold = [a, b, c], np.array([False, False, True])
    plain = rebuild_half_spaces(X[kept], y[kept], is_threshold, [(0, 1)], "conjunction")
    given = rebuild_half_spaces(
        K[kept], y[kept], is_threshold, [(0, 1)], "conjunction",
        kernel=Kernel("precomputed"), indices=kept,
    )  # fmt: skip
    assert given[0].cut == pytest.approx(plain[0].cut)
    assert given[0].tol == pytest.approx(plain[0].tol)
    assert given[0].value.unit == pytest.approx(plain[0].value.unit)
    np.testing.assert_array_equal(given[0].is_met(K), plain[0].is_met(X))


def test_impossible_messages_are_refused():
    X, y = np.array([[1.0], [0.0]]), np.array([1, -1])
    with pytest.raises(ValueError, match="`is_border` must mark examples of the class"):
        rebuild_balls(X, y, np.array([False, True]), "conjunction")
    with pytest.raises(ValueError, match="one such example must be kept"):
        rebuild_balls(X[1:], y[1:], np.array([False]), "conjunction")
    with pytest.raises(ValueError, match="`pairs` must name a positive and a negative"):
        rebuild_half_spaces(X, y, np.zeros(2, bool), [(1, 0)], "conjunction")
    with pytest.raises(ValueError, match="`pairs` must name a positive and a negative"):
        rebuild_half_spaces(X, y, np.array([True, False]), [(0, 1)], "conjunction")
