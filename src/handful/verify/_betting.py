"""The bound for groups, evaluated again: a capital that bets against large mean losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handful.verify._arithmetic import MP

_STAKE = MP.mpf("0.999")  # no round may lose more of the capital
_ABOVE = MP.mpf(10) ** -9  # by which a float limit may be larger than the exact one


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
    lower = MP.mpf(value) - _ABOVE
    return bool(lower <= 0 or best_capital(losses, bets, lower) < nats * (1 + _ABOVE))
