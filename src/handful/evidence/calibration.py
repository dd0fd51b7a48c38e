"""Calibration: Brier score, calibration in the large and reliability, each with limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats, Ints
from handful.bounds import betting_bound, binomial_tail_inverse
from handful.checks import check_delta
from handful.evidence.limits import (
    Limits,
    check_order,
    check_outcomes,
    check_probabilities,
    complement,
    side_levels,
)

_ROUNDING = 1e-15  # a loss or its complement is wrong by less
_LOGIT_END = 1e-6  # risks nearer to 0 or 1 have no useful logarithm of odds
_STEPS = 50  # of Newton's method, which needs about eight


def mean_limits(
    losses: ArrayLike, *, delta: float = 0.05, side: str = "both", method: str = "betting"
) -> Limits:
    """Limits of the mean of numbers in [0, 1], by `betting_bound` on them and on 1 minus them.

    Statement: if rows are independent with one distribution and stand in an order that does not
    depend on their losses, then lower <= mean <= upper with probability 1 - delta at least. A file
    that is sorted by its outcome needs a blind order first, or ``method="kl"``, which does not
    depend on the order. Reference: Waudby-Smith & Ramdas (2024).

    Examples
    --------
    >>> found = mean_limits([0.1, 0.3, 0.2, 0.2] * 10)
    >>> round(found.lower, 4), round(found.upper, 4)
    (0.1604, 0.2747)
    """
    values = check_probabilities("losses", losses)
    below, above = side_levels(delta, side)
    lower, upper = 0.0, 1.0
    if below is not None:
        rest = np.minimum(1.0 - values + _ROUNDING, 1.0).tolist()
        lower = float(complement(np.asarray(betting_bound(rest, delta=below, method=method).risk)))
    if above is not None:
        upper = betting_bound(values.tolist(), delta=above, method=method).risk
    return Limits(estimate=float(values.mean()), lower=lower, upper=upper, delta=delta)


def brier_limits(
    probabilities: ArrayLike,
    outcomes: ArrayLike,
    *,
    delta: float = 0.05,
    side: str = "above",
    method: str = "betting",
) -> Limits:
    """Limits of the Brier score E[(probability - outcome)^2]; statement as in `mean_limits`.

    Examples
    --------
    >>> found = brier_limits([0.1, 0.2, 0.8, 0.9] * 20, [0, 0, 1, 1] * 20)
    >>> round(found.estimate, 4), round(found.upper, 4)
    (0.025, 0.0615)
    """
    p = check_probabilities("probabilities", probabilities)
    y = check_outcomes("outcomes", outcomes, p.size)
    losses = np.minimum(np.square(p - y) * (1.0 + _ROUNDING), 1.0)
    return mean_limits(losses, delta=delta, side=side, method=method)


def calibration_in_the_large(
    probabilities: ArrayLike,
    outcomes: ArrayLike,
    *,
    delta: float = 0.05,
    method: str = "betting",
) -> Limits:
    """Limits of E[outcome - probability]: above 0 if risks are predicted too low on average.

    The numbers (1 + outcome - probability) / 2 are in [0, 1]; the statement is that of
    `mean_limits` for them.

    Examples
    --------
    >>> found = calibration_in_the_large([0.1, 0.2, 0.8, 0.9] * 20, [0, 0, 1, 1] * 20)
    >>> round(found.lower, 4), round(found.upper, 4)
    (-0.058, 0.0578)
    """
    p = check_probabilities("probabilities", probabilities)
    y = check_outcomes("outcomes", outcomes, p.size)
    half = mean_limits(0.5 * (1.0 + y - p), delta=delta, method=method)
    return Limits(
        estimate=float(np.mean(y - p)),
        lower=max(-1.0, 2.0 * half.lower - 1.0 - 4.0 * _ROUNDING),
        upper=min(1.0, 2.0 * half.upper - 1.0 + 4.0 * _ROUNDING),
        delta=delta,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability:
    """Share of events in bins of the predicted probability, with limits that hold at once."""

    edges: Floats
    n_rows: Ints
    n_events: Ints
    mean_probability: Floats
    lower: Floats
    upper: Floats
    delta: float


def reliability(
    probabilities: ArrayLike, outcomes: ArrayLike, *, edges: ArrayLike, delta: float = 0.05
) -> Reliability:
    """Clopper-Pearson limits of P(event | bin), for all bins and both sides at once.

    Statement: if rows are independent with one distribution and the edges were fixed before these
    rows, then lower <= P(event | bin) <= upper in all bins with probability 1 - delta at least.
    Given which rows are in a bin, its events are binomial. Every bin and every side pays an equal
    share, also if the bin is empty. A bin holds its left edge; the last one holds both.

    Examples
    --------
    >>> found = reliability([0.1, 0.2, 0.8, 0.9] * 20, [0, 0, 1, 1] * 20, edges=[0, 0.5, 1])
    >>> found.n_events.tolist(), found.upper.round(4).tolist()
    ([0, 40], [0.1038, 1.0])
    """
    p = check_probabilities("probabilities", probabilities)
    y = check_outcomes("outcomes", outcomes, p.size)
    cuts = check_order("edges", np.asarray(edges).tolist())
    n_bins = cuts.size - 1
    if n_bins < 1 or p.min() < cuts[0] or p.max() > cuts[-1]:
        raise ValueError(
            f"`edges` must enclose all probabilities, got {cuts.tolist()}. Use 0 and 1 as ends."
        )
    place = np.minimum(np.searchsorted(cuts, p, side="right") - 1, n_bins - 1)
    n_rows = np.bincount(place, minlength=n_bins)
    n_events = np.bincount(place[y == 1.0], minlength=n_bins)
    sums = np.bincount(place, weights=p, minlength=n_bins)
    level = math.log(check_delta(delta) / (2.0 * n_bins))
    # An empty bin has the limits 0 and 1.
    return Reliability(
        edges=cuts,
        n_rows=n_rows,
        n_events=n_events,
        mean_probability=np.divide(sums, n_rows, out=np.full(n_bins, np.nan), where=n_rows > 0),
        lower=complement(binomial_tail_inverse(n_rows - n_events, n_rows, level)),
        upper=np.asarray(binomial_tail_inverse(n_events, n_rows, level)),
        delta=delta,
    )


def calibration_line(probabilities: ArrayLike, outcomes: ArrayLike) -> tuple[float, float]:
    """Intercept and slope of a logistic regression on the log odds of the risks: an estimate.

    The slope is 1 if risks are neither too extreme (below 1) nor too timid (above 1). NaN if the
    regression has no finite solution. Reference: Cox (1958).

    Examples
    --------
    >>> found = calibration_line([0.2, 0.8] * 50, [0, 1, 1, 0, 0, 1, 0, 1, 0, 1] * 10)
    >>> [abs(round(value, 3)) for value in found]
    [0.0, 1.0]
    """
    p = check_probabilities("probabilities", probabilities)
    y = check_outcomes("outcomes", outcomes, p.size)
    cut = np.clip(p, _LOGIT_END, 1.0 - _LOGIT_END)
    design = np.column_stack([np.ones(p.size), np.log(cut) - np.log1p(-cut)])
    line = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        fitted = 1.0 / (1.0 + np.exp(-np.clip(design @ line, -30.0, 30.0)))
        hessian = (design * (fitted * (1.0 - fitted))[:, None]).T @ design
        if not np.linalg.cond(hessian) < 1e12:
            return math.nan, math.nan
        step = np.linalg.solve(hessian, design.T @ (y - fitted))
        line = line + step
        if np.abs(step).max() < 1e-10:
            return float(line[0]), float(line[1])
    return math.nan, math.nan
