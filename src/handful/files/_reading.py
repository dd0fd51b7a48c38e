"""How the raw cells of a table become what rules look at: part of a covering machine's file.

Only columns that rules use are written, of a column of words only the words that rules name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handful._codec import ModelFileError, decode, encode
from handful.covering import CoverFit
from handful.files.form_fields import check_reading, fields_of
from handful.rules.fields import read_index
from handful.tables import Choices, Column, Study, as_pandas, read_study


@dataclass(frozen=True)
class Reading:
    """How raw cells are read, and how that was found out.

    Attributes
    ----------
    columns : tuple of (Column or None)
        One a feature; None where cells are numbers or words already, or the column is not used.
    options : mapping or None
        What the user said about the columns; None where a clean table was given.
    n_rows : int
        Rows that were set aside to read the columns by.
    """

    columns: tuple[Column | None, ...]
    options: Mapping[str, Any] | None = None
    n_rows: int = 0

    @classmethod
    def of_study(cls, study: Study, choices: Choices) -> Reading:
        """That of a study whose pool was set aside."""
        options = choices.to_options(study.target)
        return cls(study.features, options, len(study.pool))

    def used(self, fit: CoverFit, words: Sequence[Sequence[str] | None]) -> Reading:
        """The same of the columns that rules use, with the words that they name."""
        columns = [
            None if column is None or j not in fit.used_features else _written(column, words[j])
            for j, column in enumerate(self.columns)
        ]
        return replace(self, columns=tuple(columns))

    def scale(self, j: int) -> tuple[str, ...] | None:
        """The ordered words of a feature, where it has some."""
        column = self.columns[j]
        return None if column is None or column.kind != "ordered" else column.levels

    def to_document(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "options": None if self.options is None else dict(self.options),
            "n_rows": int(self.n_rows),
            "columns": encode(self.columns),
        }

    @classmethod
    def from_document(cls, value: Any, n_features: int) -> Reading:
        """What `to_document` gave, every field checked."""
        document = fields_of(value, ("options", "n_rows", "columns"), "reading")
        if document["options"] is not None:
            check_reading(document["options"], "reading.options")
        kind = tuple[Column | None, ...]
        columns: tuple[Column | None, ...] = decode(kind, document["columns"], "reading.columns")
        if len(columns) != n_features:
            raise ModelFileError(f"`reading.columns` must have {n_features} entries.")
        n_rows = read_index(document["n_rows"], "reading.n_rows")
        return cls(columns, document["options"], n_rows)


def reading_of(fit: CoverFit) -> Reading | None:
    """That of a machine that was fitted to a clean table: ordered categories, if any."""
    if fit.columns is None or not any(fit.columns.scales):
        return None
    return Reading(tuple(c if c.kind == "ordered" else None for c in fit.columns.columns))


def is_first_case(case: str | None, classes: Sequence[Any]) -> bool:
    """Whether the case is the first of two classes: rates of machines speak of the second."""
    return len(classes) == 2 and case == str(classes[0])


def goal_of_case(goal: tuple[str, float] | None, is_first: bool) -> list[Any] | None:
    """A goal for one class as one for the other, if the case is the first class."""
    if goal is None:
        return None
    names = ("sensitivity", "specificity")
    return [names[1 - names.index(goal[0])] if is_first else goal[0], goal[1]]


def _written(column: Column, words: Sequence[str] | None) -> Column:
    """A column as a file holds it: without notes, of words only those that rules name."""
    plain = replace(column, notes=(), n_missing=0)
    return replace(plain, words=tuple(words or ()), levels=()) if column.is_categorical else plain


@dataclass(frozen=True, eq=False)
class CleanTable:
    """A raw table read again: its clean rows, all its rows, and how its columns are read."""

    X: Any
    y: Any
    groups: Any
    raw: Any
    reading: dict[str, Any]


def clean_table(frame: Any, options: Any) -> CleanTable:
    """Read a raw table by the options that a model file recorded, for a re-check.

    Parameters
    ----------
    frame : data frame
        The whole table.
    options : mapping
        As they stand in the file; refused where they are not such options.
    """
    check_reading(options, "reading.options")
    choices = Choices.from_options(options)
    study = read_study(frame, choices, set_aside=True)
    clean, reading = study.rest(), Reading.of_study(study, choices)
    whole = replace(reading, columns=tuple(_written(column, ()) for column in study.features))
    raw = as_pandas(frame).iloc[study.rows].reset_index(drop=True)
    return CleanTable(clean.X, clean.y, clean.groups, raw, whole.to_document())
