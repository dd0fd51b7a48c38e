"""Kernels on raw X from short specifications, normalised so that k(x, x) <= 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.kernels import Kernel, make_kernel

#: Rows on which a kernel that is not known to be positive is tested.
_N_TESTED = 1000


@dataclass(frozen=True)
class ViewKernel:
    """A kernel on some columns of X, by default divided by the norms of its two arguments.

    Attributes
    ----------
    kernel : Kernel
    columns : tuple of int or None
        Columns of X that it looks at; None for all.
    is_normalised : bool
        k(x, z) / sqrt(k(x, x) k(z, z)), which is at most 1 and looks at no other example; 0 for
        an x with k(x, x) = 0.
    """

    kernel: Kernel
    columns: tuple[int, ...] | None = None
    is_normalised: bool = True

    @property
    def is_bounded(self) -> bool:
        """Whether k(x, x) <= 1 for every x."""
        return self.is_normalised or self.kernel.name == "rbf"

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Kernel matrix of the rows of X against those of Z."""
        X = self._view(X)
        Z = X if Z is None else self._view(Z)
        K = self.kernel(X, Z)
        if not self.is_normalised or self.kernel.name == "rbf":
            return K
        left, right = (_inverse_norms(self.kernel.diagonal(part)) for part in (X, Z))
        return K * left[:, None] * right[None, :]

    def _view(self, X: Floats) -> Floats:
        return X if self.columns is None else X[:, list(self.columns)]


def _inverse_norms(diagonal: Floats) -> Floats:
    positive = diagonal > 0.0
    return np.where(positive, 1.0 / np.sqrt(np.where(positive, diagonal, 1.0)), 0.0)


def make_kernels(specs: Sequence[Any], n_features: int, *, normalise: bool) -> list[ViewKernel]:
    """Kernels from names, `Kernel` objects, callables, or dictionaries.

    A dictionary holds the arguments of `handful.kernels.make_kernel` and optionally
    ``columns``, the columns of X that the kernel looks at.

    Examples
    --------
    >>> specs = ["linear", {"kernel": "rbf", "gamma": 0.5, "columns": [0, 2]}]
    >>> [k.kernel.name for k in make_kernels(specs, 3, normalise=True)]
    ['linear', 'rbf']
    """
    if isinstance(specs, (str, Mapping, Kernel)) or not isinstance(specs, Sequence) or not specs:
        raise ValueError(
            f"`kernels` must be a list of at least one kernel, got {specs!r}. "
            "Write ['linear', {'kernel': 'rbf', 'gamma': 0.5}]."
        )
    return [_make_one(spec, n_features, normalise) for spec in specs]


def _make_one(spec: Any, n_features: int, normalise: bool) -> ViewKernel:
    options = dict(spec) if isinstance(spec, Mapping) else {"kernel": spec}
    if "kernel" not in options:
        raise ValueError(f"`kernels` has an entry without 'kernel': {spec!r}.")
    columns = options.pop("columns", None)
    if columns is not None:
        columns = tuple(int(j) for j in columns)
        if not columns or min(columns) < 0 or max(columns) >= n_features:
            raise ValueError(
                f"`columns` of a kernel must be in [0, {n_features}), got {list(columns)}."
            )
    n_seen = n_features if columns is None else len(columns)
    kernel = make_kernel(options.pop("kernel"), n_features=n_seen, **options)
    if kernel.name == "precomputed":
        raise ValueError(
            "`kernels` must be computed from X, got 'precomputed'. Pass a callable "
            "`function(X, Z)` that gives your kernel matrix."
        )
    return ViewKernel(kernel, columns, normalise)


def check_kernel_matrix(K: Floats, kernel: ViewKernel, position: int) -> Floats:
    """Return K made symmetric; refuse NaN, wrong shapes and indefinite matrices."""
    name = f"kernel {position} ({kernel.kernel.name})"
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must give a square matrix on the training data, got {K.shape}.")
    if not np.all(np.isfinite(K)):
        raise ValueError(f"{name} must give finite values, got NaN or infinity. Rescale X first.")
    scale = max(1.0, float(np.abs(K).max()))
    if float(np.abs(K - K.T).max()) > 1e-8 * scale:
        raise ValueError(f"{name} must be symmetric. Average it with its transpose.")
    if not _is_positive_by_construction(kernel.kernel):
        part = K[:_N_TESTED, :_N_TESTED]
        lowest = float(np.linalg.eigvalsh(0.5 * (part + part.T))[0])
        if lowest < -1e-8 * scale * part.shape[0]:
            raise ValueError(
                f"{name} must be positive semi-definite, got the eigenvalue {lowest:.3g}. "
                "Use a Mercer kernel, or square the matrix."
            )
    return 0.5 * (K + K.T)


def _is_positive_by_construction(kernel: Kernel) -> bool:
    return kernel.name in ("linear", "rbf") or (kernel.name == "poly" and kernel.coef0 >= 0.0)
