"""The margin program. Every machine of this folder is a case of it.

    minimise over w, b:   [capped] max(1, max_i g_i) + sum_i C_i (1 - g_i)_+ + sum_j D_j |w_j|

with C_i = C r_i, r_i the weight of example i (1 by default), and margins g_i = y_i (F_i w + b). The
minimal complexity machine is ``capped``, with D = 0 as published. The 1-norm support vector
machine is not capped and has D = 1. The hard margin is C = inf. The columns of F are features or
kernel columns.

Its dual, with u = a - p: maximise sum_i a_i + [capped] (1 - sum_i p_i) subject to
0 <= a_i <= C_i, p_i >= 0, sum_i p_i <= 1 (p = 0 if not capped), sum_i u_i y_i = 0 and
|sum_i u_i y_i F_ij| <= D_j. Every solution has a dual point and the gap it proves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from handful.arrays import Floats
from handful.programs.linear_program import LinearProgram


@dataclass(frozen=True)
class MarginProgram:
    """A margin program on the columns of F, of shape (n_samples, n_columns)."""

    F: Floats
    y_signed: Floats
    C: float  # price of a unit of slack; infinite for the hard margin
    weights: Floats  # price D_j of |w_j|; columns without a price come last
    capped: bool  # whether the largest margin h is priced
    row_weights: Floats | None = None  # weights of the slacks of the examples; all positive

    @property
    def prices(self) -> Floats:
        """Price C_i of a unit of slack, for each example."""
        if self.row_weights is None:
            return np.full(self.y_signed.size, self.C)
        return self.C * self.row_weights

    @property
    def is_hard(self) -> bool:
        """Whether no slack is allowed."""
        return not np.isfinite(self.C)

    @property
    def is_sparse(self) -> bool:
        """Whether the absolute value of some w_j is priced."""
        return self.n_priced > 0

    @property
    def n_priced(self) -> int:
        """Number of columns whose coefficient is priced; they come first."""
        return int(np.count_nonzero(self.weights))

    def margins(self, w: Floats, b: float) -> Floats:
        """g_i = y_i (F_i w + b)."""
        return np.asarray(self.y_signed * (self.F @ w + b))

    def value(self, w: Floats, g: Floats, slop: float = 0.0) -> float:
        """Objective at w with margins g; infinite if the hard margin fails by more than ``slop``.

        The point is feasible by construction: slacks and cap are those that its margins need.
        """
        total = max(1.0, float(g.max())) if self.capped else 0.0
        short = np.maximum(1.0 - g, 0.0)
        if not self.is_hard:
            total += float(self.prices @ short)
        elif short.max() > slop:
            return float(np.inf)
        return total + float(self.weights @ np.abs(w))


@dataclass(frozen=True)
class MarginSolution:
    """A proved solution of a margin program."""

    w: Floats
    b: float
    h: float  # max(1, largest margin)
    a: Floats  # dual point: multipliers of the slacks
    p: Floats  # dual point: multipliers of the cap
    value: float  # objective, recomputed from w and b
    gap: float  # relative duality gap that (w, b) and (a, p) prove
    is_unique: bool | None  # whether (w, b) is the only optimum; None if not known
    is_vertex: bool  # whether coefficients that may vanish are exactly zero
    solver: Literal["interior", "highs", "closed form"]
    n_iterations: int


def proved(program: MarginProgram, solution: MarginSolution) -> MarginSolution:
    """The solution with h, objective and gap recomputed from (w, b) and the dual point.

    The dual point is first made feasible for its bounds. The residual of its equations is charged
    as if no coefficient could exceed twice its size plus one.
    """
    w, b = solution.w, solution.b
    g = program.margins(w, b)
    value = program.value(w, g, 1e-7)
    a = np.clip(solution.a, 0.0, program.prices)
    p = np.maximum(solution.p, 0.0) if program.capped else np.zeros_like(a)
    # The multipliers of the cap sum to one at most.
    p = p / max(1.0, float(p.sum()))
    lower = float(a.sum()) + (1.0 - float(p.sum()) if program.capped else 0.0)
    signed = (a - p) * program.y_signed
    excess = np.maximum(np.abs(program.F.T @ signed) - program.weights, 0.0)
    loss = float(excess @ (1.0 + 2.0 * np.abs(w))) + abs(float(signed.sum())) * (1 + 2 * abs(b))
    gap = (abs(value - lower) + loss) / (1.0 + abs(value)) if np.isfinite(value) else np.inf
    h = max(1.0, float(g.max()))
    return replace(solution, h=h, a=a, p=p, value=value, gap=float(gap))


def balanced(program: MarginProgram, solution: MarginSolution) -> MarginSolution:
    """The solution with its dual point moved as little as possible until its equations hold.

    Multipliers move in proportion to their distance from their bounds, so that those at a bound
    stay there. The given solution is returned if the moved one does not prove more.
    """
    a, p, y = solution.a, solution.p, program.y_signed
    room = np.minimum(a, program.prices - a) if not program.is_hard else a
    pull = program.F.T @ ((a - p) * y)
    # Columns far from their price have room and need no repair.
    tight = np.abs(pull) >= program.weights * (1.0 - 1e-6)
    excess = (pull - np.clip(pull, -program.weights, program.weights))[tight]
    signed = np.column_stack([program.F[:, tight] * y[:, None], y])
    rows = np.vstack([signed, -signed]) * np.concatenate([room, p])[:, None]
    wrong = np.append(excess, float((a - p) @ y))
    if program.capped and p.sum() > 1.0 - 1e-9:
        rows = np.column_stack([rows, np.concatenate([np.zeros_like(p), p])])
        wrong = np.append(wrong, 0.0)
    move = np.linalg.lstsq(rows.T, -wrong, rcond=1e-13)[0]
    moved = replace(solution, a=a + room * move[: a.size], p=p + p * move[a.size :])
    better = proved(program, moved)
    return better if better.gap < solution.gap else solution


def solve_with_highs(program: MarginProgram, *, time_limit: float | None = None) -> MarginSolution:
    """A vertex of the optimal face, with the gap it proves."""
    found = margin_lp(program).solve(time_limit=time_limit, tol=1e-6)
    m, n = program.F.shape
    k = 2 * n if program.is_sparse else n
    w = found.x[:n] - found.x[n:k] if program.is_sparse else found.x[:n]
    a, p = np.maximum(found.duals[:m], 0.0), np.maximum(-found.duals[:m], 0.0)
    nan, count = float(np.nan), found.n_iterations
    return proved(
        program,
        MarginSolution(w, float(found.x[k]), nan, a, p, nan, nan, None, True, "highs", count),
    )


def margin_lp(program: MarginProgram) -> LinearProgram:
    """The linear program of a margin program.

    Columns w (split in two if priced), b, h, q, z; rows, with G the signed features::

        G w + y b + q - z = 0     z >= 1, q >= 0 (q = 0 for the hard margin)
                    z - h <= 0    (if capped; otherwise z is not bounded above)

    The duals of the first rows are a - p.
    """
    m, n = program.F.shape
    G = program.F * program.y_signed[:, None]
    parts = [G, -G] if program.is_sparse else [G]
    k = n * len(parts)
    rows = _rows(program, parts)
    n_rows = rows.shape[0]
    row_lower = np.where(np.arange(n_rows) < m, 0.0, -np.inf)
    prices = np.zeros(m) if program.is_hard else program.prices
    cost = np.concatenate([np.tile(program.weights, len(parts)), [0.0, float(program.capped)]])
    cost = np.concatenate([cost, prices, np.zeros(m)])
    low_w = np.full(k, 0.0 if program.is_sparse else -np.inf)
    lower = np.concatenate([low_w, [-np.inf, 1.0], np.zeros(m), np.ones(m)])
    upper = np.full(cost.size, np.inf)
    if program.is_hard:
        upper[k + 2 : k + 2 + m] = 0.0
    return LinearProgram(cost, rows, row_lower, np.zeros(n_rows), lower, upper)


def _rows(program: MarginProgram, parts: list[Floats]) -> Any:
    m, k = program.F.shape[0], program.F.shape[1] * len(parts)
    eye = sparse.eye_array(m, format="csc")
    top: list[Any] = [*parts, program.y_signed[:, None], np.zeros((m, 1)), eye, -eye]
    rows: Any = sparse.hstack([sparse.csc_array(block) for block in top], format="csc")
    if not program.capped:
        return rows
    empty = sparse.csc_array((m, m))
    under: list[Any] = [sparse.csc_array((m, k + 1)), -np.ones((m, 1)), empty, eye]
    below: Any = sparse.hstack([sparse.csc_array(block) for block in under], format="csc")
    return sparse.vstack([rows, below], format="csc")
