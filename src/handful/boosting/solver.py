"""LPBoost on arrays: the program, its generation, and what of it can be certified."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from handful._checks import check_real
from handful._types import Floats
from handful.boosting.collection import Collected, collect_columns
from handful.boosting.generation import DualMaster, Generated, Iteration, column_generation
from handful.boosting.vertices import Vertex, capped_quantile, unique_optimum, walk_to_vertex
from handful.boosting.weak_learners import ColumnFamily, WeakColumn

#: Columns added for one question to the family; several saved 60 % of the simplex steps.
N_COLUMNS = 8
#: Gap to which the program is solved where its optimum is to be proved unique.
PROOF_TOL = 1e-8
NO_MARGIN = (
    "no vote has a positive margin at this `nu`. Raise `nu` (or lower `cap`), check the labels, "
    "or give it richer weak learners."
)
#: Caps that sum to less leave no room for an interior point.
_INSIDE = 1.001
#: Weights and margins below this are rounding.
_ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class LPBoosted:
    """Solution of LPBoost.

    Attributes
    ----------
    columns : list of WeakColumn
        Columns with positive weight; empty where no vote has a positive margin.
    weights : ndarray
        Their weights; they sum to 1.
    beta : float
        Value of the program: rho - sum_i cap_i slack_i (minus prices).
    rho : float
        The margin.
    u : ndarray
        Distribution over the examples at the optimum.
    gap : float
        Certified optimality gap.
    is_converged : bool
    history : list of Iteration
    vertex : Vertex or str or None
        The proved unique optimum, or why there is none; None where it was not asked for.
    """

    columns: list[WeakColumn]
    weights: Floats
    beta: float
    rho: float
    u: Floats
    gap: float
    is_converged: bool
    history: list[Iteration]
    vertex: Vertex | str | None = None


def solve_lpboost(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    *,
    tol: float,
    max_iter: int,
    prove: bool = False,
    on_iteration: Callable[[Iteration], None] | None = None,
) -> LPBoosted:
    """Maximise rho - sum_i cap_i (rho - y_i f(x_i))_+ over the convex hull of a family.

    Where the search of the family is exact, the columns are collected with interior points,
    and a vertex of the program on them follows; otherwise the columns come one by one from the
    vertices of the restricted dual.

    Parameters
    ----------
    family : ColumnFamily
    y_signed, caps : ndarray of shape (n_samples,)
        ``caps`` bound the weights of the examples in the dual and must sum to at least 1.
    tol : float
    max_iter : int
        Most questions to the family.
    prove : bool
        Prove that the optimum is unique; the family must be finite and carry prices.
    on_iteration : callable, optional
    """
    generated = _generate(family, y_signed, caps, tol, max_iter, prove, on_iteration)
    last, history = generated.restricted, generated.history
    if last is None or (generated.is_converged and last.beta <= _ZERO):  # best is no vote
        start = caps / caps.sum()
        return LPBoosted([], caps[:0], 0.0, 0.0, start, generated.gap, True, history)
    used = last.weights > _ZERO
    columns = [c for c, is_used in zip(generated.columns, used, strict=True) if is_used]
    weights = last.weights[used] / last.weights[used].sum()
    vertex: Vertex | str | None = None
    if prove and not generated.is_converged:
        vertex = "column generation did not converge"
    elif prove:
        vertex = unique_optimum(family, y_signed, caps, last)  # type: ignore[arg-type]
    if isinstance(vertex, Vertex):
        columns, weights, rho = vertex.columns, vertex.weights, vertex.rho
    else:
        rho = _margin(columns, weights, y_signed, caps)
    return LPBoosted(
        columns, weights, last.beta, rho, last.u, generated.gap, generated.is_converged, history,
        vertex,
    )  # fmt: skip


def _generate(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    tol: float,
    max_iter: int,
    prove: bool,
    on_iteration: Callable[[Iteration], None] | None,
) -> Generated:
    # Which constraints are tight is read off the vertex: that needs more digits than the vote does.
    goal = min(tol, PROOF_TOL) if prove else tol
    # Weights sum to one, so a larger cap never binds; an interior point would wander off in it.
    caps = np.minimum(caps, 1.0)
    if not family.is_exact or caps.sum() < _INSIDE:
        return column_generation(
            family, DualMaster(y_signed, caps), tol=goal, max_iter=max_iter,
            n_columns=N_COLUMNS, needs_vertex=prove, on_iteration=on_iteration,
        )  # fmt: skip
    collected = collect_columns(
        family, y_signed, caps, tol=tol, max_iter=max_iter, on_iteration=on_iteration
    )
    if collected.restricted is None or collected.gap > tol:
        is_done = collected.gap <= tol
        return Generated(
            collected.columns, collected.restricted, collected.gap, collected.history, is_done
        )
    if not prove:
        vertex = _proved_vertex(family, y_signed, caps, collected, tol)
        if vertex is not None:
            return vertex
    return _simplex_vertex(family, y_signed, caps, collected, goal, max_iter, prove)


def _proved_vertex(
    family: ColumnFamily, y_signed: Floats, caps: Floats, collected: Collected, tol: float
) -> Generated | None:
    """The vertex at the end of the path, if its own weights of the examples prove its value."""
    vertex = walk_to_vertex(collected, y_signed, caps)
    if vertex is None:
        return None
    upper = family.best(vertex.u * y_signed)[0].value
    # The vertex's own weights may prove less than those of the path: the better proof counts.
    if upper > collected.upper:
        upper, vertex = collected.upper, replace(vertex, u=collected.restricted.u)  # type: ignore[union-attr]
    gap = max(0.0, upper - vertex.beta)
    if gap > tol:
        return None
    history = _closed(collected.history, upper, vertex.beta, gap)
    return Generated(collected.last_columns, vertex, gap, history, True)


def _simplex_vertex(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    collected: Collected,
    goal: float,
    max_iter: int,
    prove: bool,
) -> Generated:
    """Go on from the columns that were collected, with vertices of the restricted dual."""
    found = column_generation(
        family, DualMaster(y_signed, caps), tol=goal, max_iter=max_iter, n_columns=N_COLUMNS,
        needs_vertex=prove, start=collected.columns,
    )  # fmt: skip
    restricted = found.restricted
    if restricted is None:  # the columns collected have no positive value
        return found
    gap = max(0.0, min(found.gap, collected.upper - restricted.beta))
    history = _closed(collected.history, restricted.beta + gap, restricted.beta, gap)
    return Generated(found.columns, restricted, gap, history, found.is_converged)


def _closed(history: list[Iteration], edge: float, beta: float, gap: float) -> list[Iteration]:
    """History with the last step, from the end of the path to a vertex."""
    last = history[-1]
    return [*history, Iteration(last.number + 1, edge, beta, min(gap, last.gap), last.n_columns)]


def rough_path(
    family: ColumnFamily, y_signed: Floats, weights: Floats, nus: Sequence[float], max_iter: int
) -> Iterator[tuple[list[WeakColumn], Floats]]:
    """Votes for several fractions of margin errors, solved roughly: columns and their weights.

    The columns of one serve the next; none where no vote has a positive margin.
    """
    known: list[WeakColumn] = []
    for nu in nus:
        caps = weights / (nu * weights.sum())
        if family.is_exact and caps.sum() >= _INSIDE:
            found = collect_columns(
                family, y_signed, caps, tol=ROUGH, max_iter=max_iter, start=known
            )
            best = found.restricted
            known = found.last_columns
            if best is None or best.beta <= _ZERO:
                yield [], caps[:0]
            else:
                yield found.columns, best.weights
        else:
            solution = solve_lpboost(family, y_signed, caps, tol=ROUGH, max_iter=max_iter)
            yield solution.columns, solution.weights


def _margin(columns: list[WeakColumn], weights: Floats, y_signed: Floats, caps: Floats) -> float:
    votes = sum(w * c.values for w, c in zip(weights, columns, strict=True))
    return capped_quantile(y_signed * votes, caps)


def warn_if_unfinished(solution: Any, name: str, max_iter: int) -> None:
    """Say that the rounds ran out before the gap was closed."""
    if not solution.is_converged:
        warnings.warn(
            f"{name} stopped after {max_iter} rounds with a gap of {solution.gap:.3g}. Raise "
            "`max_iter`, `tol` or `nu`.",
            ConvergenceWarning,
            stacklevel=5,
        )


#: Fractions that "auto" chooses from, largest first: columns found for one serve the next.
NUS = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
#: Gap to which the programs of the folds are solved.
ROUGH = 1e-3
_N_FOLDS = 5  # each model sees four fifths of the examples
#: Folds are drawn from the sorted, merged examples: nothing is left to choose.
_SEED = 20110815

Votes = Callable[[np.ndarray, Sequence[float]], Iterable[Callable[[Floats], Floats]]]


def check_nu(nu: Any) -> None:
    """Raise unless ``nu`` is "auto" or a fraction."""
    if isinstance(nu, str):
        if nu != "auto":
            raise ValueError(f"`nu` must be 'auto' or a number in (0, 1], got {nu!r}.")
        return
    hint = "Use the fraction of margin errors, not their number."
    check_real("nu", nu, low=0.0, high=1.0, low_open=True, hint=hint)


def choose_nu(rows: Floats, y_signed: Floats, weights: Floats, votes: Votes) -> float:
    """The fraction that errs least in a cross-validation; of several the largest.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Merged examples (`merge_rows`): equal ones are in one fold, and the folds depend neither
        on the order of the examples nor on whether they are repeated or weighted.
    y_signed, weights : ndarray of shape (n_samples,)
    votes : callable
        ``votes(train, nus)`` fits to the examples ``train`` and gives a score function for each
        of ``nus``.
    """
    errors = np.zeros(len(NUS))
    folds = draw_folds(y_signed)
    for fold in range(_N_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if test.size == 0 or np.unique(y_signed[train]).size < 2:
            continue
        for k, vote in enumerate(votes(train, NUS)):
            predicted = np.where(vote(rows[test]) > 0.0, 1.0, -1.0)
            errors[k] += float(weights[test] @ (predicted != y_signed[test]))
    return NUS[int(np.argmin(errors))]


def draw_folds(y_signed: Floats) -> np.ndarray:
    """Fold of each example; each class is spread evenly.

    Examples
    --------
    >>> import numpy as np
    >>> folds = draw_folds(np.repeat([-1.0, 1.0], 10))
    >>> np.bincount(folds[:10]).tolist(), np.bincount(folds[10:]).tolist()
    ([2, 2, 2, 2, 2], [2, 2, 2, 2, 2])
    """
    rng = np.random.default_rng(_SEED)
    folds = np.empty(y_signed.size, dtype=np.int64)
    for label in (-1.0, 1.0):
        members = np.flatnonzero(y_signed == label)
        folds[members] = rng.permutation(np.arange(members.size) % _N_FOLDS)
    return folds
