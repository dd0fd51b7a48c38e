"""Greedy search over several tables at once, rule by rule, without constraints on the examples.

Each rule names its examples, so nothing has to be rebuilt from the class of the compression set:
mixed families and decision lists need no correctness constraint. Both sides of every threshold
are candidates.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from handful._types import Ints
from handful.rules.search.greedy import grow
from handful.rules.search_rows import Rows
from handful.rules.table import Counter, Pair, Round, Table


@dataclass(frozen=True)
class ListedStep:
    """A rule of a list: which table, direction, threshold, side, output and threshold row.

    ``n_negative`` and ``n_positive`` count the rows that it is the first to cover.
    """

    table: int
    t: int
    j: int
    side: int
    output: int
    member: int
    n_negative: int = 0
    n_positive: int = 0


class ListSweep:
    """Greedy lists of rules over several tables.

    Parameters
    ----------
    tables : sequence of Table
    rows : Rows
    outputs : sequence of int
        Labels a rule may give: both for decision lists, one for a machine of a single kind.
    max_rules : int
    """

    def __init__(
        self,
        tables: Sequence[Table],
        rows: Rows,
        outputs: Sequence[int],
        max_rules: int,
        counter: Counter | None = None,
    ) -> None:
        self.tables, self.rows = tuple(tables), rows
        self.outputs, self.max_rules = tuple(outputs), max_rules
        self.counter = counter or rows.counter(self.tables)
        self.sides = [self._both_sides(table) for table in self.tables]

    def _both_sides(self, table: Table) -> Ints:
        assert table.family is not None, "a table of several families is not swept as one"
        return table.family.both_sides(table, self.rows)

    def path(self, penalties: dict[int, float]) -> tuple[ListedStep, ...]:
        """One greedy list; ``penalties[output]`` weighs the errors of rules with that output."""
        return grow(self.counter, [self.rounds(penalties)])[0]

    def rounds(self, penalties: dict[int, float]) -> Generator[Round, None, tuple[ListedStep, ...]]:
        """The rules of the greedy list, a round each."""
        steps: list[ListedStep] = []
        pairs = [(pair[0].copy(), pair[1].copy()) for pair in self.counter.start()]
        counts = [{-1: pair[0], 1: pair[1]} for pair in pairs]
        left = _sums(pairs)
        while len(steps) < self.max_rules:
            found = self._best(counts, penalties)
            if found is None:
                break
            yield (found.table, found.t, found.j, found.side), pairs
            before, left = left, _sums(pairs)
            covered = before[0] - left[0], before[1] - left[1]
            steps.append(replace(found, n_negative=covered[0], n_positive=covered[1]))
            if min(left) == 0:
                break
        return tuple(steps)

    def _best(
        self, counts: list[dict[int, Ints]], penalties: dict[int, float]
    ) -> ListedStep | None:
        from handful.rules.search import table_loops

        best_value, best = 0.0, None
        for k, table in enumerate(self.tables):
            is_open = np.ones(table.n_directions, dtype=bool)
            costs = np.zeros(table.thresholds.shape, dtype=np.int64)
            for output in self.outputs:
                usefulness, _, _, t, j, side = table_loops.best_free_rule(
                    counts[k][-output],
                    counts[k][output],
                    table.n_thresholds,
                    self.sides[k],
                    is_open,
                    costs,
                    float(penalties[output]),
                    0,
                    len(self.sides[k]),
                )
                if t >= 0 and usefulness > best_value:
                    best_value = usefulness
                    best = ListedStep(k, t, j, side, output, self._member(table, t, j))
        return best

    @staticmethod
    def _member(table: Table, t: int, j: int) -> int:
        """First row of the pool at the threshold; -1 for dyadic thresholds."""
        if table.levels is not None:
            return -1
        return int(table.pool_rows[np.argmax(table.codes[t, table.pool_rows] == 2 * j + 1)])


def _sums(pairs: Sequence[Pair]) -> tuple[int, int]:
    """Number of negatives and positives that are left, read off any direction."""
    for negative, positive in pairs:
        if len(negative):
            return int(negative[0].sum()), int(positive[0].sum())
    return 0, 0
