"""Parquet files: their size is asked before they are read, and counted while they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.tables._files import (
    BYTES_A_CELL,
    MAX_BYTES,
    MAX_CELL,
    MAX_COLUMNS,
    ColumnsMissingError,
    UnreadableTableError,
    check_columns,
    check_growth,
    check_names,
    in_words,
    unreadable,
)

if TYPE_CHECKING:
    import pandas as pd

BATCH_BYTES = 64 * 2**20
"""About what the numbers of a batch take; wide tables come in fewer rows at a time."""

NO_READER = "reading Parquet needs pyarrow: python -m pip install pyarrow."


def parquet_frame(path: Path) -> pd.DataFrame:
    """All of a Parquet file as a data frame; its size is limited."""
    with _opened(path) as file:
        import pyarrow as pa

        _check_size(path, file.metadata)
        batches, n_bytes = [], 0
        for batch in _batches(path, file, None):
            n_bytes += batch.nbytes
            if n_bytes > MAX_BYTES:
                raise unreadable(path, f"it needs more than {in_words(MAX_BYTES)} of memory")
            batches.append(batch)
        if not batches:
            return file.schema_arrow.empty_table().to_pandas()
        table = pa.Table.from_batches(batches)
        return table.replace_schema_metadata(file.schema_arrow.metadata).to_pandas()


def parquet_batches(path: Path, columns: Sequence[str], n_rows: int) -> Iterator[pd.DataFrame]:
    """Some columns of a Parquet file, at most ``n_rows`` rows at a time."""
    with _opened(path) as file:
        names = file.schema_arrow.names
        check_columns(columns, names)
        for batch in _batches(path, file, list(columns) or names[:1], n_rows):
            yield batch.to_pandas()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The file, words as codes; whatever goes wrong inside is said of the file."""
    try:
        import pyarrow.parquet as pq
        from pyarrow import types
    except ImportError as error:
        raise ValueError(NO_READER) from error
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
        _check_schema(path, schema)
        words = [
            field.name
            for field in schema
            if types.is_string(field.type) or types.is_large_string(field.type)
        ]
        # codes first: a word of a megabyte in every row would otherwise be copied for every row
        with pq.ParquetFile(path, read_dictionary=words) as file:
            yield file
    except (UnreadableTableError, ColumnsMissingError):
        raise
    except Exception as error:  # damaged bytes reach every corner of the readers
        text = (str(error) or type(error).__name__).strip()
        raise unreadable(path, f"it is no whole Parquet file ({text[:300]})") from error


def _check_schema(path: Path, schema: Any) -> None:
    from pyarrow import types

    if len(schema) > MAX_COLUMNS:
        raise unreadable(path, f"it has {len(schema)} columns, more than {MAX_COLUMNS}")
    check_names(path, schema.names)
    nested = [field.name[:80] for field in schema if types.is_nested(field.type)]
    if nested:
        raise unreadable(path, f"the columns {nested[:5]} hold lists, not numbers or words")


def _check_size(path: Path, metadata: Any) -> None:
    """What the file says of its own size, before anything is read."""
    n_rows, n_columns = metadata.num_rows, metadata.num_columns
    stored = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    expected = max(stored, BYTES_A_CELL * n_rows * n_columns)
    if expected > MAX_BYTES:
        raise unreadable(
            path,
            f"its {n_rows} rows of {n_columns} columns need {in_words(expected)} of memory, more "
            f"than {in_words(MAX_BYTES)}",
        )
    check_growth(path, expected)


def _batches(
    path: Path, file: Any, columns: list[str] | None, n_rows: int = 2**20
) -> Iterator[Any]:
    """Batches with words decoded, no longer than words may be."""
    n_columns = len(file.schema_arrow.names) if columns is None else len(columns)
    n_rows = max(1000, min(n_rows, BATCH_BYTES // (BYTES_A_CELL * max(1, n_columns))))
    for batch in file.iter_batches(batch_size=n_rows, columns=columns):
        yield _decoded(path, batch)


def _decoded(path: Path, batch: Any) -> Any:
    """Codes of words become the words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns, n_bytes = [], 0
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type) and len(column.dictionary):
            lengths = pc.binary_length(column.dictionary)
            if (pc.max(lengths).as_py() or 0) > 4 * MAX_CELL:
                raise unreadable(
                    path, f"the column {name[:80]!r} has a cell of more than {MAX_CELL} characters"
                )
            n_bytes += pc.sum(lengths.take(column.indices)).as_py() or 0
            if n_bytes > MAX_BYTES // 4:
                raise unreadable(
                    path, f"{len(batch)} of its rows hold more than {in_words(n_bytes)} of words"
                )
        columns.append(
            column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        )
    decoded = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    decoded.validate(full=True)  # words that are no UTF-8 would fail later, far from here
    return decoded
