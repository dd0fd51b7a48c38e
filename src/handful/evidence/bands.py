"""All thresholds at once: a band for the share of scores at or above each threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betaincinv

from handful.arrays import Floats, Ints
from handful.bounds import binomial_tail_inverse
from handful.checks import check_count, check_delta
from handful.evidence.limits import check_scores, complement, side_levels
from handful.evidence.loops import band_coverage

_DEVIATIONS = 9.0  # states further from the mean have a probability below 1e-18
_LARGEST_EXACT = 1500  # beyond it neighbouring order statistics are taken together
_LARGEST = 50_000  # beyond it the union bound is used
_SHIFT = 0.1  # standard deviations that a block of order statistics may span
_PAD = 1e-10  # more than the rounding error of the coverage and of the beta quantiles


@lru_cache(maxsize=64)
def _blocks(n: int) -> tuple[Ints, Ints]:
    """First and last order statistic of each block; blocks of one up to 1500."""
    first, last, i = [], [], 1
    while i <= n:
        width = int(_SHIFT * math.sqrt(i * (n - i) / n)) if n > _LARGEST_EXACT else 1
        end = min(n, i + max(width, 1) - 1)
        first.append(i)
        last.append(end)
        i = end + 1
    return np.array(first), np.array(last)


def _miss(n: int, level: float) -> float:
    """Probability that some order statistic is below its beta quantile, rounded up."""
    first, last = _blocks(n)
    cuts = np.minimum(betaincinv(last, n - last + 1.0, level) * (1.0 + _PAD), 1.0 - 1e-16)
    # At most i - 1 variables may be below cut i. For a block the smallest of these numbers is
    # asked for at the largest cut. This event is smaller, so the result is on the safe side.
    return float(1.0 - band_coverage(cuts, first - 1, n, _DEVIATIONS) + _PAD)


@lru_cache(maxsize=4096)
def local_level(n: int, delta: float) -> float:
    """Level of each single limit such that the one-sided limits hold for all thresholds at once.

    Statement: let U_(1) <= ... <= U_(n) be the order statistics of n uniform variables and b_i
    the quantile of U_(i) at the returned level. With probability 1 - delta at least, U_(i) >= b_i
    for all i. The level is the largest one, to a relative 1e-8, whose exact probability says so
    (equal local levels). It is at least delta / n, the union bound.

    The probability is computed by a recursion over a Poisson process; what it drops makes it
    smaller. For n above 1500, neighbouring order statistics within a tenth of a standard
    deviation are taken together. For n above 50 000 the result is delta / n. Both are valid and
    wider. Results are cached.

    Reference: Berk & Jones (1979); Noe (1972); Aldor-Noiman, Brown, Buja, Rolke & Stine (2013).

    Examples
    --------
    >>> round(local_level(30, 0.2), 5)
    0.02306
    """
    n, delta = check_count("n", n, low=1), check_delta(delta)
    union = delta / n
    if n == 1 or n > _LARGEST or _miss(n, union) > delta:
        return union

    def excess(log_level: float) -> float:
        return math.log(_miss(n, math.exp(log_level))) - math.log(delta)

    low, high = math.log(union), math.log(delta)
    if excess(high) <= 0.0:
        return delta
    root = brentq(excess, low, high, xtol=1e-9, rtol=1e-14)
    # The root may be on either side: step down to a level whose probability was computed.
    step = 1e-9
    while root - step > low:
        if excess(root - step) <= 0.0:
            return math.exp(root - step)
        step *= 2.0
    return union


@dataclass(frozen=True, eq=False, kw_only=True)
class SurvivalBand:
    """Limits of P(score >= t) at each threshold; they hold for all thresholds at once."""

    thresholds: Floats
    n_at_least: Ints
    n_rows: int
    lower: Floats
    upper: Floats
    delta: float


def survival_band(
    scores: ArrayLike, *, delta: float = 0.05, side: str = "both", at: ArrayLike | None = None
) -> SurvivalBand:
    """Limits of P(score >= t) for all thresholds t at once, by equal local levels.

    Statement: if the scores are independent with one distribution (with atoms or without), then
    with probability 1 - delta at least, lower(t) <= P(score >= t) <= upper(t) for all real t.
    Ties fall together. If both sides are asked for, each pays delta / 2. The limits at any t are
    those of the smallest score that is not below t.

    Parameters
    ----------
    scores : array-like
        One finite number a row.
    delta : float
    side : {"both", "below", "above"}
    at : array-like, optional
        Thresholds to look at; the scores themselves without it. Looking is free.

    Examples
    --------
    >>> band = survival_band([1, 2, 2, 3, 5, 8, 8, 9], delta=0.1, side="below", at=[2])
    >>> int(band.n_at_least[0]), round(float(band.lower[0]), 4)
    (7, 0.4581)
    """
    values = np.sort(check_scores("scores", scores))
    below, above = side_levels(delta, side)
    thresholds = np.unique(values) if at is None else np.asarray(at, dtype=np.float64)
    n = values.size
    k = n - np.searchsorted(values, thresholds, side="left")
    lower, upper = np.zeros(k.shape), np.ones(k.shape)
    if below is not None:
        level = math.log(local_level(n, below))
        lower = complement(binomial_tail_inverse(n - k, n, level))
    if above is not None:
        level = math.log(local_level(n, above))
        upper = np.asarray(binomial_tail_inverse(k, n, level))
    return SurvivalBand(
        thresholds=thresholds, n_at_least=k, n_rows=n, lower=lower, upper=upper, delta=delta
    )
