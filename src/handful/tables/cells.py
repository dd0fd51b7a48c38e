"""Cells: which say nothing, which word or number a cell is, and the cells of one column in a pool.

How a column writes its numbers (decimal commas, thousands separators, limits of detection) is
read off a few of its cells, those of the pool, and then applied to every cell: what a cell means
must not depend on the cells that are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Number
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from handful.tables.number_styles import LONGEST, PLAIN, number_of

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})\.0+")  # a whole number written as a float
# a number as anyone writes it; 007 is a code
WRITTEN = re.compile(
    r"[-+]?(?:(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|(?i:inf(?:inity)?))"
)
_LETTERS, _CODE = frozenset("0123456789+-.eE\n"), re.compile(r"\n[-+]?0[0-9]")


def word_of(value: Any) -> str:
    """A cell as a word in its normal form: 3, 3.0, "3" and "3.0" are the same word.

    A column of whole numbers becomes one of floats as soon as a value is missing, and is written
    so to files: its words must not depend on that. Codes such as "03" stay as they are.

    Examples
    --------
    >>> [word_of(v) for v in (3, 3.0, "3", "3.0", "03", True, " red ")]
    ['3', '3', '3', '3', '03', 'True', 'red']
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, Number):
        # Complex takes every kind of number, also Fractions and Decimals of other libraries.
        number = complex(value)  # type: ignore[call-overload]
        if number.imag == 0.0 and number.real.is_integer() and abs(number.real) < 2.0**53:
            return str(int(number.real))
        return repr(number.real) if number.imag == 0.0 else repr(number)
    text = str(value).strip()
    # Up to fifteen digits only: beyond, the float that wrote ".0" may have rounded.
    return str(int(text.split(".")[0])) if _WHOLE.fullmatch(text) else text


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, or the marks of the data frame libraries.

    Examples
    --------
    >>> import pandas as pd
    >>> [is_missing(v) for v in (None, float("nan"), pd.NA, pd.NaT, "", 0)]
    [True, True, True, True, False, False]
    """
    if value is None:
        return True
    try:
        # NaN and NaT are unequal to themselves; nothing else is.
        return bool(value != value)
    except TypeError:  # pandas' NA refuses to be true or false
        return True


def written_numbers(cells: Sequence[Any]) -> NDArray[np.float64] | None:
    """Numbers of cells of text; None if a cell that holds something writes no number.

    Such cells mean the same whether a table keeps them as text or as numbers.

    Examples
    --------
    >>> written_numbers(["1.50", None, "-3"]).tolist()
    [1.5, nan, -3.0]
    >>> written_numbers(["1.50", "007"]), written_numbers(["1.50", "high"])
    (None, None)
    """
    is_text = np.array([cell.__class__ is str for cell in cells], dtype=bool)
    texts: list[str] = [cells[int(i)] for i in np.flatnonzero(is_text)]
    if not all(is_missing(cells[int(i)]) for i in np.flatnonzero(~is_text)):
        return None
    lines = "\n".join(["", *texts])
    if lines.count("\n") != len(texts) or max(map(len, texts), default=0) > LONGEST:
        return None
    # most columns are settled by one look at all their letters
    is_plain = _LETTERS.issuperset(lines) and not _CODE.search(lines)
    if not is_plain and not all(map(WRITTEN.fullmatch, texts)):
        return None
    out = np.full(len(cells), np.nan)
    try:
        out[is_text] = np.array(texts, dtype=object).astype(np.float64)
    except ValueError:
        return None
    return out


MISSING_MARKS = frozenset(
    {"", "?", ".", "--", "na", "n/a", "n.a.", "nan", "#n/a", "<na>", "null", "#null!", "missing"}
    | {"not available", "not done", "n.d.", "k.a.", "#value!", "#div/0!"}
)
# to "which pain?"; missing only if the user says so
ANSWERS = frozenset({"none", "-", "nd", "nil"})
NOT = "≠"  # before a usual mark that is an answer in a column


def is_mark(cell: Any, more: Collection[str] = ()) -> bool:
    """Whether a cell says that nothing is known. ``more`` holds the marks of the user.

    A mark that begins with ≠ says that a usual mark is an answer.

    Examples
    --------
    >>> [is_mark(cell) for cell in ("NA", " . ", None, "0", "no")]
    [True, True, True, False, False]
    >>> is_mark(-999.0, frozenset({"-999"})), is_mark("not done", frozenset({"≠not done"}))
    (True, False)
    """
    if is_missing(cell):
        return True
    word = str(cell).strip().casefold()
    if more and (word in more or word_of(cell).casefold() in more):
        return True
    return isinstance(cell, str) and word in MISSING_MARKS and NOT + word not in more


def all_marks(more: Iterable[str]) -> frozenset[str]:
    """The usual marks and the marks of the user, without the marks that are answers.

    Examples
    --------
    >>> sorted(all_marks(["x", "≠."]) ^ MISSING_MARKS)
    ['.', 'x']
    """
    own = frozenset(more)
    gone = {mark.removeprefix(NOT) for mark in own if mark.startswith(NOT)}
    return (MISSING_MARKS - gone) | {mark for mark in own if not mark.startswith(NOT)}


def numbers_of(
    cells: Sequence[Any], style: str = PLAIN, more: Collection[str] = ()
) -> NDArray[np.float64]:
    """All numbers of a column; NaN if a cell is missing or writes none."""
    if style == PLAIN and not more:
        plain = written_numbers(cells)
        if plain is not None:
            plain[np.isinf(plain)] = np.nan
            return plain
    return np.array(
        [np.nan if is_mark(c, more) else number_of(c, style) for c in cells], dtype=np.float64
    )


T = TypeVar("T")


def map_distinct(cells: Sequence[Any], compute: Callable[[Any], T]) -> list[T]:
    """Compute a function of every cell, once for each distinct cell.

    Examples
    --------
    >>> map_distinct(["a", "b", "a"], str.upper)
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


def map_flags(flags: NDArray[np.bool_], compute: Callable[[NDArray[np.bool_]], T]) -> list[T]:
    """Compute a function of every row of flags, once for each distinct row.

    Examples
    --------
    >>> map_flags(np.eye(2, dtype=bool), lambda row: row.tolist().index(True))
    [0, 1]
    """
    packed = np.packbits(flags, axis=1)
    content, width = packed.tobytes(), packed.shape[1]
    keys = [content[i * width : (i + 1) * width] for i in range(len(flags))]
    places = dict(zip(keys, range(len(keys)), strict=True))
    known = {key: compute(flags[i]) for key, i in places.items()}
    return [known[key] for key in keys]


def days_of(cells: Sequence[Any], marks: Collection[str] = ()) -> NDArray[np.float64]:
    """Days since 1970 of cells that write dates. The day comes first if dots separate it.

    Examples
    --------
    >>> days_of(["1970-01-03", "04.01.1970", "NA"])
    array([ 2.,  3., nan])
    """
    import pandas as pd

    def days(cell: Any) -> float:
        if is_mark(cell, marks):
            return np.nan
        time = pd.to_datetime(str(cell), errors="coerce", dayfirst="." in str(cell))
        if time is pd.NaT:
            return np.nan
        return float((time.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta("1D"))

    return np.array(map_distinct(list(cells), days), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Sample:
    """The cells of one column in the pool.

    Attributes
    ----------
    cells : ndarray
        As they are; numbers if the table has a column of numbers.
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
        """Make a sample of any sequence; numbers if every cell that holds something writes one.

        What the other cells of the column are does not matter.
        """
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "iufb":
            return cls(cells, marks)
        out = np.empty(len(cells), dtype=object)
        out[:] = list(cells)
        plain = numbers_in(out.tolist(), marks)
        return cls(out if plain is None else plain, marks)

    @property
    def is_numeric(self) -> bool:
        """Whether the cells are numbers."""
        return self.cells.dtype.kind in "iuf"

    @cached_property
    def is_known(self) -> NDArray[np.bool_]:
        """Mask of the cells in which something is known."""
        if self.is_numeric:
            return ~np.isnan(self.numbers(PLAIN))
        gone = map_distinct(self.cells.tolist(), lambda cell: is_mark(cell, self.marks))
        return ~np.array(gone, dtype=bool)

    @cached_property
    def known(self) -> list[Any]:
        """The cells in which something is known."""
        return list(self.cells[self.is_known].tolist())

    @cached_property
    def words(self) -> list[str]:
        """The known cells as words."""
        return map_distinct(self.known, word_of)

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
        """All cells as numbers, NaN for a cell without a number."""
        if not self.is_numeric:
            return numbers_of(self.cells.tolist(), style, self.marks)
        values = self.cells.astype(np.float64)
        return blank_marks(values, self.marks)


def numbers_in(cells: Sequence[Any], marks: Collection[str]) -> NDArray[np.float64] | None:
    """Numbers of cells; None if a cell that says something is or writes no number."""
    is_gone = map_distinct(cells, lambda cell: is_mark(cell, marks))
    texts = [None if gone else cell for cell, gone in zip(cells, is_gone, strict=True)]
    known = [cell for cell in texts if cell is not None]
    if any(isinstance(cell, (bool, np.bool_)) for cell in known):
        return None
    if known and all(isinstance(cell, (int, float, np.number)) for cell in known):
        return np.array([np.nan if cell is None else float(cell) for cell in texts])
    return written_numbers(texts) if known else None


def blank_marks(values: NDArray[np.float64], marks: Collection[str]) -> NDArray[np.float64]:
    """Set numbers that the user calls missing, and infinite ones, to NaN, in place."""
    values[np.isinf(values)] = np.nan
    for mark in marks:
        try:
            values[values == float(mark)] = np.nan
        except ValueError:
            continue  # a word, which numbers cannot equal
    return values
