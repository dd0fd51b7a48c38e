"""Picking examples: train on the picks, add the worst mistakes outside them, repeat."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Judge = Callable[[Ints], tuple[Bools, Floats]]


@dataclass(frozen=True, eq=False)
class PickPath:
    """The picked examples in the order of picking, and how each round ended.

    ``rounds`` holds (number of picks, errors outside them); ``is_clean`` says whether the last
    round left no error outside.
    """

    picks: Ints
    rounds: list[tuple[int, int]]

    @property
    def is_clean(self) -> bool:
        """Whether no example outside the picks was wrong at the end."""
        return self.rounds[-1][1] == 0

    def frame(self) -> pd.DataFrame:
        """One row a round."""
        import pandas as pd

        return pd.DataFrame(self.rounds, columns=["n_picks", "n_errors"])


def pick_examples(
    judge: Judge,
    order: Ints,
    *,
    n_initial: int = 1,
    batch_size: float = 1,
    max_picks: int | None = None,
    is_done: Callable[[list[tuple[int, int]]], bool] = lambda rounds: False,
) -> PickPath:
    """Train on the picks, add the worst mistake outside them, repeat until there is none.

    Parameters
    ----------
    judge : callable
        Trains on the given examples, in the given order, and returns for all examples whether
        they are wrong and how badly (larger is worse).
    order : ndarray
        All examples in an order by content, which breaks ties; the first ``n_initial`` start.
    n_initial : int
    batch_size : int or float
        How many of the worst are added in a round: a number, or a fraction of the picks so far.
    max_picks : int, optional
    is_done : callable
        Stops early, given the rounds so far.

    Notes
    -----
    The size of a batch depends on the number of picks alone. So an example outside the final
    picks was never among the worst ``b`` of any round, and leaving it out changes no round: by
    induction all picks stay the same. If it were new and wrong at the end, it would be picked.
    This is what `stable_bound` asks for, for batches as for single picks.
    """
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    limit = order.size if max_picks is None else min(max_picks, order.size)
    picks = order[: min(n_initial, limit)]
    rounds: list[tuple[int, int]] = []
    while True:
        is_wrong, badness = judge(picks)
        is_wrong = is_wrong.copy()
        is_wrong[picks] = False
        candidates = np.flatnonzero(is_wrong)
        rounds.append((picks.size, candidates.size))
        if not candidates.size or picks.size >= limit or is_done(rounds):
            return PickPath(picks, rounds)
        n_more = _batch(batch_size, picks.size, limit)
        worst_first = np.lexsort((rank[candidates], -badness[candidates]))
        picks = np.concatenate([picks, candidates[worst_first[:n_more]]])


def _batch(batch_size: float, n_picks: int, limit: int) -> int:
    n = batch_size if isinstance(batch_size, (int, np.integer)) else math.ceil(batch_size * n_picks)
    return min(max(1, int(n)), limit - n_picks)


def stopping_sizes(n_samples: int) -> list[int]:
    """Sizes at which picking may stop: 1, 2, 3, 5, 8, ... in ratio 1.5, and n_samples.

    They depend on the number of examples alone. "Stop in the first round with at least this many
    picks" is a stable scheme for each of them, with the errors left outside counted like picks.

    Examples
    --------
    >>> stopping_sizes(30)
    [1, 2, 3, 5, 8, 12, 18, 27, 30]
    """
    sizes = [1]
    while sizes[-1] < n_samples:
        sizes.append(min(n_samples, math.ceil(1.5 * sizes[-1])))
    return sizes


def stopping_rounds(rounds: list[tuple[int, int]], n_samples: int) -> list[tuple[int, int]]:
    """The rounds at which one of `stopping_sizes` was first reached, and a clean last one."""
    sizes = np.array(stopping_sizes(n_samples))
    reached = np.searchsorted(sizes, [picks for picks, _ in rounds], side="right")
    is_first = np.diff(reached, prepend=0) > 0
    is_first[-1] |= rounds[-1][1] == 0
    return [item for item, keep in zip(rounds, is_first, strict=True) if keep]
