"""Forms of a menu as SQL over raw columns: numbers, words, missing values."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handful.models import Branch, Curve, Fitted, Language, Op, pick
from handful.tables import ANSWERS, Column, all_marks

_ENGLISH = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_LIMITS = ("<", ">", "=", "≤", "≥", "~", "%")


def identifier(name: str) -> str:
    """A name in quotes."""
    if "\0" in name:
        raise ValueError("a column name must not hold NUL characters to be written as SQL.")
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    r"""A text in quotes.

    Some engines (MySQL, BigQuery, Spark) read a backslash as the beginning of an escape, others as
    itself. '\\' begins with a backslash in both readings.

    Examples
    --------
    >>> print(text_literal("it's"), text_literal("a\\b"))
    'it''s' REPLACE('a!b', '!', SUBSTR('\\', 1, 1))
    """
    if "\0" in text:
        raise ValueError("a text must not hold NUL characters to be written as SQL.")
    quoted = "'" + text.replace("'", "''") + "'"
    if "\\" not in text:
        return quoted
    # A letter that the text does not hold stands for the backslash until the engine puts one in.
    free = next(letter for letter in map(chr, range(33, 0x110000)) if letter not in quoted + "\\")
    marked = quoted.replace("\\", free)
    return f"REPLACE({marked}, '{free}', SUBSTR('\\\\', 1, 1))"


def number_literal(value: float) -> str:
    """Digits with an exponent: databases read those as floating point, others as decimals."""
    if not math.isfinite(value):
        raise ValueError(
            f"a model must be made of finite numbers to be written as SQL, got {value!r}. Look for "
            "values that are far too large in the table."
        )
    text = repr(float(value))
    # repr gives the fewest digits that come back to the same float.
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


@dataclass(frozen=True)
class Cell:
    """One raw column in SQL.

    ``in_text`` says that numbers stand in the table as they were written in a file; None, that
    they do if a number of the database would be written otherwise.
    """

    column: Column
    in_text: bool | None

    @property
    def is_text(self) -> bool:
        """Whether numbers are texts; by default, the style of the column tells."""
        return self.column.style != "plain" if self.in_text is None else self.in_text

    def check(self) -> None:
        """Refuse a column whose cells databases do not read as this package does."""
        column = self.column
        if column.is_common or (self.in_text is False and column.kind == "number"):
            return
        what = "dates" if column.kind == "date" else f"{column.kind} cells ({column.style})"
        more = ", or say --numbers if the database holds numbers" * (column.kind == "number")
        raise ValueError(
            f"column {column.name!r} holds {what}, which databases write in their own ways. Use "
            f"`handful predict`{more}, or leave the column out with --exclude."
        )

    @property
    def is_gone(self) -> str:
        """Whether nothing is known; always true or false."""
        name = identifier(self.column.name)
        if self.column.kind == "ordered" or (not self.is_word and not self.is_text):
            return f"({self.number}) IS NULL"  # an unknown word has no place on a scale
        if self.column.is_exact:
            return f"{name} IS NULL"
        marks = all_marks(self.column.marks)
        # The words that mean missing in the library, in all spellings that a database may hold.
        if not self.is_word:  # a word among numbers that is no mark elsewhere
            marks |= ANSWERS
        listed = [spelling for mark in sorted(marks) for spelling in spellings(mark)]
        words = ", ".join(text_literal(mark) for mark in dict.fromkeys(listed))
        return f"({name} IS NULL OR LOWER(TRIM(CAST({name} AS VARCHAR))) IN ({words}))"

    @property
    def is_word(self) -> bool:
        """Whether the column holds words."""
        return self.column.words is not None or self.column.kind == "ordered"

    def equals(self, word: str) -> str:
        """Whether the cell is a word; NULL or false if it is missing."""
        known = [word] if self.column.is_exact else small_forms(word)
        listed = list(dict.fromkeys(s for w in known for s in spellings(w)))
        text = f"TRIM(CAST({identifier(self.column.name)} AS VARCHAR))"
        if not self.column.is_exact:
            # engines make i of İ, which the library keeps apart
            text = f"REPLACE({text}, 'İ', '{'İ'.casefold()}')" if "i" in known[0] else text
            text = f"LOWER({text})"
        if len(listed) == 1:
            return f"{text} = {text_literal(listed[0])}"
        return f"{text} IN ({', '.join(text_literal(s) for s in listed)})"

    @property
    def number(self) -> str:
        """The number that the column gives, NULL if it is missing."""
        name, column = identifier(self.column.name), self.column
        if column.kind == "ordered":
            pairs = enumerate(column.levels)
            branches = " ".join(f"WHEN {self.equals(w)} THEN {k}e0" for k, w in pairs)
            return f"CASE {branches} END"
        if self.is_text:
            cleaned = f"CAST({self._cleaned} AS DOUBLE PRECISION)"
            return f"CASE WHEN {self.is_gone} THEN NULL ELSE {cleaned} END"
        value = f"CAST({name} AS DOUBLE PRECISION)"
        # Numbers that mean missing become NULL; marks that are words cannot stand in a number
        # column.
        for mark in column.marks:
            if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", mark):
                value = f"NULLIF({value}, {number_literal(float(mark))})"
        return value

    @property
    def _cleaned(self) -> str:
        """The text of a number without signs of limits, as SQL writes numbers."""
        text = f"CAST({identifier(self.column.name)} AS VARCHAR)"
        for sign in _LIMITS:
            text = f"REPLACE({text}, {text_literal(sign)}, '')"
        if self.column.style == "thousands comma":
            text = f"REPLACE({text}, ',', '')"
        elif self.column.style == "thousands dot":
            text = f"REPLACE(REPLACE({text}, '.', ''), ',', '.')"
        elif self.column.style == "decimal comma":
            text = f"REPLACE({text}, ',', '.')"
        return f"TRIM({text})"


def small_forms(word: str) -> list[str]:
    """Forms that LOWER may give a word: some engines know the capitals of English alone.

    Examples
    --------
    >>> small_forms("Yes"), small_forms("Öl")
    (['yes'], ['öl', 'Öl'])
    """
    forms = (word.casefold(), word.lower(), word, word.upper(), word.capitalize())
    return list(dict.fromkeys(form.translate(_ENGLISH) for form in forms))


def spellings(word: str) -> list[str]:
    """Spellings in a database of a word that the library knows in one form."""
    if re.fullmatch(r"-?[0-9]+", word):
        return [word, f"{word}.0"]
    if word in ("True", "False"):
        return [word, word.lower(), word.upper()]
    return [word]


class Sql(Language):
    """SQL over the columns of a form; ``is_text`` as in `Cell`."""

    both, either, absolute, exp, root = "AND", "OR", "ABS", "EXP", "SQRT"

    def __init__(self, fitted: Fitted, is_text: bool | None) -> None:
        self._parts = [
            (Cell(column, is_text), question)
            for column in fitted.columns.columns
            for question in column.features
        ]
        for column in fitted.columns.columns:
            Cell(column, is_text).check()

    def number(self, value: float) -> str:
        return number_literal(value)

    def exceeds(self, value: str, limit: str, *, or_equals: bool = False) -> str:
        # By the sign of the difference: some engines put what is no number above all others.
        return f"{limit} - {value} {'<=' if or_equals else '<'} 0"

    def value(self, feature: int) -> str:
        cell, question = self._parts[feature]
        if question.kind == "value":
            return cell.number
        if question.kind == "missing":
            return f"CASE WHEN {cell.is_gone} THEN 1e0 ELSE 0e0 END"
        return (
            f"CASE WHEN {cell.is_gone} THEN NULL WHEN {cell.equals(question.word)} THEN 1e0 "
            "ELSE 0e0 END"
        )

    def filled(self, feature: int, fill: float) -> str:
        return f"COALESCE({self.value(feature)}, {number_literal(fill)})"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        cell, question = self._parts[feature]
        # A flag is 0 or 1: a cut between them asks yes or no, which is written as the question
        # itself.
        is_asked = op in ("<", ">=", "=", "≠") and 0.0 < limit <= 1.0
        if question.kind == "value" or not is_asked or (op in ("=", "≠") and limit != 1.0):
            return f"{self.value(feature)} {'<>' if op == '≠' else op} {number_literal(limit)}"
        is_yes = op in (">=", "=")
        if question.kind == "missing":
            return cell.is_gone if is_yes else f"NOT {cell.is_gone}"
        if is_yes:
            return cell.equals(question.word)
        return f"(NOT {cell.is_gone} AND NOT {cell.equals(question.word)})"

    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        if not branches:
            return otherwise
        whens = "\n".join(f"  WHEN {test} THEN {value}" for test, value in branches)
        return f"CASE\n{whens}\n  ELSE {otherwise}\nEND"

    def steps(self, curve: Curve, score: int) -> str:
        x, values = self.value(curve.feature), curve.values[score]
        pairs = zip(curve.cuts, values, strict=False)
        # First: NULL fails every comparison, and the last step would be taken for a missing value.
        branches = [(f"{x} IS NULL", number_literal(curve.missing[score]))]
        branches += [(f"{x} < {number_literal(c)}", number_literal(v)) for c, v in pairs]
        return self.case(branches, number_literal(values[-1]))


class NamedSql(Sql):
    """SQL over features that an inner query has given names."""

    def value(self, feature: int) -> str:
        return f"handful_{feature}"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        return f"{self.value(feature)} {'<>' if op == '≠' else op} {number_literal(limit)}"


def doubtful_sql(
    fitted: Fitted, width: float, outputs: Sequence[str], *, is_text: bool | None
) -> str:
    """The label, or NULL if the score is at most ``width`` from 0: two thresholds."""
    first, second = outputs
    high, low = (
        form_sql(replace(fitted, machine=machine), outputs, is_text=is_text)
        for machine in fitted.machine.around(width)  # the borders themselves are in doubt
    )
    return (
        f"CASE\n  WHEN ({high}) = {second} THEN {second}\n"
        f"  WHEN ({low}) = {second} THEN NULL\n  ELSE {first}\nEND"
    )


def form_sql(fitted: Fitted, outputs: Sequence[str], *, is_text: bool | None) -> str:
    """The expression that gives the label.

    Rules and score cards ask columns directly. What reads a column more than once has its
    features read by an inner query, and sums by another one. The label is NULL if a value is
    missing that must be known.
    """
    small = fitted.reduced()
    machine, language = small.machine, Sql(small, is_text)
    if machine.asks_once:
        return machine.decision(outputs, language)
    named = NamedSql(small, is_text)
    reads = [f"{language.value(j)} AS {named.value(j)}" for j in machine.features]
    inner = f"(SELECT {', '.join(reads)}) AS handful_features" if reads else ""
    if not machine.has_sums:
        return _query(machine.decision(outputs, named), inner)
    formulas = machine.score_formulas(named)
    scores = [f"handful_score_{k}" for k in range(len(formulas))]
    sums = ", ".join(f"{text} AS {name}" for text, name in zip(formulas, scores, strict=True))
    label = pick(scores, outputs, named)
    if machine.required:  # a sum may be NULL for another reason: it may overflow
        gone = " OR ".join(f"{named.value(j)} IS NULL" for j in machine.required)
        sums += f", CASE WHEN {gone} THEN 1 ELSE 0 END AS handful_gone"
        label = f"CASE WHEN handful_gone = 1 THEN NULL ELSE {label} END"
    return _query(label, f"{_query(sums, inner)} AS handful_scores")


def _query(expression: str, source: str) -> str:
    return f"(SELECT {expression}\nFROM {source})" if source else f"(SELECT {expression})"
