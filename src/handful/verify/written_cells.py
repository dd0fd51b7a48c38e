"""Single cells as the auditor reads them: numbers with units, hours, pairs, codes of diseases.

A style is a word of the file, such as ``plain; in mg/dl; undetected as 0.5``.
"""

from __future__ import annotations

import math
import re
from typing import Any

from handful.verify.redraw import word_form

_SIGNS = ("<=", ">=", "<", ">", "≤", "≥", "~")
_BEFORE_GROUPS = re.compile(r"(?<=\d)['’\s](?=\d{3}(\D|$))")
_FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_MONEY = re.compile(r"([€$£¥]|[A-Z]{3}(?=[\s\d])|(?:Rs|kr)\.?(?=[\s\d]))\s*")
_DIGITS = re.compile(r"[-+]?[\d.,][\d.,'’\s]*(?:[eE][-+]?\d+(?![\w/]))?")
_NOT_FOUND = (
    *("not detected", "undetected", "not detectable", "undetectable", "none detected", "<lod"),
    *("< lod", "<llod", "<loq", "< loq", "<lloq", "lod", "bdl", "blq", "below detection limit"),
    *("below detection", "below limit", "nicht nachweisbar", "n.n.", "nicht detektierbar"),
    *("non détecté", "indétectable", "no detectado", "indetectable", "non rilevabile"),
)
_BLOCKS = (
    *("A00-B99 infections", "C00-D49 neoplasms", "D50-D99 blood", "E00-E99 endocrine"),
    *("F00-F99 mental", "G00-G99 nervous system", "H00-H59 eye", "H60-H99 ear"),
    *("I00-I99 circulatory", "J00-J99 respiratory", "K00-K99 digestive", "L00-L99 skin"),
    *("M00-M99 musculoskeletal", "N00-N99 genitourinary", "O00-O99 pregnancy"),
    *("P00-P99 perinatal", "Q00-Q99 malformations", "R00-R99 symptoms", "S00-T99 injuries"),
    *("U00-U99 special codes", "V00-Y99 external causes", "Z00-Z99 health factors"),
)


def written_number(cell: str, style: str) -> float:
    """The number that a cell writes in a style, NaN if it writes none."""
    base, *more = style.split("; ")
    facts = dict(part.split(" ", 1) for part in more)
    text = cell.strip()
    if "undetected" in facts and text.casefold() in _NOT_FOUND:
        return float(facts["undetected"].removeprefix("as "))
    if base == "hours":
        return _clock(text)
    for sign in _SIGNS:
        if text.startswith(sign):
            text = text[len(sign) :].strip()
            break
    text = text.removesuffix("%").strip()
    if "in" in facts and not _FLOAT.fullmatch(text):
        text = _without_unit(text, facts["in"])
    return _decimal_number(text, base)


def _without_unit(text: str, unit: str) -> str:
    """The digits of a cell; nothing if it is in another unit."""
    money = _MONEY.match(text)
    rest = text[money.end() :] if money else text
    digits = _DIGITS.match(rest)
    if digits is None or len(text) > 400:
        return text
    tail = rest[digits.end() :]
    is_unit = not tail or ((tail[0].isalpha() or tail[0] in "€$£¥°%‰×") and len(tail) <= 25)
    if not is_unit:
        return text
    beside = "".join(((money[1] if money else "") + tail).split()).casefold().replace(";", ",")
    if len(beside) > 2 and beside.isalpha():
        beside = beside.removesuffix("s")
    return digits[0].strip() if beside in ("", unit) else ""


def _decimal_number(text: str, base: str) -> float:
    if base.startswith("thousands mark"):
        text = _BEFORE_GROUPS.sub("", text)
    if base == "thousands comma":
        text = text.replace(",", "")
    elif base == "thousands dot":
        text = text.replace(".", "").replace(",", ".")
    elif base in ("decimal comma", "thousands mark and decimal comma"):
        text = text.replace(",", ".")
    # Python would also take "1_000", "nan" and "infinity" for numbers.
    number = float(text) if len(text) < 400 and _FLOAT.fullmatch(text) else math.nan
    return math.nan if math.isinf(number) else number


def _clock(text: str) -> float:
    """Hours of a time such as 14:35, 1:10:00 or 2:35 pm."""
    found = re.match(r"(\d{1,4}):([0-5]\d)(:[0-5]\d)?(\.0+)?\s*([apAP]\.?[mM]\.?)?$", text)
    if not found:
        return math.nan
    hours = int(found[1])
    if found[5]:
        hours = hours % 12 + 12 * (found[5][0] in "pP")
    seconds = int(found[3][1:]) if found[3] else 0
    return (3600 * hours + 60 * int(found[2]) + seconds) / 3600.0


def two_numbers(cell: Any, is_gone: bool) -> tuple[float, float]:
    """The numbers of a cell such as 155/93; NaN if it does not write two."""
    parts = [] if is_gone else str(cell).strip()[:400].split("/")
    if len(parts) != 2 or not re.fullmatch(r"\d+(\.\d+)?\s*/\s*\d+(\.\d+)?", "/".join(parts)):
        return math.nan, math.nan
    return float(parts[0]), float(parts[1])


def chapter(cell: Any) -> str:
    """The chapter of a code of a disease; the word itself if it is none."""
    word = word_form(cell)
    if not re.fullmatch(r"[a-zA-Z]\d[0-9A-Za-z](\.?[0-9A-Za-z]{1,4})?[+*!]?", word):
        return word
    return [block for block in _BLOCKS if block[:3] <= word[:3].upper()][-1]
