"""The menu on a screen: from the simplest form to the least simple, and what each did."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.markup import escape

if TYPE_CHECKING:
    from rich.table import Table

    from handful.cli.study_result import StudyResult

RARE = 0.15  # share of cases below which errors hide the cases that are missed
_WIDE = 100  # columns of a terminal that has room for the names of columns


def percent_down(value: float) -> str:
    """A lower limit, never rounded up."""
    return f"{math.floor(value * 1000.0) / 10.0:.1f} %"


def rate_columns(made: StudyResult) -> dict[str, list[str]]:
    """What every row finds and clears at least, as the box of the chosen one says."""
    machine = made.machine
    each = [machine.choose(row).class_rates(made.case) for row in range(len(machine.candidates_))]
    found = {}
    for name, title in (("sensitivity", "finds\nat least"), ("specificity", "clears\nat least")):
        rates = [[r["at_least"] for r in rates if r["name"] == name] for rates in each]
        found[title] = [percent_down(rate[0]) if rate else "" for rate in rates]
    return found if any(each) else {}


def menu_table(made: StudyResult, width: int) -> Table:
    """One line a form, the simplest first; the number is what --choose takes."""
    from rich import box
    from rich.table import Table

    machine, has_details = made.machine, made.options.details
    title = "Menu, simplest form first: every row is certified, take any (--choose)"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("no.", justify="right")
    table.add_column("form")
    if has_details or width >= _WIDE:
        table.add_column("uses", overflow="fold")
    rates = {} if made.options.is_cover else rate_columns(made)
    for name in ("errors\nseen", "errs\nat most", *rates):
        table.add_column(name, justify="right")
    if has_details:
        for name in ("nats", "s"):
            table.add_column(name, justify="right")
    rows = range(len(machine.candidates_))
    for row in sorted(rows, key=lambda row: (machine.candidates_[row].tie_break, row)):
        is_chosen = machine.candidates_[row].name == machine.chosen_
        cells = _cells(machine, row, rates, has_details or width >= _WIDE, has_details)
        mark = f"→ {row}" if is_chosen else str(row)
        table.add_row(mark, *cells, style="bold" if is_chosen else None)
    return table


def _cells(
    machine: Any, row: int, rates: dict[str, list[str]], has_uses: bool, has_details: bool
) -> list[str]:
    from handful.bounds import percent_text  # rounds as the certificate's own sentence does

    candidate = machine.candidates_[row]
    counts = candidate.counts
    cells = [escape(_name_of(candidate)), *[escape(candidate.uses_in_words())] * has_uses]
    cells += [f"{counts.n_errors} of {counts.n_counted}"]
    cells.append(percent_text(float(machine.menu_risks_[row]), is_padded=True))
    cells += [column[row] for column in rates.values()]
    return cells + [f"{candidate.nats:.2f}", f"{candidate.seconds:.2f}"] * has_details


def _name_of(candidate: Any) -> str:
    """The row in a few words; a constant is the blind guess."""
    if candidate.fitted.form != "constant":
        return str(candidate.in_words())
    label = candidate.fitted.classes[candidate.fitted.machine.label]
    return f"blind guess: always {label}"


def why_chosen(made: StudyResult) -> str:
    """One sentence about the row with the mark."""
    machine, options = made.machine, made.options
    if made.remarks or (options.choose is not None):
        return ""
    if machine.goal_ is not None:
        return (
            f"→ reaches the goal ({options.goal}), and is the best or nearly the best at the rest."
        )
    if options.is_cover:
        return "→ has the smallest certified error."
    least = 100.0 * float(machine.menu_risks_.min())
    return (
        f"→ is the simplest form whose certified error is within {100.0 * machine.tolerance:g} "
        f"points of the smallest ({math.ceil(10.0 * least) / 10.0:.1f} %)."
    )


def rare_cases(made: StudyResult) -> str:
    """What to do if cases are rare; empty if they are not, or if there is a goal."""
    machine = made.machine
    if made.options.is_cover or machine.goal_ is not None or made.case is None:
        return ""
    sizes = machine.candidate_.counts.class_sizes
    classes = machine.fitted_.classes
    if len(classes) != 2 or sum(sizes) == 0:
        return ""
    share = sizes[classes.index(made.case)] / sum(sizes)
    if share >= RARE:
        return ""
    return (
        f"Only {100.0 * share:.1f} % are cases, so that few errors may still miss many of them: "
        'look at "finds at least". A goal can be named before looking, for example '
        "--goal 'sensitivity >= 0.9'."
    )
