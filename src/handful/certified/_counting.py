"""Counting all candidates at once, block by block of rows, in memory and over chunks alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Ints, Mask
from handful.certified._grades import Grades, Grid, grade, is_graded, make_grid
from handful.certified._pool import Pool, take_rows
from handful.models import Fitted
from handful.tables import Columns

_BLOCK = 65_536  # rows labelled at a time: their encoding is a few dozen megabytes

Labelled = tuple[Ints, Grades | None]


@dataclass(frozen=True)
class Tally:
    """Counts of one candidate over some rows; those of blocks add up.

    Attributes
    ----------
    by_class : tuple of (int, int)
        Rows and errors of each class.
    grades : Grades or None
    n_errors_all : int
        Errors with the rows of the pool, which are not counted otherwise.
    problem : str
        What the candidate raised; empty where nothing went wrong.
    n_unknown : int
        Counted rows of classes that the pool does not know; each is an error.
    """

    by_class: tuple[tuple[int, int], ...]
    grades: Grades | None = None
    n_errors_all: int = 0
    problem: str = ""
    n_unknown: int = 0

    def __add__(self, other: Tally) -> Tally:
        grades = self.grades
        if grades is not None and other.grades is not None:
            grades = grades + other.grades
        pairs = zip(self.by_class, other.by_class, strict=True)
        return Tally(
            tuple((a[0] + b[0], a[1] + b[1]) for a, b in pairs),
            grades,
            self.n_errors_all + other.n_errors_all,
            self.problem or other.problem,
            self.n_unknown + other.n_unknown,
        )


@dataclass(frozen=True, eq=False)
class Counting:
    """Candidates that are counted together, so that every block of rows is encoded once.

    Attributes
    ----------
    fitted : tuple of Fitted
    grids : tuple of Grid or None
        Where the scores of each are cut.
    columns : Columns
        The encoding that they share.
    n_classes : int
    """

    fitted: tuple[Fitted, ...]
    grids: tuple[Grid | None, ...]
    columns: Columns
    n_classes: int

    @classmethod
    def of(cls, fitted: Sequence[Fitted], pool: Pool) -> Counting:
        """Grids by the pool; none for groups, whose rows are not independent."""
        is_by_row = pool.groups is None
        grids = [
            make_grid(one.machine.scores(pool.X))
            if is_by_row and is_graded(one.machine, pool.n_classes)
            else None
            for one in fitted
        ]
        return cls(tuple(fitted), tuple(grids), pool.columns, pool.n_classes)

    def label(self, block: Any, y: Ints) -> list[Labelled | Exception]:
        """Labels of a block of rows by each candidate, and counts of its score."""
        encoded: list[Any] = []  # made when it is first asked for: a foreign pipeline may not

        def rows_for(one: Fitted) -> Any:
            if one.machine.reads_table:
                return block
            if not encoded:
                encoded.append(self.columns.encode(block))
            return encoded[0]

        out: list[Labelled | Exception] = []
        for one, grid in zip(self.fitted, self.grids, strict=True):
            try:
                out.append(_label(one, grid, rows_for(one), y))
            except Exception as problem:  # a foreign estimator may raise anything
                out.append(problem)
        return out

    def rows(self, table: Any, y: Ints, rows: Ints) -> list[Labelled | Exception]:
        """The same of some rows of a table, block by block."""
        parts = [
            self.label(take_rows(table, rows[i : i + _BLOCK]), y[rows[i : i + _BLOCK]])
            for i in range(0, len(rows), _BLOCK)
        ]
        return [_joined([part[k] for part in parts]) for k in range(len(self.fitted))]

    def tally(self, block: Any, y: Ints, is_counted: Mask) -> list[Tally]:
        """Counts of a block of rows, of which some are in the pool."""
        out: list[Tally] = []
        for start in range(0, max(1, len(y)), _BLOCK):
            some = slice(start, start + _BLOCK)
            rows = take_rows(block, some)
            found = self._tallies(rows, y[some], is_counted[some])
            out = [a + b for a, b in zip(out, found, strict=True)] if start else found
        return out

    def _tallies(self, rows: Any, y: Ints, is_counted: Mask) -> list[Tally]:
        counted = np.flatnonzero(is_counted)
        labelled = self.label(take_rows(rows, counted), y[counted])
        held = np.flatnonzero(~is_counted)
        others = self.label(take_rows(rows, held), y[held]) if len(held) else None
        out = []
        for k, found in enumerate(labelled):
            other = None if others is None else others[k]
            problem = next((p for p in (found, other) if isinstance(p, Exception)), None)
            if problem is not None or isinstance(found, Exception) or isinstance(other, Exception):
                said = f"{type(problem).__name__}: {problem}"
                out.append(Tally(sum_of_nothing(self.n_classes).by_class, problem=said))
                continue
            by_class = by_classes(found[0], y[counted], self.n_classes)
            n_held = 0 if other is None else int(np.count_nonzero(other[0] != y[held]))
            n_unknown = int(np.count_nonzero(y[counted] < 0))
            n_wrong = sum(pair[1] for pair in by_class) + n_unknown
            out.append(Tally(by_class, found[1], n_wrong + n_held, n_unknown=n_unknown))
        return out


def sum_of_nothing(n_classes: int) -> Tally:
    """Where sums begin."""
    return Tally(((0, 0),) * n_classes)


def by_classes(guess: Ints, y: Ints, n_classes: int) -> tuple[tuple[int, int], ...]:
    """Rows and errors of each class.

    Examples
    --------
    >>> by_classes(np.array([0, 1, 1]), np.array([0, 0, 1]), 2)
    ((2, 1), (1, 0))
    """
    is_wrong = guess != y
    return tuple(
        (int(np.count_nonzero(y == k)), int(np.count_nonzero(is_wrong[y == k])))
        for k in range(n_classes)
    )


def _label(one: Fitted, grid: Grid | None, rows: Any, y: Ints) -> Labelled:
    if grid is None:
        return one.machine.labels(rows), None
    scores = one.machine.scores(rows)
    return (scores > 0.0).astype(np.int64), grade(grid, scores, y)


def _joined(parts: Sequence[Labelled | Exception]) -> Labelled | Exception:
    """Blocks one after the other; the first problem where there is one."""
    labels, grades = [], None
    for part in parts:
        if isinstance(part, Exception):
            return part
        labels.append(part[0])
        grades = part[1] if grades is None or part[1] is None else grades + part[1]
    return (np.concatenate(labels) if labels else np.empty(0, dtype=np.int64)), grades
