"""What a column holds: a number, ordered words, yes or no, a category, a date, or text.

The kind is decided by the cells of the pool alone, by the rules of this file in their order, so
that it is fixed before anything is counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful.tables.cell_counts import MOST_LETTERS
from handful.tables.cells import ANSWERS, Sample
from handful.tables.columns import PAIR, Column
from handful.tables.disease_codes import chapter_of, is_coded
from handful.tables.number_styles import (
    CHAPTERS,
    HOURS,
    PLAIN,
    UNDETECTED,
    NumberStyle,
    number_of,
    pair_of,
    style_of,
)

MOST = 0.9  # share of cells that must be numbers for the others to count as missing
MOST_UNDETECTED = 0.5  # share of cells that may say "not detected" among numbers
MANY_NUMBERS = 0.3  # share of cells from which a text is asked why it is none of numbers
MANY_WORDS = 20  # a category has at most so many words, or repeats them
FEWEST_WORDS = 10  # of fewer cells nothing can be said
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
_WITH_NUMBER = re.compile(r"^\D*?(\d+(?:\.\d+)?)\D*(?:\d+(?:\.\d+)?)?\D*$")


def kind_of(
    name: str,
    cells: Sequence[Any] | Sample,
    *,
    marks: Collection[str] = (),
    asked: str | None = None,
    scale: Sequence[str] = (),
) -> Column:
    """The column as its cells in the pool show it.

    ``marks`` are cells that the user calls missing, in lower case. ``asked`` is the kind that the
    user says it is, ``scale`` the words of an ordered column in their order.

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
        return column.with_note("H040", "it is empty", kind="empty", role="ignored")
    if sample.n_distinct == 1:
        note = f"it is {sample.words[0][:MOST_LETTERS]!r} throughout"
        return column.with_note("H040", note, kind="constant", role="ignored")
    if asked is None and sample.is_numeric:
        return column
    words = sample.words
    distinct = _distinct(words)
    is_date = sum(bool(_DATE.match(word)) for word in words) >= MOST * len(words)
    column = _joined(column, words)
    if asked in ("category", "ordered"):
        return _as_asked(column, distinct, asked, scale, is_date)
    return _as_seen(column, sample, distinct, is_date)


def _as_asked(
    column: Column, distinct: Sequence[str], asked: str, scale: Sequence[str], is_date: bool
) -> Column:
    """The column as the user says it is."""
    if asked == "category":
        return replace(column, kind="category", levels=tuple(distinct))
    if is_date:
        return column.with_note(
            "H042", "dates are used in their order, as days since 1970", kind="date"
        )
    if scale:
        note = f"its words are ordered: {_in_order(scale)}"
        return replace(column, kind="ordered", levels=tuple(scale)).with_note("H051", note)
    return _ordered(column, distinct, is_asked=True)


def _as_seen(column: Column, sample: Sample, distinct: Sequence[str], is_date: bool) -> Column:
    """The column as its words show it."""
    if _is_yes_no(distinct):
        no, yes = sorted(distinct, key=lambda word: word.casefold() in YES)
        return replace(column, kind="yes/no", levels=(no, yes))
    numeric = _number(replace(column, notes=()), sample.known)
    if numeric is not None:
        return numeric
    if is_date:
        note = f"dates are left out; --ordered {column.name} uses them in their order, as days"
        return replace(column, notes=()).with_note("H042", note, kind="date", role="ignored")
    if sum(pair_of(word)[0] >= 0.0 for word in sample.words) >= MOST * len(sample.words):
        note = "cells such as '155/93' are read as two numbers"
        return replace(column, notes=()).with_note("H058", note, kind=PAIR)
    if is_coded(column.name, sample.words):
        return _diseases(column, distinct)
    if _is_text(len(distinct), len(sample.words)):  # remarks with numbers in them are no scale
        return _not_numbers(replace(column, kind="text", notes=()), sample)
    ordered = _ordered(column, distinct, is_asked=False)
    if ordered.kind == "ordered":
        return ordered
    return replace(column, kind="category", levels=tuple(distinct))


def _diseases(column: Column, distinct: Sequence[str]) -> Column:
    """Codes of diseases: categories, by their chapters if they are many."""
    if len(distinct) <= MANY_WORDS:
        column = replace(column, kind="category", levels=tuple(distinct))
        return column.with_note("H053", "codes of diseases (ICD-10) are categories")
    levels = tuple(sorted({chapter_of(word) for word in distinct}))
    note = f"{len(distinct)} codes of diseases (ICD-10) are read by their {len(levels)} chapters"
    return replace(column, kind="category", style=CHAPTERS, levels=levels).with_note("H053", note)


def _not_numbers(column: Column, sample: Sample) -> Column:
    """A text with the reason why it is none of numbers, if it looks like numbers."""
    style = style_of(sample.words)
    odd = [word for word in sample.words if np.isnan(number_of(word, style))]
    share = 1.0 - len(odd) / len(sample.words)
    if share < MANY_NUMBERS:
        return column
    shown, unit = odd[0][:MOST_LETTERS], NumberStyle.of(style).unit
    what = f"numbers in {unit!r}" if unit else "numbers"
    return column.with_note(
        "H043",
        f"only {100 * share:.0f} % of its cells are {what}, others such as {shown!r} are not: "
        f"write one unit, or say --missing {column.name}={shown}",
    )


def _is_text(n_distinct: int, n_words: int) -> bool:
    """Whether so many words are too many for a category."""
    if n_distinct > MANY_WORDS:
        return n_distinct > 0.5 * n_words
    return n_words >= FEWEST_WORDS and n_distinct > 0.75 * n_words


def _in_order(words: Sequence[str]) -> str:
    n = MANY_WORDS if sum(map(len, words)) <= 10 * MOST_LETTERS else 3  # of free text, few
    shown = [word[:MOST_LETTERS] for word in words[:n]]
    return " < ".join([*shown, f"… ({len(words)})"] if len(words) > n else shown)


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
    return column.with_note("H052", f"{shown} are one word{more}")


def _is_yes_no(distinct: Sequence[str]) -> bool:
    lower = {word.casefold() for word in distinct}
    return len(lower) == len(distinct) == 2 and bool(lower & YES) and bool(lower & NO)


def _number(column: Column, known: Sequence[Any]) -> Column | None:
    """The column as numbers, if nearly all cells write one."""
    texts = [cell for cell in known if isinstance(cell, str)]
    if _is_text(len(set(texts)), len(known)):  # too many values for a category: no answers there
        known = [c for c in known if not (isinstance(c, str) and c.strip().casefold() in ANSWERS)]
    if not known:
        return None
    style = style_of(texts)
    numbers = np.array([number_of(cell, style) for cell in known])
    n_gone = sum(isinstance(c, str) and c.strip().casefold() in UNDETECTED for c in known)
    n_words = np.count_nonzero(np.isnan(numbers))
    if n_words > (1.0 - MOST) * len(known) or n_gone > MOST_UNDETECTED * len(known):
        return None
    return _styled(replace(column, style=style), texts, NumberStyle.of(style))


def _styled(column: Column, texts: Sequence[str], how: NumberStyle) -> Column:
    """The column of numbers with notes on how they are written."""
    if how.base == HOURS:
        column = column.with_note("H050", "times such as '1:30' are read as hours, 1.5")
    elif how.base != PLAIN:
        column = column.with_note("H050", f"numbers are read with a {how.base}")
    if how.unit:
        column = column.with_note(
            "H050", f"numbers are read in {how.unit!r}; a cell in another unit counts as missing"
        )
    elif any(text.rstrip().endswith("%") for text in texts):
        column = column.with_note("H050", "'12 %' is read as 12")
    if how.undetected is not None:
        column = column.with_note("H056", f"'not detected' is read as the limit {how.undetected:g}")
    return column


def _ordered(column: Column, distinct: Sequence[str], *, is_asked: bool) -> Column:
    """The column as ordered words: a known scale, or words that hold different numbers."""
    lower = {word.casefold(): word for word in distinct}
    for scale in SCALES:
        if len(lower) == len(distinct) >= 2 and set(lower) <= set(scale):
            levels = tuple(lower[word] for word in scale if word in lower)
            return replace(column, kind="ordered", levels=levels).with_note(
                "H051", f"its words are ordered: {_in_order(levels)}"
            )
    found = [_WITH_NUMBER.match(word) for word in distinct]
    if all(found) and len(distinct) <= MANY_WORDS:
        numbers = [float(match.group(1)) for match in found if match]
        if len(set(numbers)) == len(numbers):
            levels = tuple(word for _, word in sorted(zip(numbers, distinct, strict=True)))
            return replace(column, kind="ordered", levels=levels).with_note(
                "H051", f"its words are ordered by their number: {_in_order(levels)}"
            )
    if is_asked:
        return replace(column, kind="ordered", levels=tuple(distinct)).with_note(
            "H051", f"its words are ordered alphabetically: {_in_order(distinct)}"
        )
    return column
