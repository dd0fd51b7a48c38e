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


def in_full(value: float, *, sign: bool = False) -> str:
    """A number with all of its digits, as few as say which it is.

    Examples
    --------
    >>> in_full(0.25), in_full(3.0, sign=True), in_full(-1e-7)
    ('0.25', '+3', '-1e-07')
    """
    text = repr(float(value)).removesuffix(".0")
    return f"+{text}" if sign and not text.startswith("-") else text


@dataclass(frozen=True)
class LinearScore:
    r"""One weight a feature; for more than two classes, one row of weights a class.

    Missing values are replaced by ``fill``. ``spread`` has the standard deviations of the features
    where it was learned: terms are then printed in the order of weight times spread, the effect,
    which stands beside the weight.

    Examples
    --------
    >>> score = LinearScore(((1.0, -2.0),), (0.5,), fill=(0.0, 1.0), spread=(0.1, 3.0))
    >>> score.labels(np.array([[1.0, 0.0], [1.0, np.nan]]))
    array([1, 0])
    >>> print("\n".join(score.sentences(Spoken(("age", "nodes"), ("well", "ill")))))
    -2·nodes (effect -6)
    +1·age (effect +0.1)
    Sum > -0.5: ill; otherwise: well.
    """

    form: ClassVar[str] = "linear"
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    fill: tuple[float, ...]
    spread: tuple[float, ...] = ()

    def scores(self, X: Floats) -> Floats:
        """The weighted sums."""
        out = steady_product(filled(X, self.fill), np.array(self.weights))
        out += np.array(self.intercepts)
        return out[:, 0] if len(self.weights) == 1 else out

    def labels(self, X: Floats) -> Ints:
        """By the sign, or the largest sum."""
        return from_scores(self.scores(X))

    def sentences(self, words: Spoken) -> list[str]:
        """The sums; with a spread, largest effects first and every digit that is evaluated."""
        if len(self.weights) == 1:
            first, second = words.labels
            end = f"{second}; otherwise: {first}."
            if not self.spread:
                return [f"{self._short(0, words)} > {number(0.0 - self.intercepts[0])}: {end}"]
            return [
                *(self.terms(0, words) or ["0"]),
                f"Sum > {in_full(0.0 - self.intercepts[0])}: {end}",
            ]
        lines = [
            " ".join([f"{label}: {in_full(b)}", *self.terms(k, words)])
            if self.spread
            else f"{label}: {number(b)} {self._short(k, words)}"
            for k, (label, b) in enumerate(zip(words.labels, self.intercepts, strict=True))
        ]
        return [*lines, "The largest sum gives the class."]

    def _short(self, k: int, words: Spoken) -> str:
        return words.score(np.array(self.weights[k]))

    def effects(self, k: int) -> Floats:
        """Weights of one sum times the spread of their features."""
        return np.array(self.weights[k]) * np.array(self.spread)

    def terms(self, k: int, words: Spoken) -> list[str]:
        """The terms of one sum in words, largest effects first."""
        weights, effects = self.weights[k], self.effects(k)
        return [
            f"{in_full(weights[j], sign=True)}·{words.names[j]}{words.numbered(j)}"
            f" (effect {effects[j]:+.3g})"
            for j in np.argsort(-np.abs(effects), kind="stable")
            if weights[j] != 0.0
        ]

    @property
    def size(self) -> int:
        """Number of weights."""
        return int(np.count_nonzero(self.weights))

    @property
    def features(self) -> tuple[int, ...]:
        """Those with a weight."""
        return used(np.flatnonzero(np.any(self.weights, axis=0)).tolist())
