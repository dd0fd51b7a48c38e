"""Orthogonal (pre-fitting) matching pursuit over kernel columns, the whole path in one run.

Round t chooses the candidate column that lowers the squared residual most once all coefficients
are refitted: with P the projector off the columns chosen before, the largest
|P k_j . Y|^2 / |P k_j|^2. With one new orthonormal vector q per round, both parts are updated by
the product A' q alone, so a round costs one product with the kernel matrix and never needs it as
a whole. This is exhaustive orthogonal least squares, one column at a time.

One driver serves all greedy choices whose scores need a product A' w with the kernel matrix each
round. One pass over the matrix costs nearly the same for one w as for a dozen, so the driver
guesses the next choices on a cheap approximation of the matrix, computes the exact products of all
of them in one pass, and then replays the rounds exactly. A wrong guess costs another pass and
changes no result. If the matrix is stored, a product is cheaper than a guess and rounds are taken
one by one.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from scipy.linalg import solve_triangular

from handful.arrays import Floats
from handful.pursuit.kernel_columns import Indices, KernelColumns

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
        Orthonormal columns; the constant comes first if there is an intercept.
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
    """State of the pursuit; see `handful.pursuit.orthogonal.Pursuit` for the methods.

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
        # Twice is enough: one pass leaves a part of the basis if the column nearly depends on it.
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
    # Column t lies in the span of the first t directions: what stands below is rounding.
    return np.triu(basis.T @ raw)


FIRST_BATCH = 8  # before it is known how good guesses are
LARGEST_BATCH = 32  # columns multiplied in one pass over the matrix
TIE = 1e-12  # gains equal up to rounding: the first candidate wins, whatever the blocks
State = TypeVar("State")


class Pursuit(Protocol):
    """Protocol for a greedy method; ``position`` counts among the candidates."""

    @property
    def is_finished(self) -> bool:
        """Whether enough was chosen."""

    def choose(self) -> int:
        """Position of the best candidate, ties to the lowest; -1 if none is left."""

    def deflate(self, W: Floats, positions: int | Indices) -> Floats:
        """Raw columns W (or one column) of the candidates with earlier choices taken out."""

    def absorb(self, position: int, w: Floats, product: Floats) -> tuple[Floats, Floats] | None:
        """Take the candidate with deflated column w and product A' w; None if it is refused.

        Returns the direction u taken out of the others and its product A' u.
        """

    def share(self, u: Floats, W: Floats, positions: Indices) -> Floats:
        """How much of u each deflated column of W holds: W - u share' is deflated by u too."""

    def fork(self) -> Pursuit:
        """A copy to guess with."""


def fork_state(state: State) -> State:
    """A copy that shares nothing that the original will change."""
    twin = copy.copy(state)
    for name, value in vars(state).items():
        if isinstance(value, np.ndarray | list):
            setattr(twin, name, value.copy())
    return twin


def first_best(values: Floats) -> int:
    """Index of the largest value; the first of those that equal it up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> first_best(np.array([1.0, 3.0, 3.0 + 1e-15]))
    1
    """
    i = int(values.argmax())
    best = float(values[i])
    return int((values[: i + 1] >= best - TIE * abs(best)).argmax())


def pursue(pursuit: Pursuit, columns: KernelColumns) -> int:
    """Run a pursuit to its end; returns the number of passes over the kernel matrix."""
    if columns.is_stored:
        return _walk(pursuit, columns)
    factor, n_passes, batch_size = columns.landmark_factor(), 0, FIRST_BATCH
    while not pursuit.is_finished:
        batch = _guess(pursuit, columns, factor, batch_size)
        if not len(batch):
            break
        n_done = _replay(pursuit, columns, batch)
        n_passes += 1
        # Twice as many as were guessed right: good guesses make longer batches.
        batch_size = min(max(2 * n_done, 2), LARGEST_BATCH)
    return n_passes


def _walk(pursuit: Pursuit, columns: KernelColumns) -> int:
    """One product a round."""
    n_passes = 0
    while not pursuit.is_finished:
        position = pursuit.choose()
        if position < 0:
            break
        w = pursuit.deflate(columns.column(position), position)
        pursuit.absorb(position, w, columns.product(w))
        n_passes += 1
    return n_passes


def _guess(pursuit: Pursuit, columns: KernelColumns, factor: Floats, batch_size: int) -> Indices:
    """Positions the next rounds will probably choose; the first is certain."""
    guess = pursuit.fork()
    guesses: list[int] = []
    at_candidates = factor[columns.candidates]
    while len(guesses) < batch_size and not guess.is_finished:
        position = guess.choose()
        if position < 0:
            break
        guesses.append(position)
        raw = factor @ at_candidates[position]
        w = guess.deflate(raw, position)
        guess.absorb(position, w, at_candidates @ (factor.T @ w))
    return np.array(guesses, dtype=np.intp)


def _replay(pursuit: Pursuit, columns: KernelColumns, batch: Indices) -> int:
    """Absorb exact choices as long as they are in the batch; returns how many."""
    W = pursuit.deflate(columns.columns(batch), batch)
    products = columns.products(W)
    place_of = {int(position): i for i, position in enumerate(batch)}
    n_done = 0
    while not pursuit.is_finished:
        i = place_of.get(pursuit.choose())
        if i is None:
            break
        taken = pursuit.absorb(int(batch[i]), W[:, i], products[:, i])
        if taken is not None:
            n_done += 1
            u, product = taken
            # The other columns of the batch and their products stay deflated by every choice.
            share = pursuit.share(u, W, batch)
            W -= u[:, None] * share
            products -= product[:, None] * share
    return n_done
