"""Losses of the additive view of boosting: what each round makes fall.

All are functions of the margin v = y f, convex, and at least their value at 0 wherever v <= 0, so
that the mean loss over its value at 0 bounds the training error.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import expit

from handful._types import Floats


class Loss(Protocol):
    """A convex loss of the margin."""

    #: Its value at margin 0.
    at_zero: float
    #: Whether it has no minimum: a learner that is never wrong wants an infinite weight.
    is_unbounded: bool

    def value(self, margins: Floats) -> Floats:
        """Loss of each example."""

    def pull(self, margins: Floats) -> Floats:
        """Minus the derivative."""

    def curvature(self, margins: Floats) -> Floats:
        """Second derivative."""

    def probability(self, scores: Floats) -> Floats:
        """P(y = 1) for which the score is optimal."""


class ExponentialLoss:
    """exp(-v): AdaBoost. The score is half the log odds."""

    at_zero, is_unbounded = 1.0, True

    def value(self, margins: Floats) -> Floats:
        """exp(-v)."""
        return np.exp(-margins)

    def pull(self, margins: Floats) -> Floats:
        """exp(-v)."""
        return np.exp(-margins)

    def curvature(self, margins: Floats) -> Floats:
        """exp(-v)."""
        return np.exp(-margins)

    def probability(self, scores: Floats) -> Floats:
        """1 / (1 + exp(-2 f))."""
        return np.asarray(expit(2.0 * scores))


class LogisticLoss:
    """ln(1 + exp(-2 v)): logistic regression. The score is half the log odds."""

    at_zero, is_unbounded = float(np.log(2.0)), True

    def value(self, margins: Floats) -> Floats:
        """ln(1 + exp(-2 v))."""
        return np.logaddexp(0.0, -2.0 * margins)

    def pull(self, margins: Floats) -> Floats:
        """2 / (1 + exp(2 v)): no example weighs more than 2."""
        return np.asarray(2.0 * expit(-2.0 * margins))

    def curvature(self, margins: Floats) -> Floats:
        """Four times the product of the two probabilities."""
        return np.asarray(4.0 * expit(-2.0 * margins) * expit(2.0 * margins))

    def probability(self, scores: Floats) -> Floats:
        """1 / (1 + exp(-2 f))."""
        return np.asarray(expit(2.0 * scores))


class SquaredLoss:
    """(1 - v)^2 = (y - f)^2: least squares on the labels. The score is 2 P(y = 1) - 1."""

    at_zero, is_unbounded = 1.0, False

    def value(self, margins: Floats) -> Floats:
        """(1 - v)^2."""
        return (1.0 - margins) ** 2

    def pull(self, margins: Floats) -> Floats:
        """2 (1 - v): negative where the score goes beyond the label."""
        return 2.0 * (1.0 - margins)

    def curvature(self, margins: Floats) -> Floats:
        """2 everywhere."""
        return np.full(margins.shape, 2.0)

    def probability(self, scores: Floats) -> Floats:
        """(1 + f) / 2, clipped to [0, 1]."""
        return np.clip(0.5 * (1.0 + scores), 0.0, 1.0)


LOSSES: dict[str, Loss] = {
    "exponential": ExponentialLoss(),
    "logistic": LogisticLoss(),
    "squared": SquaredLoss(),
}
