"""Greedy covers by the candidates of a pool, each at the price of its rank there.

Candidates are ranked by their usefulness on the pool given the rules before:
P(rank i) proportional to 1 / (i (1 + ln i)^2), shared equally among candidates of equal
usefulness. The examples outside the pool choose the path.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from handful.arrays import Floats, Ints
from handful.rules.family import KIND_SIGNS
from handful.rules.pooled import Projections
from handful.rules.search.greedy import Step, add_rows, histogram
from handful.rules.table import WITH_MISSING, Counter, Round, covered_rows

Prefix = tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=8)
def place_masses(n_candidates: int) -> Floats:
    """Cumulative prior mass of the first i ranks, i = 0 .. n_candidates."""
    # Divided by their sum below: the masses of all ranks add up to one.
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
    masses = place_masses(int(levels.sum()))
    # How many candidates are more useful than those of each level.
    above = np.concatenate([np.cumsum(levels[::-1])[::-1][1:], [0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        # Equally useful candidates share the mass of their ranks: their order would be arbitrary.
        share = (masses[above + levels] - masses[above]) / levels
        return np.where(levels > 0, -np.log(share), np.inf)


class PoolSweep:
    """Greedy paths over the projections of one pool, for one kind.

    ``counter`` counts the examples outside the pool, each by ``unit``. In a list, no rule takes a
    missing value.
    """

    def __init__(
        self,
        projections: Projections,
        kind: str,
        max_rules: int,
        counter: Counter,
        unit: int = 1,
        is_list: bool = False,
    ) -> None:
        self.sign, self.max_rules = KIND_SIGNS[kind], max_rules
        self.table, self.pool_table = projections.table, projections.pool_table
        self.counter, self.unit = counter, unit
        self.sides = projections.sides.copy()
        if self.sign > 0 and not is_list:
            # In a conjunction a missing value fails the condition, so its cover takes the row.
            self.sides[:, 1] += WITH_MISSING
        self._prices: dict[Prefix, Floats | None] = {}
        ones = np.ones(len(projections.pool), dtype=np.int64)
        self.pool_is_same = projections.pool_y == self.sign
        self.pool_same = histogram(self.pool_table, self.pool_is_same, ones)
        self.pool_other = histogram(self.pool_table, ~self.pool_is_same, ones)

    def rounds(self, penalty: float, exchange: float) -> Generator[Round, None, tuple[Step, ...]]:
        """The rules that maximise usefulness - exchange * nats on the counted examples."""
        steps: list[Step] = []
        negative, positive = (count.copy() for count in self.counter.start()[0])
        same, other = (positive, negative) if self.sign > 0 else (negative, positive)
        pool_same, pool_other = self.pool_same.copy(), self.pool_other.copy()
        pool_live = np.ones(len(self.pool_is_same), dtype=bool)
        minus = -np.ones(len(pool_live), dtype=np.int64)
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
            add_rows(self.pool_table, gone & self.pool_is_same, minus, pool_same)
            add_rows(self.pool_table, gone & ~self.pool_is_same, minus, pool_other)
            pool_live &= ~gone
        return tuple(steps)

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
    ) -> Step | None:
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
            float(exchange) * self.unit,
        )
        _, _, price, t, j, side = found
        return Step(t, j, side, -self.sign, nats=price) if t >= 0 else None
