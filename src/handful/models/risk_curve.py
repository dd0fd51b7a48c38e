"""The estimated risk of a case by its score: an estimate, not a certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from handful.arrays import Floats
from handful.codec import fail

_STEPS = 60  # of Newton's method
# Times the size of the scores: rows that a score tells apart have no largest slope, and a score
# that tells nothing, or the wrong way, has the same risk everywhere.
_FLATTEST, _STEEPEST = 1e-6, 1e6
_MORE = float(np.nextafter(0.5, 1.0))  # the smallest risk with which a case is the likelier class


@dataclass(frozen=True)
class RiskCurve:
    """The probability of the second class is 1 / (1 + exp(-(intercept + slope * score))).

    Where the form says the second class it is above one half, else at most one half, so that a
    label is the likelier class. A threshold that was moved to reach a goal is an ``offset``: it is
    added to the score first.

    Examples
    --------
    >>> RiskCurve(2.0, -1.0).of(np.array([-1.0, 0.0, 0.25, 1.0])).round(3).tolist()
    [0.047, 0.269, 0.5, 0.731]
    """

    slope: float
    intercept: float
    offset: float = 0.0

    def of(self, scores: ArrayLike) -> Floats:
        """The estimated risk at each score."""
        z = np.asarray(scores, dtype=float) + self.offset
        p = expit(self.intercept + self.slope * z)
        return np.asarray(np.where(z > 0.0, np.maximum(p, _MORE), np.minimum(p, 0.5)))

    def moved(self, by: float) -> Self:
        """The same risks, if every score is smaller by a number."""
        return replace(self, offset=self.offset + by)

    def after(self, odds: RiskCurve) -> Self:
        """The curve of a score, if this one is that of the log odds that ``odds`` gives it."""
        slope, intercept = self.slope * odds.slope, self.intercept + self.slope * odds.intercept
        return replace(self, slope=slope, intercept=intercept)

    def check_fields(self, where: str) -> None:
        """Refuse a slope with which a larger score is not more like the second class."""
        if not self.slope > 0.0:
            raise fail(f"{where}.slope", "above 0", self.slope)

    @classmethod
    def fitted(cls, scores: Floats, y: ArrayLike, weight: Floats) -> Self:
        """The curve of largest likelihood for scores that were not learned from the same rows.

        Labels are drawn in by one example of each class (Platt 1999), so that scores which tell
        all rows apart have a finite slope.

        Examples
        --------
        >>> scores = np.array([-2.0, -1.0, 1.0, 2.0])
        >>> found = RiskCurve.fitted(scores, [0, 1, 0, 1], np.ones(4))
        >>> round(found.slope, 3), abs(round(found.intercept, 3))
        (0.202, 0.0)
        """
        is_case = np.asarray(y) == 1
        n_cases, n_others = float(weight[is_case].sum()), float(weight[~is_case].sum())
        target = np.where(is_case, (n_cases + 1.0) / (n_cases + 2.0), 1.0 / (n_others + 2.0))
        size = float(np.sqrt(np.mean(np.square(scores)))) or 1.0
        share = float(np.average(target, weights=weight))
        A = np.column_stack([scores / size, np.ones(len(scores))])
        beta = np.array([0.0, math.log(share / (1.0 - share))])
        for _ in range(_STEPS):
            p = expit(A @ beta)
            slope = A.T @ (weight * (target - p))
            bend = (A * (weight * p * (1.0 - p))[:, None]).T @ A + 1e-9 * np.eye(2)
            step = np.linalg.solve(bend, slope)
            beta = beta + step / max(1.0, float(np.abs(step).max()))
            if np.abs(step).max() <= 1e-12 * (1.0 + np.abs(beta).max()):
                break
        if beta[0] < _FLATTEST:
            beta = np.array([_FLATTEST, math.log(share / (1.0 - share))])
        return cls(float(min(beta[0], _STEEPEST)) / size, float(beta[1]))
