"""Rows of a `RowSource` for searches: collapsed if they are in memory, else held in part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful._types import Floats, Ints
from handful.models import SignedRules
from handful.rules.rows import LARGEST_COLLAPSE, Judged, Rows, collapse_rows, judge_rows
from handful.rules.search.source_counter import SourceCounter
from handful.rules.table import Counter, Table
from handful.tables import RowSource


def rows_of(source: RowSource, positive: int, steering: Ints | None = None) -> Rows:
    """Rows in blind order, one class against the rest.

    ``steering`` are weights of the rows in the search, for rows in memory.
    """
    is_categorical = None if source.columns is None else source.columns.is_categorical
    if not source.is_in_memory:
        return SourceRows.of(source, positive)
    X, codes = source.ordered()
    steered = None if steering is None else steering[source.order]
    return collapse_rows(X, np.where(codes == positive, 1, -1), is_categorical, steered)


class HeldIndex:
    """Rows of the held examples, by the number of the example among all.

    Examples
    --------
    >>> index = HeldIndex(np.array([3, 70]), np.array([1, 0]), 100)
    >>> index[np.array([70, 3])], index[3], index.shape
    (array([0, 1]), 1, (100,))
    """

    def __init__(self, examples: Ints, rows: Ints, n_samples: int) -> None:
        self._examples, self._rows = examples, rows
        self.shape = (n_samples,)

    def __getitem__(self, key: Any) -> Any:
        wanted = np.asarray(key, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._examples, wanted), len(self._examples) - 1)
        if wanted.size and not np.array_equal(self._examples[at], wanted):
            raise IndexError(f"example {key} is not held in memory")
        found = self._rows[at] if wanted.size else np.zeros(0, dtype=np.int64)
        return int(found) if wanted.ndim == 0 else found


@dataclass(frozen=True)
class SourceRows(Rows):
    """Rows of which the first of the blind order are held; all rows are counted by sums."""

    source: RowSource = field(kw_only=True)
    positive: int = field(kw_only=True)

    @classmethod
    def of(cls, source: RowSource, positive: int) -> SourceRows:
        """The rows of a source; none of them is held yet."""
        none = np.zeros(0, dtype=np.int64)
        is_categorical = np.zeros(source.n_features, dtype=bool)
        if source.columns is not None:
            is_categorical = source.columns.is_categorical
        index: Any = HeldIndex(none, none, source.n_samples)
        empty = np.zeros((0, source.n_features))
        return cls(empty, none, none, index, is_categorical, source=source, positive=positive)

    @property
    def totals(self) -> dict[int, int]:
        n_positive = int(self.source.class_counts[self.positive])
        return {-1: self.n_samples - n_positive, 1: n_positive}

    @property
    def largest(self) -> float:
        return self.source.largest

    def holding(self, n_needed: int) -> Rows:
        order = self.source.first(n_needed)
        X, codes = self.source.hold(order)
        y = np.where(codes == self.positive, 1, -1)
        if len(order) == self.n_samples:
            return collapse_rows(X, y, self.is_categorical)
        if self.n_samples <= LARGEST_COLLAPSE:  # as in memory: equal rows are one
            held = collapse_rows(X, y, self.is_categorical)
        else:
            held = Rows(X, y, np.ones(len(y), np.int64), np.arange(len(y)), self.is_categorical)
        index: Any = HeldIndex(np.arange(len(order)), held.row_of, self.n_samples)
        return SourceRows(
            held.X,
            held.y,
            held.weight,
            index,
            self.is_categorical,
            source=self.source,
            positive=self.positive,
        )

    def counter(
        self, tables: Sequence[Table], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        absent = None if without is None else self.source.order[without]
        return SourceCounter(self.source, tables, self.positive, absent)

    def judge(self, machine: SignedRules) -> Judged:
        found = self.source.fold(JudgedRows(machine, self.positive), "errors").tolist()
        return Judged({-1: found[0], 1: found[1]}, tuple(found[2:]))


@dataclass(frozen=True)
class JudgedRows:
    """A job: errors of each label, and rows that meet each rule."""

    machine: SignedRules
    positive: int

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        y = np.where(codes == self.positive, 1, -1)
        judged = judge_rows(self.machine, X, y, np.ones(len(y), dtype=np.int64))
        errors = [judged.n_wrong[-1], judged.n_wrong[1]]
        return np.array([*errors, *judged.n_covered], dtype=np.int64)
