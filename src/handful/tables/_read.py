"""Tables read from files: whole, or some columns a piece of the rows at a time.

Every number is the float nearest to its text, whatever the version of pandas: a certificate that
was made under one version must be found again under another.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.tables._files import (
    BYTES_A_CELL,
    MAX_BYTES,
    TextTable,
    UnreadableTableError,
    check_columns,
    in_words,
    inspect_text,
    suffix_of,
    unreadable,
)
from handful.tables._parquet import parquet_batches, parquet_frame

if TYPE_CHECKING:
    import pandas as pd

CHUNK = 50_000  # rows
MAX_DIGITS = 308  # of a whole number that is a finite float


def read_frame(path: Path) -> pd.DataFrame:
    r"""All of a CSV, TSV, ARFF or Parquet file as a data frame.

    Raises
    ------
    ValueError
        The file is damaged, hostile or too large; the error says where and why.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.csv"
    ...     _ = path.write_text("x,y\n0.1,a\n?,b\n")
    ...     read_frame(path)
         x  y
    0  0.1  a
    1  NaN  b
    """
    path = Path(path)
    if suffix_of(path) == ".parquet":
        frame = parquet_frame(path)
    else:
        frame = _text_frame(inspect_text(path))
    if len(frame) == 0:
        raise ValueError(f"{path} has a header but no rows.")
    return _with_whole_numbers(frame, path)


def read_chunks(
    path: Path, columns: Sequence[str], *, words: Collection[str] = ()
) -> Iterator[pd.DataFrame]:
    """Some columns of a file, a piece of the rows at a time, cells of text as they are written.

    Parameters
    ----------
    path : path
    columns : sequence of str
        The error says which of them the file lacks.
    words : collection of str
        Columns whose cells are words even if they look like numbers.
    """
    import pandas as pd

    path = Path(path)
    if suffix_of(path) == ".parquet":
        yield from parquet_batches(path, columns, CHUNK)
        return
    table = inspect_text(path)
    check_columns(columns, table.names)
    chosen = list(columns) or [table.names[0]]
    types: dict[str, Any] = {name: str if name in words else object for name in chosen}
    with (
        _readable(path),
        table.open_rows() as rows,
        pd.read_csv(
            rows, usecols=chosen, dtype=types, chunksize=CHUNK, **_options(table)
        ) as reader,
    ):
        yield from reader


def exact_floats() -> dict[str, str]:
    """Keywords with which ``read_csv`` of pandas or Dask rounds correctly.

    From 3.1 on it always does, and warns about the keyword; before, a third of the numbers with
    17 digits came out one unit in the last place off.
    """
    import pandas as pd

    major, minor = (int(part) for part in pd.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _options(table: TextTable) -> dict[str, Any]:
    return {**table.parser_options(), **exact_floats()}


def exact_numbers(column: Any) -> pd.Series:
    """Numbers of a column of text; NaN where a cell is none."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    if column.dtype.kind in "biufc":
        return numbers
    out = numbers.to_numpy(dtype=np.float64, na_value=np.nan).copy()
    for i in np.flatnonzero(~np.isnan(out)):
        cell = column.iloc[i]
        if isinstance(cell, str):
            out[i] = float(cell)
    return pd.Series(out, index=column.index)


def _text_frame(table: TextTable) -> pd.DataFrame:
    import pandas as pd

    expected = BYTES_A_CELL * table.n_rows * len(table.names)
    if expected > MAX_BYTES:
        raise unreadable(
            table.path,
            f"its {table.n_rows} rows of {len(table.names)} columns need {in_words(expected)} of "
            f"memory, more than {in_words(MAX_BYTES)}",
        )
    with _readable(table.path), table.open_rows() as rows:
        return pd.read_csv(rows, low_memory=False, **_options(table))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Whatever the parser says, with the name of the file."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except UnreadableTableError:
        raise
    except (ValueError, OverflowError, pd.errors.ParserWarning) as error:
        raise unreadable(path, str(error).strip()[:300]) from error


def _with_whole_numbers(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Whole numbers beyond 64 bits, which come as objects, become floats."""
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind != "O":
            continue
        column = frame.iloc[:, place]
        if not all(type(value) is int for value in column.dropna()):
            continue
        _check_digits(column, path)
        numbers = [np.nan if value is None or value != value else float(value) for value in column]
        frame.isetitem(place, numbers)
    return frame


def _check_digits(column: pd.Series, path: Path) -> None:
    for row, value in enumerate(column, start=1):
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            n_digits = int((abs(value).bit_length() - 1) * 0.30103) + 1
            raise unreadable(
                path,
                f"the column {str(column.name)[:80]!r} holds a whole number of about {n_digits} "
                f"digits in row {row}, more than the {MAX_DIGITS} that a number can have",
            )
