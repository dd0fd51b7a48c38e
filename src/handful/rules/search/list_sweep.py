"""Greedy search over several tables at once, rule by rule, without constraints on the examples.

Each rule names its examples, so nothing has to be rebuilt from the class of the compression set:
mixed families and decision lists need no correctness constraint. Both sides of every threshold
are candidates.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from handful.arrays import Ints
from handful.rules.search.greedy import Step
from handful.rules.search_rows import Rows
from handful.rules.table import CandidateTable, Counter, Pair, Round


class ListSweep:
    """Greedy lists of rules over several tables.

    ``outputs`` are the labels that a rule may give: both for decision lists, one for a machine of a
    single kind. ``counter`` counts the rows of all tables.
    """

    def __init__(
        self,
        tables: Sequence[CandidateTable],
        rows: Rows,
        outputs: Sequence[int],
        max_rules: int,
        counter: Counter,
    ) -> None:
        self.tables, self.counter = tuple(tables), counter
        self.outputs, self.max_rules = tuple(outputs), max_rules
        self.sides = [table.family.both_sides(table, rows) for table in self.tables]

    def rounds(self, penalties: dict[int, float]) -> Generator[Round, None, tuple[Step, ...]]:
        """The rules of a greedy list, a round each.

        ``penalties[output]`` weighs the errors of rules with that output.
        """
        steps: list[Step] = []
        pairs = [(pair[0].copy(), pair[1].copy()) for pair in self.counter.start()]
        counts = [{-1: pair[0], 1: pair[1]} for pair in pairs]
        left = _sums(pairs)
        while len(steps) < self.max_rules:
            found = self._best(counts, penalties)
            if found is None:
                break
            yield (found.table, found.t, found.j, found.side), pairs
            before, left = left, _sums(pairs)
            covered = {label: before[label] - left[label] for label in (-1, 1)}
            right, wrong = covered[found.output], covered[-found.output]
            steps.append(replace(found, n_other=right, n_same=wrong))
            # All rows that are left have one label: the default decides them without an error.
            if min(left.values()) == 0:
                break
        return tuple(steps)

    def _best(self, counts: list[dict[int, Ints]], penalties: dict[int, float]) -> Step | None:
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
                # Strictly better: ties go to the table and the output that come first.
                if t >= 0 and usefulness > best_value:
                    best_value = usefulness
                    best = Step(t, j, side, output, _member(table, t, j), table=k)
        return best


def _member(table: CandidateTable, t: int, j: int) -> int:
    """First row of the pool at the threshold; -1 for dyadic thresholds."""
    if table.family.levels is not None:
        return -1
    return int(table.pool_rows[np.argmax(table.codes[t, table.pool_rows] == 2 * j + 1)])


def _sums(pairs: Sequence[Pair]) -> dict[int, int]:
    """Number of negatives and positives that are left, read off any direction."""
    for negative, positive in pairs:
        if len(negative):
            return {-1: int(negative[0].sum()), 1: int(positive[0].sum())}
    return {-1: 0, 1: 0}
