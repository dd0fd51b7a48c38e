"""The solver of one kernel's machines along C: decomposition steps and active-set Newton steps.

The dual is: minimise u'Ku / 2 - y'u over u = alpha * y with 0 <= alpha <= C, and sum(u) = 0
where there is a bias. Decomposition (SMO) finds which variables are at their bounds; Newton
steps on the others then solve their linear system, which is what decomposition is slow at.
Either alone would do; SMO is also what is left where Newton steps do not help.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn.exceptions import ConvergenceWarning

from handful._types import Floats

_SMO_STEPS = 700  # cheap steps between two looks at the gap
_NEWTON_STEPS = 10  # the free set settles within a few, or not at all
_HELD_SHARE = 0.3  # of the blocked at once: all at once cycles, one by one is slow
_LARGEST_NEWTON = 4000  # a dense factor of this side takes about a second
# An end to the loop; then the last sweep, and a warning where the gap is not proved.
_MAX_ROUNDS = 300
_LAST_WORK = 300_000_000  # steps of the last sweep times rows: some seconds
_RIDGE = 1e-11  # of the kernel's scale: the first try at a singular free set
_LARGEST_RIDGE = 1e-3  # of the scale: a larger one would solve another problem
_FLOOR = 1e-12  # of the scale: curvature below it is rounding


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
class _DualState:
    """What the steps share; ``u`` and ``errors`` are changed in place."""

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
    """Solve for every C in ascending order, each started from the one before.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix, symmetric and positive semi-definite, C-contiguous.
    y : ndarray of shape (m,)
        Labels in {-1, +1}.
    Cs : ndarray
        Ascending penalties.
    fit_intercept : bool
    tol : float
        Largest relative duality gap, and largest violation of the optimality conditions in
        units of the margin.
    alpha : ndarray, optional
        Where to start for the first C; it must be feasible.
    warn : bool
        Whether to warn where the gap was not reached.
    row_weights : ndarray of shape (m,), optional
        C is multiplied by the weight of each example.

    Returns
    -------
    list of Solution
    """
    diagonal = np.ascontiguousarray(np.diagonal(K))
    u = np.zeros(y.shape[0]) if alpha is None else alpha * y
    state = _DualState(
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
        # Scaled up to the new C, a variable at its bound may miss it by rounding and would count as
        # free.
        near = np.abs(np.abs(state.u) - prices) <= 1e-12 * prices
        state.u[near] = (prices * y)[near]
        solver = _solve(state, tol, warn)
        solutions.append(_finish(state, solver))
        before = float(C)
    return solutions


def _grow(state: _DualState, ratio: float) -> None:
    """Scale the last solution by the best factor that the larger C allows."""
    # The dual along the ray t u is t total - t^2 norm2 / 2: its best t, within what C allows.
    norm2 = float(state.u @ (state.errors + state.y))
    total = float(np.abs(state.u).sum())
    factor = min(max(total / norm2, 1.0), ratio) if norm2 > 0 else ratio
    if factor > 1.0:
        state.u *= factor
        state.errors = (state.errors + state.y) * factor - state.y


def _solve(state: _DualState, tol: float, warn: bool) -> str:
    """Alternate SMO and Newton steps until violation and relative gap are at most tol."""
    from handful.svm import loops

    smo = loops.smo_pairs if state.has_bias else loops.smo_singles
    arguments = (state.K, state.diagonal, state.low, state.high, state.u)
    floor = _FLOOR * state.scale
    inner, solver, last_gap = tol, "smo", np.inf
    ridge = _RIDGE * state.scale
    for n_round in range(_MAX_ROUNDS):
        # Errors are updated step by step and drift; every ten rounds they are computed anew.
        if n_round % 10 == 9:
            state.errors = state.K @ state.u - state.y
            gap = _certainty(state)[1]
            if gap > 0.5 * last_gap:
                # Rounding errors rule the directions in which K is flat: damp them.
                ridge *= 100.0
                if ridge > _LARGEST_RIDGE * state.scale:
                    break
            last_gap = gap
        _, violation = smo(*arguments, state.errors, inner, _SMO_STEPS, floor)
        if violation <= inner:
            if _is_proved(state, tol):
                return solver
            # The violation is small but the gap is not proved: ask for more.
            inner = max(0.1 * inner, 1e-14)
        _newton(state, inner, ridge)
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


def _is_proved(state: _DualState, tol: float) -> bool:
    _, gap, objective = _certainty(state)
    return gap <= tol * objective


def _newton(state: _DualState, tol: float, ridge: float) -> None:
    """Solve for the variables between their bounds; hold those that meet a bound, and repeat."""
    from handful.svm import loops

    free = np.flatnonzero((state.u > state.low) & (state.u < state.high))
    for _ in range(_NEWTON_STEPS):
        # With one free variable and a bias nothing can move; too many are left to the cheap steps.
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


def _factorise(state: _DualState, free: NDArray[np.intp], ridge: float) -> Floats | None:
    from handful.svm import loops

    for _ in range(3):
        block = loops.gather_lower(state.K, free, ridge)
        factor, info = dpotrf(block.T, lower=0, overwrite_a=1)
        if info == 0:
            return factor
        ridge *= 100.0
    return None


def _direction(state: _DualState, free: NDArray[np.intp], factor: Floats) -> Floats:
    """Newton direction; it keeps the sum of u where there is a bias."""
    right = np.ones((free.size, 2), order="F")
    right[:, 0] = -state.errors[free]
    if not state.has_bias:
        return dpotrs(factor, right[:, :1], lower=0)[0][:, 0]
    solved = dpotrs(factor, right, lower=0)[0]
    direction = solved[:, 0] - (solved[:, 0].sum() / solved[:, 1].sum()) * solved[:, 1]
    # The sum is zero by construction; rounding of it would add up over steps.
    return direction - direction.mean()


def _move(state: _DualState, free: NDArray[np.intp], direction: Floats, step: float) -> None:
    from handful.svm import loops

    loops.move(state.K, free, direction, step, state.u, state.low, state.high, state.errors)


def _refine(
    state: _DualState, free: NDArray[np.intp], factor: Floats, direction: Floats, tol: float
) -> None:
    """Take full Newton steps; more than one where the ridge was felt."""
    from handful.svm import loops

    for _ in range(4):
        _move(state, free, direction, 1.0)
        left = state.errors[free]
        # With a bias equal errors are optimal, whatever their value; without one they must vanish.
        spread = np.ptp(left) if state.has_bias else 2.0 * np.abs(left).max()
        if spread <= 0.1 * tol:
            return
        direction = _direction(state, free, factor)
        if loops.room_along(state.u, state.low, state.high, free, direction).min() < 1.0:
            return


def _certainty(state: _DualState) -> tuple[float, float, float]:
    """Best bias for w, duality gap and dual objective."""
    y, alpha = state.y, np.abs(state.u)
    bias = 0.0
    if state.has_bias:
        bias = 0.5 * sum(best_bias_interval(state.errors, y, state.row_weights))
    prices = state.high - state.low
    # Sum(u) is zero but for rounding; what is left of it is added to the gap, not neglected.
    gap = duality_gap(alpha, y * (state.errors + y + bias), prices) + abs(bias * state.u.sum())
    return bias, gap, float(alpha.sum() - 0.5 * (state.u @ (state.errors + y)))


def _finish(state: _DualState, solver: str) -> Solution:
    bias, gap, objective = _certainty(state)
    return Solution(np.abs(state.u), bias, state.errors.copy(), objective, gap, solver)


def best_bias_interval(
    errors: Floats, y: Floats, row_weights: Floats | None = None
) -> tuple[float, float]:
    """All biases b that minimise sum_i r_i max(0, 1 - y_i (w.x_i + b)), given errors w.x_i - y_i.

    The slope in b at a point is the weight of the breakpoints -errors_i not above it, minus the
    weight of the positive examples: the minimisers lie between two neighbouring breakpoints, or
    at one of them.
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
    """From the first point at which the weight so far reaches the share to the first above it.

    Sums that meet it but for rounding count as meeting it, which makes the interval wider.
    """
    order = np.argsort(points, kind="stable")
    so_far = np.cumsum(weights[order])
    slack = 1e-12 * so_far[-1]
    first, last = np.searchsorted(so_far, (share - slack, share + slack))
    # the weight of all points exceeds the share, for both classes weigh something
    return float(points[order[first]]), float(points[order[min(last, points.size - 1)]])


def duality_gap(alpha: Floats, margins: Floats, C: float | Floats) -> float:
    """Primal minus dual objective as a sum of terms that are never negative.

    It takes sum(alpha y) = 0 or a bias of zero for granted.
    """
    over = margins - 1.0
    return float(np.where(over > 0, alpha * over, (alpha - C) * over).sum())
