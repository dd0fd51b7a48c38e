"""The number of examples that a certificate will need."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds.messages import log_zeta_prior
from handful.bounds.tails import binomial_tail_inverse, log_binomial_coefficient
from handful.checks import check_count, check_delta, check_nats, check_real

_LARGEST = 10**9  # largest planned number of examples; counts are exact floats below it


def _exact_rate(error_rate: float) -> Fraction:
    """The rate as a fraction, rounded down a little: 0.07 of 100 examples are 7 errors, not 8."""
    return Fraction(error_rate) * (1 - Fraction(1, 10**12))


def expected_errors(error_rate: float, n_counted: int) -> int:
    """Expected errors among ``n_counted`` examples at a given rate, rounded up.

    Examples
    --------
    >>> expected_errors(0.07, 100), expected_errors(0.02, 48)
    (7, 1)
    """
    rate = check_real("error_rate", error_rate, low=0.0, high=1.0, hint="Pass a share.")
    return math.ceil(_exact_rate(rate) * n_counted)


def _fixed_nats(n_compressed: int, message_nats: float, delta: float) -> float:
    """The nats of `compression_bound` that do not depend on the number of examples."""
    return log_zeta_prior(n_compressed) + message_nats - math.log(delta)


def _risks(
    n_samples: list[int], n_errors: list[int], n_compressed: int, fixed_nats: float
) -> Floats:
    """The risk of `compression_bound` for every pair of counts."""
    m = np.asarray(n_samples, dtype=np.float64)
    nats = log_binomial_coefficient(m, n_compressed) + fixed_nats
    return np.atleast_1d(binomial_tail_inverse(n_errors, m - n_compressed, -nats))


def planned_risk(
    n_samples: int,
    error_rate: float = 0.0,
    n_compressed: int = 3,
    message_nats: float = 0.0,
    delta: float = 0.05,
) -> float:
    """Value of `compression_bound` at this error rate (errors rounded up).

    Parameters as in `samples_needed`.

    Examples
    --------
    >>> round(planned_risk(427, error_rate=0.02), 6)
    0.099894
    """
    rate, d, nats, delta = _check_plan(error_rate, n_compressed, message_nats, delta)
    m = check_count("n_samples", n_samples, low=max(1, d))
    return float(_risks([m], [expected_errors(rate, m - d)], d, _fixed_nats(d, nats, delta))[0])


def _check_plan(
    error_rate: float, n_compressed: int, message_nats: float, delta: float
) -> tuple[float, int, float, float]:
    return (
        check_real("error_rate", error_rate, low=0.0, high=1.0, hint="Pass a share."),
        check_count("n_compressed", n_compressed),
        check_nats("message_nats", message_nats),
        check_delta(delta),
    )


def samples_needed(
    target_risk: float,
    error_rate: float = 0.0,
    n_compressed: int = 3,
    message_nats: float = 0.0,
    delta: float = 0.05,
) -> int:
    """Smallest n such that `compression_bound` reaches ``target_risk`` for n or more examples.

    The error rate outside the compression set, the size of the compression set and the message
    are taken as given.

    Parameters
    ----------
    target_risk : float
        Wanted value of the certificate, above ``error_rate``.
    error_rate : float
        Expected share of errors outside the compression set.
    n_compressed : int
        Expected size of the compression set. The prior over sizes is paid.
    message_nats : float
        Expected message beside the compression set.
    delta : float
        Allowed probability of failure.

    Returns
    -------
    int

    Examples
    --------
    >>> samples_needed(0.1, error_rate=0.02)
    427
    """
    rate, d, nats, delta = _check_plan(error_rate, n_compressed, message_nats, delta)
    return _needed(target_risk, rate, d, _fixed_nats(d, nats, delta))


def counted_needed(
    target_risk: float, error_rate: float = 0.0, *, message_nats: float = 0.0, delta: float = 0.05
) -> int:
    """Smallest n such that `pool_bound` reaches ``target_risk`` for n or more counted examples.

    Parameters as in `samples_needed`. The pool is not counted, and its size is not paid.

    Examples
    --------
    >>> counted_needed(0.1, error_rate=0.02)
    61
    """
    # The pool is named for free, so neither a size nor a choice of examples is paid.
    rate, _, nats, delta = _check_plan(error_rate, 0, message_nats, delta)
    return _needed(target_risk, rate, 0, nats - math.log(delta))


def _needed(target_risk: float, rate: float, d: int, fixed_nats: float) -> int:
    """Smallest number of examples such that the target is reached there and beyond."""
    target = check_real(
        "target_risk", target_risk, low=0.0, high=1.0, low_open=True, high_open=True
    )
    if rate >= target:
        raise ValueError(
            f"`target_risk` must be above `error_rate`, got {target:g} and {rate:g}. "
            "No number of examples certifies less than the errors that are made."
        )
    share = _exact_rate(rate)

    def are_enough(sizes: list[int], errors: list[int]) -> NDArray[np.bool_]:
        return np.asarray(_risks(sizes, errors, d, fixed_nats) <= target)

    def is_enough(n: int, extra: int = 0) -> bool:
        return bool(are_enough([n], [math.ceil(share * (n - d)) + extra])[0])

    # With one error more the risk covers the next tooth, so all larger numbers are enough.
    largest = _first(lambda n: is_enough(n, extra=1), d, _LARGEST)
    if largest is None:
        raise ValueError(
            f"`target_risk` = {target:g} needs more than {_LARGEST:.0e} examples. "
            "Raise it, or lower `error_rate`."
        )
    # The risk falls between two teeth: bisection is correct after the last tooth that fails.
    start = _last_failing_tooth(are_enough, share, d, largest) if rate else d
    found = _first(is_enough, start, largest)
    return largest if found is None else found


def _last_failing_tooth(
    are_enough: Callable[[list[int], list[int]], NDArray[np.bool_]],
    share: Fraction,
    d: int,
    largest: int,
) -> int:
    """Last number of examples at which an error is added and the target is missed.

    The risk as a function of n has saw-teeth: it jumps when an error is added and falls until
    the next one. All numbers from ``largest`` on are enough, even with one error more.
    """
    # From the last tooth back, in blocks that double: the bound is computed for a block at once.
    last, width = math.ceil(share * (largest - d)), 16
    while last >= 1:
        errors = list(range(last, max(0, last - width), -1))
        # The number of examples at which the j-th error is expected.
        sizes = [d + math.floor((j - 1) / share) + 1 for j in errors]
        failing = np.flatnonzero(~are_enough(sizes, errors))
        if failing.size:
            return sizes[int(failing[0])]
        last, width = last - width, 2 * width
    return d


def _first(is_enough: Callable[[int], bool], low: int, largest: int) -> int | None:
    """Smallest n above ``low`` that is enough, by doubling and bisection; None above largest."""
    step = 1
    while low + step < largest and not is_enough(low + step):
        step *= 2
    low, high = low + step // 2, min(low + step, largest)
    if not is_enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
