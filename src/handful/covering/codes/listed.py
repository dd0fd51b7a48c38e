"""Candidates coded rule by rule: mixed families in one machine, and decision lists.

Each rule names its family, its examples among the d kept ones, its side and, in a decision
list, its output. The code of an unordered set of r distinct rules is r! times cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from handful.bounds import Term, log_zeta_prior
from handful.covering.codes.cover_candidate import (
    CoverCandidate,
    PathCounter,
    Terms,
    cover_code,
    kept_term,
)
from handful.models import Condition, Rule, RuleList, SignedRules
from handful.rules import (
    KIND_SIGNS,
    CandidateTable,
    CodedRule,
    ListSweep,
    Rows,
    Step,
    grow,
    rule_set,
)


def _coded(tables: Sequence[CandidateTable], step: Step) -> CodedRule:
    return tables[step.table].coded(step.t, step.j, step.side, step.member)


def listed_terms(
    tables: Sequence[CandidateTable], rows: Rows, steps: Sequence[Step], is_list: bool
) -> tuple[Terms, tuple[int, ...]]:
    """Price of a path coded rule by rule, and its kept examples."""
    kept = sorted(set().union(*(_coded(tables, step).examples for step in steps)))
    r, d = len(steps), len(kept)
    # Each rule names its examples among the d kept ones, independently of the other rules.
    names = math.fsum(
        tables[s.table].family.rule_nats(tables[s.table], s.j, d, rows.X.shape[1]) for s in steps
    )
    terms = [
        Term("size", "how many examples are kept", log_zeta_prior(d)),
        Term("rules", "number of rules", log_zeta_prior(r - 1)),
        Term("content", "examples, side and threshold of each rule", names),
    ]
    if len(tables) > 1:
        terms.append(Term("family", "family of each rule", r * math.log(len(tables))))
    if is_list:
        terms.append(Term("output", "output of each rule", r * math.log(2.0)))
        terms.append(Term("output", "default output", math.log(2.0)))
    elif r > 1:
        # The r! orders of a set are one machine and add up their masses. A term is never negative.
        terms[2] = replace(terms[2], nats=max(0.0, names - math.lgamma(r + 1.0)))
    return tuple(terms), tuple(kept)


def default_output(left: dict[int, int], last_output: int) -> int:
    """Label of what no rule covers: the majority left; nothing left: opposite of the last."""
    if left[-1] == left[1]:
        return -last_output if last_output else 1
    return 1 if left[1] > left[-1] else -1


def listed_candidates(
    tables: Sequence[CandidateTable],
    rows: Rows,
    *,
    pool_size: int,
    kinds: Sequence[str],
    penalties: Sequence[float],
    max_rules: int,
    scheme_terms: Terms = (),
    all_pairs: bool = False,
) -> Iterator[CoverCandidate]:
    """Candidates of mixed machines ("conjunction", "disjunction") or decision lists ("list").

    A list has a penalty for each output; ``all_pairs`` tries all pairs of them.
    """
    table_counter = rows.counter(tables)
    keys, paths = [], []
    for kind in kinds:
        is_list = kind == "list"
        outputs = (-1, 1) if is_list else (-KIND_SIGNS[kind],)
        sweep = ListSweep(tables, rows, outputs, max_rules, table_counter)
        for pair in _penalty_pairs(penalties, is_list, all_pairs):
            keys.append((kind, pair))
            paths.append(sweep.rounds({-1: pair[0], 1: pair[1]}))
    for (kind, pair), steps in zip(keys, grow(table_counter, paths), strict=True):
        counter = PathCounter(rows, rows.searched_totals)
        for size, step in enumerate(steps, start=1):
            counter.follow(tables[step.table], step)
            is_list = kind == "list"
            rest = default_output(counter.left, step.output) if is_list else KIND_SIGNS[kind]
            yield _listed_candidate(
                tables, rows, steps[:size], counter, rest, (kind, *pair), pool_size, scheme_terms
            )


def _penalty_pairs(
    penalties: Sequence[float], is_list: bool, all_pairs: bool
) -> Iterator[tuple[float, float]]:
    for first in penalties:
        for second in penalties if is_list else (first,):
            if all_pairs or first == second or min(first, second) == 1.0:
                yield first, second


def _listed_candidate(
    tables: Sequence[CandidateTable],
    rows: Rows,
    steps: Sequence[Step],
    counter: PathCounter,
    rest: int,
    search: tuple[str, float, float],
    pool_size: int,
    scheme_terms: Terms,
) -> CoverCandidate:
    kind, *penalties = search
    terms, kept = listed_terms(tables, rows, steps, kind == "list")
    counts = counter.counts(kept, rest)
    return CoverCandidate(
        scheme="compression",
        family="+".join(table.family.name for table in tables),
        kind=kind,
        penalty=max(penalties),
        n_rules=len(steps),
        pool_size=pool_size,
        kept=kept,
        code=cover_code(*scheme_terms, kept_term(pool_size, kept), *terms),
        counts=counts,
        build=_builder(tables, rows, tuple(steps), rest, kind),
        found_by=(search,),
    )


def _builder(
    tables: Sequence[CandidateTable], rows: Rows, steps: tuple[Step, ...], rest: int, kind: str
) -> Callable[[], SignedRules]:
    def cover(step: Step) -> Condition:
        table = tables[step.table]
        made = table.family.make_rule(table, rows, _coded(tables, step))
        return table.family.placed_at(made, rows.X[[step.member]]) if step.member >= 0 else made

    def build() -> SignedRules:
        if kind != "list":
            return rule_set([cover(step) for step in steps], kind)
        rules = tuple(Rule((cover(step),), int(step.output > 0)) for step in steps)
        return RuleList(rules, int(rest > 0))

    return build
