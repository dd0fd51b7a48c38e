"""Parquet, Arrow, Excel, Stata, SPSS, SAS files: sizes are checked before and while reading."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import numpy as np

from handful.tables.cells import is_missing, word_of
from handful.tables.sources import (
    BLOCK,
    BYTES_A_CELL,
    MAX_BYTES,
    MAX_CELL,
    MAX_COLUMNS,
    STATISTICS,
    SheetMissingError,
    Source,
    check_columns,
    check_growth,
    check_names,
    in_words,
    readable,
    unreadable,
)

if TYPE_CHECKING:
    import pandas as pd

# About what the numbers of a batch take; wide tables come in fewer rows at a time.
BATCH_BYTES = 64 * 2**20
MAX_SHEET_CELLS = 20_000_000  # a sheet is padded to a rectangle of Python objects
_RECORD = 80  # bytes, of which a SAS transport file has a whole number
MAX_SHEET_BYTES = 2**30  # of XML
_CELL = re.compile(rb'<(?:\w+:)?c [^>]*?r="([A-Z]{1,3})([0-9]{1,7})"')


def arrow_frame(source: Source) -> pd.DataFrame:
    """All of a Parquet, Feather or Arrow file as a data frame; its size is limited."""
    with _opened(source) as file:
        import pyarrow as pa

        file.check_size()
        batches, n_bytes = [], 0
        for batch in file.batches(None, 2**20):
            n_bytes += batch.nbytes
            if n_bytes > MAX_BYTES:
                reason = f"it needs more than {in_words(MAX_BYTES)} of memory"
                raise unreadable(source.name, reason)
            batches.append(batch)
        if not batches:
            return file.schema.empty_table().to_pandas()
        table = pa.Table.from_batches(batches)
        return table.replace_schema_metadata(file.schema.metadata).to_pandas()


def arrow_batches(source: Source, columns: Sequence[str], n_rows: int) -> Iterator[pd.DataFrame]:
    """Some columns of such a file, at most ``n_rows`` rows at a time."""
    with _opened(source) as file:
        check_columns(columns, file.schema.names)
        for batch in file.batches(list(columns) or file.schema.names[:1], n_rows):
            yield batch.to_pandas()


@contextmanager
def _opened(source: Source) -> Iterator[_Parquet | _Arrow]:
    """The open file; errors inside name it."""
    what = "Parquet" if source.kind == ".parquet" else "Arrow"
    with readable(source, what, "pyarrow"):
        yield _Parquet(source) if source.kind == ".parquet" else _Arrow(source)


class _Parquet:
    """A Parquet file; its words are read as codes first."""

    def __init__(self, source: Source) -> None:
        import pyarrow.parquet as pq
        from pyarrow import types

        self.source = source
        self.schema = pq.ParquetFile(source.start()).schema_arrow
        _check_schema(source.name, self.schema)
        words = [
            field.name
            for field in self.schema
            if types.is_string(field.type) or types.is_large_string(field.type)
        ]
        # codes first: a word of a megabyte in every row would otherwise be copied for every row
        self.file = pq.ParquetFile(source.start(), read_dictionary=words)

    def check_size(self) -> None:
        """Check the size that the file states, before anything is read."""
        metadata = self.file.metadata
        n_rows, n_columns = metadata.num_rows, metadata.num_columns
        stored = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
        _check_size(self.source, n_rows, n_columns, stored)

    def batches(self, columns: list[str] | None, n_rows: int) -> Iterator[Any]:
        """Batches with words decoded; an error if a word is too long."""
        n_columns = len(self.schema.names) if columns is None else len(columns)
        n_rows = max(1000, min(n_rows, BATCH_BYTES // (BYTES_A_CELL * max(1, n_columns))))
        for batch in self.file.iter_batches(batch_size=n_rows, columns=columns):
            yield _decoded(self.source.name, batch)


class _Arrow:
    """An Arrow file (Feather is one) or an Arrow stream."""

    def __init__(self, source: Source) -> None:
        import pyarrow as pa

        self.source = source
        try:
            self.file = pa.ipc.open_file(source.start())
            self.is_stream = False
        except pa.ArrowInvalid:
            self.file = pa.ipc.open_stream(source.start())
            self.is_stream = True
        self.schema = self.file.schema
        _check_schema(source.name, self.schema)

    def check_size(self) -> None:
        """Check the size; rows are counted without unpacking them, if the reader can."""
        if not self.is_stream and hasattr(self.file, "count_rows"):
            _check_size(self.source, self.file.count_rows(), len(self.schema.names), 0)

    def batches(self, columns: list[str] | None, n_rows: int) -> Iterator[Any]:
        """Batches with words decoded; an error if a word is too long."""
        if self.is_stream:
            found = iter(self.file)
        else:
            found = (self.file.get_batch(k) for k in range(self.file.num_record_batches))
        for batch in found:
            check_growth(self.source.name, self.source.stored, batch.nbytes)
            batch = batch if columns is None else batch.select(columns)
            for start in range(0, batch.num_rows, n_rows):
                yield _decoded(self.source.name, batch.slice(start, n_rows))


def _check_schema(name: str, schema: Any) -> None:
    from pyarrow import types

    if len(schema) > MAX_COLUMNS:
        raise unreadable(name, f"it has {len(schema)} columns, more than {MAX_COLUMNS}")
    check_names(name, schema.names)
    nested = [field.name[:80] for field in schema if types.is_nested(field.type)]
    if nested:
        raise unreadable(name, f"the columns {nested[:5]} hold lists, not numbers or words")


def _check_size(source: Source, n_rows: int, n_columns: int, stored: int) -> None:
    expected = max(stored, BYTES_A_CELL * n_rows * n_columns)
    if expected > MAX_BYTES:
        raise unreadable(
            source.name,
            f"its {n_rows} rows of {n_columns} columns need {in_words(expected)} of memory, more "
            f"than {in_words(MAX_BYTES)}",
        )
    check_growth(source.name, source.stored, expected)


def _has_coded_words(kind: Any) -> bool:
    from pyarrow import types

    if not types.is_dictionary(kind):
        return False
    inner = kind.value_type
    return bool(types.is_string(inner) or types.is_large_string(inner) or types.is_binary(inner))


def _decoded(name: str, batch: Any) -> Any:
    """The batch with words in place of their codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns, n_bytes = [], 0
    for label, column in zip(batch.schema.names, batch.columns, strict=True):
        if _has_coded_words(column.type) and len(column.dictionary):
            lengths = pc.binary_length(column.dictionary)
            if (pc.max(lengths).as_py() or 0) > 4 * MAX_CELL:
                raise unreadable(
                    name, f"the column {label[:80]!r} has a cell of more than {MAX_CELL} characters"
                )
            n_bytes += pc.sum(lengths.take(column.indices)).as_py() or 0
            if n_bytes > MAX_BYTES // 4:
                raise unreadable(
                    name, f"{len(batch)} of its rows hold more than {in_words(n_bytes)} of words"
                )
        columns.append(
            column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        )
    decoded = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    decoded.validate(full=True)  # words that are no UTF-8 would fail later, far from here
    return decoded


def excel_frame(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A sheet of a workbook; its first row that is not empty has the names."""
    import pandas as pd

    with readable(source, "Excel (.xlsx)", "openpyxl"), catch_warnings(action="ignore"):
        _check_workbook(source)
        with pd.ExcelFile(source.start(), engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            sheet = _chosen_sheet(source, sheets)
            cells = book.parse(sheet, header=None, dtype=object)
        notes = []
        if len(sheets) > 1 and len(cells) < 2:
            others = ", ".join(repr(name[:40]) for name in sheets[:20] if name != sheet)
            raise unreadable(
                source.name, f"the sheet {sheet!r} has no rows; --sheet names another: {others}"
            )
        if len(sheets) > 1:
            more = "" if source.sheet else "; --sheet names another"
            notes.append(f"The workbook has {len(sheets)} sheets; {sheet!r} was read{more}.")
        frame, n_empty, n_titles, joined = _with_header(source.name, cells)
        if n_empty:
            notes.append(f"{n_empty} empty rows of the sheet were left out.")
        if n_titles:
            notes.append(
                f"{n_titles} rows of one cell above the names of the columns were left out."
            )
        if joined:
            notes.append(f"Two rows of names were joined, as {joined[:60]!r}.")
        return frame, tuple(notes)


def _chosen_sheet(source: Source, sheets: Sequence[str]) -> str:
    """The sheet that was asked for, or the first one."""
    if source.sheet is None:
        return sheets[0]
    if source.sheet not in sheets:
        shown = ", ".join(repr(name[:40]) for name in sheets[:20])
        more = f" and {len(sheets) - 20} more" if len(sheets) > 20 else ""
        raise SheetMissingError(
            f"`--sheet` must name a sheet of {source.name}, got {source.sheet!r}. It has: "
            f"{shown}{more}."
        )
    return source.sheet


def _with_header(name: str, cells: pd.DataFrame) -> tuple[pd.DataFrame, int, int, str]:
    """The first row as names, without empty rows, titles above it, and nameless empty columns.

    Names that stand in two rows (the upper one of merged cells) are joined; one of them is given.
    """
    is_empty = cells.map(is_missing)
    cells = cells.loc[~is_empty.all(axis=1)]
    if len(cells) == 0:
        raise unreadable(name, "it is empty")
    n_empty = len(is_empty) - len(cells)
    n_filled = cells.notna().sum(axis=1).to_numpy()
    n_titles = int(np.argmax(n_filled > 1)) if n_filled.max() > 2 else 0
    are_names = all(isinstance(cell, str) for cell in cells.iloc[n_titles].dropna())
    n_titles = n_titles if are_names else 0  # else names are missing, which is an error
    cells = cells.iloc[n_titles:]
    first = _words(cells.iloc[0])
    joined = _joined(first, cells.iloc[1:3])
    first, rows = joined or first, cells.iloc[2 if joined else 1 :]
    is_used = [bool(word) or bool(rows.iloc[:, j].notna().any()) for j, word in enumerate(first)]
    names = [word for word, used in zip(first, is_used, strict=True) if used]
    check_names(name, names)
    if len(names) > MAX_COLUMNS:
        raise unreadable(name, f"it has {len(names)} columns, more than {MAX_COLUMNS}")
    frame = rows.loc[:, is_used].set_axis(names, axis=1).reset_index(drop=True)
    example = next((word for word in joined if " " in word), "")
    return frame.infer_objects(), n_empty, n_titles, example


def _words(row: pd.Series) -> list[str]:
    return ["" if is_missing(cell) else word_of(cell) for cell in row]


def _joined(upper: list[str], below: pd.DataFrame) -> list[str]:
    """Names of two rows as one, if the upper row is of merged cells; else nothing.

    Two columns or more lack an upper name, the row below fills them with words, and numbers stand
    below these words: a table whose names are missing is no such table.
    """
    lacks = [j for j, word in enumerate(upper) if not word]
    if len(below) < 2 or len(lacks) < 2 or not _is_head(below):
        return []
    lower = _words(below.iloc[0])
    found, group = [], ""
    for word, own in zip(upper, lower, strict=True):
        group = word or (group if own else "")
        found.append(" ".join(part for part in dict.fromkeys((group, own)) if part))
    return found if all(lower[j] or not found[j] for j in lacks) else []


def _is_head(below: pd.DataFrame) -> bool:
    """Whether the first row holds words alone, one of them above a number."""
    words = [isinstance(cell, str) or is_missing(cell) for cell in below.iloc[0]]
    numbers = [not isinstance(cell, str) and not is_missing(cell) for cell in below.iloc[1]]
    above = zip(_words(below.iloc[0]), numbers, strict=True)
    return all(words) and any(is_number and bool(word) for word, is_number in above)


def _check_workbook(source: Source) -> None:
    """Check the sizes that the archive states, and the corner that its cells reach."""
    with zipfile.ZipFile(source.start()) as archive:
        members = archive.infolist()
        total = sum(member.file_size for member in members)
        check_growth(source.name, source.stored, total)
        if total > MAX_SHEET_BYTES:
            raise unreadable(
                source.name,
                f"it unpacks to {in_words(total)}, more than {in_words(MAX_SHEET_BYTES)}; save it "
                "as CSV",
            )
        for member in members:
            if "worksheets/" in member.filename and member.filename.endswith(".xml"):
                with archive.open(member) as file:
                    n_rows, n_columns = _corner(file)
                if n_rows * n_columns > MAX_SHEET_CELLS:
                    raise unreadable(
                        source.name,
                        f"its cells reach row {n_rows} and column {n_columns}, more than "
                        f"{MAX_SHEET_CELLS} cells in all; save it as CSV",
                    )


def _corner(file: Any) -> tuple[int, int]:
    """The largest row and column that cells name."""
    n_rows = n_columns = 0
    rest = b""
    while block := file.read(BLOCK):
        block = rest + block
        for letters, number in _CELL.findall(block):
            place = 0
            for letter in letters:
                place = 26 * place + letter - 64
            n_rows, n_columns = max(n_rows, int(number)), max(n_columns, place)
        rest = block[block.rfind(b"<") :][:1000]
    return n_rows, n_columns


def stata_frame(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A Stata file; labels of values take the place of their codes."""
    import pandas as pd

    if source.stored > MAX_BYTES:
        raise unreadable(source.name, f"it is larger than {in_words(MAX_BYTES)}")
    content = io.BytesIO(source.start().read())  # does not allocate what a header claims
    with readable(source, "Stata"), catch_warnings(action="ignore"):
        frame = pd.read_stata(content)
        check_names(source.name, [str(name) for name in frame.columns])
        return frame, ()


def statistics_frame(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """An SPSS or SAS file; labels of values take the place of their codes, if the file has them.

    SAS keeps labels in a catalog of its own. What SPSS calls missing by the user is missing.
    """
    with readable(source, STATISTICS[source.kind], "pyreadstat"), catch_warnings(action="ignore"):
        import pyreadstat

        is_spss = STATISTICS[source.kind] == "SPSS"
        name = "sav" if is_spss else {".xpt": "xport"}.get(source.kind, "sas7bdat")
        read = getattr(pyreadstat, f"read_{name}")
        about = read(source.start(), metadataonly=True)[1]
        n_columns = len(about.column_names)
        if n_columns > MAX_COLUMNS:
            raise unreadable(source.name, f"it has {n_columns} columns, more than {MAX_COLUMNS}")
        check_names(source.name, about.column_names)
        _check_size(source, max(0, about.number_rows or 0), n_columns, source.stored)
        how = {"apply_value_formats": True, "formats_as_category": False} if is_spss else {}
        frame = read(source.start(), dates_as_pandas_datetime=True, **how)[0]
        known = max(0, about.number_rows or 0)
        if known and len(frame) != known:
            raise unreadable(source.name, f"it has {len(frame)} of its {known} rows")
        return frame, tuple(_said_of(source, about, len(frame)))


def _said_of(source: Source, about: Any, n_rows: int) -> Iterator[str]:
    """What must be said of a file of SPSS or SAS that was read."""
    coded = [name[:40] for name in about.column_names if name in about.variable_value_labels]
    if STATISTICS[source.kind] == "SPSS" and coded:
        more = f" and {len(coded) - 5} more" if len(coded) > 5 else ""
        yield f"Labels took the place of codes in {', '.join(coded[:5])}{more}."
    if source.kind == ".xpt":
        if source.file.seek(0, 2) % _RECORD:
            raise unreadable(source.name, "its end is missing")
        yield f"A SAS transport file does not say how many rows it has; {n_rows} were read."
