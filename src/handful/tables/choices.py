"""What the user says about the columns of a table."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from handful.tables.cells import NOT, word_of
from handful.tables.notes import CODES
from handful.tables.sources import MISSING

TARGETS = ("label", "class", "target", "outcome", "diagnosis", "y")


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user says about the columns. Everything else is read off the table.

    Attributes
    ----------
    target : str, optional
        The column to predict; else the first of ``TARGETS`` that there is.
    positive : str, optional
        The class that is the case.
    groups, weights : str, optional
        Columns that name the group of a row (a patient) and its weight in training.
    id, exclude, features, ordered, categories : tuple of str
        Identifiers; columns to leave out; the only columns to use (also dates, as days); columns
        of ordered words; columns of categories.
    subgroups : tuple of str
        Columns of words, named before looking: evidence is shown for each word.
    increasing, decreasing : tuple of str
        Columns with which the case must become more (or less) likely, all else being equal.
    must_ask : tuple of str
        Columns of which every score card must have an item.
    missing : mapping of str to tuple of str
        Cells that mean missing, by column; "" stands for every column.
    not_missing : mapping of str to tuple of str
        Cells that are answers although they usually mean missing, by column.
    drop_missing_target : bool
        Leave out rows without a label.
    acknowledged : mapping of str to str
        Reasons why cautions do not matter here, by their codes; written into files.
    """

    target: str | None = None
    positive: str | None = None
    groups: str | None = None
    weights: str | None = None
    id: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()
    increasing: tuple[str, ...] = ()
    decreasing: tuple[str, ...] = ()
    must_ask: tuple[str, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    drop_missing_target: bool = False
    acknowledged: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for code, reason in self.acknowledged.items():
            if code not in CODES or not str(reason).strip():
                raise ValueError(
                    "`--acknowledge` must be a code of a note and a reason, for example "
                    f"'H012=visits are far apart', got {f'{code}={reason}'!r}."
                )

    @classmethod
    def of(cls, given: Any) -> Choices:
        """Choices as a user of Python gives them: a mapping of their names, or None.

        Examples
        --------
        >>> Choices.of({"id": "mrn", "missing": {"bp": [-9]}, "groups": "patient"}).missing
        {'bp': ('-9',)}
        """
        if given is None or isinstance(given, cls):
            return given or cls()
        known = {field.name: field.default for field in fields(cls)}
        if not isinstance(given, Mapping) or (unknown := sorted(set(given) - set(known))):
            shown = repr(unknown[0]) if isinstance(given, Mapping) else type(given).__name__
            raise ValueError(
                f"`columns` must be a mapping with some of {', '.join(known)}, got {shown}. For "
                'example columns={"groups": "patient", "missing": {"age": -9}}.'
            )
        plain = {name: value for name, value in given.items() if value is not None}
        for name, value in plain.items():
            if name in ("missing", "not_missing"):
                plain[name] = _marks_by_column(value)
            elif known[name] == ():
                plain[name] = _words(value)
        return cls(**plain)

    def named(self) -> list[tuple[str, str]]:
        """(option, column) for every column that is named."""
        single = [("--target", self.target), ("--groups", self.groups), ("--weights", self.weights)]
        lists = {
            "--id": self.id,
            "--exclude": self.exclude,
            "--features": self.features,
            "--ordered": self.ordered,
            "--categories": self.categories,
            "--subgroups": self.subgroups,
            "--increasing": self.increasing,
            "--decreasing": self.decreasing,
            "--must-ask": self.must_ask,
            "--missing": tuple(name for name in self.missing if name),
            "--not-missing": tuple(name for name in self.not_missing if name),
        }
        named = [(option, name) for option, names in lists.items() for name in names]
        return named + [(option, name) for option, name in single if name is not None]

    def marks(self, name: str) -> frozenset[str]:
        """Marks of the user for a column, as `is_mark` takes them."""
        own, answers = (
            {word_of(mark).casefold() for key in ("", name) for mark in given.get(key, ())}
            for given in (self.missing, self.not_missing)
        )
        if both := own & answers:
            raise ValueError(
                f"`--not-missing` must not name what `--missing` names, got {min(both)!r} in both "
                f"for {name!r}. Say one of them."
            )
        if lost := answers & {mark.casefold() for mark in MISSING}:
            raise ValueError(
                f"`--not-missing` cannot name {min(lost)!r}: files write it for an empty cell, and "
                "it is gone when the table is read. Write another word in the table."
            )
        return frozenset(own | {NOT + answer for answer in answers})


def check_named(choices: Choices, names: Sequence[str]) -> None:
    """Refuse options that name a column that the table does not have."""
    for option, name in choices.named():
        if name not in names:
            near = difflib.get_close_matches(name, names[:1000], n=3)
            hint = f"Did you mean {', '.join(map(repr, near))}?" if near else "Check the header."
            raise ValueError(f"`{option}` must be a column of the table, got {name!r}. {hint}")


def target_of(target: str | None, names: Sequence[str]) -> str:
    """The column to predict: the one that is named, or one with a usual name."""
    if target is not None:
        return target
    lower = [name.casefold() for name in names]
    for name in TARGETS:
        if name in lower:
            return names[lower.index(name)]
    shown = [name[:40] for name in names[:20]]
    raise ValueError(
        "`--target` must name the column to predict. "
        f"The columns are: {', '.join(shown)}{', …' if len(names) > 20 else ''}."
    )


def _marks_by_column(given: Any) -> dict[str, tuple[str, ...]]:
    """Words for a missing value by column; the empty name stands for all columns."""
    by_column = given if isinstance(given, Mapping) else {"": given}
    return {str(key): _words(marks) for key, marks in by_column.items()}


def _words(value: Any) -> tuple[str, ...]:
    """One word, or several, as words."""
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        return (word_of(value),)
    return tuple(word_of(word) for word in value)
