"""A nonconformity classifier as data: many scores, one of them chosen for each case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from handful.arrays import Floats
from handful.codec import fail
from handful.conformal.verdicts import (
    ValidationTable,
    decision_values,
    judge_by_margin,
    judge_by_nonconformity,
)
from handful.models import Form, Kernels, Vocabulary

RULES = ("largest-margin", "validation", "vote")


@dataclass(frozen=True)
class Composite(Form, tag="nonconformity"):
    """Many scores of two classes; the validation scores choose one of them for each case.

    ``validation`` has one row for each scorer: the scores of the validation examples with their
    own labels, ascending. ``n_errors`` counts the errors of each scorer on them.
    """

    scorers: tuple[Kernels, ...]
    validation: tuple[tuple[float, ...], ...]
    tolerances: tuple[float, ...]
    n_errors: tuple[int, ...]
    rule: str  # one of RULES

    def scores(self, X: Floats) -> Floats:
        values = np.stack([scorer.scores(X) for scorer in self.scorers])
        # One score for each label: of two classes the first has minus the score of the second.
        pairs = np.stack([-values, values], axis=2)
        if self.rule == "largest-margin":
            return decision_values(judge_by_margin(pairs).scores)
        table = ValidationTable(
            sorted_scores=np.array(self.validation),
            tolerance=np.array(self.tolerances),
            n_errors=np.array(self.n_errors, dtype=np.intp),
        )
        return decision_values(judge_by_nonconformity(table, pairs, self.rule).scores)

    def sentences(self, words: Vocabulary) -> list[str]:
        how = {
            "largest-margin": "the largest score, whatever its sign",
            "validation": "the score whose sign the fewest validation examples speak against, of "
            "equals the one with fewest validation errors",
            "vote": "the scores whose signs the fewest validation examples speak against, and "
            "their vote",
        }[self.rule]
        lines = [f"Each case picks among {len(self.scorers)} scores: {how}."]
        for i, scorer in enumerate(self.scorers, 1):
            lines += [f"({i})", *(f"  {line}" for line in scorer.sentences(words))]
        return lines

    @property
    def size(self) -> int:
        return sum(scorer.size for scorer in self.scorers)

    @property
    def features(self) -> tuple[int, ...]:
        return tuple(sorted({j for scorer in self.scorers for j in scorer.features}))

    @property
    def required(self) -> tuple[int, ...]:
        return self.features

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.scorers

    @property
    def n_training_rows(self) -> int:
        parts = [part for scorer in self.scorers for part in scorer.parts]
        return len({(part.columns, row) for part in parts for row in part.centers})

    def moved(self, places: Mapping[int, int]) -> Self:
        return replace(self, scorers=tuple(scorer.moved(places) for scorer in self.scorers))

    def check(self, where: str, width: int, n_classes: int) -> None:
        n = len(self.scorers)
        if n_classes != 2 or not n:
            raise fail(where, "scores for two classes", n_classes)
        if self.rule not in RULES:
            raise fail(f"{where}.rule", f"one of {RULES}", self.rule)
        if not n == len(self.validation) == len(self.tolerances) == len(self.n_errors):
            raise fail(where, "lists of equal lengths", n)
        if len({len(row) for row in self.validation}) != 1 or not self.validation[0]:
            raise fail(f"{where}.validation", "rows of equal lengths", "")
        # Ranks are found by bisection, which would be wrong silently if a row did not ascend.
        if any(list(row) != sorted(row) for row in self.validation):
            raise fail(f"{where}.validation", "ascending", "")
        if min(*self.tolerances, *self.n_errors, 0) < 0:
            raise fail(where, "tolerances and counts that are not negative", "")
        for i, scorer in enumerate(self.scorers):
            scorer.check(f"{where}.scorers[{i}]", width, n_classes)
