"""``handful certify``: data in, a menu of certified rules out."""

from __future__ import annotations

from pathlib import Path

import typer

from handful._writing import check_folder, check_place
from handful.cli._chunked import ENGINE, ENGINES, SCHEDULER
from handful.cli._options import (
    CATEGORIES,
    DROP_MISSING_TARGET,
    EXCLUDE,
    FEATURES,
    IDS,
    MISSING,
    NOT_MISSING,
    ORDERED,
    choices_from,
    column_option,
)
from handful.cli._output import AS_JSON, FILES, FORCE, QUIET, TABLE, TARGET


def register(app: typer.Typer, panel: str) -> None:
    """Add the command of this file to the application."""
    app.command(rich_help_panel=panel)(certify)


def _machine(default: str | None, text: str) -> str:
    return typer.Option(default, help=text, rich_help_panel="One machine instead of a menu")


def certify(
    data: Path = typer.Argument(
        None, metavar="[DATA]", help=TABLE + "; embedded data if left out."
    ),
    target: str = TARGET,
    positive: str = column_option("--positive", "Which of two classes is the case.", "-p"),
    groups: str = column_option("--groups", "Rows of one patient, drawn and counted whole."),
    weights: str = column_option("--weights", "Weights of the rows in training; each counts once."),
    ids: list[str] = IDS,
    exclude: list[str] = EXCLUDE,
    features: list[str] = FEATURES,
    ordered: list[str] = ORDERED,
    categories: list[str] = CATEGORIES,
    missing: list[str] = MISSING,
    not_missing: list[str] = NOT_MISSING,
    drop_missing_target: bool = DROP_MISSING_TARGET,
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
    """Learn a menu of rules from a table, each certified: take the one you like.

    Some rows teach, the others only test; the data's own digest draws the split.

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
    if seed is not None and not is_machine:
        raise ValueError("`--seed` goes with --rules: the menu's pool is drawn by the data itself.")
    choices = choices_from(
        target=target, positive=positive, groups=groups, weights=weights, id=ids, exclude=exclude,
        features=features, ordered=ordered, categories=categories, missing=missing,
        not_missing=not_missing, drop_missing_target=drop_missing_target,
    )  # fmt: skip
    if is_machine:
        from handful.cli._rules import certify_rules

        asked = {"choose": choose, "sensitivity": sensitivity, "specificity": specificity}
        if named := [f"--{name}" for name, value in asked.items() if value is not None]:
            raise ValueError(f"`{named[0]}` goes with the menu, not with one machine (--rules).")
        certify_rules(
            data, choices, rules=rules or "auto", kind=kind, max_rules=max_rules,
            costs=costs, group_loss=group_loss, delta=delta, seed=seed, threads=threads,
            engine=engine,
            scheduler=scheduler, out=out, force=force, include_rows=include_rows, as_json=as_json,
        )  # fmt: skip
        return
    from handful.cli._menu import MenuOptions, certify_menu

    options = MenuOptions(
        candidates, choose, prefer, delta, details, include_rows, threads, sensitivity, specificity,
        group_loss, abstain,
    )  # fmt: skip
    certify_menu(data, choices, options, out=out, force=force, as_json=as_json)


def _check_out(out: Path, force: bool) -> None:
    """Before the work, whether its results may be written."""
    if out.suffix == ".json":
        check_place(out, overwrite=force)
    else:
        check_folder(out, FILES, overwrite=force)
