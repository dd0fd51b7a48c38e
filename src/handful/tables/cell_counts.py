"""What is only counted in the cells of all rows: missing values, odd cells, marks of nothing.

How cells are read is fixed by the pool. Nothing here decides anything: it is said beside the
columns, so that all rows may be looked at, in memory at once or chunk by chunk.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.tables.cells import (
    ANSWERS,
    Sample,
    is_mark,
    is_missing,
    word_of,
    written_numbers,
)
from handful.tables.columns import Column
from handful.tables.number_styles import is_limit

MOST_LETTERS = 40  # of a cell in a note: cells may be as long as pages
FEWEST = 10  # other numbers, from which a mark can be far
# What programs write in place of a missing number.
SENTINELS = (-9999.0, -999.0, -99.0, -9.0, -8.0, -1.0, 99.0, 999.0, 9999.0, 99999.0)
_LIMITS = frozenset("<>≤≥~ \t")  # with which a limit of detection begins
_INFINITY = re.compile(r"\s*[-+]?inf(inity)?\s*", re.I)


@dataclass(frozen=True)
class CellCounts:
    """Counts of one column over some rows; counts of chunks add up, in the order of the rows.

    Attributes
    ----------
    n_missing : int
        Cells in which nothing is known.
    said : Counter
        Words that mean missing, and answers that may mean it, with their numbers of cells.
    n_infinite, n_limits, n_words : int
        Cells of a column of numbers that are infinite, limits of detection, or words.
    limit, word : str
        The first limit and the first word among the numbers.
    n_numbers : int
    sentinels : tuple of (int, float, float)
        For each of ``SENTINELS``, how often it occurs, and the range of all other numbers.
    """

    n_missing: int = 0
    said: Counter[str] = field(default_factory=Counter)
    n_infinite: int = 0
    n_limits: int = 0
    n_words: int = 0
    limit: str = ""
    word: str = ""
    n_numbers: int = 0
    sentinels: tuple[tuple[int, float, float], ...] = ()

    def __add__(self, other: CellCounts) -> CellCounts:
        pairs = zip(self.sentinels, other.sentinels, strict=True)
        return CellCounts(
            self.n_missing + other.n_missing,
            self.said + other.said,
            self.n_infinite + other.n_infinite,
            self.n_limits + other.n_limits,
            self.n_words + other.n_words,
            min(self.limit or other.limit, other.limit or self.limit),
            self.word or other.word,
            self.n_numbers + other.n_numbers,
            tuple((a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])) for a, b in pairs),
        )

    @classmethod
    def of(cls, column: Column, cells: NDArray[Any], values: Floats | None) -> CellCounts:
        """Count the cells of a column; ``values`` are its numbers, if it holds numbers.

        Examples
        --------
        >>> column = Column("crp")
        >>> cells = np.array(["<0.5", "NA", "clotted", "7"], dtype=object)
        >>> counts = CellCounts.of(column, cells, column.read(cells))
        >>> counts.n_missing, counts.limit, counts.word, counts.said
        (2, '<0.5', 'clotted', Counter({'NA': 1}))
        """
        said = _said(column, cells)
        if values is None:
            gone = ~Sample.of(cells, column.marks).is_known
            return cls(int(np.count_nonzero(gone)), said)
        known = values[~np.isnan(values)]
        counts = cls(
            len(values) - len(known), said, n_numbers=len(known), sentinels=_sentinels(known)
        )
        return counts._with_odd_cells(column, cells, values)

    def _with_odd_cells(self, column: Column, cells: NDArray[Any], values: Floats) -> CellCounts:
        """Add cells of a column of numbers that are none: infinity, limits, words."""
        if cells.dtype.kind in "biuf":
            n_infinite = int(np.isinf(cells).sum()) if cells.dtype.kind == "f" else 0
            return replace(self, n_infinite=n_infinite)
        texts = cells.tolist()
        is_low = np.array(
            [isinstance(c, str) and _may_be_limit(c) and is_limit(c, column.style) for c in texts]
        )
        is_infinite = np.array([isinstance(c, str) and bool(_INFINITY.fullmatch(c)) for c in texts])
        is_word = np.isnan(values) & ~is_infinite
        is_word[is_word] = [not is_mark(texts[i], column.marks) for i in np.flatnonzero(is_word)]
        return replace(
            self,
            n_infinite=int(is_infinite.sum()),
            n_limits=int(is_low.sum()),
            n_words=int(is_word.sum()),
            limit=min((texts[i].strip() for i in np.flatnonzero(is_low)), default=""),
            word=word_of(texts[int(np.argmax(is_word))]) if is_word.any() else "",
        )

    def noted(self, column: Column) -> Column:
        """The column with notes on what was counted."""
        column = replace(column, n_missing=self.n_missing)
        if column.role == "ignored" and column.kind != "text":
            return column
        column = self._with_marks(column)
        if column.kind != "number" or column.role == "ignored":
            return column
        if self.n_limits:
            shown = self.limit[:MOST_LETTERS]
            column = column.with_note(
                "H056", f"{self.n_limits} cells such as {shown!r} are read as their limit"
            )
        if self.n_infinite:
            column = column.with_note("H057", f"{self.n_infinite} infinite values count as missing")
        if self.n_words:
            shown = self.word[:MOST_LETTERS]
            column = column.with_note(
                "H055", f"{self.n_words} words such as {shown!r} among numbers count as missing"
            )
        return self._with_sentinels(column) if column.role == "feature" else column

    def _with_marks(self, column: Column) -> Column:
        """Add notes on words that mean missing, and on answers that may mean it."""
        gone = [word for word in sorted(self.said) if is_mark(word, column.marks)]
        if gone:
            said = ", ".join(f"{word[:MOST_LETTERS]!r} ({self.said[word]})" for word in gone)
            column = column.with_note("H054", f"missing where it says {said}")
        answers = [word for word in sorted(self.said) if word not in gone]
        for word in answers if column.kind != "number" else ():
            column = column.with_note(
                "H027",
                f"{word!r} is an answer in {self.said[word]} rows: if it means missing, say "
                f"--missing {column.name}={word}",
            )
        return column

    def _with_sentinels(self, column: Column) -> Column:
        """Add notes on numbers that may mean missing: repeated, and far from all others."""
        for mark, (n, low, high) in zip(SENTINELS, self.sentinels, strict=True):
            if n < 2 or self.n_numbers - n < FEWEST:
                continue
            is_odd_one = mark < 0 <= low if mark > -10 else not low - (high - low) <= mark <= high
            if mark > 0:
                is_odd_one = mark > high + (high - low)
            if is_odd_one:
                column = column.with_note(
                    "H024",
                    f"{n} times {mark:g}, far from all other values: if it means missing, say "
                    f"--missing {column.name}={mark:g}",
                    asks="missing",
                )
        return column


def _may_be_limit(cell: str) -> bool:
    return cell[:1] in _LIMITS or cell[:1].isalpha()


def _said(column: Column, cells: NDArray[Any]) -> Counter[str]:
    """Words that mean missing, and answers that may mean it; a number counts by value."""
    found: Counter[str] = Counter()
    if cells.dtype.kind == "O":
        known = (cell for cell in cells if not is_missing(cell))
        found.update(cell.strip() if isinstance(cell, str) else word_of(cell) for cell in known)
    elif column.marks:
        numbers, counts = np.unique(cells, return_counts=True)
        found.update(dict(zip(map(word_of, numbers), counts.tolist(), strict=True)))
    said: Counter[str] = Counter()
    for word, n in found.items():
        if word and is_mark(word, column.marks):
            said[_by_value(word)] += n
        elif word.casefold() in ANSWERS:
            said[word] += n
    return said


def _by_value(word: str) -> str:
    """The word of a number that is written in another way."""
    number = written_numbers([word])
    return word if number is None else word_of(number[0])


def _sentinels(known: Floats) -> tuple[tuple[int, float, float], ...]:
    """How often each sentinel occurs, and the range of all other numbers."""
    low, high = float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))
    out = []
    for mark in SENTINELS:
        is_mark = known == mark
        n = int(np.count_nonzero(is_mark))
        if n and mark in (low, high):
            rest = known[~is_mark]
            out.append((n, float(rest.min(initial=np.inf)), float(rest.max(initial=-np.inf))))
        else:  # it is not at an end
            out.append((n, low, high))
    return tuple(out)
