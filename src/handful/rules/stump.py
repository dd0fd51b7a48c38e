"""Stumps: one feature on one side of a value, or equal to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats
from handful.rules.fields import Reader, optional, read_float, read_index, read_nothing, read_side
from handful.rules.formulas import Dialect
from handful.rules.rule import SIDE_MARKS, AbstractRule, feature_name, register_rule


@register_rule("stump")
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

    fields: ClassVar[Mapping[str, Reader]] = {
        "feature": read_index,
        "threshold": read_float,
        "side": read_side,
        "example": optional(read_index),
        "category": read_nothing,
    }
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

    def used_features(self, n_features: int) -> set[int]:
        """The feature."""
        return {self.feature}

    def value_formula(self, dialect: Dialect) -> str:
        """The column; only between 0 and 1 may it hold True and False."""
        make = dialect.operand if 0.0 <= self.threshold <= 1.0 else dialect.column
        return make(self.feature)

    def condition_formula(
        self, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
    ) -> str:
        """A comparison, or an equality for categories."""
        if self.side not in ("equal", "unequal"):
            return super().condition_formula(dialect, words, opposite=opposite)
        is_equal = (self.side == "equal") != opposite
        if words is not None:
            return dialect.word(self.feature, words[int(self.threshold)], is_equal)
        mark = dialect.equal if is_equal else dialect.unequal
        compared = f"{dialect.column(self.feature)} {mark} {dialect.number(self.threshold)}"
        known = dialect.is_known(self.feature)
        return f"({known} {dialect.both} {compared})" if known else compared
