"""Conditions that a row meets or does not; a condition on a missing value is not met."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from handful._codec import Tagged
from handful._types import Floats, Mask
from handful.models.form import (
    Places,
    check_length,
    check_positive,
    check_within,
    filled,
    some,
    steady_product,
    used,
)
from handful.models.language import Language, total
from handful.models.words import Vocabulary, number


def _compare(values: Floats, threshold: float, is_above: bool) -> Mask:
    """A missing value is on neither side."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values >= threshold if is_above else values < threshold)


def _compared(side: str, limit: float, is_above: bool, language: Language) -> str:
    if is_above:
        return language.exceeds(side, language.number(limit), or_equals=True)
    return f"{side} < {language.number(limit)}"


class Condition(Tagged, ABC, field="condition"):
    """What a row meets or does not: `Cut`, `Plane` and `Ball`."""

    @abstractmethod
    def is_met(self, X: Floats) -> Mask:
        """Which rows meet it."""

    @abstractmethod
    def describe(self, words: Vocabulary) -> str:
        """The condition in the user's words."""

    @property
    @abstractmethod
    def features(self) -> tuple[int, ...]:
        """Encoded features that it reads."""

    @abstractmethod
    def moved(self, places: Places) -> Self:
        """The same condition over the features in ``places`` alone."""

    @abstractmethod
    def check(self, where: str, width: int) -> None:
        """Raise `ModelFileError` if it does not fit ``width`` features."""

    @abstractmethod
    def formula(self, language: Language) -> str:
        """The condition in another language."""

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Training rows that it contains, cell by cell."""
        return ()


@dataclass(frozen=True)
class Cut(Condition, tag="cut"):
    """One encoded feature against a number.

    Examples
    --------
    >>> Cut(0, 28.0).is_met(np.array([[28.0], [3.0], [np.nan]]))
    array([ True, False, False])
    """

    feature: int
    threshold: float
    is_above: bool = True

    def is_met(self, X: Floats) -> Mask:
        return _compare(X[:, self.feature], self.threshold, self.is_above)

    def describe(self, words: Vocabulary) -> str:
        say = words.at_least if self.is_above else words.below
        return say(self.feature, self.threshold)

    @property
    def features(self) -> tuple[int, ...]:
        return (self.feature,)

    def moved(self, places: Places) -> Self:
        return replace(self, feature=places[self.feature])

    def check(self, where: str, width: int) -> None:
        check_within(f"{where}.feature", self.feature, width)

    def formula(self, language: Language) -> str:
        return language.condition(self)


@dataclass(frozen=True)
class Plane(Condition, tag="plane"):
    """A weighted sum against a number; missing values are replaced by ``fill``."""

    weights: tuple[float, ...]
    threshold: float
    is_above: bool
    fill: tuple[float, ...]

    def is_met(self, X: Floats) -> Mask:
        values = steady_product(filled(X, self.fill), np.array(self.weights))[:, 0]
        return _compare(values, self.threshold, self.is_above)

    def describe(self, words: Vocabulary) -> str:
        sign = "≥" if self.is_above else "<"
        return f"{words.score(np.array(self.weights))} {sign} {number(self.threshold)}"

    @property
    def features(self) -> tuple[int, ...]:
        return used(np.flatnonzero(self.weights).tolist())

    def moved(self, places: Places) -> Self:
        weights, fill = some(self.weights, places), some(self.fill, places)
        return replace(self, weights=weights, fill=fill)

    def check(self, where: str, width: int) -> None:
        check_length(f"{where}.weights", self.weights, width)
        check_length(f"{where}.fill", self.fill, width)

    def formula(self, language: Language) -> str:
        side = total(language.weighted(self.weights, self.fill))
        return _compared(side, self.threshold, self.is_above, language)


@dataclass(frozen=True)
class Ball(Condition, tag="ball"):
    """Distance to an example, features divided by ``scale``, against a radius."""

    center: tuple[float, ...]
    radius: float
    is_above: bool
    scale: tuple[float, ...]
    fill: tuple[float, ...]

    def is_met(self, X: Floats) -> Mask:
        gaps = (filled(X, self.fill) - np.array(self.center)) / np.array(self.scale)
        return _compare(np.sqrt((gaps**2).sum(axis=1)), self.radius, self.is_above)

    def describe(self, words: Vocabulary) -> str:
        sign = "≥" if self.is_above else "<"
        center = words.row(self.center, "a kept example")
        return f"distance to {center} {sign} {number(self.radius)}"

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(range(len(self.center)))

    def moved(self, places: Places) -> Self:
        parts = (some(part, places) for part in (self.center, self.scale, self.fill))
        center, scale, fill = parts
        return replace(self, center=center, scale=scale, fill=fill)

    def check(self, where: str, width: int) -> None:
        for name in ("center", "scale", "fill"):
            check_length(f"{where}.{name}", getattr(self, name), width)
        check_positive(f"{where}.scale", self.scale)

    def formula(self, language: Language) -> str:
        side = f"{language.root}({language.squares(self.center, self.scale, self.fill)})"
        return _compared(side, self.radius, self.is_above, language)

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        return (self.center,)
