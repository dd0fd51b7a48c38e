"""Training rows for searches: distinct, weighted, and what of them is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.models import SignedRules
from handful.rules.table import Counter, Table


def signs_of(machine: SignedRules, X: Floats) -> Ints:
    """Labels in {-1, +1}."""
    return np.where(machine.labels(X) > 0, 1, -1)


@dataclass(frozen=True)
class Judged:
    """What a machine does to examples.

    ``n_wrong`` are those of each label that it gets wrong, ``n_covered`` those that meet each rule,
    and those that meet none.
    """

    n_wrong: dict[int, int]
    n_covered: tuple[int, ...]


def judge_rows(machine: SignedRules, X: Floats, y: Ints, weight: Ints) -> Judged:
    """What a machine does to some rows, each counted by its weight."""
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
        """Largest absolute value; NaN where a value is missing."""
        return float(np.abs(self.X).max(initial=0.0))

    @property
    def unit(self) -> int:
        """What an example of weight one adds to the counts of a search."""
        return 1 if self.steering is None else STEERING_UNIT

    def searched(self, without: Ints | None = None) -> Ints:
        """What each row weighs in a search, the examples ``without`` left out."""
        if self.steering is None:
            weight, lost = self.weight, None
        else:
            weight = self._sums(np.arange(self.n_samples))
            lost = None if without is None else self._sums(without)
        if without is None:
            return weight
        if lost is None:
            lost = np.bincount(self.row_of[without], minlength=len(weight))
        return np.asarray(weight - lost)

    def _sums(self, examples: Ints) -> Ints:
        assert self.steering is not None
        out = np.zeros(len(self.weight), dtype=np.int64)
        np.add.at(out, self.row_of[examples], self.steering[examples])
        return out

    @property
    def searched_totals(self) -> dict[int, int]:
        """Weight of each label in a search."""
        weight = self.searched() if self.steering is not None else None
        if weight is None:
            return self.totals
        return {label: int(weight[self.y == label].sum()) for label in (-1, 1)}

    def holding(self, n_needed: int) -> Rows:
        """Rows that give the features of the first examples; these ones give them all."""
        return self

    def counter(
        self, tables: Sequence[Table], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        """What counts the rows by code, the examples ``without`` left out."""
        from handful.rules.search.greedy import LocalCounter

        return LocalCounter(tables, self, self.searched(without), n_threads)

    def judge(self, machine: SignedRules) -> Judged:
        """Original examples that a machine gets wrong, and that meet its rules."""
        return judge_rows(machine, self.X, self.y, self.weight)


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
