"""Two scores on the same rows: exact on the rows on which only one of them errs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from handful.bounds import log_binomial_cdf
from handful.checks import check_count, check_delta
from handful.evidence.limits import rate_limits

_SHARE = 0.75  # of each side's level, for who errs; the rest for how often the scores differ
_SLACK = 1e-14  # more than the rounding of a product


@dataclass(frozen=True, kw_only=True)
class PairedDifference:
    """Error of the first score minus error of the second, with limits, and the exact test.

    ``p_value`` is that of "the second is not better than the first". Limits and test are two
    statements, each at its own level: name beforehand which one is asked for, or add the levels.
    """

    estimate: float
    lower: float
    upper: float
    p_value: float
    delta: float


def paired_difference(
    n_first_only: int, n_second_only: int, n_rows: int, *, delta: float = 0.05
) -> PairedDifference:
    """Limits of R1 - R2 for two classifiers on the same rows, and the test that R2 < R1.

    Statement: let rows be independent with one distribution and both classifiers be fixed before
    them. Then lower <= R1 - R2 <= upper with probability 1 - delta at least, and p_value <= x has
    a probability of x at most if R2 >= R1.

    Given the number d of rows on which exactly one errs, the number on which it is the first is
    binomial with the share s, and R1 - R2 = q (2 s - 1) with q the probability that exactly one
    errs. The limit from below is q_L (2 s_L - 1) if s_L >= 1/2, otherwise q_U (2 s_L - 1). Each
    side has delta / 2: three quarters for s and one quarter for q. One limit of q is enough for a
    side: if R1 >= R2, a negative limit is true anyway, so q_L alone can fail; if R1 < R2 and s_L
    is true, s_L < 1/2, so q_U alone can fail.

    Reference: McNemar (1947), the exact form; Clopper & Pearson (1934).

    Parameters
    ----------
    n_first_only, n_second_only : int
        Rows on which only the first, only the second errs.
    n_rows : int
        All rows, also those on which both err or none.
    delta : float

    Examples
    --------
    >>> found = paired_difference(30, 8, 200)
    >>> round(found.estimate, 3), round(found.lower, 4), round(found.upper, 4)
    (0.11, 0.0295, 0.2199)
    >>> round(found.p_value, 6)
    0.000236
    """
    n = check_count("n_rows", n_rows, low=1)
    first = check_count("n_first_only", n_first_only, high=n)
    second = check_count("n_second_only", n_second_only, high=n - first)
    delta, n_differ = check_delta(delta), first + second
    # Each record has two sides, and a side pays half of the level that is passed.
    share = rate_limits(first, n_differ, delta=_SHARE * delta)
    differ = rate_limits(n_differ, n, delta=(1.0 - _SHARE) * delta)
    low, high = 2.0 * share.lower - 1.0, 2.0 * share.upper - 1.0
    # Under equality the first-only rows are fair coin flips, given their sum.
    log_p = float(log_binomial_cdf(second, n_differ, 0.5))
    return PairedDifference(
        estimate=(first - second) / n,
        lower=max(-1.0, low * (differ.lower if low >= 0.0 else differ.upper) - _SLACK),
        upper=min(1.0, high * (differ.lower if high <= 0.0 else differ.upper) + _SLACK),
        p_value=min(1.0, math.exp(log_p) * (1.0 + _SLACK)),
        delta=delta,
    )
