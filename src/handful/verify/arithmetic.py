"""Logarithms, counts, and the numbers that bounds give, in fifty-digit arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import mpmath

MP = mpmath.mp.clone()
MP.dps = 50  # thirty digits beyond a float
_NEGLIGIBLE = MP.mpf(10) ** -45  # of the sum: below its fifty digits once all later terms are added
_SLACK = MP.mpf(10) ** -9  # by which a float bound may be larger than the exact one
_MOST_ROWS = 10**9  # counted: their tail is a million terms, some seconds
_STABLE_SLACK = MP.mpf(10) ** -8  # what the library's rounding may do to the confidence
_STAKE = MP.mpf("0.999")  # no round may lose more of the capital


def log(value: Any) -> Any:
    """Natural logarithm."""
    return MP.log(value)


def root(value: float) -> float:
    """Square root of what may be a hair below zero."""
    return math.sqrt(max(0.0, value))


def log_binomial(n: int, k: int) -> Any:
    """Logarithm of n over k.

    Examples
    --------
    >>> float(log_binomial(4, 2)) == math.log(6)
    True
    """
    if not 0 <= k <= n:
        raise ValueError(f"no {k} of {n} can be named")
    return MP.loggamma(n + 1) - MP.loggamma(k + 1) - MP.loggamma(n - k + 1)


@lru_cache(maxsize=4096)
def binomial_tail(k: int, n: int, p: Any) -> Any:
    """P(Bin(n, p) <= k), summed from the largest term downwards.

    Examples
    --------
    >>> float(binomial_tail(1, 2, 0.5))
    0.75
    """
    p = MP.mpf(p)
    if k >= n or p <= 0:
        return MP.mpf(1)
    if p >= 1:
        return MP.mpf(0)
    term = MP.exp(log_binomial(n, k) + k * MP.log(p) + (n - k) * MP.log1p(-p))
    total, odds = term, (1 - p) / p
    for i in range(k, 0, -1):
        term = term * i * odds / (n - i + 1)
        total += term
        if i < n * p and term < _NEGLIGIBLE * total:
            break
    return total


def is_tail_bound(value: float, k: int, n: int, nats: Any) -> bool:
    """Whether ``value`` is the largest p with P(Bin(n, p) <= k) >= exp(-nats), rounded up.

    A value below is refused beyond nine digits of the probability; so is one that is larger by
    more than a part in 10^9. Nothing is said of more than 10^9 rows: it is refused.

    Examples
    --------
    >>> is_tail_bound(0.5, 0, 1, math.log(2)), is_tail_bound(0.49, 0, 1, math.log(2))
    (True, False)
    """
    if not 0.0 <= value <= 1.0 or n > _MOST_ROWS:
        return False
    level = MP.exp(-MP.mpf(nats))
    if k >= n:
        return value == 1.0
    below = MP.mpf(value) * (1 - _SLACK) - MP.mpf(10) ** -15
    is_valid = value == 1.0 or binomial_tail(k, n, value) <= level * (1 + _SLACK)
    return bool(is_valid and binomial_tail(k, n, below) >= level * (1 - _SLACK))


def tail_bound(k: int, n: int, nats: Any) -> float:
    """The bound itself to ten digits, for saying what a number should have been."""
    level = MP.exp(-MP.mpf(nats))
    if k >= n:
        return 1.0
    low, high = MP.mpf(k) / n, MP.mpf(1)
    for _ in range(36):
        middle = (low + high) / 2
        if binomial_tail(k, n, middle) >= level:
            low = middle
        else:
            high = middle
    return float(f"{float(high):.10g}")


def n_pairings(n_left: int, n_right: int, n_edges: int) -> int:
    """Ways to pair, each vertex used: inclusion and exclusion over the vertices left out.

    Examples
    --------
    >>> n_pairings(2, 1, 2), n_pairings(2, 2, 2)
    (1, 2)
    """
    total = 0
    for used_left in range(n_left + 1):
        for used_right in range(n_right + 1):
            sign = (-1) ** (n_left - used_left + n_right - used_right)
            ways = math.comb(n_left, used_left) * math.comb(n_right, used_right)
            total += sign * ways * math.comb(used_left * used_right, n_edges)
    return total


# -- stable compression ------------------------------------------------------------------------


def stable_excess(risk: Any, k: int, n: int, delta: Any) -> Any:
    """(delta / n) sum over j = k .. n - 1 of C(j, k) / C(n, k) (1 - risk)^(j - n).

    Examples
    --------
    >>> float(stable_excess(0.5, 0, 1, 0.25))
    0.5
    """
    keep = 1 - MP.mpf(risk)
    term, total = MP.mpf(1), MP.mpf(0)
    for j in range(n - 1, k - 1, -1):
        term = term * (j + 1 - k) / (j + 1) / keep
        total += term
    return MP.mpf(delta) / n * total


def is_stable_bound(risk: float, k: int, n: int, delta: Any) -> bool:
    """Whether a number is the stable bound for k kept of n, to eight digits of the confidence."""
    if k >= n:
        return risk == 1.0
    if not 0 < risk <= 1:
        return False
    if risk >= 1 - 1e-8:
        return bool(stable_excess(1 - MP.mpf(10) ** -7, k, n, delta) <= 1)
    below = MP.mpf(risk) * (1 - _STABLE_SLACK)
    holds = stable_excess(risk, k, n, delta) >= 1 - _STABLE_SLACK
    return bool(holds and stable_excess(below, k, n, delta) <= 1 + _STABLE_SLACK)


# -- betting against a large mean --------------------------------------------------------------


def bets_of(losses: Sequence[Any], before: Sequence[Any], nats: Any) -> list[Any]:
    """The bet of each round, from a mean and a variance that know earlier losses only."""
    total, squares, count = MP.mpf("0.5"), MP.mpf("0.25"), 1
    bets = []
    for t, loss in enumerate([*before, *losses]):
        if t >= len(before):
            bets.append(MP.sqrt(2 * nats * count / (len(losses) * squares)))
        count += 1
        total += loss
        squares += (loss - total / count) ** 2
    return bets


def best_capital(losses: Sequence[Any], bets: Sequence[Any], m: Any) -> Any:
    """Largest logarithm of the capital against the mean m.

    Examples
    --------
    >>> float(best_capital([MP.mpf(0)], [MP.mpf(1)], MP.mpf("0.5"))) == float(MP.log("1.5"))
    True
    """
    capital, best = MP.mpf(0), -MP.inf
    for loss, bet in zip(losses, bets, strict=True):
        step = 1 + min(bet, _STAKE / (1 - m)) * (m - loss)
        capital = capital + MP.log(step) if step > 0 else -MP.inf
        best = max(best, capital)
    return best


def is_betting_limit(value: float, losses: Sequence[Any], before: Sequence[Any], nats: Any) -> bool:
    """Whether ``value`` is excluded by the capital, and anything clearly smaller is not."""
    if value >= 1.0:
        return value == 1.0
    bets = bets_of(losses, before, nats)
    if best_capital(losses, bets, MP.mpf(value)) < nats:
        return False
    lower = MP.mpf(value) - _SLACK
    return bool(lower <= 0 or best_capital(losses, bets, lower) < nats * (1 + _SLACK))
