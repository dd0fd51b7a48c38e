"""Groups of rows (the visits of one patient): they are drawn, held back and counted whole."""

from __future__ import annotations

import math

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import betting_bound, binomial_tail_inverse
from handful.certified._records import Counts

GROUP_LOSSES = ("mean", "any")


def group_means(is_wrong: np.ndarray, member: Ints) -> Floats:
    """Mean error of each group, groups in the order of their first row."""
    _, first, inverse = np.unique(member, return_index=True, return_inverse=True)
    totals = np.bincount(inverse, weights=is_wrong.astype(float)) / np.bincount(inverse)
    return np.asarray(totals[np.argsort(first, kind="stable")])


def first_rows(member: Ints) -> Ints:
    """Position of the first row of each group: a blind one where rows are in blind order."""
    _, first = np.unique(member, return_index=True)
    return np.sort(first)


def count_groups(
    is_wrong: np.ndarray, member: Ints, pool_losses: Floats, loss: str, nats: float
) -> Counts:
    """Counts of a candidate over groups; the pool's losses decide how.

    Parameters
    ----------
    is_wrong : errors on the counted rows, groups in blind order, rows of each in blind order
    member : group of each of these rows
    pool_losses : mean errors of the pool's groups by cross-validation
    loss : {"mean", "any"}
        A random case of a new group, or any case of it.
    nats : price of the candidate and of the confidence
    """
    means = group_means(is_wrong, member)
    if loss == "any":
        return Counts(len(means), int(np.count_nonzero(means > 0.0)))
    one_row = is_wrong[first_rows(member)]
    counts = Counts(len(means), int(np.count_nonzero(one_row)))
    if not prefers_betting(pool_losses, len(means), nats):
        return counts
    return Counts(len(means), counts.n_errors, losses=means, warm_up=pool_losses)


def prefers_betting(pool_losses: Floats, n_groups: int, nats: float) -> bool:
    """Whether the betting bound would be the smaller one if all groups were like the pool's.

    Examples
    --------
    >>> prefers_betting(np.array([0.2, 0.3, 0.25, 0.25]), 40, 3.0)
    True
    >>> prefers_betting(np.array([0.0, 1.0, 0.0, 0.0]), 40, 3.0)
    False
    """
    if len(pool_losses) == 0 or n_groups == 0:
        return False
    like = np.resize(pool_losses, n_groups)
    expected = math.ceil(float(np.mean(pool_losses)) * n_groups)
    one_row = float(binomial_tail_inverse(min(expected, n_groups), n_groups, -nats))
    betting = betting_bound(like.tolist(), warm_up=pool_losses.tolist(), delta=math.exp(-nats)).risk
    return betting < one_row
