"""``handful certify``: data in, a menu of certified classifiers out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import print_json, print_written
from handful.cli.options import (
    Force,
    Json,
    Names,
    Quiet,
    Scheduler,
    TableOptions,
    column,
    columns,
    listed,
    takes,
)
from handful.writing import check_folder, check_place

if TYPE_CHECKING:
    from handful.tables import Choices

FILES = ("model.json", "certificate.json", "report.html", "model.skops")
ENGINES = ("memory", "dask")
TOLERANCES = {"simple": 0.01, "tight": 0.0}  # what a simpler form may cost in certified risk


def _cover(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel="Covers by rules instead of forms")


@dataclass(frozen=True, kw_only=True)
class CertifyOptions(TableOptions):
    """What is read, what is learned, which row is taken, and where it goes."""

    positive: Annotated[
        str | None, column("--positive", "Which of two classes is the case.", "-p")
    ] = None
    groups: Annotated[
        str | None, column("--groups", "Rows of one patient, drawn and counted whole.")
    ] = None
    weights: Annotated[
        str | None, column("--weights", "Weights of the rows in training; each counts once.")
    ] = None
    subgroups: Annotated[
        Names, columns("--subgroups", "Evidence for each of their words, named before looking")
    ] = None
    increasing: Annotated[
        Names, columns("--increasing", "The case must be likelier if these are higher")
    ] = None
    decreasing: Annotated[
        Names, columns("--decreasing", "The case must be likelier if these are lower")
    ] = None
    candidates: Annotated[
        str,
        typer.Option(help="readable, all, or names of forms by commas (one rule,score card)."),
    ] = "readable"
    choose: Annotated[
        str | None,
        typer.Option(
            "--choose", "-c", help="Number or name of a row of the menu; all are certified."
        ),
    ] = None
    prefer: Annotated[
        str, typer.Option(help="simple: the simplest within 0.01 of the best; tight: the best.")
    ] = "simple"
    delta: Annotated[
        float,
        typer.Option(
            "--delta", "-d", help="Allowed probability that any certificate of the menu fails."
        ),
    ] = 0.05
    sensitivity: Annotated[
        float | None,
        typer.Option(help="Take the row and threshold certified to find so many cases (0.9)."),
    ] = None
    specificity: Annotated[
        float | None,
        typer.Option(help="Take the row and threshold certified to clear so many others (0.9)."),
    ] = None
    abstain: Annotated[
        float | None,
        typer.Option(help="Say nothing in doubt, so that answers err at most so often (0.05)."),
    ] = None
    group_loss: Annotated[
        str,
        typer.Option(help="With --groups: mean, a random case of a new group; any, some case."),
    ] = "mean"
    details: Annotated[bool, typer.Option("--details", help="Show what is paid, in nats.")] = False
    include_rows: Annotated[
        bool,
        typer.Option("--include-rows", help="Print and write rows that contain training rows."),
    ] = False
    rules: Annotated[
        str | None,
        _cover("auto, stumps, balls, half-spaces, two-point or linear; several by commas."),
    ] = None
    kind: Annotated[str, _cover("auto, conjunction or disjunction.")] = "auto"
    max_rules: Annotated[str, _cover("auto, or a number of rules.")] = "auto"
    costs: Annotated[
        str | None,
        _cover("Costs of a false positive and a false negative, as 1,5: certify the cost."),
    ] = None
    seed: Annotated[int | None, _cover("Draws the pools in place of the data's digest.")] = None
    threads: Annotated[int, typer.Option(help="Number of threads.")] = 1
    engine: Annotated[
        str,
        typer.Option(help="memory; or dask, which reads files such as 'rows/*.parquet' in chunks."),
    ] = "memory"
    scheduler: Scheduler = None
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder for model.json, certificate.json and report.html; or a model file "
            "(.json).",
        ),
    ] = None
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False

    def choices(self, **more: Any) -> Choices:
        return super().choices(
            positive=self.positive,
            groups=self.groups,
            weights=self.weights,
            subgroups=listed(self.subgroups),
            increasing=listed(self.increasing),
            decreasing=listed(self.decreasing),
            **more,
        )

    @property
    def is_cover(self) -> bool:
        """Whether covers by rules are learned instead of forms."""
        given = (self.kind, self.max_rules, self.engine, self.scheduler)
        return bool(self.rules or self.costs or given != ("auto", "auto", "memory", None))

    @property
    def goal(self) -> dict[str, float] | None:
        """What must be reached, if anything; sensitivity is that of the case."""
        given = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        named = {name: value for name, value in given.items() if value is not None}
        for name, value in named.items():
            if not 0.0 < value < 1.0:
                rule = f"`--{name}` must be a share between 0 and 1, got {value:g}."
                hint = f" Say {value / 100:g}." if 1.0 < value < 100.0 else ""
                raise ValueError(f"{rule}{hint}")
        if len(named) > 1:
            raise ValueError("`--sensitivity` and `--specificity` are two goals: say one of them.")
        return named or None

    def forms(self) -> dict[str, Any]:
        """Parameters of `CertifiedClassifier`."""
        if self.prefer not in TOLERANCES:
            raise ValueError(f"`--prefer` must be 'simple' or 'tight', got {self.prefer!r}.")
        names = [name.strip() for name in self.candidates.split(",") if name.strip()]
        is_one = self.candidates in ("readable", "all")
        return {
            "candidates": self.candidates if is_one else names,
            "tolerance": TOLERANCES[self.prefer],
            **self._shared(),
        }

    def covers(self) -> dict[str, Any]:
        """Parameters of `SetCoveringMachine`."""
        rules = self.rules or "auto"
        return {
            "rules": rules.split(",") if "," in rules else rules,
            "kind": self.kind,
            "max_rules": int(self.max_rules) if self.max_rules.isdigit() else self.max_rules,
            **self._shared(),
        }

    def _shared(self) -> dict[str, Any]:
        return {"delta": self.delta, "group_loss": self.group_loss, "n_jobs": self.threads}

    def check(self) -> None:
        """Refuse, before the work, what does not go together or may not be written."""
        if self.engine not in ENGINES:
            known = ", ".join(map(repr, ENGINES))
            raise ValueError(f"`--engine` must be one of {known}, got {self.engine!r}.")
        if self.out is not None and self.out.suffix == ".json":
            check_place(self.out, overwrite=self.force)
        elif self.out is not None:
            check_folder(self.out, FILES, overwrite=self.force)
        if self.is_cover:
            self._check_covers()
        elif self.seed is not None:
            raise ValueError("`--seed` goes with --rules: a menu of forms is drawn by the data.")
        elif self.goal is not None and self.choose is not None:
            raise ValueError("`--choose` and a goal exclude each other: the goal chooses the row.")
        else:
            self.forms()

    def _check_covers(self) -> None:
        """Covers have no score whose threshold could be moved, and no direction."""
        if directed := listed(self.increasing) + listed(self.decreasing):
            raise ValueError(
                f"`--increasing` and `--decreasing` go with forms, not with --rules, got "
                f"{directed[0]!r}."
            )
        given = {**(self.goal or {}), **({} if self.abstain is None else {"abstain": 0.0})}
        if named := next(iter(given), ""):
            raise ValueError(f"`--{named}` needs scores: it goes with forms, not with --rules.")


@takes(CertifyOptions)
def certify(options: CertifyOptions) -> None:
    """Learn a menu of classifiers from a table, each certified: take the one you like.

    Some rows teach, the others only test; the data's own digest draws the split.

    Words, dates, missing values and identifiers are recognised; what was assumed about each
    column is printed. Files written with --out hold no training rows and no identifiers.

    Example: **handful certify patients.csv --target outcome --out results**

    Another row of the menu: **handful certify patients.csv --target outcome --choose 'one rule'**

    Covers by few rules: **handful certify patients.csv --target outcome --rules auto**

    More rows than memory: **handful certify 'rows/*.parquet' --engine dask --rules stumps**
    """
    from handful.cli.study_files import write_study
    from handful.cli.study_result import make_study
    from handful.cli.study_rows import on_scheduler
    from handful.cli.study_text import as_dict, print_study

    options.check()
    with on_scheduler(options.scheduler):
        made = make_study(options)
        written = [] if options.out is None else write_study(made, options.out)
    if options.as_json:
        print_json({**as_dict(made), "files": [str(path) for path in written]})
        return
    print_study(made)
    print_written(written)
