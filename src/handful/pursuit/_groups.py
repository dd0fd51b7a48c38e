"""Groups of rows (the visits of one patient) in regression: drawn, held back and counted whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import (
    Certificate,
    Quantity,
    assume,
    betting_bound,
    pool_bound,
    prefers_betting,
)


@dataclass(frozen=True)
class GroupDeviations:
    """How far off the rows of the counted groups are, and those of the pool's groups.

    Attributes
    ----------
    counted, pool : ndarray
        Absolute deviations; groups in blind order, rows of each in blind order.
    counted_member, pool_member : ndarray of int
        Group of each of these rows, 0, 1, ... in that order.
    """

    counted: Floats
    counted_member: Ints
    pool: Floats
    pool_member: Ints

    def certificate(self, epsilon: float, delta: float, n_choices: int, bound: str) -> Certificate:
        """How often a random row of a random new group is off by more than epsilon.

        The mean loss of each group is bet against ("betting"), or one blindly drawn row of each
        group is counted ("pool"); "auto" takes what the pool's groups say will be smaller, before
        any counted group is looked at.
        """
        losses = _means(self.counted > epsilon, self.counted_member)
        known = _means(self.pool > epsilon, self.pool_member)
        nats = float(np.log(n_choices) - np.log(delta))
        if bound == "auto":
            bound = "betting" if prefers_betting(known, len(losses), nats) else "pool"
        if bound == "betting":
            found = betting_bound(
                losses.tolist(), warm_up=known.tolist(), delta=delta, n_choices=n_choices
            )
            words = (*found.assumptions, *assume("blind-pool"))
        else:
            first = np.unique(self.counted_member, return_index=True)[1]
            n_off = int(np.sum(self.counted[first] > epsilon))
            n_groups = len(losses) + len(known)
            found = pool_bound(n_groups, len(known), n_off, delta=delta, n_choices=n_choices)
            words = (*assume("group-rows"), *found.assumptions[1:])
        quantity = Quantity.of("group-off", tolerance=float(epsilon))
        return replace(found, quantity=quantity, assumptions=words)


def _means(is_off: np.ndarray, member: Ints) -> Floats:
    return np.asarray(np.bincount(member, weights=is_off.astype(float)) / np.bincount(member))


def renumbered(member: Ints) -> Ints:
    """Groups as 0, 1, ... in the order of their first row.

    Examples
    --------
    >>> renumbered(np.array([7, 7, 2, 2, 7])).tolist()
    [0, 0, 1, 1, 0]
    """
    _, first, inverse = np.unique(member, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[inverse.reshape(-1)])
