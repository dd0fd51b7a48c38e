"""Weighted sums of the features, in their own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._machine import (
    Spoken,
    as_floats,
    filled,
    from_scores,
    number,
    steady_product,
    used,
)


def linear_score(coef: Any, intercepts: Any) -> LinearScore:
    """The score of a machine that takes no missing values; one row of ``coef`` a score."""
    return LinearScore(as_floats(coef), as_floats(intercepts), (0.0,) * np.shape(coef)[1])


@dataclass(frozen=True)
class LinearScore:
    """One weight a feature; for more than two classes, one row of weights a class.

    Missing values are replaced by ``fill``.

    Examples
    --------
    >>> score = LinearScore(((1.0, -2.0),), (0.5,), fill=(0.0, 1.0))
    >>> score.labels(np.array([[1.0, 0.0], [1.0, np.nan]]))
    array([1, 0])
    >>> score.sentences(Spoken(("age", "nodes"), ("well", "ill")))
    ['+1·age -2·nodes > -0.5: ill; otherwise: well.']
    """

    form: ClassVar[str] = "linear"
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    fill: tuple[float, ...]

    def scores(self, X: Floats) -> Floats:
        """The weighted sums."""
        out = steady_product(filled(X, self.fill), np.array(self.weights))
        out += np.array(self.intercepts)
        return out[:, 0] if len(self.weights) == 1 else out

    def labels(self, X: Floats) -> Ints:
        """By the sign, or the largest sum."""
        return from_scores(self.scores(X))

    def sentences(self, words: Spoken) -> list[str]:
        """The sums."""
        if len(self.weights) == 1:
            text = words.score(np.array(self.weights[0]))
            first, second = words.labels
            return [f"{text} > {number(-self.intercepts[0])}: {second}; otherwise: {first}."]
        lines = [
            f"{label}: {number(b)} {words.score(np.array(w))}"
            for label, w, b in zip(words.labels, self.weights, self.intercepts, strict=True)
        ]
        return [*lines, "The largest sum gives the class."]

    @property
    def size(self) -> int:
        """Number of weights."""
        return int(np.count_nonzero(self.weights))

    @property
    def features(self) -> tuple[int, ...]:
        """Those with a weight."""
        return used(np.flatnonzero(np.any(self.weights, axis=0)).tolist())
