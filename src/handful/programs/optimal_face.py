"""The optimal face of a margin program: polished points, bounds on all optima, vertices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from handful.arrays import Floats
from handful.programs.interior import InteriorPoint
from handful.programs.linear_program import LinearProgram, SolverError
from handful.programs.margin_program import MarginProgram, MarginSolution, proved

Flags = NDArray[np.bool_]

#: Pivots below this part of the largest one are left out when equations are solved.
_PIVOT_TOL = 1e-12
#: Equations prove that an optimum is unique if all pivots are above this part of the largest.
_UNIQUE_TOL = 1e-8


@dataclass(frozen=True)
class _Partition:
    """Constraints that hold with equality at every optimum; slacks that pay their full price."""

    on_margin: Flags
    at_bound: Flags
    on_cap: Flags
    is_free: Flags
    cap_is_one: bool


def _partition(program: MarginProgram, point: InteriorPoint) -> _Partition:
    a, v, zl, zu, p, zp = point.state
    # Compare each multiplier with its own slack, in the same units: at a strictly complementary
    # optimum one of the two is zero.
    scale = np.full(a.size, a.max()) if program.is_hard else program.prices
    on_margin = a / scale > zl
    at_bound = np.zeros_like(on_margin)
    if not program.is_hard:
        at_bound = on_margin & (v / scale <= zu)
        on_margin &= ~at_bound
    on_cap = (p > zp) & program.capped
    is_free = np.ones(program.F.shape[1], dtype=np.bool_)
    if program.is_sparse:
        plus, minus, z_plus, z_minus = point.columns
        k = program.n_priced
        weights = program.weights[:k]
        is_free[:k] = (plus / weights < z_plus) | (minus / weights < z_minus)
    cap_is_one = bool(program.capped and point.p0 > point.z0)
    return _Partition(on_margin, at_bound, on_cap, is_free, cap_is_one)


def polish(program: MarginProgram, point: InteriorPoint, tol: float) -> MarginSolution:
    """Move an interior point, and its dual point, onto the equations that all optima satisfy.

    If the equations have full rank, the optimum is unique, and the point reaches it to machine
    precision, with exact zeros. If the polished point proves clearly less, the old one is kept.
    """
    n, count = program.F.shape[1], point.n_iterations
    a, p = point.state[0], point.state[4] * program.capped
    w, b, nan = point.theta[:n], float(point.theta[n]), float(np.nan)
    start = MarginSolution(w, b, nan, a, p, nan, nan, None, False, "interior", count)
    best = proved(program, start)
    part = _partition(program, point)
    equations, target = _equations(program, part)
    # No constraint is active: there is nothing to solve.
    if not equations.size:
        return best
    factors = _Factors(equations)
    # Solve for a move from the interior point, so that free directions do not change.
    old = np.concatenate([w[part.is_free], [b], [point.h] * program.capped])
    new = old + factors.least_move(target - equations @ old)
    n_free = int(part.is_free.sum())
    w = np.zeros(n)
    w[part.is_free] = new[:n_free]
    moved = replace(
        start,
        w=w,
        b=float(new[n_free]),
        # Small pivots prove nothing: None, not False.
        is_unique=factors.last_pivot > _UNIQUE_TOL or None,
        is_vertex=factors.last_pivot > _PIVOT_TOL,
    )
    both = proved(program, _with_polished_dual(program, moved, part, equations, factors))
    moved = proved(program, moved)
    polished = both if both.gap < moved.gap else moved
    # A wrong active set gives a worse gap. A slightly worse gap is accepted for exact zeros.
    return polished if polished.gap <= max(1.5 * best.gap, 0.01 * tol) else best


def _equations(program: MarginProgram, part: _Partition) -> tuple[Floats, Floats]:
    """Equations of every optimum in the free coefficients, b and (if capped) h."""
    rows = np.concatenate([np.flatnonzero(part.on_margin), np.flatnonzero(part.on_cap)])
    cap = np.zeros(rows.size)
    cap[int(part.on_margin.sum()) :] = -1.0
    y = program.y_signed[rows]
    equations = np.column_stack([program.F[np.ix_(rows, part.is_free)] * y[:, None], y, cap])
    target = 1.0 + cap
    if part.cap_is_one:
        equations = np.vstack([equations, np.eye(1, equations.shape[1], equations.shape[1] - 1)])
        target = np.append(target, 1.0)
    return (equations if program.capped else equations[:, :-1]), target


class _Factors:
    """Pivoted QR of the equations: small solutions of them and of their transpose."""

    def __init__(self, equations: Floats) -> None:
        Q, R, order = qr(equations, mode="economic", pivoting=True, check_finite=False)
        pivots = np.abs(np.diagonal(R))
        rank = int(np.sum(pivots > _PIVOT_TOL * max(float(pivots[0]), 1e-300)))
        self.Q, self.R, self.order = Q[:, :rank], R[:rank, :rank], order[:rank]
        self.n_unknowns = equations.shape[1]
        #: Last pivot relative to the first; zero if the rank is not full.
        self.last_pivot = float(pivots[-1] / pivots[0]) if rank == self.n_unknowns else 0.0

    def least_move(self, residual: Floats) -> Floats:
        """A solution of equations @ move = residual."""
        move = np.zeros(self.n_unknowns)
        move[self.order] = solve_triangular(self.R, self.Q.T @ residual)
        return move

    def least_dual_move(self, residual: Floats) -> Floats:
        """The least solution of equations.T @ move = residual."""
        return np.asarray(self.Q @ solve_triangular(self.R, residual[self.order], trans="T"))


def _with_polished_dual(
    program: MarginProgram,
    solution: MarginSolution,
    part: _Partition,
    equations: Floats,
    factors: _Factors,
) -> MarginSolution:
    """Multipliers that balance exactly, with those of inactive constraints at their bounds."""
    a = np.where(part.at_bound, 0.0 if program.is_hard else program.prices, 0.0)
    signed = a * program.y_signed
    free = part.is_free
    pull = program.weights * np.sign(solution.w) - program.F.T @ signed
    target = np.concatenate([pull[free], [-float(signed.sum())], [1.0] * program.capped])
    p0 = [1.0 - float(solution.p.sum())] * part.cap_is_one
    old = np.concatenate([solution.a[part.on_margin], -solution.p[part.on_cap], p0])
    new = old + factors.least_dual_move(target - equations.T @ old)
    n_margin, n_cap = int(part.on_margin.sum()), int(part.on_cap.sum())
    a[part.on_margin] = new[:n_margin]
    p = np.zeros_like(a)
    p[part.on_cap] = -new[n_margin : n_margin + n_cap]
    return replace(solution, a=a, p=p)


class OptimalFace:
    """A polyhedron that holds every optimum of a margin program.

    Any optimum differs from the proved lower bound by at most eps = gap (1 + value). That
    difference is a sum of non-negative terms, each a constraint times its multiplier. So each
    constraint with multiplier t holds up to eps / t. Variables: w, b, h. With ``split``, w is
    split into positive and negative parts, to price its absolute values.
    """

    def __init__(
        self, program: MarginProgram, solution: MarginSolution, *, split: bool = False
    ) -> None:
        self.program, self.split = program, split
        self.n_columns = program.F.shape[1]
        # Rounded up: the polyhedron may be larger than the face, and never smaller.
        eps = 2.0 * solution.gap * (1.0 + abs(solution.value)) + 1e-12
        self._lp = self._build(solution, eps)
        self._everything = np.arange(self._lp.n_columns)

    def _build(self, solution: MarginSolution, eps: float) -> LinearProgram:
        program = self.program
        m, n = program.F.shape
        G = program.F * program.y_signed[:, None]
        blocks = [G, -G] if self.split else [G]
        A = np.column_stack([*blocks, program.y_signed, np.zeros(m)])
        a, p = np.clip(solution.a, 0.0, program.prices), np.maximum(solution.p, 0.0)
        with np.errstate(divide="ignore"):
            low = 1.0 - eps / (program.prices - a) if not program.is_hard else np.full(m, 1.0 - eps)
            rows, lower, upper = [A], [low], [1.0 + eps / a]
            if program.capped:
                capped = A.copy()
                capped[:, -1] = -1.0
                rows.append(capped)
                lower.append(-eps / p)
                upper.append(np.zeros(m))
            h_top = 1.0 + np.divide(eps, max(0.0, 1.0 - float(p.sum())))
            signed = (program.F.T @ ((a - p) * program.y_signed)) if program.is_sparse else None
            most = _coefficient_bounds(program, signed, eps)
        w_low, w_high = (
            (np.zeros(2 * n), np.concatenate(most)) if self.split else (-most[1], most[0])
        )
        return LinearProgram(
            np.zeros(A.shape[1]),
            np.vstack(rows),
            np.concatenate(lower),
            np.concatenate(upper),
            np.concatenate([w_low, [-np.inf, 1.0 if program.capped else 0.0]]),
            np.concatenate([w_high, [np.inf, h_top if program.capped else 0.0]]),
        )

    def minimise(self, cost: Floats) -> tuple[float, Floats] | None:
        """Smallest value of a linear function of (w, b, h) and its point; None if unknown."""
        self._lp.change_costs(self._everything, cost)
        try:
            solution = self._lp.solve(tol=1e-6, max_iter=2 * (self._lp.n_rows + 500))
        except SolverError:
            return None
        return solution.value, solution.x

    def sparsest(self) -> tuple[Floats, float] | None:
        """The vertex (w, b) with the least sum of priced coefficients, so with few non-zeros."""
        cost = np.zeros(2 * self.n_columns + 2)
        cost[: 2 * self.n_columns] = np.tile(self.program.weights > 0.0, 2)
        found = self.minimise(cost)
        if found is None:
            return None
        x = found[1]
        return x[: self.n_columns] - x[self.n_columns : -2], float(x[-2])


def _coefficient_bounds(
    program: MarginProgram, signed: Floats | None, eps: float
) -> tuple[Floats, Floats]:
    """Largest positive and negative part of each coefficient at an optimum."""
    if signed is None:
        free = np.full(program.F.shape[1], np.inf)
        return free, free
    # D|w| - s w <= eps with s the pull of the examples on the column.
    plus = np.maximum(program.weights - signed, 0.0)
    minus = np.maximum(program.weights + signed, 0.0)
    is_priced = program.weights > 0.0
    return np.where(is_priced, eps / plus, np.inf), np.where(is_priced, eps / minus, np.inf)


def to_vertex(program: MarginProgram, solution: MarginSolution, tol: float) -> MarginSolution:
    """The optimum with the least sum of absolute coefficients, if its gap is at most ``tol``.

    Columns whose coefficient is zero at every optimum are left out first. HiGHS has a limited
    number of iterations; if they do not suffice, the given optimum is returned.
    """
    pull = program.F.T @ ((solution.a - solution.p) * program.y_signed)
    # A column pulled by less than its price is zero at every optimum.
    is_open = np.abs(pull) >= program.weights * (1.0 - 1e-5)
    part = replace(program, F=program.F[:, is_open], weights=program.weights[is_open])
    found = OptimalFace(part, solution, split=True).sparsest()
    if found is None:
        return solution
    w = np.zeros(program.F.shape[1])
    w[is_open] = found[0]
    vertex = proved(program, replace(solution, w=w, b=found[1], is_vertex=True))
    return vertex if vertex.gap <= tol else solution
