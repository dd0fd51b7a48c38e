"""Checks of scalar arguments, with errors that name the argument and the next step."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from handful.arrays import Floats

LARGEST_COUNT = 2**53  # beyond it floats do not count


def check_count(name: str, value: Any, *, low: int = 0, high: int | None = None) -> int:
    """Return ``value`` as an int in [low, high], or raise naming the argument."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"`{name}` must be an integer, got {value!r}. Pass a count.")
    if not isinstance(value, numbers.Integral) and not float(value).is_integer():
        raise ValueError(f"`{name}` must be a whole number, got {value!r}. Pass a count.")
    count: int = int(value)  # type: ignore[call-overload]
    if not low <= count <= LARGEST_COUNT:
        rule = f"at least {low}" if count < low else f"at most {LARGEST_COUNT}"
        raise ValueError(f"`{name}` must be {rule}, got {value!r}. Pass a count.")
    if high is not None and count > high:
        raise ValueError(
            f"`{name}` must be at most {high}, got {value!r}. "
            "Check it against the number of examples that are counted."
        )
    return count


def check_real(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    low_open: bool = False,
    high_open: bool = False,
    hint: str = "Pass a number.",
) -> float:
    """Return ``value`` as a finite float in the interval, or raise naming the argument."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"`{name}` must be a number, got {value!r}. {hint}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    below = number <= low if low_open else number < low
    above = number >= high if high_open else number > high
    if math.isnan(number) or math.isinf(number) or below or above:
        left, right = "(" if low_open else "[", ")" if high_open else "]"
        raise ValueError(
            f"`{name}` must be in {left}{low:g}, {high:g}{right}, got {value!r}. {hint}"
        )
    return number


def check_positive(name: str, value: Any, hint: str = "Pass a number.") -> float:
    """Return ``value`` as a finite float above 0, or raise naming the argument."""
    message = f"`{name}` must be a positive number, got {value!r}. {hint}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(message)
    if not 0.0 < float(value) < math.inf:
        raise ValueError(message)
    return float(value)


def check_reals(name: str, values: Any, hint: str) -> tuple[float, ...]:
    """Return a non-empty sequence of finite numbers as a tuple of floats."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must hold numbers, got {values!r}. {hint}") from None
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(
            f"`{name}` must be a non-empty sequence of finite numbers, got {values!r}. {hint}"
        )
    return tuple(float(value) for value in array)


def check_delta(value: Any) -> float:
    """Return ``delta``, a probability strictly between 0 and 1."""
    hint = "It is the allowed probability of failure: 0.05 for 95 % confidence."
    return check_real("delta", value, low=0.0, high=1.0, low_open=True, high_open=True, hint=hint)


def check_nats(name: str, value: Any) -> float:
    """Return an information cost in nats, finite and not negative."""
    hint = "A message costs -log of its prior probability, which is never negative."
    return check_real(name, value, low=0.0, hint=hint)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        allowed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"`{name}` must be one of {allowed}, got {value!r}.")
    return str(value)


def check_flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"`{name}` must be True or False, got {value!r}.")
    return bool(value)


def check_weights(sample_weight: Any, n_samples: int) -> Floats:
    """Return one weight for each example; none may be negative, and not all may be zero.

    The sentences of the errors are those that scikit-learn's own estimators use.
    """
    from sklearn.utils import check_array

    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, numbers.Number):
        weights = np.full(n_samples, sample_weight, dtype=np.float64)
    else:
        weights = check_array(
            sample_weight,
            ensure_2d=False,
            dtype=np.float64,
            order="C",
            input_name="sample_weight",
        )
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Expected "
            f"either a scalar value or a 1D array of length {n_samples}."
        )
    if weights.shape != (n_samples,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_samples,)}!")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if weights.min() < 0.0:
        raise ValueError("Negative values in data passed to `sample_weight`.")
    return weights
