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

_STEPS = 60  # of Newton's method, halved where it goes too far
_STEEPEST = 1e6  # times the spread of the scores: separable rows have no largest slope


@dataclass(frozen=True)
class RiskCurve:
    """The probability of the second class is 1 / (1 + exp(-slope * (score + offset))).

    At the border of the form's own labels it is one half, so that a label is the likelier class.
    A threshold that was moved to reach a goal is an ``offset`` of the score.

    Examples
    --------
    >>> RiskCurve(2.0).of(np.array([-1.0, 0.0, 1.0])).round(3).tolist()
    [0.119, 0.5, 0.881]
    """

    slope: float
    offset: float = 0.0

    def of(self, scores: ArrayLike) -> Floats:
        """The estimated risk at each score."""
        return np.asarray(expit(self.slope * (np.asarray(scores, dtype=float) + self.offset)))

    def moved(self, by: float) -> Self:
        """The same risks, if every score is smaller by a number."""
        return replace(self, offset=self.offset + by)

    def check_fields(self, where: str) -> None:
        """Refuse a slope with which a larger score is not more like the second class."""
        if not self.slope > 0.0:
            raise fail(f"{where}.slope", "above 0", self.slope)

    @classmethod
    def fitted(cls, scores: Floats, y: ArrayLike, weight: Floats) -> Self:
        """The slope of largest likelihood for scores that were not learned from the same rows.

        Labels are drawn in by one example of each class (Platt 1999), so that scores which tell
        all rows apart have a finite slope.

        Examples
        --------
        >>> scores = np.array([-2.0, -1.0, 1.0, 2.0])
        >>> round(RiskCurve.fitted(scores, [0, 1, 0, 1], np.ones(4)).slope, 3)
        0.134
        """
        is_case = np.asarray(y) == 1
        n_cases, n_others = float(weight[is_case].sum()), float(weight[~is_case].sum())
        target = np.where(is_case, (n_cases + 1.0) / (n_cases + 2.0), 1.0 / (n_others + 2.0))
        size = float(np.sqrt(np.mean(np.square(scores)))) or 1.0
        z, slope = scores / size, 0.0
        for _ in range(_STEPS):
            p = expit(slope * z)
            bend = float(weight @ (p * (1.0 - p) * z**2))
            step = float(weight @ ((target - p) * z)) / max(bend, 1e-12)
            step = math.copysign(min(abs(step), 1.0 + abs(slope)), step)
            slope += step
            if abs(step) <= 1e-12 * (1.0 + abs(slope)):
                break
        # A score that tells nothing, or the wrong way, has no slope: nearly one half everywhere.
        return cls(float(np.clip(slope, 1e-6, _STEEPEST)) / size)
