"""LPBoost on arrays: the linear program, its columns, and the choice of ``nu``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Floats
from handful.boosting.collection import Collected, capped_quantile, collect_columns
from handful.boosting.generation import (
    DualMaster,
    Generated,
    Iteration,
    Restricted,
    column_generation,
)
from handful.boosting.vertices import (
    NotUniqueError,
    Vertex,
    unique_optimum,
    walk_to_vertex,
)
from handful.boosting.weak_learners import ColumnFamily, WeakColumn
from handful.checks import check_real
from handful.tables import spread_folds

#: Columns added after one search of the family; eight saved 60 % of the simplex steps.
N_COLUMNS = 8
#: Gap to which the program is solved if its optimum is to be proved unique.
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
    """Solution of LPBoost: the columns with positive weight, and what is proved about them."""

    columns: list[WeakColumn]  # none if no vote has a positive margin
    weights: Floats  # they sum to 1
    beta: float  # value of the program: rho - sum_i cap_i slack_i, minus prices
    rho: float  # the margin
    u: Floats  # distribution over the examples at the optimum
    gap: float  # the optimum is at most beta + gap
    is_converged: bool
    history: list[Iteration]
    vertex: Vertex | None = None  # the optimum, if it was proved unique
    why_not: str = ""  # why it was not proved unique


def solve_lpboost(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    *,
    tol: float,
    max_iter: int,
    prove: bool = False,
) -> LPBoosted:
    """Maximise rho - sum_i cap_i (rho - y_i f(x_i))_+ over the convex hull of a family.

    If the search of the family is exact, interior points collect the columns, and a vertex of
    the program on these columns follows. Otherwise column generation starts from vertices of the
    restricted dual.

    ``caps`` bound the weights of the examples in the dual and must sum to at least 1. If
    ``prove`` is set, the family must be finite and have prices.
    """
    generated = _generate(family, y_signed, caps, tol, max_iter, prove)
    last, history, gap = generated.restricted, generated.history, generated.gap
    if last is None or (generated.is_converged and last.beta <= _ZERO):  # best is no vote
        why_not = "no vote has a positive margin"
        u = caps / caps.sum()
        return LPBoosted([], caps[:0], 0.0, 0.0, u, gap, True, history, None, why_not)
    used = last.weights > _ZERO
    columns = [c for c, is_used in zip(generated.columns, used, strict=True) if is_used]
    weights = last.weights[used] / last.weights[used].sum()
    rho = _margin(columns, weights, y_signed, caps)
    found = LPBoosted(
        columns, weights, last.beta, rho, last.u, gap, generated.is_converged, history
    )
    return _proved(found, family, y_signed, caps, last) if prove else found


def _proved(
    found: LPBoosted, family: ColumnFamily, y_signed: Floats, caps: Floats, last: Restricted
) -> LPBoosted:
    """The solution at the vertex that is proved the only optimum, or with the reason why not."""
    if not found.is_converged:
        return replace(found, why_not="column generation did not converge")
    try:
        vertex = unique_optimum(family, y_signed, caps, last)  # type: ignore[arg-type]
    except NotUniqueError as error:
        return replace(found, why_not=str(error))
    columns, weights, rho = vertex.columns, vertex.weights, vertex.rho
    return replace(found, columns=columns, weights=weights, rho=rho, vertex=vertex)


def _generate(
    family: ColumnFamily, y_signed: Floats, caps: Floats, tol: float, max_iter: int, prove: bool
) -> Generated:
    # The proof reads the tight constraints off the vertex and needs more digits than the vote.
    goal = min(tol, PROOF_TOL) if prove else tol
    # Weights sum to one, so a larger cap never binds, and an interior point could grow in it.
    caps = np.minimum(caps, 1.0)
    if not family.is_exact or caps.sum() < _INSIDE:
        return _simplex(family, y_signed, caps, goal, max_iter, prove)
    collected = collect_columns(family, y_signed, caps, tol=tol, max_iter=max_iter)
    restricted, gap = collected.restricted, collected.gap
    if restricted is None or gap > tol:
        return Generated(collected.columns, restricted, gap, collected.history, gap <= tol)
    if not prove:
        vertex = _proved_vertex(family, y_signed, caps, collected, restricted, tol)
        if vertex is not None:
            return vertex
    found = _simplex(family, y_signed, caps, goal, max_iter, prove, collected.columns)
    restricted = found.restricted
    if restricted is None:  # the columns collected have no positive value
        return found
    gap = max(0.0, min(found.gap, collected.upper - restricted.beta))
    history = _closed(collected.history, restricted.beta + gap, restricted.beta, gap)
    return Generated(found.columns, restricted, gap, history, found.is_converged)


def _simplex(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    goal: float,
    max_iter: int,
    needs_vertex: bool,
    start: Sequence[WeakColumn] = (),
) -> Generated:
    """Column generation with vertices of the restricted dual."""
    return column_generation(
        family,
        DualMaster(y_signed, caps),
        tol=goal,
        max_iter=max_iter,
        n_columns=N_COLUMNS,
        needs_vertex=needs_vertex,
        start=start,
    )


def _proved_vertex(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    collected: Collected,
    restricted: Restricted,
    tol: float,
) -> Generated | None:
    """The vertex at the end of the path, if its value is proved to be within ``tol``."""
    vertex = walk_to_vertex(collected, y_signed, caps)
    if vertex is None:
        return None
    upper = family.best(vertex.u * y_signed)[0].value
    # Both distributions over the examples give an upper bound; the smaller bound counts.
    if upper > collected.upper:
        upper, vertex = collected.upper, replace(vertex, u=restricted.u)
    gap = max(0.0, upper - vertex.beta)
    if gap > tol:
        return None
    history = _closed(collected.history, upper, vertex.beta, gap)
    return Generated(collected.last_columns, vertex, gap, history, True)


def _closed(history: list[Iteration], edge: float, beta: float, gap: float) -> list[Iteration]:
    """The history and one more step, from the end of the path to a vertex."""
    last = history[-1]
    return [*history, Iteration(last.number + 1, edge, beta, min(gap, last.gap), last.n_columns)]


def rough_path(
    family: ColumnFamily, y_signed: Floats, weights: Floats, nus: Sequence[float], max_iter: int
) -> Iterator[tuple[list[WeakColumn], Floats]]:
    """Columns and weights of a rough vote for each of ``nus``; none if no margin is positive.

    The columns of one program start the next.
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


#: Fractions that "auto" chooses from, largest first: the columns of one start the next.
NUS = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
#: Gap to which the programs of the folds are solved.
ROUGH = 1e-2
_PATIENCE = 2  # so many fractions in a row, all worse than the best, end the search
_N_FOLDS = 5  # each model sees four fifths of the examples
_MOST_CHOOSING = 1000  # examples; programs grow faster than their number
#: A fixed seed: the folds are drawn from the sorted, merged examples.
_SEED = 20110815

#: ``votes(train, nus)`` fits to the examples ``train`` and gives a score function for each nu.
FoldVotes = Callable[[np.ndarray, Sequence[float]], Iterable[Callable[[Floats], Floats]]]


def check_nu(nu: Any) -> None:
    """Raise unless ``nu`` is "auto" or a fraction."""
    if isinstance(nu, str):
        if nu != "auto":
            raise ValueError(f"`nu` must be 'auto' or a number in (0, 1], got {nu!r}.")
        return
    hint = "Use the fraction of margin errors, not their number."
    check_real("nu", nu, low=0.0, high=1.0, low_open=True, hint=hint)


def choose_nu(rows: Floats, y_signed: Floats, weights: Floats, votes: FoldVotes) -> float:
    """The fraction with the fewest errors in a cross-validation; of equal ones, the largest.

    The rows are merged (`merge_rows`), so equal examples are in one fold. The folds depend
    neither on the order of the examples nor on whether they are repeated or weighted.
    """
    folds = spread_folds(y_signed, _N_FOLDS, _SEED)
    # Of many examples a part chooses as well, and faster: the others are in no fold.
    folds[spread_folds(y_signed, -(-y_signed.size // _MOST_CHOOSING), _SEED + 1) > 0] = -1
    tests, paths = [], []
    for fold in range(_N_FOLDS):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero((folds != fold) & (folds >= 0))
        if test.size and np.unique(y_signed[train]).size > 1:
            tests.append(test)
            paths.append(iter(votes(train, NUS)))
    errors: list[float] = []
    for _ in NUS:
        wrong = 0.0
        for test, path in zip(tests, paths, strict=True):
            predicted = np.where(next(path)(rows[test]) > 0.0, 1.0, -1.0)
            wrong += float(weights[test] @ (predicted != y_signed[test]))
        errors.append(wrong)
        # Errors over nu have one valley, but for noise; small fractions take most of the time.
        if min(errors) < min(errors[-_PATIENCE:]):
            break
    return NUS[int(np.argmin(errors))]
