"""The cells of one column in the pool, looked at once: known or not, as words, as numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from handful.tables._digests import word_of, written_numbers
from handful.tables._numbers import PLAIN, is_mark, numbers_of

T = TypeVar("T")


def of_each(cells: Sequence[Any], compute: Callable[[Any], T]) -> list[T]:
    """A function of every cell, computed once for each distinct one.

    Examples
    --------
    >>> of_each(["a", "b", "a"], str.upper)
    ['A', 'B', 'A']
    """
    known: dict[Any, T] = {}
    out = []
    for cell in cells:
        try:
            key = (cell.__class__, cell)
            if key not in known:
                known[key] = compute(cell)
            out.append(known[key])
        except TypeError:  # a cell that cannot be a key, or that refuses to be compared
            out.append(compute(cell))
    return out


@dataclass(frozen=True, eq=False)
class Sample:
    """Cells of a column.

    Attributes
    ----------
    cells : ndarray
        As they are; numbers where the table has a column of numbers.
    marks : collection of str
        Cells that the user calls missing, in lower case.

    Examples
    --------
    >>> Sample.of(["a", "NA", "b "]).words
    ['a', 'b']
    >>> Sample.of(np.array([1.0, np.nan, 3.0])).words
    ['1', '3']
    """

    cells: NDArray[Any]
    marks: Collection[str] = ()

    @classmethod
    def of(cls, cells: Any, marks: Collection[str] = ()) -> Sample:
        """Of any sequence; numbers where all of these cells that hold something write one.

        So it does not matter what the other cells of the column are.
        """
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "iufb":
            return cls(cells, marks)
        out = np.empty(len(cells), dtype=object)
        out[:] = list(cells)
        plain = numbers_in(out.tolist(), marks)
        return cls(out if plain is None else plain, marks)

    @property
    def is_numeric(self) -> bool:
        """Whether the table itself has numbers here."""
        return self.cells.dtype.kind in "iuf"

    @cached_property
    def is_known(self) -> NDArray[np.bool_]:
        """Where something is known."""
        if self.is_numeric:
            return ~np.isnan(self.numbers(PLAIN))
        gone = of_each(self.cells.tolist(), lambda cell: is_mark(cell, self.marks))
        return ~np.array(gone, dtype=bool)

    @cached_property
    def known(self) -> list[Any]:
        """The cells in which something is known."""
        return list(self.cells[self.is_known].tolist())

    @cached_property
    def words(self) -> list[str]:
        """The known cells as words."""
        return of_each(self.known, word_of)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each known cell, which of the distinct ones it is; capitals make no difference."""
        values = self.cells[self.is_known] if self.is_numeric else self.lower
        return np.unique(values, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def lower(self) -> NDArray[Any]:
        """Words without capitals."""
        return np.array([word.casefold() for word in self.words], dtype=object)

    @cached_property
    def n_distinct(self) -> int:
        """Number of distinct known cells."""
        return int(self.places.max(initial=-1)) + 1

    @property
    def is_unique(self) -> bool:
        """Whether no two known cells are equal."""
        return self.n_distinct == len(self.places)

    def numbers(self, style: str) -> NDArray[np.float64]:
        """All cells as numbers, NaN where there is none."""
        if not self.is_numeric:
            return numbers_of(self.cells.tolist(), style, self.marks)
        values = self.cells.astype(np.float64)
        return without(values, self.marks)


def numbers_in(cells: Sequence[Any], marks: Collection[str]) -> NDArray[np.float64] | None:
    """The numbers of cells that are or write numbers, or say nothing; None where one does not."""
    is_gone = of_each(cells, lambda cell: is_mark(cell, marks))
    texts = [None if gone else cell for cell, gone in zip(cells, is_gone, strict=True)]
    known = [cell for cell in texts if cell is not None]
    if any(isinstance(cell, (bool, np.bool_)) for cell in known):
        return None
    if known and all(isinstance(cell, (int, float, np.number)) for cell in known):
        return np.array([np.nan if cell is None else float(cell) for cell in texts])
    return written_numbers(texts) if known else None


def without(values: NDArray[np.float64], marks: Collection[str]) -> NDArray[np.float64]:
    """Numbers that the user calls missing, and infinity, become so, in place."""
    values[np.isinf(values)] = np.nan
    for mark in marks:
        try:
            values[values == float(mark)] = np.nan
        except ValueError:
            continue  # a word, which numbers cannot equal
    return values
