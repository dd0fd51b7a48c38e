"""What a language must be able to write so that a form can be exported to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from handful.kernels import Kernel

if TYPE_CHECKING:
    from handful.models.scores import Curve
    from handful.models.words import Op

_FLAT = 200  # terms of a sum without inner brackets
Branch = tuple[str, str]  # a condition, and the value if it holds
_NO_DISTANCES = (
    "`machine` must have two classes to be written in this language: several sets of rules are "
    "compared by distances. Use `handful predict`, or export it to Python."
)


class Language(ABC):
    """How a language writes numbers, cases and encoded features.

    A condition on a missing value must not hold; a missing value makes a sum missing.
    """

    both: str
    either: str
    absolute: str
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
    def condition(self, feature: int, op: Op, limit: float) -> str:
        """An encoded feature against a number."""

    @abstractmethod
    def case(self, branches: Sequence[Branch], otherwise: str) -> str:
        """The value of the first branch whose condition holds."""

    def exceeds(self, value: str, limit: str, *, or_equals: bool = False) -> str:
        """Whether a sum is above a limit; what is no number is above nothing."""
        return f"{value} {'>=' if or_equals else '>'} {limit}"

    def at_least(self, value: str, other: str) -> str:
        """Whether a sum is not below another one."""
        return f"{value} >= {other}"

    def compare(self, value: str, op: Op, limit: float) -> str:
        """A formula against a number, by order."""
        if op in (">", ">="):
            return self.exceeds(value, self.number(limit), or_equals=op == ">=")
        return f"{value} {op} {self.number(limit)}"

    @abstractmethod
    def steps(self, curve: Curve, score: int) -> str:
        """The value of a curve."""

    def named(self, text: str) -> str:
        """A name for a long formula, if the language gives names; else the formula."""
        return text

    def gap(self, value: str, cut: float, unit: float) -> str:
        """How far a formula is from a number; positive, also if the formula is missing."""
        raise ValueError(_NO_DISTANCES)

    def extreme(self, values: Sequence[str], *, is_largest: bool) -> str:
        """The largest or the smallest of some formulas."""
        raise ValueError(_NO_DISTANCES)

    # -- sums, the same in almost every language --------------------------------------------

    def total(self, terms: Sequence[str]) -> str:
        """A sum, from left to right as the library adds."""
        return total(terms)

    def known(self, feature: int, fill: Sequence[float] | None, k: int) -> str:
        """An encoded feature, with the k-th of some numbers if it is missing."""
        return self.filled(feature, fill[k]) if fill else self.value(feature)

    def weighted(self, weights: Sequence[float], fill: Sequence[float] | None) -> list[str]:
        """One term a feature that has a weight."""
        return [
            f"{self.known(j, fill, j)} * {self.number(weight)}"
            for j, weight in enumerate(weights)
            if weight != 0.0
        ]


@dataclass(frozen=True)
class Entry:
    """A line of a form as a reader works through it, with its formulas in another language.

    Attributes
    ----------
    text : str
        The line in the user's words.
    features : tuple of int
        Encoded features that it reads.
    met, unmet : str
        Whether its condition is met, and whether the opposite is: if neither is, a value is
        missing. Empty for a line that asks nothing; in a rule, such a line always holds.
    adds : str
        What it adds to a sum; a line with a condition adds it if that is met. Else empty.
    part, label : int
        The rule that it belongs to, and the class that this rule gives; -1 if it is in none.
    """

    text: str
    features: tuple[int, ...]
    met: str = ""
    unmet: str = ""
    adds: str = ""
    part: int = -1
    label: int = -1


def total(terms: Sequence[str]) -> str:
    """A sum in one line, from left to right."""
    return "(" + " + ".join(terms or ["0"]) + ")"


def added(terms: Sequence[str]) -> str:
    """A long sum in brackets that are nowhere deep: databases limit the depth of an expression."""
    if len(terms) <= _FLAT:
        return total(terms)
    # Eight parts of equal size, rounded up, each a sum in brackets of its own.
    size = -(-len(terms) // 8)
    return added([added(terms[i : i + size]) for i in range(0, len(terms), size)])


def pick(scores: Sequence[str], outputs: Sequence[str], language: Language) -> str:
    """The output by the sign of one score, or by the first of the largest scores."""
    if len(scores) == 1:
        return language.case([(language.exceeds(scores[0], "0"), outputs[1])], outputs[0])
    branches = []
    named = [language.named(score) for score in scores]
    for k, own in enumerate(named[:-1]):
        others = [*named[k + 1 :], *named[:k]]
        # "At least as large as all others", asked from the first class on: the first of equals
        # wins.
        wins = f" {language.both} ".join(language.at_least(own, other) for other in others)
        branches.append((wins, outputs[k]))
    return language.case(branches, outputs[-1])


def similarity_formula(
    kernel: Kernel, rows: Sequence[str], z: Sequence[float], language: Language
) -> str:
    """k(x, z) for the formulas of the cells of x."""
    if kernel.name == "rbf":
        gaps = [f"({row} - {language.number(v)})" for row, v in zip(rows, z, strict=True)]
        squares = added([f"{gap} * {gap}" for gap in gaps])
        return f"{language.exp}({language.number(-kernel.gamma)} * {squares})"
    pairs = zip(rows, z, strict=True)
    return _power(kernel, added([f"{row} * {language.number(v)}" for row, v in pairs]), language)


def own_formula(kernel: Kernel, rows: Sequence[str], language: Language) -> str:
    """k(x, x) for the formulas of the cells of x."""
    if kernel.name == "rbf":
        return language.number(1.0)
    return _power(kernel, added([f"{row} * {row}" for row in rows]), language)


def _power(kernel: Kernel, products: str, language: Language) -> str:
    if kernel.name == "linear":
        return products
    base = f"({language.number(kernel.gamma)} * {products} + {language.number(kernel.coef0)})"
    return "(" + " * ".join([base] * kernel.degree) + ")"
