"""Training rows for searches: distinct and weighted in memory, or held in part and summed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.models import SignedRules
from handful.rules.table import CodeTable, Counter
from handful.tables import RowSource


def signs_of(machine: SignedRules, X: Floats) -> Ints:
    """Labels in {-1, +1}."""
    return np.where(machine.labels(X) > 0, 1, -1)


@dataclass(frozen=True)
class Judged:
    """Errors of a machine by label, and the number of examples that meet each rule.

    ``n_wrong`` counts the errors of each label, ``n_covered`` the examples that meet each rule, and
    then those that meet none.
    """

    n_wrong: dict[int, int]
    n_covered: tuple[int, ...]


def judge_rows(machine: SignedRules, X: Floats, y: Ints, weight: Ints) -> Judged:
    """Errors and covered examples of a machine on some rows, each counted by its weight."""
    wrong = signs_of(machine, X) != y
    covers = [rule.is_met(X) for rule in machine.rules]
    rest = ~np.any(covers, axis=0) if covers else np.ones(len(X), dtype=bool)
    return Judged(
        {label: int(weight[wrong & (y == label)].sum()) for label in (-1, 1)},
        tuple(int(weight[covered].sum()) for covered in (*covers, rest)),
    )


@dataclass(frozen=True)
class Rows:
    """Distinct training rows: features, signed labels, repetition counts and provenance.

    Attributes
    ----------
    X : array (n_rows, n_features)
    y : array (n_rows,), in {-1, +1}
    weight : int array (n_rows,)
    row_of : int array (n_samples,)
        Row of each original example.
    is_categorical : bool array (n_features,)
    steering : int array (n_samples,) or None
        What each original example weighs in the search, in parts of `STEERING_UNIT`; it counts
        once all the same.
    """

    X: Floats
    y: Ints
    weight: Ints
    row_of: Ints
    is_categorical: Mask
    steering: Ints | None = None

    @property
    def n_samples(self) -> int:
        """Number of original examples."""
        return int(self.row_of.shape[0])

    @property
    def totals(self) -> dict[int, int]:
        """Number of original examples of each label."""
        return {label: int(self.weight[self.y == label].sum()) for label in (-1, 1)}

    @property
    def largest(self) -> float:
        """Largest absolute value; NaN if a value is missing."""
        return float(np.abs(self.X).max(initial=0.0))

    @property
    def unit(self) -> int:
        """The number that an example of weight one adds to the counts of a search."""
        return 1 if self.steering is None else STEERING_UNIT

    def searched(self, without: Ints | None = None) -> Ints:
        """Weight of each row in a search, without the examples ``without``."""
        weight = self.weight
        if self.steering is not None:
            weight = self._sums(np.arange(self.n_samples), self.steering)
        if without is None:
            return weight
        # An example that is left out takes its own weight out of the sum of its equals.
        lost = np.ones(len(without), np.int64) if self.steering is None else self.steering[without]
        return np.asarray(weight - self._sums(without, lost))

    def _sums(self, examples: Ints, weights: Ints) -> Ints:
        out = np.zeros(len(self.weight), dtype=np.int64)
        np.add.at(out, self.row_of[examples], weights)
        return out

    @property
    def searched_totals(self) -> dict[int, int]:
        """Weight of each label in a search."""
        if self.steering is None:
            return self.totals
        weight = self.searched()
        return {label: int(weight[self.y == label].sum()) for label in (-1, 1)}

    def holding(self, n_needed: int) -> Rows:
        """Rows that give the features of the first examples; these ones give them all."""
        return self

    def counter(
        self, tables: Sequence[CodeTable], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        """The counter of rows by code, without the examples ``without``."""
        from handful.rules.search.greedy import LocalCounter

        return LocalCounter(tables, self, self.searched(without), n_threads)

    def judge(self, machines: Sequence[SignedRules]) -> list[Judged]:
        """Original examples that each machine gets wrong, and that meet its rules."""
        return [judge_rows(machine, self.X, self.y, self.weight) for machine in machines]


LARGEST_COLLAPSE = 50_000  # more rows than this are not grouped
STEERING_UNIT = 1 << 10  # weights become whole numbers, so that sums have no order and no rounding


def collapse_rows(
    X: Floats, y: Ints, is_categorical: Mask | None = None, steering: Ints | None = None
) -> Rows:
    """Group equal (features, label) rows; rows are sorted, so their order carries no meaning.

    Examples
    --------
    >>> import numpy as np
    >>> rows = collapse_rows(np.array([[1.0], [0.0], [1.0]]), np.array([1, -1, 1]))
    >>> rows.weight, rows.row_of
    (array([1, 2]), array([1, 0, 1]))
    """
    if is_categorical is None:
        is_categorical = np.zeros(X.shape[1], dtype=bool)
    m = X.shape[0]
    # Sorting so many rows costs more than the few equal ones would save.
    if m > LARGEST_COLLAPSE:
        ones = np.ones(m, np.int64)
        return Rows(X, y.astype(np.int64), ones, np.arange(m), is_categorical, steering)
    both = np.column_stack([X, y])
    _, first, inverse, counts = np.unique(
        both, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return Rows(
        np.ascontiguousarray(X[first]),
        y[first].astype(np.int64),
        counts.astype(np.int64),
        inverse.ravel().astype(np.int64),
        is_categorical,
        steering,
    )


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
        # All rows fit: then everything is as in memory, to the bit.
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
        self, tables: Sequence[CodeTable], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        from handful.rules.search.source_counter import SourceCounter

        absent = None if without is None else self.source.order[without]
        return SourceCounter(self.source, tables, self.positive, absent)

    def judge(self, machines: Sequence[SignedRules]) -> list[Judged]:
        if not machines:
            return []
        found = self.source.fold(JudgedRows(tuple(machines), self.positive), "errors")
        ends = np.cumsum([3 + len(machine.rules) for machine in machines])[:-1]
        parts = [part.tolist() for part in np.split(found, ends)]
        return [Judged({-1: part[0], 1: part[1]}, tuple(part[2:])) for part in parts]


@dataclass(frozen=True)
class JudgedRows:
    """A job: of each machine, errors of each label, and rows that meet each rule."""

    machines: tuple[SignedRules, ...]
    positive: int

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        y = np.where(codes == self.positive, 1, -1)
        found: list[int] = []
        for machine in self.machines:
            judged = judge_rows(machine, X, y, np.ones(len(y), dtype=np.int64))
            found += [judged.n_wrong[-1], judged.n_wrong[1], *judged.n_covered]
        return np.array(found, dtype=np.int64)
