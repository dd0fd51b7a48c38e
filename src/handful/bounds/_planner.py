"""How many examples a certificate will need."""

from __future__ import annotations

import math
from collections.abc import Callable

from handful.bounds._messages import log_zeta_prior
from handful.bounds._tails import binomial_tail_inverse, log_binomial_coefficient
from handful.bounds._validation import check_count, check_delta, check_nats, check_real

_LARGEST = 10**9


def _errors(n_samples: int, error_rate: float, n_compressed: int) -> int:
    return math.ceil(round(error_rate * (n_samples - n_compressed), 9))


def planned_risk(
    n_samples: int, error_rate: float, n_compressed: int, message_nats: float, delta: float
) -> float:
    """Value of `compression_bound` if the training error rate stays as it is (rounded up)."""
    n_outside = n_samples - n_compressed
    n_errors = _errors(n_samples, error_rate, n_compressed)
    nats = float(log_binomial_coefficient(n_samples, n_compressed)) + log_zeta_prior(n_compressed)
    return float(
        binomial_tail_inverse(n_errors, n_outside, -(nats + message_nats - math.log(delta)))
    )


def samples_needed(
    target_risk: float,
    error_rate: float = 0.0,
    n_compressed: int = 3,
    message_nats: float = 0.0,
    delta: float = 0.05,
) -> int:
    """Smallest number of examples from which on `compression_bound` reaches ``target_risk``.

    "How many more examples for a bound of 0.1?" The training error rate (outside the
    compression set), the size of the compression set and the message are taken as given.

    Parameters
    ----------
    target_risk : float
        Wanted value of the certificate, above ``error_rate``.
    error_rate : float
        Expected share of errors outside the compression set.
    n_compressed : int
        Expected size of the compression set; its size prior is paid.
    message_nats : float
        Expected message beside it.
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
    target = check_real(
        "target_risk", target_risk, low=0.0, high=1.0, low_open=True, high_open=True
    )
    rate = check_real("error_rate", error_rate, low=0.0, high=1.0, hint="Pass a share.")
    d = check_count("n_compressed", n_compressed)
    nats, delta = check_nats("message_nats", message_nats), check_delta(delta)
    if rate >= target:
        raise ValueError(
            f"`target_risk` must be above `error_rate`, got {target:g} and {rate:g}. "
            "No number of examples certifies less than the errors that are made."
        )

    def is_enough(n: int) -> bool:
        return planned_risk(n, rate, d, nats, delta) <= target

    n = _first(is_enough, d, _LARGEST)
    while n is not None:
        # whole errors make saw-teeth: every later tooth must stay below the target too
        teeth = [_next_tooth(n, rate, d, ahead) for ahead in range(1, 9)] if rate > 0 else []
        bad = [tooth for tooth in teeth if tooth <= _LARGEST and not is_enough(tooth)]
        if not bad:
            return n
        n = _first(is_enough, bad[-1], _LARGEST)
    raise ValueError(
        f"`target_risk` = {target:g} needs more than {_LARGEST:.0e} examples. "
        "Raise it, or lower `error_rate`."
    )


def _next_tooth(n: int, rate: float, d: int, ahead: int) -> int:
    """Smallest number of examples above n at which ``ahead`` more errors are expected."""
    return max(n + 1, d + math.floor((_errors(n, rate, d) + ahead - 1) / rate) + 1)


def _first(is_enough: Callable[[int], bool], low: int, largest: int) -> int | None:
    """Smallest n above ``low`` that is enough, by doubling and bisection; None beyond largest."""
    step = 1
    while not is_enough(low + step):
        step *= 2
        if low + step > largest:
            return None
    low, high = low + step // 2, low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
