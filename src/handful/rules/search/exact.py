"""Exact greedy search over half-spaces made of three examples: the best of all, every time.

A half-space h_ab^c is made of a positive example a, a negative example b and a threshold example c.
With ``v(x) = K[a, x] - K[b, x]`` it covers x if ``v(x) < v(c) - tol`` (conjunction) or
``v(x) > v(c) + tol`` (disjunction). The tolerance ``pair_tolerance(K[a, a], K[b, b], K[a, b])``
depends on a and b alone, so it is the same in training, rebuilding and prediction.

Below, "own" is the class the machine keeps (positive for a conjunction, negative for a
disjunction) and "other" is the class it must cover. In both cases ``u = K[own] - K[other]`` and x
is covered if ``u(x) < u(c) - tol``: a disjunction is searched as a conjunction seen in a mirror.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.rules.search.histogram import HalfSpaceStep, Problem, State, histogram_round

FEW_STATES = 12  # fewer are faster one by one: no pair is sorted that its bound rules out


def exact_half_space_paths(
    K: Floats,
    y_signed: NDArray[Any],
    *,
    kind: str,
    penalties: Sequence[float],
    max_rules: int,
    stop_on_nonpositive: bool = True,
    weights: Ints | None = None,
    active: Mask | None = None,
    n_threads: int = 1,
) -> list[list[HalfSpaceStep]]:
    """Greedy covers by the best half-space of all, for all penalties and folds.

    Parameters
    ----------
    K : (n_samples, n_samples) array
        Kernel matrix of the training examples.
    y_signed : (n_samples,) array of -1 and +1
    kind : {"conjunction", "disjunction"}
    penalties : sequence of float
        Each positive, infinity allowed: a rule is worth ``n_other - penalty * n_same``.
    max_rules : int
        Longest path.
    stop_on_nonpositive : bool, default=True
        Stop when the best rule is worth nothing; otherwise only when it covers nothing.
    weights : (n_samples,) array of int, optional
        How often each row is repeated; zero leaves it out.
    active : (n_folds, n_samples) array of bool, optional
        Rows that exist in each fold; the others are neither candidates nor counted.
    n_threads : int, default=1
        The result does not depend on it.

    Returns
    -------
    list of list of HalfSpaceStep
        One path for each fold and penalty; all penalties of the first fold come first.

    Notes
    -----
    The best half-space has the largest worth (rounded to multiples of 2**-24, so that noise does
    not break ties), then the largest ``n_other``, then the smallest a, then b, then comes first in
    the ascending order of the projection, then has the smallest c.
    The examples a (conjunction) or b (disjunction) and c must not be covered by earlier rules, and
    the rule must leave them and all earlier ones uncovered, so that the compression set can
    rebuild the machine.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])
    >>> y = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
    >>> paths = exact_half_space_paths(
    ...     np.outer(x, x), y, kind="conjunction", penalties=[np.inf], max_rules=5
    ... )
    >>> [(step.a, step.b, step.c) for step in paths[0]]
    [(3, 0, 3), (3, 6, 5)]
    """
    y = np.asarray(y_signed)
    K = np.ascontiguousarray(K, dtype=np.float64)
    weight = np.ones(len(y), np.int64) if weights is None else weights
    folds = np.ones((1, len(y)), bool) if active is None else active
    problem = distinct_rows(K, y, kind, weight * folds, stop_on_nonpositive, max_rules)
    return [state.steps for state in _run(problem, penalties, n_threads)]


def distinct_rows(
    K: Floats, y: NDArray[Any], kind: str, weights: Ints, stops: bool, max_rules: int
) -> Problem:
    """Collapse rows with the same label and bitwise the same kernel values."""
    is_mirrored = kind == "disjunction"
    members = _equal_rows(K, y)
    rows = np.array([group[0] for group in members], dtype=np.int64)
    counts = np.array([[fold[group].sum() for group in members] for fold in weights])
    # Of equal rows the one with the lowest number stands for all: a tie has one answer.
    names = np.array([[_lowest(group, fold) for group in members] for fold in weights])
    return Problem(
        K if len(rows) == len(y) else K[np.ix_(rows, rows)],
        (y[rows] < 0) if is_mirrored else (y[rows] > 0),
        is_mirrored,
        counts,
        names,
        stops,
        max_rules,
    )


def _equal_rows(K: Floats, y: NDArray[Any]) -> list[list[int]]:
    """Rows in groups of the same label and kernel values, in the order of their first rows."""
    groups: dict[tuple[Any, ...], list[list[int]]] = {}
    for i in range(len(y)):
        alike = groups.setdefault((y[i], K[i, i], K[i, :8].tobytes()), [])
        for group in alike:
            j = group[0]
            if np.array_equal(K[i], K[j]) and np.array_equal(K[:, i], K[:, j]):
                group.append(i)
                break
        else:
            alike.append([i])
    return sorted(group for alike in groups.values() for group in alike)


def _lowest(group: list[int], weight: Ints) -> int:
    return min((i for i in group if weight[i] > 0), default=-1)


def _run(problem: Problem, penalties: Sequence[float], n_threads: int) -> list[State]:
    """Advance all folds and penalties to their ends by the engine that suits their number."""
    from handful.rules.search.lockstep import MAX_ROWS, LockStep

    states = [
        State(float(penalty), fold, weight, weight > 0)
        for fold, weight in enumerate(problem.weights)
        for penalty in penalties
    ]
    if problem.max_rules < 1:
        return states
    with ThreadPoolExecutor(n_threads) as pool:
        run = pool.map if n_threads > 1 else map
        if len(states) < FEW_STATES or len(problem.is_own) > MAX_ROWS:
            for state in states:
                while not state.is_done:
                    histogram_round(problem, state, run, n_threads)
            return states
        engine = LockStep(problem)
        by_penalty = sorted(states, key=lambda state: state.penalty)
        while waiting := [state for state in by_penalty if not state.is_done]:
            engine.round(waiting, run, n_threads)
    return states
