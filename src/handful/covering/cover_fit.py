"""The record of a fit: the classifier, how it was chosen, what was counted; without its data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.bounds import Certificate, caution
from handful.covering._certify import certify_candidate, certify_grouped, certify_together
from handful.covering.codes.candidate import Candidate
from handful.covering.groups import GroupCounts
from handful.covering.learn import Learned, Settings, learn, renumbered
from handful.covering.training import Training
from handful.models import Condition, Fitted, Form, OneAgainstRest, SignedRules
from handful.tables import Columns, Draw, SeenRows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CoverFit:
    """How a covering machine was learned: it counts, certifies and says what was weighed.

    Attributes
    ----------
    fitted : Fitted
        The classifier as data.
    parts : tuple of Learned
        One for two classes, else one for each class against the rest: its rules, all candidates
        with their certificates, which of them was chosen.
    classes : array
    names : list of str or None
        Names of the columns, if they have some.
    n_samples : int
    settings : Settings
    draw : Draw
    n_training_errors, n_errors : int
        Errors on all examples, and on those that are counted.
    digests : array of uint8 (n_named, 32)
        By what the examples of ``named`` are known again.
    seen : SeenRows
    groups : GroupCounts or None
        Errors by groups, if rows belong together.
    """

    fitted: Fitted
    parts: tuple[Learned, ...]
    classes: NDArray[Any]
    names: list[str] | None
    n_samples: int
    settings: Settings
    draw: Draw
    n_training_errors: int
    n_errors: int
    digests: NDArray[np.uint8]
    seen: SeenRows
    groups: GroupCounts | None = None

    @property
    def labelled(self) -> list[tuple[Any, Learned]]:
        """(positive label, part) pairs."""
        labels = self.classes[1:] if len(self.parts) == 1 else self.classes
        return list(zip(labels, self.parts, strict=True))

    @property
    def rules(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions of each part."""
        return tuple(part.machine.conditions for part in self.parts)

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """The candidates behind the parts."""
        return tuple(part.chosen for part in self.parts)

    @cached_property
    def made_of(self) -> Ints:
        """Sorted examples that the rules are made of."""
        return _union(part.made_of for part in self.parts)

    @cached_property
    def named(self) -> Ints:
        """Sorted examples that the code or the rules name one by one."""
        return _union(part.named for part in self.parts)

    @cached_property
    def held_back(self) -> Ints:
        """Sorted examples that are not counted: those it is made of, and pools."""
        return _union(candidate.kept for candidate in self.chosen)

    def certificate(self, delta: float, bound: str) -> Certificate:
        """From stored counts."""
        if self.groups is not None:
            return certify_grouped(self, self.groups, delta, bound)
        if len(self.parts) > 1:
            return certify_together(self, delta, bound)
        part, costs = self.parts[0], self.settings.costs
        return certify_candidate(
            part.chosen, part.counts, delta=delta, bound=bound, costs=costs, draw=self.draw
        )

    def caution(self, certificate: Certificate) -> str:
        """What must be said first of a classifier that is no better than a blind guess."""
        counts = [part.counts.n_positives for part in self.parts]
        if len(counts) == 1:
            counts = [self.parts[0].counts.n_negatives, counts[0]]
        constant = None
        if not any(self.rules):
            (code,) = self.fitted.machine.labels(np.zeros((1, 0)))
            constant = self.classes[code]
        return caution(
            certificate,
            dict(zip(self.classes.tolist(), counts, strict=True)),
            n_errors=self.n_training_errors,
            constant=constant,
        )

    def provenance(self) -> str:
        """How many examples it is made of, and how many were held back."""
        text = examples_text(len(self.made_of), len(self.held_back), self.n_samples)
        if self.groups is None:
            return text
        kept, whole = self.groups.n_kept, self.groups.n_groups
        return f"{text} Groups are held back whole: {kept} of {whole}."

    def rules_frame(self) -> pd.DataFrame:
        """One row a rule and one for other cases: its examples, and how many rows meet it."""
        rules = [(*part.machine.rules, None) for part in self.parts]
        examples = [
            () if rule is None else tuple(i for c in rule.conditions for i in c.examples)
            for own in rules
            for rule in own
        ]
        n_covered = [n for part in self.parts for n in part.n_covered]
        return self.fitted.parts().assign(examples=examples, n_covered=n_covered)

    def path_frame(self) -> pd.DataFrame:
        """Every candidate with its counts and certificate."""
        import pandas as pd

        return pd.DataFrame(
            {
                "machine": label,
                "scheme": candidate.scheme,
                "family": candidate.family,
                "kind": candidate.kind,
                "penalty": candidate.penalty,
                "pool_size": candidate.pool_size,
                "n_rules": candidate.n_rules,
                "n_compressed": len(candidate.kept),
                "n_errors": candidate.n_errors,
                "n_training_errors": candidate.n_training_errors,
                "nats": candidate.nats,
                "certificate": float(risk),
                "is_chosen": i == part.place,
            }
            for label, part in self.labelled
            for i, (candidate, risk) in enumerate(zip(part.candidates, part.risks, strict=True))
        )

    def without_data(self) -> CoverFit:
        """The same classifier without candidates and digests of the training rows."""
        none = SeenRows(np.zeros(0, dtype=np.uint64))
        parts = tuple(part.alone() for part in self.parts)
        return replace(self, parts=parts, draw=replace(self.draw, row_codes=None), seen=none)


def examples_text(n_made_of: int, n_held_back: int, n_samples: int) -> str:
    """How many examples a machine is made of, and how many were held back besides.

    Examples
    --------
    >>> examples_text(3, 205, 683)
    'It is made of 3 of 683 examples; 205 were held back: they proposed the rules and are not \
counted.'
    """
    text = f"It is made of {n_made_of} of {n_samples} examples"
    if n_held_back == n_made_of:
        return f"{text}, which are not counted."
    return f"{text}; {n_held_back} were held back: they proposed the rules and are not counted."


def _union(parts: Iterable[Iterable[int]]) -> Ints:
    return np.array(sorted({int(example) for part in parts for example in part}), dtype=np.int64)


def _joined(machines: Sequence[SignedRules]) -> Form:
    return machines[0] if len(machines) == 1 else OneAgainstRest(tuple(machines))


@dataclass(frozen=True)
class _Wrong:
    """Counts errors of the machines together."""

    machine: Form

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        n_wrong = int((self.machine.labels(X) != codes).sum()) if len(X) else 0
        return np.array([n_wrong], dtype=np.int64)


def cover(training: Training, settings: Settings) -> CoverFit:
    """Learn one machine a class against the rest, and count their errors together.

    The examples come in the blind order, the same for every class: their pools overlap, so that
    fewer examples are kept.
    """
    n_classes = len(training.classes)
    positives = [1] if n_classes == 2 else list(range(n_classes))
    share = replace(settings, delta=settings.delta / len(positives))
    learned = [learn(training.rows(positive), share, training.groups) for positive in positives]
    parts = tuple(renumbered(part, training.order) for part in learned)
    n_wrong, n_counted = _count(training, parts)
    groups = _group_counts(training, learned, parts)
    names = training.names or [f"x{j}" for j in range(training.n_features)]
    coded = training.columns or Columns.of_numbers(names)
    columns, machines = as_asked(coded, [part.machine for part in parts])
    words = tuple(str(label) for label in training.classes)
    form = "rule list" if settings.is_list else "rule set"
    return CoverFit(
        fitted=Fitted(form, columns, words, _joined(machines)),
        parts=tuple(replace(p, machine=m) for p, m in zip(parts, machines, strict=True)),
        classes=training.classes,
        names=training.names,
        n_samples=training.n_samples,
        settings=settings,
        draw=training.draw,
        n_training_errors=n_wrong,
        n_errors=n_counted,
        digests=training.digests_of(_union(part.named for part in parts)),
        seen=training.seen(),
        groups=groups,
    )


def as_asked(
    columns: Columns, machines: Sequence[SignedRules]
) -> tuple[Columns, list[SignedRules]]:
    """Conditions on codes of words as conditions on flags, one for each word that they name.

    A search compares codes. A classifier reads tables, and says no word that it does not need.
    """
    if not columns.is_categorical.any():
        return columns, list(machines)
    given, named = columns.columns, {j: set[str]() for j in range(len(columns.columns))}
    for condition in (condition for machine in machines for condition in machine.conditions):
        for j in condition.features:
            if given[j].is_categorical:
                named[j].add(given[j].levels[int(condition.cut)])
    asked = [
        replace(column, words=tuple(sorted(named[j])), levels=())
        if column.is_categorical
        else column
        for j, column in enumerate(given)
    ]
    widths = [len(column.features) for column in asked]
    places = {j: sum(widths[:j]) for j in range(len(asked))}

    def change(condition: Condition) -> Condition:
        (j,) = condition.features  # words go with stumps alone
        if not given[j].is_categorical:
            return condition.moved(places)
        flag = (asked[j].words or ()).index(given[j].levels[int(condition.cut)])
        return Condition.on(places[j] + flag, condition.op, 1.0, condition.examples)

    return Columns(tuple(asked)), [machine.changed(change) for machine in machines]


def _group_counts(
    training: Training, learned: list[Learned], parts: tuple[Learned, ...]
) -> GroupCounts | None:
    """Errors by groups of one machine, or of all machines together outside what any of them kept.

    ``learned`` are the parts by places in the blind order.
    """
    if training.groups is None or len(parts) == 1:
        return parts[0].groups
    X, codes = training.hold(np.asarray(training.order))
    is_wrong = _joined([part.machine for part in parts]).labels(X) != codes
    kept = tuple({int(i) for part in learned for i in part.chosen.kept})
    return training.groups.count(is_wrong, kept)


def _count(training: Training, parts: tuple[Learned, ...]) -> tuple[int, int]:
    """Errors on all examples, and on those that are counted; of one machine they are known."""
    if len(parts) == 1:
        return parts[0].chosen.n_training_errors, parts[0].chosen.n_errors
    wrong = _Wrong(_joined([part.machine for part in parts]))
    (n_wrong,) = training.total(wrong, "errors").tolist()
    held = training.hold(_union(part.chosen.kept for part in parts))
    return n_wrong, n_wrong - int(wrong(*held)[0])
