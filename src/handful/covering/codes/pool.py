"""Pool priors: rules built from a label-blind pool, coded by how useful they are on it.

A random pool is drawn before the labels are looked at and left out of the error count. All that
is computed from it is then free: scales, linear models, candidate rules and a prior over them.
Each rule of a greedy path costs -log of its prior, which ranks candidates by their usefulness on
the pool given the rules before: P(rank i) proportional to 1 / (i (1 + ln i)^2), shared equally
among candidates of equal usefulness. The other examples choose the path, and count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from handful.bounds import Term
from handful.covering.codes.cover_candidate import CoverCandidate, PathCounter, cover_code
from handful.models import RuleSet
from handful.rules import Rows, rule_set
from handful.rules.family import KIND_SIGNS
from handful.rules.pooled import Projections
from handful.rules.search.greedy import grow
from handful.rules.search.pool_sweep import CodedStep, PoolSweep, Prefix, pool_counter
from handful.rules.table import covered_rows

EXCHANGES = (0.5, 2.0, 5.0)  # errors given for one nat; free, since it only steers the choice


def size_nats(n_rules: int) -> float:
    """Cost of the number of rules r >= 1 under the prior 2^-r."""
    return n_rules * math.log(2.0)


def pool_candidates(
    rows: Rows,
    projections: Projections,
    *,
    kinds: Sequence[str],
    penalties: Sequence[float],
    max_rules: int,
    scheme_terms: tuple[Term, ...] = (),
    n_threads: int = 1,
    is_list: bool = False,
) -> Iterator[CoverCandidate]:
    """All prefixes of all paths over one pool; in a list no rule takes a missing value."""
    counter = pool_counter(projections, rows, n_threads)
    keys = [(kind, p, exchange) for kind in kinds for p in penalties for exchange in EXCHANGES]
    sweeps = {
        k: PoolSweep(projections, rows, k, max_rules, counter=counter, is_list=is_list)
        for k in kinds
    }
    paths = grow(counter, [sweeps[kind].rounds(*how) for kind, *how in keys])
    n_counted = [int(count[:1].sum()) for count in counter.start()[0]]
    totals = dict(zip((-1, 1), n_counted, strict=True))
    seen: set[tuple[str, Prefix]] = set()
    for (kind, penalty, _), steps in zip(keys, paths, strict=True):
        errors, sign = PathCounter(rows, totals), KIND_SIGNS[kind]
        for size, step in enumerate(steps, start=1):
            covered = covered_rows(projections.table, step.t, step.j, step.side)
            errors.cover(covered, -sign, {sign: step.n_same, -sign: step.n_other})
            prefix = tuple((s.t, s.j, s.side) for s in steps[:size])
            if (kind, prefix) in seen:
                continue
            seen.add((kind, prefix))
            if size == 1 and len(kinds) > 1 and kind == "disjunction":
                continue  # the same classifier as a conjunction of the opposite side
            yield _coded_candidate(
                projections, kind, penalty, steps[:size], errors, scheme_terms, len(kinds)
            )


def _coded_candidate(
    projections: Projections,
    kind: str,
    penalty: float,
    steps: Sequence[CodedStep],
    errors: PathCounter,
    scheme_terms: tuple[Term, ...],
    n_kinds: int,
) -> CoverCandidate:
    prefix = tuple((s.t, s.j, s.side) for s in steps)
    kept = projections.kept
    counts = errors.counts(kept, KIND_SIGNS[kind], is_apart=True)
    return CoverCandidate(
        scheme="pool",
        family=projections.family,
        kind=kind,
        penalty=penalty,
        n_rules=len(steps),
        pool_size=len(kept),
        kept=kept,
        code=cover_code(*scheme_terms, *_price(steps, n_kinds)),
        counts=counts,
        build=_builder(projections, prefix, kind),
    )


def _price(steps: Sequence[CodedStep], n_kinds: int) -> tuple[Term, ...]:
    """Number of rules, kind (a single rule and its negation are both candidates), ranks."""
    terms = [Term("rules", "number of rules", size_nats(len(steps)))]
    if n_kinds > 1 and len(steps) > 1:
        terms.append(Term("logic", "conjunction or disjunction", math.log(2.0)))
    ranks = math.fsum(step.nats for step in steps)
    return (*terms, Term("rank", "rank of each rule on the pool", ranks))


def _builder(projections: Projections, prefix: Prefix, kind: str) -> Callable[[], RuleSet]:
    def build() -> RuleSet:
        return rule_set([projections.make_rule(t, j, side) for t, j, side in prefix], kind)

    return build
