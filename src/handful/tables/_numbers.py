"""Cells of text as numbers: decimal commas, thousands separators, limits of detection.

How a column writes its numbers is read off a few of its cells (those of the pool) and then
applied to every cell: what a cell means must not depend on the cells that are counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._digests import is_missing, word_of, written_numbers

PLAIN, DECIMAL_COMMA, THOUSANDS_COMMA, THOUSANDS_DOT = (
    "plain",
    "decimal comma",
    "thousands comma",
    "thousands dot",
)
STYLES = (PLAIN, DECIMAL_COMMA, THOUSANDS_COMMA, THOUSANDS_DOT)
MISSING_MARKS = frozenset(
    {"", "?", ".", "--", "na", "n/a", "n.a.", "nan", "#n/a", "<na>", "null", "#null!", "missing"}
    | {"not available", "not done", "n.d.", "k.a.", "#value!", "#div/0!"}
)
ANSWERS = frozenset(
    {"none", "-", "nd", "nil"}
)  # to "which pain?"; missing only if somebody says so
NOT = "≠"  # before a usual mark that is an answer in a column
_LIMIT = re.compile(r"^\s*(<=|>=|[<>≤≥~])\s*")
_DECIMAL_COMMA = re.compile(r"^[-+]?\d+,\d+$")
_GROUPED_COMMA = re.compile(r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$")
_GROUPED_DOT = re.compile(r"^[-+]?\d{1,3}(\.\d{3})+,\d+$")
_NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")


def is_mark(cell: Any, more: Collection[str] = ()) -> bool:
    """Whether a cell says that nothing is known; ``more`` are marks of the user's.

    One that begins with ≠ says that a usual mark is an answer.

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
    """The usual marks and those of the user's, without those that are answers.

    Examples
    --------
    >>> sorted(all_marks(["x", "≠."]) ^ MISSING_MARKS)
    ['.', 'x']
    """
    own = frozenset(more)
    gone = {mark.removeprefix(NOT) for mark in own if mark.startswith(NOT)}
    return (MISSING_MARKS - gone) | {mark for mark in own if not mark.startswith(NOT)}


def style_of(cells: Sequence[str]) -> str:
    """How a column writes its numbers.

    Examples
    --------
    >>> style_of(["3,14", "2,7"]), style_of(["1,234", "12,000"]), style_of(["1.5", "2"])
    ('decimal comma', 'thousands comma', 'plain')
    """
    bare = [_LIMIT.sub("", cell).strip().rstrip("%").strip() for cell in cells]
    with_comma = [cell for cell in bare if "," in cell]
    if not with_comma:
        return PLAIN
    if any(_GROUPED_DOT.match(cell) for cell in with_comma):
        return THOUSANDS_DOT
    if all(_GROUPED_COMMA.match(cell) for cell in with_comma):
        # 0,125 can only be a decimal comma; 1,234 is read as the larger number
        is_decimal = any(cell.lstrip("+-").startswith("0,") for cell in with_comma)
        return DECIMAL_COMMA if is_decimal else THOUSANDS_COMMA
    return DECIMAL_COMMA if all(_DECIMAL_COMMA.match(cell) for cell in with_comma) else PLAIN


def number_of(cell: Any, style: str = PLAIN) -> float:
    """The number that a cell writes, NaN where it writes none; a limit is its own value.

    Examples
    --------
    >>> number_of("<0.5"), number_of("1.234,5", "thousands dot"), number_of("12 %")
    (0.5, 1234.5, 12.0)
    >>> number_of("high")
    nan
    """
    if isinstance(cell, (int, float, np.number, np.bool_)):
        value = float(cell)
        return float("nan") if math.isinf(value) else value
    text = _LIMIT.sub("", str(cell)).strip().removesuffix("%").strip()
    if style in (THOUSANDS_COMMA,):
        text = text.replace(",", "")
    elif style == THOUSANDS_DOT:
        text = text.replace(".", "").replace(",", ".")
    elif style == DECIMAL_COMMA:
        text = text.replace(",", ".")
    value = float(text) if _NUMBER.match(text) and len(text) < 400 else float("nan")
    return float("nan") if math.isinf(value) else value


def is_limit(cell: Any, style: str = PLAIN) -> bool:
    """Whether a cell says "below" or "above" a number, as laboratories do.

    Examples
    --------
    >>> is_limit("<0.5"), is_limit("0.5"), is_limit("<0,5", DECIMAL_COMMA)
    (True, False, True)
    """
    is_marked = isinstance(cell, str) and bool(_LIMIT.match(cell))
    return is_marked and not math.isnan(number_of(cell, style))


def numbers_of(
    cells: Sequence[Any], style: str = PLAIN, more: Collection[str] = ()
) -> NDArray[np.float64]:
    """All numbers of a column; NaN where a cell is missing or writes none."""
    if style == PLAIN and not more:
        plain = written_numbers(cells)
        if plain is not None:
            plain[np.isinf(plain)] = np.nan
            return plain
    return np.array(
        [np.nan if is_mark(c, more) else number_of(c, style) for c in cells], dtype=np.float64
    )
