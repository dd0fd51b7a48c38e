"""A score with another threshold than 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._card import Card
from handful.fitted._kernel import KernelExpansion
from handful.fitted._linear import LinearScore, in_full
from handful.fitted._machine import Machine, Spoken, from_scores, number


@dataclass(frozen=True)
class Thresholded:
    """The second of two classes where the score of another machine is above ``threshold``.

    Examples
    --------
    >>> machine = Thresholded(LinearScore(((1.0,),), (0.0,), (0.0,)), -2.0)
    >>> machine.labels(np.array([[-3.0], [-2.0], [-1.0]]))
    array([0, 0, 1])
    """

    form: ClassVar[str] = "thresholded"
    base: Machine
    threshold: float

    def scores(self, X: Floats) -> Floats:
        """How far the score is above the threshold; 0 only where they are equal."""
        return self.base.scores(X) - self.threshold

    def labels(self, X: Floats) -> Ints:
        """By the sign."""
        return from_scores(self.scores(X))

    def sentences(self, words: Spoken) -> list[str]:
        """Those of the machine but for the last, which says the threshold."""
        first, second = words.labels
        shift = self.threshold
        if isinstance(self.base, LinearScore) and self.base.spread:
            shift -= self.base.intercepts[0]
            return [
                *(self.base.terms(0, words) or ["0"]),
                f"Sum > {in_full(shift)}: {second}; otherwise: {first}.",
            ]
        if isinstance(self.base, LinearScore):
            text = words.score(np.array(self.base.weights[0]))
            shift -= self.base.intercepts[0]
            return [f"{text} > {number(shift)}: {second}; otherwise: {first}."]
        if isinstance(self.base, KernelExpansion):
            shift -= self.base.intercepts[0]
        parts = self.base.sentences(words)[:-1]
        return [*parts, f"Above {number(shift)}: {second}; otherwise: {first}."]

    @property
    def size(self) -> int:
        """As large as the machine."""
        return self.base.size

    @property
    def features(self) -> tuple[int, ...]:
        """Those of the machine."""
        return self.base.features


def with_threshold(machine: Machine, threshold: float) -> Machine:
    """The same score against another threshold; points of a card move to whole ones.

    Examples
    --------
    >>> with_threshold(Card((), threshold=4, scale=1.0, offset=-3.5), -2.0).threshold
    2
    """
    if threshold == 0.0:
        return machine
    if isinstance(machine, Card):
        return machine.at(threshold)
    return Thresholded(machine, float(threshold))
