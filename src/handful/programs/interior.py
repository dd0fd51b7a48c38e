"""A structured interior point for margin programs: one weighted Gram matrix per iteration.

Mehrotra's predictor-corrector on the dual of `margin_program.MarginProgram`. The slacks and all
multipliers of examples are eliminated, so that an iteration costs one product G' diag(d) G, with
G the signed features and a column of ones, and one Cholesky factorisation. It ends near the
centre of the optimal face, not at a vertex; `optimal_face` goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from handful._types import Floats
from handful.programs.margin_program import MarginProgram

_TINY = 1e-200  # positive even after rounding: logarithms and quotients stay finite
_ROUGH_GAP = 1e-2  # above it directions may be rough
_MANY_COLUMNS = 200  # below it the product is no longer most of the time


@dataclass
class InteriorPoint:
    """An iterate: coefficients, h, dual point of the examples, and of the columns."""

    theta: Floats
    h: float
    state: Floats
    p0: float
    z0: float
    #: Rows: D + s, D - s and their multipliers, s the dual of a column; empty where D = 0.
    columns: Floats
    gap: float = np.inf
    n_iterations: int = 0

    def copy(self) -> InteriorPoint:
        """An independent copy."""
        return InteriorPoint(
            self.theta.copy(),
            self.h,
            self.state.copy(),
            self.p0,
            self.z0,
            self.columns.copy(),
            self.gap,
            self.n_iterations,
        )


@dataclass
class _Work:
    """Buffers and constants of one solve."""

    program: MarginProgram
    G: Floats
    upper: bool
    capped: bool
    n_products: int
    weights: Floats = field(init=False)
    aims: Floats = field(init=False)
    step: Floats = field(init=False)

    def __post_init__(self) -> None:
        m = self.G.shape[0]
        self.weights, self.aims = np.zeros((3, m)), np.zeros((6, m))
        self.step = np.zeros((5, m))


def solve_interior(
    program: MarginProgram,
    *,
    tol: float = 1e-10,
    max_iter: int = 80,
    stop: Callable[[InteriorPoint], bool] | None = None,
) -> InteriorPoint:
    """Best iterate of the interior point; the caller checks its ``gap``.

    It stops at ``tol``, when no progress is made, or when the equations become singular. Once
    the gap is below 1e-6, ``stop`` is asked, and again after each hundredfold progress.
    """
    from handful.programs import loops  # imported here: numba is needed only from here on

    work, point = _start(program)
    best, since, least, ask_at = point.copy(), 0, np.inf, 1e-6
    with np.errstate(all="ignore"):
        for iteration in range(max_iter):
            g = work.G @ point.theta
            facts = loops.measure(point.state, g, work.upper, work.capped)
            residual, products = _assess(work, point, g, facts)
            point.n_iterations = iteration
            if not np.isfinite(point.gap):
                break
            # Far from the optimum the proved gap may rest while complementarity falls: both are
            # progress.
            is_better = point.gap < 0.9 * best.gap or products < 0.9 * least
            since, least = 0 if is_better else since + 1, min(least, products)
            if point.gap < best.gap:
                best = point.copy()
            if best.gap <= tol or since >= 8 or products <= 1e-18 * work.n_products:
                break
            if stop is not None and best.gap <= ask_at:
                ask_at = 0.01 * best.gap
                if stop(best):
                    break
            if not _iterate(loops, work, point, g, residual, products):
                break
    best.n_iterations = point.n_iterations
    return best


def _start(program: MarginProgram) -> tuple[_Work, InteriorPoint]:
    m, n = program.F.shape
    G = np.empty((m, n + 1))
    np.multiply(program.F, program.y_signed[:, None], out=G[:, :n])
    G[:, n] = program.y_signed
    upper, capped = not program.is_hard, program.capped
    state = np.ones((6, m))
    # In the middle of the box: as far from both bounds as can be.
    state[0] = 0.5 * program.prices if upper else 1.0
    state[1] = 0.5 * program.prices if upper else 1.0
    state[4] = 0.5 / m
    state[5] = m * np.minimum(program.prices, 1.0)
    columns = np.ones((4, program.n_priced))
    columns[:2] = program.weights[: program.n_priced]
    n_products = m * (1 + upper) + (m + 1) * capped + 2 * columns.shape[1]
    work = _Work(program, G, upper, capped, n_products)
    h = 2.0 if capped else 0.0
    return work, InteriorPoint(np.zeros(n + 1), h, state, 0.5, 1.0, columns)


def _assess(
    work: _Work, point: InteriorPoint, g: Floats, facts: Any
) -> tuple[tuple[Floats, float], float]:
    """Residuals of the dual equations, total complementarity; stores the proved gap."""
    hinge, top, sum_a, sum_p, products = facts
    n = work.program.F.shape[1]
    u = point.state[0] - point.state[4] if work.capped else point.state[0]
    missing = -(u @ work.G)
    size = np.abs(point.theta)
    # The primal point is repaired, not trusted: h and slacks that theta itself needs.
    value = max(1.0, top) if work.capped else 0.0
    if work.upper:
        rows = work.program.row_weights
        weighted = hinge if rows is None else float(rows @ np.maximum(1.0 - g, 0.0))
        value += work.program.C * weighted
    value += float(work.program.weights @ size[:n])
    if point.columns.shape[1]:
        missing[: work.program.n_priced] -= 0.5 * (point.columns[0] - point.columns[1])
        products += float(np.sum(point.columns[:2] * point.columns[2:]))
    lower = sum_a + (1.0 - sum_p if work.capped else 0.0)
    # Dual equations that are not met exactly are charged as if theta could be twice as large: the
    # gap stays a proof.
    loss = float(np.abs(missing) @ (1.0 + 2.0 * size))
    # A hard margin has no price for slack; what is violated is charged by the largest multiplier.
    if not work.upper:
        loss += hinge * (1.0 + float(point.state[0].max()))
    point.gap = (abs(value - lower) + loss) / (1.0 + abs(value))
    if work.capped:
        products += point.p0 * point.z0
    return (missing, 1.0 - sum_p - point.p0 if work.capped else 0.0), products


def _gram(G: Floats, weights: Floats, is_rough: bool) -> Floats:
    """``G' diag(weights^2) G``, its lower half; of many columns in single precision at first.

    Far from the optimum a direction need not be exact, and the refinement that follows in full
    precision makes up for most of it; the product is nearly all of the time of wide programs.
    """
    scaled = G * weights[:, None]
    if is_rough and G.shape[1] >= _MANY_COLUMNS:
        return np.asarray(blas.ssyrk(1.0, scaled.astype(np.float32).T, lower=1), dtype=np.float64)
    return np.asarray(blas.dsyrk(1.0, scaled.T, lower=1))


class _Newton:
    """The factorised normal equations of one iteration."""

    def __init__(self, loops: Any, work: _Work, point: InteriorPoint) -> None:
        self.work = work
        self.sum_p = loops.weigh(point.state, work.upper, work.capped, work.weights)
        H = _gram(work.G, work.weights[2], is_rough=point.gap > _ROUGH_GAP)
        n, N = work.program.F.shape[1], H.shape[0]
        diagonal = np.arange(N)
        columns, k = point.columns, work.program.n_priced
        self.column_scale = np.zeros(n)
        if k:
            self.column_scale[:k] = 1.0 / (columns[2] / columns[0] + columns[3] / columns[1])
            H[diagonal[:n], diagonal[:n]] += self.column_scale
        trace = float(np.trace(H))
        # A shift far below the entries keeps the factor going where columns depend on each other;
        # the refinement takes its effect out again.
        H[diagonal, diagonal] = H[diagonal, diagonal] * (1 + 1e-13) + 1e-14 * trace / N
        self.factor, info = lapack.dpotrf(H, lower=1, overwrite_a=1)
        self.is_sound = info == 0 and np.isfinite(trace)
        if not self.is_sound or not work.capped:
            return
        self.pull = work.weights[1] @ work.G
        self.lever = lapack.dpotrs(self.factor, self.pull, lower=1)[0]
        self.p0_scale = point.p0 / point.z0
        self.pivot = self.sum_p + self.p0_scale - float(self.pull @ self.lever)
        # Positive but for rounding: at zero the equations are singular, below it they are wrong.
        self.is_sound = bool(self.pivot > 0.0)

    def solve(self, rhs: Floats, rhs_h: float) -> tuple[Floats, float]:
        """Directions of theta and h, refined once: the factor is that of a shifted matrix."""
        theta, dh = self._solve_once(rhs, rhs_h)
        work, n = self.work, self.column_scale.size
        weighted = (work.weights[2] ** 2) * (work.G @ theta)
        left = rhs - weighted @ work.G
        left[:n] -= self.column_scale * theta[:n]
        left_h = 0.0
        if work.capped:
            left += self.pull * dh
            left_h = rhs_h + float(self.pull @ theta) - (self.sum_p + self.p0_scale) * dh
        more, more_h = self._solve_once(left, left_h)
        return theta + more, dh + more_h

    def _solve_once(self, rhs: Floats, rhs_h: float) -> tuple[Floats, float]:
        theta = lapack.dpotrs(self.factor, rhs, lower=1)[0]
        if not self.work.capped:
            return theta, 0.0
        dh = (rhs_h + float(self.pull @ theta)) / self.pivot
        return theta + self.lever * dh, dh


def _iterate(
    loops: Any, work: _Work, point: InteriorPoint, g: Floats, residual: Any, products: float
) -> bool:
    """One predictor-corrector step in place; False where the equations are singular."""
    newton = _Newton(loops, work, point)
    if not newton.is_sound:
        return False
    direction = _Direction(loops, work, point, newton, g, residual)
    primal, dual = (min(1.0, s) for s in direction.turn(-1.0))
    after = loops.products_after(point.state, work.step, primal, dual, work.upper, work.capped)
    after += direction.other_products(primal, dual)
    mu = products / work.n_products
    # Mehrotra's rule: the better the predictor, the less centring.
    centring = (after / products) ** 3 * mu
    primal, dual = direction.turn(centring)
    # Ever closer to the boundary as the end comes near: convergence then is superlinear.
    keep = max(0.99, 1.0 - mu)
    primal, dual = min(1.0, keep * primal), min(1.0, keep * dual)
    loops.advance(point.state, work.step, primal, dual, work.upper, work.capped)
    direction.advance(primal, dual)
    return True


class _Direction:
    """The search direction of one iteration: predictor first, then corrector."""

    def __init__(
        self,
        loops: Any,
        work: _Work,
        point: InteriorPoint,
        newton: _Newton,
        g: Floats,
        residual: tuple[Floats, float],
    ) -> None:
        self.loops, self.work, self.point, self.newton = loops, work, point, newton
        self.g, self.residual = g, residual
        self.d_columns = np.zeros((3, point.columns.shape[1]))
        self.d_p0 = self.d_z0 = 0.0

    def turn(self, mu: float) -> tuple[float, float]:
        """Compute the direction for this centring; the longest primal and dual steps."""
        work, point, newton = self.work, self.point, self.newton
        n = self.d_columns.shape[1]
        centred = mu >= 0.0
        total = self.loops.aim(point.state, work.step, self.g, point.h, mu, work.weights, work.aims)
        products = np.zeros((2, n))
        if centred:
            products[0] = mu - self.d_columns[0] * self.d_columns[1]
            products[1] = mu + self.d_columns[0] * self.d_columns[2]
        to_columns = -point.theta[:n] + products[0] / point.columns[0]
        to_columns -= products[1] / point.columns[1]
        to_p0 = mu - self.d_p0 * self.d_z0 if centred else 0.0
        rhs = work.aims[2] @ work.G - self.residual[0]
        rhs[:n] += newton.column_scale[:n] * to_columns
        aim_p0 = 1.0 - point.h + to_p0 / point.p0
        rhs_h = 0.0
        if work.capped:
            rhs_h = total + newton.p0_scale * aim_p0 - self.residual[1]
        self.d_theta, self.d_h = newton.solve(rhs, rhs_h)
        primal, dual = self.loops.turn(
            point.state,
            work.step,
            work.aims,
            work.weights,
            work.G @ self.d_theta,
            self.d_h,
            work.upper,
            work.capped,
        )
        return self._turn_others(products, to_columns, to_p0, aim_p0, primal, dual)

    def _turn_others(
        self,
        products: Floats,
        to_columns: Floats,
        to_p0: float,
        aim_p0: float,
        primal: float,
        dual: float,
    ) -> tuple[float, float]:
        point, n = self.point, self.d_columns.shape[1]
        x = point.columns
        if n:
            ds = self.newton.column_scale[:n] * (to_columns - self.d_theta[:n])
            self.d_columns[0] = ds
            self.d_columns[1] = (products[0] - x[2] * ds) / x[0] - x[2]
            self.d_columns[2] = (products[1] + x[3] * ds) / x[1] - x[3]
            primal = min(primal, _longest(x[0], ds), _longest(x[1], -ds))
            dual = min(dual, _longest(x[2], self.d_columns[1]), _longest(x[3], self.d_columns[2]))
        if self.work.capped:
            self.d_p0 = self.newton.p0_scale * (aim_p0 - self.d_h)
            self.d_z0 = (to_p0 - point.z0 * self.d_p0) / point.p0 - point.z0
            primal = min(primal, -point.p0 / self.d_p0 if self.d_p0 < 0.0 else np.inf)
            dual = min(dual, -point.z0 / self.d_z0 if self.d_z0 < 0.0 else np.inf)
        return primal, dual

    def other_products(self, primal: float, dual: float) -> float:
        """Complementarity of the columns and of p0 after a step."""
        x, d = self.point.columns, self.d_columns
        total = float((x[0] + primal * d[0]) @ (x[2] + dual * d[1]))
        total += float((x[1] - primal * d[0]) @ (x[3] + dual * d[2]))
        if self.work.capped:
            total += (self.point.p0 + primal * self.d_p0) * (self.point.z0 + dual * self.d_z0)
        return total

    def advance(self, primal: float, dual: float) -> None:
        """Take the step."""
        point, d = self.point, self.d_columns
        moves = np.stack([primal * d[0], -primal * d[0], dual * d[1], dual * d[2]])
        np.maximum(point.columns + moves, _TINY, out=point.columns)
        point.p0 = max(point.p0 + primal * self.d_p0, _TINY)
        point.z0 = max(point.z0 + dual * self.d_z0, _TINY)
        point.theta = point.theta + dual * self.d_theta
        point.h += dual * self.d_h


def _longest(values: Floats, moves: Floats) -> float:
    falling = moves < 0.0
    return float(np.min(-values[falling] / moves[falling], initial=np.inf))
