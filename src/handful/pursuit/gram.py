"""Pursuits from sums over rows: only the candidates are held in memory.

A pursuit needs inner products of the candidates' columns with each other, with the targets and
with the constant. With c candidates these are c (c + outputs + 1) sums over rows, which one pass
over the rows gives. The greedy choices then need no row. They are those of `orthogonal_pursuit` on
the same rows up to rounding: here the deflated lengths come from the sums alone, as in a Cholesky
factorisation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from handful.arrays import Floats, Ints
from handful.kernels import Kernel
from handful.pursuit.candidate_pool import CandidatePool
from handful.pursuit.expansion_codes import Expansion, center_rows, decide
from handful.pursuit.orthogonal import DEPENDENT, NO_GAIN, NO_RESIDUAL, PursuitPath, first_best
from handful.tables import Joined, RowSource, Sums

_BLOCK_BYTES = 32 * 2**20  # of rows multiplied at once: large enough for the product to be fast
Scaling = tuple[Floats, Floats]  # (x - first) / second
Outputs = tuple[Floats, Floats, Floats, tuple[Floats, float, int]]


def class_targets(n_classes: int) -> Floats:
    """Targets of each class: -1 and 1 in one column for two classes, else a column a class."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0


@dataclass(frozen=True)
class MomentSums:
    """A job: sums of x - origin and of its squares, and the number of rows."""

    origin: Floats

    def __call__(self, X: Floats, codes: Ints) -> Sums:
        moved = X - self.origin
        return Sums(moved.sum(axis=0), (moved**2).sum(axis=0), np.array(float(len(X))))

    def scaling(self, sums: Iterable[Floats]) -> Scaling:
        """Mean and standard deviation of each feature; 1 for a constant feature."""
        first, second, n = sums
        mean = first / n
        # Sums about an origin inside the data, so that little cancels; rounding may still go below
        # 0.
        spread = np.sqrt(np.maximum(second / n - mean**2, 0.0))
        is_constant = spread <= 1e-14 * np.abs(self.origin + mean)
        return self.origin + mean, np.where(is_constant, 1.0, spread)


@dataclass(frozen=True)
class HeldCandidates:
    """The candidates in memory: kernels, scaled rows, and how other rows are scaled."""

    kernels: tuple[Kernel, ...]
    X: Floats
    scaling: Scaling | None = None

    def scaled(self, X: Floats) -> Floats:
        """Other rows, scaled as the candidates are."""
        return X if self.scaling is None else (X - self.scaling[0]) / self.scaling[1]

    def columns(self, X: Floats) -> Iterator[tuple[slice, list[Floats]]]:
        """Blocks of other rows, with their kernel values against the candidates."""
        step = max(256, _BLOCK_BYTES // (8 * max(1, len(self.X))))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            Z = self.scaled(X[rows])
            yield rows, [kernel(Z, self.X) for kernel in self.kernels]


@dataclass(frozen=True)
class GramSums:
    """A job: for each kernel G = A'A, A'Y and A'1; then Y'1, |Y|^2 and the number of rows."""

    held: HeldCandidates
    targets: Floats

    def __call__(self, X: Floats, codes: Ints) -> Sums:
        c, q = len(self.held.X), self.targets.shape[1]
        out = [np.zeros(shape) for _ in self.held.kernels for shape in ((c, c), (c, q), (c,))]
        out += [np.zeros(q), np.zeros(()), np.array(float(len(X)))]
        for rows, columns in self.held.columns(X):
            Y = np.asarray(self.targets[codes[rows]])
            for g, A in enumerate(columns):
                out[3 * g] += A.T @ A
                out[3 * g + 1] += A.T @ Y
                out[3 * g + 2] += A.sum(axis=0)
            out[-3] += Y.sum(axis=0)
            out[-2] += np.vdot(Y, Y)
        return Sums(*out)


@dataclass(frozen=True)
class Deviations:
    """A job: how far the worst output of a model is off, row by row."""

    held: HeldCandidates
    kernel: Kernel
    model: Expansion
    targets: Floats

    def __call__(self, X: Floats, codes: Ints) -> Joined:
        centers, Z = self.model.centers, self.held.scaled(X)
        values, _ = self.model.values(center_rows(self.kernel, Z, self.held.X[centers], centers))
        return Joined(np.abs(values - self.targets[codes]).max(axis=1))


Models = Sequence[tuple[int, Expansion]]  # which kernel, and an expansion over the candidates


@dataclass(frozen=True)
class ErrorCounts:
    """A job: errors of many classifiers, as whole numbers."""

    held: HeldCandidates
    models: Models

    def __call__(self, X: Floats, codes: Ints) -> Floats:
        out = np.zeros(len(self.models))
        for rows, columns in self.held.columns(X):
            for i, (g, model) in enumerate(self.models):
                K = columns[g][:, model.centers]
                out[i] += np.sum(decide(*model.values(K)) != codes[rows])
        return out


@dataclass(frozen=True, eq=False)
class RowSums:
    """The candidates that are held, and the sums over rows that a pursuit needs.

    Attributes
    ----------
    source : RowSource
    ground : CandidatePool
    pool : ndarray of int or None
        Sorted positions of the pool, if the fit reads a pool alone.
    X, codes : ndarray
        Rows of the candidates as they are, and codes of their labels.
    held : HeldCandidates
    targets : ndarray
        Targets of each code.
    """

    source: RowSource
    ground: CandidatePool
    pool: Ints | None
    X: Floats
    codes: Ints
    held: HeldCandidates
    targets: Floats

    @cached_property
    def sums(self) -> tuple[Floats, ...]:
        """Sums over the pool, or over all rows, as `GramSums` gives them."""
        job = GramSums(self.held, self.targets)
        return tuple(self.source.fold(job, "products", only=self.pool))

    def outputs(self, g: int, is_shared: bool) -> list[Outputs]:
        """What `gram_pursuit` takes with kernel g: for all outputs together, or for each."""
        G, B, ones = self.sums[3 * g : 3 * g + 3]
        totals, squares, n_rows = self.sums[-3:]
        q = B.shape[1]
        groups = [slice(0, q)] if is_shared else [slice(i, i + 1) for i in range(q)]
        if len(groups) > 1:
            # Each class has a pursuit of its own, and so a column of targets of its own.
            squares = n_rows  # of one column of -1 and 1
        return [
            (G, B[:, group], ones, (totals[group], float(squares), int(n_rows))) for group in groups
        ]

    def errors(self, models: Models) -> tuple[Ints, Ints]:
        """Errors of models on all rows, and on the rows that are counted.

        The rows of the pool are not counted; if there is no pool, the centres are not.
        """
        job = ErrorCounts(self.held, models)
        n_wrong = self.source.fold(job, "errors").astype(int)
        if self.pool is not None:
            left_out = self.source.fold(job, "errors in the pool", only=self.pool).astype(int)
        else:
            left_out = np.array([self._at_centers(g, model) for g, model in models])
        # Whole numbers: the errors of the counted rows are all errors without those of the others.
        return n_wrong, n_wrong - left_out

    def _at_centers(self, g: int, model: Expansion) -> int:
        own = model.centers
        rows = self.held.X[own]
        K = self.held.kernels[g](rows, rows) if len(own) else np.zeros((0, 0))
        return int(np.sum(decide(*model.values(K)) != self.codes[own]))


def gram_pursuit(
    G: Floats,
    B: Floats,
    ones: Floats,
    totals: tuple[Floats, float, int],
    n_centers: int,
    *,
    intercept: bool = False,
    criterion: str = "residual",
    tol: float = 0.0,
) -> PursuitPath:
    """The pursuit of the sums A'A, A'Y and A'1 of the candidates' columns A.

    ``totals`` are the sums of Y by output, the sum of its squares, and the number of rows. The
    other parameters are those of `orthogonal_pursuit`. The path has no basis.

    Examples
    --------
    >>> import numpy as np
    >>> A, Y = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]), np.array([[1.0], [1.0], [0.0]])
    >>> totals = (Y.sum(axis=0), float(np.vdot(Y, Y)), 3)
    >>> gram_pursuit(A.T @ A, A.T @ Y, A.sum(axis=0), totals, 1).centers
    array([0])
    """
    state = _GramState(G, B, min(n_centers, len(G)), criterion == "residual", totals[1])
    if intercept:
        root = float(np.sqrt(totals[2]))
        state.take(ones / root, totals[0] / root)
    start = state.square
    state.floor = max(tol * start, NO_RESIDUAL * totals[1])
    state.run(start)
    width = len(state.products)
    R, first = np.zeros((width, width)), int(intercept)
    products = np.array(state.products).reshape(width, len(G))
    R[:, first:] = np.triu(products[:, state.chosen], -first)
    if intercept:
        R[0, 0] = root
    return PursuitPath(
        centers=np.array(state.chosen, dtype=np.intp),
        basis=np.zeros((0, width)),
        triangle=R,
        loadings=np.array(state.loadings).reshape(width, B.shape[1]),
        residual_squares=np.array([start, *state.squares]),
        has_intercept=intercept,
        n_passes=1,
    )


class _GramState:
    """Deflated lengths and products of all candidates."""

    def __init__(
        self, G: Floats, B: Floats, n_centers: int, is_deflating: bool, square: float
    ) -> None:
        self.G, self.n_centers, self.is_deflating = G, n_centers, is_deflating
        self.deflated = np.diagonal(G).copy()
        self.floors = DEPENDENT * self.deflated
        self.norms = np.where(self.deflated == 0.0, np.inf, self.deflated)
        self.numerators, self.square, self.floor = B.copy(), square, 0.0
        self.chosen: list[int] = []
        self.products: list[Floats] = []
        self.loadings: list[Floats] = []
        self.squares: list[float] = []

    def run(self, start: float) -> None:
        """Choose until enough are chosen, nothing is left, or nothing helps."""
        while len(self.chosen) < self.n_centers and self.square > self.floor:
            gains = np.einsum("ij,ij->i", self.numerators, self.numerators) / self.norms
            best = first_best(gains)
            if not gains[best] > NO_GAIN * start:
                return
            # Almost in the span of the chosen columns: what is left of it is rounding.
            if self.deflated[best] <= self.floors[best]:
                self.norms[best] = np.inf
                continue
            length = float(np.sqrt(self.deflated[best]))
            product = self.G[best].copy()
            for earlier in self.products:
                product -= earlier[best] * earlier
            self.chosen.append(best)
            self.take(product / length, self.numerators[best] / length)
            self.norms[best] = np.inf
            self.squares.append(self.square)

    def take(self, product: Floats, loading: Floats) -> None:
        """Take a direction out of all candidates and of the targets."""
        self.numerators -= product[:, None] * loading
        self.deflated -= product**2
        if self.is_deflating:
            is_open = np.isfinite(self.norms)
            self.norms[is_open] = self.deflated[is_open]
            self.norms[self.norms <= self.floors] = np.inf
        # Pythagoras: directions are orthonormal, so squares of loadings are what each takes away.
        self.square = max(self.square - float(loading @ loading), 0.0)
        self.products.append(product)
        self.loadings.append(np.asarray(loading))
