"""Orthogonal (pre-fitting) matching pursuit over kernel columns, the whole path in one run.

Round t chooses the candidate column that lowers the squared residual most once all coefficients
are refitted: with P the projector off the columns chosen before, the largest
|P k_j . Y|^2 / |P k_j|^2. With one new orthonormal vector q per round, both parts are updated by
the product A' q alone, so a round costs one product with the kernel matrix and never needs it as
a whole. This is exhaustive orthogonal least squares, one column at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from handful._types import Floats
from handful.pursuit._columns import Indices, KernelColumns
from handful.pursuit._lookahead import first_best, fork_state, pursue

CRITERIA = ("residual", "cosine")
DEPENDENT = 1e-12  # of its own norm: less is rounding, and dividing by it would blow up
STALE = 1e-6  # a deflated norm this far off is computed anew from the column
NO_GAIN = 1e-20  # of the first residual: less is rounding
NO_RESIDUAL = 1e-24  # of the targets: nothing is left to explain


@dataclass(frozen=True)
class PursuitPath:
    """All sizes of one pursuit; the model of size t uses the first t centres.

    Attributes
    ----------
    centers : ndarray of int (n_centers,)
        Indices of the chosen examples, in order of choice.
    basis : ndarray (n_samples, n_columns)
        Orthonormal columns, the constant first where there is an intercept.
    triangle : ndarray (n_columns, n_columns)
        Upper triangular R with [1, K[:, centers]] = basis R.
    loadings : ndarray (n_columns, n_outputs)
        basis' Y.
    residual_squares : ndarray (n_centers + 1,)
        Sum of squared residuals of sizes 0, 1, 2, ... (all outputs together).
    has_intercept : bool
        Whether the first column of the basis is the constant.
    n_passes : int
        Passes over the kernel matrix.
    """

    centers: Indices
    basis: Floats
    triangle: Floats
    loadings: Floats
    residual_squares: Floats
    has_intercept: bool
    n_passes: int

    @property
    def n_centers(self) -> int:
        """Largest size on the path."""
        return len(self.centers)

    def renumbered(self, rows: Indices) -> PursuitPath:
        """The same path with centre i called rows[i]."""
        return replace(self, centers=rows[self.centers])

    def fitted(self, size: int) -> Floats:
        """Least-squares fit on the training examples by the first ``size`` centres."""
        width = size + self.has_intercept
        return np.asarray(self.basis[:, :width] @ self.loadings[:width])

    def coefficients(self, size: int, ridge: float = 0.0) -> tuple[Floats, Floats]:
        """Coefficients (size, n_outputs) and intercepts (n_outputs,) of one size.

        The ridge penalises the coefficients, not the intercept.
        """
        width, first = size + self.has_intercept, int(self.has_intercept)
        R, Z = self.triangle[:width, :width], self.loadings[:width]
        if ridge > 0.0 and size:
            R, Z = _ridged(R, Z, ridge, first)
        solution = solve_triangular(R, Z) if width else Z
        intercepts = solution[0] if first else np.zeros(Z.shape[1])
        return solution[first:], intercepts


def _ridged(R: Floats, Z: Floats, ridge: float, first: int) -> tuple[Floats, Floats]:
    """Triangular system of the penalised problem, by rotating the penalty rows in."""
    width = R.shape[1]
    penalty = np.sqrt(ridge) * np.eye(width)[first:]
    Q, new = np.linalg.qr(np.vstack([R, penalty]))
    return new, Q[:width].T @ Z


class _LeastSquares:
    """State of the pursuit; see `handful.pursuit._lookahead.Pursuit` for the methods.

    ``norms`` holds the squared lengths that the gains are divided by; candidates that are
    taken, or depend on those taken, have an infinite one and so no gain.
    """

    def __init__(self, columns: KernelColumns, Y: Floats, n_centers: int, criterion: str) -> None:
        self.residual, self.tol = Y.copy(), 0.0
        self.n_centers, self.is_deflating = n_centers, criterion == "residual"
        self.numerators, self.norms = columns.products(Y), columns.squared_norms()
        self.floors = DEPENDENT * self.norms
        # A column of zeros explains nothing; infinity makes its gain zero without a branch.
        self.norms[self.norms == 0.0] = np.inf
        self.basis = np.empty((columns.n_samples, n_centers + 1), order="F")
        self.width = 0
        self.loadings: list[Floats] = []
        self.chosen: list[int] = []
        self.squares = [_sum_squares(Y)]
        self._best: int | None = None

    @property
    def is_finished(self) -> bool:
        return len(self.chosen) >= self.n_centers or self.squares[-1] <= self.tol

    def add_constant(self, columns: KernelColumns) -> None:
        """Take the constant vector out first."""
        ones = np.ones((columns.n_samples, 1))
        length = np.sqrt(columns.n_samples)
        self._take(ones[:, 0] / length, columns.products(ones)[:, 0] / length)
        self.squares = [_sum_squares(self.residual)]

    def choose(self) -> int:
        if self._best is None:
            gains = np.einsum("ij,ij->i", self.numerators, self.numerators)
            gains /= self.norms
            best = first_best(gains)
            self._best = best if gains[best] > NO_GAIN * self.squares[0] else -1
        return self._best

    def deflate(self, W: Floats, positions: int | Indices) -> Floats:
        basis = self.basis[:, : self.width]
        # Twice is enough: one pass leaves a part of the basis where the column nearly depends on
        # it.
        for _ in range(2):
            W = W - basis @ (basis.T @ W)
        return W

    def share(self, u: Floats, W: Floats, positions: Indices) -> Floats:
        return np.asarray(u @ W)

    def absorb(self, position: int, w: Floats, product: Floats) -> tuple[Floats, Floats] | None:
        square = float(w @ w)
        # It depends on the columns taken: closed for good, and another one is chosen.
        if square <= self.floors[position]:
            self.norms[position], self._best = np.inf, None
            return None
        # Norms are updated by subtraction and drift; if the right one would not have been chosen,
        # choose again.
        if self.is_deflating and abs(square - self.norms[position]) > STALE * square:
            self.norms[position], self._best = square, None
            if self.choose() != position:
                return None
        length = square**0.5
        u, product = w / length, product / length
        self.chosen.append(position)
        self._take(u, product)
        self.norms[position] = np.inf
        self.squares.append(_sum_squares(self.residual))
        return u, product

    def _take(self, u: Floats, product: Floats) -> None:
        loading = u @ self.residual
        self.residual -= u[:, None] * loading
        self.numerators -= product[:, None] * loading
        if self.is_deflating:
            self.norms -= product * product
            # What is left of these is rounding: dividing by it would make them the best of all.
            self.norms[self.norms <= self.floors] = np.inf
        self._best = None
        self.basis[:, self.width] = u
        self.width += 1
        self.loadings.append(loading)

    def fork(self) -> _LeastSquares:
        return fork_state(self)


def _sum_squares(values: Floats) -> float:
    return float(np.vdot(values, values))


def orthogonal_pursuit(
    columns: KernelColumns,
    Y: Floats,
    n_centers: int,
    *,
    intercept: bool = False,
    criterion: str = "residual",
    tol: float = 0.0,
) -> PursuitPath:
    """Choose up to ``n_centers`` candidates greedily; Y has one column per output.

    Parameters
    ----------
    columns : KernelColumns
    Y : array of shape (n_samples, n_outputs)
    n_centers : int
    intercept : bool
        Fit a constant beside the kernel columns, from the start.
    criterion : {"residual", "cosine"}
        "residual" lowers the residual most; "cosine" takes the column with the largest cosine to
        the residual, as scikit-learn's `orthogonal_mp` does on columns of unit length.
    tol : float
        Stop once the sum of squared residuals is at most this share of that of size 0.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.kernels import make_kernel
    >>> X = np.linspace(0.0, 3.0, 7)[:, None]
    >>> columns = KernelColumns(make_kernel("rbf", gamma=1.0), X)
    >>> path = orthogonal_pursuit(columns, np.sin(2.0 * X), 3)
    >>> path.centers
    array([5, 2, 6])
    """
    state = _LeastSquares(columns, Y, min(n_centers, columns.n_candidates), criterion)
    if intercept:
        state.add_constant(columns)
    state.tol = max(tol * state.squares[0], NO_RESIDUAL * _sum_squares(Y))
    n_passes = pursue(state, columns)
    centers = columns.candidates[np.array(state.chosen, dtype=np.intp)]
    basis = state.basis[:, : state.width]
    return PursuitPath(
        centers=centers,
        basis=basis,
        triangle=_triangle(basis, columns, state.chosen, intercept),
        loadings=np.array(state.loadings).reshape(state.width, Y.shape[1]),
        residual_squares=np.array(state.squares),
        has_intercept=intercept,
        n_passes=n_passes,
    )


def _triangle(basis: Floats, columns: KernelColumns, chosen: list[int], intercept: bool) -> Floats:
    raw = columns.columns(np.array(chosen, dtype=np.intp))
    if intercept:
        raw = np.hstack([np.ones((len(raw), 1)), raw])
    return np.triu(basis.T @ raw)
