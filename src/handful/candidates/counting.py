"""Counting all candidates at once, block by block of rows, in memory and over chunks alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.candidates.thresholds import ThresholdCounts, ThresholdGrid
from handful.models import Fitted, from_scores
from handful.tables import Columns, take_rows

_BLOCK = 65_536  # rows labelled at a time: their encoding is a few dozen megabytes


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of one candidate over some rows; those of blocks add up.

    Attributes
    ----------
    by_class : tuple of (int, int)
        Rows and errors of each class.
    n_unknown : int
        Rows of classes that the pool does not know; each is an error.
    n_said : tuple of int
        How many rows get each label.
    thresholds : ThresholdCounts or None
        Counts of the score, if the form has one for two classes.
    is_wrong : ndarray of bool or None
        Errors row by row, if they are wanted.
    scores : ndarray or None
        The score of each row, if it is wanted: evidence at all thresholds needs it. Of several
        classes, and of forms without a score, the label; of two classes minus one half.
    problem : str
        What the candidate raised; empty if nothing went wrong.
    """

    by_class: tuple[tuple[int, int], ...]
    n_unknown: int = 0
    n_said: tuple[int, ...] = ()
    thresholds: ThresholdCounts | None = None
    is_wrong: Mask | None = None
    scores: Floats | None = None
    problem: str = ""

    @classmethod
    def of(cls, labels: Ints, y: Ints, n_classes: int) -> Tally:
        """Counts of labelled rows; a class that the pool does not know is at -1.

        Examples
        --------
        >>> Tally.of(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).by_class
        ((2, 1), (1, 0))
        """
        is_wrong = labels != y
        by_class = tuple(
            (int(np.count_nonzero(y == k)), int(np.count_nonzero(is_wrong[y == k])))
            for k in range(n_classes)
        )
        said = tuple(np.bincount(labels, minlength=n_classes).tolist())
        return cls(by_class, int(np.count_nonzero(y < 0)), said, is_wrong=is_wrong)

    def __add__(self, other: Tally) -> Tally:
        if self.problem or other.problem:
            return self if self.problem else other
        pairs = zip(self.by_class, other.by_class, strict=True)
        said = zip(self.n_said, other.n_said, strict=True)
        thresholds, is_wrong, scores = None, None, None
        if self.thresholds is not None and other.thresholds is not None:
            thresholds = self.thresholds + other.thresholds
        if self.is_wrong is not None and other.is_wrong is not None:
            is_wrong = np.concatenate([self.is_wrong, other.is_wrong])
        if self.scores is not None and other.scores is not None:
            scores = np.concatenate([self.scores, other.scores])
        return Tally(
            tuple((a[0] + b[0], a[1] + b[1]) for a, b in pairs),
            self.n_unknown + other.n_unknown,
            tuple(a + b for a, b in said),
            thresholds,
            is_wrong,
            scores,
        )

    def in_order(self, places: Ints) -> Tally:
        """The same, with its rows in another order: ``places[i]`` is the row that becomes i."""
        wrong = None if self.is_wrong is None else self.is_wrong[places]
        scores = None if self.scores is None else self.scores[places]
        return replace(self, is_wrong=wrong, scores=scores)

    @property
    def n_errors(self) -> int:
        """Rows that are wrong."""
        return sum(n_wrong for _, n_wrong in self.by_class) + self.n_unknown

    @property
    def n_rows(self) -> int:
        """Rows in all."""
        return sum(n for n, _ in self.by_class) + self.n_unknown


@dataclass(frozen=True, eq=False)
class Tallies:
    """The counts of several candidates over the same rows."""

    each: tuple[Tally, ...]

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(tuple(a + b for a, b in zip(self.each, other.each, strict=True)))


@dataclass(frozen=True, eq=False)
class Counting:
    """Candidates that are counted together, so that every block of rows is encoded once.

    Attributes
    ----------
    fitted : tuple of Fitted
    grids : tuple of ThresholdGrid or None
        Where the score of each is cut, if it has one.
    columns : Columns
        The encoding that they share.
    positions : ndarray of int
        Class of each code of a label; -1 for a label that the pool does not know.
    n_classes : int
    is_by_row : bool
        Whether errors are wanted row by row, as groups need them.
    keeps_scores : bool
        Whether the scores of the rows are wanted, or their labels if there are none.
    """

    fitted: tuple[Fitted, ...]
    grids: tuple[ThresholdGrid | None, ...]
    columns: Columns
    positions: Ints
    n_classes: int
    is_by_row: bool = False
    keeps_scores: bool = False

    def __call__(self, rows: Any, codes: Ints) -> Tallies:
        """Counts of some rows of a table, with the codes of their labels."""
        y = self.positions[codes]
        found = self._count(take_rows(rows, slice(0, _BLOCK)), y[:_BLOCK])
        for start in range(_BLOCK, len(y), _BLOCK):
            some = slice(start, start + _BLOCK)
            found = found + self._count(take_rows(rows, some), y[some])
        return found

    def _count(self, block: Any, y: Ints) -> Tallies:
        encoded: list[Any] = []  # made when it is first asked for: a foreign pipeline may not

        def rows_for(one: Fitted) -> Any:
            if one.machine.reads_table:
                return block
            if not encoded:
                encoded.append(self.columns.encode(block))
            return encoded[0]

        out = []
        for one, grid in zip(self.fitted, self.grids, strict=True):
            try:
                out.append(self._tally(one, grid, rows_for(one), y))
            except Exception as error:  # an estimator of another library may raise anything
                out.append(Tally((), problem=f"{type(error).__name__}: {error}"))
        return Tallies(tuple(out))

    def _tally(self, one: Fitted, grid: ThresholdGrid | None, rows: Any, y: Ints) -> Tally:
        scores, labels = np.zeros(0), np.zeros(0, dtype=np.int64)
        is_two = self.n_classes == 2
        has_score = grid is not None or (
            self.keeps_scores and is_two and one.machine.has_thresholds
        )
        if len(y) and not has_score:  # estimators of other libraries refuse tables without rows
            labels = one.machine.labels(rows)
            scores = labels.astype(np.float64) - 0.5 * is_two
        elif len(y):
            scores = one.machine.scores(rows)
            labels = from_scores(scores)
        found = Tally.of(labels, y, self.n_classes)
        return replace(
            found,
            thresholds=None if grid is None else grid.count(scores, y),
            is_wrong=found.is_wrong if self.is_by_row else None,
            scores=scores if self.keeps_scores else None,
        )
