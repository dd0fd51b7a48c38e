"""The columns of a table on a screen and as plain data: what was assumed about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from handful.cli._output import console

if TYPE_CHECKING:
    from handful.tables import Column, Study

MOST_COLUMNS = 30  # that are listed one by one


def columns_as_dicts(study: Study) -> list[dict[str, Any]]:
    """Every column as plain data."""
    return [
        {
            "name": c.name,
            "kind": c.kind,
            "role": c.role,
            "n_missing": c.n_missing,
            "notes": list(c.notes),
        }
        for c in study.columns
    ]


def print_assumed(study: Study, *, with_notes: bool = True) -> None:
    """Cautions, notes, and the columns about which something was assumed."""
    for line in study.cautions:
        console.print(f"  [bold yellow]{escape(line)}[/]", highlight=False)
    for line in study.notes if with_notes else ():
        console.print(f"  [dim]{escape(line)}[/]", highlight=False)
    _print_columns(study.columns, len(study.pool))


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
    return "; ".join([*column.notes, *missing])
