"""Hyperplanes whose weights came from a pool of examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats
from handful.rules.directions import inner_products, linear_text, without_unweighted
from handful.rules.fields import (
    Reader,
    read_float,
    read_floats,
    read_ordered_side,
    read_size,
    read_text,
)
from handful.rules.formulas import Dialect, weighted_sum
from handful.rules.rule import SIDE_MARKS, AbstractRule, register_rule

ORIGINS = (
    "logistic regression on the pool (ridge 1)",
    "logistic regression on the pool (ridge 10)",
    "half-space between two examples of the pool",
)


def _read_origin(value: Any, where: str) -> str:
    return read_text(value, where, ORIGINS)


@register_rule("linear")
@dataclass(frozen=True)
class LinearRule(AbstractRule):
    """Covers one side of a hyperplane whose weights came from a pool of examples.

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
    }
    weights: tuple[float, ...]
    threshold: float
    side: str
    origin: str = "pool"
    tol: float = 0.0

    @property
    def cut(self) -> float:
        """The threshold on the weighted sum."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Set when the rule is made, from the size of the values on the pool."""
        return self.tol

    @property
    def examples(self) -> tuple[int, ...]:
        """None of its own: the pool stands for it."""
        return ()

    def values(self, X: Floats) -> Floats:
        """The weighted sum of the features."""
        weights = np.array([self.weights])
        X = without_unweighted(np.asarray(X, dtype=np.float64), weights)
        return np.asarray(inner_products(weights, X)[0])

    def unit(self) -> float:
        """Length of the weight vector."""
        largest = max((abs(w) for w in self.weights), default=0.0)
        if largest == 0.0:
            return 0.0
        return largest * float(np.linalg.norm(np.array(self.weights) / largest))

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``+0.8·glucose +0.3·bmi > 2.1``."""
        text = linear_text(np.array(self.weights), names)
        return f"{text} {SIDE_MARKS[self.side]} {self.threshold:.6g}"

    def used_features(self, n_features: int) -> set[int]:
        """Those that have a weight."""
        return set(np.flatnonzero(np.array(self.weights)).tolist())

    def value_formula(self, dialect: Dialect) -> str:
        """The weighted sum."""
        return weighted_sum(self.weights, dialect)
