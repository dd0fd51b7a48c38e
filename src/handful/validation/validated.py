"""`validate`: certificate and evidence of scores that exist already. Nothing is trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Ints, Mask
from handful.bounds import (
    Assumption,
    Certificate,
    NotCertifiableError,
    Quantity,
    assume,
    confidence_text,
    held_out_bound,
)
from handful.checks import check_delta
from handful.evidence import (
    CalibrationDisplay,
    DecisionCurveDisplay,
    ForestDisplay,
    PairedDifference,
    RocDisplay,
    ScoredRows,
    ScoreEvidence,
    gather_evidence,
    paired_difference,
)
from handful.tables import (
    LabelOptions,
    blind_order,
    read_classes,
    units_of,
    word_of,
    words_of_column,
)
from handful.tables.labels import Classes
from handful.validation.fixed_scores import FixedScore, as_frame, fixed_score


@dataclass(frozen=True, kw_only=True)
class ScorePair:
    """A score beside the first one: error of the first minus error of this one."""

    first: str
    second: str
    n_first_only: int
    n_second_only: int
    difference: PairedDifference


@dataclass(frozen=True, eq=False, kw_only=True)
class Validation:
    """What is known of scores that were fixed before the rows; it holds no rows.

    Attributes
    ----------
    scores : tuple of FixedScore
    certificates_ : tuple of Certificate
        Of the errors, in the order of the scores; empty for case-control rows.
    evidence_ : tuple of ScoreEvidence
    pairs_ : tuple of ScorePair
        Each other score against the first.
    n_rows, n_counted : int
        Rows given and rows that count: one a patient, complete ones.
    """

    scores: tuple[FixedScore, ...]
    certificates_: tuple[Certificate, ...]
    evidence_: tuple[ScoreEvidence, ...]
    pairs_: tuple[ScorePair, ...]
    positive: str
    classes: tuple[str, ...]
    n_rows: int
    n_counted: int
    delta: float
    notes: tuple[str, ...]
    one_a_patient: bool = False

    @property
    def certificate_(self) -> Certificate:
        """Of the first score."""
        if not self.certificates_:
            raise NotCertifiableError(
                "rows that were drawn by class do not tell how often the score errs on new "
                "cases. Sensitivity and specificity are in `evidence_`."
            )
        return self.certificates_[0]

    def place(self, score: int | str) -> int:
        """Number of a score by its number or name."""
        names = [one.name for one in self.scores]
        if score in names:
            return names.index(str(score))
        if isinstance(score, int) and 0 <= score < len(names):
            return score
        raise ValueError(f"`score` must be one of {names}, or its number, got {score!r}.")

    def evidence(self, score: int | str = 0) -> ScoreEvidence:
        """All evidence of one score."""
        return self.evidence_[self.place(score)]

    def roc(self, score: int | str = 0) -> RocDisplay:
        """The ROC curve with its band."""
        return RocDisplay.from_evidence(self.evidence(score))

    def calibration(self, score: int | str = 0) -> CalibrationDisplay:
        """Predicted risks against events."""
        return CalibrationDisplay.from_evidence(self.evidence(score))

    def decision(self, score: int | str = 0) -> DecisionCurveDisplay:
        """Net benefit against treating all and treating nobody."""
        return DecisionCurveDisplay.from_evidence(self.evidence(score))

    def forest(self, score: int | str = 0, *, rate: str = "sensitivity") -> ForestDisplay:
        """One rate in all subgroups."""
        return ForestDisplay.from_evidence(self.evidence(score), rate=rate)

    def together(self) -> str:
        """With which confidence all that is said holds at once."""
        one, both = confidence_text(self.delta), confidence_text(2.0 * self.delta)
        if not self.certificates_:
            return f"All statements hold at once with {one} confidence."
        return (
            f"Two families of statements: the limits of the errors hold at once with {one} "
            f"confidence, all other limits at once with {one}, and both families with {both}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data (JSON-ready) without any row."""
        from handful.validation.documents import as_document

        return as_document(self)

    def save(self, folder: Any, *, overwrite: bool = False, title: str = "Validation") -> list[Any]:
        """Write validation.json and report.html; neither holds a row."""
        from handful.validation.documents import write_validation

        return write_validation(self, folder, overwrite=overwrite, title=title)


def validate(
    score: Any,
    X: Any,
    y: Any,
    *,
    threshold: float | None = None,
    positive: Any = None,
    groups: Any = None,
    subgroups: Sequence[str] = (),
    delta: float = 0.05,
    favourite: int | str | None = None,
    case_control: bool = False,
) -> Validation:
    """Certify scores that were fixed before these rows. Nothing is trained, every row counts.

    Statement: if rows are independent with the distribution of new cases, and scores, thresholds,
    rules for missing values, subgroups and delta were fixed before these rows were looked at, all
    limits of errors hold at once with probability 1 - delta at least, and so do all limits of the
    evidence. Several scores share delta equally; a favourite that was named beforehand has half.

    Parameters
    ----------
    score : score or list of scores
        As in `fixed_score`. ``threshold`` is for risks, given numbers and estimators.
    X, y : data frame (or array with columns x0, x1, ...), and sequence of two classes
    positive : label, optional
        The case; needed if the labels do not say it by their meaning.
    groups : sequence, optional
        The patient of each row: one blindly drawn row of each counts.
    subgroups : sequence of str
        Columns of words, named beforehand.
    delta, favourite
        Allowed probability of failure of each family; the score that has half of it.
    case_control : bool
        Rows were drawn by class: only sensitivity, specificity and ROC can be stated.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"qsofa": [0, 1, 2, 3] * 50})
    >>> found = validate("qsofa >= 2", table, ["no", "no", "yes", "yes"] * 50)
    >>> print(found.certificate_.statement())
    With 95 % confidence, the probability that a new case is misclassified is at most 1.49 %.
    """
    check_delta(delta)
    frame = as_frame(X)
    scores = _scores(score, threshold)
    labels, is_case = _labels(y, positive, len(frame))
    for one in scores:
        one.refuse_training(frame, [labels.spell(label) for label in y])
    asked = _Asked(scores, groups, tuple(subgroups), delta, favourite, case_control)
    return _validated(frame, labels, is_case, asked)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was named beforehand."""

    scores: tuple[FixedScore, ...]
    groups: Any
    subgroups: tuple[str, ...]
    delta: float
    favourite: int | str | None
    case_control: bool


def _validated(frame: Any, labels: Classes, is_case: Mask, asked: _Asked) -> Validation:
    """Apply the scores, count, and say what follows."""
    scores, by_class = asked.scores, asked.case_control
    n_choices = _n_choices(scores, asked.favourite)
    applied = [one.apply(frame, str(labels.positive)) for one in scores]
    is_gone = np.any([gone for _, gone in applied], axis=0)
    has_risks = any(one.probabilities is not None for one, _ in applied)
    rows, notes = _counted(frame, is_case, asked.groups, is_gone, has_risks)
    y01 = is_case[rows].astype(np.float64)
    words = {name: _taken(words_of_column(frame, name), rows) for name in asked.subgroups}
    taken = [one.take(rows) for one, _ in applied]
    more: dict[str, Any] = {"subgroups": words, "case_control": by_class}
    more["n_pairs"] = len(scores) - 1
    evidence = tuple(
        gather_evidence(one, y01, delta=asked.delta / n, **more)
        for one, n in zip(taken, n_choices, strict=True)
    )
    has_groups, has_gaps = asked.groups is not None, bool(is_gone.any())
    return Validation(
        scores=scores,
        certificates_=tuple(
            _certificate(scores[i], one, asked.delta, n_choices[i], has_groups, has_gaps)
            for i, one in enumerate(evidence)
            if not by_class
        ),
        evidence_=evidence,
        pairs_=() if by_class else _pairs(scores, taken, y01 == 1.0, evidence),
        positive=str(labels.positive),
        classes=labels.words,
        n_rows=len(frame),
        n_counted=len(rows),
        delta=asked.delta,
        notes=(*labels.notes, *notes),
        one_a_patient=has_groups,
    )


def _scores(given: Any, threshold: float | None) -> tuple[FixedScore, ...]:
    """One score, or several with different names."""
    several = given if isinstance(given, (list, tuple)) else [given]
    if several and all(isinstance(one, (int, float, np.number)) for one in several):
        several = [np.asarray(several)]
    if not several:
        raise ValueError("`score` must name at least one score, got none.")
    scores = tuple(fixed_score(one, threshold=threshold) for one in several)
    names = Counter(one.name for one in scores)
    if double := [name for name, n in names.items() if n > 1]:
        raise ValueError(f"`score` must have different names, got {double[0]!r} twice.")
    return scores


def _labels(y: Any, positive: Any, n_rows: int) -> tuple[Classes, Mask]:
    """The classes, which of them is the case, and the cases among the rows."""
    words = [word_of(label) for label in np.asarray(y, dtype=object).tolist()]
    if len(words) != n_rows:
        raise ValueError(f"`y` must have one label a row ({n_rows}), got {len(words)}.")
    options = LabelOptions(positive=None if positive is None else word_of(positive))
    labels = read_classes("y", Counter(words), words, options)
    if len(labels.words) != 2:
        raise ValueError(
            f"`y` must have two classes, got {list(labels.words)[:10]}. Name the case against the "
            "rest in a column of its own."
        )
    if not labels.is_positive_said:
        raise ValueError(
            f"`positive` must say which of {list(labels.words)} is the case: the words do not say "
            "it, and the rarer one must not be chosen by looking. For example --positive "
            f"{labels.words[1]}."
        )
    return labels, np.array([labels.spell(word) == labels.positive for word in words], dtype=bool)


def _counted(
    frame: Any, is_case: Mask, groups: Any, is_gone: Mask, has_risks: bool
) -> tuple[Ints, list[str]]:
    """Rows that count, in blind order: complete ones, one of each patient."""
    kept, notes = np.flatnonzero(~is_gone), []
    if is_gone.any():
        notes.append(
            f"{int(is_gone.sum())} of {len(frame)} rows lack a value and are left out: the "
            "statements are about complete cases."
        )
    if not 0 < is_case[kept].sum() < kept.size:
        raise ValueError(
            f"`y` must have both classes among the {kept.size} rows that count, got one. "
            "Add cases, or fill in missing values."
        )
    members = None if groups is None else np.asarray(groups)[kept]
    drawn = blind_order(frame.iloc[kept], is_case[kept].astype(int))
    units = units_of(drawn, members)
    order = np.asarray(units.order)
    if units.member is not None:
        _, first = np.unique(units.member[order], return_index=True)
        order = order[np.sort(first)]
        notes.append(f"One blindly drawn row of each of {len(order)} patients is counted.")
    if has_risks:
        notes.append(
            "Limits of calibration read the rows in an order drawn by their digest (SHA-256), "
            "which is assumed to draw as chance would."
        )
    if has_risks or units.member is not None:
        notes += units.caution(None)
    return kept[order], notes


def _taken(words: list[str | None], rows: Ints) -> list[str | None]:
    return [words[int(i)] for i in rows]


def _n_choices(scores: Sequence[FixedScore], favourite: int | str | None) -> list[int]:
    """Delta is divided by these numbers: equally, or one half for the favourite."""
    n = len(scores)
    if favourite is None or n == 1:
        return [n] * n
    names = [one.name for one in scores]
    if favourite not in names and favourite not in range(n):
        raise ValueError(f"`favourite` must be one of {names}, or its number, got {favourite!r}.")
    best = names.index(favourite) if favourite in names else favourite
    return [2 if i == best else 2 * (n - 1) for i in range(n)]


def _certificate(
    score: FixedScore,
    one: ScoreEvidence,
    delta: float,
    n_choices: int,
    has_groups: bool,
    has_gaps: bool,
) -> Certificate:
    """The limit of the errors: Clopper and Pearson's, on all rows that count."""
    plain = held_out_bound(one.n_rows, one.n_errors, n_choices=n_choices, delta=delta)
    first = assume("iid-groups", "groups", "digest-order") if has_groups else assume("iid")
    more = [Assumption.of("fixed-score", digest=score.digest[:16])]
    more += [Assumption("complete")] if has_gaps else []
    quantity = Quantity("group-mean") if has_groups else plain.quantity
    return replace(plain, assumptions=(*first, *more), quantity=quantity)


def _pairs(
    scores: Sequence[FixedScore],
    rows: Sequence[ScoredRows],
    is_case: Mask,
    evidence: Sequence[ScoreEvidence],
) -> tuple[ScorePair, ...]:
    """Each other score against the first, on the rows on which only one of them errs."""
    if len(scores) == 1:
        return ()
    level = sum(one.levels["pairs"] for one in evidence) / (len(scores) - 1)
    wrong = [one.is_flagged != is_case for one in rows]
    found = []
    for i in range(1, len(scores)):
        first, second = int((wrong[0] & ~wrong[i]).sum()), int((wrong[i] & ~wrong[0]).sum())
        found.append(
            ScorePair(
                first=scores[0].name, second=scores[i].name, n_first_only=first,
                n_second_only=second,
                difference=paired_difference(first, second, is_case.size, delta=level),
            )
        )  # fmt: skip
    return tuple(found)
