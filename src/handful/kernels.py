"""Mercer kernels by name or callable, their diagonals, and centring in feature space.

A kernel is a frozen record that can be called on two matrices, printed and written to a model
file. Machines take names such as ``kernel="rbf"`` and make a kernel with `make_kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from handful.arrays import Floats
from handful.codec import fail

__all__ = [
    "KERNELS",
    "Kernel",
    "ViewKernel",
    "center_kernel",
    "kernel_of",
    "make_kernel",
    "similarities",
]

KERNELS = ("linear", "poly", "precomputed", "rbf")
MAX_DEGREE = 50  # in a file: higher powers overflow


@dataclass(frozen=True)
class Kernel:
    """A Mercer kernel with its parameters.

    Attributes
    ----------
    name : {"linear", "rbf", "poly", "precomputed", "callable"}
    gamma : float
        Scale of "rbf", exp(-gamma |x - z|^2), and "poly", (gamma x.z + coef0)^degree.
    degree : int
    coef0 : float
    function : callable, optional
        ``function(X, Z)`` gives the kernel matrix; only for "callable".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> Kernel("rbf", gamma=0.5)(X).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = field(default=None, metadata={"file": False})

    def check_fields(self, where: str) -> None:
        """Refuse kernels that a file cannot hold: of the training data, or powers that overflow."""
        known = tuple(name for name in KERNELS if name != "precomputed")
        if self.name not in known:
            raise fail(f"{where}.name", f"one of {known}", self.name)
        if not self.gamma > 0.0:
            raise fail(f"{where}.gamma", "positive", self.gamma)
        if not 1 <= self.degree <= MAX_DEGREE:
            raise fail(f"{where}.degree", f"from 1 to {MAX_DEGREE}", self.degree)

    @property
    def is_named(self) -> bool:
        """Whether its name and numbers give its values for new cases."""
        return self.name in KERNELS and self.name != "precomputed"

    @property
    def why_closed(self) -> str:
        """Why no file can hold it; empty if one can."""
        if self.is_named:
            return ""
        return (
            f"`kernel` must be named to be written to a file, got {self.name}. "
            "A file cannot hold the kernel values of new cases."
        )

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Kernel matrix of the rows of X against those of Z, by default X itself."""
        other = X if Z is None else Z
        if self.name == "precomputed":
            return X
        if self.function is not None:
            return np.asarray(self.function(X, other), dtype=np.float64)
        if self.name == "linear":
            return np.asarray(X @ other.T)
        if self.name == "rbf":
            from sklearn.metrics.pairwise import euclidean_distances  # slow to import

            squares = euclidean_distances(X, other, squared=True)
            squares *= -self.gamma
            return np.asarray(np.exp(squares, out=squares))
        return np.asarray((self.gamma * (X @ other.T) + self.coef0) ** self.degree)

    def diagonal(self, X: Floats) -> Floats:
        """Values k(x, x) of the rows of X."""
        if self.name == "precomputed":
            return np.asarray(np.diagonal(X))
        if self.name == "rbf":
            return np.ones(X.shape[0])
        if self.name == "callable":
            return np.array([float(self(row[None, :])[0, 0]) for row in X])
        squares = np.einsum("ij,ij->i", X, X)
        return (
            squares if self.name == "linear" else (self.gamma * squares + self.coef0) ** self.degree
        )

    def inverse_norms(self, X: Floats) -> Floats:
        """1 / sqrt(k(x, x)) of the rows of X; 0 if k(x, x) is 0."""
        own = self.diagonal(X)
        is_positive = own > 0.0
        return np.where(is_positive, 1.0 / np.sqrt(np.where(is_positive, own, 1.0)), 0.0)


@dataclass(frozen=True)
class ViewKernel:
    """A kernel on some columns of X, by default divided by the norms of its two arguments.

    Attributes
    ----------
    kernel : Kernel
    columns : tuple of int or None
        Columns of X that it uses; None for all.
    is_normalised : bool
        k(x, z) / sqrt(k(x, x) k(z, z)), which is at most 1 and depends on no other example; 0 for
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
        left, right = (self.kernel.inverse_norms(part) for part in (X, Z))
        return K * left[:, None] * right[None, :]

    def _view(self, X: Floats) -> Floats:
        return X if self.columns is None else X[:, list(self.columns)]


def make_kernel(
    kernel: str | Kernel | Callable[[Any, Any], Any],
    *,
    gamma: float | str | None = None,
    degree: int = 3,
    coef0: float = 0.0,
    n_features: int = 1,
) -> Kernel:
    """A `Kernel` from a name, a callable ``function(X, Z)``, or a `Kernel`.

    ``gamma=None`` or ``"auto"`` is 1 / n_features. It does not depend on the data, so a
    certificate does not pay for it.

    Examples
    --------
    >>> make_kernel("rbf", n_features=4).gamma
    0.25
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Kernel("callable", function=kernel)
    if kernel not in KERNELS:
        allowed = ", ".join(repr(name) for name in KERNELS)
        raise ValueError(f"`kernel` must be one of {allowed} or a callable, got {kernel!r}.")
    if gamma is None or gamma == "auto":
        gamma = 1.0 / max(1, n_features)
    if isinstance(gamma, str) or not np.isfinite(gamma) or gamma <= 0:
        raise ValueError(
            f"`gamma` must be a positive number or 'auto', got {gamma!r}. "
            "'scale' would read the data, which a certificate would have to pay for: set "
            "gamma='auto' (1 / n_features) or a number, or list numbers for it in a grid."
        )
    if degree < 1 or degree != int(degree):
        raise ValueError(f"`degree` must be a positive whole number, got {degree!r}.")
    return Kernel(kernel, gamma=float(gamma), degree=int(degree), coef0=float(coef0))


def kernel_of(estimator: Any, n_features: int) -> Kernel:
    """The `Kernel` of an estimator, from its parameters kernel, gamma, degree and coef0."""
    return make_kernel(
        estimator.kernel,
        gamma=estimator.gamma,
        degree=estimator.degree,
        coef0=estimator.coef0,
        n_features=n_features,
    )


def similarities(kernel: Kernel, X: Floats, centers: Floats) -> Floats:
    """Kernel values of the rows of X against centres; a value depends only on its two vectors."""
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * cdist(X, centers, "sqeuclidean")))
    if not kernel.is_named:
        return np.ascontiguousarray(kernel(centers, X).T)
    products = np.zeros((len(X), len(centers)))
    # A matrix product may round the value of a row differently beside other rows.
    for j in range(X.shape[1]):
        products += X[:, j, None] * centers[None, :, j]
    if kernel.name == "linear":
        return products
    return np.asarray((kernel.gamma * products + kernel.coef0) ** kernel.degree)


def center_kernel(K: Floats) -> Floats:
    """J K J with J = I - 11'/m: the kernel matrix of the centred features.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> center_kernel(K)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    means = K.mean(axis=0)
    return np.asarray(K - means[None, :] - means[:, None] + means.mean())
