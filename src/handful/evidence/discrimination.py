"""Area under the ROC curve: limits with a guarantee, and DeLong's estimate beside them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from handful.arrays import Floats
from handful.bounds import kl_inverse
from handful.checks import check_delta
from handful.evidence.limits import Limits, check_scores, complement, side_levels

_UP = 1.0 + 1e-14  # more than the rounding of a quotient of two whole numbers


def _doubled_wins(cases: Floats, others: Floats) -> Floats:
    """For each case, twice the number of others below it plus the number of ties."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, cases, side="left")
    return np.asarray(below + np.searchsorted(ordered, cases, side="right"), dtype=np.float64)


def auc_limits(
    cases: ArrayLike, non_cases: ArrayLike, *, delta: float = 0.05, side: str = "both"
) -> Limits:
    """Limits of the area under the ROC curve, P(case > non-case) + P(equal) / 2.

    Statement: if cases are independent with one distribution, non-cases likewise, and the score
    was fixed before these rows, then lower <= AUC <= upper with probability 1 - delta at least.
    The empirical area is a mean over ways to pair min(n1, n0) cases with non-cases. Each way is a
    mean of independent numbers in [0, 1]. By Jensen's inequality Chernoff's bound for one such
    mean holds for their average: P(kl(A^, A) >= x and A^ > A) <= exp(-min(n1, n0) x). Ties count
    one half. Reference: Hoeffding (1963), section 5.

    Examples
    --------
    >>> found = auc_limits([3, 4, 5, 6] * 10, [1, 2, 3, 4] * 10, side="below")
    >>> found.estimate, round(found.lower, 4)
    (0.875, 0.7135)
    """
    ones, zeros = check_scores("cases", cases), check_scores("non_cases", non_cases)
    below, above = side_levels(delta, side)
    doubled, n_pairs = math.fsum(_doubled_wins(ones, zeros)), 2.0 * ones.size * zeros.size
    n = min(ones.size, zeros.size)
    lower, upper = 0.0, 1.0
    if below is not None:
        lost = min(1.0, (n_pairs - doubled) / n_pairs * _UP)
        lower = float(complement(kl_inverse(lost, -math.log(below) / n)))
    if above is not None:
        upper = float(kl_inverse(min(1.0, doubled / n_pairs * _UP), -math.log(above) / n))
    return Limits(estimate=doubled / n_pairs, lower=lower, upper=upper, delta=delta)


def delong_estimate(cases: ArrayLike, non_cases: ArrayLike, *, delta: float = 0.05) -> Limits:
    """DeLong's interval of the area under the ROC curve: an estimate, without a guarantee.

    The normal approximation with the variance of DeLong, DeLong & Clarke-Pearson (1988), cut to
    [0, 1]. It is the interval that other software prints. In small samples, or if the area is
    near 1, it misses more often than delta.

    Examples
    --------
    >>> found = delong_estimate([3, 4, 5, 6] * 10, [1, 2, 3, 4] * 10)
    >>> round(found.lower, 4), round(found.upper, 4), found.is_guaranteed
    (0.8071, 0.9429, False)
    """
    ones, zeros = check_scores("cases", cases), check_scores("non_cases", non_cases)
    delta = check_delta(delta)
    if min(ones.size, zeros.size) < 2:
        raise ValueError(
            f"a variance needs two rows of each class, got {ones.size} cases and {zeros.size} "
            "non-cases. Use auc_limits."
        )
    wins = _doubled_wins(ones, zeros) / (2.0 * zeros.size)
    losses = _doubled_wins(zeros, ones) / (2.0 * ones.size)
    area = float(wins.mean())
    variance = wins.var(ddof=1) / ones.size + losses.var(ddof=1) / zeros.size
    reach = float(-ndtri(0.5 * delta) * math.sqrt(variance))
    return Limits(
        estimate=area,
        lower=max(0.0, area - reach),
        upper=min(1.0, area + reach),
        delta=delta,
        is_guaranteed=False,
    )
