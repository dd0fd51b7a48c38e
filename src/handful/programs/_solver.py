"""Margin programs on fixed columns: scaling, the fast path, the fallback, the proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack, qr, solve_triangular

from handful._types import Floats
from handful.programs._highs import solve_with_highs
from handful.programs._interior import InteriorPoint, solve_interior
from handful.programs._margin import MarginProgram, MarginSolution, balanced
from handful.programs._status import LPStatus, SolverError
from handful.programs._touching import touching_examples
from handful.programs._vertex import polish, to_vertex

#: A polished point with this gap needs no further iterations.
_PROVED = 1e-11


class MarginSolver:
    """Solves one family of margin programs, for any C, on centred and scaled columns.

    Centring moves only b and scaling only the weights, so the optimum is that of the given
    columns. Without weights an orthonormal basis of the columns is used instead. Constant and
    dependent columns get the coefficient zero.

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_columns)
    y_signed : ndarray of shape (n_samples,)
    weight : float or ndarray of shape (n_columns,)
        Price D of the sum of absolute coefficients; zero for none. One for each column, those of
        price zero last.
    capped : bool
        Whether the largest margin is priced.
    tol : float
        Largest relative duality gap that counts as proved.
    time_limit : float, optional
        Seconds for HiGHS, where the interior point did not prove its solution.
    row_weights : ndarray of shape (n_samples,), optional
        How much the slack of each example weighs.

    Examples
    --------
    >>> import numpy as np
    >>> solver = MarginSolver(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, 1.0, 1.0]))
    >>> solution = solver.solve(np.inf)
    >>> round(solution.h, 6), solution.w.round(6).tolist(), round(solution.b, 6)
    (5.0, [2.0], -1.0)
    """

    def __init__(
        self,
        F: Floats,
        y_signed: Floats,
        *,
        weight: float | Floats = 0.0,
        capped: bool = True,
        tol: float = 1e-7,
        time_limit: float | None = None,
        row_weights: Floats | None = None,
    ) -> None:
        self.center = F.mean(axis=0)
        scaled = F - self.center
        scale = np.sqrt(np.mean(scaled**2, axis=0))
        is_constant = scale <= 1e-12 * np.maximum(np.abs(self.center), 1e-290)
        self.scale = np.where(is_constant, 1.0, scale)
        scaled /= self.scale
        scaled[:, is_constant] = 0.0
        self.tol, self.time_limit = tol, time_limit
        self.columns = MarginProgram(
            scaled, y_signed, 1.0, weight / self.scale, capped, row_weights
        )
        self.program, self.basis = self.columns, None
        if not self.columns.is_sparse:
            Q, self.basis = _orthonormal(scaled)
            no_price = np.zeros(Q.shape[1])
            self.program = MarginProgram(Q, y_signed, 1.0, no_price, capped, row_weights)

    def solve(self, C: float, *, vertex: bool = False) -> MarginSolution:
        """The proved optimum for this C; ``vertex`` asks for one with few non-zeros.

        Without weights nothing drives coefficients to zero, and ``vertex`` has no effect.

        Raises
        ------
        SolverError
            Where there is none: not separable (C = inf), or no solver proves the gap.
        """
        return self._unscaled(self._solve_scaled(C, vertex))

    def solve_touching(self, C: float) -> tuple[MarginSolution, NDArray[np.intp]]:
        """The optimum, and the examples that touch some optimum (the compression set)."""
        solution = self._solve_scaled(C, False)
        touching = touching_examples(replace(self.program, C=float(C)), solution)
        return self._unscaled(solution), touching

    def _solve_scaled(self, C: float, vertex: bool) -> MarginSolution:
        program = replace(self.program, C=float(C))
        solution = _interior(program, self.tol)
        if not solution.gap <= self.tol:
            solution = balanced(program, solution)
        if not solution.gap <= self.tol:
            solution = balanced(program, solve_with_highs(program, time_limit=self.time_limit))
        if not solution.gap <= self.tol:
            raise SolverError(
                LPStatus.UNPROVED, f"The relative gap is {solution.gap:.2g}, `tol` {self.tol:.2g}."
            )
        if vertex and self.basis is None and not solution.is_vertex:
            return to_vertex(program, solution, self.tol)
        return solution

    def _unscaled(self, solution: MarginSolution) -> MarginSolution:
        w = solution.w if self.basis is None else self.basis.coefficients(solution.w)
        w = w / self.scale
        return replace(solution, w=w, b=solution.b - float(w @ self.center))


def _interior(program: MarginProgram, tol: float) -> MarginSolution:
    """The polished interior point; polishing is tried on the way, to stop as soon as it proves."""
    early: list[MarginSolution] = []

    def is_proved(point: InteriorPoint) -> bool:
        polished = polish(program, point, tol)
        if polished.is_unique and polished.gap <= _PROVED:
            early.append(polished)
        return bool(early)

    point = solve_interior(program, stop=is_proved)
    return early[0] if early else polish(program, point, tol)


@dataclass(frozen=True)
class _Basis:
    """Triangular factor of independent columns: columns[:, order] = Q R."""

    R: Floats
    order: NDArray[np.intp]
    n_columns: int

    def coefficients(self, v: Floats) -> Floats:
        """Coefficients of the columns from those of Q."""
        w = np.zeros(self.n_columns)
        w[self.order] = solve_triangular(self.R, v)
        return w


def _orthonormal(columns: Floats) -> tuple[Floats, _Basis]:
    """A well-conditioned basis (of about unit mean square) of the columns' span.

    Well-conditioned columns take the Cholesky factor of their Gram matrix, others a pivoted QR.
    """
    m, n = columns.shape
    if 0 < n < m:
        R, info = lapack.dpotrf(blas.dsyrk(1.0 / m, columns.T), lower=0)
        pivots = np.abs(np.diagonal(R))
        if info == 0 and pivots.min() > 1e-4 * pivots.max():
            Q = solve_triangular(R, columns.T, trans="T", check_finite=False).T
            return np.ascontiguousarray(Q), _Basis(R, np.arange(n), n)
    Q, R, order = qr(columns, mode="economic", pivoting=True, check_finite=False)
    pivots = np.abs(np.diagonal(R))
    rank = int(np.sum(pivots > 1e-11 * pivots.max(initial=1e-300)))
    root = float(np.sqrt(m))
    factor = np.asarray(R[:rank, :rank] / root, dtype=np.float64)
    basis = _Basis(factor, np.asarray(order[:rank], dtype=np.intp), n)
    return np.array(Q[:, :rank] * root, dtype=np.float64, order="C"), basis
