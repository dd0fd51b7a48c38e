"""``handful reproduce``: run a published table again and show ours beside theirs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from handful.cli._chunked import SCHEDULER, on_scheduler
from handful.cli._output import (
    AS_JSON,
    QUIET,
    as_table,
    console,
    print_json,
    progress,
    records,
)


def register(app: typer.Typer, panel: str) -> None:
    """Add the command of this file to the application."""
    app.command(rich_help_panel=panel)(reproduce)


def reproduce(
    paper: str = typer.Argument(..., help="Which paper, for example scm-2003."),
    table: str = typer.Option(None, help="Which table; all where left out."),
    data_dir: Path = typer.Option(None, help="Folder with the data sets (or HANDFUL_DATA)."),
    quick: bool = typer.Option(False, help="A few small data sets only."),
    seed: int = typer.Option(0, help="Seed of what is random."),
    scheduler: str = SCHEDULER,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Run a published table again: ours, theirs, the difference."""
    with on_scheduler(scheduler):
        folder = data_dir or (Path(os.environ["HANDFUL_DATA"]) if _has_variable() else None)
        frames = dict(_run(paper, table, folder, quick, seed))
    if as_json:
        notes = {name: frame.attrs.get("notes", []) for name, frame in frames.items()}
        print_json({**{name: records(frame) for name, frame in frames.items()}, "notes": notes})
        return
    for name, frame in frames.items():
        console.print(as_table(f"{paper}, table {name}", frame))
        for note in frame.attrs.get("notes", []):
            console.print(f"  [dim]{escape(note)}[/]", highlight=False)


def _has_variable() -> bool:
    return bool(os.environ.get("HANDFUL_DATA"))


def _run(paper: str, table: str | None, folder: Path | None, quick: bool, seed: int) -> Any:
    import importlib

    from handful.papers import PAPERS, run_table

    names = [table]
    if table is None and paper in PAPERS:
        names = list(importlib.import_module(PAPERS[paper]).TABLES)
    for name in names:
        with progress(f"{paper}, table {name}") as report:
            frame = run_table(
                paper,
                str(name),
                data_dir=folder,
                quick=quick,
                random_state=seed,
                progress=report,
            )
        yield name, frame
