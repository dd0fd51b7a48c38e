"""``handful plan``: how many rows will be needed, from guesses or from a pilot."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from handful.cli.console import console, print_json
from handful.cli.options import Json, Quiet, takes

Record = dict[str, Any]
WHAT = {
    "menu": "the certificate of the default menu",
    "menu-sensitivity": "the sensitivity of the default menu's favourite",
    "score": "the certificate of a score that exists already",
    "sensitivity": "the sensitivity of a score that exists already",
    "specificity": "the specificity of a score that exists already",
    "auc": "the area under the ROC curve",
    "subgroup": "the sensitivity in a subgroup",
    "monitoring": "the median number of cases until an alarm",
}


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What is planned, and what is guessed."""

    target_risk: Annotated[
        float | None,
        typer.Option("--target-risk", "-t", help="The certificate you want, for example 0.1."),
    ] = None
    error_rate: Annotated[
        float | None,
        typer.Option(help="Error rate you expect on rows that only test; 0 if left out."),
    ] = None
    what: Annotated[str, typer.Option("--for", help=f"One of {', '.join(WHAT)}.")] = "menu"
    target: Annotated[
        float | None, typer.Option(help="Sensitivity, specificity or AUC that is wanted at least.")
    ] = None
    expect: Annotated[
        float | None,
        typer.Option(help="Sensitivity, specificity or AUC you expect; for monitoring the risk."),
    ] = None
    prevalence: Annotated[float | None, typer.Option(help="Share of cases you expect.")] = None
    share: Annotated[float, typer.Option(help="Share of rows in the subgroup.")] = 0.5
    n_groups: Annotated[int, typer.Option(help="Subgroups that are named.")] = 2
    claim: Annotated[float | None, typer.Option(help="For monitoring: the risk claimed.")] = None
    after: Annotated[int, typer.Option(help="For monitoring: cases before the change.")] = 0
    pilot: Annotated[
        Path | None,
        typer.Option(help="validation.json of a pilot: its rates stand for your guesses."),
    ] = None
    n_compressed: Annotated[
        int | None,
        typer.Option(help="Plan for one machine made of so many examples instead of the menu."),
    ] = None
    message_nats: Annotated[
        float | None,
        typer.Option(help="Its message beside them, in nats; goes with --n-compressed."),
    ] = None
    delta: Annotated[float, typer.Option(help="Allowed probability of failure.")] = 0.05
    have: Annotated[int, typer.Option(help="Examples you already have.")] = 0
    as_json: Json = False
    quiet: Quiet = False

    def guess(self, name: str, pilot: str = "") -> float:
        """A guess: what was said, else what the pilot shows."""
        said = getattr(self, name)
        if said is None and self.pilot is not None and pilot:
            said = pilot_rates(self.pilot)[pilot]
        if said is None:
            option = "--" + name.replace("_", "-")
            raise ValueError(f"`{option}` must be said to plan for {WHAT[self.what]}, got none.")
        return float(said)


def pilot_rates(path: Path) -> dict[str, float]:
    """Rates of the first score of a validation."""
    try:
        first = json.loads(path.read_text(encoding="utf-8"))["scores"][0]["evidence"]
        counts, n = first["counts"], first["n_counted"]
        hits, missed = counts["cases_flagged"], counts["cases_missed"]
        alarms, cleared = counts["others_flagged"], counts["others_cleared"]
        return {
            "error": (missed + alarms) / n,
            "prevalence": (hits + missed) / n,
            "sensitivity": hits / (hits + missed),
            "specificity": cleared / (alarms + cleared),
            "auc": first["area"]["estimate"],
        }
    except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ValueError(
            f"`--pilot` must be a validation.json of handful validate, got {path.name}."
        ) from error


@takes(PlanOptions)
def plan(options: PlanOptions) -> None:
    """How many (more) examples a statement will need, from guesses or from a pilot.

    For the default menu: four tenths of the rows teach, the others only test. The plan is for the
    favourite: it reaches the certificate in half of such tables or more.

    Example: **handful plan --target-risk 0.1 --error-rate 0.02 --have 300**

    A score that exists: **handful plan --for sensitivity --target 0.8 --expect 0.9 --prevalence
    0.2**

    Monitoring: **handful plan --for monitoring --claim 0.1 --expect 0.2**
    """
    if options.what not in WHAT:
        raise ValueError(f"`--for` must be one of {', '.join(WHAT)}, got {options.what!r}.")
    if options.what == "menu":
        _plan_menu(options)
    elif options.what == "monitoring":
        _plan_monitoring(options)
    else:
        _plan_evidence(options)


def _plan_menu(options: PlanOptions) -> None:
    target, delta = options.guess("target_risk"), options.delta
    rate = options.error_rate or 0.0
    if options.n_compressed is None and options.message_nats is None:
        from handful.certified import menu_rows_needed

        needed = menu_rows_needed(target, error_rate=rate, delta=delta)
        planned, what = _menu_plan(target, rate, delta), "the default menu"
    else:
        from handful.bounds import samples_needed

        asked = {"n_compressed": options.n_compressed, "message_nats": options.message_nats}
        given: Record = {name: value for name, value in asked.items() if value is not None}
        needed = samples_needed(target, rate, **given, delta=delta)
        planned, what = _kept_plan(given, rate, delta), "one machine made of few examples"
    _print_plan(planned, needed, options.have, target, rate, options.as_json, what)


def _plan_evidence(options: PlanOptions) -> None:
    """Rows that a statement needs."""
    needed = _rows_needed(options)
    more = max(0, needed - options.have)
    if options.as_json:
        print_json({"for": options.what, "n_samples": needed, "n_more": more})
        return
    goal = {"score": options.target_risk, "subgroup": None}.get(options.what, options.target)
    reached = "" if goal is None else f" to reach {goal:g}"
    console.print(
        f"[bold]{needed} rows[/] are needed{reached} for {WHAT[options.what]}, if your guesses "
        "are right; half of such tables need more"
        + (f": [bold]{more} more[/]." if options.have else "."),
        highlight=False,
    )


def _rows_needed(options: PlanOptions) -> int:
    from handful import evidence

    delta, what = options.delta, options.what
    if what == "score":
        rate = options.guess("error_rate", "error")
        return evidence.score_rows_needed(options.guess("target_risk"), rate, delta=delta)
    prevalence = options.guess("prevalence", "prevalence")
    expected = options.guess("expect", "sensitivity" if what in ("subgroup", "menu-sensitivity")
                             else what)  # fmt: skip
    if what == "subgroup":
        return evidence.subgroup_rows_needed(
            expected, prevalence=prevalence, share=options.share, n_groups=options.n_groups,
            delta=delta,
        )  # fmt: skip
    target = options.guess("target")
    if what == "auc":
        return evidence.area_rows_needed(target, expected, prevalence=prevalence, delta=delta)
    if what == "menu-sensitivity":
        return _menu_rows(target, expected, prevalence, delta)
    share = prevalence if what == "sensitivity" else 1.0 - prevalence
    return evidence.rate_rows_needed(target, expected, share=share, delta=delta)


def _menu_rows(target: float, expected: float, prevalence: float, delta: float) -> int:
    """Rows of which enough are counted to certify the favourite's sensitivity."""
    import bisect
    import math

    from handful.certified import menu_plan
    from handful.certified.masses import MASSES
    from handful.evidence import rate_rows_needed

    nats = -math.log(MASSES["favourite"])
    counted = rate_rows_needed(target, expected, share=prevalence, delta=delta, message_nats=nats)
    sizes = range(2, 4 * counted + 10)
    return sizes[bisect.bisect_left(sizes, counted, key=lambda n: menu_plan(n).n_counted)]


def _plan_monitoring(options: PlanOptions) -> None:
    """Cases until an alarm."""
    from handful.evidence import alarm_delay

    claim, risk = options.guess("claim"), options.guess("expect")
    delay = alarm_delay(claim, risk, alpha=options.delta, after=options.after)
    if options.as_json:
        print_json({"for": "monitoring", "n_cases": None if delay == float("inf") else delay})
        return
    console.print(
        f"If the risk rises from {claim:g} to {risk:g} after {options.after} cases, half of the "
        f"alarms come within [bold]{delay:.0f} cases[/] (simulated; alpha shared by three claims).",
        highlight=False,
    )


def _menu_plan(target_risk: float, error_rate: float, delta: float) -> Callable[[int], Record]:
    from handful.certified import menu_plan

    def planned(n: int) -> Record:
        plan = menu_plan(n, error_rate=error_rate, target_risk=target_risk, delta=delta)
        return {"n_samples": n, "risk": plan.risk, "chance": plan.chance}

    return planned


def _kept_plan(given: Record, error_rate: float, delta: float) -> Callable[[int], Record]:
    from handful.bounds import planned_risk

    def planned(n: int) -> Record:
        n = max(n, given.get("n_compressed", 3) + 1)
        return {"n_samples": n, "risk": planned_risk(n, error_rate, **given, delta=delta)}

    return planned


def _print_plan(
    planned: Callable[[int], Record],
    needed: int,
    have: int,
    target_risk: float,
    error_rate: float,
    as_json: bool,
    what: str,
) -> None:
    """What is needed, what is there, and sizes around both."""
    from rich.table import Table

    sizes = {max(2, round(needed * share)) for share in (0.5, 0.75, 1, 1.5, 2)}
    path = [planned(n) for n in sorted(sizes | ({have} if have > 1 else set()))]
    more = max(0, needed - have)
    if as_json:
        found = {**planned(needed), "n_more": more, "path": path}
        print_json(found | ({"have": planned(have)} if have > 1 else {}))
        return
    console.print(
        f"[bold]{needed} examples[/] are needed for a certificate of {target_risk:g} by {what}, "
        f"if the error rate is {error_rate:g}" + (f": [bold]{more} more[/]." if have else "."),
        highlight=False,
    )
    has_chance = "chance" in path[0]
    table = Table("examples", "certificate", *(["reached in"] if has_chance else []))
    for row in path:
        cells = [str(row["n_samples"]), f"{row['risk']:.4f}"]
        cells += [f"{100 * row['chance']:.0f} % of tables"] if has_chance else []
        table.add_row(*cells, style="bold" if row["n_samples"] == needed else None)
    console.print(table)
