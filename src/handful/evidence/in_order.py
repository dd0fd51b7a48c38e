"""Goals named before looking: candidates tested in a fixed order, each at the full level."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats
from handful.checks import check_choice, check_delta, check_real
from handful.evidence.limits import check_probabilities, check_scores

_GOAL_SIDES = ("at most", "at least")


@dataclass(frozen=True, eq=False, kw_only=True)
class FixedSequence:
    """The first ``n_accepted`` candidates meet the goal; ``printed`` is what may be printed.

    ``printed`` is NaN for candidates about which nothing may be said.
    """

    n_accepted: int
    printed: Floats


def accept_in_order(p_values: ArrayLike, *, delta: float = 0.05) -> int:
    """Number of accepted candidates: those before the first p-value above delta.

    Statement: if the order was fixed before these rows and each p-value is valid for "this
    candidate misses the goal", then with probability 1 - delta at least all accepted candidates
    meet it. Only the first candidate that truly misses the goal can cause an error, so each test
    has the full level. Reference: Maurer, Hothorn & Lehmacher (1995); Bauer (1991).

    Examples
    --------
    >>> accept_in_order([0.001, 0.04, 0.2, 0.01])
    2
    """
    is_large = check_probabilities("p_values", p_values) > check_delta(delta)
    return int(np.argmax(is_large)) if is_large.any() else int(is_large.size)


def fixed_sequence(limits: ArrayLike, goal: float, *, meaning: str = "at most") -> FixedSequence:
    """Which candidates are accepted and what may be printed, from their limits at the full level.

    Statement: let the order be fixed before these rows (by the pool, surest first) and each limit
    hold with probability 1 - delta for its candidate alone. Then everything printed holds at once
    with probability 1 - delta at least: the goal for accepted candidates; the own limit for the
    first that is not accepted; if all are accepted, the weakest limit for all of them. The own
    limits of accepted candidates may not be printed. Reference: Hsu & Berger (1999).

    Parameters
    ----------
    limits : array-like
        In the fixed order; upper limits if the goal is "at most", lower ones if "at least".
    goal : float
    meaning : {"at most", "at least"}

    Examples
    --------
    >>> fixed_sequence([0.08, 0.06, 0.12, 0.05], 0.1).printed.tolist()
    [0.1, 0.1, 0.12, nan]
    >>> fixed_sequence([0.93, 0.95], 0.9, meaning="at least").printed.tolist()
    [0.93, 0.93]
    """
    check_choice("meaning", meaning, _GOAL_SIDES)
    values, goal = check_scores("limits", limits), check_real("goal", goal)
    is_upper = meaning == "at most"
    is_met = values <= goal if is_upper else values >= goal
    printed = np.full(values.shape, math.nan)
    if is_met.all():
        # The worst candidate's own limit holds, and the weakest limit is not better.
        printed[:] = values.max() if is_upper else values.min()
        return FixedSequence(n_accepted=values.size, printed=printed)
    first = int(np.argmin(is_met))
    printed[:first] = goal
    printed[first] = values[first]
    return FixedSequence(n_accepted=first, printed=printed)
