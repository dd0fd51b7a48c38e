"""Hyperplanes whose weights came from a pool of examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats
from handful.rules.directions import PairRule, length_of, linear_text, weighted_values
from handful.rules.fields import (
    Reader,
    read_float,
    read_floats,
    read_indices,
    read_ordered_side,
    read_size,
    read_text,
)
from handful.rules.formulas import Dialect, weighted_sum
from handful.rules.rule import BESIDE, AbstractRule, Categories, register_rule

PAIR_ORIGIN = "half-space between two examples of the pool"
THREE_ORIGIN, TWO_ORIGIN = "half-space of three examples", "half-space of two examples"
ORIGINS = (
    "logistic regression on the pool (ridge 1)",
    "logistic regression on the pool (ridge 10)",
    PAIR_ORIGIN,
    THREE_ORIGIN,
    TWO_ORIGIN,
)


def _read_origin(value: Any, where: str) -> str:
    return read_text(value, where, ORIGINS)


@register_rule("linear")
@dataclass(frozen=True)
class LinearRule(AbstractRule):
    """Covers one side of a hyperplane that is known by its weights.

    They came from a pool of examples, all of it or a pair, as ``origin`` says.

    Examples
    --------
    >>> import numpy as np
    >>> rule = LinearRule((1.0, -1.0), threshold=0.0, side="above")
    >>> rule.covers(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([ True, False])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "weights": read_floats,
        "threshold": read_float,
        "side": read_ordered_side,
        "origin": _read_origin,
        "tol": read_size,
        "indices": read_indices(2, 3, 4),
    }
    weights: tuple[float, ...]
    threshold: float
    side: str
    origin: str = "pool"
    tol: float = 0.0
    indices: tuple[int, ...] = ()

    @property
    def cut(self) -> float:
        """The threshold on the weighted sum."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Set when the rule is made, from the size of the values on the pool."""
        return self.tol

    @property
    def roles(self) -> tuple[str, ...]:
        """The pair and what gives the threshold; the whole pool where no example is named."""
        return ("a", "b", *(("threshold",) if len(self.indices) == 3 else BESIDE))

    def values(self, X: Floats) -> Floats:
        """The weighted sum of the features."""
        return weighted_values(np.asarray(X, dtype=np.float64), np.array(self.weights))

    def unit(self) -> float:
        """Length of the weight vector."""
        return length_of(np.array(self.weights))

    def describe(
        self,
        names: Sequence[str] | None = None,
        *,
        words: Categories | None = None,
        opposite: bool = False,
    ) -> str:
        """For example ``+0.8·glucose +0.3·bmi > 2.1``."""
        text = linear_text(np.array(self.weights), names)
        return f"{text} {self.mark(opposite)} {self.threshold:.6g}"

    def feature_weights(self, spread: Floats) -> Floats:
        """Weights times spreads."""
        return np.asarray(np.abs(np.array(self.weights)) * spread)

    def used_features(self, n_features: int) -> set[int]:
        """Those that have a weight."""
        return set(np.flatnonzero(np.array(self.weights)).tolist())

    def value_formula(self, dialect: Dialect) -> str:
        """The weighted sum."""
        return weighted_sum(self.weights, dialect)


def as_weights(rule: PairRule, origin: str) -> LinearRule:
    """A half-space between two examples by its weights alone."""
    weights = tuple(rule.weights.tolist())
    return LinearRule(weights, rule.cut, rule.side, origin, rule.tolerance, rule.indices)
