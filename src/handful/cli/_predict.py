"""``handful predict`` and ``handful export``: use a model file."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from handful.cli._output import (
    AS_JSON,
    FORCE,
    QUIET,
    note,
    print_json,
    print_written,
    progress,
    write_out,
)
from handful.cli._sources import matching
from handful.tables import check_place, open_atomically, write_atomically

if TYPE_CHECKING:
    from handful.io import StoredModel


def register(app: typer.Typer, panel: str) -> None:
    """Add the commands of this file to the application."""
    app.command(rich_help_panel=panel)(predict)
    app.command(rich_help_panel=panel)(export)


def predict(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    data: str = typer.Argument(
        ..., help="CSV, TSV, ARFF or Parquet file of new cases, or files such as 'new/*.csv'."
    ),
    out: Path = typer.Option(
        None, "--out", "-o", help="CSV file to write; standard output if left out."
    ),
    force: bool = FORCE,
    as_json: bool = typer.Option(False, "--json", "-j", help="Print one JSON object a row."),
    quiet: bool = QUIET,
) -> None:
    """Label new cases, and say which rule fired.

    Reads the table in pieces, so that it may be larger than memory, and needs only the columns
    that the rules use. Writes row number, label and the condition of the rule that covered the
    row (empty where none did). Labels are written as they are: if they may start with = + - or @,
    do not open the result in a spreadsheet.

    Example: **handful predict results/model.json new.csv --out labels.csv**
    """
    from handful.io import load_model

    if out is not None:
        check_place(out, overwrite=force)
    stored = load_model(model)
    if out is None:
        # rows on a terminal are progress enough, and would be mixed with its line
        with nullcontext(_ignore) if sys.stdout.isatty() else progress("Predicting") as report:
            _write_rows(stored, data, write_out, as_json, report)
        return
    with progress("Predicting") as report, open_atomically(out, overwrite=force) as file:
        n_rows = _write_rows(stored, data, lambda t: file.write(t.encode()), as_json, report)
    note(f"{n_rows} rows written to [bold]{escape(str(out))}[/]")


def _ignore(stage: str) -> None:
    pass


def _write_rows(
    model: StoredModel, data: str, write: Callable[[str], Any], as_json: bool, report: Any
) -> int:
    from handful.tables import read_chunks

    if not as_json:
        write(_as_csv([("row", "label", "rule")]))
    names, used = model.names, model.used_features
    needed = [names[j] for j in used]
    words = {names[j] for j in used if model.categories and model.categories[j] is not None}
    n_rows = 0
    for chunk in (c for path in matching(data) for c in read_chunks(path, needed, words=words)):
        try:
            X = model.encode(chunk)
            labels, fired = model.predict(X), model.fired(X)
        except ValueError as error:
            raise ValueError(f"{error} (rows from {n_rows + 1})") from error
        numbers = range(n_rows + 1, n_rows + 1 + len(X))
        rows = zip(numbers, labels, fired, strict=True)
        write(_as_json_lines(rows) if as_json else _as_csv(rows))
        n_rows += len(X)
        report(f"{n_rows} rows")
    return n_rows


def _as_csv(rows: Iterable[tuple[Any, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _as_json_lines(rows: Iterable[tuple[Any, ...]]) -> str:
    return "".join(
        json.dumps({"row": row, "label": label, "rule": rule}) + "\n" for row, label, rule in rows
    )


def export(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    to: str = typer.Option("sql", help="sql, python or json."),
    table: str = typer.Option(None, help="For SQL: a table to select from."),
    out: Path = typer.Option(
        None, "--out", "-o", help="File to write; standard output if left out."
    ),
    force: bool = FORCE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Write the rules of a model as SQL, as Python without dependencies, or as plain JSON.

    Example: **handful export results/model.json --to sql --table patients**
    """
    from handful.io import export_json, export_python, export_sql, load_model

    stored = load_model(model)
    if to == "sql":
        text = export_sql(stored, table=table)
    elif to in ("python", "json"):
        text = export_python(stored) if to == "python" else export_json(stored)
    else:
        raise ValueError(f"`--to` must be sql, python or json, got {to!r}.")
    if out is not None:
        write_atomically(out, text, overwrite=force)
    if as_json:
        print_json({"to": to, "text": text, "file": None if out is None else str(out)})
    elif out is None:
        write_out(text)
    else:
        print_written([out])
