"""Measures of strangeness that look at distances instead of margins.

Both work on squared distances to the training examples in the feature space of a model, so they
need no decision function: in the space of a kernel, |x - z|^2 = k(x,x) + k(z,z) - 2 k(x,z).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats

Ints = NDArray[np.intp]
DistanceMeasure = Callable[[Floats, Ints, int, Floats], Floats]


def _contrast(near: Floats) -> Floats:
    """(d_other - d_own) / (d_other + d_own) of each label, from its distances (n_points, labels).

    It orders pairs as the ratio d_other / d_own does, and is 0 where both vanish.
    """
    nearest = np.partition(near, 1, axis=1)
    other = np.where(near == nearest[:, :1], nearest[:, 1:2], nearest[:, :1])
    total = other + near
    with np.errstate(invalid="ignore"):
        contrast = (other - near) / np.where(total > 0, total, 1.0)
    return np.where(np.isinf(near), -np.inf, contrast)


def nearest_neighbour_scores(squares: Floats, codes: Ints, n_labels: int, within: Floats) -> Floats:
    """Distance to the nearest example of another label against that to the nearest of its own.

    Parameters
    ----------
    squares : ndarray of shape (n_points, n_train)
        Squared distances to the training examples.
    codes : ndarray of shape (n_train,)
        Columns of their labels.
    n_labels : int
    within : ndarray of shape (n_labels,)
        Not used here; see `class_mean_scores`.
    """
    near = np.full((squares.shape[0], n_labels), np.inf)
    for y in np.unique(codes):
        near[:, y] = np.sqrt(squares[:, codes == y].min(axis=1))
    return _contrast(near)


def class_mean_scores(squares: Floats, codes: Ints, n_labels: int, within: Floats) -> Floats:
    """Distance to the mean of the nearest other class against that to the mean of its own.

    ``within`` is half the mean squared distance between examples of each class, which turns mean
    squared distances to the examples into squared distances to their mean.
    """
    near = np.full((squares.shape[0], n_labels), np.inf)
    for y in np.unique(codes):
        to_mean = squares[:, codes == y].mean(axis=1) - within[y]
        near[:, y] = np.sqrt(np.maximum(to_mean, 0.0))
    return _contrast(near)


def half_spread(squares: Floats, codes: Ints, n_labels: int) -> Floats:
    """Half the mean squared distance between the training examples of each class."""
    out = np.zeros(n_labels)
    for y in np.unique(codes):
        is_y = codes == y
        out[y] = 0.5 * squares[np.ix_(is_y, is_y)].mean()
    return out


DISTANCE_MEASURES: dict[str, DistanceMeasure] = {
    "class-mean": class_mean_scores,
    "nearest-neighbour": nearest_neighbour_scores,
}
MEASURES = ("class-mean", "margin", "nearest-neighbour")
