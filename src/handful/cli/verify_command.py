"""``handful verify``: re-check a model file with code that shares nothing with the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from handful.cli.console import (
    console,
    print_json,
    progress,
)
from handful.cli.options import Json, Quiet, SheetName, Target, Trust, listed

if TYPE_CHECKING:
    from handful.verify import Verdict

EXIT_NOT_VALID, EXIT_CONSISTENT = 1, 3  # 2 is a wrong command line
_SHOWN = {"handful-evidence": "what is said beside a model"}


def verify(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    data: str = typer.Argument(
        None,
        metavar="DATA",
        help="The training data: a file, or files such as 'rows/*.parquet'. Not needed for a "
        "model of the embedded data.",
    ),
    sheet: SheetName = None,
    target: Target = None,
    show_all: bool = typer.Option(
        False, "--all", "-a", help="Print every finding, not only failures."
    ),
    trust: Trust = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Re-check a certificate: VALID (exit code 0), or exactly what differs (exit code 1).

    A file that contradicts nothing, but whose claim is not wholly derived again, is CONSISTENT,
    NOT VERIFIED (exit code 3). A rule that was learned from all rows is NOT CERTIFIED (also 3).

    Pools are drawn again from the data's digest, the classifier is rebuilt (a form of the menu is
    trained again and compared), errors are counted again, and the bound is computed in fifty-digit
    arithmetic by code that shares nothing with what wrote the file. The rows may come in any
    order. What must be taken on trust is listed.

    Example: **handful verify results/model.json patients.csv**

    The state file of `handful monitor` is checked alone: it holds what the check needs. Of a
    validation.json, counts, certificates, rates, areas and comparisons are computed again.
    """
    with progress("Checking") as report:
        verdict = _verdict(model, data, sheet, target, list(listed(trust)), report)
    if as_json:
        print_json(verdict.to_dict())
    else:
        _print(verdict, show_all)
    if not verdict.is_valid:
        raise typer.Exit(EXIT_CONSISTENT if verdict.is_consistent else EXIT_NOT_VALID)


def _remembered(model: Path) -> Mapping[str, Any]:
    """What a model file says, as far as it can be read: it only tells where to look.

    What is wrong with the file is found when it is checked.
    """
    from handful.files.document import MAX_BYTES

    if not model.is_file():
        raise FileNotFoundError(f"there is no model file {model}. Check the path.")
    if model.stat().st_size > MAX_BYTES:
        return {}
    try:
        found = json.loads(model.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    what = _SHOWN.get(str(found.get("format"))) or ("risk" in found and "bound" in found)
    if what:
        raise ValueError(
            f"`MODEL` must be a model file or the state of a watch, got {model.name}, which holds "
            f"{'the certificate' if what is True else what} alone. Check the model.json beside it."
        )
    return found


def _part(document: Any, *names: str) -> Any:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _verdict(
    model: Path,
    data: str | None,
    sheet: str | None,
    target: str | None,
    trusted: list[str],
    report: Callable[[str], None],
) -> Verdict:
    """The verdict on a model file, against its training data, read as the file remembers."""
    from handful.cli.study_rows import read_table
    from handful.files import Retraining
    from handful.progress import watch_progress
    from handful.verify import verify_model, verify_watch

    said = _remembered(model)
    if said.get("format") == "handful-watch":
        return verify_watch(model)
    reading = _part(said, "data", "reading")
    known_target = _part(reading, "target") or _part(said, "data", "target")
    _same_target(target, known_target if isinstance(known_target, str) else None)
    if data is None:
        _check_embedded(model, said)
    frame = read_table(None if data is None else Path(data), sheet).frame
    if said.get("format") == "handful-validation":
        return _of_scores(model, frame, target)
    _check_columns(said, [str(name) for name in frame.columns], known_target)
    if reading is not None:
        with watch_progress(report):
            return verify_model(model, frame, library=Retraining(model, frame, trusted))
    return verify_model(model, *_clean_columns(frame, target or known_target, said))


def _check_embedded(model: Path, said: Mapping[str, Any]) -> None:
    """Refuse a missing table, unless the model was trained on the embedded data."""
    from handful.cli.study_rows import EMBEDDED

    if not said:
        raise ValueError(
            f"`MODEL` must be a model file or the state of a watch, got {model.name}, which is not "
            "whole. Use an untouched copy."
        )
    known = _part(said, "data", "file")
    if known != EMBEDDED:
        hint = f" The model was trained on {known}." if isinstance(known, str) else ""
        raise ValueError(f"`DATA` must name the training data to check against, got none.{hint}")


def _of_scores(path: Path, frame: Any, target: str | None) -> Verdict:
    """The verdict on a validation of scores; rows without a label were left out."""
    from handful.tables import target_of
    from handful.verify import verify_validation

    names = [str(name) for name in frame.columns]
    labels = frame.iloc[:, names.index(target_of(_known_target(target, names), names))]
    known = labels.notna() & (labels.astype(str).str.strip() != "")
    return verify_validation(path, frame[known].reset_index(drop=True), labels[known].tolist())


def _check_columns(said: Mapping[str, Any], names: list[str], target: Any) -> None:
    """Refuse another table: it lacks columns that the model reads or predicts."""
    is_named = _part(said, "data", "features") is not None  # not columns of an array
    read = _part(said, "fitted", "columns", "columns") if is_named else None
    wanted = [_part(column, "name") for column in read] if isinstance(read, list) else []
    lacking = [name for name in (*wanted, target) if isinstance(name, str) and name not in names]
    if lacking:
        raise ValueError(
            f"`DATA` must be the table that the model was trained on, got one without the column "
            f"{lacking[0][:80]!r}. It has {', '.join(repr(name[:40]) for name in names[:10])}."
        )


def _clean_columns(frame: Any, target: Any, said: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Features, labels and groups of a table whose columns are taken as they are."""
    from handful.tables import target_of

    names = [str(name) for name in frame.columns]
    place = names.index(target_of(_known_target(target, names), names))
    y = frame.iloc[:, place]
    if y.isna().any():
        raise ValueError(
            f"the target column {names[place]!r} has {int(y.isna().sum())} missing values. "
            "Remove those rows."
        )
    groups = _part(said, "data", "groups")
    if groups is not None and groups not in names:
        raise ValueError(f"`DATA` must have the column of the groups, {groups!r}.")
    members = None if groups is None else frame.iloc[:, names.index(groups)].to_numpy()
    return frame.drop(columns=[frame.columns[place]]), y.to_numpy(), members


def _same_target(target: str | None, known: str | None) -> None:
    """The file says which column is predicted; a verdict about another one would mislead."""
    if target is not None and known is not None and target != known:
        raise ValueError(
            f"`--target` must be {known!r}, which the model file predicts, got {target!r}. "
            "Leave it out, or check the model of that column."
        )


def _known_target(target: str | None, names: list[str]) -> str | None:
    """The target, which must be a column."""
    from handful.tables import Choices, check_named

    check_named(Choices(target=target), names)
    return target


def _print(verdict: Verdict, show_all: bool) -> None:
    from rich.panel import Panel

    for finding in verdict.findings:
        if show_all and finding.holds:
            console.print(f"  [green]holds[/]   {escape(finding.name)}", highlight=False)
        elif not finding.holds:
            console.print(
                f"  [red]differs[/] {escape(finding.name)}: {escape(finding.detail)}",
                highlight=False,
                soft_wrap=True,
            )
    n = len(verdict.findings)
    if verdict.is_consistent:
        text = f"{verdict.status}: {n} findings, all hold."
        style = "green" if verdict.is_valid else "yellow"
    else:
        n_bad = len(verdict.differences)
        text, style = f"{verdict.status}: {n_bad} of {n} findings differ.", "red"
    console.print(Panel(text, expand=False, border_style=style))
    for name, value in _claim_lines(verdict):
        console.print(f"  [bold]{name}[/] {escape(value)}", highlight=False, soft_wrap=True)
    for sentence in verdict.unverified:
        console.print(f"  [yellow]Not derived again: {escape(sentence)}.[/]", highlight=False)
    for sentence in verdict.trusted:
        console.print(f"  [dim]Taken on trust: {escape(sentence)}.[/]", highlight=False)
    if verdict.stated:
        said = ", ".join(f"{name} {value}" for name, value in verdict.stated.items())
        console.print(f"  [dim]Stated, not checked: {escape(said)}.[/]", highlight=False)


def _claim_lines(verdict: Verdict) -> list[tuple[str, str]]:
    """What the verdict is about, name by name."""
    claim = verdict.claim
    counts = None
    if claim.get("n_samples") is not None:
        errors = "" if claim["n_errors"] is None else f"{claim['n_errors']} errors among "
        counts = f"{errors}{claim['n_counted']} counted of {claim['n_samples']}"
    case = claim.get("case")
    classes = " or ".join(str(label) for label in claim.get("classes") or [])
    target = claim.get("target") or "(not named in the file)"
    lines = {
        "Claim:": claim.get("claim"),
        "Form:": claim.get("form"),
        "Target:": f"{target}, {classes}" if classes else None,
        "Case:": case,
        "Counts:": counts,
        "Delta:": claim.get("delta"),
        "File:": f"sha256 {claim['file_sha256']}" if claim.get("file_sha256") else None,
    }
    return [(name, str(value)[:400]) for name, value in lines.items() if value is not None]
