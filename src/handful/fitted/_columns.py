"""How a table is read: numbers as they are, words as questions, missing values as such.

Encoded rows hold NaN wherever a value is missing, so that every form can give missing values one
meaning: a condition on a missing value is not met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.tables import is_missing, word_of

MAX_WORDS = 30


@dataclass(frozen=True)
class Column:
    """One column: a number, or a category with the words that are asked for.

    ``has_missing`` adds the question whether the value is missing.
    """

    name: str
    words: tuple[str, ...] | None = None
    has_missing: bool = False

    @property
    def features(self) -> list[str]:
        """Names of the encoded features that it gives."""
        if self.words is None:
            names = [self.name]
        else:
            names = [f"{self.name} = {word}" for word in self.words]
        return names + ([f"{self.name} is missing"] if self.has_missing else [])


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

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded features."""
        return tuple(name for column in self.columns for name in column.features)

    @property
    def sources(self) -> tuple[int, ...]:
        """For each encoded feature, the column it comes from."""
        return tuple(i for i, column in enumerate(self.columns) for _ in column.features)

    def encode(self, X: Any) -> Floats:
        """Float matrix with one column an encoded feature, NaN where a value is missing."""
        if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and not self._has_words:
            numbers = np.asarray(X, dtype=np.float64)
            if not any(column.has_missing for column in self.columns):
                return numbers
        parts = [self._encode_one(i, column_of(X, i)) for i in range(len(self.columns))]
        return np.column_stack(parts) if parts else np.empty((len(X), 0))

    @property
    def _has_words(self) -> bool:
        return any(column.words is not None for column in self.columns)

    def _encode_one(self, i: int, values: Any) -> Floats:
        column = self.columns[i]
        if column.words is None:
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
        return np.column_stack(parts)

    def to_document(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "columns": [
                {
                    "name": c.name,
                    "words": None if c.words is None else list(c.words),
                    "has_missing": c.has_missing,
                }
                for c in self.columns
            ]
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Columns:
        """Rebuild what ``to_document`` gave."""
        return cls(
            tuple(
                Column(
                    str(c["name"]),
                    None if c["words"] is None else tuple(str(w) for w in c["words"]),
                    bool(c["has_missing"]),
                )
                for c in document["columns"]
            )
        )


def read_columns(X: Any, names: Sequence[str], rows: Any = None) -> Columns:
    """The encoding that some rows of a table suggest: all rows, or a pool's.

    Parameters
    ----------
    X : array or data frame
    names : sequence of str
    rows : array of int, optional
        Everything is read off these rows alone: whether a column holds numbers or words, which
        words there are, whether values are missing. The others must follow, or encoding fails.

    Examples
    --------
    >>> read_columns(np.array([[1.0], [2.0]]), ["age"]).names
    ('age',)
    """
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
