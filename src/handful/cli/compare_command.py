"""``handful compare``: is a certificate worth its price on these data?"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from handful.cli.console import console, print_json, print_written, progress
from handful.cli.options import Force, Json, Quiet, Scheduler, TableOptions, takes
from handful.cli.study_text import columns_as_dicts, print_assumed
from handful.writing import check_folder, write_folder

if TYPE_CHECKING:
    import pandas as pd

    from handful.cli.contest import Contest
    from handful.cli.study_rows import StudyRows
    from handful.tables import Choices, Study

FILES = ("compare.csv", "compare.svg")


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TableOptions):
    """What is read, who takes part, and where the comparison goes."""

    machines: Annotated[
        str | None, typer.Option(help="Which ones, by commas; all if left out.")
    ] = None
    folds: Annotated[int, typer.Option(help="Outer folds, the same for everybody.")] = 5
    delta: Annotated[
        float, typer.Option("--delta", "-d", help="Allowed probability that a certificate fails.")
    ] = 0.05
    quick: Annotated[bool, typer.Option("--quick", help="Three folds and smaller grids.")] = False
    seed: Annotated[int, typer.Option(help="Seed of folds, pools and forests.")] = 0
    jobs: Annotated[int, typer.Option(help="Fits at the same time.")] = 1
    scheduler: Scheduler = None
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for compare.csv and compare.svg.")
    ] = None
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False


@takes(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Our machines and what people would use instead, on the same folds.

    For each: the error on the outer folds with its standard error; the size; how many examples it
    is *made of* and how many are *held back* from the count of its certificate; that *certificate*
    from all the data, where it holds for what was done; its *hold-out certificate*, trained with
    all preprocessing on 70 % and certified on the other 30 %; and the seconds of a fit. Machines
    behind a fitted scaler have the hold-out certificate only. Each certificate holds for its
    machine alone, chosen beforehand: picking the smallest of the column would have to be paid for.

    Example: **handful compare patients.csv --target outcome --quick --out results**
    """
    from handful.cli.contest import Contest, check_folds, run_contest
    from handful.cli.rivals import choose_rivals
    from handful.cli.study_rows import on_scheduler, read_rest

    out, delta = options.out, options.delta
    if out is not None:
        check_folder(out, FILES, overwrite=options.force)
    with on_scheduler(options.scheduler):
        rivals = choose_rivals(options.machines)
        if not 0.0 < delta < 1.0:
            raise ValueError(f"`--delta` must be in (0, 1), got {delta}.")
        table = read_rest(options.data, options.choices(), sheet=options.sheet)
        n_folds = min(options.folds, 3) if options.quick else options.folds
        check_folds(table.y, n_folds)
        known = None if table.study is None else known_columns(table.study)
        contest = Contest(table.X, table.y, n_folds, delta, options.quick, options.seed, known)
        n_jobs = options.jobs if options.scheduler is None else -1
        with progress("Comparing") as report:
            frame = run_contest(rivals, contest, n_jobs=n_jobs, report=report)
        written = [] if out is None else _write(frame, table, out, options.force)
    if options.as_json:
        print_json(_as_dict(frame, table, contest, written))
        return
    _print(frame, table, contest)
    print_written(written)


def known_columns(study: Study) -> Choices:
    """What was decided about the features of a table, for machines that read its clean rows."""
    from handful.tables import Choices

    names = {column.name for column in study.features}
    answers = study.choices.not_missing
    return Choices(
        features=tuple(column.name for column in study.features),
        categories=tuple(c.name for c in study.features if c.kind == "category"),
        not_missing={name: answers[name] for name in answers if name in names or not name},
    )


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {k: None if v is None or v != v else v for k, v in row.items()}
        for row in frame.astype(object).to_dict(orient="records")
    ]


def _as_dict(
    frame: pd.DataFrame, table: StudyRows, contest: Contest, written: list[Path]
) -> dict[str, Any]:
    return {
        "data": table.name,
        "n_samples": len(table.y),
        "notes": list(table.notes),
        "columns": columns_as_dicts(table),
        "n_folds": contest.n_folds,
        "delta": contest.delta,
        "machines": _rows(frame),
        "files": [str(path) for path in written],
    }


_HEADS = ("machine", "error", "±", "size", "made\nof", "held\nback", "certi-\nficate",
          "hold-\nout", "s")  # fmt: skip


def _count(value: Any) -> str:
    return "" if value is None else f"{value:.0f}"


def _size(row: dict[str, Any]) -> str:
    """Size with its unit; blank if "made of" says it."""
    is_said = row["unit"] == "examples" and row["made_of"] is not None
    return "" if row["size"] is None or is_said else f"{row['size']:.0f} {row['unit']}"


def _percent(value: Any) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _print(frame: pd.DataFrame, table: StudyRows, contest: Contest) -> None:
    from rich import box
    from rich.table import Table

    print_assumed(table)
    n, p = table.X.shape
    title = f"{escape(table.name)}: {n} examples, {p} features, {contest.n_folds} folds (percent)"
    shown = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for name in _HEADS:
        justify: Any = "left" if name == "machine" else "right"
        shown.add_column(name, justify=justify, no_wrap=True)
    rows = _rows(frame)
    for cells, is_new in _lines(rows):
        if is_new:
            shown.add_section()
        shown.add_row(*cells)
    console.print(shown)
    for row in rows:
        if row["problem"]:
            text = f"  [yellow]{escape(row['machine'])}: {escape(row['problem'])}[/]"
            console.print(text, highlight=False)
    console.print(
        f"  [dim]Certificates hold with {100 * (1 - contest.delta):g} % confidence each. ±: "
        "standard error. made of, held back: examples. hold-out: trained on 70 %, certified on "
        "30 %. ~: behind a fitted scaler, so without a certificate of its own. s: seconds of a "
        "fit.[/]",
        highlight=False,
    )


def _lines(rows: list[dict[str, Any]]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Cells of each machine, the best values in bold, and whether a new group begins."""
    best = {
        key: min((r[key] for r in rows if r[key] is not None), default=None)
        for key in ("error", "certificate", "held_out")
    }
    last = None
    for row in rows:
        values = {
            key: f"[bold]{_percent(row[key])}[/]" if row[key] == best[key] else _percent(row[key])
            for key in best
        }
        is_behind = row["group"] == "handful" and row["is_scaled"]
        cells = (
            escape(row["machine"]) + ("~" if is_behind else ""),
            values["error"],
            _percent(row["error_se"]),
            _size(row),
            _count(row["made_of"]),
            _count(row["held_back"]),
            values["certificate"],
            values["held_out"],
            "" if row["seconds"] is None else f"{row['seconds']:.2f}",
        )
        yield cells, last not in (None, row["group"])
        last = row["group"]


def _write(frame: pd.DataFrame, table: StudyRows, out: Path, force: bool) -> list[Path]:
    text = io.StringIO()
    frame.to_csv(text, index=False, lineterminator="\n")
    contents = {"compare.csv": text.getvalue(), "compare.svg": draw(frame, table.name)}
    return write_folder(out, contents, overwrite=force, replaced=FILES)


def draw(frame: pd.DataFrame, title: str) -> str:
    """Error, certificate and hold-out certificate of each machine, as SVG."""
    import matplotlib
    from matplotlib.figure import Figure

    rows = _rows(frame)[::-1]
    figure = Figure(figsize=(7.0, 1.2 + 0.3 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    marks = (
        ("error", "o", "tab:blue", "error on the folds"),
        ("certificate", "|", "tab:green", "certificate"),
        ("held_out", "x", "tab:orange", "hold-out certificate (70/30)"),
    )
    for key, mark, colour, label in marks:
        at = [(i, 100 * row[key]) for i, row in enumerate(rows) if row[key] is not None]
        axes.plot(
            [x for _, x in at], [i for i, _ in at], mark, color=colour, label=label,
            markersize=11 if mark == "|" else 6, markeredgewidth=2 if mark != "o" else 1,
        )  # fmt: skip
    names = [row["machine"] if row["group"] == "handful" else f"{row['machine']} *" for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_xlim(left=0)
    axes.set_xlabel("percent of new cases (* baseline)")
    axes.set_title(title.replace("$", r"\$"))
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "handful", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
