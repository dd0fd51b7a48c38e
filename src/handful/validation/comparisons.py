"""What is asked of a cell: ``age >= 65``, ``confusion is yes``, ``sex is female``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Floats, Mask
from handful.tables import word_of
from handful.tables.cells import is_mark, map_distinct, number_of

YES = frozenset({"yes", "y", "1", "true", "t", "present", "+", "ja", "j", "oui", "si", "sí", "sì"})
NO = frozenset({"no", "n", "0", "false", "f", "absent", "-", "nein", "non", "none"})
_PARTS = re.compile(
    r"\s*(?:'(?P<quoted>[^']+)'|(?P<column>[^<>=≥≤!≠]+?))\s*"
    r"(?P<op>>=|<=|==|!=|≠|≥|≤|>|<|=|(?<=\s)is(?=\s))\s*(?:'(?P<exact>[^']+)'|(?P<value>[^<>=≥≤]+?))\s*"
)
_SAME = {"≥": ">=", "≤": "<=", "=": "is", "≠": "!="}
_WORDS = ("is", "==", "!=")  # the second is one word alone, the third any other
_GONE = "missing"  # no word: cells that say so are missing
_HOW = "Write one comparison, such as 'qsofa >= 2', 'age < 65' or 'confusion is yes'"


def column_at(frame: Any, name: str, place: Mapping[str, str]) -> Any:
    """Cells of a column; ``place`` says what a column of the score is called in the table."""
    here = place.get(name, name)
    names = [str(column) for column in frame.columns]
    if here not in names:
        shown = ", ".join(repr(column[:40]) for column in names[:10])
        raise ValueError(
            f"the score needs the column {here!r}, which the table does not have. It has: {shown}. "
            f"If it is called otherwise there, say so with --map {name}=OTHER."
        )
    return frame.iloc[:, names.index(here)]


def numbers_at(frame: Any, name: str, place: Mapping[str, str]) -> Floats:
    """A column of numbers; NaN if a cell is missing, an error if it holds something else."""
    cells = column_at(frame, name, place).tolist()
    values = np.array(
        map_distinct(cells, lambda c: np.nan if is_mark(c) else number_of(c)), dtype=np.float64
    )
    for row in np.flatnonzero(np.isnan(values)).tolist():
        if not is_mark(cells[row]):
            raise ValueError(
                f"the column {place.get(name, name)!r} must hold numbers, got "
                f"{str(cells[row])[:40]!r} in row {row + 1}. Write numbers with a decimal point, "
                "and leave a missing one empty."
            )
    return values


@dataclass(frozen=True)
class Comparison:
    """One comparison of a column with a number or with words.

    Examples
    --------
    >>> import pandas as pd
    >>> asked = Comparison.parse("age >= 65")
    >>> str(asked), asked.met(pd.DataFrame({"age": ["70", "", "64"]}))[0].tolist()
    ('age >= 65', [True, False, False])
    """

    column: str
    op: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Comparison:
        """A comparison as a person writes it; a column with signs stands in single quotes."""
        found = _PARTS.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise ValueError(f"`score` must be a comparison, got {text!r}. {_HOW}.")
        column = (found["quoted"] or found["column"]).strip()
        made = cls(
            column, _SAME.get(found["op"], found["op"]), (found["exact"] or found["value"]).strip()
        )
        if made.is_order and np.isnan(number_of(made.value)):
            raise ValueError(
                f"`score` must compare {column!r} with a number, got {made.value!r}. {_HOW}."
            )
        return made

    @property
    def is_order(self) -> bool:
        """Whether numbers are compared by size."""
        return self.op not in _WORDS

    @property
    def words(self) -> frozenset[str]:
        """Words that are asked for, by commas; any word for yes if one of them is asked for."""
        if self.op != "is":
            return frozenset({word_of(self.value).casefold()})
        asked = {word_of(word).casefold() for word in self.value.split(",")}
        return YES if asked and asked <= YES else NO if asked and asked <= NO else frozenset(asked)

    @property
    def is_more(self) -> bool:
        """Whether larger numbers meet it."""
        return self.op in (">=", ">")

    def values(self, frame: Any, place: Mapping[str, str]) -> tuple[Floats, float]:
        """A number for each row and the threshold from which on the comparison is met."""
        if not self.is_order:
            is_met, is_missing = self.met(frame, place)
            return np.where(is_missing, np.nan, is_met.astype(np.float64)), 1.0
        sign = 1.0 if self.is_more else -1.0
        limit = sign * number_of(self.value)
        if self.op in (">", "<"):  # the next number above
            limit = float(np.nextafter(limit, np.inf))
        return sign * numbers_at(frame, self.column, place), limit

    def met(self, frame: Any, place: Mapping[str, str] | None = None) -> tuple[Mask, Mask]:
        """Which rows meet it, and which lack the value."""
        place = place or {}
        if self.is_order:
            values, limit = self.values(frame, place)
            return values >= limit, np.isnan(values)
        cells, asked = column_at(frame, self.column, place).tolist(), self.words
        gone = np.array(map_distinct(cells, is_mark), dtype=bool)
        if asked == {_GONE}:
            return gone ^ (self.op == "!="), np.zeros(len(gone), dtype=bool)
        words = map_distinct(cells, lambda cell: word_of(cell).casefold())
        if asked in (YES, NO):
            for row in np.flatnonzero(~gone).tolist():
                if words[row] not in YES | NO:
                    raise ValueError(
                        f"the column {place.get(self.column, self.column)!r} must say yes or no, "
                        f"got {words[row][:40]!r} in row {row + 1}. Name the word that counts, as "
                        f"in '{self.column} is {words[row][:40]}'."
                    )
        is_met = np.array([word in asked for word in words], dtype=bool)
        return (is_met ^ (self.op == "!=")) & ~gone, gone

    def __str__(self) -> str:
        return f"{self.column} {self.op} {self.value}"
