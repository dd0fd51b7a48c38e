"""Rule-by-rule codes: mixed machines and decision lists."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from handful.covering.codes import listed_candidates, make_table
from handful.covering.codes.listed import default_output, listed_terms
from handful.models import RuleList
from handful.rules import FAMILIES, Geometry, Step, collapse_rows, signs_of
from tests.rules.cases import SHAPES, messy

GEOMETRY = Geometry()


def named_rules(tables, rows, d):
    """Every rule that can be named with the first d examples: (family, names, side), one step."""
    for k, table in enumerate(tables):
        for t in range(table.n_directions):
            owners = [int(p[t]) for p in (table.first, table.second) if p[t] >= 0]
            if any(o >= d for o in owners):
                continue
            for side in (0, 1):
                if table.family.levels is not None:
                    yield from (Step(t, j, side, 1, table=k) for j in range(31))
                else:
                    yield from (Step(t, 0, side, 1, c, table=k) for c in range(d))


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize(
    "families",
    [("stumps",), ("balls",), ("two-point",), ("stumps", "balls"), ("half-spaces", "stumps")],
)
def test_names_of_one_rule_weigh_at_most_one(families, d):
    rows = collapse_rows(np.arange(8.0).reshape(4, 2), np.array([1, -1, 1, -1]))
    tables = [make_table(FAMILIES[f], rows, np.arange(4), GEOMETRY) for f in families]
    weights = [
        math.exp(-tables[s.table].family.rule_nats(tables[s.table], s.j, d, 2)) / len(families)
        for s in named_rules(tables, rows, d)
    ]
    assert 0.1 < math.fsum(weights) <= 1 + 1e-12
    # a set of two distinct rules is worth both its orders, and still no more than one in all
    pairs = math.fsum(2 * a * b for a, b in itertools.combinations(weights, 2))
    assert pairs <= 1 + 1e-12


def test_sets_are_cheaper_than_lists_by_their_orders():
    rows = collapse_rows(np.arange(8.0).reshape(4, 2), np.array([1, -1, 1, -1]))
    tables = [make_table(FAMILIES["stumps"], rows, np.arange(4), GEOMETRY)]
    steps = [Step(0, 0, 0, 1, 0), Step(1, 1, 1, 1, 1)]
    as_set, kept = listed_terms(tables, rows, steps, is_list=False)
    as_list, _ = listed_terms(tables, rows, steps, is_list=True)
    assert len(kept) == 2
    (names,) = [term.nats for term in as_set if term.kind == "content"]
    assert names == pytest.approx(2 * math.log(2 * 2 * 2) - math.log(2))
    outputs = [term.nats for term in as_list if term.kind == "output"]
    assert outputs == pytest.approx([2 * math.log(2), math.log(2)])
    total = math.fsum(t.nats for t in as_list) - math.fsum(t.nats for t in as_set)
    assert total == pytest.approx(4 * math.log(2))


def test_no_term_is_negative():
    """Many rules on one example: r! may exceed the names, which then cost nothing."""
    rows = collapse_rows(np.arange(2.0)[:, None], np.array([1, -1]))
    tables = [make_table(FAMILIES["stumps"], rows, np.arange(2), GEOMETRY)]
    steps = [Step(0, 0, side, 1, 0) for side in (0, 1)] * 3
    terms, _ = listed_terms(tables, rows, steps, is_list=False)
    assert min(term.nats for term in terms) >= 0.0


def test_sizes_weigh_at_most_one():
    zeta = math.pi**2 / 6
    kept = math.fsum(1 / (zeta * (d + 1) ** 2) for d in range(20_000))
    rules = math.fsum(1 / (zeta * r**2) for r in range(1, 20_000))
    assert kept <= 1
    assert rules <= 1


@pytest.mark.parametrize("kinds", [("conjunction", "disjunction"), ("list",)])
@pytest.mark.parametrize("families", [("stumps", "balls"), ("half-spaces",), ("two-point",)])
def test_candidates_count_what_their_machines_do(families, kinds, rng):
    for shape in SHAPES:
        X, y = messy(rng, shape, m=24)
        rows = collapse_rows(X, y)
        pool = np.sort(rng.permutation(24)[:12])
        tables = [make_table(FAMILIES[f], rows, pool, GEOMETRY) for f in families]
        found = list(
            listed_candidates(
                tables, rows, pool_size=12, kinds=kinds, penalties=(1.0, 2.0, math.inf), max_rules=3
            )
        )
        assert found
        for c in found:
            machine = c.build()
            assert isinstance(machine, RuleList) == (kinds == ("list",))
            wrong = signs_of(machine, X) != y
            outside = np.ones(24, bool)
            outside[list(c.kept)] = False
            assert set(machine.examples) == set(c.kept) <= set(pool.tolist())
            assert c.counts.n_errors_all == wrong.sum()
            assert c.n_errors == wrong[outside].sum()


def test_the_default_is_the_majority_left():
    assert default_output({-1: 1, 1: 2}, 1) == 1
    assert default_output({-1: 1, 1: 0}, 1) == -1
    assert default_output({-1: 0, 1: 0}, 1) == -1
    assert default_output({-1: 0, 1: 0}, -1) == 1
