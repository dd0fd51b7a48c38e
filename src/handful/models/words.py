"""The user's words: names of features and labels, and how numbers are printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from handful.arrays import Floats
from handful.tables import Feature

Op = Literal["<", "<=", ">", ">=", "=", "≠"]
OPPOSITES: dict[Op, Op] = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "≠", "≠": "="}
_MARKS: dict[Op, str] = {"<=": "≤", ">=": "≥"}


@dataclass(frozen=True)
class Vocabulary:
    """The user's words: names of the encoded features, and labels in the order of classes.

    ``scales`` has the words that the numbers of a feature stand for, if they do, and ``features``
    what each feature asks; without them all features are numbers. ``shows_rows`` says whether
    sentences may hold training rows, ``most_terms`` how many terms of a sum they name.

    Examples
    --------
    >>> Vocabulary(("age",), ("well", "ill")).compared(0, ">=", 28.0)
    'age ≥ 28'
    >>> asked = Feature.of_word("colour", "red")
    >>> Vocabulary((asked.name,), ("well", "ill"), features=(asked,)).compared(0, "<", 0.5)
    'colour ≠ red'
    >>> Vocabulary(("stage",), ("well", "ill"), (("i", "ii", "iii"),)).compared(0, "<", 1.5)
    'stage < iii'
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    scales: tuple[tuple[str, ...], ...] = ()
    features: tuple[Feature, ...] = ()
    shows_rows: bool = False
    most_terms: int | None = None

    def asked(self, feature: int) -> Feature:
        """The question that a feature asks of its column."""
        return self.features[feature] if self.features else Feature(self.names[feature])

    def row(self, values: Sequence[float], name: str) -> str:
        """A training row by its first values, or by ``name`` if rows are not shown."""
        if not self.shows_rows:
            return name
        pairs = list(zip(self.names, values, strict=True))
        shown = ", ".join(f"{feature} {number(value)}" for feature, value in pairs[:6])
        return f"({shown}{', …' if len(pairs) > 6 else ''})"

    def value(self, feature: int, cut: float, op: Op = ">=") -> str:
        """A cut on a feature: the number, or the word of its scale that is compared.

        Between two words, the next one is not below the cut; the one before is not above it.
        """
        scale = self.scales[feature] if self.scales else ()
        # A cut halfway between two words: "below" and "from" mean the next word, "up to" the one
        # before.
        place = max(0, (math.ceil if op in ("<", ">=") else math.floor)(cut))
        return scale[place] if place < len(scale) else number(cut)

    def compared(self, feature: int, op: Op, cut: float) -> str:
        """The condition that a feature compares with a number."""
        asked = self.asked(feature)
        if asked.is_flag:
            return asked.name if op in (">", ">=", "=") else asked.negated
        return f"{self.names[feature]} {self.mark(op)} {self.value(feature, cut, op)}"

    def mark(self, op: Op) -> str:
        """The sign of a comparison."""
        return _MARKS.get(op, op)

    def numbered(self, feature: int) -> str:
        """The numbers of ordered words, to explain a sum; empty for a feature of numbers."""
        scale = self.scales[feature] if self.scales else ()
        if not scale:
            return ""
        return f" [{', '.join(f'{word} = {k}' for k, word in enumerate(scale))}]"

    def score(self, weights: Floats) -> str:
        """A weighted sum; only its largest terms if ``most_terms`` is set."""
        used = np.flatnonzero(weights)
        shown, most = used, self.most_terms
        if most is not None and len(used) > most + 2:  # one or two are no longer than saying so
            shown = np.sort(used[np.argsort(-np.abs(weights[used]), kind="stable")[:most]])
        terms = [f"{number(weights[j], sign=True)}·{self.names[j]}" for j in shown.tolist()]
        if len(shown) < len(used):
            terms.append(f"+ {len(used) - len(shown)} smaller terms")
        return " ".join(terms) or "0"


def number(value: float, *, sign: bool = False) -> str:
    """A number in at most six digits; thresholds are stored so that none is lost."""
    return f"{value:+.4g}" if sign else f"{value:.6g}"


def short(value: float, low: float, high: float, *, is_whole: bool = False) -> float:
    """The number of fewest digits in (low, high], so that what is printed is what is compared.

    Numbers near ``value`` are tried first. With ``is_whole`` only whole numbers are tried; ``high``
    is then one.

    Examples
    --------
    >>> short(127.4375, 127.0, 128.0), short(0.24999999, 0.2, 0.3), short(5.0, 4.0, 5.0)
    (128.0, 0.3, 5.0)
    >>> short(4.5, 4.0, 5.0), short(127.25, 127.0, 127.5)
    (5.0, 127.2)
    >>> short(0.5, 0.0, 1.0), short(0.5, 0.0, 1.0, is_whole=True)
    (0.5, 1.0)
    """
    for digits in range(1, 16):
        # Rounding the end of the range may succeed with fewer digits than rounding the middle.
        for start in (value, high):
            rounded = float(f"{start:.{digits}g}")
            if low < rounded <= high and not (is_whole and rounded % 1.0):
                return rounded
    return float(high)


def in_full(value: float, *, sign: bool = False) -> str:
    """The fewest digits that tell a number from every other float.

    Examples
    --------
    >>> in_full(0.25), in_full(3.0, sign=True), in_full(-1e-7)
    ('0.25', '+3', '-1e-07')
    """
    text = repr(float(value)).removesuffix(".0")
    return f"+{text}" if sign and not text.startswith("-") else text
