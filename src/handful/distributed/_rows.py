"""Rows that live in chunks elsewhere, of which only the candidate examples are held here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful._types import Floats, Ints
from handful.distributed._counting import ChunkCounter
from handful.distributed.chunk_rows import ChunkRows as Chunks
from handful.models import SignedRules
from handful.rules import Rows, Table, collapse_rows
from handful.rules.rows import LARGEST_COLLAPSE, Judged, judge_rows
from handful.rules.table import Counter


class HeldIndex:
    """Rows of the held examples, by the index of the example among all.

    Examples
    --------
    >>> import numpy as np
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
class ChunkedRows(Rows):
    """Like `Rows`, but what concerns all rows is counted over the chunks."""

    chunks: Chunks = field(kw_only=True)
    positive: int = field(kw_only=True)

    @classmethod
    def of(cls, chunks: Chunks, positive: int) -> ChunkedRows:
        """No example held yet."""
        none = np.zeros(0, dtype=np.int64)
        is_categorical = np.zeros(chunks.n_features, dtype=bool)
        if chunks.columns is not None:
            is_categorical = chunks.columns.is_categorical
        index: Any = HeldIndex(none, none, chunks.n_samples)
        empty = np.zeros((0, chunks.n_features))
        return cls(empty, none, none, index, is_categorical, chunks=chunks, positive=positive)

    @property
    def totals(self) -> dict[int, int]:
        """Number of examples of each label, over all chunks."""
        n_positive = int(self.chunks.class_counts[self.positive])
        return {-1: self.n_samples - n_positive, 1: n_positive}

    @property
    def largest(self) -> float:
        """Largest absolute value in any chunk; NaN where a value is missing."""
        return self.chunks.largest

    def holding(self, n_needed: int) -> Rows:
        """The same rows with the first of the blind order in memory; all where these are all."""
        order = self.chunks.first(n_needed)
        ordered = np.sort(order)
        X, codes = self.chunks.hold(ordered)
        place = np.searchsorted(ordered, order)
        X, y = X[place], np.where(codes[place] == self.positive, 1, -1)
        if len(order) == self.n_samples:
            return collapse_rows(X, y, self.is_categorical)
        if self.n_samples <= LARGEST_COLLAPSE:  # as in memory: equal rows are one
            held = collapse_rows(X, y, self.is_categorical)
        else:
            held = Rows(X, y, np.ones(len(y), np.int64), np.arange(len(y)), self.is_categorical)
        index: Any = HeldIndex(np.arange(len(order)), held.row_of, self.n_samples)
        return ChunkedRows(
            held.X, held.y, held.weight, index, self.is_categorical,
            chunks=self.chunks, positive=self.positive,
        )  # fmt: skip

    def counter(
        self, tables: Sequence[Table], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        """Counts over the chunks."""
        absent = None if without is None else self.chunks.order[without]
        return ChunkCounter(self.chunks, tables, self.positive, absent)

    def judge(self, machine: SignedRules) -> Judged:
        """Errors of each label and covers of the rules, in one pass over the chunks."""
        found = self.chunks.fold(_Judge(machine, self.positive), "errors").tolist()
        return Judged({-1: found[0], 1: found[1]}, tuple(found[2:]))


@dataclass(frozen=True)
class _Judge:
    """What a machine does to the rows of a chunk, as whole numbers that add up."""

    machine: SignedRules
    positive: int

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        y = np.where(codes == self.positive, 1, -1)
        judged = judge_rows(self.machine, X, y, np.ones(len(y), dtype=np.int64))
        errors = [judged.n_wrong[-1], judged.n_wrong[1]]
        return np.array([*errors, *judged.n_covered], dtype=np.int64)
