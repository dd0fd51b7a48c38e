"""The rounds of AdaBoost: arrays in, learners and their weights out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.boosting._columns import ColumnFamily

#: A learner whose edge is no larger than this is no better than chance.
CHANCE = 1e-10


@dataclass(frozen=True)
class Round:
    """One round of AdaBoost.

    Attributes
    ----------
    key : object
        The weak learner.
    alpha : float
        Its weight.
    error : float
        Weighted error; an abstention counts one half, a real value (1 - y h) / 2.
    Z : float
        Factor by which the exponential loss falls.
    """

    key: Any
    alpha: float
    error: float
    Z: float


@dataclass(frozen=True)
class Boosted:
    """Result of `adaboost_rounds`.

    Attributes
    ----------
    rounds : list of Round
        Empty where the first learner was no better than chance.
    stopped : {"rounds", "perfect", "chance"}
        Why it ended.
    """

    rounds: list[Round]
    stopped: str


def adaboost_rounds(
    family: ColumnFamily, y_signed: Floats, weights: Floats, n_rounds: int
) -> Boosted:
    """Boost for up to ``n_rounds`` rounds from the distribution ``weights``.

    The product of all Z equals the weighted mean of exp(-y f). A learner without error on the
    weighted examples ends the run and stands alone: its optimal weight is infinite, so it gets
    the one that puts the probability of its label at 1 - 1/(2 m).
    """
    distribution = weights / weights.sum()
    rounds: list[Round] = []
    for _ in range(n_rounds):
        column = family.best(distribution * y_signed)[0]
        agreement = y_signed * column.values
        edge = float(distribution @ agreement)
        if edge <= CHANCE:
            return Boosted(rounds, "chance")
        # Examples without weight have no say in what is perfect.
        if np.all(agreement[distribution > 0.0] > 0.0):
            alpha = capped_alpha(y_signed.size, edge)
            start = weights / weights.sum()
            loss = float(start @ np.exp(-alpha * agreement))
            return Boosted([Round(column.key, alpha, _error(start, agreement), loss)], "perfect")
        alpha = best_alpha(distribution, agreement)
        moved = distribution * np.exp(-alpha * agreement)
        Z = float(moved.sum())
        rounds.append(Round(column.key, alpha, _error(distribution, agreement), Z))
        distribution = moved / Z
    return Boosted(rounds, "rounds")


def _error(distribution: Floats, agreement: Floats) -> float:
    return min(1.0, max(0.0, 0.5 * (1.0 - float(distribution @ agreement))))


def capped_alpha(n_samples: int, edge: float) -> float:
    """Weight of a perfect learner: edge times alpha is half the log odds of 1 - 1/(2 m).

    Examples
    --------
    >>> round(capped_alpha(10, 1.0), 6)
    1.472219
    """
    return 0.5 * math.log(max(2.0, 2.0 * n_samples - 1.0)) / edge


def best_alpha(distribution: Floats, agreement: Floats) -> float:
    """Minimiser of Z(alpha) = sum_i D_i exp(-alpha y_i h(x_i)).

    Closed form for values -1, 0, 1; otherwise Newton's method on the convex Z, safeguarded by
    bisection. A learner that abstains and is never wrong gets the weight of a perfect one.

    Examples
    --------
    >>> import numpy as np
    >>> round(best_alpha(np.full(10, 0.1), np.array([1.0] * 7 + [-1.0] * 3)), 8)
    0.42364893
    """
    if not np.any(agreement[distribution > 0.0] < 0.0):
        return capped_alpha(agreement.size, float(agreement.max()))
    if np.all((agreement == 1.0) | (agreement == -1.0) | (agreement == 0.0)):
        right = float(distribution[agreement > 0.0].sum())
        wrong = float(distribution[agreement < 0.0].sum())
        return 0.5 * math.log(right / wrong)
    return _newton_alpha(distribution, agreement)


def _newton_alpha(distribution: Floats, agreement: Floats) -> float:
    # In units of the largest |y h| the minimiser is found on the scale of one.
    scale = float(np.abs(agreement).max())
    values = agreement / scale
    low, high, alpha = 0.0, math.inf, 0.0
    for _ in range(200):
        # The largest exponent is taken off: slope over curvature does not change, and nothing
        # overflows.
        terms = distribution * np.exp(-alpha * values - (-alpha * values).max())
        slope, curvature = -float(terms @ values), float(terms @ values**2)
        if slope > 0.0:
            high = alpha
        else:
            low = alpha
        step = alpha - slope / curvature if curvature > 0.0 else math.nan
        # Newton left the bracket (or there is no curvature): halve it, or go on doubling.
        if not low < step < high:
            step = 0.5 * (low + high) if math.isfinite(high) else 2.0 * low + 1.0
        if abs(step - alpha) <= 1e-14 * (1.0 + abs(alpha)):
            break
        alpha = step
    return alpha / scale
