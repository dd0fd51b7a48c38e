"""Codes of compression schemes: every classifier has its own, and there are no more than paid."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from handful.bounds import Term, ball_message, log_binomial_coefficient
from handful.covering.codes import (
    PathCounter,
    compression_candidates,
    constant_candidates,
    make_table,
)
from handful.rules import FAMILIES as BY_NAME
from handful.rules import CodedPath, Geometry, Step, SweepOptions, collapse_rows, signs_of
from tests.rules.cases import FAMILIES, KINDS, SHAPES, SIGNS, messy

GEOMETRY = Geometry()
CODE = Term("code", "which code is used", 1.5)
NAMING = {  # terms that name things, as opposed to saying how many there are
    "stumps": {"content"},
    "balls": {"borders"},
    "half-spaces": {"thresholds", "pairs"},
    "two-point": {"pairs", "thresholds"},
}


def path_message(rows, table, steps, kind):
    """Message of a path and the examples it keeps."""
    path = CodedPath.of(rows, table, steps, kind)
    return table.family.message(path), path.kept


def five_points(n_positive, n=2):
    rng = np.random.default_rng(n_positive)
    y = np.where(np.arange(5) < n_positive, 1, -1)
    return collapse_rows(rng.normal(size=(5, n)), y)


def all_steps(family, table, rows, kind):
    """Every rule the family knows, as a step."""
    sign = SIGNS[kind]
    members = [int(r) for r in table.pool_rows if rows.y[r] == sign]
    for t, side in table.family.sides(table, rows, sign).tolist():
        if family in ("balls", "half-spaces"):
            yield from (Step(t, 0, side, -sign, c) for c in members)
        elif family == "stumps":
            yield from (Step(t, 0, side, -sign, int(r)) for r in table.pool_rows)
        else:
            yield from (Step(t, j, side, -sign) for j in (3, 7, 15))  # levels 3, 2, 1


def descriptor(family, table, rows, steps, kind):
    """What the receiver of the code learns, beside which examples are kept."""
    if family == "stumps":
        return frozenset((s.t, s.side, s.member) for s in steps)
    if family == "two-point":
        return frozenset((s.t, s.j) for s in steps)
    directions = frozenset(s.t for s in steps)
    owners = {int(table.pool_rows[p[s.t]]) for s in steps for p in (table.first, table.second)
              if p[s.t] >= 0}  # fmt: skip
    return directions, frozenset(s.member for s in steps) - owners


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_positive", [1, 2, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_codes_are_as_many_as_paid_for(family, n_positive, kind):
    """Kraft, cell by cell: given the kept examples and all sizes, names need their own nats."""
    rows = five_points(n_positive)
    table = make_table(BY_NAME[family], rows, np.arange(5), GEOMETRY)
    steps = list(all_steps(family, table, rows, kind))
    cells: dict[object, dict[object, float]] = {}
    for r in (1, 2) if family == "stumps" else (1, 2, 3):
        for chosen in itertools.combinations(steps, r):
            if family != "stumps" and len({s.t for s in chosen}) < r:
                continue  # each direction gives one rule
            message, kept = path_message(rows, table, chosen, kind)
            sizes = tuple(t.nats for t in message.terms if t.kind not in NAMING[family])
            naming = math.fsum(t.nats for t in message.terms if t.kind in NAMING[family])
            key = descriptor(family, table, rows, chosen, kind)
            split = _owner_counts(table, rows, chosen)
            if family in ("balls", "half-spaces"):
                split = (*split, len(key[1]))
            cells.setdefault((r, kept, sizes, split), {})[key] = naming
    assert len(cells) > 5
    for found in cells.values():
        assert math.fsum(math.exp(-nats) for nats in found.values()) <= 1 + 1e-9


def _owner_counts(table, rows, steps):
    firsts = {int(table.first[s.t]) for s in steps}
    seconds = {int(table.second[s.t]) for s in steps}
    labels = rows.y[table.pool_rows[sorted(firsts)]]
    return len(firsts), len(seconds), int((labels > 0).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_all_codes_together_weigh_at_most_one(family, kind):
    """Kraft over everything with few rules, kept sets and the empty machine included."""
    rows = five_points(2, n=1)
    table = make_table(BY_NAME[family], rows, np.arange(5), GEOMETRY)
    steps = list(all_steps(family, table, rows, kind))
    codes = {}
    for r in (1, 2, 3):
        for chosen in itertools.combinations(steps, r):
            if family != "stumps" and len({s.t for s in chosen}) < r:
                continue
            message, kept = path_message(rows, table, chosen, kind)
            key = descriptor(family, table, rows, chosen, kind), kept
            codes[key] = float(message) + float(log_binomial_coefficient(5, len(kept)))
    empty = float(path_message(rows, table, (), kind)[0])
    assert math.exp(-empty) + math.fsum(math.exp(-v) for v in codes.values()) <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_candidates_count_what_their_machines_do(family, rng):
    for shape in SHAPES:
        X, y = messy(rng, shape, m=30)
        rows = collapse_rows(X, y)
        pool = np.sort(rng.permutation(30)[:20])
        table = make_table(BY_NAME[family], rows, pool, GEOMETRY)
        found = list(
            compression_candidates(
                rows, table, pool_size=20, kinds=KINDS, penalties=(0.6, 1.0, math.inf),
                options=SweepOptions(max_rules=4), scheme_terms=(CODE,),
            )
        )  # fmt: skip
        assert found
        for c in found:
            wrong = signs_of(c.build(), X) != y
            outside = np.ones(30, bool)
            outside[list(c.kept)] = False
            assert set(c.kept) <= set(pool.tolist())
            assert c.counts.n_errors_all == wrong.sum()
            assert c.n_false_positives == (wrong & outside & (y < 0)).sum()
            assert c.n_false_negatives == (wrong & outside & (y > 0)).sum()
            assert c.terms[0] == CODE
            assert {term.kind: term.nats for term in c.terms}["kept"] == pytest.approx(
                math.log(math.comb(20, len(c.kept)))
            )
            assert min(term.nats for term in c.terms) >= 0


def test_prices_by_hand():
    """Roles are told apart: centres by class, borders, and examples that serve twice."""
    x = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])[:, None]
    y = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
    rows = collapse_rows(x, y)
    table = make_table(BY_NAME["balls"], rows, np.arange(9), GEOMETRY)
    other, same = Step(7, 0, 0, -1, 5), Step(4, 0, 1, -1, 5)
    message, kept = path_message(rows, table, [other], "conjunction")
    assert (message.terms, kept) == (ball_message(0, 1, 1).terms, (5, 7))
    message, kept = path_message(rows, table, [other, same], "conjunction")
    assert (message.terms, kept) == (ball_message(1, 1, 1).terms, (4, 5, 7))
    own = Step(5, 0, 1, -1, 4)  # its centre is the border of the other two
    message, kept = path_message(rows, table, [other, same, own], "conjunction")
    assert (message.terms, kept) == (ball_message(2, 1, 0).terms, (4, 5, 7))


def test_pools_with_duplicates_name_each_row_once(rng):
    X = np.repeat(rng.normal(size=(4, 2)), 5, axis=0)
    y = np.tile([1, -1, 1, -1, 1], 4)
    rows = collapse_rows(X, y)
    table = make_table(BY_NAME["balls"], rows, np.arange(20), GEOMETRY)
    assert len(table.pool) == len(rows.y) == 8
    assert len(set(table.pool_rows.tolist())) == 8


def _anonymous(machine):
    """Rules without the numbers of examples, which are the order's."""
    conditions = [replace(condition, examples=()) for condition in machine.conditions]
    return machine.default, conditions


def test_the_order_of_the_examples_does_not_matter(rng):
    X, y = messy(rng, "duplicates", m=30)
    order = rng.permutation(30)
    priced = []
    for index in (np.arange(30), order):
        rows = collapse_rows(X[index], y[index])
        for family in FAMILIES:
            table = make_table(BY_NAME[family], rows, np.arange(30), GEOMETRY)
            candidates = compression_candidates(
                rows, table, pool_size=30, kinds=KINDS, penalties=(1.0,), options=SweepOptions()
            )
            priced.append([(family, c.nats, c.n_errors, _anonymous(c.build())) for c in candidates])
    assert priced[:4] == priced[4:]


def test_constants_are_counted_and_paid():
    rows = collapse_rows(np.arange(5.0)[:, None], np.array([1, 1, 1, -1, -1]))
    both = list(constant_candidates(rows, (Term("code", "a", 1.0),), KINDS))
    assert [c.n_errors for c in both] == [2, 3]
    assert [c.nats for c in both] == pytest.approx([1 + math.log(2)] * 2)
    (one,) = constant_candidates(rows, (), ("disjunction",))
    assert one.terms == ()
    assert signs_of(one.build(), rows.X).tolist() == [-1] * 5


def test_a_counter_follows_the_cover():
    rows = collapse_rows(np.arange(4.0)[:, None], np.array([1, -1, 1, -1]))
    counter = PathCounter(rows, rows.totals)

    def errors(*arguments, **options):
        counts = counter.counts(*arguments, **options)
        return *(n_wrong for _, n_wrong in counts.by_class), counts.n_errors_all

    assert errors((), 1) == (2, 0, 2)
    counter.cover(rows.X[:, 0] >= 2, -1)
    assert errors((), 1) == (1, 1, 2)
    assert errors((1,), 1) == (0, 1, 2)
    counter.cover(rows.X[:, 0] >= 1, 1)  # a list: the first rule that covers decides
    assert errors((), -1) == (1, 2, 3)
    assert errors((0,), -1) == (1, 1, 3)
    assert errors((0,), -1, is_apart=True) == (1, 2, 4)
