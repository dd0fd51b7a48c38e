"""What all commands share: JSON or rich output, files written whole, errors with an exit code."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from handful.bounds import Certificate, Criterion

console = Console()
errors = Console(stderr=True)
AS_JSON = typer.Option(False, "--json", help="Print JSON.")


def print_json(data: Any) -> None:
    """One JSON document on standard output; NaN and infinity are refused."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


@contextmanager
def reported_errors() -> Iterator[None]:
    """Misuse (a bad value) ends with exit code 2, a failure of the work with 1."""
    try:
        yield
    except (ValueError, TypeError) as error:
        errors.print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from error
    except (OSError, RuntimeError, MemoryError, RecursionError) as error:
        errors.print(f"[bold red]Failed:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(1) from error


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """A line of progress on standard error; lines once a second where that is not a terminal."""
    if errors.is_terminal:
        with errors.status(f"{escape(title)} …") as status:
            yield lambda stage: status.update(f"{escape(title)}: {escape(str(stage))} …")
        return
    last = [time.monotonic()]

    def report(stage: str) -> None:
        if time.monotonic() - last[0] >= 1.0:
            last[0] = time.monotonic()
            errors.print(f"{escape(title)}: {escape(str(stage))} …", highlight=False)

    yield report


@contextmanager
def whole_files(folder: Path) -> Iterator[Callable[[str], Path]]:
    """Give names of temporary files in ``folder``; rename all of them at the end, or none.

    The function takes the final name and returns where to write. On any error or interruption
    the temporary files go, and so does the folder if it was made here.
    """
    is_new = not folder.exists()
    if is_new:
        if not folder.parent.is_dir():
            raise FileNotFoundError(f"the folder {folder.parent} does not exist. Create it first.")
        folder.mkdir()
    elif not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file, not a folder. Choose another --out.")
    staged: dict[str, Path] = {}

    def stage(name: str) -> Path:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
        os.close(handle)
        staged[name] = Path(temporary)
        return staged[name]

    try:
        yield stage
        mask = os.umask(0o077)
        os.umask(mask)
        for temporary in staged.values():
            temporary.chmod(0o666 & ~mask)
        for name, temporary in staged.items():
            os.replace(temporary, folder / name)
    except BaseException:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
        raise


def write_files(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write several texts into a folder, all or none."""
    with whole_files(folder) as stage:
        for name, content in contents.items():
            stage(name).write_text(content, encoding="utf-8")
    return [folder / name for name in contents]


def print_result(result: Certificate | Criterion, *, as_json: bool) -> None:
    """A certificate or criterion, explained or as JSON."""
    if as_json:
        print_json(result.to_dict())
        return
    title, style = "Criterion (no guarantee)", "yellow"
    if isinstance(result, Certificate):
        title, style = "Certificate", "yellow" if result.is_vacuous else "green"
    body = escape(result.explain())
    console.print(Panel(body, title=title, border_style=style, expand=False, width=88))


def records(frame: Any) -> list[dict[str, Any]]:
    """Rows of a data frame for JSON: NaN becomes null."""
    return [
        {k: None if v != v else v for k, v in row.items()}
        for row in frame.to_dict(orient="records")
    ]


def as_table(title: str, frame: Any) -> Table:
    """A data frame as a table to print; NaN is left blank."""
    table = Table(title=escape(title), title_justify="left")
    for name in frame.columns:
        numeric = frame[name].dtype.kind in "if"
        table.add_column(str(name).replace("_", " "), justify="right" if numeric else "left")
    for row in frame.itertuples(index=False):
        table.add_row(
            *("" if v != v else escape(f"{v:g}" if isinstance(v, float) else str(v)) for v in row)
        )
    return table
