"""Pursuits from sums over rows: the rows may be anywhere, only the candidates are held.

Every inner product that a pursuit needs is one of candidates' columns with each other, with the
targets or with the constant. With c candidates these are c (c + outputs + 1) numbers, sums over
rows that can be added up in any place, in one pass; the greedy choices then need no row at all.
They are those of `orthogonal_pursuit` on the same rows up to rounding: here the deflated lengths
come from the sums alone, as in a Cholesky factorisation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from handful._types import Floats, Ints
from handful.kernels import Kernel
from handful.pursuit.candidate_pool import CandidatePool
from handful.pursuit.expansion_codes import Expansion, center_rows, decide
from handful.pursuit.orthogonal import DEPENDENT, NO_GAIN, NO_RESIDUAL, PursuitPath, first_best

_BLOCK_BYTES = 32 * 2**20  # of rows multiplied at once: large enough for the product to be fast


@dataclass(frozen=True)
class Coding:
    """Targets of label codes: -1 and 1 for classes, or the values themselves."""

    values: Floats

    @classmethod
    def of_classes(cls, n_classes: int) -> Coding:
        """One column for two classes, else one per class."""
        if n_classes == 2:
            return cls(np.array([[-1.0], [1.0]]))
        return cls(2.0 * np.eye(n_classes) - 1.0)

    def targets(self, codes: Ints) -> Floats:
        """Targets (n_rows, n_outputs)."""
        return np.asarray(self.values[codes])


@dataclass(frozen=True)
class Scaler:
    """(x - center) / scale, or nothing."""

    center: Floats | None
    scale: Floats | None

    def __call__(self, X: Floats) -> Floats:
        """Scaled rows."""
        return X if self.center is None or self.scale is None else (X - self.center) / self.scale


@dataclass(frozen=True)
class MomentSums:
    """Sums of x - origin and of its squares, and the number of rows."""

    origin: Floats

    def __call__(self, X: Floats, codes: Ints) -> list[Floats]:
        """Of one chunk."""
        moved = X - self.origin
        return [moved.sum(axis=0), (moved**2).sum(axis=0), np.array(float(len(X)))]

    def scaling(self, sums: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Mean and standard deviation; one where a feature is constant."""
        first, second, n = sums
        mean = first / n
        spread = np.sqrt(np.maximum(second / n - mean**2, 0.0))
        is_constant = spread <= 1e-14 * np.abs(self.origin + mean)
        return self.origin + mean, np.where(is_constant, 1.0, spread)


@dataclass(frozen=True)
class GramSums:
    """What a pursuit needs of rows: for each kernel G = A'A, A'Y and A'1; then Y'1, |Y|^2, n."""

    kernels: tuple[Kernel, ...]
    candidates: Floats
    scaler: Scaler
    coding: Coding

    def __call__(self, X: Floats, codes: Ints) -> list[Floats]:
        """Of one chunk."""
        c, q = len(self.candidates), self.coding.values.shape[1]
        out = [np.zeros(shape) for _ in self.kernels for shape in ((c, c), (c, q), (c,))]
        out += [np.zeros(q), np.zeros(()), np.array(float(len(X)))]
        for rows in _blocks(len(X), c):
            Z, Y = self.scaler(X[rows]), self.coding.targets(codes[rows])
            for g, kernel in enumerate(self.kernels):
                A = kernel(Z, self.candidates)
                out[3 * g] += A.T @ A
                out[3 * g + 1] += A.T @ Y
                out[3 * g + 2] += A.sum(axis=0)
            out[-3] += Y.sum(axis=0)
            out[-2] += np.vdot(Y, Y)
        return out


def _blocks(n_rows: int, width: int) -> Iterator[slice]:
    step = max(256, _BLOCK_BYTES // (8 * max(1, width)))
    for start in range(0, n_rows, step):
        yield slice(start, start + step)


Job = Callable[[Floats, Ints], Any]
Outputs = tuple[Floats, Floats, Floats, tuple[Floats, float, int]]


class PursuitRows(Protocol):
    """Rows that are not in memory; ``codes`` number the classes, or the distinct targets."""

    n_samples: int
    n_features: int
    classes: Any
    draw: Any

    def first(self, n_rows: int) -> tuple[Ints, Floats, Ints]:
        """Positions, features and codes of the first rows of the blind order."""

    def positions(self, n_rows: int) -> Ints:
        """Positions of the first rows of the blind order."""

    def total(self, job: Job, name: str, *, only: Ints | None = None) -> list[Floats]:
        """Sums over the chunks of the arrays that the job gives, of these rows or of all."""

    def each(self, job: Job, name: str, *, without: Ints) -> Floats:
        """What the job gives for all other rows and their codes, joined."""


@dataclass(frozen=True)
class ModelValues:
    """Values of the rows of a chunk under an expansion whose centres are candidates."""

    kernel: Kernel
    model: Expansion
    candidates: Floats
    scaler: Scaler

    def __call__(self, X: Floats, codes: Ints) -> Floats:
        """Values (n_rows, n_outputs)."""
        centers = self.model.centers
        rows = center_rows(self.kernel, self.scaler(X), self.candidates[centers], centers)
        return self.model.values(rows)[0]


@dataclass(frozen=True)
class Deviations:
    """Absolute deviation of a model from the targets, row by row."""

    model: ModelValues
    targets: Floats

    def __call__(self, X: Floats, codes: Ints) -> Floats:
        return np.asarray(np.abs(self.model(X, codes) - self.targets[codes]).max(axis=1))


@dataclass(frozen=True)
class ErrorCounts:
    """Errors of many classifiers (kernel, expansion) on a chunk."""

    kernels: tuple[Kernel, ...]
    models: tuple[tuple[int, Expansion], ...]
    candidates: Floats
    scaler: Scaler

    def __call__(self, X: Floats, codes: Ints) -> list[Floats]:
        """One count a model; whole numbers."""
        out = np.zeros(len(self.models))
        for rows in _blocks(len(X), len(self.candidates)):
            Z, known = self.scaler(X[rows]), {}
            for i, (g, model) in enumerate(self.models):
                if g not in known:
                    known[g] = self.kernels[g](Z, self.candidates)
                K = known[g][:, model.centers]
                out[i] += np.sum(decide(*model.values(K)) != codes[rows])
        return [out]


@dataclass(frozen=True, eq=False)
class RowSums:
    """The candidates that are held, and the sums over all rows that a pursuit needs.

    Attributes
    ----------
    ground : CandidatePool
    pool : ndarray of int or None
        Sorted positions of the pool, if the fit reads a pool alone.
    X, codes : ndarray
        Features and codes of the candidates.
    held : ndarray
        The same features, scaled.
    sums : list of ndarray
        As `GramSums` gives them.
    """

    source: PursuitRows
    ground: CandidatePool
    pool: Ints | None
    scaler: Scaler
    X: Floats
    codes: Ints
    held: Floats
    kernels: list[Kernel]
    sums: list[Floats]

    @classmethod
    def of(
        cls,
        source: PursuitRows,
        coding: Coding,
        ground: CandidatePool,
        pool: Ints | None,
        scaler: Scaler,
        X: Floats,
        codes: Ints,
        kernels: list[Kernel],
    ) -> RowSums:
        """The sums over the pool, or over all rows."""
        held = scaler(X)
        job = GramSums(tuple(kernels), held, scaler, coding)
        sums = source.total(job, "products", only=pool)
        return cls(source, ground, pool, scaler, X, codes, held, kernels, sums)

    def outputs(self, g: int, is_shared: bool) -> list[Outputs]:
        """What `gram_pursuit` takes with kernel g: for all outputs together, or for each."""
        G, B, ones = self.sums[3 * g : 3 * g + 3]
        totals, squares, n_rows = self.sums[-3:]
        q = B.shape[1]
        groups = [slice(0, q)] if is_shared else [slice(i, i + 1) for i in range(q)]
        if len(groups) > 1:
            squares = n_rows  # of one column of -1 and 1
        return [
            (G, B[:, group], ones, (totals[group], float(squares), int(n_rows))) for group in groups
        ]

    def values_of(self, g: int, model: Expansion) -> ModelValues:
        """The model as a job for chunks."""
        return ModelValues(self.kernels[g], model, self.held, self.scaler)

    def errors(self, models: Sequence[tuple[int, Expansion]]) -> tuple[Ints, Ints]:
        """Errors of models (kernel, expansion) on all rows, and on the rows that are counted.

        The rows of the pool are not counted; if there is no pool, the centres are not.
        """
        job = ErrorCounts(tuple(self.kernels), tuple(models), self.held, self.scaler)
        n_wrong = self.source.total(job, "errors")[0].astype(int)
        if self.pool is not None:
            left_out = self.source.total(job, "errors in the pool", only=self.pool)[0].astype(int)
        else:
            left_out = np.array([self._at_centers(g, model) for g, model in models])
        return n_wrong, n_wrong - left_out

    def _at_centers(self, g: int, model: Expansion) -> int:
        own = model.centers
        K = self.kernels[g](self.held[own], self.held[own]) if len(own) else np.zeros((0, 0))
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
    """The pursuit of these sums; the path has no basis, for there are no rows.

    Parameters
    ----------
    G, B, ones : A'A, A'Y and A'1 of the candidates' columns A
    totals : sums of Y by output, of its squares, number of rows
    n_centers, intercept, criterion, tol : as in `orthogonal_pursuit`

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
        self.square = max(self.square - float(loading @ loading), 0.0)
        self.products.append(product)
        self.loadings.append(np.asarray(loading))
