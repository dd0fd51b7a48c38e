"""Tables whose rows look like several rows of one patient, although nobody said so.

Both rules look at up to 400 rows of the pool and at columns of numbers that take many values:

- *shared values*: rows agree with another row in so many rare values that, were columns
  independent, fewer than one pair in twenty tables would; at least 15 % of the rows do;
- *near copies*: rows have another row at less than a quarter of the usual distance to the nearest
  row, which is measured after dealing out the values of every principal component anew; at least
  20 % of the rows do.

They decide nothing: they only make a caution that stands on the first screen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_ROWS, MOST_COLUMNS = 400, 60  # all pairs of rows are compared
FEWEST_ROWS, FEWEST_COLUMNS = 20, 3  # with fewer, rows are near by chance
# Shares of the rows from which it is said: of 46 public tables one reaches them, which is grouped.
SHARING, COPIED = 0.15, 0.20
_RARE = 0.05  # a value that more rows have says little
_CHANCE = 3.0  # nats below one pair
_NEAR = 0.25  # of the usual distance


def share_of_repeats(X: Floats) -> tuple[float, float]:
    """Shares of the rows with shared values, and with a near copy.

    Parameters
    ----------
    X : ndarray (n_rows, n_columns)
        Numbers of the pool in blind order, NaN where missing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> share_of_repeats(rng.normal(size=(100, 5)))
    (0.0, 0.0)
    >>> visits = rng.normal(size=(20, 5))[np.repeat(np.arange(20), 5)]
    >>> share_of_repeats(visits)[0]
    1.0
    """
    X = X[:MOST_ROWS]
    X = X[:, _fine(X)]
    X = X[:, :: max(1, X.shape[1] // MOST_COLUMNS)][:, :MOST_COLUMNS]
    if X.shape[0] < FEWEST_ROWS or X.shape[1] < FEWEST_COLUMNS:
        return 0.0, 0.0
    return _sharing(X), _copied(X)


def _fine(X: Floats) -> list[int]:
    """Columns that take many values."""
    least = max(10, 0.1 * len(X))
    return [j for j in range(X.shape[1]) if len(np.unique(X[~np.isnan(X[:, j]), j])) >= least]


def _sharing(X: Floats) -> float:
    """Share of rows that agree with another row beyond chance."""
    m = len(X)
    nats, n_agree = np.zeros((m, m)), np.zeros((m, m), dtype=np.int64)
    for x in X.T:
        place, counts = np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)[1:]
        weight = -np.log(counts / m)[place]
        weight[(counts[place] > max(3.0, _RARE * m)) | np.isnan(x)] = 0.0
        is_same = (place[:, None] == place[None, :]) & (weight[:, None] > 0.0)
        nats += np.where(is_same, weight[:, None], 0.0)
        n_agree += is_same
    is_pair = nats >= np.log(m * m / 2.0) + _CHANCE
    is_pair &= n_agree >= max(2.0, 0.25 * X.shape[1])
    np.fill_diagonal(is_pair, False)
    return float(is_pair.any(axis=1).mean())


def _copied(X: Floats) -> float:
    """Share of rows with another row much nearer than rows usually are."""
    from scipy.spatial import cKDTree
    from scipy.stats import rankdata

    Z = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    Z = np.column_stack([rankdata(x) for x in Z.T])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    left, sizes, _ = np.linalg.svd(Z, full_matrices=False)
    scores = left * sizes
    rng = np.random.default_rng(0)
    dealt = np.column_stack([rng.permutation(s) for s in scores.T])
    usual = float(np.median(cKDTree(dealt).query(dealt, k=2)[0][:, 1]))
    nearest = cKDTree(scores).query(scores, k=2)[0][:, 1]
    return float((nearest < _NEAR * usual).mean())
