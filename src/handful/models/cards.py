"""Score cards: points for conditions, a threshold, a probability for every total."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.codec import fail
from handful.models.conditions import Condition
from handful.models.form import Form, Part, Places, check_two, used
from handful.models.language import Entry, Language
from handful.models.words import Vocabulary
from handful.tables import map_flags


@dataclass(frozen=True)
class Item:
    """Points for a row that meets a condition."""

    condition: Condition = field(metadata={"flat": True})
    points: int


def _bands(items: Sequence[Item], words: Vocabulary) -> tuple[str, list[tuple[str, str]]]:
    """Items on one column of numbers: the points between neighbouring cuts."""
    (feature,) = items[0].condition.features
    cuts = sorted({item.condition.cut for item in items})
    # One number inside each band: between neighbouring cuts the points do not change.
    inside = [cuts[0] - 1.0, *(0.5 * (a + b) for a, b in itertools.pairwise(cuts)), cuts[-1] + 1.0]
    said = [words.value(feature, cut) for cut in cuts]
    ranges = [f"{low} to below {high}" for low, high in itertools.pairwise(said)]
    parts = []
    for value, where in zip(
        inside, [f"below {said[0]}", *ranges, f"{said[-1]} or more"], strict=True
    ):
        row = np.full((1, feature + 1), value)
        points = sum(item.points for item in items if item.condition.is_met(row)[0])
        if points:
            parts.append((where, f"{points:+d}"))
    return words.names[feature], parts


@dataclass(frozen=True)
class Card(Form, tag="score card"):
    """Add the points of all conditions that are met; from ``threshold`` on, the second class.

    Examples
    --------
    >>> items = Item(Condition.on(0, ">=", 127.0), 3), Item(Condition.on(1, ">=", 28.0), 1)
    >>> card = Card(items, threshold=4)
    >>> card.points(np.array([[130.0, 30.0], [130.0, np.nan]]))
    array([4, 3])
    >>> words = Vocabulary(("glucose", "age"), ("well", "ill"))
    >>> print(card.show(words))
    glucose ≥ 127    +3
    age ≥ 28         +1
    4 points or more: ill; otherwise: well.
    >>> card.reasons(np.array([[130.0, 30.0], [90.0, 30.0]]), words)
    ['4 points: glucose ≥ 127 +3, age ≥ 28 +1', '1 point: age ≥ 28 +1']
    """

    items: tuple[Item, ...]
    threshold: int

    def points(self, X: Floats) -> Ints:
        """Total of each row."""
        total = np.zeros(len(X), dtype=np.int64)
        for item in self.items:
            total += item.points * item.condition.is_met(X)
        return total

    def scores(self, X: Floats) -> Floats:
        """Points above half a point below the threshold."""
        # Totals are whole numbers, so no score is 0: no row stands exactly on the threshold.
        return np.asarray(self.points(X) - (self.threshold - 0.5), dtype=np.float64)

    @property
    def has_thresholds(self) -> bool:
        return True

    @property
    def points_offset(self) -> float:
        return self.threshold - 0.5

    def at(self, threshold: float) -> Card:
        """The card that says the second class if this one's score is above a number.

        Examples
        --------
        >>> Card((), threshold=4).at(-2.0).threshold
        2
        """
        if threshold == 0.0:
            return self
        # The smallest whole total whose score is above the number.
        return replace(self, threshold=math.floor(threshold + self.threshold - 0.5) + 1)

    def around(self, width: float) -> tuple[Card, Card]:
        """The borders are in doubt; totals are half a point off whole numbers."""
        # The second form says yes from -width on: its threshold lies a hair below.
        return self.at(width), self.at(-width - 1e-9)

    @property
    def totals(self) -> Ints:
        """All totals from the lowest to the highest."""
        # Sums of all negative and of all positive points: no row lies beyond them.
        low = sum(min(item.points, 0) for item in self.items)
        high = sum(max(item.points, 0) for item in self.items)
        return np.arange(low, high + 1)

    def sentences(self, words: Vocabulary) -> list[str]:
        if not self.items:
            return [f"Always predict {words.labels[int(self.threshold <= 0)]}."]
        lines = self.lines(words)
        width = max(len(text) for text, _ in lines) + 2
        unit = "point" if abs(self.threshold) == 1 else "points"
        first, second = words.labels
        return [
            *(f"{text:<{width}} {points:>3}" for text, points in lines),
            f"{self.threshold} {unit} or more: {second}; otherwise: {first}.",
        ]

    def lines(self, words: Vocabulary) -> list[tuple[str, str]]:
        """What is asked and the points for it, one line a column of numbers with several cuts.

        Examples
        --------
        >>> items = [Item(Condition.on(0, ">=", cut), 2) for cut in (50.0, 60.0)]
        >>> card = Card(tuple(items), threshold=3)
        >>> card.lines(Vocabulary(("age",), ("well", "ill")))
        [('age', '50 to below 60: +2, 60 or more: +4')]
        """
        return [
            (name, ", ".join(f"{where}: {points}" if where else points for where, points in ranges))
            for name, ranges in self.asked(words)
        ]

    def asked(self, words: Vocabulary) -> list[tuple[str, list[tuple[str, str]]]]:
        """What is asked, each with the points for its ranges; the range of one condition is ""."""
        together: dict[tuple[int, ...], list[Item]] = {}
        for k, item in enumerate(self.items):
            condition = item.condition
            is_cut = condition.op in (">=", "<") and not words.asked(condition.features[0]).is_flag
            together.setdefault(condition.features if is_cut else (-1, k), []).append(item)
        return [
            _bands(found, words)
            if len(found) > 1
            else (found[0].condition.describe(words), [("", f"{found[0].points:+d}")])
            for found in together.values()
        ]

    def show(self, words: Vocabulary) -> str:
        """The card as text."""
        return "\n".join(self.sentences(words))

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(item.condition for item in self.items)

    @property
    def features(self) -> tuple[int, ...]:
        return used([j for item in self.items for j in item.condition.features])

    def described(self, words: Vocabulary) -> list[Part]:
        return [
            {
                "condition": item.condition.describe(words),
                "label": words.labels[1],
                "value": float(item.points),
            }
            for item in self.items
        ]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        points = np.array([item.points for item in self.items], dtype=np.int64)
        texts = [f"{item.condition.describe(words)} {item.points:+d}" for item in self.items]
        is_met = np.zeros((len(X), len(texts)), dtype=bool)
        for j, item in enumerate(self.items):
            is_met[:, j] = item.condition.is_met(X)

        def reason(met: Mask) -> str:
            total = int(points[met].sum())
            said = ", ".join(itertools.compress(texts, met))
            unit = "point" if abs(total) == 1 else "points"
            return f"{total} {unit}" + (f": {said}" if said else "")

        return map_flags(is_met, reason)

    def moved(self, places: Places) -> Self:
        items = [replace(item, condition=item.condition.moved(places)) for item in self.items]
        return replace(self, items=tuple(items))

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_two(where, n_classes)
        for i, item in enumerate(self.items):
            place = f"{where}.items[{i}]"
            item.condition.check(place, width)
            if not item.condition.asks_once:
                raise fail(f"{place}.value", "a single feature", item.condition.value.tag)

    def decision(self, outputs: Sequence[str], language: Language) -> str:
        points = language.total(self.points_terms(language))
        is_second = language.at_least(points, str(self.threshold))
        return language.case([(is_second, outputs[1])], outputs[0])

    @property
    def has_sums(self) -> bool:
        return True

    def score_formulas(self, language: Language) -> list[str]:
        return [
            language.total([*self.points_terms(language), language.number(-self.points_offset)])
        ]

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        return [item.condition.entry(words, language, adds=str(item.points)) for item in self.items]

    def points_terms(self, language: Language) -> list[str]:
        """One term an item."""
        return [
            language.case([(item.condition.formula(language), str(item.points))], "0")
            for item in self.items
        ]

    def statements(self, outputs: Sequence[str], language: Language) -> list[str]:
        lines = ["points = 0"]
        for item in self.items:
            lines += [f"if {item.condition.formula(language)}:", f"    points += {item.points}"]
        last = f"{outputs[1]} if points >= {self.threshold} else {outputs[0]}"
        return [*lines, f"return {last}"]

    @property
    def asks_once(self) -> bool:
        return True
