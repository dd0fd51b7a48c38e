"""Stumps: one feature on one side of a value, or equal to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful._types import Floats
from handful.rules.rule import SIDE_MARKS, AbstractRule, feature_name


@dataclass(frozen=True)
class Stump(AbstractRule):
    """Covers where one feature lies on one side of a value (or equals it, for categories).

    Examples
    --------
    >>> import numpy as np
    >>> rule = Stump(feature=1, threshold=2.0, side="above")
    >>> rule.covers(np.array([[0.0, 2.0], [0.0, 3.0], [0.0, np.nan]]))
    array([False,  True, False])
    >>> rule.describe(["age", "nodes"])
    'nodes > 2'
    """

    feature: int
    threshold: float
    side: str
    example: int | None = None
    category: str | None = None

    @property
    def cut(self) -> float:
        """The value of the threshold example."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Zero: values of one feature are compared as they are."""
        return 0.0

    @property
    def examples(self) -> tuple[int, ...]:
        """The threshold example, where there is one."""
        return () if self.example is None else (self.example,)

    def values(self, X: Floats) -> Floats:
        """The feature."""
        return np.asarray(X[:, self.feature], dtype=np.float64)

    def unit(self) -> float:
        """One: distances are in the units of the feature."""
        return 1.0

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``nodes > 2``."""
        value = self.category if self.category is not None else f"{self.threshold:.6g}"
        return f"{feature_name(names, self.feature)} {SIDE_MARKS[self.side]} {value}"
