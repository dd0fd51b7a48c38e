"""Conditions that a row meets or does not; a condition on a missing value is not met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from handful._types import Floats, Mask
from handful.fitted._machine import Spoken, as_floats, filled, number, steady_product, used


def _compare(values: Floats, threshold: float, is_above: bool) -> Mask:
    """A missing value is on neither side."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values >= threshold if is_above else values < threshold)


@dataclass(frozen=True)
class Cut:
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
        """Which rows meet it."""
        return _compare(X[:, self.feature], self.threshold, self.is_above)

    def describe(self, words: Spoken) -> str:
        """For example ``age ≥ 28``."""
        say = words.at_least if self.is_above else words.below
        return say(self.feature, self.threshold)

    @property
    def features(self) -> tuple[int, ...]:
        """The one it reads."""
        return (self.feature,)


@dataclass(frozen=True)
class Plane:
    """A weighted sum against a number; missing values are replaced by ``fill``."""

    weights: tuple[float, ...]
    threshold: float
    is_above: bool
    fill: tuple[float, ...]

    def is_met(self, X: Floats) -> Mask:
        """Which rows meet it."""
        values = steady_product(filled(X, self.fill), np.array(self.weights))[:, 0]
        return _compare(values, self.threshold, self.is_above)

    def describe(self, words: Spoken) -> str:
        """For example ``+0.8·glucose +0.3·bmi ≥ 2.1``."""
        sign = "≥" if self.is_above else "<"
        return f"{words.score(np.array(self.weights))} {sign} {number(self.threshold)}"

    @property
    def features(self) -> tuple[int, ...]:
        """Those with a weight."""
        return used(np.flatnonzero(self.weights).tolist())


@dataclass(frozen=True)
class Ball:
    """Distance to an example, features divided by ``scale``, against a radius."""

    center: tuple[float, ...]
    radius: float
    is_above: bool
    scale: tuple[float, ...]
    fill: tuple[float, ...]

    def is_met(self, X: Floats) -> Mask:
        """Which rows meet it."""
        gaps = (filled(X, self.fill) - np.array(self.center)) / np.array(self.scale)
        return _compare(np.sqrt((gaps**2).sum(axis=1)), self.radius, self.is_above)

    def describe(self, words: Spoken) -> str:
        """For example ``distance to a kept example < 2.5``; its values where rows are shown."""
        sign = "≥" if self.is_above else "<"
        center = words.row(self.center, "a kept example")
        return f"distance to {center} {sign} {number(self.radius)}"

    @property
    def features(self) -> tuple[int, ...]:
        """All."""
        return tuple(range(len(self.center)))


class Condition(Protocol):
    """What a row meets or does not: `Cut`, `Plane` and `Ball`."""

    def is_met(self, X: Floats) -> Mask:
        """Which rows meet it."""
        ...

    def describe(self, words: Spoken) -> str:
        """The condition in the user's words."""
        ...

    @property
    def features(self) -> tuple[int, ...]:
        """Encoded features that it reads."""
        ...


def condition_to_document(condition: Condition) -> dict[str, Any]:
    """Plain data."""
    if not isinstance(condition, Cut | Plane | Ball):
        raise TypeError(f"`condition` must be a Cut, Plane or Ball, got {condition!r}.")
    side = {"is_above": condition.is_above}
    if isinstance(condition, Cut):
        cut = {"feature": condition.feature, "threshold": condition.threshold}
        return {"condition": "cut", **cut, **side}
    if isinstance(condition, Plane):
        plane = {"weights": list(condition.weights), "threshold": condition.threshold}
        return {"condition": "plane", **plane, **side, "fill": list(condition.fill)}
    ball = {"center": list(condition.center), "radius": condition.radius}
    scales = {"scale": list(condition.scale), "fill": list(condition.fill)}
    return {"condition": "ball", **ball, **side, **scales}


def condition_from_document(document: Mapping[str, Any]) -> Condition:
    """Rebuild what ``condition_to_document`` gave."""
    kind, side = document["condition"], bool(document["is_above"])
    if kind == "cut":
        return Cut(int(document["feature"]), float(document["threshold"]), side)
    fill = as_floats(document["fill"])
    if kind == "plane":
        return Plane(as_floats(document["weights"]), float(document["threshold"]), side, fill)
    if kind == "ball":
        scale = as_floats(document["scale"])
        return Ball(as_floats(document["center"]), float(document["radius"]), side, scale, fill)
    raise ValueError(f"`condition` must be cut, plane or ball, got {kind!r}.")
