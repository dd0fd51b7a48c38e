"""The cells of a column as numbers, as its kind says: values, positions of words, days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.tables._digests import word_of
from handful.tables._kinds import Column
from handful.tables._numbers import is_mark, numbers_of
from handful.tables._sample import of_each, without

Floats = NDArray[np.float64]


def read_cells(column: Column, cells: Any) -> Floats:
    """Numbers of a column, or the positions of its words among the levels (-1: another word).

    NaN where nothing is known.

    Parameters
    ----------
    column : Column
        Kind, levels, style and marks are used.
    cells : array
        Raw cells, of the pool or of any new table.

    Examples
    --------
    >>> read_cells(Column("stage", "ordered", levels=("i", "ii")), ["II", "NA", "i", "v"])
    array([ 1., nan,  0., -1.])
    """
    if column.kind == "number" and getattr(cells, "dtype", np.dtype(object)).kind in "biuf":
        return without(np.asarray(cells, dtype=np.float64).copy(), column.marks)
    if column.kind == "number":
        return numbers_of(cells, column.style, column.marks)
    if column.kind == "date":
        return days_of(cells, column.marks)
    codes = {word.casefold(): float(k) for k, word in enumerate(column.levels)}

    def code(cell: Any) -> float:
        if is_mark(cell, column.marks):
            return np.nan
        return codes.get(word_of(cell).casefold(), -1.0)

    return np.array(of_each(np.asarray(cells, dtype=object).tolist(), code), dtype=np.float64)


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

    return np.array(of_each(list(cells), days), dtype=np.float64)
