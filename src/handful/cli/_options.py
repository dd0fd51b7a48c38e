"""Options about the columns of a table, the same for every command that reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from handful.tables import Choices

PANEL = "Columns"
_LISTED = "; several by commas, or the option again."


def _columns(name: str, text: str) -> Any:
    return typer.Option(None, name, help=text + _LISTED, rich_help_panel=PANEL)


def column_option(name: str, text: str, *more: str) -> Any:
    """An option that names one column."""
    return typer.Option(None, name, *more, help=text, rich_help_panel=PANEL)


IDS = _columns("--id", "Identifiers, which are not used")
EXCLUDE = _columns("--exclude", "Columns to leave out")
FEATURES = _columns("--features", "The only columns to use, also dates")
ORDERED = _columns("--ordered", "Columns of ordered words")
CATEGORIES = _columns("--categories", "Columns whose numbers are codes")
MISSING = _columns("--missing", "Cells that mean missing, as -999 or age=-999")
NOT_MISSING = _columns("--not-missing", "Cells that are answers, as 'not done' or scan=n.d.")
DROP_MISSING_TARGET: Any = typer.Option(
    False, "--drop-missing-target", help="Leave out unlabelled rows.", rich_help_panel=PANEL
)


def choices_from(
    *,
    missing: list[str] | None = None,
    not_missing: list[str] | None = None,
    drop_missing_target: bool = False,
    **given: Any,
) -> Choices:
    """What the options say about the columns."""
    from handful.tables import Choices

    lists = ("id", "exclude", "features", "ordered", "categories")
    named: dict[str, Any] = {
        name: _listed(value) if name in lists else value for name, value in given.items()
    }
    marks, answers = _marks(_listed(missing)), _marks(_listed(not_missing))
    dropped = drop_missing_target
    return Choices(missing=marks, not_missing=answers, drop_missing_target=dropped, **named)


def _listed(values: list[str] | None) -> tuple[str, ...]:
    """Names of an option that may be repeated and may hold several by commas."""
    parts = [part.strip() for value in values or () for part in value.split(",")]
    return tuple(part for part in parts if part)


def _marks(values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Marks by column: ``age=-999`` for one column, ``-999`` for all."""
    marks: dict[str, tuple[str, ...]] = {}
    for value in values:
        column, _, mark = value.rpartition("=")
        marks[column.strip()] = (*marks.get(column.strip(), ()), mark.strip())
    return marks
