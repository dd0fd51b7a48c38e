"""Losses of independent groups: a capital that bets against large means, and its simple twin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handful._checks import check_choice, check_count, check_delta, check_nats
from handful._types import Floats
from handful.bounds._certificate import Certificate
from handful.bounds._statements import Quantity, assume
from handful.bounds._tails import binomial_tail_inverse, kl_inverse
from handful.bounds._terms import Term, confidence_term, itemise, total_nats

GROUP_METHODS = ("betting", "kl")
GROUP_QUANTITIES = {"mean": Quantity("group-mean"), "any": Quantity("group-any")}
_WAUDBY = "Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting"
_HOEFFDING = "Hoeffding (1963), Theorem 1; Chernoff's bound for losses in [0, 1]"
_STAKE = 0.999  # largest share of the capital that a round may lose
_PAD = 1e-12  # relative; more than the rounding of a sum of logarithms, outwards


def betting_bound(
    losses: Sequence[float],
    *,
    warm_up: Sequence[float] = (),
    message_nats: float = 0.0,
    delta: float = 0.05,
    n_choices: int = 1,
    method: str = "betting",
) -> Certificate:
    """Certificate on the mean of losses in [0, 1], one for each independent group.

    For each m in [0, 1) the capital prod_t (1 + b_t (m - loss_t)), where b_t in [0, .999 / (1 - m)]
    is fixed by earlier losses, is a non-negative supermartingale if the mean is m or larger. So
    it ever reaches exp(nats) with probability exp(-nats) at most (Ville), and the limit is the
    smallest m whose capital did. b_t is the smaller of .999 / (1 - m) and a number that does not
    depend on m, hence the capital grows with m and the excluded m are an interval.

    Parameters
    ----------
    losses : sequence of float
        Mean loss of each group, in an order that does not depend on the losses.
    warm_up : sequence of float
        Losses of other groups (of a pool, say), from which the first bets learn; not counted.
    message_nats, delta, n_choices
        As in `compression_bound`.
    method : {"betting", "kl"}
        "kl" is Chernoff's bound, which knows the mean of the losses only.

    Examples
    --------
    >>> losses = [0.1, 0.3, 0.2, 0.2] * 10
    >>> round(betting_bound(losses).risk, 4)
    0.262
    >>> round(betting_bound(losses, method="kl").risk, 4)
    0.3791
    """
    values, before = _check_losses("losses", losses), _check_losses("warm_up", warm_up)
    n = check_count("len(losses)", len(values), low=1)
    choices, delta = check_count("n_choices", n_choices, low=1), check_delta(delta)
    check_nats("message_nats", message_nats)
    check_choice("method", method, GROUP_METHODS)
    terms = list(itemise(message_nats, "message"))
    if choices > 1:
        terms.append(Term("choice", f"choice among {choices}", math.log(choices)))
    terms.append(confidence_term(delta))
    nats = total_nats(terms)
    if method == "kl":
        mean = min(1.0, math.fsum(values) / n * (1.0 + _PAD))
        risk = float(kl_inverse(mean, nats / n))
    else:
        risk = _limit(values, _bets(values, before, nats), nats)
    return Certificate(
        risk=risk,
        delta=delta,
        bound="betting",
        n_samples=n,
        terms=tuple(terms),
        quantity=GROUP_QUANTITIES["mean"],
        assumptions=assume("iid-groups", "ordered"),
        reference=_WAUDBY if method == "betting" else _HOEFFDING,
        notes=(f"Method: {method}.",),
    )


def prefers_betting(pool_losses: Sequence[float] | Floats, n_groups: int, nats: float) -> bool:
    """Whether the betting bound would be the smaller one if all groups were like the pool's.

    Examples
    --------
    >>> prefers_betting([0.2, 0.3, 0.25, 0.25], 40, 3.0)
    True
    >>> prefers_betting([0.0, 1.0, 0.0, 0.0], 40, 3.0)
    False
    """
    if len(pool_losses) == 0 or n_groups == 0:
        return False
    like = np.resize(pool_losses, n_groups)
    expected = math.ceil(float(np.mean(pool_losses)) * n_groups)
    one_row = float(binomial_tail_inverse(min(expected, n_groups), n_groups, -nats))
    betting = betting_bound(like.tolist(), warm_up=list(pool_losses), delta=math.exp(-nats)).risk
    return betting < one_row


def _check_losses(name: str, losses: Sequence[float]) -> Floats:
    try:
        values = np.array([float(loss) for loss in losses])
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be one number a group, got {losses!r}.") from error
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError(f"`{name}` must be in [0, 1], got {losses!r}. Pass mean errors of groups.")
    return values


def _bets(losses: Floats, before: Floats, nats: float) -> Floats:
    """Bet of each round, from the losses before it: sqrt(2 nats / (n variance))."""
    n, seen = len(losses), np.concatenate([before, losses])
    number = np.arange(len(seen) + 1) + 1.0
    mean = np.cumsum(np.concatenate([[0.5], seen])) / number
    deviations = np.concatenate([[0.25], (seen - mean[1:]) ** 2])
    # Shifted by one: the bet of a round must not look at its own loss, or the capital is no
    # martingale.
    variance = (np.cumsum(deviations) / number)[len(before) : -1]
    return np.asarray(np.sqrt(2.0 * nats / (n * variance)))


def _log_capital(losses: Floats, bets: Floats, m: float) -> float:
    """Largest logarithm of the capital against the mean m."""
    with np.errstate(divide="ignore"):
        # A larger bet could lose everything, and rounding would decide whether it did; at m = 1
        # there is no such limit.
        largest = np.divide(_STAKE, 1.0 - m)
        gains = np.log1p(np.maximum(np.minimum(bets, largest) * (m - losses), -1.0))
    # Ville's inequality holds for the largest capital on the way, not for the last only.
    return float(np.max(np.cumsum(gains)))


def _limit(losses: Floats, bets: Floats, nats: float) -> float:
    """Smallest m that the capital excludes, from outside; 1 where it excludes none."""
    target = nats * (1.0 + _PAD) + 1e-14 * len(losses)  # sums of logarithms are rounded
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        # The capital grows with m: all larger means are excluded too.
        if _log_capital(losses, bets, middle) >= target:
            high = middle
        else:
            low = middle
    return high
