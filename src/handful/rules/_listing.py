"""Greedy search over several tables at once, rule by rule, without constraints on the examples.

Each rule names its examples, so nothing has to be rebuilt from the class of the compression set:
mixed families and decision lists need no correctness constraint. Both sides of every threshold
are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handful.rules._greedy import histogram, remove_rows
from handful.rules._table import ABOVE, BELOW, Rows, Table, covered_rows, sides_of

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ListedStep:
    """A rule of a list: which table, direction, threshold, side, output and threshold row."""

    table: int
    t: int
    j: int
    side: int
    output: int
    member: int


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
        self, tables: Sequence[Table], rows: Rows, outputs: Sequence[int], max_rules: int
    ) -> None:
        self.tables, self.rows = tuple(tables), rows
        self.outputs, self.max_rules = tuple(outputs), max_rules
        self.counts = [
            {label: histogram(table, rows.y == label, rows.weight) for label in (-1, 1)}
            for table in self.tables
        ]
        self.sides = [self._both_sides(table) for table in self.tables]

    def _both_sides(self, table: Table) -> Ints:
        if table.family == "stumps":
            return sides_of(table, self.rows, 1)
        t = np.arange(table.n_directions)
        return np.column_stack([np.repeat(t, 2), np.tile([BELOW, ABOVE], len(t))])

    def path(self, penalties: dict[int, float]) -> list[ListedStep]:
        """One greedy list; ``penalties[output]`` weighs the errors of rules with that output."""
        counts = [{k: v.copy() for k, v in count.items()} for count in self.counts]
        live = np.ones(self.rows.X.shape[0], dtype=bool)
        steps: list[ListedStep] = []
        while len(steps) < self.max_rules:
            step = self._best(counts, penalties)
            if step is None:
                break
            steps.append(step)
            gone = live & covered_rows(self.tables[step.table], step.t, step.j, step.side)
            live &= ~gone
            for table, count in zip(self.tables, counts, strict=True):
                for label in (-1, 1):
                    mask = gone & (self.rows.y == label)
                    remove_rows(table, mask, self.rows.weight, count[label])
            if not all((live & (self.rows.y == label)).any() for label in (-1, 1)):
                break
        return steps

    def _best(
        self, counts: list[dict[int, Ints]], penalties: dict[int, float]
    ) -> ListedStep | None:
        from handful.rules import _loops

        best_value, best = 0.0, None
        for k, table in enumerate(self.tables):
            is_open = np.ones(table.n_directions, dtype=bool)
            costs = np.zeros(table.thresholds.shape, dtype=np.int64)
            for output in self.outputs:
                usefulness, _, _, t, j, side = _loops.best_free_rule(
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
