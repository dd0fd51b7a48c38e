"""The menu of a table: read, learn, choose, print, write."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.cli._examples import EMBEDDED_NAME, embedded_frame
from handful.cli._output import note, print_json, print_written, progress

if TYPE_CHECKING:
    from handful.certified import Band, CertifiedClassifier
    from handful.tables import Choices, LoadedTable, Study

TOLERANCES = {"simple": 0.01, "tight": 0.0}  # what a simpler form may cost in certified risk


@dataclass(frozen=True)
class MenuOptions:
    """What the user wants of the menu."""

    candidates: str = "readable"
    choose: str | None = None
    prefer: str = "simple"
    delta: float = 0.05
    details: bool = False
    include_rows: bool = False
    threads: int = 1
    sensitivity: float | None = None
    specificity: float | None = None
    group_loss: str = "mean"
    abstain: float | None = None

    @property
    def tolerance(self) -> float:
        """How much worse than the best the default choice may be."""
        if self.prefer not in TOLERANCES:
            raise ValueError(f"`--prefer` must be 'simple' or 'tight', got {self.prefer!r}.")
        return TOLERANCES[self.prefer]

    @property
    def goal(self) -> dict[str, float] | None:
        """What must be reached, if anything; sensitivity is that of the case."""
        given = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        named = {name: value for name, value in given.items() if value is not None}
        if len(named) > 1:
            raise ValueError("`--sensitivity` and `--specificity` are two goals: say one of them.")
        return named or None

    @property
    def forms(self) -> str | list[str]:
        """``candidates`` of `CertifiedClassifier`."""
        if self.candidates in ("readable", "all"):
            return self.candidates
        return [name.strip() for name in self.candidates.split(",") if name.strip()]


@dataclass(frozen=True)
class Made:
    """A menu with its chosen row, and what it was made from."""

    loaded: LoadedTable
    study: Study
    machine: CertifiedClassifier
    choices: Choices
    options: MenuOptions
    seconds: float
    remarks: tuple[str, ...]
    band: Band | None = None

    @property
    def name(self) -> str:
        """Of the table."""
        return self.loaded.name

    @property
    def is_default(self) -> bool:
        """Whether the tolerance chose the row, and nobody else."""
        return self.options.choose is None and self.options.goal is None and not self.remarks


def certify_menu(
    data: Path | None,
    choices: Choices,
    options: MenuOptions,
    *,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Make the menu of a table, print it, and write the chosen row."""
    from handful.cli._menu_files import write_menu
    from handful.cli._menu_text import as_dict, print_menu
    from handful.tables import read_study

    forms, tolerance = options.forms, options.tolerance  # refused before the work
    loaded = read_data(data)
    study = read_study(loaded.frame, choices)
    study = replace(study, notes=(*loaded.notes, *study.notes))
    start = time.perf_counter()
    machine = fit_menu(study, forms, tolerance, options)
    seconds = time.perf_counter() - start
    machine, remarks = chosen(machine, options, is_written=out is not None, positive=study.positive)
    band = None if options.abstain is None else machine.abstain(options.abstain)
    made = Made(loaded, study, machine, choices, options, seconds, remarks, band)
    written = [] if out is None else write_menu(made, data, out, force=force)
    if as_json:
        print_json({**as_dict(made), "files": [str(path) for path in written]})
        return
    print_menu(made)
    print_written(written)


def read_data(data: Path | None) -> LoadedTable:
    """The table of a file, or the embedded breast cancer data."""
    from handful.tables import LoadedTable, load_table

    if data is not None:
        return load_table(data)
    return LoadedTable(embedded_frame(), EMBEDDED_NAME, (), ())


def fit_menu(
    study: Study, forms: Any, tolerance: float, options: MenuOptions
) -> CertifiedClassifier:
    """The menu, with progress."""
    import warnings

    from handful._progress import watch_progress
    from handful.certified import CertifiedClassifier

    with progress("Learning") as report, watch_progress(report), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single forms: what matters is in their rows
        return CertifiedClassifier(
            candidates=forms,
            tolerance=tolerance,
            delta=options.delta,
            group_loss=options.group_loss,
            n_jobs=options.threads,
        ).fit(study)


def chosen(
    machine: CertifiedClassifier,
    options: MenuOptions,
    *,
    is_written: bool,
    positive: str | None = None,
) -> tuple[CertifiedClassifier, tuple[str, ...]]:
    """The row that the user wants, or the default one among those that may be shown."""
    from handful.bounds import percent_text

    if options.goal is not None:
        if options.choose is not None:
            raise ValueError("`--choose` and a goal exclude each other: the goal chooses the row.")
        ((name, value),) = options.goal.items()
        if positive is not None and positive == machine.fitted_.classes[0]:
            name = "specificity" if name == "sensitivity" else "sensitivity"
        machine = machine.reach(**{name: value})
        if is_written and (why := why_not_written(machine.fitted_, options)):
            raise ValueError(f"{machine.chosen_!r}, which reaches the goal best: {why}")
        return machine, ()
    if options.choose is not None:
        text = options.choose
        machine = machine.choose(int(text) if text.isdigit() else text)
        if is_written and (why := why_not_written(machine.fitted_, options)):
            raise ValueError(f"`--choose {text}` cannot be written: {why}")
        return machine, ()
    holds_rows = machine.fitted_.n_training_rows > 0  # then nothing of it could be printed
    if not (is_written or holds_rows) or not (why := why_not_written(machine.fitted_, options)):
        return machine, ()
    first = f"{machine.chosen_} ({percent_text(machine.certificate_.risk)})"
    rows = [
        row
        for row, candidate in enumerate(machine.candidates_)
        if not why_not_written(candidate.fitted, options)
    ]
    if not rows and is_written:
        raise ValueError(
            "no row of the menu may be written: all contain training rows. Say --include-rows."
        )
    if not rows:
        return machine, ()
    machine = machine.choose(machine.simplest(rows))
    return machine, (f"{machine.chosen_} takes the place of {first}: {why}",)


def why_not_written(fitted: Any, options: MenuOptions) -> str:
    """Why a form must not be written as it is; empty where it may."""
    if not fitted.is_plain and not options.include_rows:
        return (
            "it is an estimator of another library, which may contain training rows. Say "
            "--include-rows, or choose another row of the menu."
        )
    if fitted.n_training_rows and not options.include_rows:
        return (
            f"this form contains {fitted.n_training_rows} training rows. Say --include-rows, or "
            "choose another row of the menu."
        )
    return ""


def percent_up(value: float) -> str:
    """An upper limit, never rounded down."""
    return f"{math.ceil(value * 1000.0) / 10.0:.1f} %"


def percent_down(value: float) -> str:
    """A lower limit, never rounded up."""
    return f"{math.floor(value * 1000.0) / 10.0:.1f} %"


def remark(text: str) -> None:
    """A remark that must not be missed."""
    from rich.markup import escape

    note(f"[yellow]{escape(text)}[/]")
