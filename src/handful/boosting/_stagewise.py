"""Stagewise additive models: boosting as descent on a loss, one weak learner at a time."""

from __future__ import annotations

import math

import numpy as np

from handful._types import Floats
from handful.boosting._columns import ColumnFamily
from handful.boosting._losses import Loss
from handful.boosting._rounds import CHANCE, Boosted, Round, capped_alpha


def stagewise_rounds(
    family: ColumnFamily, y_signed: Floats, weights: Floats, n_rounds: int, loss: Loss
) -> Boosted:
    """Add the weak learner along which the mean loss falls steepest, with its best weight.

    With the exponential loss these are the rounds of AdaBoost. The product of all Z is the
    weighted mean loss over its value at 0, which bounds the training error. A learner that is
    never wrong gets, where the loss has no minimum, the weight that puts the probability of its
    label at 1 - 1/(2 m).
    """
    start = weights / weights.sum()
    margins = np.zeros(y_signed.size)
    mean_loss = loss.at_zero
    rounds: list[Round] = []
    for _ in range(n_rounds):
        pull = start * loss.pull(margins)
        size = float(np.abs(pull).sum())
        if size <= CHANCE:
            return Boosted(rounds, "perfect")
        column = family.best(pull * y_signed)[0]
        agreement = y_signed * column.values
        edge = float(pull @ agreement) / size
        if edge <= CHANCE:
            return Boosted(rounds, "chance")
        alpha = best_step(start, margins, agreement, loss)
        margins = margins + alpha * agreement
        fallen = float(start @ loss.value(margins))
        error = min(1.0, max(0.0, 0.5 * (1.0 - edge)))
        rounds.append(Round(column.key, alpha, error, fallen / mean_loss))
        mean_loss = fallen
        if mean_loss <= 0.0:
            return Boosted(rounds, "perfect")
    return Boosted(rounds, "rounds")


def best_step(start: Floats, margins: Floats, agreement: Floats, loss: Loss) -> float:
    """Minimiser of the mean loss of margins + alpha agreement over alpha >= 0.

    Newton's method on a convex function, safeguarded by bisection; closed form for squares,
    where the first step is exact.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.boosting._losses import LOSSES
    >>> agreement = np.array([1.0] * 7 + [-1.0] * 3)
    >>> round(best_step(np.full(10, 0.1), np.zeros(10), agreement, LOSSES["squared"]), 8)
    0.4
    >>> round(best_step(np.full(10, 0.1), np.zeros(10), agreement, LOSSES["logistic"]), 8)
    0.42364893
    """
    is_used = start > 0.0
    if loss.is_unbounded and not np.any(agreement[is_used] < 0.0):
        return capped_alpha(agreement.size, float(agreement.max()))
    low, high, alpha = 0.0, math.inf, 0.0
    for _ in range(200):
        at = margins + alpha * agreement
        slope = -float(start @ (loss.pull(at) * agreement))
        bend = float(start @ (loss.curvature(at) * agreement**2))
        low, high = (low, alpha) if slope > 0.0 else (alpha, high)
        step = alpha - slope / bend if bend > 0.0 else math.nan
        if not low <= step <= high:
            step = 0.5 * (low + high) if math.isfinite(high) else 2.0 * low + 1.0
        if abs(step - alpha) <= 1e-14 * (1.0 + abs(alpha)):
            return step
        alpha = step
    return alpha
