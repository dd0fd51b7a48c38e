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
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Term
from handful.covering.codes.candidate import Candidate
from handful.covering.codes.projections import Projections
from handful.rules import Rows, RuleSet
from handful.rules.family import KIND_SIGNS
from handful.rules.search.greedy import histogram, remove_rows
from handful.rules.table import WITH_MISSING, Counter, Round, covered_rows

Prefix = tuple[tuple[int, int, int], ...]

EXCHANGES = (0.5, 2.0, 5.0)  # errors given for one nat; free, since it only steers the choice


@lru_cache(maxsize=8)
def _rank_masses(n_candidates: int) -> Floats:
    """Cumulative prior mass of the first i ranks, i = 0 .. n_candidates."""
    i = np.arange(1, n_candidates + 1, dtype=np.float64)
    masses = np.concatenate([[0.0], np.cumsum(1.0 / (i * (1.0 + np.log(i)) ** 2))])
    return np.asarray(masses / masses[-1])


def level_nats(levels: Ints) -> Floats:
    """Cost of one candidate of each usefulness level, from how many candidates have it.

    Examples
    --------
    >>> import numpy as np
    >>> nats = level_nats(np.array([2, 0, 1]))  # one candidate on top, two at the bottom
    >>> round(float(np.exp(-nats[2]) + 2 * np.exp(-nats[0])), 12)
    1.0
    """
    masses = _rank_masses(int(levels.sum()))
    above = np.concatenate([np.cumsum(levels[::-1])[::-1][1:], [0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (masses[above + levels] - masses[above]) / levels
        return np.where(levels > 0, -np.log(share), np.inf)


@dataclass(frozen=True)
class CodedStep:
    """A rule of a path with its price."""

    t: int
    j: int
    side: int
    nats: float
    n_same: int = 0  # counted examples that it is the first to cover
    n_other: int = 0


def size_nats(n_rules: int) -> float:
    """Cost of the number of rules r >= 1 under the prior 2^-r."""
    return n_rules * math.log(2.0)


class PoolSweep:
    """Greedy paths over the projections of one pool, for one kind."""

    def __init__(
        self,
        projections: Projections,
        rows: Rows,
        kind: str,
        max_rules: int,
        n_threads: int = 1,
        counter: Counter | None = None,
        is_list: bool = False,
    ) -> None:
        self.projections, self.rows, self.kind = projections, rows, kind
        self.sign, self.max_rules = KIND_SIGNS[kind], max_rules
        self.table = projections.table
        self.counter = counter or pool_counter(projections, rows, n_threads)
        self.pool_table = projections.pool_table
        self.sides = projections.sides.copy()
        if self.sign > 0 and not is_list:
            self.sides[:, 1] += WITH_MISSING
        self._prices: dict[Prefix, Floats | None] = {}
        ones = np.ones(len(projections.pool), dtype=np.int64)
        self.pool_is_same = projections.pool_y == self.sign
        self.pool_same = histogram(self.pool_table, self.pool_is_same, ones)
        self.pool_other = histogram(self.pool_table, ~self.pool_is_same, ones)

    def path(self, penalty: float, exchange: float) -> list[CodedStep]:
        """Rules that maximise usefulness - exchange * nats on the counted examples."""
        steps: list[CodedStep] = []
        self.counter.run([self.rounds(penalty, exchange, steps)])
        return steps

    def rounds(self, penalty: float, exchange: float, steps: list[CodedStep]) -> Iterator[Round]:
        """Append the rules of a path to ``steps``, a round each."""
        negative, positive = (count.copy() for count in self.counter.start()[0])
        same, other = (positive, negative) if self.sign > 0 else (negative, positive)
        pool_same, pool_other = self.pool_same.copy(), self.pool_other.copy()
        pool_live = np.ones(len(self.pool_is_same), dtype=bool)
        ones = np.ones(len(pool_live), dtype=np.int64)
        while len(steps) < self.max_rules:
            prefix = tuple((step.t, step.j, step.side) for step in steps)
            nats = self._nats(prefix, pool_same, pool_other)
            if nats is None:
                break
            found = self._best((same, other, pool_same, pool_other), nats, penalty, exchange)
            if found is None:
                break
            before = int(same[0].sum()), int(other[0].sum())
            yield (0, found.t, found.j, found.side), [(negative, positive)]
            n_same, n_other = before[0] - int(same[0].sum()), before[1] - int(other[0].sum())
            steps.append(replace(found, n_same=n_same, n_other=n_other))
            gone = pool_live & covered_rows(self.pool_table, found.t, found.j, found.side)
            remove_rows(self.pool_table, gone & self.pool_is_same, ones, pool_same)
            remove_rows(self.pool_table, gone & ~self.pool_is_same, ones, pool_other)
            pool_live &= ~gone

    def _nats(self, prefix: Prefix, pool_same: Ints, pool_other: Ints) -> Floats | None:
        """Price of the next rule by its usefulness on the pool; shared by paths that agree."""
        from handful.rules.search import table_loops

        if prefix not in self._prices:
            offset = len(self.pool_is_same)
            levels = table_loops.count_usefulness(
                pool_same,
                pool_other,
                self.table.n_thresholds,
                self.sides,
                offset,
                2 * offset + 1,
            )
            # a pool of equal rows offers no rule
            self._prices[prefix] = level_nats(levels) if levels.sum() else None
        return self._prices[prefix]

    def _best(
        self, counts: tuple[Ints, Ints, Ints, Ints], nats: Floats, penalty: float, exchange: float
    ) -> CodedStep | None:
        from handful.rules.search import table_loops

        same, other, pool_same, pool_other = counts
        table, sides = self.table, self.sides
        found = table_loops.best_coded_rule(
            same,
            other,
            pool_same,
            pool_other,
            table.n_thresholds,
            sides,
            nats,
            len(self.pool_is_same),
            float(penalty),
            float(exchange) * self.rows.unit,
        )
        _, _, price, t, j, side = found
        return CodedStep(t, j, side, price) if t >= 0 else None


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
) -> Iterator[Candidate]:
    """All prefixes of all paths over one pool; in a list no rule takes a missing value."""
    counter = pool_counter(projections, rows, n_threads)
    paths: dict[tuple[str, float, float], list[CodedStep]] = {
        (kind, penalty, exchange): []
        for kind in kinds
        for penalty in penalties
        for exchange in EXCHANGES
    }
    sweeps = {
        k: PoolSweep(projections, rows, k, max_rules, counter=counter, is_list=is_list)
        for k in kinds
    }
    counter.run(sweeps[key[0]].rounds(*key[1:], steps) for key, steps in paths.items())
    totals = [int(count[:1].sum()) for count in counter.start()[0]]
    seen: set[tuple[str, Prefix]] = set()
    for (kind, penalty, _), steps in paths.items():
        for size in range(1, len(steps) + 1):
            prefix = tuple((s.t, s.j, s.side) for s in steps[:size])
            if (kind, prefix) in seen:
                continue
            seen.add((kind, prefix))
            if size == 1 and len(kinds) > 1 and kind == "disjunction":
                continue  # the same classifier as a conjunction of the opposite side
            yield _coded_candidate(
                projections, rows, kind, penalty, steps[:size], totals, scheme_terms, len(kinds)
            )


def pool_counter(projections: Projections, rows: Rows, n_threads: int = 1) -> Counter:
    """Counts the examples that are not in the pool."""
    return rows.counter([projections.table], without=projections.pool, n_threads=n_threads)


def _coded_candidate(
    projections: Projections,
    rows: Rows,
    kind: str,
    penalty: float,
    steps: Sequence[CodedStep],
    totals: Sequence[int],
    scheme_terms: tuple[Term, ...],
    n_kinds: int,
) -> Candidate:
    sign, pool_rows = KIND_SIGNS[kind], projections.table.pool_rows
    n_other = totals[0] if sign > 0 else totals[1]
    outside = {sign: sum(s.n_same for s in steps), -sign: n_other - sum(s.n_other for s in steps)}
    covered = np.zeros(len(pool_rows), dtype=bool)
    for step in steps:
        covered |= covered_rows(projections.table, step.t, step.j, step.side)[pool_rows]
    n_pool_errors = int((covered == (rows.y[pool_rows] == sign)).sum())
    prefix = tuple((s.t, s.j, s.side) for s in steps)
    kept = projections.kept
    return Candidate(
        scheme="pool",
        family=projections.family,
        kind=kind,
        penalty=penalty,
        n_rules=len(steps),
        pool_size=len(kept),
        kept=kept,
        terms=(*scheme_terms, *_price(steps, n_kinds)),
        n_false_positives=outside[-1],
        n_false_negatives=outside[1],
        n_training_errors=outside[-1] + outside[1] + n_pool_errors,
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
        return RuleSet(tuple(projections.make_rule(t, j, side) for t, j, side in prefix), kind)

    return build
