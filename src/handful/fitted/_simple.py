"""Forms made of labels: a constant, rules in order, a vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.fitted._conditions import Condition
from handful.fitted._machine import Machine, Spoken, used


def _scores_of(labels: Ints, n_classes: int) -> Floats:
    """Scores that say no more than the label."""
    if n_classes == 2:
        return np.where(labels > 0, 1.0, -1.0)
    return np.asarray(np.eye(n_classes)[labels])


@dataclass(frozen=True)
class Constant:
    """The same label for every row."""

    form: ClassVar[str] = "constant"
    label: int
    n_classes: int = 2

    def labels(self, X: Floats) -> Ints:
        """The label, for every row."""
        return np.full(len(X), self.label, dtype=np.int64)

    def scores(self, X: Floats) -> Floats:
        """1 for the label."""
        return _scores_of(self.labels(X), self.n_classes)

    def sentences(self, words: Spoken) -> list[str]:
        """One sentence."""
        return [f"Always predict {words.labels[self.label]}."]

    @property
    def size(self) -> int:
        """Nothing to read."""
        return 0

    @property
    def features(self) -> tuple[int, ...]:
        """None."""
        return ()


@dataclass(frozen=True)
class Rule:
    """A label for the rows that meet all conditions."""

    conditions: tuple[Condition, ...]
    label: int


@dataclass(frozen=True)
class OrderedRules:
    """The first rule whose conditions are all met gives the label, else the default.

    Examples
    --------
    >>> from handful.fitted import Cut
    >>> rules = OrderedRules((Rule((Cut(0, 2.0), Cut(1, 5.0, False)), 1),), default=0)
    >>> rules.labels(np.array([[3.0, 4.0], [3.0, 6.0], [np.nan, 4.0]]))
    array([1, 0, 0])
    >>> rules.sentences(Spoken(("age", "nodes"), ("well", "ill")))
    ['If age ≥ 2 and nodes < 5: ill.', 'Otherwise: well.']
    """

    form: ClassVar[str] = "rules"
    rules: tuple[Rule, ...]
    default: int
    n_classes: int = 2

    def first_rule(self, X: Floats) -> Ints:
        """Position of the first rule that fires for each row, -1 where none does."""
        fired = np.full(len(X), -1, dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            is_met = np.ones(len(X), dtype=bool)
            for condition in rule.conditions:
                is_met &= condition.is_met(X)
            fired[is_met] = i
        return fired

    def labels(self, X: Floats) -> Ints:
        """What the first rule that fires says."""
        outputs = np.array([*(rule.label for rule in self.rules), self.default], dtype=np.int64)
        return np.asarray(outputs[self.first_rule(X)])

    def scores(self, X: Floats) -> Floats:
        """1 for the label."""
        return _scores_of(self.labels(X), self.n_classes)

    def sentences(self, words: Spoken) -> list[str]:
        """One a rule, and the default."""
        lines = []
        for i, rule in enumerate(self.rules):
            conditions = " and ".join(c.describe(words) for c in rule.conditions)
            lines.append(f"{'Else if' if i else 'If'} {conditions}: {words.labels[rule.label]}.")
        if not lines:
            return [f"Always predict {words.labels[self.default]}."]
        return [*lines, f"Otherwise: {words.labels[self.default]}."]

    @property
    def size(self) -> int:
        """Number of conditions."""
        return sum(len(rule.conditions) for rule in self.rules)

    @property
    def features(self) -> tuple[int, ...]:
        """Those of all conditions."""
        return used([j for rule in self.rules for c in rule.conditions for j in c.features])


@dataclass(frozen=True)
class Vote:
    """What most of several classifiers say; of equally many, what the earliest of them says."""

    form: ClassVar[str] = "vote"
    members: tuple[Machine, ...]
    n_classes: int = 2

    def _counts(self, X: Floats) -> Floats:
        counts = np.zeros((len(X), self.n_classes))
        for i, member in enumerate(self.members):
            counts += np.eye(self.n_classes)[member.labels(X)] * (1.0 + 0.5 ** (i + 20))
        return counts

    def labels(self, X: Floats) -> Ints:
        """The class with most votes."""
        return np.asarray(np.argmax(self._counts(X), axis=1), dtype=np.int64)

    def scores(self, X: Floats) -> Floats:
        """Shares of the votes."""
        counts = self._counts(X)
        return counts[:, 1] - counts[:, 0] if self.n_classes == 2 else counts

    def sentences(self, words: Spoken) -> list[str]:
        """Each member in turn."""
        lines = [f"What most of these {len(self.members)} say:"]
        for i, member in enumerate(self.members):
            lines += [f"({i + 1}) {member.form}", *(f"  {s}" for s in member.sentences(words))]
        return lines

    @property
    def size(self) -> int:
        """All members together."""
        return sum(member.size for member in self.members)

    @property
    def features(self) -> tuple[int, ...]:
        """Those of all members."""
        return used([j for member in self.members for j in member.features])
