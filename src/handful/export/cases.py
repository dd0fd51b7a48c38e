"""Synthetic cases that try a rule at its borders, with the answers of the library.

What lives here: the numbers at which a form changes its mind, found by writing it in a language
that notes them. No value of a table is needed for that, and none is used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np

from handful.export.python import Python
from handful.models import Curve, Fitted, Op
from handful.tables import Column
from handful.tables.number_styles import number_of

_DIGITS = Context(prec=15)  # which every spreadsheet keeps
_MOST_SUMS = 8  # numbers of which the borders of weighted sums are made


class _Borders(Python):
    """Python, and notes of the numbers that features and sums are compared with."""

    def __init__(self, n_features: int) -> None:
        self.cuts: list[set[float]] = [set() for _ in range(n_features)]
        self.weights: list[set[float]] = [set() for _ in range(n_features)]
        self.limits: list[float] = []

    def number(self, value: float) -> str:
        self.limits.append(float(value))
        return super().number(value)

    def condition(self, feature: int, op: Op, limit: float) -> str:
        self.cuts[feature].add(limit)
        return super().condition(feature, op, limit)

    def steps(self, curve: Curve, score: int) -> str:
        self.cuts[curve.feature].update(curve.cuts)
        return super().steps(curve, score)

    def weighted(self, weights: Sequence[float], fill: Sequence[float] | None) -> list[str]:
        limits = list(self.limits)
        terms = super().weighted(weights, fill)
        self.limits = limits  # weights are no limits
        for found, weight in zip(self.weights, weights, strict=True):
            found.update([weight] if weight else [])
        return terms

    def of(self, feature: int) -> list[float]:
        """Numbers at which the form may change its mind if this feature alone is not 0."""
        own = [limit for limit in dict.fromkeys(self.limits) if limit][:_MOST_SUMS]
        sums = [*own, *(a + b for a, b in itertools.combinations(own, 2))]
        ends = (s * limit / w for w in self.weights[feature] for limit in sums for s in (1, -1))
        return sorted({*self.cuts[feature], *(end for end in ends if math.isfinite(end))})


def _neighbours(value: float) -> list[float]:
    """A number and the next ones that fifteen digits can write."""
    exact = Decimal(value)
    near = _DIGITS.create_decimal(exact)
    return [float(n) for n in (_DIGITS.next_minus(near), near, _DIGITS.next_plus(near))]


def synthetic_cases(
    fitted: Fitted, n_cases: int, width: float | None
) -> tuple[list[str], list[list[str]], list[int]]:
    """Names of the columns that are read, rows of raw cells, and the classes; -1 for no label.

    Cells are numbers that the rule prints, the next ones of fifteen digits on both sides, 0 and 1,
    words of the rule in small and in capital letters, other words, and marks of missing values.
    """
    small = fitted.reduced()
    borders = _Borders(len(small.columns.names))
    small.machine.statements([f"{k}" for k in range(len(small.classes))], borders)
    rng = np.random.default_rng(0)
    columns = small.columns.columns
    choices = []
    for i, column in enumerate(columns):
        own = [j for j, source in enumerate(small.columns.sources) if source == i]
        numbers = [n for j in own for n in borders.of(j)]
        choices.append(_cells(column, numbers))
    has_sums = any(borders.weights)
    rows = [_row(choices, k, rng, has_sums) for k in range(n_cases)]
    return [column.name for column in columns], rows, _answers(small, rows, width)


def _row(choices: list[list[str]], k: int, rng: np.random.Generator, has_sums: bool) -> list[str]:
    """Random cells; in every second case of a sum, all columns but one are 0 if they can be."""
    row = [cells[int(rng.integers(len(cells)))] for cells in choices]
    if has_sums and k % 2 and row:
        alone = int(rng.integers(len(row)))
        row = [
            "0" if i != alone and "0" in cells else cell
            for i, (cell, cells) in enumerate(zip(row, choices, strict=True))
        ]
    return row


def _cells(column: Column, numbers: Sequence[float]) -> list[str]:
    """Cells of a column to choose from, as a file writes them; "" twice: nothing is known."""
    marks = [] if column.is_exact else ["NA", *(m for m in column.marks if not m.startswith("≠"))]
    words = column.levels if column.kind == "ordered" else column.words
    if words is None:
        return ["", "", *marks[:2], *_written(column, numbers)]
    more = [] if column.is_exact else [*map(str.upper, words), *(f" {w} " for w in words[:1])]
    return ["", *marks, *words, *words, *more, "another word"]


def _written(column: Column, numbers: Sequence[float]) -> list[str]:
    """Numbers, those around them, 0 and 1 in the style of a column; the first also as a limit."""
    near = [n for number in numbers for n in (*_neighbours(number), number - 1.0, number + 1.0)]
    values = dict.fromkeys(float(f"{n:.15g}") for n in (*near, 0.0, 1.0))
    is_comma = column.style in ("decimal comma", "thousands dot")
    texts = [repr(n).removesuffix(".0").replace(".", "," if is_comma else ".") for n in values]
    return texts if column.is_exact else [f"<{texts[0].lstrip('-')}", *texts]


def frame_of(fitted: Fitted, rows: Sequence[Sequence[str]]) -> Any:
    """Rows of raw cells as a data frame that the library reads."""
    import pandas as pd

    cells: dict[str, Any] = {}
    for k, column in enumerate(fitted.columns.columns):
        texts = [row[k] for row in rows]
        if column.kind == "":
            cells[column.name] = np.array([number_of(text) for text in texts], dtype=np.float64)
        else:
            cells[column.name] = np.array([text or None for text in texts], dtype=object)
    return pd.DataFrame(cells, index=range(len(rows)))


def _answers(fitted: Fitted, rows: Sequence[Sequence[str]], width: float | None) -> list[int]:
    encoded = fitted.rows(frame_of(fitted, rows))
    is_gone = np.isnan(encoded[:, list(fitted.machine.required)]).any(axis=1)
    known = np.where(is_gone[:, None], 0.0, encoded)
    if width is not None:
        is_gone |= np.abs(fitted.machine.scores(known)) <= width
    return np.where(is_gone, -1, fitted.machine.labels(known)).tolist()
