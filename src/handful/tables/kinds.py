"""What a column holds: a number, ordered words, yes or no, a category, a date, or text.

The kind is decided by the cells of the pool alone, by the rules of this file in their order, so
that it is fixed before anything is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables.cells import (
    ANSWERS,
    PLAIN,
    Sample,
    is_limit,
    is_mark,
    number_of,
    style_of,
    word_of,
)
from handful.tables.columns import Column

MOST = 0.9  # share of cells that must be numbers for the others to count as missing
MANY_WORDS = 20  # a category has at most so many words, or repeats them
FEWEST_WORDS = 10  # of fewer cells nothing can be said
INFINITE = "{} infinite values count as missing"
MOST_LETTERS = 40  # of a cell in a note: cells may be as long as pages
YES = frozenset({"yes", "y", "true", "t", "ja", "oui", "si", "sí", "present", "positive", "pos"})
NO = frozenset({"no", "n", "false", "f", "nein", "non", "absent", "negative", "neg"})
SCALES = (
    ("none", "mild", "moderate", "severe"),
    ("very low", "low", "medium", "high", "very high"),
    ("low", "intermediate", "high"),
    ("low", "normal", "high"),
    ("small", "medium", "large"),
    ("never", "former", "current"),
    ("i", "ii", "iii", "iv", "v", "vi"),
)
_DATE = re.compile(
    r"^(\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4})$"
)
_LIMITS = frozenset("<>≤≥~ \t")  # with which a limit of detection begins
_INFINITY = re.compile(r"\s*[-+]?inf(inity)?\s*", re.I)
_WITH_NUMBER = re.compile(r"^\D*?(\d+(?:\.\d+)?)\D*(?:\d+(?:\.\d+)?)?\D*$")


def kind_of(
    name: str,
    cells: Sequence[Any] | Sample,
    *,
    marks: Collection[str] = (),
    asked: str | None = None,
) -> Column:
    """The column as its cells show it.

    Parameters
    ----------
    name : str
    cells : sequence or Sample
        The cells of the pool.
    marks : collection of str
        Cells that the user calls missing, in lower case.
    asked : {"number", "ordered", "category"}, optional
        The kind that the user says it is.

    Examples
    --------
    >>> kind_of("stage", ["II", "I", "III", "II"]).levels
    ('I', 'II', 'III')
    >>> kind_of("crp", ["0,5", "1,25", "NA"]).style
    'decimal comma'
    """
    sample = cells if isinstance(cells, Sample) else Sample.of(cells, marks)
    column = Column(name, marks=tuple(sorted(marks)))
    if not sample.is_known.any():
        return column.with_note("it is empty", kind="empty", role="ignored")
    if sample.n_distinct == 1:
        note = f"it is {sample.words[0][:MOST_LETTERS]!r} throughout"
        return column.with_note(note, kind="constant", role="ignored")
    if asked is None and sample.is_numeric:
        return column
    words = sample.words
    distinct = _distinct(words)
    is_date = sum(bool(_DATE.match(word)) for word in words) >= MOST * len(words)
    column = _joined(column, words)
    if asked == "category":
        return replace(column, kind="category", levels=tuple(distinct))
    if asked == "ordered" and is_date:
        return column.with_note("dates are used in their order, as days since 1970", kind="date")
    if asked == "ordered":
        return _ordered(column, distinct, is_asked=True)
    if _is_yes_no(distinct):
        no, yes = sorted(distinct, key=lambda word: word.casefold() in YES)
        return replace(column, kind="yes/no", levels=(no, yes))
    numeric = _number(replace(column, notes=()), sample.known)
    if numeric is not None:
        return numeric
    if is_date:
        note = f"dates are left out; --ordered {name} uses them in their order, as days"
        return replace(column, notes=()).with_note(note, kind="date", role="ignored")
    if _is_text(len(distinct), len(words)):  # remarks with numbers in them are no scale
        return replace(column, kind="text", notes=())
    ordered = _ordered(column, distinct, is_asked=False)
    if ordered.kind == "ordered":
        return ordered
    return replace(column, kind="category", levels=tuple(distinct))


def _is_text(n_distinct: int, n_words: int) -> bool:
    """Whether so many words are too many for a category."""
    if n_distinct > MANY_WORDS:
        return n_distinct > 0.5 * n_words
    return n_words >= FEWEST_WORDS and n_distinct > 0.75 * n_words


def with_marks(column: Column, cells: NDArray[Any]) -> Column:
    """Add notes on cells that say missing, and on answers that may mean it.

    The cells are only counted, so that all rows may be looked at.
    """
    is_left_out = column.role == "ignored" and column.kind != "text"
    if cells.dtype.kind != "O" or column.role == "target" or is_left_out:
        return column
    found = Counter(cell.strip() for cell in cells if isinstance(cell, str))
    gone = [word for word in sorted(found) if word and is_mark(word, column.marks)]
    if gone:
        said = ", ".join(f"{word[:MOST_LETTERS]!r} ({found[word]})" for word in gone)
        column = column.with_note(f"missing where it says {said}")
    answers = [word for word in sorted(found) if word.casefold() in ANSWERS and word not in gone]
    for word in answers if column.kind != "number" else ():
        column = column.with_note(
            f"{word!r} is an answer in {found[word]} rows: if it means missing, say --missing "
            f"{column.name}={word}"
        )
    return column


def with_odd_cells(column: Column, cells: Any, values: NDArray[np.float64]) -> Column:
    """Add notes on cells of a number column that are no numbers: infinity, limits, words.

    How they are read is fixed. They are only counted here, so that all rows may be looked at.

    Parameters
    ----------
    column : Column
    cells : array
        All cells of the table.
    values : ndarray
        The same as numbers.
    """
    if cells.dtype.kind in "biuf":
        n_infinite = int(np.isinf(cells).sum()) if cells.dtype.kind == "f" else 0
        return column.with_note(INFINITE.format(n_infinite)) if n_infinite else column
    texts = cells.tolist()
    is_low = np.array(
        [isinstance(c, str) and c[:1] in _LIMITS and is_limit(c, column.style) for c in texts]
    )
    if is_low.any():
        shown = str(texts[int(np.argmax(is_low))]).strip()[:MOST_LETTERS]
        column = column.with_note(
            f"{int(is_low.sum())} cells such as {shown!r} are read as their limit"
        )
    is_word = np.isnan(values)
    is_infinite = np.array([isinstance(c, str) and bool(_INFINITY.fullmatch(c)) for c in texts])
    if is_infinite.any():
        column = column.with_note(INFINITE.format(int(is_infinite.sum())))
    is_word &= ~is_infinite
    is_word[is_word] = [not is_mark(texts[i], column.marks) for i in np.flatnonzero(is_word)]
    if is_word.any():
        shown = word_of(texts[int(np.argmax(is_word))])[:MOST_LETTERS]
        column = column.with_note(
            f"{int(is_word.sum())} words such as {shown!r} among numbers count as missing"
        )
    return column


def _in_order(words: Sequence[str]) -> str:
    shown = [word[:MOST_LETTERS] for word in words[:MANY_WORDS]]
    return " < ".join([*shown, "…"] if len(words) > MANY_WORDS else shown)


def _distinct(words: Sequence[str]) -> list[str]:
    """The words in order; capitals do not tell words apart."""
    forms: dict[str, str] = {}
    for word in sorted(set(words)):
        forms.setdefault(word.casefold(), word)
    return sorted(forms.values())


def _joined(column: Column, words: Sequence[str]) -> Column:
    """Add a note if words differ in capitals alone."""
    forms: dict[str, set[str]] = {}
    for word in set(words):
        forms.setdefault(word.casefold(), set()).add(word)
    same = sorted(sorted(spelled) for spelled in forms.values() if len(spelled) > 1)
    if not same:
        return column
    shown = ", ".join(repr(word[:MOST_LETTERS]) for word in same[0])
    more = f", and so are {len(same) - 1} more" if len(same) > 1 else ""
    return column.with_note(f"{shown} are one word{more}")


def _is_yes_no(distinct: Sequence[str]) -> bool:
    lower = {word.casefold() for word in distinct}
    return len(lower) == len(distinct) == 2 and bool(lower & YES) and bool(lower & NO)


def _number(column: Column, known: Sequence[Any]) -> Column | None:
    """The column as numbers, if nearly all cells write one."""
    texts = [cell for cell in known if isinstance(cell, str)]
    if _is_text(len(set(texts)), len(known)):  # too many values for a category: no answers there
        known = [c for c in known if not (isinstance(c, str) and c.strip().casefold() in ANSWERS)]
    style = style_of(texts)
    numbers = np.array([number_of(cell, style) for cell in known])
    is_word = np.isnan(numbers)
    if not len(is_word) or is_word.mean() > 1.0 - MOST:
        return None
    column = replace(column, style=style)
    if style != PLAIN:
        column = column.with_note(f"numbers are read with a {style}")
    return column


def _ordered(column: Column, distinct: Sequence[str], *, is_asked: bool) -> Column:
    """The column as ordered words: a known scale, or words that hold different numbers."""
    lower = {word.casefold(): word for word in distinct}
    for scale in SCALES:
        if len(lower) == len(distinct) >= 2 and set(lower) <= set(scale):
            levels = tuple(lower[word] for word in scale if word in lower)
            return replace(column, kind="ordered", levels=levels).with_note(
                f"its words are ordered: {_in_order(levels)}"
            )
    found = [_WITH_NUMBER.match(word) for word in distinct]
    if all(found) and len(distinct) <= MANY_WORDS:
        numbers = [float(match.group(1)) for match in found if match]
        if len(set(numbers)) == len(numbers):
            levels = tuple(word for _, word in sorted(zip(numbers, distinct, strict=True)))
            return replace(column, kind="ordered", levels=levels).with_note(
                f"its words are ordered by their number: {_in_order(levels)}"
            )
    if is_asked:
        return replace(column, kind="ordered", levels=tuple(distinct)).with_note(
            f"its words are ordered alphabetically: {_in_order(distinct)}"
        )
    return column
