"""Evidence about the chosen row of a menu: predictive values, ROC, calibration, net benefit."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Ints
from handful.candidates import Menu, MenuMachine
from handful.certified.form_candidates import FormCandidate
from handful.evidence import ScoredRows, ScoreEvidence, gather_evidence
from handful.tables import Study, words_of_column

MOST_SCORED = 100_000  # counted rows whose scores are kept: a few megabytes a form
_ABOVE = 5e-324  # the smallest score that is above zero


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Outcomes and subgroups of the counted rows, in blind order.

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
        if self._counted_rows is None:
            return (
                "evidence needs two classes, rows in memory that are independent (no groups), and "
                f"at most {MOST_SCORED} counted rows."
            )
        if self.candidate_.scored is None:
            return f"{self.chosen_!r} has labels only; evidence at all thresholds needs a score."
        y = self._counted_rows.y
        if not ((y == 0).any() and (y == 1).any()):
            return "the counted rows have one class only."
        return ""

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
        values, curve = scores - scored.cut, self.candidate_.fitted.risk
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
        level = math.exp(math.log(delta) - self.candidate_.nats)
        outcomes = (y == (0 if self._is_first_case else 1)).astype(np.float64)
        return gather_evidence(found, outcomes, delta=level, subgroups=words)
