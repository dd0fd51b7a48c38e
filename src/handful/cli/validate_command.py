"""``handful validate``: a score that exists already, certified on all rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from handful.cli.console import console, print_json, print_written, progress
from handful.cli.options import (
    TABLE,
    Force,
    Json,
    Quiet,
    SheetName,
    Target,
    Trust,
    column,
    listed,
    renamed,
    takes,
)
from handful.writing import check_folder

if TYPE_CHECKING:
    from handful.validation import FixedScore, Validation

Names = list[str] | None


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """The table, the scores, and what is named beforehand."""

    data: Annotated[Path, typer.Argument(metavar="DATA", help=TABLE + ".")]
    sheet: SheetName = None
    target: Target = None
    positive: Annotated[
        str | None, column("--positive", "Which of the two classes is the case.", "-p")
    ] = None
    score: Annotated[
        Names, typer.Option(help="A comparison: 'qsofa >= 2'. Again for several scores.")
    ] = None
    card: Annotated[
        list[Path] | None, typer.Option(help="A score card (.toml); the guide has the format.")
    ] = None
    risks: Annotated[
        Names, typer.Option("--column", help="A column of predicted risks; with --threshold.")
    ] = None
    threshold: Annotated[
        float | None, typer.Option(help="From this risk on a row is called a case.")
    ] = None
    model: Annotated[list[Path] | None, typer.Option(help="A model file of handful.")] = None
    skops: Annotated[
        list[Path] | None, typer.Option(help="A scikit-learn classifier, written by skops.")
    ] = None
    trust: Trust = None
    mapped: Annotated[
        Names, column("--map", "What a column of the score is called here, as old=new.")
    ] = None
    missing_score: Annotated[
        str, typer.Option(help="A row without a score: refuse, or 'leave out'. Cards say it.")
    ] = "refuse"
    groups: Annotated[
        str | None, column("--groups", "The patient of each row; one row of each counts.")
    ] = None
    subgroups: Annotated[
        Names, column("--subgroups", "Columns of words, named beforehand; several by commas.")
    ] = None
    drop_missing_target: Annotated[
        bool, column("--drop-missing-target", "Leave out unlabelled rows.")
    ] = False
    delta: Annotated[
        float, typer.Option("--delta", "-d", help="Allowed probability that a limit fails.")
    ] = 0.05
    favourite: Annotated[
        str | None, typer.Option(help="The score that has half of delta, named beforehand.")
    ] = None
    case_control: Annotated[
        bool, typer.Option("--case-control", help="Rows were drawn by class.")
    ] = False
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for validation.json, report.html.")
    ] = None
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False

    def scores(self) -> list[FixedScore]:
        """All scores that were named, with different names."""
        made = list(self._scores())
        if not made:
            raise ValueError(
                "`--score` must say what is validated, got nothing. For example --score "
                "'qsofa >= 2', --card card.toml, --column risk --threshold 0.2 or --model "
                "model.json."
            )
        return made

    def _scores(self) -> Iterator[FixedScore]:
        from handful.files import load_model, read_estimator
        from handful.validation import digest_of_file, fixed_score, load_card

        place, missing = renamed(self.mapped), self.missing_score
        for text in self.score or ():
            yield fixed_score(text, missing=missing, columns=place)
        for path in self.card or ():
            yield fixed_score(load_card(path), columns=place)
        for name in listed(self.risks):
            if self.threshold is None:
                raise ValueError("`--threshold` must say from which risk on a row is a case.")
            yield fixed_score(name, threshold=self.threshold, missing=missing, columns=place)
        trusted = list(listed(self.trust))
        for path in self.model or ():
            one: Any = fixed_score(load_model(path, trusted=trusted), name=path.name, columns=place)
            yield replace(one, sha256=digest_of_file(path))
        for path in self.skops or ():
            limit = 0.5 if self.threshold is None else self.threshold
            one = fixed_score(
                read_estimator(path, trusted), name=path.name, threshold=limit, columns=place
            )
            yield replace(one, sha256=digest_of_file(path))


@takes(ValidateOptions)
def validate(options: ValidateOptions) -> None:
    """Certify a score that exists already. Nothing is trained, every row counts.

    Sensitivity, specificity, predictive values, ROC curve, calibration, net benefit and
    subgroups, with limits that hold at once. Score, threshold, subgroups and the rule for missing
    values must be fixed before the rows are looked at; a digest of them is printed.

    Example: **handful validate patients.csv --target outcome --score 'age >= 50'**

    An old and a new score, compared on the same rows: give both.
    """
    if options.out is not None:
        check_folder(options.out, ("validation.json", "report.html"), overwrite=options.force)
    scores: list[FixedScore] = options.scores()
    with progress("Validating"):
        made, name = _validated(options, scores)
        written = []
        if options.out is not None:
            written = made.save(options.out, overwrite=options.force, title=name)
    if options.as_json:
        print_json({"data": name, **made.to_dict(), "files": [str(path) for path in written]})
        return
    print_validation(made, name)
    print_written(written)


def _validated(options: ValidateOptions, scores: list[FixedScore]) -> tuple[Validation, str]:
    """The validation, and the name of the table."""
    from handful.tables import Choices, check_named, load_table, target_of, words_of_column
    from handful.tables.labels import labelled_rows
    from handful.validation import validate as call

    loaded = load_table(options.data, options.sheet)
    frame = loaded.frame
    names = [str(name) for name in frame.columns]
    check_named(Choices(target=options.target, groups=options.groups), names)
    target = target_of(options.target, names)
    rows, notes = labelled_rows(
        target,
        frame.iloc[:, names.index(target)].tolist(),
        drop_missing=options.drop_missing_target,
    )
    frame = frame.iloc[rows].reset_index(drop=True)
    members: Any = None
    if options.groups is not None:
        members = words_of_column(frame, options.groups)
    made = call(
        scores,
        frame.drop(columns=[frame.columns[names.index(target)]]),
        frame.iloc[:, names.index(target)].tolist(),
        positive=options.positive,
        groups=members,
        subgroups=listed(options.subgroups),
        delta=options.delta,
        favourite=options.favourite,
        case_control=options.case_control,
    )
    return replace(made, notes=(*loaded.notes, *notes, *made.notes)), loaded.name


def print_validation(made: Validation, name: str) -> None:
    """What was fixed, the statement and the evidence of each score, and comparisons."""
    from rich.panel import Panel

    from handful.evidence import evidence_lines
    from handful.validation.sentences import pair_line

    console.print(
        f"[bold]{escape(name)}[/]: {made.n_counted} of {made.n_rows} rows counted; the case is "
        f"{escape(repr(made.positive))}. Nothing was trained.",
        highlight=False,
    )
    for line in made.notes:
        console.print(f"  [dim]{escape(line)}[/]", highlight=False)
    for k, (score, one) in enumerate(zip(made.scores, made.evidence_, strict=True)):
        fixed = "\n".join([*score.facts(), f"Digest of all this: {score.digest[:16]}"])
        title = f"Fixed beforehand: {escape(score.name)}"
        console.print(Panel(escape(fixed), title=title, expand=False, border_style="blue"))
        if made.certificates_:
            risk = made.certificates_[k]
            style = "yellow" if risk.is_vacuous else "green"
            text = f"{risk.statement()} ({one.n_errors} errors in {one.n_rows} rows.)"
            console.print(
                Panel(escape(text), title="Certificate", expand=False, border_style=style)
            )
        for line in evidence_lines(one):
            console.print(f"  {escape(line)}", highlight=False)
    for pair in made.pairs_:
        console.print(f"[bold]{escape(pair_line(pair))}[/]", highlight=False)
    console.print(f"  {escape(made.together())}", highlight=False)
    if made.certificates_:
        held = "; ".join(map(str, made.certificates_[0].assumptions))
        console.print(f"  [dim]It holds if: {escape(held)}.[/]", highlight=False)
