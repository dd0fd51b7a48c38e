"""All (kernel, C) machines on one training set, with shared kernel matrices and warm starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from threadpoolctl import threadpool_limits

from handful.arrays import Floats
from handful.kernels import Kernel, center_kernel
from handful.svm.solver import solve_path
from handful.svm.svm_model import SVMModel

_BLOCK_ENTRIES = 1 << 21  # 16 MiB of kernel values at once


@dataclass(frozen=True, kw_only=True, eq=False)
class SVMGrid:
    """The machines of a grid, a sequence in kernel-major order with C ascending.

    Model ``k * len(Cs) + c`` has kernel ``kernels[k]`` and penalty ``Cs[c]``.

    Attributes
    ----------
    models : tuple of SVMModel
    kernels : tuple of Kernel
    Cs : ndarray
        Penalties in ascending order.
    X : ndarray
        Training points, or the kernel matrix if the kernel is "precomputed".
    y_signed : ndarray
    """

    models: tuple[SVMModel, ...]
    kernels: tuple[Kernel, ...]
    Cs: Floats
    X: Floats
    y_signed: Floats

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, index: int) -> SVMModel:
        return self.models[index]

    def __iter__(self) -> Iterator[SVMModel]:
        return iter(self.models)

    def kernel_matrix(self, index: int) -> Floats:
        """Kernel matrix of the training points under ``kernels[index]``, centred if ``center``."""
        K = self.kernels[index](self.X)
        return center_kernel(K) if self.models[0].center else K

    def decision_function(self, X: Floats) -> Floats:
        """Decision values, shape (n_models, n_points); kernel values are shared by all C.

        For the kernel "precomputed", the rows of X are the kernel values of the new points
        against the training points.
        """
        X = np.asarray(X, dtype=np.float64)
        n, m = X.shape[0], self.y_signed.shape[0]
        out = np.empty((len(self), n))
        expansions = [self._expansion(k) for k in range(len(self.kernels))]
        step = max(1, _BLOCK_ENTRIES // m)
        for start in range(0, n, step):
            rows = X[start : start + step]
            for k, values in enumerate(_shared_kernels(self.kernels, rows, self.X)):
                coef, offset = expansions[k]
                first = k * len(self.Cs)
                block = (values @ coef + offset).T
                out[first : first + len(self.Cs), start : start + step] = block
        return out

    def _expansion(self, index: int) -> tuple[Floats, Floats]:
        """Coefficients (m, n_C) and offsets (n_C,) of the uncentred kernel expansions."""
        first = index * len(self.Cs)
        models = self.models[first : first + len(self.Cs)]
        coef = np.stack([model.coef for model in models], axis=1)
        offset = np.array([model.bias for model in models])
        if not models[0].center:
            return coef, offset
        means = self.kernels[index](self.X).mean(axis=0)
        totals = coef.sum(axis=0)
        # Centring K is an affine change of the expansion: it goes into coefficients and offset
        # once, so new points need plain kernel values only.
        return coef - totals / coef.shape[0], offset - means @ coef + totals * means.mean()


def _shared_kernels(kernels: Sequence[Kernel], rows: Floats, X: Floats) -> Iterator[Floats]:
    """Kernel matrices of rows against X; Gaussian kernels share their distances.

    Use each matrix before the next one is computed: Gaussian kernels share one output array.
    """
    squares: Floats | None = None
    for kernel in kernels:
        if kernel.name == "rbf":
            if squares is None:
                squares = euclidean_distances(rows, X, squared=True)
                matrix = np.empty_like(squares)
            np.multiply(squares, -kernel.gamma, out=matrix)
            yield np.exp(matrix, out=matrix)
        else:
            yield kernel(rows, X)


def _check_grid(
    y_signed: Floats, kernels: Sequence[Kernel] | None, gammas: Sequence[float] | None, Cs: Floats
) -> tuple[Kernel, ...]:
    if kernels is None and gammas is not None:
        chosen = tuple(Kernel("rbf", gamma=float(gamma)) for gamma in gammas)
    elif kernels is not None and gammas is None:
        chosen = tuple(kernels)
    else:
        raise ValueError("`kernels` or `gammas` must be given, and not both.")
    if not np.isin(y_signed, (-1.0, 1.0)).all() or np.unique(y_signed).size != 2:
        raise ValueError("`y_signed` must hold both -1 and +1, and nothing else.")
    if Cs.size == 0 or not np.isfinite(Cs).all() or (Cs <= 0).any():
        raise ValueError(f"`Cs` must hold positive numbers, got {Cs.tolist()}.")
    return chosen


def fit_svm_grid(
    X: Floats,
    y_signed: Floats,
    *,
    kernels: Sequence[Kernel] | None = None,
    gammas: Sequence[float] | None = None,
    Cs: Sequence[float],
    fit_intercept: bool = True,
    center: bool = False,
    tol: float = 1e-5,
    row_weights: Floats | None = None,
) -> SVMGrid:
    """Fit every (kernel, C) machine on one training set.

    Parameters
    ----------
    X : ndarray of shape (m, n_features)
        Training points, or the (m, m) kernel matrix for ``Kernel("precomputed")``.
    y_signed : ndarray of shape (m,)
        Labels in {-1, +1}.
    kernels : sequence of Kernel
    gammas : sequence of float
        Scales of Gaussian kernels exp(-gamma |x - z|^2), instead of ``kernels``.
    Cs : sequence of float
        Penalties of the sum of slacks; machines are fitted in ascending order.
    fit_intercept : bool
    center : bool
        Centre the features on their mean over the training points.
    tol : float
        Largest relative duality gap, and largest violation of the optimality conditions in
        units of the margin.
    row_weights : ndarray of shape (m,), optional
        C is multiplied by the weight of each example.

    Returns
    -------
    SVMGrid
        Kernel-major, C ascending.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5, 1.0], Cs=[1, 10])
    >>> [(model.kernel.gamma, model.C) for model in grid]
    [(0.5, 1.0), (0.5, 10.0), (1.0, 1.0), (1.0, 10.0)]
    >>> grid.decision_function(np.array([[0.5], [2.5]])).shape
    (4, 2)
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    y_signed = np.asarray(y_signed, dtype=np.float64)
    # Ascending, so that each machine starts from the one before it.
    penalties = np.sort(np.asarray(Cs, dtype=np.float64))
    chosen = _check_grid(y_signed, kernels, gammas, penalties)
    models: list[SVMModel] = []
    with threadpool_limits(limits=1, user_api="blas"):
        for kernel, K in zip(chosen, _shared_kernels(chosen, X, X), strict=True):
            # The next kernel overwrites the shared array: all machines of this kernel are fitted
            # before.
            K = np.ascontiguousarray(center_kernel(K) if center else K)
            models += fit_kernel_path(
                K, y_signed, kernel, penalties, fit_intercept, center, tol, row_weights
            )
    return SVMGrid(models=tuple(models), kernels=chosen, Cs=penalties, X=X, y_signed=y_signed)


def fit_kernel_path(
    K: Floats,
    y_signed: Floats,
    kernel: Kernel,
    Cs: Floats,
    fit_intercept: bool,
    center: bool,
    tol: float,
    row_weights: Floats | None = None,
) -> list[SVMModel]:
    """The machines of one kernel along ascending C, from the (centred) training matrix K."""
    path = solve_path(
        K, y_signed, Cs, fit_intercept=fit_intercept, tol=tol, row_weights=row_weights
    )
    return [
        SVMModel(
            kernel=kernel,
            C=float(C),
            alpha=solution.alpha,
            bias=solution.bias,
            y_signed=y_signed,
            f=solution.errors + y_signed + solution.bias,
            objective=solution.objective,
            gap=solution.gap,
            fit_intercept=fit_intercept,
            center=center,
            solver=solution.solver,
            row_weights=row_weights,
        )
        for C, solution in zip(Cs, path, strict=True)
    ]
