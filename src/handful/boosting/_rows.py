"""Equal examples merged into one heavier example, in an order of their own."""

from __future__ import annotations

import numpy as np

from handful._types import Floats


def merge_rows(X: Floats, y_signed: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Sort the examples by value, add up the weights of equal ones, drop those without weight.

    What is fitted to the result depends neither on the order of the examples nor on whether an
    example is repeated or weighted. Missing values equal each other.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0])
    >>> [part.ravel().tolist() for part in merge_rows(X, y, np.ones(3))]
    [[1.0, 2.0], [-1.0, 1.0], [1.0, 2.0]]
    """
    kept = np.flatnonzero(weights > 0.0)
    rank = np.unique(y_signed[kept], return_inverse=True)[1]
    for column in X.T:
        if kept.size and rank.max() + 1 == kept.size:
            break
        values = np.unique(column[kept], return_inverse=True, equal_nan=True)[1]
        rank = np.unique(rank * kept.size + values, return_inverse=True)[1]
    first = np.unique(rank, return_index=True)[1]
    merged = np.bincount(rank, weights=weights[kept]).astype(np.float64)
    rows = kept[first]
    return X[rows], y_signed[rows], merged
