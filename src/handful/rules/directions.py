"""Directions: kernel values that depend on their two vectors alone, and pairs of examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats, Ints, Mask
from handful.kernels import Kernel
from handful.models import KernelDifference, Value, WeightedSum, as_floats
from handful.rules.search_rows import Rows
from handful.rules.table import check_finite

LINEAR = Kernel("linear")
RELATIVE_TOLERANCE = 1e-10  # values of equal rows may differ in their last bits


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


def pair_value(a: Floats, b: Floats, kernel: Kernel, names: tuple[int, int]) -> tuple[Value, float]:
    """k(a, x) - k(b, x) as a value of a row x, and its tolerance.

    ``a`` and ``b`` are two examples, or their rows of a kernel matrix, in whose columns ``names``
    their own kernel values stand.
    """
    pair = np.array([a, b])
    if kernel.name == "linear":  # nothing of a column in which they agree
        weights = a - b
        used = np.ascontiguousarray(pair[:, weights != 0.0])
        return WeightedSum(as_floats(weights)), _tolerance(kernel_rows(kernel, used, used))
    if kernel.name == "precomputed":
        gram = pair[:, list(names)]
        own, other = as_floats(gram)
        return KernelDifference(own, other, kernel, names), _tolerance(gram)
    value = KernelDifference(as_floats(a), as_floats(b), kernel)
    return value, _tolerance(kernel_rows(kernel, pair, pair))


def _tolerance(gram: Floats) -> float:
    return float(pair_tolerance(gram[0, 0], gram[1, 1], gram[0, 1]))


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
