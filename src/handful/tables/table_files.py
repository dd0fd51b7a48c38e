"""Tables read from files: whole, or some columns a piece of the rows at a time.

A cell that holds nothing is the same in every format, so that a table saved as another kind of
file gives the same machine.
"""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from handful.tables.binary_files import (
    arrow_batches,
    arrow_frame,
    excel_frame,
    stata_frame,
    statistics_frame,
)
from handful.tables.notes import Note
from handful.tables.sources import (
    LINES,
    MISSING,
    STANDARD_INPUT,
    STATISTICS,
    TEXT,
    Source,
    check_columns,
    open_source,
    unreadable,
)
from handful.tables.text_files import (
    inspect_text,
    line_chunks,
    line_frame,
    text_chunks,
    text_frame,
)

if TYPE_CHECKING:
    import pandas as pd

CHUNK = 50_000  # rows
MAX_DIGITS = 308  # of a whole number that is a finite float


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """A table that was read, from one file or from several.

    Attributes
    ----------
    frame : DataFrame
        Of text files, the cells as they are written: what a column holds is for `read_study` to
        say, by the rows of its pool. Parsing would let every cell of a column decide.
    name : str
        Of the file, without its folder.
    notes : tuple of Note
        What was assumed in reading it: the encoding, the sheet.
    digests : tuple of (str, str)
        Each file with the SHA-256 of its bytes.
    """

    frame: pd.DataFrame
    name: str
    notes: tuple[Note, ...]
    digests: tuple[tuple[str, str], ...]


def load_table(pattern: str | Path, sheet: str | None = None) -> LoadedTable:
    r"""Read a file, the files that match a pattern, or standard input (``-``); each once.

    Formats: CSV and other delimited text, ARFF, JSON lines, all of these packed as gz, bz2, xz or
    zip; Parquet, Feather, Arrow, Excel (.xlsx; ``sheet`` names one, else the first), Stata,
    SPSS (.sav, .zsav), SAS (.sas7bdat, .xpt).

    Raises
    ------
    ValueError
        A file is damaged, hostile or too large, or files differ in their columns.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.csv"
    ...     _ = path.write_bytes("x;y\n1;Köln\n2;Bonn\n".encode("cp1252"))
    ...     loaded = load_table(path)
    >>> loaded.frame["y"].tolist(), loaded.notes
    (['Köln', 'Bonn'], ('The file is not UTF-8; it was read as Windows-1252. Check letters with accents.',))
    """  # noqa: E501
    return _load(pattern, sheet, is_raw=True)


def _load(pattern: str | Path, sheet: str | None = None, *, is_raw: bool) -> LoadedTable:
    import pandas as pd

    places = matching(pattern)
    read = [_load_one(place, sheet, is_raw) for place in places]
    names = [list(part.frame.columns) for part in read]
    for place, own in zip(places, names, strict=True):
        if sorted(map(str, own)) != sorted(map(str, names[0])):
            raise ValueError(
                f"{place} must have the columns of {places[0]}, which are "
                f"{[str(name)[:40] for name in names[0][:10]]}. It has: "
                f"{[str(name)[:40] for name in own[:10]]}."
            )
    if len(read) == 1:
        return read[0]
    frame = pd.concat([part.frame[names[0]] for part in read], ignore_index=True)
    return LoadedTable(
        frame,
        Path(pattern).name,
        (*dict.fromkeys(note for part in read for note in part.notes),),
        tuple(digest for part in read for digest in part.digests),
    )


def _load_one(place: str | Path, sheet: str | None, is_raw: bool) -> LoadedTable:
    with open_source(place, sheet) as source:
        frame, notes = _whole(source, is_raw)
        if len(frame) == 0:
            raise ValueError(f"{source.name} has a header but no rows.")
        frame = _with_whole_numbers(frame, source.name)
        name = source.name if str(place) == STANDARD_INPUT else Path(place).name
        said = tuple(Note("H060", note) for note in notes)
        return LoadedTable(frame, name, said, ((source.name, source.sha256()),))


def matching(pattern: str | Path) -> list[str]:
    """The file of that name, or the files that match a pattern, in order; ``-`` is itself."""
    text = str(pattern)
    if text == STANDARD_INPUT or Path(text).exists():
        return [text]
    found = sorted(glob.glob(text))
    if not found and not glob.has_magic(text):
        raise FileNotFoundError(f"there is no file {text}. Check the path.")
    if not found:
        raise FileNotFoundError(f"no file matches {text}. Check the path.")
    return found


def read_frame(path: str | Path) -> pd.DataFrame:
    r"""All of a file (or of files that match a pattern), numbers as numbers; see `load_table`.

    Of a text file every cell decides what type its column has. For `read_study`, which decides by
    its pool, take the frame of `load_table`.

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
    return _load(path, is_raw=False).frame


def _whole(source: Source, is_raw: bool = False) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if source.kind in TEXT:
        table = inspect_text(source)
        return text_frame(table, is_raw=is_raw), table.notes
    if source.kind in LINES:
        frame, notes = line_frame(source)
    elif source.kind == ".xlsx":
        frame, notes = excel_frame(source)
    elif source.kind == ".dta":
        frame, notes = stata_frame(source)
    elif source.kind in STATISTICS:
        frame, notes = statistics_frame(source)
    else:
        frame, notes = arrow_frame(source), ()
    return without_marks(frame), notes


def without_marks(frame: pd.DataFrame) -> pd.DataFrame:
    """Cells of text that hold nothing become missing values, as they do in CSV files.

    Examples
    --------
    >>> import pandas as pd
    >>> without_marks(pd.DataFrame({"a": ["x", "NA", ""]}))["a"].isna().tolist()
    [False, True, True]
    """
    out = frame
    for j, dtype in enumerate(frame.dtypes):
        if getattr(dtype, "kind", "O") != "O":
            continue
        column = frame.iloc[:, j]
        if hasattr(column, "cat"):
            column = column.astype(object)
        gone = column.isin(MISSING)
        if gone.any() or column.dtype != dtype:
            out = frame.copy(deep=False) if out is frame else out
            out.isetitem(j, column.where(~gone, None))
    return out


def read_chunks(
    path: str | Path,
    columns: Sequence[str],
    *,
    words: Collection[str] = (),
    sheet: str | None = None,
) -> Iterator[pd.DataFrame]:
    """Some columns of a file, a piece of the rows at a time.

    Parameters
    ----------
    path : path
    columns : sequence of str
        The error says which of them the file lacks.
    words : collection of str
        Columns whose cells are kept as they are written, even if they look like numbers.
    sheet : str, optional
        Of an Excel file; by default the first.
    """
    with open_source(path, sheet) as source:
        if source.kind in TEXT:
            for frame in text_chunks(inspect_text(source), columns, words, CHUNK):
                yield _with_whole_numbers(frame, source.name)
        elif source.kind in (".parquet", ".feather", ".arrow"):
            for frame in arrow_batches(source, columns, CHUNK):
                yield _with_whole_numbers(without_marks(frame), source.name)
        elif source.kind in LINES:
            yield from _line_chunks(source, columns)
        else:
            frame = _whole(source)[0]
            check_columns(columns, [str(name) for name in frame.columns])
            chosen = frame[list(columns) or [frame.columns[0]]].copy()
            for start in range(0, len(frame), CHUNK):
                yield chosen.iloc[start : start + CHUNK].reset_index(drop=True)


def _line_chunks(source: Source, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Pieces with all columns; a key that no object of a piece has is missing there."""
    seen: set[str] = set()
    for frame in line_chunks(source, CHUNK):
        names = [str(name) for name in frame.columns]
        seen |= set(names)
        check_columns(columns, sorted(seen))
        chosen = frame.reindex(columns=list(columns) or names[:1])
        yield _with_whole_numbers(without_marks(chosen), source.name)


def _with_whole_numbers(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The frame with floats in place of whole numbers beyond 64 bits, which are objects."""
    for place, dtype in enumerate(frame.dtypes):
        if dtype.kind != "O":
            continue
        column = frame.iloc[:, place]
        if not all(type(value) is int for value in column.dropna()):
            continue
        _check_digits(column, name)
        numbers = [np.nan if value is None or value != value else float(value) for value in column]
        frame.isetitem(place, numbers)
    return frame


def _check_digits(column: pd.Series, name: str) -> None:
    for row, value in enumerate(column, start=1):
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            n_digits = int((abs(value).bit_length() - 1) * 0.30103) + 1
            raise unreadable(
                name,
                f"the column {str(column.name)[:80]!r} holds a whole number of about {n_digits} "
                f"digits in row {row}, more than the {MAX_DIGITS} that a number can have",
            )
