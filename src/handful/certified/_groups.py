"""Groups of rows (the visits of one patient): they are drawn, held back and counted whole."""

from __future__ import annotations

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import prefers_betting
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
