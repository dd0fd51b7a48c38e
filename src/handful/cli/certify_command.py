"""``handful certify``: data in, a menu of certified classifiers out."""

from __future__ import annotations

from dataclasses import dataclass, field
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

FILES = (
    *("model.json", "certificate.json", "evidence.json", "report.html", "protocol.toml"),
    *("model.skops", "refit.json", "refit.skops"),
)
ENGINES = ("memory", "dask")


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
    must_ask: Annotated[
        Names, columns("--must-ask", "Each score card must have an item on these")
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
    tolerance: Annotated[
        float,
        typer.Option(help="The simplest row within so much of the best is taken; 0: the best."),
    ] = 0.01
    favourite: Annotated[
        str | None,
        typer.Option(
            help="A form named before any certificate was seen: it holds nine tenths of delta."
        ),
    ] = None
    goal: Annotated[
        str | None,
        typer.Option(
            help="Named before any certificate was seen: 'sensitivity >= 0.9', 'specificity >= "
            "0.9' or 'error <= 0.1'. Every row moves to it."
        ),
    ] = None
    after_looking: Annotated[
        bool,
        typer.Option("--after-looking", help="The goal was set after a look: it costs more."),
    ] = False
    max_items: Annotated[
        int, typer.Option(help="Most items of a score card, named before looking.")
    ] = 8
    max_points: Annotated[
        int, typer.Option(help="Most points of an item of a score card, named before looking.")
    ] = 5
    refit: Annotated[
        bool,
        typer.Option(
            "--refit", help="Also learn the row from all rows: refit.json, without a certificate."
        ),
    ] = False
    unlabelled: Annotated[
        Path | None,
        typer.Option(help="With --refit: new rows, used for nothing else, that may certify it."),
    ] = None
    stability: Annotated[
        bool,
        typer.Option("--stability", help="Show which items and cuts stay in resamples."),
    ] = False
    delta: Annotated[
        float,
        typer.Option(
            "--delta", "-d", help="Allowed probability that any certificate of the menu fails."
        ),
    ] = 0.05
    pool_share: Annotated[
        float,
        typer.Option(help="Share of the rows that teach, named before any certificate was seen."),
    ] = 0.5
    protocol: Annotated[
        Path | None,
        typer.Option(help="Protocol that was written before the data: it gives the settings."),
    ] = None
    deviate: Annotated[
        str | None,
        typer.Option(
            help="Why options deviate from the protocol: printed and written beside the "
            "certificate."
        ),
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
    all_columns: Annotated[
        bool,
        typer.Option(
            "--all-columns",
            help="Describe all columns in the files, also those that the rule does not read.",
        ),
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
            help="Folder for model.json, certificate.json, evidence.json and report.html; or a "
            "model file (.json).",
        ),
    ] = None
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False
    typed: frozenset[str] = field(default=frozenset(), metadata={"option": False})
    planned: Any = field(default=None, metadata={"option": False})  # choices of the protocol

    def choices(self, **more: Any) -> Choices:
        if self.planned is not None:
            return self.planned
        return super().choices(
            positive=self.positive,
            groups=self.groups,
            weights=self.weights,
            subgroups=listed(self.subgroups),
            increasing=listed(self.increasing),
            decreasing=listed(self.decreasing),
            must_ask=listed(self.must_ask),
            **more,
        )

    @property
    def is_cover(self) -> bool:
        """Whether covers by rules are learned instead of forms."""
        given = (self.kind, self.max_rules, self.engine, self.scheduler)
        return bool(self.rules or self.costs or given != ("auto", "auto", "memory", None))

    @property
    def late_goal(self) -> tuple[str, float] | None:
        """A goal that was set after looking, if there is one; sensitivity is that of the case."""
        from handful.certified import Goal

        if self.goal is None or not self.after_looking:
            return None
        found = Goal.of(self.goal)
        if found.position is None:
            raise ValueError(
                f"`--after-looking` goes with a goal for one class, got {self.goal!r}. For all "
                "errors take any row of the menu with --choose: looking is paid for."
            )
        return found.quantity, found.value

    def forms(self) -> dict[str, Any]:
        """Parameters of `CertifiedClassifier`."""
        names = [name.strip() for name in self.candidates.split(",") if name.strip()]
        is_one = self.candidates in ("readable", "all")
        return {
            "candidates": self.candidates if is_one else names,
            "tolerance": self.tolerance,
            "favourite": self.favourite,
            "max_items": self.max_items,
            "max_points": self.max_points,
            "goal": None if self.after_looking else self.goal,
            "pool_share": self.pool_share,
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
        self._check_refit()
        if self.is_cover:
            self._check_covers()
        elif self.seed is not None:
            raise ValueError("`--seed` goes with --rules: a menu of forms is drawn by the data.")
        elif self.after_looking and self.goal is None:
            raise ValueError("`--after-looking` says when a --goal was set: say the goal.")
        elif self.late_goal is not None and self.choose is not None:
            raise ValueError(
                "`--choose` and a goal set after looking exclude each other: the goal chooses the "
                "row. Name the goal before you look, then each row moves to it."
            )

    def _check_refit(self) -> None:
        """A refit is a file of its own, of a row whose threshold no counted row has moved."""
        if self.unlabelled is not None and not self.refit:
            raise ValueError("`--unlabelled` has rows to compare a refit on: say --refit too.")
        if not self.refit:
            return
        if self.goal is not None:
            raise ValueError(
                "`--refit` and a --goal exclude each other: thresholds are moved by counted rows, "
                "of which a refit has none."
            )
        if self.out is not None and self.out.suffix == ".json":
            raise ValueError(
                f"`--out` must be a folder with --refit, which writes refit.json beside model.json,"
                f" got {self.out}."
            )

    def _check_covers(self) -> None:
        """Covers have no score whose threshold could be moved, and no direction."""
        for name in ("increasing", "decreasing", "subgroups", "must_ask"):
            if listed(getattr(self, name)):
                shown = name.replace("_", "-")
                raise ValueError(f"`--{shown}` goes with a menu of forms, not with --rules.")
        for name in ("goal", "favourite", "abstain", "protocol"):
            if getattr(self, name) is not None:
                raise ValueError(f"`--{name}` goes with a menu of forms, not with --rules.")
        for name in ("refit", "stability"):
            if getattr(self, name):
                raise ValueError(f"`--{name}` goes with a menu of forms, not with --rules.")
        if (self.max_items, self.max_points) != (8, 5):
            raise ValueError("`--max-items` and `--max-points` go with score cards, not --rules.")


@takes(CertifyOptions)
def certify(options: CertifyOptions) -> None:
    """Learn a menu of classifiers from a table, each certified: take the one you like.

    Some rows teach, the others only test; the data's own digest draws the split.

    Words, dates, missing values and identifiers are recognised; what was assumed about each
    column is printed. Files written with --out hold no training rows and no identifiers.

    Example: **handful certify patients.csv --target outcome --out results**

    As a protocol says: **handful certify patients.csv --protocol protocol.toml --out results**

    Another row of the menu: **handful certify patients.csv --target outcome --choose 'one rule'**

    Covers by few rules: **handful certify patients.csv --target outcome --rules auto**

    More rows than memory: **handful certify 'rows/*.parquet' --engine dask --rules stumps**
    """
    from handful.cli.protocol_command import followed
    from handful.cli.study_files import write_study
    from handful.cli.study_result import make_study
    from handful.cli.study_rows import on_scheduler
    from handful.cli.study_text import as_dict, print_study

    options, protocol = followed(options)
    options.check()
    with on_scheduler(options.scheduler):
        made = make_study(options, protocol)
        written = [] if options.out is None else write_study(made, options.out)
    if options.as_json:
        print_json({**as_dict(made), "files": [str(path) for path in written]})
        return
    print_study(made)
    print_written(written)
