"""Forms made of labels: a constant, rules in order, rules for one class, a vote."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.codec import fail
from handful.models.conditions import Condition
from handful.models.form import (
    Form,
    Part,
    Places,
    check_classes,
    check_length,
    check_two,
    check_within,
    scores_of,
    used,
)
from handful.models.language import Entry, Language, pick
from handful.models.words import Vocabulary

MAX_MEMBERS = 20  # a damaged file must not make the reader build more
_WIDEST = 100  # characters of a sentence that is printed as one line
_MOST_TERMS = 8  # of a weighted sum that the sentences of a machine's rules name


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

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        return [Entry(text, (), part=0, label=self.label) for text in self.sentences(words)]

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

    def is_met(self, X: Floats) -> Mask:
        """Which rows meet all conditions."""
        is_met = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            is_met &= condition.is_met(X)
        return is_met

    def score(self, X: Floats) -> Floats:
        """Distance of each row to the nearest boundary that decides, positive if the rule fires."""
        # If all conditions are met, the nearest boundary decides; if not, the one that fails by
        # most.
        return np.asarray(np.min([condition.score(X) for condition in self.conditions], axis=0))

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

    most_terms: ClassVar[int | None] = None  # of a weighted sum that sentences name; None: all
    rules: tuple[Rule, ...]
    default: int
    n_classes: int = 2

    def first_rule(self, X: Floats) -> Ints:
        """Position of the first rule that fires for each row, -1 if none does."""
        fired = np.full(len(X), -1, dtype=np.int64)
        # Backwards, so that an earlier rule overwrites later ones.
        for i, rule in reversed(list(enumerate(self.rules))):
            fired[rule.is_met(X)] = i
        return fired

    def labels(self, X: Floats) -> Ints:
        outputs = np.array([*(rule.label for rule in self.rules), self.default], dtype=np.int64)
        return np.asarray(outputs[self.first_rule(X)])

    def scores(self, X: Floats) -> Floats:
        return scores_of(self.labels(X), self.n_classes)

    def texts(self, words: Vocabulary) -> list[str]:
        """The conditions of each rule in the user's words."""
        spoken = replace(words, most_terms=self.most_terms)
        return [rule.describe(spoken) for rule in self.rules]

    def sentences(self, words: Vocabulary) -> list[str]:
        said = zip(self.texts(words), self.rules, strict=True)
        lines = [
            f"{'Else if' if i else 'If'} {text}: {words.labels[rule.label]}."
            for i, (text, rule) in enumerate(said)
        ]
        if not lines:
            return [f"Always predict {words.labels[self.default]}."]
        return [*lines, f"Otherwise: {words.labels[self.default]}."]

    @property
    def size(self) -> int:
        return sum(len(rule.conditions) for rule in self.rules)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of all rules, in order."""
        return tuple(condition for rule in self.rules for condition in rule.conditions)

    @property
    def features(self) -> tuple[int, ...]:
        return used([j for condition in self.conditions for j in condition.features])

    @property
    def examples(self) -> tuple[int, ...]:
        """Training examples that the conditions name, sorted."""
        return used([i for condition in self.conditions for i in condition.examples])

    @property
    def n_training_rows(self) -> int:
        return len({row for condition in self.conditions for row in condition.rows})

    @property
    def why_closed(self) -> str:
        found = (condition.value.why_closed for condition in self.conditions)
        return next((why for why in found if why), "")

    @property
    def is_plain(self) -> bool:
        return not self.why_closed

    def described(self, words: Vocabulary) -> list[Part]:
        labels = [*(rule.label for rule in self.rules), self.default]
        return [
            {"condition": text, "label": words.labels[label], "value": 1.0}
            for text, label in zip([*self.texts(words), ""], labels, strict=True)
        ]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        texts = [*self.texts(words), "otherwise" if self.rules else "always"]
        return [texts[i] for i in self.first_rule(X)]

    def changed(self, change: Callable[[Condition], Condition]) -> Self:
        """The same rules over changed conditions."""
        rules = [replace(r, conditions=tuple(map(change, r.conditions))) for r in self.rules]
        return replace(self, rules=tuple(rules))

    def moved(self, places: Places) -> Self:
        return self.changed(lambda condition: condition.moved(places))

    def renumbered(self, order: Ints) -> Self:
        return self.changed(lambda condition: condition.renumbered(order))

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

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        return [
            condition.entry(words, language, part=i, label=rule.label)
            for i, rule in enumerate(self.rules)
            for condition in rule.conditions
        ]

    @property
    def asks_once(self) -> bool:
        return all(condition.asks_once for condition in self.conditions)


@dataclass(frozen=True)
class SignedRules(OrderedRules):
    """Rules for two classes; the score is the distance to a boundary, with the sign of the label.

    Without rules it is 1 or -1.
    """

    most_terms: ClassVar[int | None] = _MOST_TERMS

    def sentences(self, words: Vocabulary) -> list[str]:
        """One sentence a rule; a long one has a line a condition."""
        lines = super().sentences(words)
        if all(len(line) <= _WIDEST for line in lines):
            return lines
        spoken = replace(words, most_terms=self.most_terms)
        broken: list[str] = []
        for line, rule in zip(lines, self.rules, strict=False):
            texts = [condition.describe(spoken) for condition in rule.conditions]
            is_long = len(line) > _WIDEST and len(texts) > 1
            start = "Else if" if broken else "If"
            end = f": {words.labels[rule.label]}."
            rest = [f"  and {text}" for text in texts[1:]]
            broken += [f"{start} {texts[0]}", *rest[:-1], rest[-1] + end] if is_long else [line]
        return [*broken, lines[-1]]

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_two(where, n_classes)
        super().check(where, width, n_classes)

    @abstractmethod
    def score_formula(self, language: Language) -> str:
        """The score in another language."""


@dataclass(frozen=True)
class RuleSet(SignedRules, tag="rule set"):
    """Rules for one of two classes, whose order does not matter.

    A row gets the class if it meets all conditions of some rule. The score is the distance to the
    nearest boundary that decides.

    Examples
    --------
    >>> both = Condition.on(0, ">=", 2.0), Condition.on(1, "<", 5.0)
    >>> rules = RuleSet((Rule(both, 1),), default=0)
    >>> rules.scores(np.array([[3.0, 1.0], [3.0, 7.0]]))
    array([ 1., -2.])
    >>> rules.reasons(np.array([[3.0, 7.0]]), Vocabulary(("age", "nodes"), ("well", "ill")))
    ['nodes ≥ 5']
    """

    def scores(self, X: Floats) -> Floats:
        if not self.rules:
            return super().scores(X)
        # The rule that fires with most room or, if none fires, the one that comes nearest to
        # firing.
        best = np.max([rule.score(X) for rule in self.rules], axis=0)
        return np.asarray(best if self.rules[0].label else -best)

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        """The rule that decided. If the only rule does not fire: its first condition that fails."""
        if len(self.rules) != 1:
            return super().reasons(X, words)
        spoken = replace(words, most_terms=self.most_terms)
        (rule,) = self.rules
        out = np.full(len(X), rule.describe(spoken), dtype=object)
        # Backwards: the first condition that fails is the one that is named.
        for condition in reversed(rule.conditions):
            out[~condition.is_met(X)] = condition.opposite.describe(spoken)
            is_missing = np.isnan(condition.value.of(X))
            out[is_missing] = condition.opposite.said_missing(spoken)
        return out.tolist()

    def check(self, where: str, width: int, n_classes: int) -> None:
        super().check(where, width, n_classes)
        if any(rule.label == self.default for rule in self.rules):
            raise fail(f"{where}.rules", "for the class that is not the default", self.default)

    def score_formula(self, language: Language) -> str:
        if not self.rules:
            return "1.0" if self.default else "-1.0"
        best = _extreme([_rule_formula(rule, language) for rule in self.rules], language, True)
        return best if self.rules[0].label else f"-{best}"


@dataclass(frozen=True)
class RuleList(SignedRules, tag="rule list"):
    """Rules in order for two classes.

    The score is the distance to the nearest boundary among the rules that are asked.

    Examples
    --------
    >>> first, second = Condition.on(0, ">", 1.0), Condition.on(0, "<", 0.0)
    >>> rules = RuleList((Rule((first,), 1), Rule((second,), 0)), default=1)
    >>> rules.scores(np.array([[0.25], [3.0], [-1.0]]))
    array([ 0.25,  2.  , -1.  ])
    """

    def scores(self, X: Floats) -> Floats:
        signs, fired = super().scores(X), self.first_rule(X)
        if not self.rules:
            return signs
        nearest = np.full(len(X), np.inf)
        for i, rule in enumerate(self.rules):
            # Rules behind the one that fires are not asked, so their boundaries decide nothing.
            is_asked = (fired < 0) | (fired >= i)
            nearest = np.where(is_asked, np.minimum(nearest, np.abs(rule.score(X))), nearest)
        return np.asarray(signs * nearest)

    def score_formula(self, language: Language) -> str:
        signs = ["1.0" if rule.label else "-1.0" for rule in self.rules]
        rest = "1.0" if self.default else "-1.0"
        if not self.rules:
            return rest
        gaps: list[str] = []
        branches = []
        for rule, sign in zip(self.rules, signs, strict=True):
            gaps.append(f"{language.absolute}({_rule_formula(rule, language)})")
            branches.append((rule.formula(language), f"{sign} * {_extreme(gaps, language, False)}"))
        return language.case(branches, f"{rest} * {_extreme(gaps, language, False)}")


def _rule_formula(rule: Rule, language: Language) -> str:
    """The score of a rule in another language."""
    return _extreme([c.score_formula(language) for c in rule.conditions], language, False)


def _extreme(values: Sequence[str], language: Language, is_largest: bool) -> str:
    return values[0] if len(values) == 1 else language.extreme(values, is_largest=is_largest)


@dataclass(frozen=True)
class Several(Form):
    """A form made of other forms."""

    members: tuple[Form, ...]

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


@dataclass(frozen=True)
class OneAgainstRest(Several, tag="one against the rest"):
    """Rules for each of several classes against the others; the largest score wins.

    A score is the distance to the nearest boundary that decides, negative if the rules of the class
    say no.
    """

    members: tuple[SignedRules, ...]

    def scores(self, X: Floats) -> Floats:
        return np.column_stack([member.scores(X) for member in self.members])

    def _words(self, words: Vocabulary, k: int) -> Vocabulary:
        return replace(words, labels=(f"not {words.labels[k]}", words.labels[k]))

    def sentences(self, words: Vocabulary) -> list[str]:
        parts = (m.sentences(self._words(words, k)) for k, m in enumerate(self.members))
        end = "The class whose rules say yes with the largest distance wins."
        return [*(line for part in parts for line in part), end]

    def described(self, words: Vocabulary) -> list[Part]:
        parts = (m.described(self._words(words, k)) for k, m in enumerate(self.members))
        return [row for part in parts for row in part]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        out, labels = np.full(len(X), "", dtype=object), self.labels(X)
        for k, member in enumerate(self.members):
            rows = np.flatnonzero(labels == k)
            out[rows] = member.reasons(X[rows], self._words(words, k))
        return out.tolist()

    def check(self, where: str, width: int, n_classes: int) -> None:
        check_length(f"{where}.members", self.members, n_classes)
        if n_classes < 3:
            raise fail(f"{where}.members", "for three classes or more", n_classes)
        for k, member in enumerate(self.members):
            member.check(f"{where}.members[{k}]", width, 2)

    @property
    def has_sums(self) -> bool:
        return True

    def score_formulas(self, language: Language) -> list[str]:
        return [member.score_formula(language) for member in self.members]

    def statements(self, outputs: Sequence[str], language: Language) -> list[str]:
        # index(max()) is the first of the largest, as argmax is.
        scores = ",\n        ".join(self.score_formulas(language))
        return [
            f"scores = [\n        {scores},\n    ]",
            f"return [{', '.join(outputs)}][scores.index(max(scores))]",
        ]


@dataclass(frozen=True)
class Vote(Several, tag="vote"):
    """The majority label of several classifiers. The earliest classifier breaks ties."""

    n_classes: int = 2

    def _counts(self, X: Floats) -> Floats:
        counts = np.zeros((len(X), self.n_classes))
        for i, member in enumerate(self.members):
            # a little more weight for earlier members breaks ties, and outweighs no vote
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
                # The same little more for earlier members as in `_counts`, so that ties end alike.
                weights[k] = language.number(1.0 + 0.5 ** (i + 20))
                terms.append(member.decision(weights, language))
            votes.append(language.total(terms))
        return pick(votes, outputs, language)
