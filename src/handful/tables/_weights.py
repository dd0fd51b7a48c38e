"""What a mistake on each class weighs in training, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def class_weights(
    class_weight: Mapping[Any, float] | str | None, classes: NDArray[Any], codes: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Weight of each row from the weights of the classes; None where all are one.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        By label; labels left out weigh 1. "balanced" is n_rows / (n_classes * n_rows_of_class).
    classes : ndarray
        The labels, sorted.
    codes : ndarray of int
        Position in ``classes`` of each row's label.

    Examples
    --------
    >>> import numpy as np
    >>> class_weights({"ill": 5.0}, np.array(["ill", "well"]), np.array([0, 1, 1]))
    array([5., 1., 1.])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"`class_weight` must be a dict, 'balanced' or None, got {class_weight!r}."
            )
        counts = np.bincount(codes, minlength=classes.size)
        return np.asarray((codes.size / (classes.size * np.maximum(counts, 1.0)))[codes])
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            f"`class_weight` must be a dict, 'balanced' or None, got {class_weight!r}. "
            "Give one weight a label."
        )
    return _from_mapping(class_weight, classes)[codes]


def _from_mapping(class_weight: Mapping[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise ValueError(
            f"`class_weight` must name classes of `y`, got {unknown[0]!r}. They are {known}."
        )
    weights = np.array([float(class_weight.get(label, 1.0)) for label in known])
    if not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise ValueError(
            f"`class_weight` must hold positive numbers, got {dict(class_weight)!r}. "
            "Leave the rows of a class out instead of giving them no weight."
        )
    return weights
