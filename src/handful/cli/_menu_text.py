"""The menu on a screen, and as JSON: what was assumed, the rows, the chosen rule, its worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful.cli._columns_text import columns_as_dicts, print_assumed
from handful.cli._menu import Made, percent_down, percent_up, remark
from handful.cli._output import console

if TYPE_CHECKING:
    from rich.table import Table

    from handful.certified import Band


def band_sentence(band: Band) -> str:
    """What silence in doubt buys."""
    return (
        f"Silent where the score is at most {band.width:g} from the border: "
        f"{band.n_errors} of {band.n_answered} counted answers wrong, at most "
        f"{percent_up(band.errs_at_most)}; answers at least {percent_down(band.answers_at_least)} "
        "of new cases."
    )


def rates_line(rates: Sequence[dict[str, Any]]) -> str:
    """Sensitivity and specificity in a sentence."""
    parts = [
        f"{rate['name']} ({rate['class']}) {rate['n_right']} of {rate['n']} counted, "
        f"at least {percent_down(rate['at_least'])}"
        for rate in rates
    ]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def as_dict(made: Made) -> dict[str, Any]:
    """Everything as plain data."""
    study, machine = made.study, made.machine
    return {
        "data": made.name,
        "target": study.target,
        "classes": list(machine.fitted_.classes),
        "positive": study.positive,
        "n_samples": len(study.y),
        "cautions": list(study.cautions),
        "notes": [*study.notes, *made.remarks],
        "columns": columns_as_dicts(study),
        "menu": [
            {
                "number": row,
                "name": candidate.name,
                "form": candidate.fitted.form,
                "size": int(candidate.fitted.machine.size),
                "uses": list(candidate.fitted.uses),
                "n_errors": candidate.counts.n_errors,
                "n_counted": candidate.counts.n_counted,
                "nats": candidate.nats,
                "certificate": float(risk),
            }
            for row, (candidate, risk) in enumerate(
                zip(machine.candidates_, machine.menu_risks_, strict=True)
            )
        ],
        "not_fitted": [{"name": f.name, "reason": f.reason} for f in machine.failures_],
        "chosen": machine.chosen_,
        "rule": made.machine.chosen_lines(include_rows=made.options.include_rows),
        "named_beforehand": list(machine.named_beforehand_),
        "goal": None if machine.goal_ is None else list(machine.goal_),
        "band": None if made.band is None else asdict(made.band),
        "caution": machine.caution(),
        "rates": made.machine.class_rates(made.study.positive),
        "together": machine.together(made.band),
        "certificate": machine.certificate_.to_dict(),
        "seconds": made.seconds,
    }


def print_menu(made: Made) -> None:
    """Columns, menu, rule, certificate."""
    from rich.panel import Panel

    study, machine = made.study, made.machine
    counts = ", ".join(f"{c} {int((study.y == c).sum())}" for c in machine.fitted_.classes)
    console.print(
        f"[bold]{escape(made.name)}[/]: {len(study.y)} rows, {len(study.features)} features, "
        f"target {escape(study.target)} ({escape(counts)}); {made.seconds:.1f} s.",
        highlight=False,
    )
    print_assumed(study)
    console.print(_menu_table(made))
    for failure in machine.failures_:
        console.print(f"  [dim]not fitted: {escape(failure.name)}: {escape(failure.reason)}[/]",
                      highlight=False)  # fmt: skip
    title = f"Chosen: {escape(machine.chosen_)}"
    body = escape("\n".join(made.machine.chosen_lines(include_rows=made.options.include_rows)))
    console.print(Panel(body, title=title, expand=False, border_style="blue"))
    _print_worth(made)
    for line in made.remarks:
        remark(line)


def _menu_table(made: Made) -> Table:
    from rich.table import Table

    from handful.bounds import percent_text  # rounds as the certificate's own sentence does

    machine = made.machine
    table = Table(title="Menu: every row is certified, take any (--choose)", title_justify="left")
    table.add_column("", justify="right")
    table.add_column("form")
    table.add_column("uses", overflow="fold")
    table.add_column("errs at most", justify="right")
    if made.options.details:
        for name in ("counted", "nats", "s"):
            table.add_column(name, justify="right")
    risks = machine.menu_risks_.tolist()
    for row, (candidate, risk) in enumerate(zip(machine.candidates_, risks, strict=True)):
        is_chosen = candidate.name == machine.chosen_
        cells = [f"→ {row}" if is_chosen else str(row), escape(candidate.in_words()),
                 escape(candidate.uses_in_words()), percent_text(risk, is_padded=True)]  # fmt: skip
        if made.options.details:
            counts = candidate.counts
            cells += [f"{counts.n_errors}/{counts.n_counted}", f"{candidate.nats:.2f}"]
            cells.append(f"{candidate.seconds:.2f}")
        table.add_row(*cells, style="bold" if is_chosen else None)
    return table


def _print_worth(made: Made) -> None:
    """The sentence, sensitivity and specificity, what is assumed; the price where it is wanted."""
    from rich.panel import Panel

    from handful.certified import named_beforehand

    certificate = made.machine.certificate_
    first = made.machine.caution()
    text = escape(f"{first} {certificate.statement()}".strip())
    style = "yellow" if first or certificate.is_vacuous else "green"
    console.print(Panel(text, title="Certificate", expand=False, border_style=style))
    if made.band is not None:
        console.print(f"  {escape(band_sentence(made.band))}", highlight=False)
    rates = made.machine.class_rates(made.study.positive)
    if rates:
        console.print(f"  {escape(rates_line(rates))}", highlight=False)
    if both := made.machine.together(made.band):
        console.print(f"  {escape(both)}", highlight=False)
    if made.options.details:
        for term in certificate.terms:
            console.print(f"  {term.nats:8.4f} nats  {escape(term.text)}", highlight=False)
    if names := made.machine.named_beforehand_:
        said = str(named_beforehand(names))
        remark(
            f"{said[:1].upper()}{said[1:]}: so the certificate assumes. What is set again after a "
            "look at certificates is not paid for."
        )
    held = f"It holds if: {'; '.join(map(str, certificate.assumptions))}."
    console.print(f"  [dim]{escape(held)}[/]", highlight=False)
