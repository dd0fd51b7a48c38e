"""A result on a screen, and as JSON: what was assumed, the menu, the chosen rule, its worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful.cli.console import console, note

if TYPE_CHECKING:
    from rich.table import Table

    from handful.certified import Band
    from handful.cli.study_result import StudyResult
    from handful.cli.study_rows import StudyRows
    from handful.tables import Column

MOST_COLUMNS = 30  # that are listed one by one
ANSWER = 'What H… means: docs/guide/notes.md. It does not matter? --acknowledge "H…=the reason".'


def percent_up(value: float) -> str:
    """An upper limit, never rounded down."""
    return f"{math.ceil(value * 1000.0) / 10.0:.1f} %"


def percent_down(value: float) -> str:
    """A lower limit, never rounded up."""
    return f"{math.floor(value * 1000.0) / 10.0:.1f} %"


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


def as_dict(made: StudyResult) -> dict[str, Any]:
    """Everything as plain data."""
    from handful.tables import plain_notes

    rows, machine = made.rows, made.machine
    offered = zip(machine.candidates_, machine.menu_risks_, strict=True)
    return {
        "data": rows.name,
        "target": rows.target,
        "classes": list(machine.fitted_.classes),
        "positive": made.case,
        "n_samples": int(machine.n_samples_),
        "cautions": list(rows.cautions),
        "notes": [*rows.notes, *made.remarks],
        "noticed": plain_notes(rows.notes_on([column.name for column in rows.columns])),
        "columns": columns_as_dicts(rows),
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
                "also": list(candidate.also),
            }
            for row, (candidate, risk) in enumerate(offered)
        ],
        "not_fitted": [{"name": f.name, "reason": f.reason} for f in machine.failures_],
        "chosen": machine.chosen_,
        "rule": machine.chosen_lines(include_rows=made.options.include_rows),
        "named_beforehand": list(machine.named_beforehand_),
        "goal": None if machine.goal_ is None else list(machine.goal_),
        "after_looking": made.options.after_looking,
        "band": None if made.band is None else asdict(made.band),
        "caution": machine.caution(),
        "rates": machine.class_rates(made.case),
        "together": machine.together(made.band),
        "certificate": machine.certificate_.to_dict(),
        "seconds": made.seconds,
    }


def print_study(made: StudyResult) -> None:
    """Columns, menu, rule, certificate."""
    from rich.panel import Panel

    rows, machine = made.rows, made.machine
    sizes = zip(machine.fitted_.classes, machine.candidate_.counts.class_sizes, strict=True)
    counts = ", ".join(f"{word} {n}" for word, n in sizes)
    console.print(
        f"[bold]{escape(rows.name)}[/]: {machine.n_samples_} rows, {rows.X.shape[1]} features, "
        f"target {escape(rows.target)} ({escape(counts)}); {made.seconds:.1f} s.",
        highlight=False,
    )
    print_assumed(rows)
    console.print(_menu_table(made))
    for candidate in machine.candidates_:
        if words := candidate.equals_in_words():
            console.print(f"  [dim]{escape(words)}[/]", highlight=False)
    for failure in machine.failures_:
        text = f"not fitted: {failure.name}: {failure.reason}"
        console.print(f"  [dim]{escape(text)}[/]", highlight=False)
    title = f"Chosen: {escape(machine.chosen_)}"
    body = escape("\n".join(machine.chosen_lines(include_rows=made.options.include_rows)))
    console.print(Panel(body, title=title, expand=False, border_style="blue"))
    _print_worth(made)
    for line in made.remarks:
        _remark(line)


def _remark(text: str) -> None:
    """A remark that must not be missed."""
    note(f"[yellow]{escape(text)}[/]")


def _menu_table(made: StudyResult) -> Table:
    from rich.table import Table

    from handful.bounds import percent_text  # rounds as the certificate's own sentence does

    machine = made.machine
    table = Table(title="Menu: every row is certified, take any (--choose)", title_justify="left")
    table.add_column("", justify="right")
    table.add_column("form")
    table.add_column("uses", overflow="fold")
    table.add_column("errs at most", justify="right")
    rates = _goal_rates(made)
    for name in rates:
        table.add_column(name, justify="right")
    if made.options.details:
        for name in ("counted", "nats", "s"):
            table.add_column(name, justify="right")
    risks = machine.menu_risks_.tolist()
    for row, (candidate, risk) in enumerate(zip(machine.candidates_, risks, strict=True)):
        is_chosen = candidate.name == machine.chosen_
        cells = [f"→ {row}" if is_chosen else str(row), escape(candidate.in_words()),
                 escape(candidate.uses_in_words()), percent_text(risk, is_padded=True),
                 *(column[row] for column in rates.values())]  # fmt: skip
        if made.options.details:
            counts = candidate.counts
            cells += [f"{counts.n_errors}/{counts.n_counted}", f"{candidate.nats:.2f}"]
            cells.append(f"{candidate.seconds:.2f}")
        table.add_row(*cells, style="bold" if is_chosen else None)
    return table


def _goal_rates(made: StudyResult) -> dict[str, list[str]]:
    """With a goal named beforehand: what every row finds and clears at least, as its box says."""
    machine, found = made.machine, {}
    if machine.named_goal_ is None:
        return {}
    each = [machine.choose(row).class_rates(made.case) for row in range(len(machine.candidates_))]
    for name, title in (("sensitivity", "finds at least"), ("specificity", "clears at least")):
        rates = [[r["at_least"] for r in rates if r["name"] == name] for rates in each]
        found[title] = [percent_down(rate[0]) if rate else "" for rate in rates]
    return found if any(each) else {}


def _print_worth(made: StudyResult) -> None:
    """The sentence, sensitivity and specificity, what is assumed; the price if it is wanted."""
    from rich.panel import Panel

    from handful.certified import named_beforehand

    certificate = made.machine.certificate_
    first = made.machine.caution()
    text = escape(f"{first} {certificate.statement()}".strip())
    style = "yellow" if first or certificate.is_vacuous else "green"
    console.print(Panel(text, title="Certificate", expand=False, border_style=style))
    if made.band is not None:
        console.print(f"  {escape(band_sentence(made.band))}", highlight=False)
    rates = made.machine.class_rates(made.case)
    if rates:
        console.print(f"  {escape(rates_line(rates))}", highlight=False)
    if both := made.machine.together(made.band):
        console.print(f"  {escape(both)}", highlight=False)
    if made.options.details:
        for term in certificate.terms:
            console.print(f"  {term.nats:8.4f} nats  {escape(term.text)}", highlight=False)
    if names := made.machine.named_beforehand_:
        said = str(named_beforehand(names))
        _remark(
            f"{said[:1].upper()}{said[1:]}: so the certificate assumes. What is set again after a "
            "look at certificates is not paid for."
        )
    held = f"It holds if: {'; '.join(map(str, certificate.assumptions))}."
    console.print(f"  [dim]{escape(held)}[/]", highlight=False)


# -- columns --------------------------------------------------------------------------------------


def columns_as_dicts(rows: StudyRows) -> list[dict[str, Any]]:
    """Every column as plain data."""
    return [
        {
            "name": c.name,
            "kind": c.kind,
            "role": c.role,
            "n_missing": c.n_missing,
            "notes": list(c.notes),
        }
        for c in rows.columns
    ]


def print_assumed(rows: StudyRows) -> None:
    """Cautions, notes, and the columns about which something was assumed."""
    notes = rows.notes_on(())
    for one in sorted(notes, key=lambda one: not one.is_open):
        style = "bold yellow" if one.is_open else "dim"
        console.print(f"  [{style}]{one.code} {escape(one)}[/]", highlight=False)
    if any(one.is_open for one in (*notes, *(n for c in rows.columns for n in c.notes))):
        console.print(f"  [dim]{ANSWER}[/]", highlight=False)
    if rows.study is not None:
        _print_columns(rows.columns, len(rows.study.pool))


def _print_columns(columns: tuple[Column, ...], n_rows: int) -> None:
    """Columns about which something was assumed or that are not used."""
    from rich.table import Table

    numbered = list(enumerate(columns))
    is_plain = [(c.kind, c.role, _said_of(c)) == ("number", "feature", "") for c in columns]
    plain = [c for i, c in numbered if is_plain[i]]
    others = [(i, c) for i, c in numbered if not is_plain[i] and c.role != "target"]
    shown = sorted(others, key=lambda pair: not pair[1].notes)[:MOST_COLUMNS]
    if shown:
        title = f"Columns and what was assumed, from {n_rows} rows that are not counted"
        table = Table(title=title, title_justify="left")
        for name in ("column", "holds", "used as", "note"):
            table.add_column(name, overflow="fold")
        for _, column in sorted(shown, key=lambda pair: pair[0]):
            role = "[yellow]not used[/]" if column.role == "ignored" else column.role
            cells = (escape(column.name[:40]), column.kind, role, escape(_said_of(column)))
            table.add_row(*cells)
        console.print(table)
    rest = [f"{len(plain)} more of numbers"] if plain and shown else []
    rest += [f"{len(others) - len(shown)} more are not shown (--json lists them)"] * (
        len(others) > len(shown)
    )
    if rest:
        console.print(f"  [dim]{'; '.join(rest)}.[/]", highlight=False)


def _said_of(column: Column) -> str:
    """Notes, and how many cells are missing."""
    missing = [f"{column.n_missing} missing"] if column.n_missing and column.kind != "empty" else []
    coded = [f"{n.code} {n}" if n.is_open else n for n in column.notes]
    return "; ".join([*coded, *missing])
