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

    from handful.bounds import Certificate
    from handful.certified import Band, CertifiedClassifier, FormCandidate

MOST_LETTERS = 48  # of the names of columns in a row of the menu
UNITS = {
    "rule set": "conditions",
    "rule list": "conditions",
    "score card": "items",
    "short score card": "items",
    "other score card": "items",
    "sparse linear": "weights",
    "linear": "weights",
    "additive": "steps",
    "half-spaces": "half-spaces",
    "balls": "balls",
    "prototypes": "prototypes",
    "support vectors": "support vectors",
}


def form_in_words(candidate: FormCandidate) -> str:
    """The form in a few words."""
    size = candidate.fitted.machine.size
    unit = UNITS.get(candidate.fitted.form)
    if unit is None or candidate.name == unit:
        return candidate.name if unit is None else f"{candidate.name} ({size})"
    return f"{candidate.name}, {size} {unit if size != 1 else unit.removesuffix('s')}"


def uses_in_words(candidate: FormCandidate) -> str:
    """The columns that a form reads."""
    fitted = candidate.fitted
    names, n_columns = fitted.uses, len(fitted.columns.columns)
    if not names:
        return "nothing" if candidate.is_readable else "not known"
    if len(names) == n_columns > 3:
        return f"all {n_columns} columns"
    shown = ", ".join(names)
    return shown if len(shown) <= MOST_LETTERS else f"{len(names)} of {n_columns} columns"


def rule_lines(made: Made) -> list[str]:
    """The chosen form in full; without its training rows unless they are wanted."""
    fitted = made.machine.fitted_
    if fitted.n_training_rows and not made.options.include_rows:
        return [
            f"This form contains {fitted.n_training_rows} training rows. "
            f"Say --include-rows to print and to write them{_printable_instead(made.machine)}."
        ]
    meaning = made.machine.points_lines()
    if not meaning:
        return fitted.sentences(include_rows=made.options.include_rows)
    together = f"With {100 * (1 - made.options.delta):g} % confidence, all at once:"
    lines = fitted.sentences(include_rows=made.options.include_rows)
    return [*lines, "", together, *meaning]


def _printable_instead(machine: CertifiedClassifier) -> str:
    """The best row of the menu that holds no training rows, as a second way to go on."""
    for candidate in machine.candidates_:
        fitted = candidate.fitted
        if fitted.is_plain and not fitted.n_training_rows:
            return f", or --choose '{candidate.name}' for a form without any"
    return ""


def band_sentence(band: Band) -> str:
    """What silence in doubt buys."""
    return (
        f"Silent where the score is at most {band.width:g} from the border: "
        f"{band.n_errors} of {band.n_answered} counted answers wrong, at most "
        f"{percent_up(band.errs_at_most)}; answers at least {percent_down(band.answers_at_least)} "
        "of new cases."
    )


def found_rates(made: Made) -> list[dict[str, Any]]:
    """Sensitivity and specificity: what was counted, and the limit that is certified."""
    machine = made.machine
    if not machine.certificate_.rates:
        return []
    counts = machine.candidate_.counts.by_class
    return class_rates(machine.certificate_, machine.fitted_.classes, made.study.positive, counts)


def class_rates(
    certificate: Certificate, classes: Any, positive: Any, by_class: Sequence[tuple[int, int]]
) -> list[dict[str, Any]]:
    """The same from the rows and the errors of each class, of those that are counted."""
    words = [str(label) for label in classes]
    names = ("false_positive_given_negative", "false_negative_given_positive")
    case = words[1] if positive is None else str(positive)
    rates = []
    for name, label in (("sensitivity", case), ("specificity", _other(words, case))):
        k = words.index(label)
        n, n_errors = by_class[k]
        limit = 1.0 - certificate.rate(names[k])
        rates.append({"name": name, "class": label, "n_right": n - n_errors, "n": n,
                      "at_least": limit})  # fmt: skip
    return rates


def rates_line(rates: Sequence[dict[str, Any]]) -> str:
    """Sensitivity and specificity in a sentence."""
    parts = [
        f"{rate['name']} ({rate['class']}) {rate['n_right']} of {rate['n']} counted, "
        f"at least {percent_down(rate['at_least'])}"
        for rate in rates
    ]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _other(classes: list[str], label: str) -> str:
    return next(word for word in classes if word != label)


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
        "rule": rule_lines(made),
        "named_beforehand": list(machine.named_beforehand_),
        "goal": None if machine.goal_ is None else list(machine.goal_),
        "band": None if made.band is None else asdict(made.band),
        "caution": machine.caution(),
        "rates": found_rates(made),
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
    body = escape("\n".join(rule_lines(made)))
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
        cells = [f"→ {row}" if is_chosen else str(row), escape(form_in_words(candidate)),
                 escape(uses_in_words(candidate)), percent_text(risk, is_padded=True)]  # fmt: skip
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
    rates = found_rates(made)
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
