"""Directions: kernel values that depend on their two vectors alone, and rules between examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats, Ints, Mask
from handful.kernels import Kernel
from handful.rules.formulas import Dialect, kernel_formula, weighted_sum
from handful.rules.rows import Rows
from handful.rules.rule import RELATIVE_TOLERANCE, AbstractRule, Categories, feature_name
from handful.rules.table import check_finite

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
    from handful.rules.search import table_loops

    out = np.zeros((points.shape[0], X.shape[0]))
    table_loops.add_products(
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


def weighted_values(X: Floats, weights: Floats) -> Floats:
    """The weighted sum of each row, for training, prediction and a loaded file alike."""
    sums = inner_products(weights[None, :], without_unweighted(X, weights))
    return np.asarray(sums[0])


def length_of(weights: Floats) -> float:
    """Euclidean length, without overflow."""
    largest = float(np.abs(weights).max(initial=0.0))
    return largest * float(np.linalg.norm(weights / largest)) if largest else 0.0


class PairRule(AbstractRule):
    """Shared by half-spaces whose direction is the difference of two examples."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    kernel: Kernel

    @property
    def weights(self) -> Floats:
        """The direction, where the kernel is linear."""
        return np.subtract(self.a, self.b)

    def _gram(self) -> Floats:
        pair = np.array([self.a, self.b])
        if self.kernel.name == "precomputed":
            return pair[:, list(self.indices[:2])]
        if self.kernel.name == "linear":  # nothing of a column in which they agree
            pair = np.ascontiguousarray(pair[:, self.weights != 0.0])
        return kernel_rows(self.kernel, pair, pair)

    @property
    def tolerance(self) -> float:
        """Relative to the kernel values of the two examples, in the columns that are used."""
        K = self._gram()
        return float(pair_tolerance(K[0, 0], K[1, 1], K[0, 1]))

    def values(self, X: Floats) -> Floats:
        """k(a, x) - k(b, x)."""
        if self.kernel.name == "precomputed":
            return np.asarray(X[:, self.indices[0]] - X[:, self.indices[1]])
        X = np.asarray(X, dtype=np.float64)
        if self.kernel.name == "linear":
            return weighted_values(X, self.weights)
        K = kernel_rows(self.kernel, np.array([self.a, self.b]), X)
        return np.asarray(K[0] - K[1])

    def unit(self) -> float:
        """Distance of the two examples in feature space."""
        if self.kernel.name == "linear":
            return length_of(self.weights)
        K = self._gram()
        return float(np.sqrt(max(K[0, 0] + K[1, 1] - 2.0 * K[0, 1], 0.0)))

    def describe(
        self,
        names: Sequence[str] | None = None,
        *,
        words: Categories | None = None,
        opposite: bool = False,
    ) -> str:
        """For example ``+1·age -2·nodes < 3``."""
        text = f"{self.kernel.name}-similarity to a minus to b"
        if self.kernel.name == "linear":
            text = linear_text(self.weights, names)
        cut = self.cut if abs(self.cut) > self.tolerance else 0.0
        return f"{text} {self.mark(opposite)} {cut:.6g}"

    def renumbered(self, order: Ints) -> Self:
        """The examples by their rows; of a kernel matrix also the columns are examples."""
        named = super().renumbered(order)
        if self.kernel.name != "precomputed":
            return named
        spread = {name: _spread(getattr(self, name), order) for name in ("a", "b")}
        return replace(named, **spread)  # type: ignore[type-var]

    def used_features(self, n_features: int) -> set[int]:
        """Those in which the two examples differ, for the linear kernel."""
        if self.kernel.name != "linear":
            return set(range(n_features))
        return set(np.flatnonzero(self.weights).tolist())

    def feature_weights(self, spread: Floats) -> Floats:
        """The differences of the two examples."""
        return np.asarray(np.abs(self.weights) * spread)

    @property
    def n_training_rows(self) -> int:
        """Both; of a linear kernel their difference is enough."""
        return 0 if self.kernel.name == "linear" else 2

    def value_formula(self, dialect: Dialect) -> str:
        """k(a, x) - k(b, x)."""
        if self.kernel.name == "linear":
            return weighted_sum(self.weights.tolist(), dialect)
        first = kernel_formula(self.kernel, self.a, dialect)
        return f"({first} - {kernel_formula(self.kernel, self.b, dialect)})"


def _spread(row: tuple[float, ...], order: Ints) -> tuple[float, ...]:
    """Columns of a row of the kernel matrix in the user's order."""
    out = np.empty(len(order))
    out[order] = row
    return tuple(out.tolist())


def linear_text(weights: Floats, names: Sequence[str] | None, limit: int = 8) -> str:
    """A weighted sum with the largest weights first named; small ones are counted."""
    order = np.argsort(-np.abs(weights), kind="stable")
    if np.count_nonzero(weights) <= limit + 2:  # one or two are no longer than saying so
        limit += 2
    shown = [j for j in order[:limit] if weights[j] != 0.0]
    parts = [f"{weights[j]:+.4g}·{feature_name(names, int(j))}" for j in sorted(shown)]
    more = int(np.count_nonzero(weights)) - len(shown)
    return " ".join(parts) + (f" + {more} smaller terms" if more else "")


def kernel_values(points: Floats, kernel: Kernel, X: Floats) -> Floats:
    """Kernel values of the points and the rows of X."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel_rows(kernel, points, X)
    check_finite(values)
    return values


def given_values(columns: Ints, X: Floats) -> Floats:
    """Columns of a precomputed kernel matrix."""
    values = np.ascontiguousarray(X[:, columns].T)
    check_finite(values)
    return values


@dataclass(frozen=True)
class Pairs:
    """(positive, negative) pairs of a pool: values of any rows, and at the pool, tolerances."""

    values: Callable[[Floats], Floats]
    first: Ints
    second: Ints
    at_pool: Floats
    tolerances: Floats


def pairs_of(rows: Rows, pool: Ints, kernel: Kernel) -> Pairs:
    """All pairs of the pool."""
    pool_rows = rows.row_of[pool]
    points = rows.X[pool_rows]
    if kernel.name == "precomputed":
        values = partial(given_values, pool)
    else:
        values = partial(kernel_values, points, kernel)
    labels = rows.y[pool_rows]
    positive, negative = np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)
    first = np.repeat(positive, len(negative))
    second = np.tile(negative, len(positive))
    gram = values(points)
    at_pool = gram[first] - gram[second]
    diagonal = np.diagonal(gram)
    tolerances = pair_tolerance(diagonal[first], diagonal[second], gram[first, second])
    return Pairs(values, first, second, at_pool, tolerances)


def check_pairs(y: Ints, pairs: Sequence[tuple[int, int]], is_threshold: Mask) -> None:
    """Refuse pairs that are not a positive and a negative example."""
    for a, b in pairs:
        if y[a] != 1 or y[b] != -1 or is_threshold[a] or is_threshold[b]:
            raise ValueError(
                f"`pairs` must name a positive and a negative example that are not marked as "
                f"thresholds, got ({a}, {b})."
            )
