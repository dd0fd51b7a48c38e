"""``handful certify``: data in, a menu of certified rules out."""

from __future__ import annotations

from pathlib import Path

import typer

from handful.cli._chunked import ENGINE, ENGINES, SCHEDULER
from handful.cli._output import AS_JSON, FILES, FORCE, QUIET, TABLE, TARGET
from handful.tables import check_folder, check_place

_LISTED = "; several by commas, or the option again."


def register(app: typer.Typer, panel: str) -> None:
    """Add the command of this file to the application."""
    app.command(rich_help_panel=panel)(certify)


def _columns(name: str, text: str) -> list[str]:
    return typer.Option(None, name, help=text + _LISTED, rich_help_panel="Columns")


def _column(name: str, text: str, *more: str) -> str:
    return typer.Option(None, name, *more, help=text, rich_help_panel="Columns")


def _machine(default: str | None, text: str) -> str:
    return typer.Option(default, help=text, rich_help_panel="One machine instead of a menu")


def certify(
    data: Path = typer.Argument(
        None, metavar="[DATA]", help=TABLE + "; embedded data if left out."
    ),
    target: str = TARGET,
    positive: str = _column("--positive", "Which of two classes is the case.", "-p"),
    groups: str = _column("--groups", "Rows of one patient: they are drawn and counted whole."),
    weights: str = _column("--weights", "Weights of the rows in training; each counts once."),
    ids: list[str] = _columns("--id", "Identifiers, which are not used"),
    exclude: list[str] = _columns("--exclude", "Columns to leave out"),
    features: list[str] = _columns("--features", "The only columns to use, also dates"),
    ordered: list[str] = _columns("--ordered", "Columns of ordered words"),
    categories: list[str] = _columns("--categories", "Columns whose numbers are codes"),
    missing: list[str] = _columns("--missing", "Cells that mean missing, as -999 or age=-999"),
    drop_missing_target: bool = typer.Option(
        False, "--drop-missing-target", help="Leave out unlabelled rows.", rich_help_panel="Columns"
    ),
    candidates: str = typer.Option(
        "readable", help="readable, all, or names of forms by commas (one rule,score card)."
    ),
    choose: str = typer.Option(
        None, "--choose", "-c", help="Number or name of a row of the menu; all are certified."
    ),
    prefer: str = typer.Option(
        "simple", help="simple: the simplest within 0.01 of the best; tight: the best."
    ),
    delta: float = typer.Option(
        0.05, "--delta", "-d", help="Allowed probability that any certificate of the menu fails."
    ),
    sensitivity: float = typer.Option(
        None, help="Take the row and threshold certified to find so many cases (0.9)."
    ),
    specificity: float = typer.Option(
        None, help="Take the row and threshold certified to clear so many others (0.9)."
    ),
    abstain: float = typer.Option(
        None, help="Say nothing in doubt, so that answers err at most so often (0.05)."
    ),
    group_loss: str = typer.Option(
        "mean", help="With --groups: mean, a random case of a new group; any, some case of it."
    ),
    details: bool = typer.Option(False, "--details", help="Show what is paid, in nats."),
    include_rows: bool = typer.Option(
        False, "--include-rows", help="Print and write forms that contain training rows."
    ),
    rules: str = _machine(
        None, "auto, stumps, balls, half-spaces, two-point or linear; several by commas."
    ),
    kind: str = _machine("auto", "auto, conjunction or disjunction."),
    max_rules: str = _machine("auto", "auto, or a number of rules."),
    costs: str = _machine(
        None, "Costs of a false positive and a false negative, as 1,5: certify the cost."
    ),
    seed: int = _machine(None, "Draws the pools in place of the data's digest."),  # type: ignore[assignment]
    threads: int = typer.Option(1, help="Number of threads."),
    engine: str = ENGINE,
    scheduler: str = SCHEDULER,
    out: Path = typer.Option(
        None,
        "--out",
        "-o",
        help="Folder for model.json, certificate.json and report.html; or a model file (.json).",
    ),
    force: bool = FORCE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Learn a menu of rules from a table, each certified: no split, take the one you like.

    Words, dates, missing values and identifiers are recognised; what was assumed about each
    column is printed. Files written with --out hold no training rows and no identifiers.

    Example: **handful certify patients.csv --target outcome --out results**

    Another row of the menu: **handful certify patients.csv --target outcome --choose 'one rule'**

    More rows than memory: **handful certify 'rows/*.parquet' --engine dask --rules stumps**
    """
    if engine not in ENGINES:
        known = ", ".join(map(repr, ENGINES))
        raise ValueError(f"`--engine` must be one of {known}, got {engine!r}.")
    if out is not None:
        _check_out(out, force)
    given = (kind, max_rules, engine, scheduler)
    is_machine = rules or costs or given != ("auto", "auto", "memory", None)
    if is_machine:
        from handful.cli._rules import certify_rules

        certify_rules(
            data, target, positive, rules=rules or "auto", kind=kind, max_rules=max_rules,
            costs=costs, groups=groups, group_loss=group_loss, delta=delta, seed=seed,
            threads=threads, engine=engine,
            scheduler=scheduler, out=out, force=force, include_rows=include_rows, as_json=as_json,
        )  # fmt: skip
        return
    if seed is not None:
        raise ValueError("`--seed` goes with --rules: the menu's pool is drawn by the data itself.")
    from handful.cli._menu import MenuOptions, certify_menu
    from handful.tables import Choices

    choices = Choices(
        target=target,
        positive=positive,
        groups=groups,
        weights=weights,
        id=_listed(ids),
        exclude=_listed(exclude),
        features=_listed(features),
        ordered=_listed(ordered),
        categories=_listed(categories),
        missing=_marks(_listed(missing)),
        drop_missing_target=drop_missing_target,
    )
    options = MenuOptions(
        candidates, choose, prefer, delta, details, include_rows, threads, sensitivity, specificity,
        group_loss, abstain,
    )  # fmt: skip
    certify_menu(data, choices, options, out=out, force=force, as_json=as_json)


def _listed(values: list[str] | None) -> tuple[str, ...]:
    """Names of an option that may be repeated and may hold several by commas."""
    parts = [part.strip() for value in values or () for part in value.split(",")]
    return tuple(part for part in parts if part)


def _marks(values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Marks by column: ``age=-999`` for one column, ``-999`` for all."""
    marks: dict[str, tuple[str, ...]] = {}
    for value in values:
        column, _, mark = value.rpartition("=")
        marks[column.strip()] = (*marks.get(column.strip(), ()), mark.strip())
    return marks


def _check_out(out: Path, force: bool) -> None:
    """Before the work, whether its results may be written."""
    if out.suffix == ".json":
        check_place(out, overwrite=force)
    else:
        check_folder(out, FILES, overwrite=force)
