"""How many rows the default menu will need for a certificate of a given value."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from handful.bounds import binomial_tail_inverse, counted_needed, expected_errors
from handful.certified.form_candidates import POOL_SHARE
from handful.certified.masses import MASSES
from handful.tables import pool_size

_MASS = MASSES["favourite"]  # a favourite that is a pocket form holds more
_FEW = 5000  # counted rows


@dataclass(frozen=True)
class MenuPlan:
    """What can be expected of a menu of so many rows.

    Attributes
    ----------
    n_samples, n_counted, n_errors : int
        Rows, those outside the pool, and the errors expected among these, rounded up.
    risk : float
        Certificate of the favourite with that many errors.
    chance : float
        How often the favourite's certificate reaches the target, if its errors are as rare as
        said: a table may have a few more of them by chance.
    """

    n_samples: int
    n_counted: int
    n_errors: int
    risk: float
    chance: float


def _counted(n_samples: int) -> int:
    return n_samples - min(pool_size(n_samples, POOL_SHARE), max(1, n_samples - 1))


def menu_plan(
    n_samples: int, *, error_rate: float = 0.0, target_risk: float = 0.1, delta: float = 0.05
) -> MenuPlan:
    """The certificate that the favourite of a default menu will have on so many rows.

    Parameters
    ----------
    n_samples : int
        Rows of the table; half of them teach, the others only test.
    error_rate : float
        Errors that you expect of the favourite, as a share of the rows that only test.
    target_risk : float
        The certificate that you want; ``chance`` speaks of it.
    delta : float
        Allowed probability that a certificate fails.

    Examples
    --------
    >>> plan = menu_plan(80, error_rate=0.02)
    >>> plan.n_counted, plan.n_errors, round(plan.risk, 4), round(plan.chance, 2)
    (40, 1, 0.1268, 0.45)
    """
    n_counted = _counted(n_samples)
    n_errors = expected_errors(error_rate, n_counted)
    log_delta = math.log(delta) + math.log(_MASS)
    risk = float(binomial_tail_inverse(n_errors, n_counted, log_delta))
    most = _most_errors(n_counted, target_risk, log_delta)
    return MenuPlan(
        n_samples, n_counted, n_errors, risk, float(binom.cdf(most, n_counted, error_rate))
    )


def _most_errors(n_counted: int, target_risk: float, log_delta: float) -> int:
    """The largest number of errors with which the target is reached; -1 if none is enough."""

    def misses(n_errors: int) -> bool:
        return float(binomial_tail_inverse(n_errors, n_counted, log_delta)) > target_risk

    return bisect.bisect_left(range(n_counted + 1), True, key=misses) - 1


def menu_rows_needed(target_risk: float, *, error_rate: float = 0.0, delta: float = 0.05) -> int:
    """Smallest number of rows from which on the favourite of a default menu reaches the target.

    Reached in half of the tables or more, that is: `menu_plan` says how often.

    Parameters
    ----------
    target_risk : float
        Wanted value of the certificate, above ``error_rate``.
    error_rate, delta
        As in `menu_plan`.

    Examples
    --------
    >>> menu_rows_needed(0.1, error_rate=0.02)
    104
    """
    n_counted = counted_needed(target_risk, error_rate, message_nats=-math.log(_MASS), delta=delta)
    if n_counted <= _FEW:  # beyond, one error more or less is nothing
        counts = np.arange(1, 2 * n_counted + 10)
        usual = binom.ppf(0.5, counts, error_rate)
        risks = binomial_tail_inverse(usual, counts, math.log(delta) + math.log(_MASS))
        n_counted = int(counts[np.flatnonzero(risks > target_risk)[-1]]) + 1
    sizes = range(1, 3 * n_counted + 10)
    return sizes[bisect.bisect_left(sizes, n_counted, key=_counted)]
