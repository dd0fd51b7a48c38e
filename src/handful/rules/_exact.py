"""Exact greedy search over half-spaces made of three examples: the best of all, every time.

A half-space h_ab^c is made of a positive example a, a negative example b and a threshold example c.
With ``v(x) = K[a, x] - K[b, x]`` it covers x if ``v(x) < v(c) - tol`` (conjunction) or
``v(x) > v(c) + tol`` (disjunction), where ``tol = half_space_tolerance(K[a, a], K[a, b], K[b, b])``
depends on a and b alone, so it is the same in training, rebuilding and prediction.

Below, "own" is the class the machine keeps (positive for a conjunction, negative for a
disjunction) and "other" is the class it must cover. In both cases ``u = K[own] - K[other]`` and x
is covered if ``u(x) < u(c) - tol``: a disjunction is searched as a conjunction seen in a mirror.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Kind = Literal["conjunction", "disjunction"]

RELATIVE_TOLERANCE = 1e-10


@dataclass(frozen=True)
class HalfSpaceStep:
    """One greedy step: the chosen half-space and what it covers of the live examples.

    Attributes
    ----------
    a, b, c : int
        The positive, the negative and the threshold example.
    n_other : int
        Weight of the newly covered examples of the other class (the gain, ``|Q|``).
    n_same : int
        Weight of the newly covered examples of the machine's own class (errors, ``|R|``).
    """

    a: int
    b: int
    c: int
    n_other: int
    n_same: int


def half_space_tolerance(k_aa: Any, k_ab: Any, k_bb: Any) -> Any:
    """Values of a half-space's projection that differ by no more are tied.

    It is computed from the two examples a and b alone, and scales with the kernel.

    Examples
    --------
    >>> float(half_space_tolerance(4.0, -2.0, 1.0))
    4e-10
    """
    largest = np.maximum(np.maximum(np.abs(k_aa), np.abs(k_ab)), np.abs(k_bb))
    return RELATIVE_TOLERANCE * largest


@dataclass
class _State:
    """A machine that is being built: one penalty on one set of active rows."""

    penalty: float
    weight: Ints  # zero where not active
    is_live: Bools
    steps: list[HalfSpaceStep] = field(default_factory=list)
    is_done: bool = False


def exact_half_space_paths(
    K: Floats,
    y_signed: NDArray[Any],
    *,
    kind: Kind,
    penalties: Sequence[float],
    max_rules: int,
    stop_on_nonpositive: bool = True,
    weights: NDArray[Any] | None = None,
    active: Bools | None = None,
    n_threads: int = 1,
    memory_budget: int = 512 * 2**20,
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
    memory_budget : int, default=512 MiB
        Bytes that stored orders may take; beyond it they are computed again in each round.

    Returns
    -------
    list of list of HalfSpaceStep
        One path for each fold and penalty; all penalties of the first fold come first.

    Notes
    -----
    The best half-space has the largest worth, then the largest ``n_other``, then the smallest a,
    then b, then comes first in the ascending order of the projection, then has the smallest c.
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
    is_own = y > 0 if kind == "conjunction" else y < 0
    weight = np.ones(len(y), np.int64) if weights is None else np.asarray(weights).astype(np.int64)
    folds = np.ones((1, len(y)), bool) if active is None else np.asarray(active, bool)
    states = [
        _State(float(penalty), weight * fold, (weight * fold) > 0)
        for fold in folds
        for penalty in penalties
    ]
    with ThreadPoolExecutor(n_threads) as pool:
        for state in states:
            while len(state.steps) < max_rules and not state.is_done:
                best = _best_half_space(K, is_own, state, kind, n_threads, pool)
                _advance(K, is_own, state, kind, best, stop_on_nonpositive)
    return [state.steps for state in states]


def _best_half_space(
    K: Floats, is_own: Bools, state: _State, kind: Kind, n_threads: int, pool: ThreadPoolExecutor
) -> tuple[float, int, int, int, int, int]:
    from handful.rules._exact_loops import search_block

    is_active = state.weight > 0
    own = np.flatnonzero(is_own & state.is_live)
    other = np.flatnonzero(~is_own & is_active)
    live_other = np.flatnonzero(~is_own & state.is_live)
    if len(own) == 0 or len(live_other) == 0:
        return (-np.inf, 0, 0, -1, -1, -1)
    columns = np.concatenate([own, live_other])
    position = np.full(len(is_own), -1)
    position[columns] = np.arange(len(columns))
    is_first_own = kind == "conjunction"
    first, second = (own, other) if is_first_own else (other, own)
    diagonal = np.diag(K)
    tols = half_space_tolerance(
        diagonal[first][:, None], K[np.ix_(first, second)], diagonal[second][None, :]
    )
    kept = sorted({i for s in state.steps for i in (s.a, s.b, s.c) if is_own[i]})
    shared = (
        K[np.ix_(first, columns)],
        K[np.ix_(second, columns)],
        is_first_own,
        state.weight[columns],
        len(own),
        position[own],
        tols,
        position[np.array(kept, dtype=np.int64)],
        state.penalty,
    )
    edges = np.linspace(0, len(first), 4 * n_threads + 1).astype(np.int64)
    jobs = [pool.submit(search_block, *shared, edges[i : i + 2]) for i in range(len(edges) - 1)]
    best = max((job.result() for job in jobs), key=lambda b: (b[0], b[1]))
    value, q, r, i, j, c = best
    if c < 0:
        return best
    return value, q, r, int(first[i]), int(second[j]), int(columns[c])


def _advance(
    K: Floats,
    is_own: Bools,
    state: _State,
    kind: Kind,
    best: tuple[float, int, int, int, int, int],
    stop_on_nonpositive: bool,
) -> None:
    value, n_other, n_same, a, b, c = best
    if n_other == 0 or (stop_on_nonpositive and value <= 0):
        state.is_done = True
        return
    own, other = (a, b) if kind == "conjunction" else (b, a)
    u = K[own] - K[other]
    tol = half_space_tolerance(K[a, a], K[a, b], K[b, b])
    state.is_live &= ~(u < u[c] - tol)
    state.steps.append(HalfSpaceStep(a, b, c, int(n_other), int(n_same)))
    state.is_done = not (state.is_live & ~is_own).any()
