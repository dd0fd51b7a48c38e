"""``handful predict`` and ``handful export``: use a model file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer
from rich.markup import escape

from handful.cli._files import inspect_text, suffix_of, unreadable
from handful.cli._output import (
    AS_JSON,
    console,
    errors,
    print_json,
    progress,
    reported_errors,
    whole_files,
    write_files,
)

if TYPE_CHECKING:
    import pandas as pd

    from handful.io import StoredModel

CHUNK = 50_000  # rows


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands of this file to the application."""
    app.command(rich_help_panel=panel)(predict)
    app.command(rich_help_panel=panel)(export)


def predict(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    data: Path = typer.Argument(..., help="CSV, TSV, ARFF or Parquet file of new cases."),
    out: Path = typer.Option(None, help="CSV file to write; standard output if left out."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object a row."),
) -> None:
    """Label new cases, and say which rule fired.

    Reads the table in pieces, so that it may be larger than memory, and needs only the columns
    that the rules use. Writes row number, label and the condition of the rule that covered the
    row (empty where none did). Labels are written as they are: if they may start with = + - or @,
    do not open the result in a spreadsheet.

    Example: **handful predict results/model.json new.csv --out labels.csv**
    """
    from handful.io import load_model

    with reported_errors():
        stored = load_model(model)
        with progress("Predicting") as report:
            if out is None:
                n_rows = _write_rows(stored, data, sys.stdout, as_json, report)
            else:
                with whole_files(_folder_of(out)) as stage:
                    target = stage(out.name)
                    with target.open("w", encoding="utf-8", newline="") as file:
                        n_rows = _write_rows(stored, data, file, as_json, report)
    if out is not None:
        text = f"{n_rows} rows written to [bold]{escape(str(out))}[/]"
        errors.print(text, highlight=False, soft_wrap=True)


def _folder_of(out: Path) -> Path:
    if not out.parent.is_dir():
        raise FileNotFoundError(f"the folder {out.parent} does not exist. Create it first.")
    if out.is_dir():
        raise IsADirectoryError(f"{out} is a folder. Give the name of a file.")
    return out.parent


def _write_rows(model: StoredModel, data: Path, file: IO[str], as_json: bool, report: Any) -> int:
    import json

    writer = csv.writer(file)
    if not as_json:
        writer.writerow(["row", "label", "rule"])
    n_rows = 0
    for chunk in read_chunks(data, model):
        try:
            X = model.encode(chunk)
            labels, fired = model.predict(X), model.fired(X)
        except ValueError as error:
            raise ValueError(f"{error} (rows from {n_rows + 1})") from error
        numbers = range(n_rows + 1, n_rows + 1 + len(X))
        rows = zip(numbers, labels, fired, strict=True)
        if as_json:
            for row, label, rule in rows:
                file.write(json.dumps({"row": row, "label": label, "rule": rule}) + "\n")
        else:
            writer.writerows(rows)
        n_rows += len(X)
        report(f"{n_rows} rows")
    return n_rows


def read_chunks(path: Path, model: StoredModel) -> Iterator[pd.DataFrame]:
    """The columns that a model uses, a piece of the rows at a time."""
    import pandas as pd

    needed = [model.names[j] for j in model.used_features]
    words = {
        model.names[j]: str
        for j in model.used_features
        if model.categories is not None and model.categories[j] is not None
    }
    if suffix_of(path) == ".parquet":
        yield from _parquet_chunks(path, needed)
        return
    table = inspect_text(path)
    _check_columns(needed, table.names)
    options = table.parser_options()
    usecols = needed or [table.names[0]]
    dtypes: dict[str, Any] = {name: words.get(name, object) for name in usecols}
    try:
        with (
            table.open_rows() as rows,
            pd.read_csv(rows, chunksize=CHUNK, usecols=usecols, dtype=dtypes, **options) as reader,
        ):
            yield from reader
    except pd.errors.ParserError as error:
        raise unreadable(path, str(error).strip()[:300]) from error


def _check_columns(needed: list[str], names: Any) -> None:
    absent = [name for name in needed if name not in names]
    if absent:
        raise ValueError(
            f"the data must have the columns {absent[:10]}, which the model uses. "
            f"They have: {list(names)[:10]}."
        )


def _parquet_chunks(path: Path, needed: list[str]) -> Iterator[pd.DataFrame]:
    try:
        import pyarrow
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ValueError("reading Parquet needs pyarrow: python -m pip install pyarrow.") from error
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            _check_columns(needed, names)
            for batch in file.iter_batches(batch_size=CHUNK, columns=needed or names[:1]):
                yield batch.to_pandas()
    except (pyarrow.ArrowException, OSError) as error:
        raise unreadable(path, str(error).strip()[:300]) from error


def export(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    to: str = typer.Option("sql", help="sql, python or json."),
    table: str = typer.Option(None, help="For SQL: a table to select from."),
    out: Path = typer.Option(None, help="File to write; standard output if left out."),
    as_json: bool = AS_JSON,
) -> None:
    """Write the rules of a model as SQL, as Python without dependencies, or as plain JSON.

    Example: **handful export results/model.json --to sql --table patients**
    """
    from handful.io import export_json, export_python, export_sql, load_model

    with reported_errors():
        stored = load_model(model)
        if to == "sql":
            text = export_sql(stored, table=table)
        elif to in ("python", "json"):
            text = export_python(stored) if to == "python" else export_json(stored)
        else:
            raise ValueError(f"`--to` must be sql, python or json, got {to!r}.")
        if out is not None:
            write_files(_folder_of(out), {out.name: text})
    if as_json:
        print_json({"to": to, "text": text, "file": None if out is None else str(out)})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        console.print(f"Written: [bold]{escape(str(out))}[/]", highlight=False, soft_wrap=True)
