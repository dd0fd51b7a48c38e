"""The solver of one kernel's machines along C: decomposition steps and active-set Newton steps.

The dual is: minimise u'Ku / 2 - y'u over u = alpha * y with 0 <= alpha <= C, and with
sum(u) = 0 if there is a bias. Decomposition (SMO) finds the variables at their bounds. Newton
steps solve the linear system of the other variables, for which decomposition is slow. If Newton
steps do not help, SMO alone finishes.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn.exceptions import ConvergenceWarning

from handful.arrays import Floats

SMO_STEPS = 700  # cheap steps between two computations of the gap
_NEWTON_STEPS = 10  # the free set settles within a few steps, or not at all
_HELD_SHARE = 0.3  # share of blocked variables held at once: 1 cycles, single ones are slow
_LARGEST_NEWTON = 4000  # a dense factor of this size takes about a second
_MAX_ROUNDS = 300  # then the last sweep, and a warning if the gap is not proved
_LAST_WORK = 300_000_000  # steps of the last sweep times rows: some seconds
RIDGE = 1e-11  # times the kernel's scale: first ridge for a singular free set
_LARGEST_RIDGE = 1e-3  # times the scale: a larger ridge would solve another problem
FLOOR = 1e-12  # times the scale: smaller curvature is rounding


@dataclass(frozen=True)
class Solution:
    """Dual variables, bias, errors K u - y, dual objective and duality gap of one machine."""

    alpha: Floats
    bias: float
    errors: Floats
    objective: float
    gap: float
    solver: str


@dataclass
class DualState:
    """The state of the dual problem; steps change ``u`` and ``errors`` in place."""

    K: Floats
    diagonal: Floats
    y: Floats
    u: Floats
    errors: Floats
    low: Floats
    high: Floats
    scale: float
    has_bias: bool
    row_weights: Floats | None = None


def solve_path(
    K: Floats,
    y: Floats,
    Cs: Floats,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-5,
    alpha: Floats | None = None,
    warn: bool = True,
    row_weights: Floats | None = None,
) -> list[Solution]:
    """Solve for every C in ascending order; each problem starts from the solution before.

    ``K`` is symmetric, positive semi-definite and C-contiguous; ``y`` is in {-1, +1}. ``tol`` is
    the largest relative duality gap, and the largest violation of the optimality conditions in
    units of the margin. ``alpha`` is a feasible start for the first C. C is multiplied by
    ``row_weights``.
    """
    diagonal = np.ascontiguousarray(np.diagonal(K))
    u = np.zeros(y.shape[0]) if alpha is None else alpha * y
    state = DualState(
        K=K,
        diagonal=diagonal,
        y=y,
        u=u,
        errors=K @ u - y,
        low=np.zeros_like(y),
        high=np.zeros_like(y),
        scale=max(float(diagonal.mean()), np.finfo(float).tiny),
        has_bias=fit_intercept,
        row_weights=row_weights,
    )
    solutions: list[Solution] = []
    before: float | None = None
    for C in Cs:
        if before is not None:
            _grow(state, float(C) / before)
        prices = np.full(y.shape[0], C) if row_weights is None else C * row_weights
        state.low = np.where(y > 0, 0.0, -prices)
        state.high = np.where(y > 0, prices, 0.0)
        # A variable at its old bound may miss the new bound by rounding, and would count as free.
        near = np.abs(np.abs(state.u) - prices) <= 1e-12 * prices
        state.u[near] = (prices * y)[near]
        solver = _solve(state, tol, warn)
        solutions.append(_finish(state, solver))
        before = float(C)
    return solutions


def _grow(state: DualState, ratio: float) -> None:
    """Scale the last solution by the best factor that the larger C allows."""
    # The dual along the ray t u is t total - t^2 norm2 / 2. Take the best t that C allows.
    norm2 = float(state.u @ (state.errors + state.y))
    total = float(np.abs(state.u).sum())
    factor = min(max(total / norm2, 1.0), ratio) if norm2 > 0 else ratio
    if factor > 1.0:
        state.u *= factor
        state.errors = (state.errors + state.y) * factor - state.y


def _solve(state: DualState, tol: float, warn: bool) -> str:
    """Alternate SMO and Newton steps until violation and relative gap are at most tol."""
    from handful.svm import loops

    smo = loops.smo_pairs if state.has_bias else loops.smo_singles
    arguments = (state.K, state.diagonal, state.low, state.high, state.u)
    floor = FLOOR * state.scale
    inner, solver, last_gap = tol, "smo", np.inf
    ridge = RIDGE * state.scale
    for n_round in range(_MAX_ROUNDS):
        # Updates of the errors accumulate rounding: compute them anew every ten rounds.
        if n_round % 10 == 9:
            state.errors = state.K @ state.u - state.y
            gap = _certainty(state)[1]
            if gap > 0.5 * last_gap:
                # Rounding errors dominate the directions in which K is flat: damp them.
                ridge *= 100.0
                if ridge > _LARGEST_RIDGE * state.scale:
                    break
            last_gap = gap
        _, violation = smo(*arguments, state.errors, inner, SMO_STEPS, floor)
        if violation <= inner:
            if _is_proved(state, tol):
                return solver
            # The violation is small but the gap is not proved: ask for a smaller violation.
            inner = max(0.1 * inner, 1e-14)
        newton_steps(state, inner, ridge)
        solver = "newton"
    smo(*arguments, state.errors, inner, _LAST_WORK // state.y.shape[0], floor)
    if warn and not _is_proved(state, tol):
        warnings.warn(
            f"the solver stopped before the relative duality gap reached tol={tol:g}; the gap of "
            "the model says how far it is from optimal. Scale the features, or lower C.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return solver


def _is_proved(state: DualState, tol: float) -> bool:
    _, gap, objective = _certainty(state)
    return gap <= tol * objective


def newton_steps(state: DualState, tol: float, ridge: float) -> None:
    """Solve for the variables between their bounds, hold those that meet a bound, and repeat."""
    from handful.svm import loops

    free = np.flatnonzero((state.u > state.low) & (state.u < state.high))
    for _ in range(_NEWTON_STEPS):
        # One free variable cannot move if there is a bias; too many are left to the cheap steps.
        if not 2 <= free.size <= _LARGEST_NEWTON:
            return
        factor = _factorise(state, free, ridge)
        if factor is None:
            return
        direction = _direction(state, free, factor)
        room = loops.room_along(state.u, state.low, state.high, free, direction)
        shortest = float(room.min())
        if shortest >= 1.0:
            _refine(state, free, factor, direction, tol)
            return
        # Variables that reach their bounds together are held together.
        hits = room <= shortest * (1.0 + 1e-12)
        _move(state, free, direction, shortest)
        ends = free[hits]
        state.u[ends] = np.where(direction[hits] > 0, state.high[ends], state.low[ends])
        blocked = np.flatnonzero(room < 1.0)
        n_held = int(np.ceil(_HELD_SHARE * blocked.size))
        hits[blocked[np.argsort(room[blocked], kind="stable")[:n_held]]] = True
        free = free[~hits]


def _factorise(state: DualState, free: NDArray[np.intp], ridge: float) -> Floats | None:
    from handful.svm import loops

    for _ in range(3):
        block = loops.gather_lower(state.K, free, ridge)
        factor, info = dpotrf(block.T, lower=0, overwrite_a=1)
        if info == 0:
            return factor
        ridge *= 100.0
    return None


def _direction(state: DualState, free: NDArray[np.intp], factor: Floats) -> Floats:
    """Newton direction; it keeps the sum of u if there is a bias."""
    right = np.ones((free.size, 2), order="F")
    right[:, 0] = -state.errors[free]
    if not state.has_bias:
        return dpotrs(factor, right[:, :1], lower=0)[0][:, 0]
    solved = dpotrs(factor, right, lower=0)[0]
    direction = solved[:, 0] - (solved[:, 0].sum() / solved[:, 1].sum()) * solved[:, 1]
    # The sum is zero up to rounding, which would accumulate over steps.
    return direction - direction.mean()


def _move(state: DualState, free: NDArray[np.intp], direction: Floats, step: float) -> None:
    from handful.svm import loops

    loops.move(state.K, free, direction, step, state.u, state.low, state.high, state.errors)


def _refine(
    state: DualState, free: NDArray[np.intp], factor: Floats, direction: Floats, tol: float
) -> None:
    """Take full Newton steps; the ridge may need more than one."""
    from handful.svm import loops

    for _ in range(4):
        _move(state, free, direction, 1.0)
        left = state.errors[free]
        # With a bias equal errors of any value are optimal; without a bias they must vanish.
        spread = np.ptp(left) if state.has_bias else 2.0 * np.abs(left).max()
        if spread <= 0.1 * tol:
            return
        direction = _direction(state, free, factor)
        if loops.room_along(state.u, state.low, state.high, free, direction).min() < 1.0:
            return


def _certainty(state: DualState) -> tuple[float, float, float]:
    """Best bias for w, duality gap and dual objective."""
    y, alpha = state.y, np.abs(state.u)
    bias = 0.0
    if state.has_bias:
        bias = 0.5 * sum(best_bias_interval(state.errors, y, state.row_weights))
    prices = state.high - state.low
    # sum(u) is zero up to rounding; the rest is added to the gap.
    gap = duality_gap(alpha, y * (state.errors + y + bias), prices) + abs(bias * state.u.sum())
    return bias, gap, float(alpha.sum() - 0.5 * (state.u @ (state.errors + y)))


def _finish(state: DualState, solver: str) -> Solution:
    bias, gap, objective = _certainty(state)
    return Solution(np.abs(state.u), bias, state.errors.copy(), objective, gap, solver)


def best_bias_interval(
    errors: Floats, y: Floats, row_weights: Floats | None = None
) -> tuple[float, float]:
    """All biases b that minimise sum_i r_i max(0, 1 - y_i (w.x_i + b)), given errors w.x_i - y_i.

    The slope at b is the weight of the breakpoints -errors_i that are not above b, minus the
    weight of the positive examples. So the minimisers lie between two neighbouring breakpoints,
    or at one of them.
    """
    n_positive = int((y > 0).sum())
    if n_positive in (0, y.shape[0]):
        raise ValueError("`y` must hold both -1 and +1: otherwise the bias has no best value.")
    if row_weights is not None:
        return _weighted_interval(-errors, row_weights, float(row_weights[y > 0].sum()))
    # With equal weights the slope changes sign after as many breakpoints as there are positives.
    ends = np.partition(-errors, (n_positive - 1, n_positive))
    return float(ends[n_positive - 1]), float(ends[n_positive])


def _weighted_interval(points: Floats, weights: Floats, share: float) -> tuple[float, float]:
    """From the first point whose cumulated weight reaches the share to the first one above it.

    Sums that equal the share up to rounding count as equal, which widens the interval.
    """
    order = np.argsort(points, kind="stable")
    so_far = np.cumsum(weights[order])
    slack = 1e-12 * so_far[-1]
    first, last = np.searchsorted(so_far, (share - slack, share + slack))
    # Both classes have positive weight, so the total weight exceeds the share.
    return float(points[order[first]]), float(points[order[min(last, points.size - 1)]])


def duality_gap(alpha: Floats, margins: Floats, C: float | Floats) -> float:
    """Primal minus dual objective as a sum of terms that are never negative.

    The formula needs sum(alpha y) = 0 or a bias of zero.
    """
    over = margins - 1.0
    return float(np.where(over > 0, alpha * over, (alpha - C) * over).sum())
