"""How a column writes its numbers: commas, thousands marks, units, hours, limits of detection.

A style is a word that a model file holds, for example ``decimal comma`` or, with what stands
beside the number in the cells, ``plain; in mg/dl; undetected as 0.5``. It is read off the cells of
the pool, and then applied to every cell: a cell in another unit writes no number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

PLAIN, DECIMAL_COMMA, THOUSANDS_COMMA, THOUSANDS_DOT = (
    "plain",
    "decimal comma",
    "thousands comma",
    "thousands dot",
)
THOUSANDS_MARK, MARK_AND_COMMA = "thousands mark", "thousands mark and decimal comma"
HOURS = "hours"
PLAIN_STYLES = (PLAIN, DECIMAL_COMMA, THOUSANDS_COMMA, THOUSANDS_DOT)  # that exports can write
STYLES = (*PLAIN_STYLES, THOUSANDS_MARK, MARK_AND_COMMA, HOURS)
CHAPTERS = "icd-10 chapters"  # of a category
UNDETECTED = frozenset(
    {"not detected", "undetected", "not detectable", "undetectable", "none detected", "<lod"}
    | {"< lod", "<llod", "<loq", "< loq", "<lloq", "lod", "bdl", "blq", "below detection limit"}
    | {"below detection", "below limit", "nicht nachweisbar", "n.n.", "nicht detektierbar"}
    | {"non détecté", "indétectable", "no detectado", "indetectable", "non rilevabile"}
)
MOST_OTHERS = 0.1  # share of cells in another unit, beyond which a column has several
_LIMIT = re.compile(r"^\s*(<=|>=|[<>≤≥~])\s*")
_DECIMAL_COMMA = re.compile(r"^[-+]?\d+,\d+$")
_GROUPED_COMMA = re.compile(r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$")
_GROUPED_DOT = re.compile(r"^[-+]?\d{1,3}(\.\d{3})+,\d+$")
_MARKED = re.compile(r"^[-+]?[1-9]\d{0,2}(['’\s]\d{3})+([.,]\d+)?$")
_MARKS = re.compile(r"(?<=\d)['’\s](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
# Three letters before a number are money only if they name a currency: PAT17 is a code.
_MONEY = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|ISK|TRY|RUB|UAH|ILS|"
    "AED|SAR|ZAR|NGN|KES|EGP|BRL|MXN|ARS|CLP|COP|PEN|KRW|SGD|HKD|TWD|THB|MYR|IDR|PHP|VND|PKR|BDT"
)
_WITH_UNIT = re.compile(
    rf"^(?P<money>[€$£¥]|(?:{_MONEY})(?=[\s\d])|Rs\.?(?=[\s\d])|kr\.?(?=[\s\d]))?\s*"
    r"(?P<number>[-+]?[\d.,][\d.,'’\s]*+(?:[eE][-+]?\d+(?![\w/]))?+)"
    r"(?P<unit>(?:[^\W\d_]|[€$£¥°%‰×]).{0,24})?$"
)
_HOURS = re.compile(r"^(\d{1,4}):([0-5]\d)(?::([0-5]\d))?(?:\.0+)?\s*(?:([ap])\.?m\.?)?$", re.I)
_PAIR = re.compile(r"^(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)$")
LONGEST = 400  # letters of a number


@dataclass(frozen=True)
class NumberStyle:
    """A style, taken apart: its base, its unit, and the number of a cell that is "not detected".

    Units are in small letters without blanks.

    Examples
    --------
    >>> NumberStyle("plain", "mg/dl", 0.5).text
    'plain; in mg/dl; undetected as 0.5'
    >>> NumberStyle.of("plain; in mg/dl; undetected as 0.5").undetected
    0.5
    """

    base: str = PLAIN
    unit: str = ""
    undetected: float | None = None

    @property
    def text(self) -> str:
        """The style as a model file holds it."""
        parts = [self.base, *([f"in {self.unit}"] if self.unit else [])]
        if self.undetected is not None:
            parts.append(f"undetected as {self.undetected!r}")
        return "; ".join(parts)

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(text: str) -> NumberStyle:
        """Take a style apart; a ValueError if it is none."""
        found = re.fullmatch(r"([\w ]+?)(?:; in ([^;]+))?(?:; undetected as ([^;]+))?", text)
        if not found or found[1] not in STYLES:
            raise ValueError(f"a style of numbers must be one of {STYLES}, got {text!r}.")
        limit = None if found[3] is None else float(found[3])
        if limit is not None and not math.isfinite(limit):
            raise ValueError(f"a limit must be a finite number, got {text!r}.")
        return NumberStyle(found[1], found[2] or "", limit)


def style_of(cells: Sequence[str]) -> str:
    """How a column writes its numbers.

    Examples
    --------
    >>> style_of(["3,14", "2,7"]), style_of(["1,234", "12,000"]), style_of(["1.5", "2"])
    ('decimal comma', 'thousands comma', 'plain')
    >>> style_of(["67y", "70 Y"]), style_of(["1'234.50", "12"]), style_of(["1:10:00", "0:45:00"])
    ('plain; in y', 'thousands mark', 'hours')
    >>> style_of(["0.7", "<0.5", "not detected"])
    'plain; undetected as 0.5'
    """
    words = [cell.strip() for cell in cells]
    known = [word for word in words if word.casefold() not in UNDETECTED]
    style = _style_of_known(known)
    if len(known) < len(words):
        numbers = {word: number_of(word, style.text) for word in known}
        found = {word: n for word, n in numbers.items() if not math.isnan(n)}
        limits = [n for word, n in found.items() if word.startswith(("<", "≤"))]
        style = replace(style, undetected=min(limits or found.values(), default=None))
    return style.text


def _style_of_known(known: Sequence[str]) -> NumberStyle:
    n_times = sum(bool(_HOURS.match(word)) for word in known)
    if known and n_times >= (1.0 - MOST_OTHERS) * len(known):
        return NumberStyle(HOURS)
    parts = [_with_unit(word) for word in known]
    units = Counter(unit for _, unit in parts if unit)
    unit = min(units, key=lambda one: (-units[one], one)) if units else ""
    return NumberStyle(_base([number for number, _ in parts]), unit)


def _with_unit(word: str) -> tuple[str, str]:
    """The number of a cell as it is written, and its unit, both without signs of limits."""
    text = _LIMIT.sub("", word).strip().removesuffix("%").strip()
    found = None if _NUMBER.match(text) or len(text) > LONGEST else _WITH_UNIT.match(text)
    if found is None:
        return text, ""
    unit = re.sub(r"\s+", "", f"{found['money'] or ''}{found['unit'] or ''}").casefold()
    is_plural = len(unit) > 2 and unit.isalpha() and unit.endswith("s")
    unit = unit.replace(";", ",")
    return found["number"].strip(), unit.removesuffix("s") if is_plural else unit


def _base(bare: Sequence[str]) -> str:
    """Commas and thousands marks of numbers without units."""
    marked = {text for text in bare if _MARKED.match(text)}
    if marked and not any(map(_MARKS.search, set(bare) - marked)):
        return MARK_AND_COMMA if "," in "".join(bare) else THOUSANDS_MARK
    with_comma = [text for text in bare if "," in text]
    if not with_comma:
        return PLAIN
    if any(map(_GROUPED_DOT.match, with_comma)):
        return THOUSANDS_DOT
    if all(map(_GROUPED_COMMA.match, with_comma)):
        # 0,125 can only be a decimal comma; 1,234 is read as the larger number
        is_decimal = any(text.lstrip("+-").startswith("0,") for text in with_comma)
        return DECIMAL_COMMA if is_decimal else THOUSANDS_COMMA
    return DECIMAL_COMMA if all(map(_DECIMAL_COMMA.match, with_comma)) else PLAIN


def number_of(cell: Any, style: str = PLAIN) -> float:
    """The number that a cell writes, NaN if it writes none; a limit is its own value.

    Examples
    --------
    >>> number_of("<0.5"), number_of("1.234,5", "thousands dot"), number_of("12 %")
    (0.5, 1234.5, 12.0)
    >>> number_of("12.9 g/dL", "plain; in g/dl"), number_of("1:30", "hours")
    (12.9, 1.5)
    >>> number_of("high"), number_of("129 g/L", "plain; in g/dl")
    (nan, nan)
    """
    if isinstance(cell, (int, float, np.number, np.bool_)):
        value = float(cell)
        return float("nan") if math.isinf(value) else value
    how, word = NumberStyle.of(style), str(cell).strip()
    if how.undetected is not None and word.casefold() in UNDETECTED:
        return how.undetected
    if how.base == HOURS:
        return _hours(word)
    text = _LIMIT.sub("", word).strip().removesuffix("%").strip()
    if how.unit:
        text, unit = _with_unit(word)
        if unit not in ("", how.unit):
            return float("nan")
    return _decimal(text, how.base)


def _decimal(text: str, base: str) -> float:
    if base in (THOUSANDS_MARK, MARK_AND_COMMA):
        text = _MARKS.sub("", text)
    if base == THOUSANDS_COMMA:
        text = text.replace(",", "")
    elif base == THOUSANDS_DOT:
        text = text.replace(".", "").replace(",", ".")
    elif base in (DECIMAL_COMMA, MARK_AND_COMMA):
        text = text.replace(",", ".")
    value = float(text) if _NUMBER.match(text) and len(text) < LONGEST else float("nan")
    return float("nan") if math.isinf(value) else value


def _hours(word: str) -> float:
    """Hours of a duration or of a time of day."""
    found = _HOURS.match(word)
    if found is None:
        return float("nan")
    hours = int(found[1])
    if found[4]:
        hours = hours % 12 + (12 if found[4] in "pP" else 0)
    return (3600 * hours + 60 * int(found[2]) + int(found[3] or 0)) / 3600.0


def pair_of(cell: Any) -> tuple[float, float]:
    """The two numbers of a cell such as a blood pressure; NaN if it does not write two.

    Examples
    --------
    >>> pair_of("155/93"), pair_of("155")
    ((155.0, 93.0), (nan, nan))
    """
    found = _PAIR.match(str(cell).strip()[:LONGEST])
    return (float(found[1]), float(found[2])) if found else (float("nan"), float("nan"))


def is_limit(cell: Any, style: str = PLAIN) -> bool:
    """Whether a cell says "below" or "above" a number, as laboratories do, or "not detected".

    Examples
    --------
    >>> is_limit("<0.5"), is_limit("0.5"), is_limit("<0,5", DECIMAL_COMMA)
    (True, False, True)
    """
    if not isinstance(cell, str) or math.isnan(number_of(cell, style)):
        return False
    return bool(_LIMIT.match(cell)) or cell.strip().casefold() in UNDETECTED
