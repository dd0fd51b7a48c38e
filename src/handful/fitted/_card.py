"""Score cards: points for conditions, a threshold, a probability for every total."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._conditions import Cut
from handful.fitted._machine import Spoken, used


@dataclass(frozen=True)
class Item:
    """Points for a row that meets a condition."""

    condition: Cut
    points: int


@dataclass(frozen=True)
class Card:
    """Add the points of all conditions that are met; from ``threshold`` on, the second class.

    The estimated probability of the second class at a total of t points is
    ``1 / (1 + exp(-(offset + scale t)))``.

    Examples
    --------
    >>> card = Card((Item(Cut(0, 127.0), 3), Item(Cut(1, 28.0), 1)), threshold=4, scale=1.0,
    ...             offset=-3.5)
    >>> card.points(np.array([[130.0, 30.0], [130.0, np.nan]]))
    array([4, 3])
    >>> print(card.show(Spoken(("glucose", "age"), ("well", "ill"))))
    glucose ≥ 127    +3
    age ≥ 28         +1
    4 points or more: ill; otherwise: well.
    """

    form: ClassVar[str] = "score card"
    items: tuple[Item, ...]
    threshold: int
    scale: float
    offset: float

    def points(self, X: Floats) -> Ints:
        """Total of each row."""
        total = np.zeros(len(X), dtype=np.int64)
        for item in self.items:
            total += item.points * item.condition.is_met(X)
        return total

    def labels(self, X: Floats) -> Ints:
        """1 from the threshold on."""
        return (self.points(X) >= self.threshold).astype(np.int64)

    def scores(self, X: Floats) -> Floats:
        """Points above half a point below the threshold."""
        return np.asarray(self.points(X) - (self.threshold - 0.5), dtype=np.float64)

    def at(self, score: float) -> Card:
        """The card that says the second class where this one's score is above a number."""
        return replace(self, threshold=math.floor(score + self.threshold - 0.5) + 1)

    def probabilities(self, totals: Ints) -> Floats:
        """Estimated probability of the second class at each total."""
        return np.asarray(1.0 / (1.0 + np.exp(-(self.offset + self.scale * totals))))

    @property
    def totals(self) -> Ints:
        """All totals from the lowest to the highest."""
        low = sum(min(item.points, 0) for item in self.items)
        high = sum(max(item.points, 0) for item in self.items)
        return np.arange(low, high + 1)

    def sentences(self, words: Spoken) -> list[str]:
        """One line an item, and the threshold."""
        if not self.items:
            return [f"Always predict {words.labels[int(self.threshold <= 0)]}."]
        texts = [item.condition.describe(words) for item in self.items]
        width = max(len(text) for text in texts) + 2
        lines = [
            f"{text:<{width}} {item.points:>+3d}"
            for text, item in zip(texts, self.items, strict=True)
        ]
        unit = "point" if abs(self.threshold) == 1 else "points"
        first, second = words.labels
        return [*lines, f"{self.threshold} {unit} or more: {second}; otherwise: {first}."]

    def show(self, words: Spoken) -> str:
        """The card as text."""
        return "\n".join(self.sentences(words))

    @property
    def size(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def features(self) -> tuple[int, ...]:
        """Those of all items."""
        return used([item.condition.feature for item in self.items])
