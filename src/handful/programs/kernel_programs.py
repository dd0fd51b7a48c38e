"""Kernel columns: pivots that span them, and margin programs by column generation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, lapack

from handful.arrays import Floats
from handful.kernels import Kernel
from handful.programs.linear_program import LPStatus, SolverError
from handful.programs.margin_program import MarginSolution
from handful.programs.solver import MarginSolver

Indices = NDArray[np.intp]

#: With at most this many columns the program gets all of them at once.
_ALL_AT_ONCE = 300
_MAX_ROUNDS = 200  # then a gap that is not proved raises


@dataclass(frozen=True)
class PivotedColumns:
    """Indices of columns that span a kernel matrix up to a tolerance, in order of the pivots."""

    pivots: Indices
    is_full: bool  # all columns: the matrix is numerically nonsingular


def pivoted_columns(K: Floats, tol: float) -> PivotedColumns:
    """Pivoted Cholesky of K until no residual diagonal exceeds ``tol`` times the largest one.

    Examples
    --------
    >>> import numpy as np
    >>> pivoted_columns(np.ones((3, 3)), 1e-10).pivots.tolist()
    [0]
    """
    top = float(np.diagonal(K).max(initial=0.0))
    if top <= 0.0:
        return PivotedColumns(np.zeros(0, dtype=np.intp), False)
    _, order, rank, _ = lapack.dpstrf(K, tol=tol * top, lower=1)
    pivots = np.asarray(order[:rank] - 1, dtype=np.intp)
    return PivotedColumns(pivots, bool(rank == K.shape[0]))


def is_positive_semidefinite(K: Floats) -> bool:
    """Whether no eigenvalue of K is below -1e-9 times its trace."""
    jitter = 1e-9 * max(float(np.trace(K)), 0.0)
    shifted = K + jitter * np.eye(K.shape[0])
    return bool(np.trace(K) > 0.0 and lapack.dpotrf(shifted, lower=1)[1] == 0)


def interpolate(K: Floats, y_signed: Floats, C: float) -> MarginSolution:
    """The optimum of the published program on a nonsingular kernel in closed form, for every C.

    All margins are 1, so h = 1 and the slack is 0: the objective 1 is the least possible. b gives
    the least norm in the kernel's space.
    """
    factor = (lapack.dpotrf(K, lower=1)[0], True)
    inverse_y, inverse_1 = cho_solve(factor, np.column_stack([y_signed, np.ones(len(K))])).T
    b = float(inverse_1 @ y_signed / inverse_1.sum())
    w = inverse_y - b * inverse_1
    for _ in range(3):
        w = w + cho_solve(factor, y_signed - b - K @ w)
    g = y_signed * (K @ w + b)
    zero = np.zeros_like(y_signed)
    slack = float(np.maximum(1.0 - g, 0.0).sum())
    value = max(1.0, float(g.max())) + (C * slack if np.isfinite(C) else 0.0)
    gap = (value - 1.0) / (1.0 + value)
    return MarginSolution(
        w, b, max(1.0, float(g.max())), zero, zero, value, gap, False, False, "closed form", 0
    )


def solve_by_columns(
    K: Floats,
    y_signed: Floats,
    C: float,
    *,
    weight: float,
    tol: float = 1e-7,
    **settings: Any,
) -> MarginSolution:
    """A margin program over all columns of K with priced coefficients, by column generation.

    Each round solves the program on the chosen columns, adds columns whose constraint its dual
    point violates, and drops columns far from use. The gap is proved over all columns: the dual
    point, shrunk until it violates no constraint, gives the lower bound. ``settings`` are
    arguments of `MarginSolver`.
    """
    n, gap, last = K.shape[1], np.inf, np.inf
    chosen = np.arange(n) if n <= _ALL_AT_ONCE else _first_columns(K)
    for _ in range(_MAX_ROUNDS):
        solver = MarginSolver(K[:, chosen], y_signed, weight=weight, tol=tol, **settings)
        solution = solver.solve(C)
        pull = np.abs(K.T @ (y_signed * (solution.a - solution.p)))
        own, pull[chosen] = pull[chosen], 0.0
        gap = _gap_over_all(solution, weight / max(weight, float(pull.max())))
        if gap <= tol:
            w = np.zeros(n)
            if not solution.is_vertex:  # the dual point, hence the proof, stays the same
                solution = solver.solve(C, vertex=True)
            w[chosen] = solution.w
            return replace(solution, w=w, gap=gap)
        keep = chosen
        if solution.value < last - 1e-9 * abs(last):  # dropping without progress could cycle
            size = np.abs(solution.w)
            is_used = size > 1e-9 * float(size.max(initial=0.0))
            keep = chosen[is_used | (own >= 0.8 * weight)]
        last = solution.value
        order = np.argsort(-pull, kind="stable")[: min(200, max(20, chosen.size // 2))]
        new = order[pull[order] > weight]
        if not new.size:
            break
        chosen = np.sort(np.concatenate([keep, new]))
    raise SolverError(LPStatus.UNPROVED, f"The relative gap over all columns is {gap:.2g}.")


def _gap_over_all(solution: MarginSolution, shrink: float) -> float:
    """The gap that the dual point times ``shrink`` proves: the value it loses is added."""
    lost = (1.0 - shrink) * max(0.0, float(solution.a.sum() - solution.p.sum()))
    return solution.gap + lost / (1.0 + abs(solution.value))


def _first_columns(K: Floats) -> Indices:
    if not np.array_equal(K.shape, K.T.shape) or float(np.diagonal(K).max()) <= 0.0:
        return np.arange(min(40, K.shape[1]))
    return np.sort(pivoted_columns(K, 0.1).pivots[:40])


def training_matrix(kernel: Kernel, X: Floats) -> Floats:
    """Kernel matrix of the training examples, checked: square, finite, symmetric."""
    K = kernel(X)
    if K.shape != (len(X), len(X)):
        raise ValueError(
            f"`kernel` must give a square matrix on the training examples, got {K.shape} "
            f"for {len(X)} examples. Pass K(train, train) to fit."
        )
    if not np.all(np.isfinite(K)):
        raise ValueError("`kernel` must be finite, got NaN or infinity. Check its scale.")
    if np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
        raise ValueError("`kernel` must be symmetric, got a matrix that is not.")
    return np.ascontiguousarray(K)
