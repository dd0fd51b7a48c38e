"""What a language must be able to write so that a form can be exported to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handful.models.conditions import Cut
    from handful.models.scores import Curve

_FLAT = 200  # terms of a sum without inner brackets
Branch = tuple[str, str]  # a condition, and the value if it holds


class Language(ABC):
    """How a language writes numbers, cases and encoded features.

    A condition on a missing value must not hold; a missing value makes a sum missing.
    """

    both: str
    exp: str
    root: str

    @abstractmethod
    def number(self, value: float) -> str:
        """A number in full."""

    @abstractmethod
    def value(self, feature: int) -> str:
        """An encoded feature, missing if the cell is."""

    @abstractmethod
    def filled(self, feature: int, fill: float) -> str:
        """An encoded feature, ``fill`` if it is missing."""

    @abstractmethod
    def condition(self, cut: Cut) -> str:
        """A feature against a number."""

    @abstractmethod
    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        """The value of the first branch whose condition holds."""

    def exceeds(self, value: str, limit: str, *, or_equals: bool = False) -> str:
        """Whether a sum is above a limit; what is no number is above nothing."""
        return f"{value} {'>=' if or_equals else '>'} {limit}"

    @abstractmethod
    def steps(self, curve: Curve, score: int) -> str:
        """The value of a curve."""

    # -- sums, the same in every language ---------------------------------------------------

    def known(self, feature: int, fill: Sequence[float] | None, k: int) -> str:
        """An encoded feature, with the k-th of some numbers if it is missing."""
        return self.filled(feature, fill[k]) if fill else self.value(feature)

    def weighted(self, weights: Sequence[float], fill: Sequence[float]) -> list[str]:
        """One term a feature that has a weight."""
        return [
            f"{self.known(j, fill, j)} * {self.number(weight)}"
            for j, weight in enumerate(weights)
            if weight != 0.0
        ]

    def squares(
        self,
        center: Sequence[float],
        scale: Sequence[float],
        fill: Sequence[float] | None,
        columns: Sequence[int] | None = None,
    ) -> str:
        """The squared distance to a point of some features, each divided by its scale."""
        pairs = zip(columns or range(len(center)), center, scale, strict=True)
        gaps = [
            f"(({self.known(j, fill, k)} - {self.number(c)}) / {self.number(s)})"
            for k, (j, c, s) in enumerate(pairs)
        ]
        return added([f"{gap} * {gap}" for gap in gaps])


def total(terms: Sequence[str]) -> str:
    """A sum, from left to right as the library adds."""
    return "(" + " + ".join(terms or ["0"]) + ")"


def added(terms: Sequence[str]) -> str:
    """A long sum in brackets that are nowhere deep: databases limit the depth of an expression."""
    if len(terms) <= _FLAT:
        return total(terms)
    size = -(-len(terms) // 8)
    return added([added(terms[i : i + size]) for i in range(0, len(terms), size)])


def pick(scores: Sequence[str], outputs: Sequence[str], language: Language) -> str:
    """By the sign of one score, or by the first of the largest."""
    if len(scores) == 1:
        return language.case([(language.exceeds(scores[0], "0"), outputs[1])], outputs[0])
    branches = []
    for k, own in enumerate(scores[:-1]):
        others = [*scores[k + 1 :], *scores[:k]]
        wins = f" {language.both} ".join(f"{own} >= {other}" for other in others)
        branches.append((wins, outputs[k]))
    return language.case(branches, outputs[-1])
