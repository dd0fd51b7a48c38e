"""Greedy covers over a candidate table: every size of the path from one sweep.

A sweep needs the histograms of the live rows of both classes. They are made once per kind,
copied for each penalty and then only reduced by the rows that a rule covers.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from handful.arrays import Ints, Mask
from handful.rules.search_rows import Rows
from handful.rules.table import (
    CandidateTable,
    CodeTable,
    Counter,
    Pair,
    Round,
    RuleName,
    covered_rows,
    run_blocks,
)


@dataclass(frozen=True)
class Step:
    """One rule of a greedy path, with the weight of the rows that it is the first to cover.

    Attributes
    ----------
    t, j, side : int
        Direction, threshold and side.
    output : int
        Label of the rows that it covers, if no earlier rule covers them.
    member : int
        Row of its threshold example; -1 if there is none.
    n_other, n_same : int
        Rows of the label ``output`` that it is the first to cover, and rows of the other label.
    table : int
        Which of several tables it comes from.
    nats : float
        Its price, if it is coded by its rank on a pool.
    """

    t: int
    j: int
    side: int
    output: int
    member: int = -1
    n_other: int = 0
    n_same: int = 0
    table: int = 0
    nats: float = 0.0


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Options of a greedy sweep."""

    max_rules: int = 8
    stop_on_nonpositive: bool = True
    prefer_kept: bool = True
    n_threads: int = 1


def histogram(table: CodeTable, mask: Mask, weight: Ints, n_threads: int = 1) -> Ints:
    """Weights of the masked rows by direction and code."""
    out = np.zeros((table.n_directions, table.n_codes), dtype=np.int64)
    add_rows(table, mask, weight, out, n_threads)
    return out


def add_rows(table: CodeTable, mask: Mask, weight: Ints, counts: Ints, n_threads: int = 1) -> None:
    """Add the weights of the masked rows to histograms; negative weights take rows out."""
    from handful.rules.search import table_loops

    chosen = np.flatnonzero(mask)

    def work(start: int, stop: int) -> None:
        table_loops.add_rows(table.codes, chosen, weight, start, stop, counts)

    run_blocks(work, table.n_directions, len(chosen) * table.n_directions, n_threads)


T = TypeVar("T")


def grow(counter: Counter, paths: Sequence[Generator[Round, None, T]]) -> list[T]:
    """Grow greedy paths to their ends, as many at a time as the counter serves in one pass.

    A path yields the rule that it chose and the histograms that it wants reduced, and returns
    its steps.
    """
    ends: dict[int, T] = {}
    size = counter.n_at_once or max(1, len(paths))
    for first in range(0, len(paths), size):
        chosen: dict[int, list[RuleName]] = {k: [] for k in range(len(paths))[first : first + size]}
        while chosen:
            asked = []
            for k in list(chosen):
                try:
                    rule, counts = next(paths[k])
                except StopIteration as end:
                    ends[k] = end.value
                    del chosen[k]
                    continue
                chosen[k].append(rule)
                asked.append((tuple(chosen[k]), counts))
            if asked:
                counter.remove(asked)
    return [ends[k] for k in range(len(paths))]


class LocalCounter(Counter):
    """Counts rows in memory, in place; one path after the other, so that few counts are held.

    ``weight`` says how often each row counts.
    """

    n_at_once = 1

    def __init__(
        self, tables: Sequence[CodeTable], rows: Rows, weight: Ints, n_threads: int = 1
    ) -> None:
        self.tables, self.rows = tuple(tables), rows
        self.weight, self.n_threads = weight, n_threads
        self._masks = (rows.y < 0, rows.y > 0)
        self._start: list[Pair] | None = None

    def start(self) -> list[Pair]:
        if self._start is None:
            self._start = [
                (self._count(table, self._masks[0]), self._count(table, self._masks[1]))
                for table in self.tables
            ]
        return self._start

    def _count(self, table: CodeTable, mask: Mask) -> Ints:
        return histogram(table, mask & (self.weight > 0), self.weight, self.n_threads)

    def remove(self, asked: Sequence[tuple[tuple[RuleName, ...], Sequence[Pair]]]) -> None:
        for (*before, last), counts in asked:
            # Rows that an earlier rule covers are out of the histograms already.
            gone = (self.weight > 0) & self._covered(last)
            for rule in before:
                gone &= ~self._covered(rule)
            for table, pair in zip(self.tables, counts, strict=True):
                for mask, count in zip(self._masks, pair, strict=True):
                    # Whole numbers: taking rows out again leaves no rounding error behind.
                    add_rows(table, gone & mask, -self.weight, count, self.n_threads)

    def _covered(self, rule: RuleName) -> Mask:
        table, t, j, side = rule
        return covered_rows(self.tables[table], t, j, side)


class Sweep:
    """Greedy covers of one kind over one table; the histograms serve all penalties.

    Parameters
    ----------
    table : CandidateTable
    rows : Rows
    sign : int
        +1 for a conjunction (positives must not be covered), -1 for a disjunction.
    options : SweepOptions
    weight : int array, optional
        How often each row counts; rows without weight are neither candidates nor counted.
    counter : Counter, optional
        What counts; the rows in memory by default.
    """

    def __init__(
        self,
        table: CandidateTable,
        rows: Rows,
        sign: int,
        options: SweepOptions,
        weight: Ints | None = None,
        counter: Counter | None = None,
    ) -> None:
        self.table, self.rows, self.sign, self.options = table, rows, sign, options
        self.family = table.family
        self.weight = rows.weight if weight is None else weight
        self.is_same = rows.y == sign
        self.sides = np.ascontiguousarray(self.family.sides(table, rows, sign))
        self.active = self.weight > 0
        self._found_examples: tuple[Ints, Ints, Ints] | None = None
        self.counter = counter or LocalCounter([table], rows, self.weight, options.n_threads)

    def rounds(self, penalty: float) -> Generator[Round, None, tuple[Step, ...]]:
        """The rules of the greedy cover, a round each."""
        steps: list[Step] = []
        live = self.active.copy()
        negative, positive = (count.copy() for count in self.counter.start()[0])
        same, other = (positive, negative) if self.sign > 0 else (negative, positive)
        kept = np.zeros(self.rows.X.shape[0], dtype=bool)
        used: set[int] = set()
        # Any one direction counts all live rows: the search ends if none is left to cover.
        while len(steps) < self.options.max_rules and other[:1].any():
            step, usefulness = self._best(same, other, live, kept, used, penalty)
            if step is None or (self.options.stop_on_nonpositive and usefulness <= 0):
                break
            steps.append(step)
            used.add(step.t)
            if len(steps) < self.options.max_rules:
                yield (0, step.t, step.j, step.side), [(negative, positive)]
            # A covered row is decided. Neither its coverage nor its error counts again in later
            # rounds.
            live &= ~covered_rows(self.table, step.t, step.j, step.side)
            kept[self._rows_of(step)] = True
        return tuple(steps)

    def best_step(self, live: Mask, kept: Mask, penalty: float) -> tuple[Step | None, float]:
        """The best rule if ``live`` are the rows with weight, and its usefulness."""
        negative, positive = self.counter.start()[0]
        same, other = (positive, negative) if self.sign > 0 else (negative, positive)
        return self._best(same, other, live, kept, set(), penalty)

    def _rows_of(self, step: Step) -> list[int]:
        """Rows of the examples that a step adds to the compression set."""
        table = self.table
        owners = [table.first[step.t], table.second[step.t]]
        found = [int(table.pool_rows[k]) for k in owners if k >= 0]
        return found + ([step.member] if step.member >= 0 else [])

    def _best(
        self, same: Ints, other: Ints, live: Mask, kept: Mask, used: set[int], penalty: float
    ) -> tuple[Step | None, float]:
        if self.family.has_members:
            return self._best_member(same, other, live, kept, used, penalty)
        return self._best_free(same, other, kept, used, penalty)

    def _best_member(
        self, same: Ints, other: Ints, live: Mask, kept: Mask, used: set[int], penalty: float
    ) -> tuple[Step | None, float]:
        from handful.rules.search import table_loops

        table, rows = self.table, self.rows
        sides = self._open_sides(used)
        # The threshold must be an example of the class that is not covered, so that a rebuild finds
        # it.
        owners, own, members = self._examples()
        preferred = kept if self.options.prefer_kept else np.ones_like(kept)
        found = table_loops.best_member_rule(
            table.codes,
            same,
            other,
            sides,
            own,
            owners,
            live,
            preferred,
            members[live[members]],
            np.flatnonzero(kept & (rows.y == self.sign)),
            float(penalty),
            0,
            len(sides),
        )
        usefulness, n_other, n_same, t, j, side, member = found
        if t < 0:
            return None, usefulness
        return Step(t, j, side, -self.sign, member, n_other, n_same), usefulness

    def _open_sides(self, used: set[int]) -> Ints:
        """Each direction gives one rule at most, so that a message can name it by its examples."""
        if not used:
            return self.sides
        is_open = np.ones(self.table.n_directions, dtype=bool)
        is_open[list(used)] = False
        return np.ascontiguousarray(self.sides[is_open[self.sides[:, 0]]])

    def _examples(self) -> tuple[Ints, Ints, Ints]:
        """Rows of the examples behind each direction, the one its rule must not cover, members.

        Members are the rows whose values may be thresholds.
        """
        if self._found_examples is not None:
            return self._found_examples
        table = self.table
        columns = []
        for position in (table.first, table.second):
            rows = np.where(position >= 0, table.pool_rows[position], -1)
            columns.append(rows)
        owners = np.column_stack(columns)
        is_same = np.where(owners >= 0, self.is_same[owners], False)
        own = np.where(is_same[:, 0], owners[:, 0], np.where(is_same[:, 1], owners[:, 1], -1))
        members = np.unique(table.pool_rows[self.is_same[table.pool_rows]])
        self._found_examples = np.ascontiguousarray(owners), own, members
        return self._found_examples

    def _best_free(
        self, same: Ints, other: Ints, kept: Mask, used: set[int], penalty: float
    ) -> tuple[Step | None, float]:
        from handful.rules.search import table_loops

        table = self.table
        is_open = np.ones(table.n_directions, dtype=bool)
        if self.family.once_a_direction:
            is_open[list(used)] = False
        costs = self._threshold_costs(kept)
        found = table_loops.best_free_rule(
            same,
            other,
            table.n_thresholds,
            self.sides,
            is_open,
            costs,
            float(penalty),
            0,
            len(self.sides),
        )
        usefulness, n_other, n_same, t, j, side = found
        if t < 0:
            return None, usefulness
        member = self._threshold_row(t, j, kept) if self.family.names_threshold else -1
        return Step(t, j, side, -self.sign, member, n_other, n_same), usefulness

    def _threshold_costs(self, kept: Mask) -> Ints:
        """Costs that break ties: first new examples, then the level of a dyadic threshold."""
        table = self.table
        costs = np.zeros(table.thresholds.shape, dtype=np.int64)
        if not self.options.prefer_kept:
            return costs
        if self.family.levels is not None:
            new = (~kept[table.pool_rows[table.first]]).astype(np.int64)
            new += ~kept[table.pool_rows[table.second]]
            # Examples that are kept already cost nothing more to name; then coarse thresholds,
            # which are cheaper to say.
            return 1000 * new[:, None] + self.family.levels[None, :]
        costs += 1
        for row in np.flatnonzero(kept):
            codes = table.codes[:, row].astype(np.int64)
            # Odd codes are values that equal a threshold; the last code is for missing values.
            tied = np.flatnonzero((codes % 2 == 1) & (codes < table.n_codes - 1))
            costs[tied, (codes[tied] - 1) >> 1] = 0
        return costs

    def _threshold_row(self, t: int, j: int, kept: Mask) -> int:
        """A row of the pool whose value is threshold j, one already kept if there is one."""
        rows = np.unique(self.table.pool_rows)
        equal = rows[self.table.codes[t, rows] == 2 * j + 1]
        already = equal[kept[equal]]
        return int(already[0] if already.size else equal[0])
