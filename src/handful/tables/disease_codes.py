"""Codes of the ICD-10, by their chapters: too many codes for categories, and no order of digits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence

# the first code of each chapter
_STARTS = (
    *("A00", "C00", "D50", "E00", "F00", "G00", "H00", "H60", "I00", "J00", "K00", "L00"),
    *("M00", "N00", "O00", "P00", "Q00", "R00", "S00", "U00", "V00", "Z00"),
)
_CHAPTERS = (
    *("infections", "neoplasms", "blood", "endocrine", "mental", "nervous system", "eye", "ear"),
    *("circulatory", "respiratory", "digestive", "skin", "musculoskeletal", "genitourinary"),
    *("pregnancy", "perinatal", "malformations", "symptoms", "injuries", "special codes"),
    *("external causes", "health factors"),
)
_CODE = re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?[+*!]?", re.I)
_NAME = re.compile(r"(^|[_\W])(icd|diag|diagnos[ei]s|dx|diagnose)", re.I)
_MOST = 0.9  # share of words that must be codes, as of cells that must be numbers


def is_coded(name: str, words: Collection[str]) -> bool:
    """Whether words are codes of diseases: by their form, and by a dot or the column's name.

    Examples
    --------
    >>> is_coded("x", ["E11.9", "I10", "J45.0"]), is_coded("code", ["P017", "P018"])
    (True, False)
    """
    n_codes = sum(bool(_CODE.fullmatch(word)) for word in words)
    is_dotted = sum(word[3:4] == "." for word in words) >= 0.2 * len(words)
    return n_codes >= _MOST * len(words) and (is_dotted or bool(_NAME.search(name)))


def chapter_of(word: str) -> str:
    """The chapter of a code, the word itself if it is none.

    Examples
    --------
    >>> chapter_of("e11.9"), chapter_of("D48.1"), chapter_of("D50"), chapter_of("healthy")
    ('E00-E99 endocrine', 'C00-D49 neoplasms', 'D50-D99 blood', 'healthy')
    """
    if not _CODE.fullmatch(word):
        return word
    place = bisect_right(_STARTS, word[:3].upper()) - 1
    return f"{_STARTS[place]}-{_end(_STARTS, place)} {_CHAPTERS[place]}"


def _end(starts: Sequence[str], place: int) -> str:
    """The last code before the next chapter."""
    following = starts[place + 1] if place + 1 < len(starts) else "[00"
    if following[1:] != "00":
        return f"{following[0]}{int(following[1:]) - 1}"
    return f"{chr(ord(following[0]) - 1)}99"
