"""A result on a screen, and as JSON: what was assumed, the menu, the chosen rule, its worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful.cli.console import console, note
from handful.cli.menu_table import (
    menu_table,
    percent_down,
    rare_cases,
    why_chosen,
)

if TYPE_CHECKING:
    from handful.cli.study_result import StudyResult
    from handful.cli.study_rows import StudyRows
    from handful.tables import Column

MOST_COLUMNS = 30  # that are listed one by one
ANSWER = 'What H… means: docs/guide/notes.md. It does not matter? --acknowledge "H…=the reason".'


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
    from handful.cli.study_description import menu_as_dicts, protocol_document
    from handful.cli.study_result import evidence_of, stability_of, together_of
    from handful.tables import plain_notes

    rows, machine, found = made.rows, made.machine, evidence_of(made)
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
        "menu": menu_as_dicts(machine),
        "not_fitted": [{"name": f.name, "reason": f.reason} for f in machine.failures_],
        "chosen": machine.chosen_,
        "rule": machine.chosen_lines(include_rows=made.options.include_rows),
        "named_beforehand": list(machine.named_beforehand_),
        "protocol": protocol_document(made),
        "goal": None if machine.goal_ is None else list(machine.goal_),
        "after_looking": made.options.after_looking,
        "band": None if made.band is None else asdict(made.band),
        "caution": machine.caution(),
        "rates": machine.class_rates(made.case),
        "evidence": found,
        "together": together_of(made),
        "stability": stability_of(made),
        "refit": None if made.refit is None else made.refit.to_dict(),
        "certificate": machine.certificate_.to_dict(),
        "seconds": made.seconds,
    }


def print_study(made: StudyResult) -> None:
    """Columns, menu, rule, certificate."""
    from rich.panel import Panel

    from handful.cli.study_result import stability_of

    rows, machine = made.rows, made.machine
    sizes = zip(machine.fitted_.classes, machine.candidate_.counts.class_sizes, strict=True)
    counts = ", ".join(f"{word} {n}" for word, n in sizes)
    console.print(
        f"[bold]{escape(rows.name)}[/]: {machine.n_samples_} rows, {rows.X.shape[1]} features, "
        f"target {escape(rows.target)} ({escape(counts)}); {made.seconds:.1f} s.",
        highlight=False,
    )
    print_assumed(rows)
    if used := _rows_used(made):
        console.print(f"  {used}", highlight=False)
    if rare := rare_cases(made):
        _remark(rare)
    console.print(menu_table(made, console.width))
    if why := why_chosen(made):
        console.print(f"  {escape(why)}", highlight=False)
    for candidate in machine.candidates_:
        if words := candidate.equals_in_words():
            console.print(f"  [dim]{escape(words)}[/]", highlight=False)
    for failure in machine.failures_:
        text = f"not fitted: {failure.name}: {failure.reason}"
        console.print(f"  [dim]{escape(text)}[/]", highlight=False)
    title = f"Chosen: {escape(machine.chosen_)}"
    body = escape("\n".join(_chosen_lines(made)))
    console.print(Panel(body, title=title, expand=False, border_style="blue"))
    _print_worth(made)
    for line in made.remarks:
        _remark(line)
    for line in stability_of(made):
        console.print(f"  {escape(line)}", highlight=False)
    _print_refit(made)
    _print_next(made)


def _print_refit(made: StudyResult) -> None:
    """The row learned from all rows, with what it carries said first."""
    from rich.panel import Panel

    refit = made.refit
    if refit is None:
        return
    first, *others = refit.lines()
    rule = [] if refit.fitted.n_training_rows else ["", *refit.fitted.sentences()]
    text = "\n".join([first, *others, *rule])
    console.print(Panel(escape(text), title="Refit", expand=False, border_style="yellow"))


def _chosen_lines(made: StudyResult) -> list[str]:
    """The chosen row in sentences; curves as bars, unless every step is wanted."""
    machine = made.machine
    lines: list[str] = machine.chosen_lines(include_rows=made.options.include_rows)
    fitted = machine.candidate_.fitted
    has_marks = "utf" in (console.encoding or "").lower() and not console.options.ascii_only
    bars = fitted.machine.outline(fitted.words, "▁▂▃▄▅▆▇█" if has_marks else "_.-=+*#@")
    if made.options.details or not bars:
        return lines
    return [lines[0], *bars, lines[-1], "(--details shows the points of every step.)"]


def _rows_used(made: StudyResult) -> str:
    """One sentence on who taught and who tested."""
    counts = made.machine.candidate_.counts
    if made.options.is_cover or counts.groups is not None:
        return ""
    return (
        f"{counts.n_held} rows taught, {counts.n_counted} others tested every form. "
        "The data's own digest drew the split: nobody chose it."
        if made.machine.draw_.seed is None
        else f"{counts.n_held} rows taught, {counts.n_counted} others tested every form."
    )


def _print_evidence(made: StudyResult) -> None:
    """What else the counted rows say of the chosen row, or why they say nothing."""
    machine = made.machine
    if made.options.is_cover:
        if machine.certificate_.assumes("groups"):
            _remark(
                "Sensitivity and specificity are not certified: the rows of one group are not "
                "independent, and a cover may be made of any of them."
            )
        return
    if not (lines := machine.evidence_lines()):
        console.print(f"  [dim]No predictive values: {machine.why_no_evidence()}[/]")
        return
    sure, each = 100.0 * (1.0 - machine.delta), ""
    if machine.certificate_.assumes("groups"):
        each = " (one blindly drawn row of each group was counted)"
    console.print(
        f"  With {sure:g} % confidence, all at once, of new cases{each}:",
        highlight=False,
    )
    for line in lines:
        console.print(f"    {escape(line)}", highlight=False)
    console.print(
        "    [dim]handful verify recomputes rates and area; the rest is shown, not checked.[/]",
        highlight=False,
    )


def _print_next(made: StudyResult) -> None:
    """Three commands to go on."""
    out = "results" if made.options.out is None else str(made.options.out)
    model = out if out.endswith(".json") else f"{out}/model.json"
    data = "" if made.options.data is None else f" {made.options.data}"
    lines = [] if made.options.out is not None else ["the same command with --out results"]
    lines += [f"handful predict {model} new.csv", f"handful verify {model}{data}"]
    if made.refit is not None and made.options.out is not None:
        lines.append(f"handful predict {out}/refit.json new.csv")
    console.print("  [dim]Go on:[/]", highlight=False)
    for line in lines:
        console.print(f"    [dim]{escape(line)}[/]", highlight=False)


def _remark(text: str) -> None:
    """A remark that must not be missed."""
    note(f"[yellow]{escape(text)}[/]")


def _print_worth(made: StudyResult) -> None:
    """The sentence, sensitivity and specificity, what is assumed; the price if it is wanted."""
    from rich.panel import Panel

    from handful.certified import named_beforehand
    from handful.cli.study_result import together_of

    certificate = made.machine.certificate_
    first = made.machine.caution()
    text = escape(f"{first} {certificate.statement()}".strip())
    style = "yellow" if first or certificate.is_vacuous else "green"
    console.print(Panel(text, title="Certificate", expand=False, border_style=style))
    if made.band is not None:
        console.print(f"  {escape(made.band.sentence())}", highlight=False)
    rates = made.machine.class_rates(made.case)
    if rates:
        console.print(f"  {escape(rates_line(rates))}", highlight=False)
    _print_evidence(made)
    if both := together_of(made):
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
    for line in made.protocol_lines:
        style = "dim" if line == made.protocol_lines[-1] else "yellow"
        console.print(f"  [{style}]{escape(line)}[/]", highlight=False)
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
