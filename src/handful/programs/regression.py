"""The minimal complexity machine for numbers, with linear and with squared slack.

**Linear slack: a hyperplane that separates shifted examples.** A function f within epsilon of all
targets separates the examples moved up, (x, y + epsilon), from those moved down, (x, y - epsilon)
(Bi and Bennett 2003). Written as a hyperplane w.x + b + t y, the two margins of an example with
residual r = y - f(x), f = -(w.x + b) / t, are

    t (epsilon + r)   and   t (epsilon - r),

and the minimal complexity machine of these 2 m points is the regressor of Jayadeva et al. (2016):

    minimise   max(1, t (epsilon + max |r|)) + C sum_i [(1 - t (epsilon + r_i))_+ +
                                                      (1 - t (epsilon - r_i))_+]

It is a margin program with the columns of f and one more, the target. t > 0 at every optimum: t
= 0 pays 2 C m of slack; a small t > 0 with f constant pays less at the same h = 1; t < 0 pays more.
If an example has no slack, |r| <= epsilon - 1 / t: the tube is narrower than epsilon, and the
program chooses by how much. The coefficients of f are priced; t is not.

**Squared slack: capped least squares.** Squared slack on both sides of each shifted example,
margins aimed at 1 from above and below as in least-squares support vector machines, and t = 1 /
epsilon, which squared slack makes a mere unit (nothing is insensitive any more): the slacks of an
example are then +- r / epsilon, and with rho = r / epsilon the program is

    minimise   (1 + max |rho|) + C sum_i rho_i^2 + D sum_j |coef_j| / epsilon.

It is a convex quadratic program, strictly convex in the residuals, so they are unique. HiGHS would
solve it with 2 m rows by an active set. The interior point below eliminates the rows, so that an
iteration costs one weighted Gram matrix of the columns, as in the linear programs of this folder.
Its dual, for any p with sum |p| <= 1, q orthogonal to the columns without a price and
|columns . q| <= D on the others: maximise 1 + q . y / epsilon - |q - p|^2 / (4 C). Every solution
has such a point and the gap it proves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack, qr

from handful.arrays import Floats, Ints
from handful.programs.interior import follow_central_path
from handful.programs.linear_program import LPStatus, SolverError
from handful.programs.margin_program import MarginSolution
from handful.programs.solver import MarginSolver, centred_columns


@dataclass(frozen=True)
class RegressionSolution:
    """A proved regressor f = columns . coef + intercept."""

    coef: Floats
    intercept: float
    h: float  # largest margin of a shifted example: (epsilon + max |r|) / unit, at least 1
    unit: float  # 1 / t: the residual that counts as a margin of one
    value: float
    gap: float  # the relative duality gap that is proved
    n_iterations: int
    touching: Ints | None = None  # examples that touch some optimum; None if not known


def solve_insensitive(
    F: Floats,
    y: Floats,
    epsilon: float,
    C: float,
    *,
    weight: float = 0.0,
    tol: float = 1e-7,
    time_limit: float | None = None,
    touching: bool = False,
) -> RegressionSolution:
    """The proved optimum for columns F and targets y; ``touching`` also finds those examples.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(5.0)
    >>> found = solve_insensitive(x[:, None], 2.0 * x + 1.0, 0.5, 10.0)
    >>> found.coef.round(6).tolist(), round(found.intercept, 6), round(found.h, 6)
    ([2.0], 1.0, 1.0)
    """
    m, n = F.shape
    # Each example twice, moved up and down: the regressor is the classifier that separates the two.
    shifted = np.vstack([np.column_stack([F, y + epsilon]), np.column_stack([F, y - epsilon])])
    side = np.repeat([1.0, -1.0], m)
    prices = np.append(np.full(n, weight), 0.0)
    solver = MarginSolver(shifted, side, weight=prices, tol=tol, time_limit=time_limit)
    if touching:
        solution, rows = solver.solve_touching(C)
        return _regressor(solution, np.unique(rows % m))
    return _regressor(solver.solve(C, vertex=weight > 0.0), None)


def _regressor(solution: MarginSolution, touching: Ints | None) -> RegressionSolution:
    # w.x + b + t y = 0 solved for y; t > 0 at every optimum.
    unit = 1.0 / float(solution.w[-1])
    return RegressionSolution(
        coef=-solution.w[:-1] * unit,
        intercept=-solution.b * unit,
        h=solution.h,
        unit=unit,
        value=solution.value,
        gap=solution.gap,
        n_iterations=solution.n_iterations,
        touching=touching,
    )


_MAX_ITERATIONS = 100  # the loop ends earlier if rounding ends the progress
#: A gap that needs no further iterations.
_PROVED = 1e-11


def solve_least_squares(
    F: Floats, y: Floats, epsilon: float, C: float, *, weight: float = 0.0, tol: float = 1e-7
) -> RegressionSolution:
    """The proved optimum for columns F, targets y and the unit epsilon.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.arange(4.0), np.array([0.0, 1.0, 2.0, 4.0])
    >>> found = solve_least_squares(x[:, None], y, 1.0, 1.0)
    >>> found.coef.round(6).tolist(), round(found.h, 6)
    ([1.305556], 1.347222)
    """
    columns, center, scale = centred_columns(F)
    level = float(y.mean())
    program = _Program(columns, (y - level) / epsilon, C, np.full(columns.shape[1], weight) / scale)
    point = program.solve()
    theta, gap = point.theta, point.gap
    if not gap <= tol:
        raise SolverError(LPStatus.UNPROVED, f"The relative gap is {gap:.2g}, `tol` {tol:.2g}.")
    coef = theta[:-1] * epsilon / scale
    largest = float(np.abs(program.residual(theta)).max())
    return RegressionSolution(
        coef=coef,
        intercept=level + epsilon * float(theta[-1]) - float(coef @ center),
        h=1.0 + largest,
        unit=epsilon,
        value=program.value(theta),
        gap=gap,
        n_iterations=point.n_iterations,
    )


@dataclass
class _Point:
    """An iterate: coefficients, the cap, the multipliers, the parts of priced coefficients."""

    theta: Floats
    cap: float
    #: Rows: multipliers of cap - rho >= 0 and of cap + rho >= 0.
    p: Floats
    #: Rows: cap - rho and cap + rho, kept positive through cancellation.
    s: Floats
    #: Rows: positive and negative part of each priced coefficient, and their multipliers.
    parts: Floats
    gap: float = np.inf
    n_iterations: int = 0

    def products(self) -> float:
        """Total complementarity."""
        return float(np.sum(self.p * self.s) + np.sum(self.parts[:2] * self.parts[2:]))

    def moved(self, move: _Point, step: float) -> _Point:
        """The point after a step."""
        return _Point(
            self.theta + step * move.theta,
            self.cap + step * move.cap,
            self.p + step * move.p,
            self.s + step * move.s,
            self.parts + step * move.parts,
        )

    def longest(self, move: _Point) -> float:
        """The longest step that changes no sign."""
        pairs = [(self.p, move.p), (self.s, move.s), (self.parts, move.parts)]
        ratios = [np.min(-v[d < 0.0] / d[d < 0.0], initial=np.inf) for v, d in pairs]
        return float(min(ratios))


class _Program:
    """max |rho| + C |rho|^2 + D . |theta|, rho = r - A theta; the last column of A is ones."""

    def __init__(self, columns: Floats, r: Floats, C: float, prices: Floats) -> None:
        self.A = np.column_stack([columns, np.ones(len(r))])
        self.r, self.C = r, C
        self.n_priced = int(np.count_nonzero(prices))
        self.prices = prices[: self.n_priced]
        free = self.A[:, self.n_priced :]
        Q, R, _ = qr(free, mode="economic", pivoting=True, check_finite=False)
        pivots = np.abs(np.diagonal(R))
        #: Orthonormal basis of the columns without a price.
        self.free = Q[:, pivots > 1e-11 * pivots[0]]

    def residual(self, theta: Floats) -> Floats:
        """Targets minus their fitted values."""
        return np.asarray(self.r - self.A @ theta)

    def value(self, theta: Floats) -> float:
        """The objective."""
        rho = self.residual(theta)
        priced = float(self.prices @ np.abs(theta[: self.n_priced]))
        return 1.0 + float(np.abs(rho).max()) + self.C * float(rho @ rho) + priced

    def proved_gap(self, theta: Floats, p: Floats) -> float:
        """Relative gap that the point and its multipliers prove, made feasible first."""
        # Multipliers are made feasible one condition after the other; what is left is a lower
        # bound.
        p = p / max(1.0, float(np.abs(p).sum()))
        q = 2.0 * self.C * self.residual(theta) + p
        q = q - self.free @ (self.free.T @ q)
        pull = np.abs(self.A[:, : self.n_priced].T @ q)
        q = q * min(1.0, float(np.min(self.prices / np.maximum(pull, 1e-300), initial=1.0)))
        lower = 1.0 + float(q @ self.r) - float(np.sum((q - p) ** 2)) / (4.0 * self.C)
        value = self.value(theta)
        return (value - lower) / (1.0 + abs(value))

    def solve(self) -> _Point:
        """The iterate with the smallest proved gap, polished: its zeros are then exact."""

        def is_done(point: _Point, best: _Point, products: float) -> bool:
            is_rounding = best.gap < 1e-8 and point.gap > 100.0 * best.gap
            return best.gap <= _PROVED or is_rounding

        best, _ = follow_central_path(
            self._start(), self._assess, self._step, is_done, _MAX_ITERATIONS, self._polished
        )
        return best

    def _assess(self, point: _Point) -> float:
        point.gap = self.proved_gap(point.theta, point.p[0] - point.p[1])
        return point.products()

    def _start(self) -> _Point:
        theta = np.zeros(self.A.shape[1])
        cap = 2.0 * float(np.abs(self.r).max()) + 1e-8
        p = np.full((2, len(self.r)), 0.5 / len(self.r))
        parts = np.ones((4, self.n_priced))
        parts[2:] = self.prices
        return _Point(theta, cap, p, np.stack([cap - self.r, cap + self.r]), parts)

    def _polished(self, point: _Point) -> _Point:
        """The point moved onto the equations of its active rows and columns, if it proves more.

        The unknowns are the coefficients that are not zero, the cap, and the multipliers of the
        rows at the cap. Their columns balance, the multipliers sum to one, the rows are at the cap.
        """
        if point.gap >= 1e-4:
            return point
        k = self.n_priced
        used = np.ones(len(point.theta), dtype=np.bool_)
        # Of a coefficient and its multiplier, both in units of their own, the smaller one is zero.
        slack = np.minimum(point.parts[2], point.parts[3]) / self.prices
        larger = np.maximum(point.parts[0], point.parts[1])
        used[:k] = larger > slack * max(1.0, float(larger.max(initial=0.0)))
        side = np.where(point.p[0] > point.p[1], 1.0, -1.0)
        at_cap = point.p.max(axis=0) / point.p.max() > point.s.min(axis=0) / max(point.cap, 1e-300)
        A, a = self.A[:, used], self.A[np.ix_(at_cap, used)]
        sign = side[at_cap]
        n, n_cap = A.shape[1], len(sign)
        if n + n_cap > 600 or not n_cap:
            return point
        equations = np.zeros((n + 1 + n_cap, n + 1 + n_cap))
        equations[:n, :n] = 2.0 * self.C * A.T @ A
        equations[:n, n + 1 :] = -(a * sign[:, None]).T
        equations[n, n + 1 :] = 1.0
        equations[n + 1 :, :n], equations[n + 1 :, n] = a * sign[:, None], 1.0
        priced = np.append(self.prices * np.sign(point.theta[:k]), np.zeros(len(used) - k))
        balance = 2.0 * self.C * A.T @ self.r - priced[used]
        right = np.concatenate([balance, [1.0], self.r[at_cap] * sign])
        old = np.concatenate([point.theta[used], [point.cap], point.p.max(axis=0)[at_cap]])
        new = old + np.linalg.lstsq(equations, right - equations @ old, rcond=1e-14)[0]
        theta, p = np.zeros_like(point.theta), np.zeros_like(self.r)
        theta[used], p[at_cap] = new[:n], sign * np.maximum(new[n + 1 :], 0.0)
        gap = self.proved_gap(theta, p)
        return replace(point, theta=theta, gap=gap) if gap < 1e-9 + point.gap else point

    def _step(self, point: _Point, products: float) -> _Point | None:
        """One predictor-corrector step; None if the equations are singular."""
        newton = _SquaresSystem(self, point)
        if not newton.is_sound:
            return None
        aim = newton.direction(0.0, None)
        after = point.moved(aim, min(1.0, point.longest(aim))).products()
        mu = products / newton.n_products
        move = newton.direction((after / products) ** 3 * mu, aim)
        step = min(1.0, max(0.99, 1.0 - mu) * point.longest(move))
        new = point.moved(move, step)
        # Kept positive: from a multiplier that is rounded to 0 no step leads anywhere.
        new.p, new.parts = np.maximum(new.p, 1e-200), np.maximum(new.parts, 1e-200)
        new.theta[: self.n_priced] = new.parts[0] - new.parts[1]
        # The cap's slacks are computed anew: sums over many steps would drift from the residuals.
        rho = self.residual(new.theta)
        new.s = np.maximum([new.cap - rho, new.cap + rho], 1e-3 * np.maximum(new.s, 1e-200))
        return new


class _SquaresSystem:
    """The factorised equations at one iterate.

    With slacks s = cap -+ rho, w = p / s and k = u / z_u + v / z_v of a priced coefficient u - v,
    all but (theta, cap) is eliminated: A' diag(2 C + w_1 + w_2) A, plus 1 / k on priced columns.
    """

    def __init__(self, program: _Program, point: _Point) -> None:
        self.program, self.point = program, point
        rho = program.residual(point.theta)
        self.q = 2.0 * program.C * rho + point.p[0] - point.p[1]
        self.n_products = point.s.size + 2 * program.n_priced
        k, parts = program.n_priced, point.parts
        pull = program.A[:, :k].T @ self.q
        self.missing = np.stack(
            [program.prices - pull - parts[2], program.prices + pull - parts[3]]
        )
        self.spread = parts[0] / parts[2] + parts[1] / parts[3]
        w = point.p / point.s
        H = np.empty((program.A.shape[1] + 1,) * 2)
        H[:-1, :-1] = program.A.T @ (program.A * (2.0 * program.C + w.sum(axis=0))[:, None])
        H[-1, :-1] = H[:-1, -1] = program.A.T @ (w[0] - w[1])
        H[-1, -1] = w.sum()
        i = np.arange(len(H))
        H[i[:k], i[:k]] += 1.0 / self.spread
        self.H = H
        self.is_sound = False
        for jitter in (1e-15, 1e-13, 1e-11):  # nearly dependent columns need more
            shifted = H.copy()
            shifted[i, i] = H[i, i] * (1.0 + jitter) + jitter * float(np.trace(H)) / len(H)
            self.factor, info = lapack.dpotrf(shifted, lower=1, overwrite_a=1)
            if info == 0 and np.all(np.isfinite(self.factor)):
                self.is_sound = True
                return

    def direction(self, mu: float, last: _Point | None) -> _Point:
        """The direction to products of size mu; ``last`` gives the second-order terms."""
        program, point, s = self.program, self.point, self.point.s
        k, parts = program.n_priced, point.parts
        aim_p = mu - point.p * s
        aim_parts = mu - parts[:2] * parts[2:]
        if last is not None:
            aim_p -= last.p * last.s
            aim_parts -= last.parts[:2] * last.parts[2:]
        e = aim_p / s
        shift = (aim_parts[0] - parts[0] * self.missing[0]) / parts[2]
        shift -= (aim_parts[1] - parts[1] * self.missing[1]) / parts[3]
        rhs = np.append(program.A.T @ (e[0] - e[1] + self.q), e.sum() - (1.0 - point.p.sum()))
        rhs[:k] += shift / self.spread - program.A[:, :k].T @ self.q
        x = lapack.dpotrs(self.factor, rhs, lower=1)[0]
        x = x + lapack.dpotrs(self.factor, rhs - self.H @ x, lower=1)[0]
        turned = program.A @ x[:-1]
        slack_move = np.stack([x[-1] + turned, x[-1] - turned])
        move_p = e - point.p / s * slack_move
        move = _Point(x[:-1], float(x[-1]), move_p, slack_move, np.empty_like(parts))
        pull = (move.theta[:k] - shift) / self.spread
        move.parts[2], move.parts[3] = self.missing[0] - pull, self.missing[1] + pull
        move.parts[:2] = (aim_parts - parts[:2] * move.parts[2:]) / parts[2:]
        return move
