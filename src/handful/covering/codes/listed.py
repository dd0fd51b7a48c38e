"""Candidates coded rule by rule: mixed families in one machine, and decision lists.

Each rule names its family, its examples among the d kept ones, its side and, in a decision
list, its output. The code of an unordered set of r distinct rules is r! times cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from handful.bounds import Term
from handful.candidates import log_choices
from handful.covering.codes.cover_candidate import CoverCandidate, PathCounter, cover_code
from handful.models import Condition, Rule, RuleList, SignedRules
from handful.rules import Rows, Table, rule_set
from handful.rules.family import KIND_SIGNS, Family
from handful.rules.search.greedy import grow
from handful.rules.search.list_sweep import ListedStep, ListSweep
from handful.rules.table import covered_rows

Terms = tuple[Term, ...]

_LOG_ZETA_2 = math.log(math.pi**2 / 6.0)


def _examples(table: Table, rows: Rows, step: ListedStep) -> set[int]:
    """Original indices of the examples that a rule names."""
    found = {
        int(table.pool[position[step.t]])
        for position in (table.first, table.second)
        if position[step.t] >= 0
    }
    if step.member >= 0:
        found.add(_pool_example(table, rows, step.member))
    return found


def _pool_example(table: Table, rows: Rows, row: int) -> int:
    return int(table.pool[np.argmax(table.pool_rows == row)])


def _family_of(table: Table) -> Family:
    assert table.family is not None, "lists are made of tables of one family each"
    return table.family


def listed_terms(
    tables: Sequence[Table], rows: Rows, steps: Sequence[ListedStep], is_list: bool
) -> tuple[Terms, tuple[int, ...]]:
    """Price of a path coded rule by rule, and its kept examples."""
    kept = sorted(set().union(*(_examples(tables[s.table], rows, s) for s in steps)))
    r, d = len(steps), len(kept)
    names = math.fsum(
        _family_of(tables[s.table]).rule_nats(tables[s.table], s.j, d, rows.X.shape[1])
        for s in steps
    )
    terms = [
        Term("size", "how many examples are kept", _LOG_ZETA_2 + 2.0 * math.log(d + 1.0)),
        Term("rules", "number of rules", _LOG_ZETA_2 + 2.0 * math.log(r)),
        Term("content", "examples, side and threshold of each rule", names),
    ]
    if len(tables) > 1:
        terms.append(Term("family", "family of each rule", r * math.log(len(tables))))
    if is_list:
        terms.append(Term("output", "output of each rule", r * math.log(2.0)))
        terms.append(Term("output", "default output", math.log(2.0)))
    elif r > 1:
        # the order of a set does not matter; never let a term be negative
        terms[2] = replace(terms[2], nats=max(0.0, names - math.lgamma(r + 1.0)))
    return tuple(terms), tuple(kept)


def default_output(left: dict[int, int], last_output: int) -> int:
    """Label of what no rule covers: the majority left; nothing left: opposite of the last."""
    if left[-1] == left[1]:
        return -last_output if last_output else 1
    return 1 if left[1] > left[-1] else -1


def listed_candidates(
    tables: Sequence[Table],
    rows: Rows,
    *,
    pool_size: int,
    kinds: Sequence[str],
    penalties: Sequence[float],
    max_rules: int,
    scheme_terms: Terms = (),
) -> Iterator[CoverCandidate]:
    """Candidates of mixed machines ("conjunction", "disjunction") or decision lists ("list")."""
    table_counter = rows.counter(tables)
    keys, paths = [], []
    for kind in kinds:
        is_list = kind == "list"
        outputs = (-1, 1) if is_list else (-KIND_SIGNS[kind],)
        sweep = ListSweep(tables, rows, outputs, max_rules, table_counter)
        for pair in _penalty_pairs(penalties, is_list):
            keys.append((kind, pair))
            paths.append(sweep.rounds({-1: pair[0], 1: pair[1]}))
    for (kind, pair), steps in zip(keys, grow(table_counter, paths), strict=True):
        counter = PathCounter(rows, rows.searched_totals)
        for size, step in enumerate(steps, start=1):
            covered = covered_rows(tables[step.table], step.t, step.j, step.side)
            counter.cover(covered, step.output, {-1: step.n_negative, 1: step.n_positive})
            left = counter.left
            rest = default_output(left, step.output) if kind == "list" else KIND_SIGNS[kind]
            yield _listed_candidate(
                tables, rows, steps[:size], counter, rest, kind, max(pair), pool_size, scheme_terms
            )


def _penalty_pairs(penalties: Sequence[float], is_list: bool) -> Iterator[tuple[float, float]]:
    for first in penalties:
        for second in penalties if is_list else (first,):
            if first == second or min(first, second) == 1.0:
                yield first, second


def _listed_candidate(
    tables: Sequence[Table],
    rows: Rows,
    steps: Sequence[ListedStep],
    counter: PathCounter,
    rest: int,
    kind: str,
    penalty: float,
    pool_size: int,
    scheme_terms: Terms,
) -> CoverCandidate:
    terms, kept = listed_terms(tables, rows, steps, kind == "list")
    counts = counter.counts(kept, rest)
    which = Term("kept", "which examples are kept", log_choices(pool_size, len(kept)))
    return CoverCandidate(
        scheme="compression",
        family="+".join(_family_of(table).name for table in tables),
        kind=kind,
        penalty=penalty,
        n_rules=len(steps),
        pool_size=pool_size,
        kept=kept,
        code=cover_code(*scheme_terms, which, *terms),
        counts=counts,
        build=_builder(tables, rows, tuple(steps), rest, kind),
    )


def _builder(
    tables: Sequence[Table], rows: Rows, steps: tuple[ListedStep, ...], rest: int, kind: str
) -> Callable[[], SignedRules]:
    def cover(step: ListedStep) -> Condition:
        table = tables[step.table]
        family = _family_of(table)
        member = _pool_example(table, rows, step.member) if step.member >= 0 else -1
        made = family.make_rule(table, rows, step.t, step.j, step.side, member)
        return family.placed_at(made, rows.X[[step.member]]) if step.member >= 0 else made

    def build() -> SignedRules:
        if kind != "list":
            return rule_set([cover(step) for step in steps], kind)
        rules = tuple(Rule((cover(step),), int(step.output > 0)) for step in steps)
        return RuleList(rules, int(rest > 0))

    return build
