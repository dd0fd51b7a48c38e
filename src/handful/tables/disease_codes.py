"""Codes of the ICD-10, by their chapters: too many codes for categories, and no order of digits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection

CHAPTERS = (
    *("A00-B99 infections", "C00-D49 neoplasms", "D50-D99 blood", "E00-E99 endocrine"),
    *("F00-F99 mental", "G00-G99 nervous system", "H00-H59 eye", "H60-H99 ear"),
    *("I00-I99 circulatory", "J00-J99 respiratory", "K00-K99 digestive", "L00-L99 skin"),
    *("M00-M99 musculoskeletal", "N00-N99 genitourinary", "O00-O99 pregnancy"),
    *("P00-P99 perinatal", "Q00-Q99 malformations", "R00-R99 symptoms", "S00-T99 injuries"),
    *("U00-U99 special codes", "V00-Y99 external causes", "Z00-Z99 health factors"),
)
_STARTS = [chapter[:3] for chapter in CHAPTERS]
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
    >>> chapter_of("e11.9"), chapter_of("D48.1"), chapter_of("healthy")
    ('E00-E99 endocrine', 'C00-D49 neoplasms', 'healthy')
    """
    is_code = _CODE.fullmatch(word)
    return CHAPTERS[bisect_right(_STARTS, word[:3].upper()) - 1] if is_code else word
