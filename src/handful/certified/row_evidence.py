"""Evidence about the chosen row of a menu: predictive values, ROC, calibration, net benefit."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Ints
from handful.candidates import Menu, MenuMachine
from handful.certified.form_candidates import FormCandidate
from handful.evidence import (
    ClassEvidence,
    ScoredRows,
    ScoreEvidence,
    class_documents,
    class_evidence,
    class_sentences,
    evidence_document,
    evidence_lines,
    gather_evidence,
)
from handful.tables import Study, words_of_column

MOST_SCORED = 100_000  # counted rows whose scores are kept: a few megabytes a form
_ABOVE = 5e-324  # the smallest score that is above zero


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Outcomes and subgroups of the counted rows, in blind order; of groups one row of each.

    Attributes
    ----------
    y : ndarray of int
        Class positions; -1 for a class that the pool does not know.
    words : mapping of str to tuple
        The words of the columns that were named as subgroups.
    made : dict
        The evidence of rows of the menu that was asked for, by row and delta.
    """

    y: Ints
    words: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    made: dict[tuple[FormCandidate, float], ScoreEvidence] = field(default_factory=dict)


def counted_rows(study: Study, positions: Ints, places: Ints) -> CountedRows:
    """The counted rows of a table in memory; ``places`` are theirs, in blind order.

    ``positions`` has the class of each code of a label. What the user named as subgroups stays.
    """
    words = {}
    for name in study.choices.subgroups:
        if not hasattr(study.table, "columns"):
            raise ValueError("`subgroups` must name columns of a data frame, got an array.")
        column = words_of_column(study.table, name)
        words[name] = tuple(column[i] for i in places.tolist())
    return CountedRows(positions[study.memory.codes[places]], words)


class RowEvidence(MenuMachine):
    """What a machine with a menu of scores can show of its chosen row."""

    _menu: Menu[FormCandidate]
    _counted_rows: CountedRows | None
    candidate_: FormCandidate

    @property
    @abstractmethod
    def case_(self) -> str:
        """The class that is the case, as a word: evidence and risks of files speak of it."""

    @property
    def _is_first_case(self) -> bool:
        return self.case_ == self.candidate_.fitted.classes[0]

    def why_no_evidence(self) -> str:
        """Why there is no evidence about the chosen row; empty if there is."""
        check_is_fitted(self)
        if self._counted_rows is None or self.candidate_.scored is None:
            return f"evidence needs rows in memory, and at most {MOST_SCORED} counted rows."
        if self.candidate_.fitted.form == "constant":
            return "every case gets the same label."
        y = self._counted_rows.y
        if not ((y == 0).any() and (y == 1).any()):
            return "the counted rows have one class only."
        return ""

    @property
    def _is_of_classes(self) -> bool:
        return len(self.candidate_.fitted.classes) > 2

    def class_evidence(self, delta: float | None = None) -> tuple[ClassEvidence, ...]:
        """Sensitivity, specificity and predictive values of each class against all others.

        Statement: all limits hold at once, for all classes and all rows of the menu, with
        probability 1 - delta at least; the row may be chosen after looking. With groups they are
        about a random case of a random new group: one blindly drawn row of each is counted.

        Examples
        --------
        >>> from handful import CertifiedClassifier, load_dataset
        >>> X, y = load_dataset("haberman-294").named()
        >>> machine = CertifiedClassifier(["one rule"]).fit(X, y)
        >>> [one.label for one in machine.class_evidence()] == list(machine.fitted_.classes)
        True
        """
        if why := self.why_no_evidence():
            raise ValueError(f"No evidence: {why}")
        rows, scored, fitted = self._counted_rows, self.candidate_.scored, self.candidate_.fitted
        assert rows is not None  # as just asked
        assert scored is not None
        is_many = len(fitted.classes) > 2
        said = scored.scores.astype(np.int64) if is_many else (scored.scores > scored.cut) * 1
        level = self._level(self.delta if delta is None else delta)
        return class_evidence(said, rows.y, fitted.classes, delta=level)

    def _level(self, delta: float) -> float:
        """The chosen row's share of delta."""
        return math.exp(math.log(delta) - self.candidate_.nats)

    def evidence_lines(self) -> list[str]:
        """What else the counted rows say of the chosen row, one sentence a line; or nothing."""
        if self.why_no_evidence():
            return []
        if self._is_of_classes:
            return class_sentences(self.class_evidence())
        return evidence_lines(self.evidence(), has_rates=not self.class_rates(self.case_))

    def evidence_document(self) -> dict[str, Any] | None:
        """The same as plain data without any row; None if there is nothing to say."""
        if self.why_no_evidence():
            return None
        if self._is_of_classes:
            return {"classes": class_documents(self.class_evidence())}
        return evidence_document(self.evidence())

    def evidence(self, delta: float | None = None) -> ScoreEvidence:
        """Rates, predictive values, ROC, area, calibration and net benefit, all at once.

        Statement: all limits hold at once, for all rows of the menu, with probability 1 - delta at
        least. They are a family of their own beside the certificates of errors: both families hold
        with 1 - 2 delta. The row may be chosen after looking, because its evidence is computed at
        its own share of delta.

        Parameters
        ----------
        delta : float, optional
            Allowed probability that any limit fails, for any row; that of the machine by default.

        Examples
        --------
        >>> from handful import CertifiedClassifier, load_dataset
        >>> machine = CertifiedClassifier(["linear"]).fit(*load_dataset("breastw").named())
        >>> found = machine.evidence()
        >>> found.area.lower > 0.93, found.rates.ppv.lower > 0.89
        (True, True)
        """
        if why := self.why_no_evidence():
            raise ValueError(f"No evidence: {why}")
        if self._is_of_classes:
            raise ValueError("No evidence of a case: several classes have `class_evidence`.")
        rows, delta = self._counted_rows, self.delta if delta is None else delta
        assert rows is not None  # as just asked
        key = (self.candidate_, delta)
        if key not in rows.made:
            rows.made[key] = self._gathered(rows, delta)
        return rows.made[key]

    def _gathered(self, rows: CountedRows, delta: float) -> ScoreEvidence:
        scored = self.candidate_.scored
        assert scored is not None  # as asked before
        is_known = rows.y >= 0
        scores, y = scored.scores[is_known], rows.y[is_known]
        is_flagged = scores > scored.cut
        fitted = self.candidate_.fitted
        has_score = fitted.machine.has_thresholds or scored.cut != 0.0
        values, curve = scores - scored.cut, fitted.risk if has_score else None
        p = None if curve is None else curve.of(values)
        if self._is_first_case:
            values, is_flagged, p = -values, ~is_flagged, None if p is None else 1.0 - p
        found = ScoredRows(
            values=values,
            is_flagged=is_flagged,
            threshold=0.0 if self._is_first_case else _ABOVE,
            probabilities=p,
        )
        words = {
            name: [word for word, known in zip(column, is_known.tolist(), strict=True) if known]
            for name, column in rows.words.items()
        }
        outcomes = (y == (0 if self._is_first_case else 1)).astype(np.float64)
        return gather_evidence(found, outcomes, delta=self._level(delta), subgroups=words)
