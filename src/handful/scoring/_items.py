"""What a score card may ask: cuts of features at quantiles, words, missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.fitted import Cut

Bytes = NDArray[np.uint8]

_N_NEIGHBOURS = 24  # nearest cuts of the same column, tried in place of an item


@dataclass(frozen=True)
class Items:
    """Conditions "feature ≥ cut", sorted by feature and cut, and where rows meet them.

    Attributes
    ----------
    conditions : tuple of Cut
    is_met : ndarray of uint8 (n_items, n_samples)
    neighbours : ndarray of int (n_items, k)
        Other cuts of the same feature, nearest first; -1 where there are no more.
    """

    conditions: tuple[Cut, ...]
    is_met: Bytes
    neighbours: Ints

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def features(self) -> Ints:
        """The feature of each item."""
        return np.array([c.feature for c in self.conditions], dtype=np.int64)


def quantile_cuts(x: Floats, n_cuts: int, weight: Floats | None = None) -> list[float]:
    """At most ``n_cuts`` numbers that split the values into parts of like size (or weight).

    A cut stands between two neighbouring values and has as few digits as fit there.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 3.0, np.nan, 10.0]), 3)
    [2.0, 3.0, 6.0]
    """
    is_used = ~np.isnan(x) if weight is None else ~np.isnan(x) & (weight > 0.0)
    values, place = np.unique(x[is_used], return_inverse=True)
    if len(values) < 2:
        return []
    heavy = np.bincount(place, weights=None if weight is None else weight[is_used])
    below = np.cumsum(heavy)[:-1]  # weight on the left of each border
    borders = np.arange(1, len(values))
    if len(borders) > n_cuts:
        wanted = np.arange(1, n_cuts + 1) * heavy.sum() / (n_cuts + 1)
        borders = np.unique(np.abs(below[None, :] - wanted[:, None]).argmin(axis=1)) + 1
    return sorted({between(values[b - 1], values[b]) for b in borders})


def between(low: float, high: float) -> float:
    """The number of fewest digits in (low, high]."""
    middle = 0.5 * low + 0.5 * high
    for digits in range(1, 16):
        for start in (middle, high):
            rounded = float(f"{start:.{digits}g}")
            if low < rounded <= high:
                return rounded
    return float(high)


def make_items(
    X: Floats,
    *,
    weight: Floats | None = None,
    n_cuts: int = 12,
    cut_points: Mapping[int, Sequence[float]] | None = None,
) -> Items:
    """Items of all features.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)
        Encoded rows, NaN where a value is missing.
    weight : ndarray, optional
        How much each row counts for the quantiles.
    n_cuts : int
        Cuts a feature, at most.
    cut_points : mapping from feature to cuts, optional
        Used instead of quantiles.

    Examples
    --------
    >>> items = make_items(np.array([[1.0], [2.0], [4.0]]), n_cuts=2)
    >>> [c.threshold for c in items.conditions]
    [2.0, 3.0]
    """
    given = cut_points or {}
    conditions = [
        Cut(j, float(cut))
        for j in range(X.shape[1])
        for cut in (sorted(given[j]) if j in given else quantile_cuts(X[:, j], n_cuts, weight))
    ]
    features = np.array([c.feature for c in conditions], dtype=np.int64)
    cuts = np.array([c.threshold for c in conditions])
    is_met = (X.T[features] >= cuts[:, None]).astype(np.uint8)  # no comparison with NaN is true
    return Items(tuple(conditions), is_met, _neighbours(features))


def _neighbours(features: Ints) -> Ints:
    """Items of the same feature, nearest first; features are sorted."""
    n = len(features)
    width = min(_N_NEIGHBOURS, max(0, n - 1))
    out = np.full((n, width), -1, dtype=np.int64)
    starts = np.flatnonzero(np.diff(features, prepend=-1))
    sizes = np.diff(starts, append=n)
    for size in np.unique(sizes).tolist():
        place = np.arange(size)
        gap = np.abs(place[None, :] - place[:, None])
        near = np.argsort(gap, axis=1, kind="stable")[:, 1:][:, :width]
        first = starts[sizes == size]
        rows = first[:, None] + place
        out[rows, : near.shape[1]] = first[:, None, None] + near[None, :, :]
    return out
