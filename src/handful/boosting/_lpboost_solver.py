"""LPBoost on arrays: the program, its generation, and what of it can be certified."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from handful.boosting._columns import Column, ColumnFamily, Floats
from handful.boosting._generation import Iteration, column_generation
from handful.boosting._master import DualMaster
from handful.boosting._unique import Vertex, capped_quantile, unique_optimum

#: Columns added for one question to the family; several saved 60 % of the simplex steps.
N_COLUMNS = 8
#: Gap to which the program is solved where its optimum is to be proved unique.
PROOF_TOL = 1e-8
NO_MARGIN = (
    "no vote has a positive margin at this `nu`. Raise `nu` (or lower `cap`), check the labels, "
    "or give it richer weak learners."
)
#: Weights and margins below this are rounding.
_ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class LPBoosted:
    """Solution of LPBoost.

    Attributes
    ----------
    columns : list of Column
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

    columns: list[Column]
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
    n_columns: int = N_COLUMNS,
    smoothing: float = 0.0,
    prove: bool = False,
    on_iteration: Callable[[Iteration], None] | None = None,
) -> LPBoosted:
    """Maximise rho - sum_i cap_i (rho - y_i f(x_i))_+ over the convex hull of a family.

    Parameters
    ----------
    family : ColumnFamily
    y_signed, caps : ndarray of shape (n_samples,)
        ``caps`` bound the weights of the examples in the dual and must sum to at least 1.
    tol : float
    max_iter : int
    n_columns : int
    smoothing : float
    prove : bool
        Prove that the optimum is unique; the family must be finite and carry prices.
    on_iteration : callable, optional
    """
    master = DualMaster(y_signed, caps)
    generated = column_generation(
        family,
        master,
        tol=min(tol, PROOF_TOL) if prove else tol,
        max_iter=max_iter,
        n_columns=n_columns,
        smoothing=smoothing,
        needs_vertex=prove,
        on_iteration=on_iteration,
    )
    last, history = generated.restricted, generated.history
    if last is None or (generated.is_converged and last.beta <= _ZERO):  # best is no vote
        return LPBoosted([], caps[:0], 0.0, 0.0, master.start(), generated.gap, True, history)
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


def _margin(columns: list[Column], weights: Floats, y_signed: Floats, caps: Floats) -> float:
    votes = sum(w * c.values for w, c in zip(weights, columns, strict=True))
    return capped_quantile(y_signed * votes, caps)


def warn_if_unfinished(solution: LPBoosted, name: str, max_iter: int) -> None:
    """Say that the rounds ran out before the gap was closed."""
    if not solution.is_converged:
        warnings.warn(
            f"{name} stopped after {max_iter} rounds with a gap of {solution.gap:.3g}. Raise "
            "`max_iter`, `tol` or `nu`.",
            ConvergenceWarning,
            stacklevel=5,
        )
