"""Directions: kernel values that depend on their two vectors alone, and rules between examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats
from handful.kernels import Kernel
from handful.rules.formulas import Dialect, kernel_formula, weighted_sum
from handful.rules.rule import RELATIVE_TOLERANCE, AbstractRule, feature_name

LINEAR = Kernel("linear")


def pair_tolerance(k_aa: Any, k_bb: Any, k_ab: Any) -> Any:
    """Tolerance of a direction between two examples, from their own kernel values; of many too."""
    return RELATIVE_TOLERANCE * np.maximum(np.maximum(np.abs(k_aa), np.abs(k_bb)), np.abs(k_ab))


def kernel_rows(kernel: Kernel, points: Floats, X: Floats) -> Floats:
    """Kernel values of ``points`` (rows) against X (columns), without cancellation."""
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * cdist(points, X, "sqeuclidean")))
    if kernel.name == "linear":
        return inner_products(points, X)
    if kernel.name == "poly":
        products = kernel.gamma * inner_products(points, X) + kernel.coef0
        return np.asarray(products**kernel.degree)
    return kernel(points, X)


def inner_products(points: Floats, X: Floats) -> Floats:
    """Inner products of ``points`` (rows) with X (columns), each summed in the same order.

    A matrix product may round a row differently in other company. Here a value depends on its
    two vectors alone, so that training, rebuilding, prediction and every way of cutting the
    data into chunks see the same number.

    Examples
    --------
    >>> import numpy as np
    >>> inner_products(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    from handful.rules.search import _loops

    out = np.zeros((points.shape[0], X.shape[0]))
    _loops.add_products(
        np.ascontiguousarray(points, dtype=np.float64),
        np.ascontiguousarray(X.T, dtype=np.float64),
        out,
    )
    return out


def without_unweighted(X: Floats, weights: Floats) -> Floats:
    """X with zeros for missing values that have no weight: no sentence names their columns.

    Examples
    --------
    >>> import numpy as np
    >>> without_unweighted(np.array([[np.nan, np.nan]]), np.array([0.0, 2.0]))
    array([[ 0., nan]])
    """
    fill = np.isnan(X) & (np.asarray(weights) == 0.0)
    return np.where(fill, 0.0, X) if fill.any() else X


class PairRule(AbstractRule):
    """Shared by half-spaces whose direction is the difference of two examples."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    kernel: Kernel

    def _gram(self) -> Floats:
        pair = np.array([self.a, self.b])
        if self.kernel.name == "precomputed":
            return pair[:, list(self.examples[:2])]
        return kernel_rows(self.kernel, pair, pair)

    @property
    def tolerance(self) -> float:
        """Relative to the kernel values of the two examples."""
        K = self._gram()
        return float(pair_tolerance(K[0, 0], K[1, 1], K[0, 1]))

    def values(self, X: Floats) -> Floats:
        """k(a, x) - k(b, x)."""
        if self.kernel.name == "precomputed":
            return np.asarray(X[:, self.examples[0]] - X[:, self.examples[1]])
        X = np.asarray(X, dtype=np.float64)
        if self.kernel.name == "linear":
            X = without_unweighted(X, np.subtract(self.a, self.b))
        K = kernel_rows(self.kernel, np.array([self.a, self.b]), X)
        return np.asarray(K[0] - K[1])

    def unit(self) -> float:
        """Distance of the two examples in feature space."""
        K = self._gram()
        return float(np.sqrt(max(K[0, 0] + K[1, 1] - 2.0 * K[0, 1], 0.0)))

    def _direction(self, names: Sequence[str] | None) -> str:
        if self.kernel.name != "linear":
            return f"{self.kernel.name}-similarity to a minus to b"
        weights = np.subtract(self.a, self.b)
        return linear_text(weights, names)

    def used_features(self, n_features: int) -> set[int]:
        """Those in which the two examples differ, for the linear kernel."""
        if self.kernel.name != "linear":
            return set(range(n_features))
        return set(np.flatnonzero(np.subtract(self.a, self.b)).tolist())

    def value_formula(self, dialect: Dialect) -> str:
        """k(a, x) - k(b, x)."""
        if self.kernel.name == "linear":
            return weighted_sum(np.subtract(self.a, self.b).tolist(), dialect)
        first = kernel_formula(self.kernel, self.a, dialect)
        return f"({first} - {kernel_formula(self.kernel, self.b, dialect)})"


def linear_text(weights: Floats, names: Sequence[str] | None, limit: int = 8) -> str:
    """A weighted sum with the largest weights first named; small ones are counted."""
    order = np.argsort(-np.abs(weights), kind="stable")
    if np.count_nonzero(weights) <= limit + 2:  # one or two are no longer than saying so
        limit += 2
    shown = [j for j in order[:limit] if weights[j] != 0.0]
    parts = [f"{weights[j]:+.4g}·{feature_name(names, int(j))}" for j in sorted(shown)]
    more = int(np.count_nonzero(weights)) - len(shown)
    return " ".join(parts) + (f" + {more} smaller terms" if more else "")
