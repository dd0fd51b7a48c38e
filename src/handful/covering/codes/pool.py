"""Codes of a label-blind pool that is left out of the count.

All that is computed from the pool is free: scales, linear models, candidate rules and a prior over
them. The other examples choose the classifier, and count.

Each rule of a greedy path costs -log of its prior, which ranks candidates by their usefulness on
the pool given the rules before: P(rank i) proportional to 1 / (i (1 + ln i)^2), shared equally
among candidates of equal usefulness. The plainest use of a pool is its logistic regression,
threshold included, as the only rule: nothing but the choice of this code is paid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import Term
from handful.candidates import Counts
from handful.covering.codes.compression import searches_of
from handful.covering.codes.cover_candidate import (
    CoverCandidate,
    PathCounter,
    Searches,
    Terms,
    cover_code,
    recount,
)
from handful.models import Condition, Op, WeightedSum, as_floats
from handful.rules import KIND_SIGNS, PoolSweep, Projections, Rows, Step, grow, rule_set
from handful.rules.pooled import MAX_FIT, fit_logistic, is_comparable, pool_scales
from handful.threads import one_blas_thread

EXCHANGES = (0.5, 2.0, 5.0)  # errors given for one nat; free, since it only steers the choice
RIDGE = 1.0  # one code, so one penalty fixed before the data
_FEWEST = 10  # below it a regression follows single examples


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
    scheme_terms: Terms = (),
    n_threads: int = 1,
    is_list: bool = False,
) -> Iterator[CoverCandidate]:
    """All prefixes of all paths over one pool; in a list no rule takes a missing value."""
    counter = rows.counter([projections.table], without=projections.pool, n_threads=n_threads)
    sweeps = {k: PoolSweep(projections, k, max_rules, counter, rows.unit, is_list) for k in kinds}
    keys = [(kind, p, exchange) for kind in kinds for p in penalties for exchange in EXCHANGES]
    paths = grow(counter, [sweeps[kind].rounds(*how) for kind, *how in keys])
    n_counted = [int(count[:1].sum()) for count in counter.start()[0]]
    totals = dict(zip((-1, 1), n_counted, strict=True))
    by_search = dict(zip(keys, paths, strict=True))
    found_by = searches_of(by_search)
    for search, steps in by_search.items():
        kind = search[0]
        errors = PathCounter(rows, totals)
        for size, step in enumerate(steps, start=1):
            errors.follow(projections.table, step)
            prefix = steps[:size]
            searches = found_by[kind, prefix]
            if searches[0] != search:
                continue
            if size == 1 and len(kinds) > 1 and kind == "disjunction":
                continue  # the same classifier as a conjunction of the opposite side
            terms = (*scheme_terms, *pool_price(prefix, len(kinds)))
            yield _ranked(projections, searches, prefix, errors, terms)


def _ranked(
    projections: Projections,
    searches: Searches,
    steps: tuple[Step, ...],
    errors: PathCounter,
    terms: Terms,
) -> CoverCandidate:
    kind, penalty = searches[0][:2]
    return CoverCandidate(
        scheme="pool",
        family=projections.family,
        kind=kind,
        penalty=penalty,
        n_rules=len(steps),
        pool_size=len(projections.kept),
        kept=projections.kept,
        code=cover_code(*terms),
        counts=errors.counts(projections.kept, KIND_SIGNS[kind], is_apart=True),
        build=lambda: rule_set([projections.make_rule(s.t, s.j, s.side) for s in steps], kind),
        found_by=searches,
    )


def pool_price(steps: Sequence[Step], n_kinds: int) -> Terms:
    """Number of rules, kind (a single rule and its negation are both candidates), ranks."""
    # The prior given the pool: 2^-r for r rules, one half for either kind, then the rank of each
    # rule on the pool given the rules before it.
    terms = [Term("rules", "number of rules", size_nats(len(steps)))]
    if n_kinds > 1 and len(steps) > 1:
        terms.append(Term("logic", "conjunction or disjunction", math.log(2.0)))
    ranks = math.fsum(step.nats for step in steps)
    return (*terms, Term("rank", "rank of each rule on the pool", ranks))


def plain_rule(X: Floats, y: Ints, op: Op) -> Condition | None:
    """The regression of a pool as a cover; None if the pool has one class or cannot be compared.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> rule = plain_rule(X, np.where(X[:, 0] > 0, 1, -1), "<")
    >>> rule.is_met(np.array([[-0.5], [0.5]]))
    array([ True, False])
    """
    if len(y) < _FEWEST or len(np.unique(y)) < 2 or not is_comparable(X):
        return None
    center, scale = pool_scales(X)
    with one_blas_thread():
        w = fit_logistic(((X - center) / scale)[:MAX_FIT], y[:MAX_FIT], RIDGE)
    weights = w[:-1] / scale
    threshold = math.fsum((weights * center).tolist()) - float(w[-1])
    return Condition(WeightedSum(as_floats(weights)), op, threshold)


def plain_candidates(
    rows: Rows,
    pool: Ints,
    *,
    kinds: tuple[str, ...],
    scheme_terms: Terms = (),
) -> Iterator[CoverCandidate]:
    """The regression of the pool as a machine of one rule; none if there is no regression."""
    kind = "disjunction" if kinds == ("disjunction",) else "conjunction"
    pool_rows = rows.row_of[pool]
    rule = plain_rule(rows.X[pool_rows], rows.y[pool_rows], "<" if kind == "conjunction" else ">")
    if rule is None:
        return
    machine = rule_set([rule], kind)
    candidate = CoverCandidate(
        scheme="plain",
        family="linear",
        kind=kind,
        penalty=math.nan,
        n_rules=1,
        pool_size=len(pool),
        kept=tuple(np.sort(pool).tolist()),
        code=cover_code(*scheme_terms),
        counts=Counts(n_held=len(pool), n_counted=0, n_errors=0),  # before it is counted
        build=lambda: machine,
    )
    yield recount(candidate, machine, rows)
