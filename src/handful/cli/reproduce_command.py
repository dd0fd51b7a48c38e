"""``handful reproduce``: run a published table again and show ours beside theirs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape

from handful.cli.console import (
    as_table,
    console,
    print_json,
    print_written,
    progress,
    records,
)
from handful.cli.options import Force, Json, Quiet, Scheduler
from handful.writing import check_folder, write_folder


def reproduce(
    paper: str = typer.Argument(..., help="Which paper, for example scm-2003."),
    table: str = typer.Option(None, help="Which table; all where left out."),
    data_dir: Path = typer.Option(None, help="Folder with the data sets (or HANDFUL_DATA)."),
    quick: bool = typer.Option(False, help="A few small data sets only."),
    seed: int = typer.Option(0, help="Seed of what is random."),
    plot: Path = typer.Option(None, "--plot", help="Folder for the figures, as SVG."),
    force: Force = False,
    scheduler: Scheduler = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a published table again: ours, theirs, the difference.

    The data sets are public but no part of handful: name their folder by **--data-dir** or by the
    variable HANDFUL_DATA. Papers, and what **--table** takes:

    scm-2003: table-1, svm, best, balls, table-2, slides, slides-svm, certificates

    compression-2004: table-1, conventions, regions, figure-3, figure-4, figure-5, figure-6

    nonconformity-2009: figure-2, table-1, table-3

    mcm-2014: glass, sparsity, table-2, table-3, table-4

    **--plot** draws every figure, and table-1 of scm-2003.

    Example: **handful reproduce compression-2004 --table figure-3 --plot figures**
    """
    from handful.cli.study_rows import on_scheduler

    names = {} if plot is None else _file_names(paper, table)
    if plot is not None:
        check_folder(plot, list(names.values()), overwrite=force)
    with on_scheduler(scheduler):
        frames = dict(_run(paper, table, data_dir, quick, seed))
        written = [] if plot is None else _draw(paper, frames, names, plot, force)
    if as_json:
        notes = {name: frame.attrs.get("notes", []) for name, frame in frames.items()}
        tables = {name: _json_rows(frame) for name, frame in frames.items()}
        print_json({**tables, "notes": notes, "files": [str(path) for path in written]})
        return
    for name, frame in frames.items():
        console.print(as_table(f"{paper}, table {name}", frame))
        for text in frame.attrs.get("notes", []):
            console.print(f"  [dim]{escape(text)}[/]", highlight=False)
    print_written(written)


def _json_rows(frame: Any) -> list[dict[str, Any]]:
    """Rows for JSON, which has no infinity: a word for it."""
    return [
        {k: str(v) if v in (math.inf, -math.inf) else v for k, v in row.items()}
        for row in records(frame)
    ]


def _file_names(paper: str, table: str | None) -> dict[str, str]:
    """The figures that will be written, by table."""
    from handful.papers import tables_with_figures

    tables = tables_with_figures(paper)
    if not tables:
        raise ValueError(f"`--plot` needs a paper with figures, got {paper!r}, which has none.")
    if table is not None and table not in tables:
        drawn = ", ".join(tables)
        raise ValueError(
            f"`--plot` needs a table with a figure, got {table!r}. {paper}: those of {drawn}."
        )
    return {name: f"{paper}-{name}.svg" for name in tables if table in (None, name)}


def _draw(
    paper: str, frames: dict[str, Any], names: dict[str, str], folder: Path, force: bool
) -> list[Path]:
    from handful.papers import draw_table

    contents = {file: draw_table(paper, table, frames[table]) for table, file in names.items()}
    return write_folder(folder, contents, overwrite=force) if contents else []


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
