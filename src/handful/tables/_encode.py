"""From columns of any kind to numbers, as the pool says: one-hot words, filled gaps, indicators.

An encoding is a record of what was read off the pool. Fitted on the pool alone, it is as free as
everything else that is computed from it, and so every form of classifier may use words and
missing values. It reads raw new tables, names every number in the user's words, and is data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.tables._digests import word_of
from handful.tables._kinds import Column
from handful.tables._numbers import is_mark, numbers_of


@dataclass(frozen=True)
class Item:
    """One number made of a column: its value, whether it is a word, or whether it is missing.

    Attributes
    ----------
    column : int
        Position among the columns.
    what : {"value", "word", "missing"}
    word : str
        The word that is asked for.
    fill : float
        What stands for a missing value.
    """

    column: int
    what: str
    word: str = ""
    fill: float = 0.0


@dataclass(frozen=True)
class Encoding:
    """How the cells of a table become a matrix of numbers.

    Attributes
    ----------
    columns : tuple of Column
        The features, in order.
    items : tuple of Item
        One a column of the matrix.

    Examples
    --------
    >>> import pandas as pd
    >>> from handful.tables import Column
    >>> columns = (Column("age"), Column("colour", "category", levels=("blue", "red", "tan")))
    >>> pool = pd.DataFrame({"age": [30.0, 40.0, None], "colour": ["red", "blue", "red"]})
    >>> encoding = fit_encoding(columns, pool)
    >>> encoding.names
    ('age', 'age is missing', 'colour = blue', 'colour = red', 'colour = tan')
    >>> encoding.encode(pd.DataFrame({"age": [None], "colour": ["green"]}))
    array([[35.,  1.,  0.,  0.,  0.]])
    """

    columns: tuple[Column, ...]
    items: tuple[Item, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each number means, in the user's words."""
        return tuple(self._name(item) for item in self.items)

    def _name(self, item: Item) -> str:
        name = self.columns[item.column].name
        if item.what == "missing":
            return f"{name} is missing"
        return f"{name} = {item.word}" if item.what == "word" else name

    def encode(self, frame: Any) -> Floats:
        """The matrix of a raw table; it needs only the columns that are features."""
        read = {j: read_cells(column, frame) for j, column in enumerate(self.columns)}
        out = np.empty((len(frame), len(self.items)))
        for k, item in enumerate(self.items):
            values = read[item.column]
            missing = np.isnan(values)
            if item.what == "missing":
                out[:, k] = missing
            elif item.what == "word":
                levels = self.columns[item.column].levels
                out[:, k] = values == levels.index(item.word)
            else:
                out[:, k] = np.where(missing, item.fill, values)
        return out


def read_cells(column: Column, frame: Any) -> Floats:
    """Numbers of a column, or the positions of its words among the levels (-1: another word).

    NaN where nothing is known.
    """
    names = {str(name): name for name in frame.columns}
    if column.name not in names:
        raise ValueError(
            f"the data must have the column {column.name!r}. They have: {list(names)[:10]}."
        )
    series = frame[names[column.name]]
    if column.kind == "number" and getattr(series.dtype, "kind", "O") in "biuf":
        values = np.asarray(series, dtype=np.float64).copy()
        for mark in column.marks:
            try:
                values[values == float(mark)] = np.nan
            except ValueError:
                continue  # a word, which numbers cannot equal
        return values
    cells = list(series)
    if column.kind == "number":
        return numbers_of(cells, column.style, column.marks)
    if column.kind == "date":
        return days_of(cells, column.marks)
    codes = {word.casefold(): float(k) for k, word in enumerate(column.levels)}
    known = [None if is_mark(cell, column.marks) else word_of(cell).casefold() for cell in cells]
    return np.array([np.nan if word is None else codes.get(word, -1.0) for word in known])


def days_of(cells: Sequence[Any], marks: frozenset[str] = frozenset()) -> Floats:
    """Days since 1970 of cells that write dates, the day first where dots part it.

    Examples
    --------
    >>> days_of(["1970-01-03", "04.01.1970", "NA"])
    array([ 2.,  3., nan])
    """
    import pandas as pd

    def days(cell: Any) -> float:
        if is_mark(cell, marks):
            return np.nan
        time = pd.to_datetime(str(cell), errors="coerce", dayfirst="." in str(cell))
        if time is pd.NaT:
            return np.nan
        return float((time.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta("1D"))

    return np.array([days(cell) for cell in cells])


def fit_encoding(columns: Sequence[Column], pool: Any) -> Encoding:
    """The encoding of the pool: medians fill gaps, and gaps that the pool has are indicated."""
    items: list[Item] = []
    for j, column in enumerate(columns):
        values = read_cells(column, pool)
        known = values[~np.isnan(values)]
        if column.kind in ("number", "ordered", "date"):
            fill = float(np.median(known)) if len(known) else 0.0
            items.append(Item(j, "value", fill=fill))
        else:
            # of two words one says it all
            levels = column.levels[1:] if len(column.levels) == 2 else column.levels
            items += [Item(j, "word", word=word) for word in levels]
        if len(known) < len(values):
            items.append(Item(j, "missing"))
    return Encoding(tuple(columns), tuple(items))
