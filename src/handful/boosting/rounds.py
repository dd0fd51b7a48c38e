"""Rounds of boosting, for the exponential and other losses: arrays in, weighted learners out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from handful.arrays import Floats
from handful.boosting.weak_learners import ColumnFamily
from handful.tables import spread_folds

#: A learner whose edge is no larger than this is no better than chance.
CHANCE = 1e-10


@dataclass(frozen=True)
class Round:
    """A weak learner and its weight; ``Z`` is the factor by which the loss falls."""

    key: Any
    alpha: float
    error: float  # weighted mean of (1 - y h) / 2; an abstention counts one half
    Z: float


@dataclass(frozen=True)
class Boosted:
    """All rounds, none if the first learner is no better than chance."""

    rounds: list[Round]
    stopped: Literal["rounds", "perfect", "chance"]


def adaboost_rounds(
    family: ColumnFamily, y_signed: Floats, weights: Floats, n_rounds: int
) -> Boosted:
    """Boost for up to ``n_rounds`` rounds from the distribution ``weights``.

    The product of all Z equals the weighted mean of exp(-y f). A learner without error ends the
    run and replaces the vote. Its optimal weight is infinite, so it gets the `capped_alpha`.
    """
    distribution = weights / weights.sum()
    rounds: list[Round] = []
    for _ in range(n_rounds):
        column = family.best(distribution * y_signed)[0]
        agreement = y_signed * column.values
        edge = float(distribution @ agreement)
        if edge <= CHANCE:
            return Boosted(rounds, "chance")
        # Examples of weight zero do not count.
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
    """Weight of a perfect learner; it puts the probability of its label at 1 - 1/(2 m).

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
    # Divide by the largest |y h|, so that the minimiser is of the order of one.
    scale = float(np.abs(agreement).max())
    values = agreement / scale
    low, high, alpha = 0.0, math.inf, 0.0
    for _ in range(200):
        # Subtract the largest exponent: slope over curvature does not change, and no term
        # overflows.
        terms = distribution * np.exp(-alpha * values - (-alpha * values).max())
        slope, curvature = -float(terms @ values), float(terms @ values**2)
        if slope > 0.0:
            high = alpha
        else:
            low = alpha
        step = alpha - slope / curvature if curvature > 0.0 else math.nan
        # Newton's step leaves the bracket, or there is no curvature: halve the bracket, or double.
        if not low < step < high:
            step = 0.5 * (low + high) if math.isfinite(high) else 2.0 * low + 1.0
        if abs(step - alpha) <= 1e-14 * (1.0 + abs(alpha)):
            break
        alpha = step
    return alpha / scale


@dataclass(frozen=True)
class Loss:
    """A convex loss of the margin v = y f that is at least ``at_zero`` for every v <= 0.

    So the mean loss divided by ``at_zero`` bounds the training error.
    """

    at_zero: float
    is_unbounded: bool  # no minimum: the best weight of a learner without error is infinite
    value: Callable[[Floats], Floats]
    pull: Callable[[Floats], Floats]  # minus the derivative
    curvature: Callable[[Floats], Floats]
    probability: Callable[[Floats], Floats]  # P(y = 1) for which a score is optimal


def _exponential(margins: Floats) -> Floats:
    return np.exp(-margins)


def _from_half_log_odds(scores: Floats) -> Floats:
    return np.asarray(expit(2.0 * scores))


LOSSES: dict[str, Loss] = {
    # exp(-v): AdaBoost.
    "exponential": Loss(1.0, True, _exponential, _exponential, _exponential, _from_half_log_odds),
    # ln(1 + exp(-2 v)): logistic regression; no example pulls by more than 2.
    "logistic": Loss(
        float(np.log(2.0)),
        True,
        lambda v: np.logaddexp(0.0, -2.0 * v),
        lambda v: np.asarray(2.0 * expit(-2.0 * v)),
        lambda v: np.asarray(4.0 * expit(-2.0 * v) * expit(2.0 * v)),
        _from_half_log_odds,
    ),
    # (1 - v)^2 = (y - f)^2: least squares on the labels. The score is 2 P(y = 1) - 1.
    "squared": Loss(
        1.0,
        False,
        lambda v: (1.0 - v) ** 2,
        lambda v: 2.0 * (1.0 - v),
        lambda v: np.full(v.shape, 2.0),
        lambda f: np.clip(0.5 * (1.0 + f), 0.0, 1.0),
    ),
}


def stagewise_rounds(
    family: ColumnFamily, y_signed: Floats, weights: Floats, n_rounds: int, loss: Loss
) -> Boosted:
    """Add the weak learner along which the mean loss falls steepest, with its best weight.

    With the exponential loss these are the rounds of AdaBoost. The product of all Z is the
    weighted mean loss divided by its value at 0, which bounds the training error.
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

    Newton's method on a convex function, safeguarded by bisection. For the squared loss the
    first step is exact. A learner that is never wrong gets the `capped_alpha` if the loss has no
    minimum.

    Examples
    --------
    >>> import numpy as np
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


#: Most rounds that "auto" looks at: later ones seldom err less.
MOST_ROUNDS = 300
_N_FOLDS = 5  # each vote sees four fifths of the examples
#: A fixed seed: the folds are drawn from the sorted, merged examples.
_SEED = 19970801


def choose_rounds(
    rows: Floats,
    y_signed: Floats,
    weights: Floats,
    boost: Callable[[Floats, Floats, Floats, int], Boosted],
    vote_of: Callable[[list[tuple[Any, float]]], Callable[[Floats], Floats]],
) -> int:
    """The number of rounds with the fewest errors in a cross-validation; of equal ones, the least.

    One path of ``boost`` a fold serves all numbers; ``vote_of`` makes a score of weak learners.
    """
    losses = np.zeros(MOST_ROUNDS)
    folds = spread_folds(y_signed, _N_FOLDS, _SEED)
    for fold in range(_N_FOLDS):
        train, test = folds != fold, folds == fold
        if not test.any() or np.unique(y_signed[train]).size < 2:
            continue
        boosted = boost(rows[train], y_signed[train], weights[train], MOST_ROUNDS)
        scores, lost = np.zeros(int(test.sum())), 0.0
        for t in range(MOST_ROUNDS):  # a path that ended early stays as it was
            if t < len(boosted.rounds):
                one = boosted.rounds[t]
                scores += vote_of([(one.key, one.alpha)])(rows[test])
                lost = float(weights[test] @ (np.where(scores > 0.0, 1.0, -1.0) != y_signed[test]))
            losses[t] += lost
    return 1 + int(np.argmin(np.round(losses, 6)))
