"""How rules combine: a set joined by *and* / *or*, or an ordered list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.rules.rule import AbstractRule

OR_MISSING = " or missing"


@dataclass(frozen=True)
class RuleSet:
    """A conjunction or disjunction of rules.

    A conjunction is +1 where every rule's opposite is met, so -1 where a rule covers the row or
    looks at a missing value; a disjunction is +1 where some rule covers it. A condition on a
    missing value is not met. Without rules it is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.rules import Stump
    >>> machine = RuleSet((Stump(0, 1.0, "above"),), kind="conjunction")
    >>> machine.predict(np.array([[0.0], [2.0], [np.nan]]))
    array([ 1, -1, -1])
    """

    rules: tuple[AbstractRule, ...]
    kind: str = "conjunction"

    @property
    def sign(self) -> int:
        """Label of rows that no rule covers."""
        return 1 if self.kind == "conjunction" else -1

    @property
    def with_missing(self) -> bool:
        """Whether a rule takes the rows whose value is missing: the conjunction needs the value."""
        return self.kind == "conjunction"

    def covers(self, rule: AbstractRule, X: Floats) -> Mask:
        """Which rows one of the rules takes."""
        return rule.covers(X, with_missing=self.with_missing)

    def decision_function(self, X: Floats) -> Floats:
        """Distance to the nearest boundary that decides, with the sign of the prediction."""
        if not self.rules:
            return np.full(X.shape[0], float(self.sign))
        nearest = np.min(
            [rule.score(X, with_missing=self.with_missing) for rule in self.rules], axis=0
        )
        return np.asarray(self.sign * nearest)

    def predict(self, X: Floats) -> Ints:
        """Labels in {-1, +1}."""
        covered = np.zeros(X.shape[0], dtype=bool)
        for rule in self.rules:
            covered |= self.covers(rule, X)
        return np.where(covered, -self.sign, self.sign)

    def first_rule(self, X: Floats) -> Ints:
        """Index of the first rule that covers each row, -1 where none does."""
        fired = np.full(X.shape[0], -1, dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            fired[self.covers(rule, X)] = i
        return fired

    def as_list(self) -> RuleList:
        """The same rules as a list; it differs where a conjunction misses a value."""
        return RuleList(self.rules, (-self.sign,) * len(self.rules), self.sign)

    @property
    def compression_set(self) -> tuple[int, ...]:
        """Sorted distinct indices of the examples that the rules are made of."""
        return tuple(sorted({i for rule in self.rules for i in rule.examples}))

    def describe(self, names: Sequence[str] | None = None) -> list[str]:
        """The conditions under which a row is covered."""
        more = OR_MISSING if self.with_missing else ""
        return [rule.describe(names) + more for rule in self.rules]


@dataclass(frozen=True)
class RuleList:
    """An ordered list: the first rule that covers a row gives its output, else the default.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.rules import Stump
    >>> machine = RuleList((Stump(0, 1.0, "above"), Stump(0, 0.0, "below")), (1, 1), default=-1)
    >>> machine.predict(np.array([[0.5], [2.0], [-1.0]]))
    array([-1,  1,  1])
    """

    rules: tuple[AbstractRule, ...]
    outputs: tuple[int, ...]
    default: int

    with_missing = False

    def covers(self, rule: AbstractRule, X: Floats) -> Mask:
        """Which rows meet one of the rules."""
        return rule.covers(X)

    def first_rule(self, X: Floats) -> Ints:
        """Index of the first rule that covers each row, -1 where none does."""
        fired = np.full(X.shape[0], -1, dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            fired[self.covers(rule, X)] = i
        return fired

    def predict(self, X: Floats) -> Ints:
        """Labels in {-1, +1}."""
        outputs = np.array([*self.outputs, self.default])
        return np.asarray(outputs[self.first_rule(X)])

    def decision_function(self, X: Floats) -> Floats:
        """Prediction times the distance to the nearest boundary among the rules looked at."""
        label = self.predict(X).astype(np.float64)
        if not self.rules:
            return label
        fired = self.first_rule(X)
        distance = np.full(X.shape[0], np.inf)
        for i, rule in enumerate(self.rules):
            looked_at = (fired < 0) | (fired >= i)
            distance = np.where(looked_at, np.minimum(distance, np.abs(rule.score(X))), distance)
        return np.asarray(label * distance)

    @property
    def compression_set(self) -> tuple[int, ...]:
        """Sorted distinct indices of the examples that the rules are made of."""
        return tuple(sorted({i for rule in self.rules for i in rule.examples}))

    def describe(self, names: Sequence[str] | None = None) -> list[str]:
        """The conditions under which a row is covered, in order."""
        return [rule.describe(names) for rule in self.rules]
