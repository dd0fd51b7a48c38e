"""The training examples as a fit sees them: in memory here, in chunks in `handful.distributed`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.covering.groups import Grouping
from handful.rules import Rows, collapse_rows
from handful.tables import (
    BlindOrder,
    Columns,
    Draw,
    RowDigests,
    SeenRows,
    Units,
    blind_order,
    group_units,
)

Bytes = NDArray[np.uint8]
Labels = NDArray[Any]
Judge = Callable[[Floats, Ints], Ints]


class Training(Protocol):
    """Examples, with labels as positions in ``classes``, in the order that nobody chose."""

    @property
    def classes(self) -> Labels:
        """The labels."""

    @property
    def n_features(self) -> int:
        """Number of columns."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, where they have some."""

    @property
    def columns(self) -> Columns | None:
        """How words are read, where there are some."""

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""

    @property
    def draw(self) -> Draw:
        """What decides the order."""

    @property
    def n_samples(self) -> int:
        """Number of examples."""

    @property
    def order(self) -> Ints:
        """Positions of the first examples, as many as were needed."""

    @property
    def groups(self) -> Grouping | None:
        """What belongs together, where rows are not independent."""

    def rows(self, positive: int) -> Rows:
        """Examples in that order, one class against the rest."""

    def total(self, count: Judge, name: str) -> Ints:
        """Sum over all examples of an integer array that ``count(X, codes)`` gives."""

    def hold(self, examples: Ints) -> tuple[Floats, Ints]:
        """Features and label codes of some examples, by sorted position."""

    def digests_of(self, examples: Ints) -> Bytes:
        """Digests of some examples, by sorted position."""

    def seen(self) -> SeenRows:
        """What is remembered of them, so that they are not taken for new ones."""


@dataclass(frozen=True, eq=False)
class MemoryTraining:
    """Examples in memory.

    Attributes
    ----------
    X : array (n_samples, n_features)
    codes : int array (n_samples,)
    classes : array
    names : list of str or None
    columns : Columns or None
    table : array or data frame
        As the user gave them, for their digests.
    random_state : None, int, RowDigests or generator
    steering : int array or None
        Weights of the examples in the search.
    is_kernel : bool
        X is a kernel matrix, whose columns are examples too.
    given_groups : array or None
        Which group each example belongs to.
    group_loss : {"mean", "any"}
    """

    X: Floats
    codes: Ints
    classes: Labels
    names: list[str] | None
    columns: Columns | None
    table: Any
    random_state: Any = None
    steering: Ints | None = None
    is_kernel: bool = False
    given_groups: Any = None
    group_loss: str = "mean"

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(np.isnan(self.X).any())

    @property
    def n_samples(self) -> int:
        """Number of examples."""
        return len(self.codes)

    @cached_property
    def blind(self) -> BlindOrder:
        """Their digests, and the order that follows."""
        how, labels = self.random_state, self.classes[self.codes]
        return blind_order(self.table, labels, random_state=how, is_kernel=self.is_kernel)

    @cached_property
    def _units(self) -> Units:
        assert self.given_groups is not None
        return group_units(self.blind, self.given_groups)

    @cached_property
    def order(self) -> Ints:
        """Positions of all examples; those of a group one after the other."""
        if self.given_groups is None:
            return self.blind.order
        return self._units.rows_of(self._units.order)

    @cached_property
    def groups(self) -> Grouping | None:
        """What belongs together, by place in the order."""
        if self.given_groups is None or self._units.member is None:
            return None
        place = np.empty(len(self._units), dtype=np.int64)
        place[self._units.order] = np.arange(len(self._units))
        return Grouping(place[self._units.member[self.order]], self.group_loss)

    @property
    def draw(self) -> Draw:
        """What decided the order."""
        return self.blind.draw

    @cached_property
    def _in_order(self) -> Floats:
        order = self.order
        return self.X[np.ix_(order, order)] if self.is_kernel else self.X[order]

    def rows(self, positive: int) -> Rows:
        """Examples in the blind order, one class against the rest."""
        y_signed = np.where(self.codes[self.order] == positive, 1, -1)
        is_categorical = None if self.columns is None else self.columns.is_categorical
        steered = None if self.steering is None else self.steering[self.order]
        return collapse_rows(self._in_order, y_signed, is_categorical, steered)

    def total(self, count: Judge, name: str) -> Ints:
        """The count of all examples."""
        return count(self.X, self.codes)

    def hold(self, examples: Ints) -> tuple[Floats, Ints]:
        """Features and label codes of some examples."""
        return self.X[examples], self.codes[examples]

    def digests_of(self, examples: Ints) -> Bytes:
        """Digests of some examples."""
        return self.blind.digests[examples]

    def seen(self) -> SeenRows:
        """All of them, as predictions read them; digests of X as it is are not made again."""
        if self.columns is not None:
            return SeenRows.of(self.table, self.classes[self.codes])
        if self.is_kernel or self.table is not self.X or isinstance(self.random_state, RowDigests):
            return SeenRows.of(self.X, self.classes[self.codes])
        lanes = np.ascontiguousarray(self.blind.digests).view(np.uint64)
        return SeenRows(np.sort(lanes.reshape(self.n_samples, -1)[:, 0]))
