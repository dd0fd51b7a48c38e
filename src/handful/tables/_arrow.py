"""Parquet and Arrow files: their size is asked before they are read, and counted while they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    needs,
    unreadable,
)
from handful.tables._source import Source

if TYPE_CHECKING:
    import pandas as pd

BATCH_BYTES = 64 * 2**20
"""About what the numbers of a batch take; wide tables come in fewer rows at a time."""


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
    """The file; whatever goes wrong inside is said of it."""
    what = "Parquet" if source.kind == ".parquet" else "Arrow"
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise needs("pyarrow", what) from error
    try:
        yield _Parquet(source) if source.kind == ".parquet" else _Arrow(source)
    except (UnreadableTableError, ColumnsMissingError):
        raise
    except Exception as error:  # damaged bytes reach every corner of the readers
        text = (str(error) or type(error).__name__).strip()
        raise unreadable(source.name, f"it is no whole {what} file ({text[:300]})") from error


class _Parquet:
    """A Parquet file, words as codes."""

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
        """What the file says of its own size, before anything is read."""
        metadata = self.file.metadata
        n_rows, n_columns = metadata.num_rows, metadata.num_columns
        stored = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
        _check_size(self.source, n_rows, n_columns, stored)

    def batches(self, columns: list[str] | None, n_rows: int) -> Iterator[Any]:
        """Batches with words decoded, no longer than words may be."""
        n_columns = len(self.schema.names) if columns is None else len(columns)
        n_rows = max(1000, min(n_rows, BATCH_BYTES // (BYTES_A_CELL * max(1, n_columns))))
        for batch in self.file.iter_batches(batch_size=n_rows, columns=columns):
            yield _decoded(self.source.name, batch)


class _Arrow:
    """An Arrow file, which Feather is, or an Arrow stream."""

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
        """Rows are counted without unpacking them, where the reader can."""
        if not self.is_stream and hasattr(self.file, "count_rows"):
            _check_size(self.source, self.file.count_rows(), len(self.schema.names), 0)

    def batches(self, columns: list[str] | None, n_rows: int) -> Iterator[Any]:
        """Batches with words decoded, no longer than words may be."""
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
    """Codes of words become the words."""
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
