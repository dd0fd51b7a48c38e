"""Forms made of labels: a constant, rules in order, a vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from handful._codec import fail
from handful._types import Floats, Ints
from handful.models.conditions import Condition
from handful.models.form import (
    Form,
    Part,
    Places,
    check_classes,
    check_within,
    scores_of,
    used,
)
from handful.models.language import Language, pick, total
from handful.models.words import Vocabulary

MAX_MEMBERS = 20  # a damaged file must not make the reader build more


@dataclass(frozen=True)
class Constant(Form, tag="constant"):
    """The same label for every row."""

    label: int
    n_classes: int = 2

    def labels(self, X: Floats) -> Ints:
        return np.full(len(X), self.label, dtype=np.int64)

    def scores(self, X: Floats) -> Floats:
        return scores_of(self.labels(X), self.n_classes)

    def sentences(self, words: Vocabulary) -> list[str]:
        return [f"Always predict {words.labels[self.label]}."]

    @property
    def size(self) -> int:
        return 0

    @property
    def features(self) -> tuple[int, ...]:
        return ()

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        return ["always"] * len(X)

    def moved(self, places: Places) -> Self:
        return self

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_classes(where, self.n_classes, n_classes)
        check_within(f"{where}.label", self.label, n_classes)

    def decision(self, outputs: Sequence[str], language: Language) -> str:
        return outputs[self.label]

    @property
    def asks_once(self) -> bool:
        return True


@dataclass(frozen=True)
class Rule:
    """A label for the rows that meet all conditions."""

    conditions: tuple[Condition, ...]
    label: int

    def check_fields(self, where: str) -> None:
        """Refuse a rule that asks for nothing."""
        if not self.conditions:
            raise fail(f"{where}.conditions", "at least one condition", [])

    def describe(self, words: Vocabulary) -> str:
        """All conditions in the user's words."""
        return " and ".join(condition.describe(words) for condition in self.conditions)

    def formula(self, language: Language) -> str:
        """All conditions in another language."""
        return f" {language.both} ".join(c.formula(language) for c in self.conditions)


@dataclass(frozen=True)
class OrderedRules(Form, tag="rules"):
    """The first rule whose conditions are all met gives the label, else the default.

    Examples
    --------
    >>> both = Condition.on(0, ">=", 2.0), Condition.on(1, "<", 5.0)
    >>> rules = OrderedRules((Rule(both, 1),), default=0)
    >>> rules.labels(np.array([[3.0, 4.0], [3.0, 6.0], [np.nan, 4.0]]))
    array([1, 0, 0])
    >>> rules.sentences(Vocabulary(("age", "nodes"), ("well", "ill")))
    ['If age ≥ 2 and nodes < 5: ill.', 'Otherwise: well.']
    """

    rules: tuple[Rule, ...]
    default: int
    n_classes: int = 2

    def first_rule(self, X: Floats) -> Ints:
        """Position of the first rule that fires for each row, -1 if none does."""
        fired = np.full(len(X), -1, dtype=np.int64)
        for i, rule in reversed(list(enumerate(self.rules))):
            is_met = np.ones(len(X), dtype=bool)
            for condition in rule.conditions:
                is_met &= condition.is_met(X)
            fired[is_met] = i
        return fired

    def labels(self, X: Floats) -> Ints:
        outputs = np.array([*(rule.label for rule in self.rules), self.default], dtype=np.int64)
        return np.asarray(outputs[self.first_rule(X)])

    def scores(self, X: Floats) -> Floats:
        return scores_of(self.labels(X), self.n_classes)

    def sentences(self, words: Vocabulary) -> list[str]:
        lines = [
            f"{'Else if' if i else 'If'} {rule.describe(words)}: {words.labels[rule.label]}."
            for i, rule in enumerate(self.rules)
        ]
        if not lines:
            return [f"Always predict {words.labels[self.default]}."]
        return [*lines, f"Otherwise: {words.labels[self.default]}."]

    @property
    def size(self) -> int:
        return sum(len(rule.conditions) for rule in self.rules)

    @property
    def _conditions(self) -> list[Condition]:
        return [condition for rule in self.rules for condition in rule.conditions]

    @property
    def features(self) -> tuple[int, ...]:
        return used([j for condition in self._conditions for j in condition.features])

    @property
    def n_training_rows(self) -> int:
        return len({row for condition in self._conditions for row in condition.rows})

    def described(self, words: Vocabulary) -> list[Part]:
        said = [(rule.describe(words), rule.label) for rule in self.rules]
        return [
            {"condition": text, "label": words.labels[label], "value": 1.0}
            for text, label in [*said, ("", self.default)]
        ]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        texts = [rule.describe(words) for rule in self.rules]
        texts.append("otherwise" if self.rules else "always")
        return [texts[i] for i in self.first_rule(X)]

    def moved(self, places: Places) -> Self:
        rules = tuple(
            replace(rule, conditions=tuple(c.moved(places) for c in rule.conditions))
            for rule in self.rules
        )
        return replace(self, rules=rules)

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_classes(where, self.n_classes, n_classes)
        check_within(f"{where}.default", self.default, n_classes)
        for i, rule in enumerate(self.rules):
            place = f"{where}.rules[{i}]"
            check_within(f"{place}.label", rule.label, n_classes)
            for k, condition in enumerate(rule.conditions):
                condition.check(f"{place}.conditions[{k}]", width)

    def decision(self, outputs: Sequence[str], language: Language) -> str:
        branches = [(rule.formula(language), outputs[rule.label]) for rule in self.rules]
        return language.case(branches, outputs[self.default])

    def statements(self, outputs: Sequence[str], language: Language) -> list[str]:
        lines = []
        for rule in self.rules:
            lines += [f"if {rule.formula(language)}:", f"    return {outputs[rule.label]}"]
        return [*lines, f"return {outputs[self.default]}"]

    @property
    def asks_once(self) -> bool:
        return all(condition.asks_once for condition in self._conditions)


@dataclass(frozen=True)
class Vote(Form, tag="vote"):
    """What most of several classifiers say; of equally many, what the earliest of them says."""

    members: tuple[Form, ...]
    n_classes: int = 2

    def _counts(self, X: Floats) -> Floats:
        counts = np.zeros((len(X), self.n_classes))
        for i, member in enumerate(self.members):
            counts += np.eye(self.n_classes)[member.labels(X)] * (1.0 + 0.5 ** (i + 20))
        return counts

    def labels(self, X: Floats) -> Ints:
        return np.asarray(np.argmax(self._counts(X), axis=1), dtype=np.int64)

    def scores(self, X: Floats) -> Floats:
        counts = self._counts(X)
        return counts[:, 1] - counts[:, 0] if self.n_classes == 2 else counts

    def sentences(self, words: Vocabulary) -> list[str]:
        lines = [f"What most of these {len(self.members)} say:"]
        for i, member in enumerate(self.members):
            lines += [f"({i + 1}) {member.tag}", *(f"  {s}" for s in member.sentences(words))]
        return lines

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    @property
    def features(self) -> tuple[int, ...]:
        return used([j for member in self.members for j in member.features])

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.members

    def with_inner(self, change: Callable[[Form], Form]) -> Form:
        return replace(self, members=tuple(change(member) for member in self.members))

    def moved(self, places: Places) -> Self:
        return replace(self, members=tuple(member.moved(places) for member in self.members))

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_classes(where, self.n_classes, n_classes)
        if not 1 <= len(self.members) <= MAX_MEMBERS:
            raise fail(f"{where}.members", f"1 to {MAX_MEMBERS} members", len(self.members))
        for i, member in enumerate(self.members):
            place = f"{where}.members[{i}]"
            if isinstance(member, Vote):
                raise fail(f"{place}.machine", "another form than a vote", member.tag)
            if member.reads_table:
                raise fail(f"{place}.takes", "encoded or filled in a vote", "table")
            member.check(place, width, n_classes)

    def decision(self, outputs: Sequence[str], language: Language) -> str:
        votes = []
        for k in range(len(outputs)):
            terms = []
            for i, member in enumerate(self.members):
                weights = ["0"] * len(outputs)
                weights[k] = language.number(1.0 + 0.5 ** (i + 20))
                terms.append(member.decision(weights, language))
            votes.append(total(terms))
        return pick(votes, outputs, language)
