"""Tables that are read in chunks, and commands that run on a Dask cluster."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from handful.cli._tables import TableData

ENGINES = ("memory", "dask")
ENGINE = typer.Option(
    "memory", help="memory; or dask, which reads files such as 'rows/*.parquet' in chunks."
)
SCHEDULER = typer.Option(None, help="Address of a Dask scheduler, for example tcp://host:8786.")
NO_REPORT = "report.html was not written: it needs all rows in memory (--engine memory)."


@contextmanager
def on_scheduler(address: str | None) -> Iterator[None]:
    """Run what is inside on a Dask cluster; here where there is no address."""
    if address is None:
        yield
        return
    from handful.distributed import scheduler

    try:
        with scheduler(address):
            yield
    except ImportError as error:
        raise RuntimeError(str(error)) from error


def read_chunked(path: Path | None, target: str | None, positive: str | None) -> TableData:
    """Parquet or CSV files as a Dask data frame; the labels are looked at once."""
    from handful.cli._tables import TableData, _check_labels, _positive_class, _target_column
    from handful.distributed.cluster import require_dask
    from handful.tables import exact_floats

    if path is None:
        raise ValueError("`DATA` must be given with --engine dask, for example 'rows/*.parquet'.")
    try:
        frames = require_dask("dask.dataframe")
    except ImportError as error:
        raise RuntimeError(str(error)) from error
    if not glob.glob(str(path)):
        raise FileNotFoundError(f"no file matches {path}. Check the path.")
    if path.suffix == ".parquet":
        frame = frames.read_parquet(str(path))
    elif path.suffix == ".csv":
        frame = frames.read_csv(str(path), assume_missing=True, **exact_floats())
    else:
        raise ValueError(
            f"`DATA` must end with .parquet or .csv with --engine dask, got {path.name!r}."
        )
    column = _target_column(frame, target)
    if len(frame.columns) == 1:
        raise ValueError(f"{path} has no column besides the target {column!r}.")
    found = frame[column].drop_duplicates().compute()
    labels = found.to_numpy()
    if found.isna().any():
        raise ValueError(f"the target column {column!r} has missing values. Remove those rows.")
    _check_labels(labels, column)
    chosen = _positive_class(labels, positive)
    note = f"Read in {frame.npartitions} chunks."
    return TableData(
        frame.drop(columns=[column]), frame[column], path.name, str(column), (note,), *chosen
    )


def classes_of(table: TableData) -> list[Any]:
    """The labels of a table in order, chunks or not."""
    if hasattr(table.y, "__dask_graph__"):
        y: Any = table.y
        return sorted(y.drop_duplicates().compute().tolist())
    return sorted(set(table.y.tolist()))
