"""How the raw cells of a table become what rules look at: part of a covering machine's file.

Only columns that rules use are written, of a column of words only the words that rules name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from handful._codec import ModelFileError, decode, encode
from handful._types import Floats
from handful.covering import CoverFit
from handful.files.form_fields import check_reading, fields_of
from handful.models import Column
from handful.rules.fields import read_index
from handful.tables import NOT, Choices, Study, as_pandas, read_study, tidy
from handful.tables import Column as TableColumn


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
        columns = tuple(_raw(column) for column in study.features)
        return cls(columns, options_of(choices, study.target), len(study.pool))

    def used(self, fit: CoverFit, words: Sequence[Sequence[str] | None]) -> Reading:
        """The same of the columns that rules use, with the words that they name."""
        columns = [
            None if column is None or j not in fit.used_features else _named(column, words[j])
            for j, column in enumerate(self.columns)
        ]
        return replace(self, columns=tuple(columns))

    def scale(self, j: int) -> tuple[str, ...] | None:
        """The ordered words of a feature, where it has some."""
        column = self.columns[j]
        return None if column is None or not column.levels else column.levels

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
    if fit.columns is None or not fit.columns.scales:
        return None
    names = fit.names or [f"x{j}" for j in range(fit.n_features)]
    columns = [
        None if scale is None else Column(name, kind="ordered", levels=tuple(scale))
        for name, scale in zip(names, fit.columns.scales, strict=True)
    ]
    return Reading(tuple(columns))


def read_raw(column: Column, frame: Any, name: Any) -> Floats:
    """One column of a raw table as its numbers, or as places among its words."""
    return column.read(np.asarray(as_pandas(frame[[name]]).iloc[:, 0]))


def options_of(choices: Choices, target: str, case: str | None = None) -> dict[str, Any]:
    """The options that read a table, as plain data; the case by name, if the user named none."""
    plain = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(choices).items()}
    del plain["not_missing"]
    answers = choices.not_missing
    plain["missing"] = {
        name: [*choices.missing.get(name, ()), *(NOT + answer for answer in answers.get(name, ()))]
        for name in dict.fromkeys((*choices.missing, *answers))
    }
    return {**plain, "target": target, "positive": case or plain["positive"]}


def is_first_case(case: str | None, classes: Sequence[Any]) -> bool:
    """Whether the case is the first of two classes: rates of machines speak of the second."""
    return len(classes) == 2 and case == str(classes[0])


def goal_of_case(goal: tuple[str, float] | None, is_first: bool) -> list[Any] | None:
    """A goal for one class as one for the other, if the case is the first class."""
    if goal is None:
        return None
    names = ("sensitivity", "specificity")
    return [names[1 - names.index(goal[0])] if is_first else goal[0], goal[1]]


def choices_of(options: Mapping[str, Any]) -> Choices:
    """The options that a file recorded."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
    }
    for field, is_answer in (("missing", False), ("not_missing", True)):
        fields[field] = {
            name: tuple(m.removeprefix(NOT) for m in marks if m.startswith(NOT) == is_answer)
            for name, marks in options["missing"].items()
        }
    return Choices(**fields)


def _raw(column: TableColumn) -> Column:
    kind = column.kind if column.kind in ("number", "ordered", "date") else "words"
    return Column(
        column.name,
        () if kind == "words" else None,
        kind=kind,
        style=column.style,
        marks=tuple(sorted(column.marks)),
        levels=column.levels if kind == "ordered" else (),
    )


def _named(column: Column, words: Sequence[str] | None) -> Column:
    return column if column.words is None else replace(column, words=tuple(words or ()))


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
    choices = choices_of(options)
    study = read_study(frame, choices, set_aside=True)
    clean = tidy(study)
    reading = Reading.of_study(study, choices).to_document()
    return CleanTable(clean.X, clean.y, clean.groups, study.table, reading)
