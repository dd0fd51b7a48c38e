"""A structured interior point for margin programs: one weighted Gram matrix per iteration.

Mehrotra's predictor-corrector on the dual of `margin_program.MarginProgram`. The slacks and all
multipliers of examples are eliminated. So an iteration costs one product G' diag(d) G, with G the
signed features and a column of ones, and one Cholesky factorisation. The result lies near the
centre of the optimal face; `optimal_face` moves it to a vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from scipy.linalg import blas, lapack

from handful.arrays import Floats
from handful.programs.margin_program import MarginProgram

_TINY = 1e-200  # positive even after rounding: logarithms and quotients stay finite
_ROUGH_GAP = 1e-2  # above it directions may be rough
_MANY_COLUMNS = 200  # with fewer columns the product is not most of the time
_PATIENCE = 8  # iterations without progress after which the loop ends


class Iterate(Protocol):
    """A point of a central path."""

    gap: float
    n_iterations: int


P = TypeVar("P", bound=Iterate)


def follow_central_path(
    point: P,
    assess: Callable[[P], float],
    step: Callable[[P, float], P | None],
    is_done: Callable[[P, P, float], bool],
    max_iter: int,
    polished: Callable[[P], P] = lambda point: point,
) -> tuple[P, P]:
    """Take predictor-corrector steps. Gives the iterate with the smallest proved gap, and the last.

    ``assess`` stores the proved gap of a point and gives its total complementarity. ``step`` gives
    the next point, or None if the equations are singular. ``is_done`` gets the point, the best
    point and the complementarity.
    """
    best, since, least = point, 0, np.inf
    with np.errstate(all="ignore"):
        for iteration in range(max_iter):
            products = assess(point)
            point.n_iterations = iteration
            if not np.isfinite(point.gap):
                break
            # Far from the optimum the proved gap may stay while complementarity falls: both are
            # progress.
            is_better = point.gap < 0.9 * best.gap or products < 0.9 * least
            since, least = 0 if is_better else since + 1, min(least, products)
            if point.gap < best.gap:
                best = polished(point)
            if since >= _PATIENCE or is_done(point, best, products):
                break
            moved = step(point, products)
            if moved is None:
                break
            point = moved
    return best, point


@dataclass
class InteriorPoint:
    """An iterate: coefficients, h, dual point of the examples, and of the columns."""

    theta: Floats
    h: float
    state: Floats
    p0: float
    z0: float
    #: Rows: D + s, D - s and their multipliers, s the dual of a column; empty if D = 0.
    columns: Floats
    gap: float = np.inf
    n_iterations: int = 0


def solve_interior(
    program: MarginProgram,
    *,
    tol: float = 1e-10,
    max_iter: int = 80,
    stop: Callable[[InteriorPoint], bool] | None = None,
) -> InteriorPoint:
    """The iterate with the smallest proved gap; the caller checks its ``gap``.

    The loop ends at ``tol``, without progress, or if the equations become singular. ``stop`` is
    called when the gap is below 1e-6, and again each time it is a hundred times smaller.
    """
    work = _Work(program)
    ask_at = 1e-6

    def is_done(point: InteriorPoint, best: InteriorPoint, products: float) -> bool:
        nonlocal ask_at
        if best.gap <= tol or products <= 1e-18 * work.n_products:
            return True
        if stop is None or best.gap > ask_at:
            return False
        ask_at = 0.01 * best.gap
        return stop(best)

    best, last = follow_central_path(work.start(), work.assess, work.step, is_done, max_iter)
    best.n_iterations = last.n_iterations
    return best


class _Work:
    """One program with the buffers of its iterations."""

    def __init__(self, program: MarginProgram) -> None:
        from handful.programs import loops  # imported here: numba is needed only from here on

        self.loops, self.program = loops, program
        m, n = program.F.shape
        self.G = np.empty((m, n + 1))
        np.multiply(program.F, program.y_signed[:, None], out=self.G[:, :n])
        self.G[:, n] = program.y_signed
        self.upper, self.capped = not program.is_hard, program.capped
        self.n_products = m * (1 + self.upper) + (m + 1) * self.capped + 2 * program.n_priced
        self.weights, self.aims, self.moves = np.zeros((3, m)), np.zeros((6, m)), np.zeros((5, m))

    def start(self) -> InteriorPoint:
        program, (m, n) = self.program, self.program.F.shape
        state = np.ones((6, m))
        # The middle of the box is the farthest point from both bounds.
        state[0] = 0.5 * program.prices if self.upper else 1.0
        state[1] = 0.5 * program.prices if self.upper else 1.0
        state[4] = 0.5 / m
        state[5] = m * np.minimum(program.prices, 1.0)
        columns = np.ones((4, program.n_priced))
        columns[:2] = program.weights[: program.n_priced]
        h = 2.0 if self.capped else 0.0
        return InteriorPoint(np.zeros(n + 1), h, state, 0.5, 1.0, columns)

    def assess(self, point: InteriorPoint) -> float:
        """Total complementarity; keeps margins and residuals, and stores the proved gap."""
        self.margins = self.G @ point.theta
        facts = self.loops.measure(point.state, self.margins, self.upper, self.capped)
        hinge, top, sum_a, sum_p, products = facts
        n = self.program.F.shape[1]
        u = point.state[0] - point.state[4] if self.capped else point.state[0]
        missing = -(u @ self.G)
        size = np.abs(point.theta)
        # The primal point is made feasible: h and the slacks are those that theta needs.
        value = max(1.0, top) if self.capped else 0.0
        if self.upper:
            rows = self.program.row_weights
            short = hinge if rows is None else float(rows @ np.maximum(1.0 - self.margins, 0.0))
            value += self.program.C * short
        value += float(self.program.weights @ size[:n])
        if point.columns.shape[1]:
            missing[: self.program.n_priced] -= 0.5 * (point.columns[0] - point.columns[1])
            products += float(np.sum(point.columns[:2] * point.columns[2:]))
        lower = sum_a + (1.0 - sum_p if self.capped else 0.0)
        # The residual of the dual equations is charged as if theta could be twice as large, so
        # that the gap stays a proof.
        loss = float(np.abs(missing) @ (1.0 + 2.0 * size))
        # A hard margin has no price for slack; violations are charged by the largest multiplier.
        if not self.upper:
            loss += hinge * (1.0 + float(point.state[0].max()))
        point.gap = (abs(value - lower) + loss) / (1.0 + abs(value))
        if self.capped:
            products += point.p0 * point.z0
        self.residual = missing, 1.0 - sum_p - point.p0 if self.capped else 0.0
        return float(products)

    def step(self, point: InteriorPoint, products: float) -> InteriorPoint | None:
        """One predictor-corrector step; None if the equations are singular."""
        newton = _Newton(self, point)
        if not newton.is_sound:
            return None
        point = replace(point, state=point.state.copy(), columns=point.columns.copy())
        loops, upper, capped = self.loops, self.upper, self.capped
        direction = _Direction(self, point, newton)
        primal, dual = (min(1.0, s) for s in direction.turn(-1.0))
        after = loops.products_after(point.state, self.moves, primal, dual, upper, capped)
        after += direction.other_products(primal, dual)
        mu = products / self.n_products
        # Mehrotra's rule: the better the predictor, the less centring.
        primal, dual = direction.turn((after / products) ** 3 * mu)
        # Near the end the steps go ever closer to the boundary: convergence is superlinear.
        keep = max(0.99, 1.0 - mu)
        primal, dual = min(1.0, keep * primal), min(1.0, keep * dual)
        loops.advance(point.state, self.moves, primal, dual, upper, capped)
        direction.advance(primal, dual)
        return point


def _gram(G: Floats, weights: Floats, is_rough: bool) -> Floats:
    """The lower half of ``G' diag(weights^2) G``; with many columns, at first in single precision.

    Far from the optimum a direction need not be exact, and a refinement in full precision follows.
    The product takes nearly all of the time of wide programs.
    """
    scaled = G * weights[:, None]
    if is_rough and G.shape[1] >= _MANY_COLUMNS:
        return np.asarray(blas.ssyrk(1.0, scaled.astype(np.float32).T, lower=1), dtype=np.float64)
    return np.asarray(blas.dsyrk(1.0, scaled.T, lower=1))


class _Newton:
    """The factorised normal equations of one iteration."""

    def __init__(self, work: _Work, point: InteriorPoint) -> None:
        self.work = work
        self.sum_p = work.loops.weigh(point.state, work.upper, work.capped, work.weights)
        H = _gram(work.G, work.weights[2], is_rough=point.gap > _ROUGH_GAP)
        n, N = work.program.F.shape[1], H.shape[0]
        diagonal = np.arange(N)
        columns, k = point.columns, work.program.n_priced
        self.column_scale = np.zeros(n)
        if k:
            self.column_scale[:k] = 1.0 / (columns[2] / columns[0] + columns[3] / columns[1])
            H[diagonal[:n], diagonal[:n]] += self.column_scale
        trace = float(np.trace(H))
        # A shift far below the entries allows the factorisation if columns depend on each other.
        # The refinement removes its effect.
        H[diagonal, diagonal] = H[diagonal, diagonal] * (1 + 1e-13) + 1e-14 * trace / N
        self.factor, info = lapack.dpotrf(H, lower=1, overwrite_a=1)
        self.is_sound = info == 0 and np.isfinite(trace)
        if not self.is_sound or not work.capped:
            return
        self.pull = work.weights[1] @ work.G
        self.lever = lapack.dpotrs(self.factor, self.pull, lower=1)[0]
        self.p0_scale = point.p0 / point.z0
        self.pivot = self.sum_p + self.p0_scale - float(self.pull @ self.lever)
        # Positive up to rounding; at zero the equations are singular, and below it they are wrong.
        self.is_sound = bool(self.pivot > 0.0)

    def solve(self, rhs: Floats, rhs_h: float) -> tuple[Floats, float]:
        """Directions of theta and h, refined once because the factored matrix is shifted."""
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


class _Direction:
    """The search direction of one iteration: predictor first, then corrector."""

    def __init__(self, work: _Work, point: InteriorPoint, newton: _Newton) -> None:
        self.work, self.point, self.newton = work, point, newton
        self.d_columns = np.zeros((3, point.columns.shape[1]))
        self.d_p0 = self.d_z0 = 0.0

    def turn(self, mu: float) -> tuple[float, float]:
        """Compute the direction for this centring; gives the longest primal and dual steps."""
        work, point, newton = self.work, self.point, self.newton
        n = self.d_columns.shape[1]
        centred = mu >= 0.0
        total = work.loops.aim(
            point.state, work.moves, work.margins, point.h, mu, work.weights, work.aims
        )
        products = np.zeros((2, n))
        if centred:
            products[0] = mu - self.d_columns[0] * self.d_columns[1]
            products[1] = mu + self.d_columns[0] * self.d_columns[2]
        to_columns = -point.theta[:n] + products[0] / point.columns[0]
        to_columns -= products[1] / point.columns[1]
        to_p0 = mu - self.d_p0 * self.d_z0 if centred else 0.0
        rhs = work.aims[2] @ work.G - work.residual[0]
        rhs[:n] += newton.column_scale[:n] * to_columns
        aim_p0 = 1.0 - point.h + to_p0 / point.p0
        rhs_h = 0.0
        if work.capped:
            rhs_h = total + newton.p0_scale * aim_p0 - work.residual[1]
        self.d_theta, self.d_h = newton.solve(rhs, rhs_h)
        primal, dual = work.loops.turn(
            point.state,
            work.moves,
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
        """Move columns, p0, theta and h in place."""
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
