"""Kernel expansions f(x) = sum_j a_j k(x_j, x) + b: what every size of a path stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful._types import Floats
from handful.kernels import Kernel
from handful.pursuit._columns import Indices
from handful.pursuit._orthogonal import PursuitPath

TIE = 1e-10  # of the size of the summands: values this small are zero up to rounding


@dataclass(frozen=True)
class Expansion:
    """A kernel expansion over training examples, one column of coefficients per output.

    Attributes
    ----------
    centers : ndarray of int
        Indices of training examples, in order of choice.
    coefficients : ndarray (n_centers, n_outputs)
    intercepts : ndarray (n_outputs,)
    """

    centers: Indices
    coefficients: Floats
    intercepts: Floats

    def values(self, K: Floats) -> tuple[Floats, Floats]:
        """Values for kernel rows K against the centres, and the size of their rounding error."""
        values = K @ self.coefficients + self.intercepts
        sizes = np.abs(K) @ np.abs(self.coefficients) + np.abs(self.intercepts)
        return values, TIE * sizes


def decide(values: Floats, tolerances: Floats) -> Indices:
    """Class indices: the larger value, ties (up to rounding) to the lowest class.

    One column means two classes, the second where the value is positive.
    """
    if values.shape[1] == 1:
        return (values[:, 0] > tolerances[:, 0]).astype(np.intp)
    best = values.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(values >= best - tolerances.max(axis=1, keepdims=True), axis=1))


def expansion_of_size(paths: Sequence[PursuitPath], size: int, ridge: float) -> Expansion:
    """The model of one size: of a path shared by all outputs, or of one path per output."""
    sizes = [min(size, path.n_centers) for path in paths]
    fits = [path.coefficients(t, ridge) for path, t in zip(paths, sizes, strict=True)]
    if len(paths) == 1:
        return Expansion(paths[0].centers[: sizes[0]], *fits[0])
    order = [int(i) for path, t in zip(paths, sizes, strict=True) for i in path.centers[:t]]
    centers = np.array(list(dict.fromkeys(order)), dtype=np.intp)
    row = {int(center): i for i, center in enumerate(centers)}
    coefficients = np.zeros((len(centers), len(paths)))
    for output, (path, t, fit) in enumerate(zip(paths, sizes, fits, strict=True)):
        rows = [row[int(i)] for i in path.centers[:t]]
        coefficients[rows, output] = fit[0][:, 0]
    return Expansion(centers, coefficients, np.array([fit[1][0] for fit in fits]))


def center_rows(kernel: Kernel, X: Floats, X_centers: Floats | None, centers: Indices) -> Floats:
    """Kernel values of the rows of X against the centres (columns of X if precomputed)."""
    if kernel.name == "precomputed" or X_centers is None:
        return np.asarray(X[:, centers])
    if not len(centers) or not len(X):
        return np.zeros((len(X), len(centers)))
    return kernel(X, X_centers)
