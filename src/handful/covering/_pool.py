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
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from handful.covering._candidates import Candidate, count_errors
from handful.covering._compression import KIND_SIGNS
from handful.covering._projections import Projections
from handful.rules import Rows, RuleSet
from handful.rules._greedy import histogram, remove_rows
from handful.rules._table import covered_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

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
    ) -> None:
        self.projections, self.rows, self.kind = projections, rows, kind
        self.n_threads = n_threads
        self.sign, self.max_rules = KIND_SIGNS[kind], max_rules
        self.is_same = rows.y == self.sign
        self.table = projections.table
        outside = projections.outside_weight
        self.same = histogram(self.table, self.is_same, outside, n_threads)
        self.other = histogram(self.table, ~self.is_same, outside, n_threads)
        self.pool_table = projections.pool_table
        ones = np.ones(len(projections.pool), dtype=np.int64)
        self.pool_is_same = projections.pool_y == self.sign
        self.pool_same = histogram(self.pool_table, self.pool_is_same, ones)
        self.pool_other = histogram(self.pool_table, ~self.pool_is_same, ones)

    def path(self, penalty: float, exchange: float) -> list[CodedStep]:
        """Rules that maximise usefulness - exchange * nats on the counted examples."""
        outside = self.projections.outside_weight
        same, other = self.same.copy(), self.other.copy()
        pool_same, pool_other = self.pool_same.copy(), self.pool_other.copy()
        live = outside > 0
        pool_live = np.ones(len(self.pool_is_same), dtype=bool)
        ones = np.ones(len(pool_live), dtype=np.int64)
        steps: list[CodedStep] = []
        while len(steps) < self.max_rules:
            step = self._best((same, other, pool_same, pool_other), penalty, exchange)
            if step is None:
                break
            steps.append(step)
            gone = live & covered_rows(self.table, step.t, step.j, step.side)
            remove_rows(self.table, gone & self.is_same, outside, same, self.n_threads)
            remove_rows(self.table, gone & ~self.is_same, outside, other, self.n_threads)
            live &= ~gone
            gone = pool_live & covered_rows(self.pool_table, step.t, step.j, step.side)
            remove_rows(self.pool_table, gone & self.pool_is_same, ones, pool_same)
            remove_rows(self.pool_table, gone & ~self.pool_is_same, ones, pool_other)
            pool_live &= ~gone
        return steps

    def _best(
        self, counts: tuple[Ints, Ints, Ints, Ints], penalty: float, exchange: float
    ) -> CodedStep | None:
        from handful.rules import _loops

        same, other, pool_same, pool_other = counts
        table, sides = self.table, self.projections.sides
        offset = len(self.pool_is_same)
        levels = _loops.count_usefulness(
            pool_same, pool_other, table.n_thresholds, sides, offset, 2 * offset + 1
        )
        if levels.sum() == 0:  # a pool of equal rows offers no rule
            return None
        found = _loops.best_coded_rule(
            same,
            other,
            pool_same,
            pool_other,
            table.n_thresholds,
            sides,
            level_nats(levels),
            offset,
            float(penalty),
            float(exchange),
        )
        _, _, nats, t, j, side = found
        return CodedStep(t, j, side, nats) if t >= 0 else None


def pool_candidates(
    rows: Rows,
    projections: Projections,
    *,
    kinds: Sequence[str],
    penalties: Sequence[float],
    max_rules: int,
    scheme_terms: tuple[tuple[str, float], ...] = (),
    n_threads: int = 1,
) -> Iterator[Candidate]:
    """All prefixes of all paths over one pool."""
    kept = tuple(sorted(int(e) for e in projections.pool))
    for kind in kinds:
        sweep = PoolSweep(projections, rows, kind, max_rules, n_threads)
        seen: set[tuple[tuple[int, int, int], ...]] = set()
        for penalty in penalties:
            for exchange in EXCHANGES:
                steps = sweep.path(penalty, exchange)
                covered = np.zeros(rows.X.shape[0], dtype=bool)
                for size, step in enumerate(steps, start=1):
                    covered |= covered_rows(sweep.table, step.t, step.j, step.side)
                    prefix = tuple((s.t, s.j, s.side) for s in steps[:size])
                    if prefix in seen:
                        continue
                    seen.add(prefix)
                    if size == 1 and len(kinds) > 1 and kind == "disjunction":
                        continue  # the same classifier as a conjunction of the opposite side
                    price = _price(steps[:size], len(kinds))
                    wrong = covered == (rows.y == sweep.sign)
                    errors = count_errors(rows, wrong, kept)
                    yield Candidate(
                        scheme="pool",
                        family=projections.family,
                        kind=kind,
                        penalty=penalty,
                        n_rules=size,
                        pool_size=len(kept),
                        kept=kept,
                        terms=(*scheme_terms, *price),
                        n_false_positives=errors[0],
                        n_false_negatives=errors[1],
                        n_training_errors=errors[2],
                        build=_builder(projections, prefix, kind),
                    )


def _price(steps: Sequence[CodedStep], n_kinds: int) -> tuple[tuple[str, float], ...]:
    """Number of rules, kind (a single rule and its negation are both candidates), ranks."""
    terms = [("number of rules", size_nats(len(steps)))]
    if n_kinds > 1 and len(steps) > 1:
        terms.append(("conjunction or disjunction", math.log(2.0)))
    ranks = math.fsum(step.nats for step in steps)
    return (*terms, ("rank of each rule on the pool", ranks))


def _builder(
    projections: Projections, prefix: tuple[tuple[int, int, int], ...], kind: str
) -> Callable[[], RuleSet]:
    def build() -> RuleSet:
        return RuleSet(tuple(projections.make_rule(t, j, side) for t, j, side in prefix), kind)

    return build
