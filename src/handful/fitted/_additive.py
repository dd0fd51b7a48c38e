"""Additive scores: one curve a feature, steps at cut points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._machine import Spoken, from_scores, is_flag, number, used


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
        is_single = len(self.intercepts) == 1
        first = "Start at " + ", ".join(number(v, sign=True) for v in self.intercepts) + "."
        lines = [first, *(_curve_line(curve, words, is_single) for curve in self.curves)]
        if is_single:
            return [*lines, f"Above 0: {words.labels[1]}; otherwise: {words.labels[0]}."]
        return [*lines, "One sum a class; the largest gives the class."]

    @property
    def size(self) -> int:
        """Number of steps of all curves."""
        return sum(len(curve.cuts) for curve in self.curves)

    @property
    def features(self) -> tuple[int, ...]:
        """One a curve."""
        return used([curve.feature for curve in self.curves])


def _curve_line(curve: Curve, words: Spoken, is_single: bool) -> str:
    name = words.names[curve.feature]
    if not is_single:
        return f"{name}: steps at {', '.join(number(c) for c in curve.cuts)}"
    values = curve.values[0]
    if is_flag(name):
        text = f"{name}: {number(values[-1], sign=True)}; else {number(values[0], sign=True)}"
    else:
        steps = [f"{number(values[0], sign=True)}"]
        steps += [
            f"from {words.value(curve.feature, c)} {number(v, sign=True)}"
            for c, v in zip(curve.cuts, values[1:], strict=True)
        ]
        text = f"{name}: " + ", ".join(steps)
    gone = curve.missing[0]
    return text + (f"; missing {number(gone, sign=True)}" if gone else "")
