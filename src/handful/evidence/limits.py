"""Limits of a rate: the record that all evidence returns, and Clopper-Pearson on both sides."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats
from handful.bounds import binomial_tail_inverse
from handful.checks import check_choice, check_count, check_delta

SIDES = ("below", "above", "both")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """An estimate with a limit from below and one from above.

    With probability 1 - delta both limits hold, if ``is_guaranteed``. Otherwise they are an
    approximation for large samples, without a guarantee. A side that was not asked for has the
    end of the range as its limit, which is always true.
    """

    estimate: float
    lower: float
    upper: float
    delta: float
    is_guaranteed: bool = True


def side_levels(delta: float, side: str) -> tuple[float | None, float | None]:
    """Levels of the limits from below and from above; both sides pay one half each."""
    delta = check_delta(delta)
    check_choice("side", side, SIDES)
    level = 0.5 * delta if side == "both" else delta
    return (None if side == "above" else level), (None if side == "below" else level)


def complement(upper: Floats) -> Floats:
    """1 - upper, rounded down: the limit from below that belongs to a limit from above."""
    return np.asarray(np.maximum(np.nextafter(1.0 - upper, -1.0), 0.0))


def rate_limits(n_events: int, n_rows: int, *, delta: float = 0.05, side: str = "both") -> Limits:
    """Clopper-Pearson limits of the probability of an event, rounded outward.

    Statement: if the events of ``n_rows`` rows are independent with one probability p, then
    lower <= p <= upper with probability 1 - delta at least. Each side pays delta / 2 if both are
    asked for. Without rows the limits are 0 and 1. Reference: Clopper & Pearson (1934).

    Examples
    --------
    >>> found = rate_limits(8, 10)
    >>> round(found.lower, 6), round(found.upper, 6)
    (0.443905, 0.974789)
    """
    n = check_count("n_rows", n_rows)
    k = check_count("n_events", n_events, high=n)
    below, above = side_levels(delta, side)
    # Rows without the event are binomial too: their upper limit is the event's lower one.
    lower = 0.0 if below is None else binomial_tail_inverse(n - k, n, math.log(below))
    upper = 1.0 if above is None else binomial_tail_inverse(k, n, math.log(above))
    return Limits(
        estimate=k / n if n else math.nan,
        lower=0.0 if below is None else float(complement(np.asarray(lower))),
        upper=float(upper),
        delta=delta,
    )


def check_scores(name: str, scores: ArrayLike, *, low: float = -math.inf) -> Floats:
    """Scores as floats, one a row; words, missing values and emptiness are named."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must hold numbers, got {scores!r}. Pass one a row.") from None
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"`{name}` must be a non-empty sequence of numbers, got the shape {values.shape}. "
            "Both classes need rows: check the labels."
        )
    is_bad = ~np.isfinite(values) | (values < low)
    if is_bad.any():
        raise ValueError(
            f"`{name}` must hold finite numbers, got {values[is_bad][0]} in row "
            f"{int(np.argmax(is_bad))}. Decide beforehand how a missing score counts."
        )
    return values


def check_probabilities(name: str, values: ArrayLike) -> Floats:
    """One probability a row."""
    found = check_scores(name, values)
    if ((found < 0.0) | (found > 1.0)).any():
        outside = found[(found < 0.0) | (found > 1.0)][0]
        raise ValueError(f"`{name}` must be in [0, 1], got {outside}. Pass probabilities.")
    return found


def check_outcomes(name: str, values: ArrayLike, n_rows: int | None = None) -> Floats:
    """One outcome a row, 1 if the event happened and 0 if not."""
    found = check_scores(name, values)
    if not np.isin(found, (0.0, 1.0)).all():
        other = found[~np.isin(found, (0.0, 1.0))][0]
        raise ValueError(f"`{name}` must be 0 or 1, got {other}. Code the event as 1.")
    if n_rows is not None and found.size != n_rows:
        raise ValueError(
            f"`{name}` has {found.size} rows and the probabilities have {n_rows}. Pass one a row."
        )
    return found


def check_order(name: str, values: Iterable[float]) -> Floats:
    """Numbers of a sequence that is fixed beforehand: each above the one before."""
    found = check_scores(name, np.asarray(list(values)))
    if (np.diff(found) <= 0.0).any():
        raise ValueError(f"`{name}` must increase, got {found.tolist()}. Sort them.")
    return found
