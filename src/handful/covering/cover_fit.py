"""The record of a fit: everything that a fitted covering machine is, frozen, without its data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.bounds import Certificate, caution
from handful.covering import _explain
from handful.covering._certify import certify_candidate, certify_grouped, certify_together
from handful.covering.codes.candidate import Candidate
from handful.covering.groups import GroupCounts, Grouping
from handful.covering.learn import Learned, Settings, learn, renumbered
from handful.rules import AbstractRule, RuleList, RuleSet
from handful.rules.source_rows import rows_of
from handful.tables import Columns, Draw, RowSource, SeenRows

if TYPE_CHECKING:
    import pandas as pd

Machine = RuleSet | RuleList


@dataclass(frozen=True, eq=False)
class CoverFit:
    """A fitted covering machine as data: it predicts, counts, certifies and says what it is.

    Attributes
    ----------
    parts : tuple of Learned
        One for two classes, else one for each class against the rest: machine, all candidates
        with their certificates, which of them was chosen.
    classes : array
    names : list of str or None
    columns : Columns or None
        How words are read, where there are some.
    n_samples, n_features : int
    settings : Settings
    draw : Draw
    n_training_errors, n_errors : int
        Errors on all examples, and on those that are counted.
    digests : array of uint8 (n_named, 32)
        By what the examples of ``named`` are known again.
    seen : SeenRows
    groups : GroupCounts or None
        Errors by groups, where rows belong together.
    """

    parts: tuple[Learned, ...]
    classes: NDArray[Any]
    names: list[str] | None
    columns: Columns | None
    n_samples: int
    n_features: int
    settings: Settings
    draw: Draw
    n_training_errors: int
    n_errors: int
    digests: NDArray[np.uint8]
    seen: SeenRows
    groups: GroupCounts | None = None

    @property
    def form(self) -> str:
        """What kind of classifier it is."""
        return "rule list" if self.settings.is_list else "rule set"

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The machines of the parts."""
        return tuple(part.machine for part in self.parts)

    @property
    def labelled(self) -> list[tuple[Any, Machine]]:
        """(positive label, machine) pairs."""
        labels = self.classes[1:] if len(self.parts) == 1 else self.classes
        return list(zip(labels, self.machines, strict=True))

    @property
    def rules(self) -> tuple[AbstractRule, ...]:
        """The rules of all machines."""
        return tuple(rule for machine in self.machines for rule in machine.rules)

    @property
    def used_features(self) -> set[int]:
        """Features that the rules look at."""
        return set[int]().union(*(rule.used_features(self.n_features) for rule in self.rules))

    @property
    def n_training_rows(self) -> int:
        """How many training rows the rules contain, cell by cell."""
        return sum(rule.n_training_rows for rule in self.rules)

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """The candidates behind the machines."""
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

    # -- prediction -------------------------------------------------------------------------

    def scores(self, X: Floats) -> Floats:
        """Distance to the nearest boundary that decides, of encoded rows; a column a class."""
        scores = [machine.decision_function(X) for machine in self.machines]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)

    def labels(self, X: Floats) -> Ints:
        """Predicted positions in ``classes`` of encoded rows."""
        return _labels(self.machines, X)

    def fired(self, X: Floats) -> Ints:
        """Index of the first rule that covers each encoded row, -1 where none does."""
        fired = [machine.first_rule(X) for machine in self.machines]
        return fired[0] if len(fired) == 1 else np.column_stack(fired)

    # -- certificates -----------------------------------------------------------------------

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
        if not self.rules:
            constant = self.classes[self.labels(np.zeros((1, self.n_features)))[0]]
        return caution(
            certificate,
            dict(zip(self.classes.tolist(), counts, strict=True)),
            n_errors=self.n_training_errors,
            constant=constant,
        )

    # -- words ------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[tuple[str, ...] | None, ...] | None:
        """The words of each column that are printed, of categories and of scales."""
        if self.columns is None:
            return None
        return tuple(column.levels or None for column in self.columns.columns)

    @property
    def categories(self) -> tuple[tuple[str, ...] | None, ...] | None:
        """The words of each column, where there are some."""
        if self.columns is None:
            return None
        return tuple(c.levels if c.is_categorical else None for c in self.columns.columns)

    def sentences(self) -> list[str]:
        """Exactly what is evaluated, a line each."""
        return _explain.machine_lines(self.labelled, self.classes, self.names, self.words)

    def provenance(self) -> str:
        """How many examples it is made of, and how many were held back."""
        text = _explain.examples_text(len(self.made_of), len(self.held_back), self.n_samples)
        if self.groups is None:
            return text
        kept, whole = self.groups.n_kept, self.groups.n_groups
        return f"{text} Groups are held back whole: {kept} of {whole}."

    def rules_frame(self) -> pd.DataFrame:
        """One row a rule."""
        covered = [part.n_covered for part in self.parts]
        return _explain.rules_frame(
            self.form, self.labelled, covered, self.classes, self.names, self.words
        )

    def path_frame(self) -> pd.DataFrame:
        """Every candidate with its counts and certificate."""
        labels = [label for label, _ in self.labelled]
        return _explain.path_frame(self.parts, labels)

    def without_data(self) -> CoverFit:
        """The same classifier without candidates and digests of the training rows."""
        none = SeenRows(np.zeros(0, dtype=np.uint64))
        parts = tuple(part.alone() for part in self.parts)
        return replace(self, parts=parts, draw=replace(self.draw, row_codes=None), seen=none)


def _union(parts: Any) -> Ints:
    return np.array(sorted({int(example) for part in parts for example in part}), dtype=np.int64)


def _labels(machines: tuple[Machine, ...], X: Floats) -> Ints:
    if len(machines) == 1:
        return (machines[0].predict(X) > 0).astype(np.int64)
    scores = np.column_stack([machine.decision_function(X) for machine in machines])
    return np.argmax(scores, axis=1)


@dataclass(frozen=True)
class _Wrong:
    """Counts errors of the machines together."""

    machines: tuple[Machine, ...]

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        n_wrong = int((_labels(self.machines, X) != codes).sum()) if len(X) else 0
        return np.array([n_wrong], dtype=np.int64)


def cover(rows: RowSource, settings: Settings, steering: Ints | None = None) -> CoverFit:
    """Learn one machine a class against the rest, and count their errors together.

    The examples come in the blind order, the same for every class: their pools overlap, so that
    fewer examples are kept.
    """
    n_classes = len(rows.classes)
    positives = [1] if n_classes == 2 else list(range(n_classes))
    share = replace(settings, delta=settings.delta / len(positives))
    groups = None if rows.groups is None else Grouping(rows.groups.member, settings.group_loss)
    learned = [learn(rows_of(rows, positive, steering), share, groups) for positive in positives]
    parts = tuple(renumbered(part, rows.order) for part in learned)
    named = _union(part.named for part in parts)
    n_wrong, n_counted = _count(rows, parts)
    return CoverFit(
        parts=parts,
        classes=rows.classes,
        names=rows.names,
        columns=rows.columns,
        n_samples=rows.n_samples,
        n_features=rows.n_features,
        settings=settings,
        draw=rows.draw,
        n_training_errors=n_wrong,
        n_errors=n_counted,
        digests=rows.digests_of(named),
        seen=rows.seen(),
        groups=_group_counts(rows, groups, learned, parts),
    )


def _group_counts(
    rows: RowSource, groups: Grouping | None, learned: list[Learned], parts: tuple[Learned, ...]
) -> GroupCounts | None:
    """Errors by groups of one machine, or of all machines together outside what any of them kept.

    ``learned`` are the parts by places in the blind order.
    """
    if groups is None or len(parts) == 1:
        return parts[0].groups
    X, codes = rows.hold(rows.order)
    is_wrong = _labels(tuple(part.machine for part in parts), X) != codes
    kept = tuple({int(i) for part in learned for i in part.chosen.kept})
    return groups.count(is_wrong, kept)


def _count(rows: RowSource, parts: tuple[Learned, ...]) -> tuple[int, int]:
    """Errors on all examples, and on those that are counted; of one machine they are known."""
    if len(parts) == 1:
        return parts[0].chosen.n_training_errors, parts[0].chosen.n_errors
    wrong = _Wrong(tuple(part.machine for part in parts))
    (n_wrong,) = rows.fold(wrong, "errors").tolist()
    held = rows.hold(_union(part.chosen.kept for part in parts))
    return n_wrong, n_wrong - int(wrong(*held)[0])
