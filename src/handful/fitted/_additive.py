"""Additive scores: one curve a feature, steps at cut points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._machine import Spoken, from_scores, number, used


@dataclass(frozen=True)
class Curve:
    """Steps of one feature: ``values[k][i]`` for class score k between cuts i - 1 and i.

    A value is counted to the step on the right of a cut that it equals. ``missing[k]`` is added
    where the value is missing.
    """

    feature: int
    cuts: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    missing: tuple[float, ...]

    def __call__(self, x: Floats) -> Floats:
        """Shape (n, number of scores)."""
        position = np.searchsorted(np.array(self.cuts), x, side="right")
        steps = np.array(self.values).T[position]
        return np.where(np.isnan(x)[:, None], np.array(self.missing), steps)


@dataclass(frozen=True)
class Additive:
    """A sum of curves, one a feature; its sign, or its largest sum, gives the class.

    Examples
    --------
    >>> curve = Curve(0, (28.0, 40.0), ((-1.0, 0.5, 2.0),), (0.0,))
    >>> score = Additive((curve,), (0.2,))
    >>> score.scores(np.array([[20.0], [28.0], [50.0], [np.nan]]))
    array([-0.8,  0.7,  2.2,  0.2])
    """

    form: ClassVar[str] = "additive"
    curves: tuple[Curve, ...]
    intercepts: tuple[float, ...]

    def scores(self, X: Floats) -> Floats:
        """Sums of the curves."""
        out = np.tile(np.array(self.intercepts), (len(X), 1))
        for curve in self.curves:
            out += curve(X[:, curve.feature])
        return out[:, 0] if len(self.intercepts) == 1 else out

    def labels(self, X: Floats) -> Ints:
        """By the sign, or the largest sum."""
        return from_scores(self.scores(X))

    def sentences(self, words: Spoken) -> list[str]:
        """One line a curve."""
        lines = [_curve_line(curve, words) for curve in self.curves]
        start = f"Start at {_points(self.intercepts)} points"
        if len(self.intercepts) == 1:
            end = f"Sum above 0: {words.labels[1]}; otherwise: {words.labels[0]}."
            return [f"{start}.", *lines, end]
        start = f"{start}, one sum a class ({' / '.join(words.labels)})."
        return [start, *lines, "The largest sum gives the class, the first of equal ones."]

    @property
    def size(self) -> int:
        """Number of steps of all curves."""
        return sum(len(curve.cuts) for curve in self.curves)

    @property
    def features(self) -> tuple[int, ...]:
        """One a curve."""
        return used([curve.feature for curve in self.curves])


def _points(values: Iterable[float]) -> str:
    """One number a score."""
    return " / ".join(number(v, sign=True) for v in values)


def _curve_line(curve: Curve, words: Spoken) -> str:
    name = words.names[curve.feature]
    first, *later = (_points(step) for step in zip(*curve.values, strict=True))
    if words.question(curve.feature).is_flag:
        text = f"{name}: {later[-1] if later else first}; else {first}"
    else:
        steps = [
            f"from {words.value(curve.feature, cut)} {points}"
            for cut, points in zip(curve.cuts, later, strict=True)
        ]
        text = f"{name}: " + ", ".join([first, *steps])
    return text + (f"; missing {_points(curve.missing)}" if any(curve.missing) else "")
