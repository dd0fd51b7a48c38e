"""Kernel columns on demand: products with the kernel matrix that never need all of it.

A pursuit asks for two things: single columns k(X, x_j), and products A' W. The matrix
A = k(X, X_C) has one column per candidate. Products are computed tile by tile. The matrix is kept
only if it fits into the memory that the caller allows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymv

from handful.arrays import Floats
from handful.kernels import Kernel

Indices = NDArray[np.intp]

TILE_SIDE = 1024  # a tile of 8 MiB stays in the cache while it is multiplied
N_LANDMARKS = 256  # their factor guesses the next columns; a wrong guess costs time only


class KernelColumns:
    """The columns of the kernel matrix of X that belong to the candidates.

    Parameters
    ----------
    kernel : Kernel
        With "precomputed", X is the symmetric kernel matrix itself.
    X : array of shape (n_samples, n_features)
    candidates : array of indices, optional
        Rows of X that may be chosen; all of them by default.
    memory_bytes : int
        The matrix is kept in memory if it needs no more than this.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.kernels import make_kernel
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> columns = KernelColumns(make_kernel("linear"), X, np.array([1, 2]), memory_bytes=0)
    >>> columns.products(np.ones((3, 1)))
    array([[3.],
           [6.]])
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Floats,
        candidates: Indices | None = None,
        *,
        memory_bytes: int = 1 << 30,
    ) -> None:
        self.kernel, self.X = kernel, X
        self.is_complete = candidates is None
        self.candidates = np.arange(len(X)) if candidates is None else candidates
        self.n_samples, self.n_candidates = len(X), len(self.candidates)
        self._lower: Floats | None = None
        self._wide: Floats | None = None
        self._squares: Floats | None = None
        if kernel.name == "precomputed":
            self._keep_given()
            return
        self._left, self._right = _tile_factors(kernel, X)
        if 8 * self.n_samples * self.n_candidates <= memory_bytes:
            if self.is_complete:
                self._lower = self._compute_lower()
            else:
                self._wide = self._compute_wide()

    @property
    def is_stored(self) -> bool:
        """Whether the candidates' columns are held in memory."""
        return self._lower is not None or self._wide is not None

    def columns(self, positions: Indices) -> Floats:
        """Columns of the candidates at ``positions``, of shape (n_samples, n_positions)."""
        if self._wide is not None:
            return np.array(self._wide[:, positions], order="F")
        if self._lower is None:
            return np.asfortranarray(self.kernel(self.X, self.X[self.candidates[positions]]))
        if not len(positions):
            return np.zeros((self.n_samples, 0))
        return np.column_stack([self.column(int(j)) for j in positions])

    def column(self, position: int) -> Floats:
        """One column, as a vector."""
        if self._lower is None:
            return self.columns(np.array([position]))[:, 0]
        column = self._lower[:, position].copy()
        # Only the lower triangle is kept: the upper part of a column is a row of it.
        column[:position] = self._lower[position, :position]
        return column

    def product(self, w: Floats) -> Floats:
        """A' w for one vector."""
        if self._lower is not None:
            return np.asarray(dsymv(1.0, self._lower, w, lower=1))
        return self.products(w[:, None])[:, 0]

    def diagonal(self) -> Floats:
        """Values k(x, x) of all examples."""
        return self.kernel.diagonal(self.X)

    def products(self, W: Floats) -> Floats:
        """A' W: inner products of every candidate's column with the columns of W."""
        if self._lower is not None:
            return np.column_stack([self.product(np.ascontiguousarray(w)) for w in W.T])
        if self._wide is not None:
            return np.asarray(self._wide.T @ W)
        out = np.zeros((self.n_candidates, W.shape[1]))
        for rows, columns, tile in self._tiles():
            out[rows] += tile @ W[columns]
            if self.is_complete and columns.start > rows.start:
                out[columns] += tile.T @ W[rows]
        return out

    def squared_norms(self) -> Floats:
        """Sums of squares of the candidates' columns."""
        if self._squares is None:
            self._squares = self._compute_squares()
        return self._squares.copy()

    def _compute_squares(self) -> Floats:
        whole = self.X if self.kernel.name == "precomputed" and self.is_complete else self._wide
        if whole is not None:
            return np.einsum("ij,ij->j", whole, whole)
        out = np.zeros(self.n_candidates)
        for rows, columns, tile in self._tiles():
            out[rows] += np.einsum("ij,ij->i", tile, tile)
            if self.is_complete and columns.start > rows.start:
                out[columns] += np.einsum("ij,ij->j", tile, tile)
        return out

    def inner_products(self, other: KernelColumns) -> Floats:
        """Inner product of every column with the same column of another kernel matrix."""
        out = np.zeros(self.n_candidates)
        for (rows, columns, tile), (_, _, twin) in zip(self._tiles(), other._tiles(), strict=True):
            out[rows] += np.einsum("ij,ij->i", tile, twin)
            if self.is_complete and columns.start > rows.start:
                out[columns] += np.einsum("ij,ij->j", tile, twin)
        return out

    def landmark_factor(self) -> Floats:
        """N with K close to N N': the Nystrom approximation on a few random examples.

        It only guesses which columns will be wanted; no result depends on it.
        """
        # A fixed seed: the guess decides how many passes are made, never what is found.
        order = np.random.default_rng(0).permutation(self.n_samples)
        chosen = np.sort(order[: min(N_LANDMARKS, self.n_samples)])
        block = self.kernel(self.X, self.X[chosen])
        values, vectors = np.linalg.eigh(block[chosen])
        # Smaller eigenvalues are rounding, and their inverse roots would drown the rest.
        is_large = values > 1e-10 * max(float(values[-1]), 0.0)
        return np.asarray(block @ (vectors[:, is_large] / np.sqrt(values[is_large])))

    def _keep_given(self) -> None:
        if self.is_complete:
            self._lower = self.X if self.X.flags.f_contiguous else np.ascontiguousarray(self.X).T
        else:
            self._wide = np.asfortranarray(self.X[:, self.candidates])

    def _compute_lower(self) -> Floats:
        """Only the lower triangle is filled and read: half the work of either."""
        lower = np.empty((self.n_samples, self.n_samples), order="F")
        self._squares = np.zeros(self.n_samples)
        for rows, columns, tile in self._tiles():
            lower[columns, rows] = tile.T
            self._squares[rows] += np.einsum("ij,ij->i", tile, tile)
            if columns.start > rows.start:
                self._squares[columns] += np.einsum("ij,ij->j", tile, tile)
        return lower

    def _compute_wide(self) -> Floats:
        wide = np.empty((self.n_candidates, self.n_samples))
        for rows, columns, tile in self._tiles():
            wide[rows, columns] = tile
        return wide.T

    def _tiles(self) -> Iterator[tuple[slice, slice, Floats]]:
        """Tiles of A': all of them, or those on and above the diagonal if A is all of K."""
        if self._lower is not None:
            yield from self._stored_tiles(self._lower)
            return
        left = self._left if self.is_complete else self._left[self.candidates]
        for rows in _slices(0, self.n_candidates):
            for columns in _slices(rows.start if self.is_complete else 0, self.n_samples):
                yield rows, columns, _tile(self.kernel, left[rows], self._right[columns])

    def _stored_tiles(self, lower: Floats) -> Iterator[tuple[slice, slice, Floats]]:
        for rows in _slices(0, self.n_samples):
            for columns in _slices(rows.start, self.n_samples):
                tile = lower[columns, rows].T
                # Above the diagonal of a diagonal tile nothing was filled.
                if columns == rows:
                    below = np.tril(tile.T)
                    tile = below + np.tril(below, -1).T
                yield rows, columns, tile


def _slices(start: int, stop: int) -> Iterator[slice]:
    for low in range(start, stop, TILE_SIDE):
        yield slice(low, min(low + TILE_SIDE, stop))


def _tile_factors(kernel: Kernel, X: Floats) -> tuple[Floats, Floats]:
    """Matrices L, R such that a tile is a cheap function of L R'.

    For "rbf", L R' is the exponent -gamma |x - z|^2 itself: two further columns carry the
    squared norms, so one matrix product and one exponential make a tile.
    """
    if kernel.name != "rbf":
        return X, X
    # Centred: the exponent is a difference of norms, which would lose digits far from the origin.
    scaled = np.sqrt(2.0 * kernel.gamma) * (X - X.mean(axis=0))
    norms = 0.5 * np.einsum("ij,ij->i", scaled, scaled)[:, None]
    ones = np.ones_like(norms)
    return np.hstack([scaled, -norms, -ones]), np.hstack([scaled, ones, norms])


def _tile(kernel: Kernel, left: Floats, right: Floats) -> Floats:
    if kernel.name != "rbf":
        return kernel(left, right)
    tile = left @ right.T
    # Rounding may leave a squared distance below zero, and then a kernel above one.
    np.minimum(tile, 0.0, out=tile)
    return np.asarray(np.exp(tile, out=tile))
