"""``handful monitor``: watch a model after deployment, batch by batch."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from handful.cli.console import console, print_json, print_written
from handful.cli.options import (
    TABLE,
    Force,
    Json,
    Quiet,
    SheetName,
    Trust,
    column,
    listed,
    renamed,
    takes,
)
from handful.writing import check_place, write_atomically

if TYPE_CHECKING:
    from handful.files import Model
    from handful.monitoring import BatchCounts, CaseWatch, ClaimWatch

EXIT_ALARM = 4  # neither a failure nor misuse: the work was done, and a claim is refuted
Names = list[str] | None


@dataclass(frozen=True, kw_only=True)
class MonitorOptions:
    """The model, new cases, the state, and what is fixed at the start."""

    model: Annotated[Path, typer.Argument(help="Model file, as written by certify --out.")]
    data: Annotated[str, typer.Argument(help="New cases, and labels that came. " + TABLE + ".")]
    state: Annotated[Path, typer.Option(help="State file: made by the first call, then kept.")]
    id_column: Annotated[
        str | None, column("--id", "Column that names each case; needed by the first call.")
    ] = None
    sheet: SheetName = None
    target: Annotated[
        str | None, column("--target", "Column of labels, empty where unknown yet.", "-t")
    ] = None
    mapped: Annotated[
        Names, column("--map", "What a column of the model is called here, as old=new.")
    ] = None
    claims: Annotated[
        Names,
        typer.Option(
            "--claims",
            help="What is claimed, as error=0.1,missed=0.2,false=0.1; else what the certificate "
            "of the model says.",
        ),
    ] = None
    alpha: Annotated[
        float | None, typer.Option(help="Probability of a false alarm, ever. 0.05 by default.")
    ] = None
    horizon: Annotated[
        int | None,
        typer.Option(help="Later cases that a label is waited for. 1000 by default."),
    ] = None
    run_length: Annotated[
        float | None, typer.Option(help="Cases between two false notices. 10000 by default.")
    ] = None
    plot: Annotated[Path | None, typer.Option(help="Picture of the evidence (.svg, .png).")] = None
    trust: Trust = None
    force: Force = False
    as_json: Json = False
    quiet: Quiet = False

    def named_claims(self) -> tuple[tuple[str, float], ...]:
        """Claims of the command line."""
        found = []
        for text in listed(self.claims):
            name, _, value = text.partition("=")
            try:
                found.append((name.strip(), float(value)))
            except ValueError:
                raise ValueError(
                    f"`--claims` must be as error=0.1,missed=0.2, got {text!r}."
                ) from None
        return tuple(found)


@takes(MonitorOptions)
def monitor(options: MonitorOptions) -> None:
    """Watch a model after deployment: an alarm if its certificate does not hold any more.

    Give every batch of new cases, with labels as far as they are known, and later the same cases
    with their labels. Cases enter in the order of their predictions; the first label counts. The
    state file holds no rows. Exit code 4 says that there is an alarm.

    Example: **handful monitor results/model.json new.csv --state watch.json --id patient --claims
    error=0.5**
    """
    from handful.files import load_model
    from handful.monitoring import read_cases, save_watch
    from handful.tables import load_table
    from handful.validation import digest_of_file

    check_place(options.state, overwrite=True)
    if options.plot is not None:
        check_place(options.plot, overwrite=options.force)
    model = load_model(options.model, trusted=list(listed(options.trust)))
    watch = _watch(options, model, digest_of_file(options.model))
    frame = load_table(options.data, options.sheet).frame
    cases = read_cases(watch, model, frame, renamed(options.mapped))
    counts = watch.add(cases.names, cases.is_flagged, cases.labels)
    save_watch(watch, options.state)
    if options.plot is not None:
        _draw(watch, options.plot)
    if options.as_json:
        print_json(as_dict(watch, counts, cases.notices))
    else:
        print_watch(watch, counts, cases.notices)
        print_written([options.state, *([options.plot] if options.plot else [])])
    if watch.has_alarm:
        raise typer.Exit(EXIT_ALARM)


def _watch(options: MonitorOptions, model: Model, sha256: str) -> CaseWatch:
    """The watch as it was left, or a new one."""
    from handful.monitoring import CaseWatch, load_watch

    if not os.path.lexists(options.state):
        return CaseWatch(_plan(options, model, sha256))
    watch = load_watch(options.state)
    plan = watch.plan
    if plan.model_sha256 != sha256:
        raise ValueError(
            f"`--state` must be the watch over {options.model.name}, got that of another model. "
            "Begin a new state file for a new model."
        )
    fixed = {
        "--id": (options.id_column, plan.id_column),
        "--target": (options.target, plan.target),
        "--claims": (options.named_claims() or None, plan.claims),
        "--alpha": (options.alpha, plan.alpha),
        "--horizon": (options.horizon, plan.horizon),
        "--run-length": (options.run_length, plan.run_length),
    }
    for name, (said, known) in fixed.items():
        if said is not None and said != known:
            raise ValueError(
                f"`{name}` was fixed as {known!r} when the watch began, got {said!r}. Leave it "
                "out, or begin a new state file."
            )
    return watch


def _plan(options: MonitorOptions, model: Model, sha256: str) -> Any:
    """What is fixed by the first call."""
    from handful.monitoring import WatchPlan, case_of, claims_of

    target = options.target or model.data.target
    if options.id_column is None or target is None:
        lacks = "--id" if options.id_column is None else "--target"
        raise ValueError(
            f"`{lacks}` must name a column when a watch begins: labels find their cases by it."
        )
    named = options.named_claims()
    claims = named or claims_of(model)
    if not claims:
        raise ValueError(
            "`--claims` must say what is claimed of each case, as error=0.1: the model has no "
            "certificate that says it (one of costs, or of groups, is about something else)."
        )
    certificate = model.certificate
    delta = 0.0 if named or certificate is None else certificate.n_statements * certificate.delta
    given = {"alpha": options.alpha, "horizon": options.horizon, "run_length": options.run_length}
    more: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return WatchPlan(
        claims=claims, model_sha256=sha256, case=case_of(model), target=target,
        id_column=options.id_column, claim_delta=min(delta, 1.0), **more,
    )  # fmt: skip


def _draw(watch: CaseWatch, path: Path) -> None:
    """The picture as a file."""
    import io

    from matplotlib.figure import Figure

    from handful.monitoring import WatchDisplay

    figure, content = Figure(figsize=(7.2, 4.2), layout="constrained"), io.BytesIO()
    WatchDisplay(watch).plot(figure.add_subplot())
    figure.savefig(content, format=path.suffix.lstrip(".") or "svg")
    write_atomically(path, content.getvalue())


def as_dict(watch: CaseWatch, counts: BatchCounts, notices: tuple[str, ...]) -> dict[str, Any]:
    """Everything as plain data."""
    from handful.monitoring import CORRECTED, LATE

    alpha = watch.plan.alpha / len(watch.claims)
    claims = []
    for one in watch.claims.values():
        lower, upper = one.limits(alpha)
        claims.append(
            {
                "claim": one.name, "at_most": dict(watch.plan.claims)[one.name],
                "n_cases": one.state.n_cases, "n_errors": one.state.n_errors,
                "n_unresolved": one.n_unresolved, "lower": lower, "upper": upper,
                "alarm_case": one.alarm_case, "notice_case": one.notice_case,
            }
        )  # fmt: skip
    return {
        "alarm": watch.has_alarm,
        "claims": claims,
        "alpha": watch.plan.alpha,
        "claim_delta": watch.plan.claim_delta,
        "horizon": watch.plan.horizon,
        "n_cases": watch.n_cases,
        "n_entered": watch.n_entered,
        "n_waiting": watch.n_waiting,
        "n_unlabelled": watch.n_unlabelled,
        "n_late": watch.count(LATE),
        "n_corrected": watch.count(CORRECTED),
        "batch": asdict(counts),
        "notices": list(notices),
    }


def _status(one: ClaimWatch) -> str:
    if one.alarm_case is not None:
        return f"[bold red]ALARM at case {one.alarm_case}[/]"
    if one.notice_case is not None:
        return f"[yellow]notice at case {one.notice_case}[/]"
    return "no alarm"


def print_watch(watch: CaseWatch, counts: BatchCounts, notices: tuple[str, ...]) -> None:
    """How the claims stand, what the batch brought, and what looks different."""
    from rich.table import Table

    from handful.evidence import share_down, share_up
    from handful.monitoring import CLAIMS

    said = as_dict(watch, counts, notices)
    text = (
        f"{counts.n_new} new cases, {counts.n_labelled} labels. {said['n_cases']} cases so far: "
        f"{said['n_entered']} counted"
    )
    if n_waiting := said["n_waiting"]:
        text += f", {n_waiting} wait, as {watch.n_unlabelled} of them have no label yet"
    console.print(f"{text}.", highlight=False)
    if n_waiting > watch.n_unlabelled:
        console.print(
            f"  Cases count in the order of their predictions: all wait for case "
            f"{said['n_entered'] + 1}, until its label comes or {watch.plan.horizon} later cases.",
            highlight=False,
        )
    table = Table(title="Does the claim still hold?", title_justify="left")
    for name, justify in (("claim", "left"), ("at most", "right"), ("seen", "right"),
                          ("if unchanged since case 1", "right"), ("", "left")):  # fmt: skip
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for one, row in zip(watch.claims.values(), said["claims"], strict=True):
        open_ = f" ({row['n_unresolved']} unknown)" if row["n_unresolved"] else ""
        table.add_row(
            CLAIMS[one.name],
            share_up(row["at_most"]),
            f"{row['n_errors']} of {row['n_cases']}{open_}",
            f"{share_down(row['lower'])} to {share_up(row['upper'])}",
            _status(one),
        )
    console.print(table)
    for name in sorted(set(CLAIMS) - set(watch.claims)):
        console.print(f"  [dim]Nothing is claimed of {CLAIMS[name]}: not watched.[/]")
    plan = watch.plan
    beside = f" + {plan.claim_delta:.0%}, which is the claims' own" if plan.claim_delta else ""
    console.print(
        f"  If the claims hold, an alarm is ever raised with a probability of at most "
        f"{plan.alpha:.1%}{beside}. A notice is no alarm: once in {plan.run_length:g} cases or "
        "less often it comes by chance.",
        highlight=False,
    )
    if said["n_late"] or said["n_corrected"] or counts.n_repeated:
        console.print(
            f"  [dim]{counts.n_repeated} rows said nothing new; {said['n_late']} labels came after "
            f"{plan.horizon} later cases and {said['n_corrected']} were changed: recorded, not "
            "applied.[/]",
            highlight=False,
        )
    for line in notices:
        console.print(f"  [yellow]Looks different (not tested): {escape(line)}[/]", highlight=False)
