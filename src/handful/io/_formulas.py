"""Forms of a menu as formulas over encoded features, for any language that has cases and sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from handful.fitted import (
    Additive,
    Ball,
    Card,
    Constant,
    Curve,
    Cut,
    KernelExpansion,
    LinearScore,
    Machine,
    OrderedRules,
    Plane,
    Thresholded,
    Vote,
)

Branch = tuple[str, str]  # a condition, and the value where it holds


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
        """An encoded feature, missing where it is."""

    @abstractmethod
    def filled(self, feature: int, fill: float) -> str:
        """An encoded feature, ``fill`` where it is missing."""

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


def total(terms: Sequence[str]) -> str:
    """A sum, from left to right as the library adds."""
    return "(" + " + ".join(terms or ["0"]) + ")"


def condition_formula(condition: object, language: Language) -> str:
    """A condition that a row meets or does not."""
    if isinstance(condition, Cut):
        return language.condition(condition)
    if isinstance(condition, Plane):
        terms = _weighted(condition.weights, condition.fill, language)
        side, limit = total(terms), condition.threshold
    elif isinstance(condition, Ball):
        parts = zip(condition.center, condition.scale, condition.fill, strict=True)
        gaps = [_gap(language, j, c, s, f) for j, (c, s, f) in enumerate(parts)]
        side, limit = f"{language.root}({total([f'{g} * {g}' for g in gaps])})", condition.radius
    else:
        raise TypeError(f"{type(condition).__name__} has no formula.")
    if condition.is_above:
        return language.exceeds(side, language.number(limit), or_equals=True)
    return f"{side} < {language.number(limit)}"


def _gap(language: Language, j: int, center: float, scale: float, fill: float) -> str:
    value, number = language.filled(j, fill), language.number
    return f"(({value} - {number(center)}) / {number(scale)})"


def _weighted(weights: Sequence[float], fill: Sequence[float], language: Language) -> list[str]:
    return [
        f"{language.filled(j, fill[j])} * {language.number(weight)}"
        for j, weight in enumerate(weights)
        if weight != 0.0
    ]


def points_terms(card: Card, language: Language) -> list[str]:
    """One term an item."""
    return [
        language.case([(language.condition(item.condition), str(item.points))], "0")
        for item in card.items
    ]


def score_formulas(machine: Machine, language: Language) -> list[str]:
    """The sums of a form that has sums: one for two classes, one a class for more."""
    if isinstance(machine, LinearScore):
        return [
            total([*_weighted(weights, machine.fill, language), language.number(intercept)])
            for weights, intercept in zip(machine.weights, machine.intercepts, strict=True)
        ]
    if isinstance(machine, Additive):
        return [
            total([language.number(start), *(language.steps(curve, k) for curve in machine.curves)])
            for k, start in enumerate(machine.intercepts)
        ]
    if isinstance(machine, KernelExpansion):
        return _expansion(machine, language)
    if isinstance(machine, Thresholded):
        (score,) = score_formulas(machine.base, language)
        return [f"({score} - {language.number(machine.threshold)})"]
    raise TypeError(f"{type(machine).__name__} has no sums.")


def _expansion(machine: KernelExpansion, language: Language) -> list[str]:
    near = []
    for center in machine.centers:
        parts = zip(center, machine.scale, machine.fill, strict=True)
        gaps = [_gap(language, j, c, s, f) for j, (c, s, f) in enumerate(parts)]
        squares = total([f"{g} * {g}" for g in gaps])
        near.append(f"{language.exp}({language.number(-machine.gamma)} * {squares})")
    return [
        total(
            [
                language.number(start),
                *(
                    f"{language.number(row[k])} * {similarity}"
                    for row, similarity in zip(machine.coefficients, near, strict=True)
                ),
            ]
        )
        for k, start in enumerate(machine.intercepts)
    ]


def decision(machine: Machine, outputs: Sequence[str], language: Language) -> str:
    """An expression whose value is the output of the predicted class.

    Parameters
    ----------
    machine : a form made of plain data
    outputs : sequence of str
        What to write for each class.
    language : Language
    """
    for kind, write in _WRITERS:
        if isinstance(machine, kind):
            return write(machine, outputs, language)
    raise TypeError(f"{type(machine).__name__} is not made of plain data: it has no formula.")


def _constant(m: Constant, outputs: Sequence[str], language: Language) -> str:
    return outputs[m.label]


def _rules(m: OrderedRules, outputs: Sequence[str], language: Language) -> str:
    branches = [
        (
            f" {language.both} ".join(condition_formula(c, language) for c in rule.conditions),
            outputs[rule.label],
        )
        for rule in m.rules
    ]
    return language.case(branches, outputs[m.default])


def _card(m: Card, outputs: Sequence[str], language: Language) -> str:
    points = total(points_terms(m, language))
    return language.case([(f"{points} >= {m.threshold}", outputs[1])], outputs[0])


def _sums(m: Machine, outputs: Sequence[str], language: Language) -> str:
    return pick(score_formulas(m, language), outputs, language)


def _vote(m: Vote, outputs: Sequence[str], language: Language) -> str:
    """Most votes; the earliest member decides where votes are equal."""
    votes = []
    for k in range(len(outputs)):
        terms = []
        for i, member in enumerate(m.members):
            weights = ["0"] * len(outputs)
            weights[k] = language.number(1.0 + 0.5 ** (i + 20))
            terms.append(decision(member, weights, language))
        votes.append(total(terms))
    return pick(votes, outputs, language)


def pick(scores: Sequence[str], outputs: Sequence[str], language: Language) -> str:
    """By the sign of one score, or by the first of the largest."""
    if len(scores) == 1:
        return language.case([(language.exceeds(scores[0], "0"), outputs[1])], outputs[0])
    branches = [
        (f" {language.both} ".join(f"{own} >= {other}" for other in scores[k + 1 :]), outputs[k])
        for k, own in enumerate(scores[:-1])
    ]
    full = [
        (f" {language.both} ".join([text, *(f"{scores[k]} >= {s}" for s in scores[:k])]), out)
        for k, (text, out) in enumerate(branches)
    ]
    return language.case(full, outputs[-1])


_WRITERS: tuple[tuple[type, Callable[..., str]], ...] = (
    (Constant, _constant),
    (OrderedRules, _rules),
    (Card, _card),
    (Vote, _vote),
    (LinearScore, _sums),
    (Additive, _sums),
    (KernelExpansion, _sums),
    (Thresholded, _sums),
)
