"""Training rows as a fit sees them: in memory here, in chunks in `handful.distributed`.

A fit asks for the first rows of the blind order and for sums over rows. Memory is the case of one
chunk, so that a fit is written once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.tables.columns import Columns
from handful.tables.digests import RowDigests, SeenRows
from handful.tables.draw import BlindOrder, Draw, Units, blind_order, units_of, weighted_order

Bytes = NDArray[np.uint8]
Labels = NDArray[Any]
#: From rows and the codes of their labels to something that can be added: ``a + b``.
Job = Callable[[Any, Ints], Any]


@dataclass(frozen=True, kw_only=True)
class RowNeeds:
    """How a machine wants its rows to be read.

    Attributes
    ----------
    is_table : bool
        As they are given, words included; otherwise as numbers.
    may_miss, may_name : bool
        Whether values may be missing, and whether columns may hold words.
    is_numeric : bool
        Labels are numbers to be predicted, not classes.
    classes : array-like or None
        The labels that may occur; None takes all that are found.
    class_order : array-like or None
        The labels in the order of their codes; None sorts them.
    """

    is_table: bool = False
    may_miss: bool = True
    may_name: bool = True
    is_numeric: bool = False
    classes: Any = None
    class_order: Any = None


class MappedRows(ABC):
    """Rows in another form, kept if there is room for them."""

    @abstractmethod
    def fold(self, job: Callable[[Any], Any], name: str, n_requests: int = 1) -> Any:
        """Sum of ``job(form)`` over all rows; ``n_requests`` is only recorded."""


class RowSource(ABC):
    """Training rows with labels; positions number the rows as they were given.

    Attributes
    ----------
    classes : ndarray
        The labels; codes are positions among them.
    names : list of str or None
        Names of the columns, if they have some.
    columns : Columns or None
        How words are read, if there are some.
    weights : ndarray or None
        Weights of the rows in training, if they have some.
    target : str
        Name of the labels, for notes.
    """

    is_in_memory: ClassVar[bool] = False
    classes: Labels
    target: str
    names: list[str] | None
    columns: Columns | None
    weights: Floats | None

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of columns."""

    @property
    @abstractmethod
    def class_counts(self) -> Ints:
        """Rows of each label."""

    @property
    @abstractmethod
    def has_missing(self) -> bool:
        """Whether a value is missing."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """Largest absolute value; NaN if a value is missing."""

    @property
    @abstractmethod
    def draw(self) -> Draw:
        """What decides the blind order."""

    @property
    @abstractmethod
    def caution(self) -> tuple[str, ...]:
        """What must be said of the draw; see `caution_of_draw`."""

    @property
    @abstractmethod
    def groups(self) -> Grouping | None:
        """Groups of the rows in blind order; None if rows are independent."""

    @property
    @abstractmethod
    def order(self) -> Ints:
        """Positions of the rows in blind order, as far as `first` was asked for them."""

    def ordered(self) -> tuple[Any, Ints]:
        """All rows and codes in blind order, if they are in memory."""
        raise TypeError(f"{type(self).__name__} does not hold all rows in memory.")

    @abstractmethod
    def first(self, n_rows: int) -> Ints:
        """Positions of the first rows of the blind order, in that order."""

    @abstractmethod
    def hold(self, positions: Ints) -> tuple[Any, Ints]:
        """Rows and codes at some positions, in memory."""

    @abstractmethod
    def digests_of(self, positions: Ints) -> Bytes:
        """Digests of some of the first rows."""

    @abstractmethod
    def fold(
        self, job: Job, name: str, *, only: Ints | None = None, without: Ints | None = None
    ) -> Any:
        """Sum of ``job(rows, codes)`` over all rows, over some, or over all but some.

        ``only`` are sorted positions, ``without`` any; ``name`` is that of the pass.
        """

    @abstractmethod
    def mapped(self, job: Job, bytes_a_row: int, *, without: Ints | None = None) -> MappedRows:
        """The rows as ``job(rows, codes)`` gives them, at so many bytes a row."""

    @abstractmethod
    def read_by(self, read: Callable[[Any], Any]) -> RowSource:
        """The same rows in the same order, each as ``read`` gives it."""

    @abstractmethod
    def seen(self) -> SeenRows:
        """What is remembered of the rows, so that they are not taken for new ones."""


@dataclass(frozen=True, eq=False)
class MemoryRows(RowSource):
    """Rows in memory.

    Attributes
    ----------
    X : array or data frame
        The rows as jobs read them.
    codes : ndarray of int
    classes : ndarray
    names, columns
        As in `RowSource`.
    table : array or data frame, optional
        The rows whose digests draw the order; X by default.
    random_state : None, int, RowDigests or generator
    weights : ndarray, optional
        Weights in training; they tell equal rows apart in the blind order.
    is_kernel : bool
        X is a kernel matrix, whose columns are rows too.
    given_groups : ndarray, optional
        Which group each row belongs to.
    target : str
    """

    is_in_memory = True
    X: Any
    codes: Ints
    classes: Labels
    names: list[str] | None = None
    columns: Columns | None = None
    table: Any = None
    random_state: Any = None
    weights: Floats | None = None
    is_kernel: bool = False
    given_groups: Any = None
    target: str = "y"

    @property
    def n_samples(self) -> int:
        return len(self.codes)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> Ints:
        return np.bincount(self.codes, minlength=len(self.classes))

    @property
    def has_missing(self) -> bool:
        return bool(np.isnan(self.X).any())

    @property
    def largest(self) -> float:
        return float(np.abs(self.X).max(initial=0.0))

    @cached_property
    def blind(self) -> BlindOrder:
        """Digests of the rows, and the order that follows from them."""
        table = self.X if self.table is None else self.table
        how, labels = self.random_state, self.classes[self.codes]
        blind = blind_order(table, labels, random_state=how, is_kernel=self.is_kernel)
        return weighted_order(blind, self.weights)

    @cached_property
    def _units(self) -> Units:
        return units_of(self.blind, self.given_groups, self.weights)

    @property
    def order(self) -> Ints:
        """Positions of all rows in blind order; those of a group stand together."""
        return self._units.order

    def ordered(self) -> tuple[Any, Ints]:
        return self._in_order

    @cached_property
    def _in_order(self) -> tuple[Any, Ints]:
        X, codes = self.hold(self.order)
        return (self.X[np.ix_(self.order, self.order)] if self.is_kernel else X), codes

    @property
    def draw(self) -> Draw:
        return self.blind.draw

    @property
    def caution(self) -> tuple[str, ...]:
        return self._units.caution(self.draw.seed)

    @property
    def groups(self) -> Grouping | None:
        return self._groups

    @cached_property
    def _groups(self) -> Grouping | None:
        if self._units.member is None:
            return None
        return Grouping.of(self._units.member[self.order])

    def first(self, n_rows: int) -> Ints:
        return self.order[:n_rows]

    def hold(self, positions: Ints) -> tuple[Any, Ints]:
        return take_rows(self.X, positions), self.codes[positions]

    def digests_of(self, positions: Ints) -> Bytes:
        return self.blind.digests[positions]

    def fold(
        self, job: Job, name: str, *, only: Ints | None = None, without: Ints | None = None
    ) -> Any:
        return job(*self._some(only, without))

    def mapped(self, job: Job, bytes_a_row: int, *, without: Ints | None = None) -> MappedRows:
        return _OneForm(job(*self._some(None, without)))

    def _some(self, only: Ints | None, without: Ints | None) -> tuple[Any, Ints]:
        if without is not None:
            only = np.setdiff1d(np.arange(self.n_samples), without, assume_unique=True)
        return (self.X, self.codes) if only is None else self.hold(only)

    def read_by(self, read: Callable[[Any], Any]) -> MemoryRows:
        table = self.X if self.table is None else self.table
        other = replace(self, X=read(self.X), table=table)
        # the order does not depend on how rows are read: it is found once
        vars(other).update(blind=self.blind, _units=self._units)
        return other

    def seen(self) -> SeenRows:
        if self.columns is not None:  # new rows are compared as they are given: in words
            return SeenRows.of(self.table, self.classes[self.codes])
        is_other = self.table is not None and self.table is not self.X
        if self.is_kernel or is_other or isinstance(self.random_state, RowDigests):
            return SeenRows.of(self.X, self.classes[self.codes])
        lanes = np.ascontiguousarray(self.blind.digests).view(np.uint64)
        return SeenRows(np.sort(lanes.reshape(self.n_samples, -1)[:, 0]))


@dataclass(frozen=True)
class _OneForm(MappedRows):
    """All rows in one piece."""

    form: Any

    def fold(self, job: Callable[[Any], Any], name: str, n_requests: int = 1) -> Any:
        return job(self.form)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of rows (the visits of one patient) in blind order, one group after the other.

    Attributes
    ----------
    member : ndarray of int
        Group of each row: 0 for the first group of the blind order, then 1, 2, ...
    """

    member: Ints

    @classmethod
    def of(cls, member: Ints) -> Grouping:
        """Groups with any numbers, numbered again in the order of their first rows.

        Examples
        --------
        >>> Grouping.of(np.array([7, 7, 2, 2, 7])).member.tolist()
        [0, 0, 1, 1, 0]
        """
        _, first, inverse = np.unique(member, return_index=True, return_inverse=True)
        place = np.empty(len(first), dtype=np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        return cls(np.asarray(place[inverse.reshape(-1)]))

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each group."""
        return np.bincount(self.member)

    @cached_property
    def first(self) -> Ints:
        """Place of the first row of each group: a blind one."""
        return np.unique(self.member, return_index=True)[1]

    def __len__(self) -> int:
        return len(self.sizes)

    def n_rows(self, n_groups: int) -> int:
        """Rows of the first groups."""
        return int(self.sizes[:n_groups].sum())

    def after(self, n_groups: int) -> Grouping:
        """The groups behind the first ones, numbered from 0."""
        return Grouping(self.member[self.n_rows(n_groups) :] - n_groups)

    def means(self, is_wrong: Mask) -> Floats:
        """Mean error of each group.

        Examples
        --------
        >>> Grouping(np.array([0, 0, 1])).means(np.array([True, False, True])).tolist()
        [0.5, 1.0]
        """
        return np.asarray(np.bincount(self.member, weights=is_wrong.astype(float)) / self.sizes)


@dataclass(frozen=True, eq=False)
class Sums:
    """Arrays that are added one by one: what a `Job` gives if it gives several.

    Examples
    --------
    >>> first, second = Sums(np.ones(2), np.array(3.0)) + Sums(np.ones(2), np.array(4.0))
    >>> first.tolist(), second.tolist()
    ([2.0, 2.0], 7.0)
    """

    parts: tuple[Any, ...]

    def __init__(self, *parts: Any) -> None:
        object.__setattr__(self, "parts", parts)

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __iter__(self) -> Any:
        return iter(self.parts)


@dataclass(frozen=True, eq=False)
class Joined:
    """Values row by row, in the order of the rows: sums of them are joined."""

    values: Any

    def __add__(self, other: Joined) -> Joined:
        return Joined(np.concatenate([self.values, other.values]))


def take_rows(table: Any, rows: Any) -> Any:
    """Rows of an array or data frame."""
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]
