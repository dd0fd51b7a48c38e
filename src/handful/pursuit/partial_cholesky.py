"""Sparse kernel PCA as a partial Cholesky factorisation with greedy pivots.

W = K - L L' is the kernel matrix with the chosen examples projected out. Choosing example j
lowers its trace by sum_i W_ij^2 / W_jj. The numerators are updated by one product with the
kernel matrix per round, so neither K nor W is needed as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.arrays import Floats
from handful.pursuit.kernel_columns import Indices, KernelColumns
from handful.pursuit.orthogonal import DEPENDENT, first_best, fork_state, pursue

PIVOTS = ("trace", "diagonal")


@dataclass(frozen=True)
class PartialCholesky:
    """Chosen examples and the factor L with K close to L L'.

    Attributes
    ----------
    centers : ndarray of int (n_centers,)
        Indices of the chosen examples, in order of choice.
    factor : ndarray (n_samples, n_centers)
        ``factor[centers]`` is lower triangular.
    traces : ndarray (n_centers + 1,)
        Trace of K - L L' for 0, 1, 2, ... centres.
    residuals : ndarray (n_samples,)
        Its diagonal at the end: the squared distance of each example to the subspace.
    n_passes : int
        Passes over the kernel matrix.
    """

    centers: Indices
    factor: Floats
    traces: Floats
    residuals: Floats
    n_passes: int


class _Pivots:
    """State of the factorisation; see `handful.pursuit.orthogonal.Pursuit` for the methods."""

    def __init__(self, columns: KernelColumns, n_centers: int, pivot: str, tol: float) -> None:
        self.candidates, self.n_centers = columns.candidates, n_centers
        self.is_trace = pivot == "trace"
        self.squares = columns.squared_norms() if self.is_trace else None
        self.residuals = columns.diagonal().astype(float)
        # Relative to the candidate's own k(x, x), so that the scale of the kernel does not matter.
        self.floors = DEPENDENT * self.residuals[self.candidates]
        self.is_open = self.residuals[self.candidates] > 0.0
        self.factor = np.empty((columns.n_samples, n_centers), order="F")
        self.chosen: list[int] = []
        self.traces = [float(self.residuals.sum())]
        self.least_trace = max(tol, DEPENDENT) * self.traces[0]

    @property
    def is_finished(self) -> bool:
        return len(self.chosen) >= self.n_centers or self.traces[-1] <= self.least_trace

    def choose(self) -> int:
        values = self.residuals[self.candidates]
        if self.squares is not None:
            # By how much the trace of what is left falls: sum_i W_ij^2 / W_jj.
            values = self.squares / np.where(self.is_open, values, 1.0)
        best = first_best(np.where(self.is_open, values, -1.0))
        return best if self.is_open[best] else -1

    def deflate(self, W: Floats, positions: int | Indices) -> Floats:
        factor = self.factor[:, : len(self.chosen)]
        return W - factor @ factor[self.candidates[positions]].T

    def share(self, u: Floats, W: Floats, positions: Indices) -> Floats:
        return u[self.candidates[positions]]

    def absorb(self, position: int, w: Floats, product: Floats) -> tuple[Floats, Floats] | None:
        pivot = float(w[self.candidates[position]])
        self.is_open[position] = False
        # Almost in the span of the chosen ones: dividing by such a pivot would magnify rounding.
        if pivot <= self.floors[position]:
            return None
        u, product = w / pivot**0.5, product / pivot**0.5
        if self.squares is not None:
            factor, at = self.factor[:, : len(self.chosen)], u[self.candidates]
            inner = product - factor[self.candidates] @ (factor.T @ u)
            # Sums of squares of the deflated columns, updated without forming them.
            self.squares += at * (at * float(u @ u) - 2.0 * inner)
        self.factor[:, len(self.chosen)] = u
        self.chosen.append(position)
        # Squared distances: never negative, whatever rounding says.
        self.residuals = np.maximum(self.residuals - u * u, 0.0)
        self.is_open &= self.residuals[self.candidates] > self.floors
        self.traces.append(float(self.residuals.sum()))
        return u, product

    def fork(self) -> _Pivots:
        return fork_state(self)


def partial_cholesky(
    columns: KernelColumns, n_centers: int, *, pivot: str = "trace", tol: float = 0.0
) -> PartialCholesky:
    """Choose up to ``n_centers`` pivots greedily.

    Parameters
    ----------
    columns : KernelColumns
    n_centers : int
    pivot : {"trace", "diagonal"}
        "trace" lowers the trace of the residual most; "diagonal" takes the example farthest
        from the subspace, which needs one column a round and no product.
    tol : float
        Stop once the trace is at most this share of its start.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.kernels import make_kernel
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0]])
    >>> partial_cholesky(KernelColumns(make_kernel("rbf", gamma=0.3), X), 2).centers
    array([1, 3])
    """
    state = _Pivots(columns, min(n_centers, columns.n_candidates), pivot, tol)
    n_passes = pursue(state, columns) if state.is_trace else _walk_diagonal(state, columns)
    return PartialCholesky(
        centers=columns.candidates[np.array(state.chosen, dtype=np.intp)],
        factor=state.factor[:, : len(state.chosen)],
        traces=np.array(state.traces),
        residuals=state.residuals,
        n_passes=n_passes,
    )


def _walk_diagonal(state: _Pivots, columns: KernelColumns) -> int:
    while not state.is_finished:
        position = state.choose()
        if position < 0:
            break
        w = state.deflate(columns.column(position), position)
        state.absorb(position, w, w)
    return 0
