"""Margin programs on fixed columns: scaling, interior point, HiGHS if that fails, paths over C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, lapack, qr, solve_triangular

from handful.arrays import Floats
from handful.programs.compression_sets import touching_examples
from handful.programs.interior import InteriorPoint, solve_interior
from handful.programs.linear_program import LPStatus, SolverError
from handful.programs.margin_program import (
    MarginProgram,
    MarginSolution,
    balanced,
    solve_with_highs,
)
from handful.programs.optimal_face import polish, to_vertex

#: A polished point with this gap needs no further iterations.
_PROVED = 1e-11


class MarginSolver:
    """Solves a margin program for any C, on centred and scaled columns.

    Centring changes only b, and scaling changes only the weights. So the optimum is that of the
    given columns. Without weights the solver takes an orthonormal basis of the columns. Constant
    and dependent columns get the coefficient zero.

    ``weight`` is the price D of the sum of absolute coefficients, 0 for none; or one price for
    each column, those of price zero last. With ``capped`` the largest margin is priced. A gap up
    to ``tol`` counts as proved. ``time_limit`` is in seconds, for HiGHS, which is used if the
    interior point does not prove its solution. ``row_weights`` multiply the slack of the examples.

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
        # The price of a coefficient is divided by the scale of its column: the program is the given
        # one.
        scaled, self.center, self.scale = centred_columns(F)
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
        """The proved optimum for this C; with ``vertex`` and weights, one with few non-zeros.

        Raises `SolverError` if the classes are not separable (C = inf), or if no solver proves
        its gap.
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
        # Centring moved the origin: the intercept takes it back.
        return replace(solution, w=w, b=solution.b - float(w @ self.center))


def centred_columns(F: Floats) -> tuple[Floats, Floats, Floats]:
    """Columns of mean 0 and mean square 1 (0 for constants), their means and their scales."""
    center = F.mean(axis=0)
    scaled = F - center
    scale = np.sqrt(np.mean(scaled**2, axis=0))
    # What is left of a constant column after centring is rounding, and must not be scaled up.
    is_constant = scale <= 1e-12 * np.maximum(np.abs(center), 1e-290)
    scale = np.where(is_constant, 1.0, scale)
    scaled /= scale
    scaled[:, is_constant] = 0.0
    return scaled, center, scale


def _interior(program: MarginProgram, tol: float) -> MarginSolution:
    """The polished interior point; the path ends early if a polished point on it is proved."""
    early: list[MarginSolution] = []

    def is_proved(point: InteriorPoint) -> bool:
        polished = polish(program, point, tol)
        # A unique optimum that is proved cannot change any more: further iterations are wasted.
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

    Well-conditioned columns use the Cholesky factor of their Gram matrix, others a pivoted QR.
    """
    m, n = columns.shape
    if 0 < n < m:
        R, info = lapack.dpotrf(blas.dsyrk(1.0 / m, columns.T), lower=0)
        pivots = np.abs(np.diagonal(R))
        # The Gram matrix squares the condition number: only well-conditioned columns may go this
        # way.
        if info == 0 and pivots.min() > 1e-4 * pivots.max():
            Q = solve_triangular(R, columns.T, trans="T", check_finite=False).T
            return np.ascontiguousarray(Q), _Basis(R, np.arange(n), n)
    Q, R, order = qr(columns, mode="economic", pivoting=True, check_finite=False)
    pivots = np.abs(np.diagonal(R))
    # Columns behind this rank are combinations of the others up to rounding; they get no weight.
    rank = int(np.sum(pivots > 1e-11 * pivots.max(initial=1e-300)))
    root = float(np.sqrt(m))
    factor = np.asarray(R[:rank, :rank] / root, dtype=np.float64)
    basis = _Basis(factor, np.asarray(order[:rank], dtype=np.intp), n)
    return np.array(Q[:, :rank] * root, dtype=np.float64, order="C"), basis


@dataclass(frozen=True)
class MarginPath:
    """Machines along a grid of C, each proved optimal.

    Attributes
    ----------
    Cs : ndarray of shape (n_Cs,)
    coefs : ndarray of shape (n_Cs, n_columns)
    intercepts, h, values, gaps : ndarray of shape (n_Cs,)
        Bias, largest margin (at least 1), objective and relative duality gap.
    """

    Cs: Floats
    coefs: Floats
    intercepts: Floats
    h: Floats
    values: Floats
    gaps: Floats

    @property
    def n_nonzero(self) -> NDArray[np.intp]:
        """Number of coefficients above 1e-7 times the largest one, for each C."""
        size = np.abs(self.coefs)
        return np.asarray(np.sum(size > 1e-7 * size.max(axis=1, keepdims=True), axis=1))

    def frame(self) -> Any:
        """The path as a pandas DataFrame with one row for each C."""
        import pandas as pd

        return pd.DataFrame(
            {
                "C": self.Cs,
                "objective": self.values,
                "h": self.h,
                "n_nonzero": self.n_nonzero,
                "intercept": self.intercepts,
                "gap": self.gaps,
            }
        )


def mcm_path(
    X: ArrayLike,
    y: ArrayLike,
    Cs: Sequence[float] | Floats | None = None,
    *,
    weight: float = 0.0,
    tol: float = 1e-7,
) -> MarginPath:
    """Minimal complexity machines along a grid of C, on features or kernel columns.

    The columns are centred and scaled once. Each C is solved by the interior point. It needs
    about twenty iterations from any start, and is faster than the simplex from the last basis.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns)
        Features, or the columns of a kernel matrix.
    y : array-like of shape (n_samples,)
        Two classes; the larger one in sorting order is positive.
    Cs : sequence of float, optional
        Thirteen values from 0.001 to 1000 by default.
    weight : float
        Price of the sum of absolute coefficients; 0 is the published program.
    tol : float
        Largest relative duality gap.

    Returns
    -------
    MarginPath

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> mcm_path(X, [0, 1, 0, 1], [0.1, 10.0]).values.round(6).tolist()
    [1.266667, 27.666667]
    """
    return _path(X, y, Cs, weight=weight, capped=True, tol=tol)


def lpm_path(
    X: ArrayLike, y: ArrayLike, Cs: Sequence[float] | Floats | None = None, *, tol: float = 1e-7
) -> MarginPath:
    """1-norm support vector machines along a grid of C, on features or kernel columns.

    The parameters are those of `mcm_path`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> lpm_path(X, [0, 1, 0, 1], [0.1, 10.0]).n_nonzero.tolist()
    [0, 1]
    """
    return _path(X, y, Cs, weight=1.0, capped=False, tol=tol)


def _path(
    X: ArrayLike,
    y: ArrayLike,
    Cs: Sequence[float] | Floats | None,
    *,
    weight: float,
    capped: bool,
    tol: float,
) -> MarginPath:
    F = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"`y` must have two classes, got {len(classes)}. Use one against rest.")
    grid = np.logspace(-3, 3, 13) if Cs is None else np.asarray(Cs, dtype=np.float64)
    if grid.ndim != 1 or not grid.size or not np.all(grid > 0.0):
        raise ValueError(f"`Cs` must be positive numbers, got {Cs!r}.")
    solver = MarginSolver(F, np.where(codes == 1, 1.0, -1.0), weight=weight, capped=capped, tol=tol)
    found = [solver.solve(float(C), vertex=weight > 0.0) for C in grid]
    return MarginPath(
        Cs=grid,
        coefs=np.stack([s.w for s in found]),
        intercepts=np.array([s.b for s in found]),
        h=np.array([s.h for s in found]),
        values=np.array([s.value for s in found]),
        gaps=np.array([s.gap for s in found]),
    )
