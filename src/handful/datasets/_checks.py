"""Checks of arguments that every generator shares."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np


def as_generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator: the given one, one seeded by an integer, or a fresh one for None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise TypeError(
            "`rng` or `random_state` must be None, an int or a numpy.random.Generator, got "
            f"{type(random_state).__name__}. Use numpy.random.default_rng(seed)."
        )
    if random_state < 0:
        raise ValueError(
            f"`rng` or `random_state` must be at least 0, got {random_state}. Use 0 or more."
        )
    return np.random.default_rng(int(random_state))


def check_count(name: str, value: int, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"`{name}` must be an int, got {type(value).__name__}. Pass a whole number."
        )
    if value < minimum:
        raise ValueError(f"`{name}` must be at least {minimum}, got {value}. Ask for more.")
    return int(value)


def check_real(name: str, value: float, low: float, high: float, advice: str) -> float:
    """Return ``value`` as a float of the closed interval [low, high], or say what is wrong."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"`{name}` must be a number, got {type(value).__name__}. {advice}")
    if not low <= value <= high:
        raise ValueError(f"`{name}` must be in [{low:g}, {high:g}], got {value}. {advice}")
    return float(value)


def check_reals(name: str, values: object, advice: str) -> tuple[float, ...]:
    """Return a non-empty sequence of finite numbers as a tuple of floats."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must hold numbers, got {values!r}. {advice}") from None
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(
            f"`{name}` must be a non-empty sequence of finite numbers, got {values!r}. {advice}"
        )
    return tuple(float(value) for value in array)


def check_matrix(X: object, n_features: int) -> np.ndarray:
    """Return ``X`` as a float64 matrix with ``n_features`` columns and no missing values."""
    array = np.asarray(X, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != n_features:
        raise ValueError(
            f"`X` must have shape (n_samples, {n_features}), got {array.shape}. "
            "Pass points of this problem, for example those its `sample` returns."
        )
    if np.isnan(array).any():
        raise ValueError("`X` must have no missing values, got NaN. Fill them first.")
    return array
