"""How a table is read: numbers as they are, words as questions, missing values as such.

Encoded rows hold NaN wherever a value is missing, so that every form can give missing values one
meaning: a condition on a missing value is not met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from handful import tables
from handful._codec import fail
from handful._types import Floats, Mask
from handful.tables import is_missing, word_of

MAX_WORDS = 30  # rarer words get no column of their own: they are too few to learn from
VALUES = ("number", "ordered", "date")
KINDS = ("", "words", *VALUES)
STYLES = ("plain", "decimal comma", "thousands comma", "thousands dot")


@dataclass(frozen=True)
class Question:
    """What an encoded feature asks of its column.

    Attributes
    ----------
    name : str
        Of the encoded feature; a sentence where the answer is yes or no.
    kind : {"value", "word", "missing"}
        Its number, whether it is a word, or whether it is missing.
    column, word : str
        The column that is asked, and the word that is asked for.

    Examples
    --------
    >>> Question.of_word("colour", "red").name
    'colour = red'
    >>> Question.of_word("colour", "red").negated, Question.of_missing("age").negated
    ('colour ≠ red', 'age is known')
    """

    name: str
    kind: str = "value"
    column: str = ""
    word: str = ""

    @classmethod
    def of_word(cls, column: str, word: str) -> Question:
        """Whether a column is a word."""
        return cls(f"{column} = {word}", "word", column, word)

    @classmethod
    def of_missing(cls, column: str) -> Question:
        """Whether the value of a column is missing."""
        return cls(f"{column} is missing", "missing", column)

    @property
    def is_flag(self) -> bool:
        """Whether the feature is 0 or 1 and its name a sentence."""
        return self.kind != "value"

    @property
    def negated(self) -> str:
        """The sentence of a flag that is 0."""
        if self.kind == "word":
            return f"{self.column} ≠ {self.word}"
        return f"{self.column} is known"


@dataclass(frozen=True)
class Column:
    """One column: a number, or a category with the words that are asked for.

    Attributes
    ----------
    name : str
    words : tuple of str or None
        What is asked for; None for a column that gives one number.
    has_missing : bool
        Adds the question whether the value is missing.
    kind : {"", "number", "ordered", "date", "words"}
        How raw cells are read, as `handful.tables.read_cells` does; "" for tables whose cells are
        numbers and words already.
    style, marks, levels
        How numbers are written, cells that mean missing, and ordered words, by that function.

    Examples
    --------
    >>> Column("stage", kind="ordered", levels=("i", "ii", "iii")).read(["II", "?", "vi"])
    array([ 1., nan, nan])
    """

    name: str
    words: tuple[str, ...] | None = None
    has_missing: bool = False
    kind: str = ""
    style: str = "plain"
    marks: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def questions(self) -> list[Question]:
        """The encoded features that it gives."""
        if self.words is None:
            name = f"{self.name} (days since 1970)" if self.kind == "date" else self.name
            asked = [Question(name, column=self.name)]
        else:
            asked = [Question.of_word(self.name, word) for word in self.words]
        return [*asked, Question.of_missing(self.name)] if self.has_missing else asked

    def read(self, cells: Any) -> Floats:
        """Values, or positions among ``words`` (-1 for another word), of raw cells; NaN: missing.

        A word that is not on an ordered scale has no place on it: it counts as missing.
        """
        kind = "category" if self.kind == "words" else self.kind
        levels = self.levels if self.words is None else self.words
        column = tables.Column(
            self.name, kind, levels=levels, style=self.style, marks=frozenset(self.marks)
        )
        values = tables.read_cells(column, cells)
        return np.where(values < 0.0, np.nan, values) if self.kind == "ordered" else values

    def check_fields(self, where: str) -> None:
        """Refuse words and levels that do not fit the kind."""
        if self.kind not in KINDS:
            raise fail(f"{where}.kind", f"one of {KINDS}", self.kind)
        if self.style not in STYLES:
            raise fail(f"{where}.style", f"one of {STYLES}", self.style)
        if bool(self.levels) != (self.kind == "ordered"):
            rule = "the words of an ordered column, and of no other"
            raise fail(f"{where}.levels", rule, self.levels)
        if self.kind and (self.kind == "words") != (self.words is not None):
            raise fail(
                f"{where}.words", "the words of a column of words, and of no other", self.kind
            )


@dataclass(frozen=True)
class Columns:
    """The columns of a table and their encoding.

    Examples
    --------
    >>> columns = Columns((Column("age", None, True), Column("colour", ("green", "red"))))
    >>> columns.names
    ('age', 'age is missing', 'colour = green', 'colour = red')
    >>> columns.encode(np.array([[3, "red"], [None, None]], dtype=object))
    array([[ 3.,  0.,  0.,  1.],
           [nan,  1., nan, nan]])
    """

    columns: tuple[Column, ...]

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The encoded features."""
        return tuple(question for column in self.columns for question in column.questions)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded features."""
        return tuple(question.name for question in self.questions)

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """For each encoded feature, the column it comes from."""
        return tuple(i for i, column in enumerate(self.columns) for _ in column.questions)

    @cached_property
    def scales(self) -> tuple[tuple[str, ...], ...]:
        """For each encoded feature, the ordered words that its numbers stand for, if any."""
        return tuple(
            column.levels if column.kind == "ordered" and not question.is_flag else ()
            for column in self.columns
            for question in column.questions
        )

    def encode(self, X: Any) -> Floats:
        """Float matrix with one column an encoded feature, NaN where a value is missing."""
        if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and self._is_plain:
            return np.asarray(X, dtype=np.float64)
        out = np.empty((len(X), len(self.names)))
        starts = np.searchsorted(self.sources, np.arange(len(self.columns) + 1))
        easy = self._easy(X)
        if easy:
            numbers = X.iloc[:, easy].to_numpy(dtype=np.float64)
            is_read = np.array([self.columns[i].kind == "number" for i in easy])
            out[:, starts[easy]] = np.where(is_read & np.isinf(numbers), np.nan, numbers)
        for i in sorted(set(range(len(self.columns))) - set(easy)):
            out[:, starts[i] : starts[i + 1]] = self._encode_one(i, column_of(X, i))
        return out

    def _easy(self, X: Any) -> list[int]:
        """Columns of a frame that are numbers there and are taken as they are."""
        if not hasattr(X, "iloc"):
            return []
        return [
            i
            for i, (column, dtype) in enumerate(zip(self.columns, X.dtypes, strict=True))
            if column.kind in ("", "number")
            and column.words is None
            and not column.marks
            and not column.has_missing
            and getattr(dtype, "kind", "O") in "biuf"
            and isinstance(dtype, np.dtype)
        ]

    def is_missing(self, X: Any) -> Mask:
        """For each row and column of a table, whether its value is missing."""
        out = np.zeros((len(X), len(self.columns)), dtype=bool)
        for i, column in enumerate(self.columns):
            cells = column_of(X, i)
            if column.kind:
                out[:, i] = np.isnan(column.read(cells))
            elif column.words is None:
                out[:, i] = np.isnan(as_numbers(cells, column.name))
            else:
                out[:, i] = [word is None for word in as_words(cells)]
        return out

    @cached_property
    def _is_plain(self) -> bool:
        return all(column == Column(column.name) for column in self.columns)

    def _encode_one(self, i: int, values: Any) -> Floats:
        column = self.columns[i]
        if column.kind:
            read = column.read(values)
            parts, gone = [read], np.isnan(read)
            if column.words is not None:
                parts = [np.where(gone, np.nan, read == k) for k in range(len(column.words))]
        elif column.words is None:
            numbers = as_numbers(values, column.name)
            parts, gone = [numbers], np.isnan(numbers)
        else:
            words = as_words(values)
            gone = np.array([word is None for word in words], dtype=bool)
            parts = [
                np.where(gone, np.nan, np.array([w == asked for w in words], dtype=float))
                for asked in column.words
            ]
        if column.has_missing:
            parts.append(gone.astype(np.float64))
        return np.column_stack(parts) if parts else np.empty((len(values), 0))

    def keep(self, used: Collection[int]) -> tuple[Columns, dict[int, int]]:
        """The columns and words behind some encoded features, and where these are then.

        A column of numbers keeps its number, also if only its missing values are asked for.
        """
        places: dict[int, int] = {}
        kept, at = [], 0
        for i, column in enumerate(self.columns):
            own = [j for j, source in enumerate(self.sources) if source == i]
            if not set(own).intersection(used):
                continue
            stays = [j for k, j in enumerate(own) if j in used or (column.words is None and k == 0)]
            words = column.words
            if words is not None:
                asked = own[: len(own) - column.has_missing]
                words = tuple(w for w, j in zip(words, asked, strict=True) if j in used)
            has_missing = column.has_missing and own[-1] in used
            kept.append(replace(column, words=words, has_missing=has_missing))
            places |= {j: at + k for k, j in enumerate(stays)}
            at += len(stays)
        return Columns(tuple(kept)), places

    def check_fields(self, where: str) -> None:
        """Refuse columns of the same name."""
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise fail(where, "columns with different names", names)


def read_columns(
    X: Any,
    names: Sequence[str],
    rows: Any = None,
    *,
    kinds: Sequence[tables.Column] | None = None,
) -> Columns:
    """The encoding that some rows of a table suggest: all rows, or a pool's.

    Parameters
    ----------
    X : array or data frame
    names : sequence of str
    rows : array of int, optional
        Everything is read off these rows alone: whether a column holds numbers or words, which
        words there are, whether values are missing. The others must follow, or encoding fails.
    kinds : sequence of handful.tables.Column, optional
        What each column holds, as `handful.tables.read_study` finds it; the cells are then raw.

    Examples
    --------
    >>> read_columns(np.array([[1.0], [2.0]]), ["age"]).names
    ('age',)
    """
    if kinds is not None:
        return _from_kinds(X, names, rows, kinds)
    columns = []
    is_float = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    for i, name in enumerate(names):
        values = column_of(X, i)
        values = values if rows is None else values[rows]
        if is_float or not _is_category(values):
            numbers = as_numbers(values, name)
            columns.append(Column(str(name), None, bool(np.isnan(numbers).any())))
            continue
        words = as_words(values)
        columns.append(Column(str(name), _asked(words), None in words))
    return Columns(tuple(columns))


def _from_kinds(X: Any, names: Sequence[str], rows: Any, kinds: Sequence[tables.Column]) -> Columns:
    known = [kind.name for kind in kinds]
    if known != list(names):
        raise ValueError(f"`columns` must be those of the table, got {known[:10]}.")
    columns = []
    for i, kind in enumerate(kinds):
        cells = column_of(X, i)
        cells = cells if rows is None else cells[rows]
        is_value = kind.kind in VALUES
        column = Column(
            kind.name,
            None if is_value else kind.levels,
            kind=kind.kind if is_value else "words",
            style=kind.style,
            marks=tuple(sorted(kind.marks)),
            levels=kind.levels if kind.kind == "ordered" else (),
        )
        read = column.read(cells)
        words = None if is_value else _frequent(kind, read)
        columns.append(replace(column, words=words, has_missing=bool(np.isnan(read).any())))
    return Columns(tuple(columns))


def _frequent(kind: tables.Column, codes: Floats) -> tuple[str, ...]:
    """The words of a category to ask for; of yes and no, yes."""
    if len(kind.levels) == 2:
        return kind.levels[1:]
    return _asked([kind.levels[int(code)] for code in codes if code >= 0.0])


def _asked(words: Sequence[str | None]) -> tuple[str, ...]:
    """The most frequent words; of two words one says it all."""
    counts = Counter(word for word in words if word is not None)
    if len(counts) == 2:
        return (max(counts),)
    common = sorted(counts, key=lambda word: (-counts[word], word))[:MAX_WORDS]
    return tuple(sorted(common))


def column_of(X: Any, i: int) -> Any:
    """Column i of an array or data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[:, i].to_numpy()
    if hasattr(X, "columns"):
        return X[X.columns[i]].to_numpy()
    return X[:, i]


def _is_category(values: Any) -> bool:
    values = np.asarray(values)
    if values.dtype.kind in "biuf":
        return False
    known = [v for v in values.tolist() if not is_missing(v)]
    return not known or any(not isinstance(v, (int, float, np.number)) for v in known)


def as_numbers(values: Any, name: str) -> Floats:
    """A column as floats, NaN where missing."""
    values = np.asarray(values)
    if values.dtype.kind in "biuf":
        return np.asarray(values, dtype=np.float64)
    try:
        return np.array([np.nan if is_missing(v) else float(v) for v in values.tolist()])
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name!r} must hold numbers, as it did where the machine was fitted: {error}."
        ) from error


def as_words(values: Any) -> list[str | None]:
    """A column as words, None where missing."""
    return [None if is_missing(v) else word_of(v) for v in np.asarray(values, dtype=object)]
