"""Scores that exist already, each with a digest of everything that was fixed beforehand."""

from __future__ import annotations

import base64
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from handful.arrays import Floats, Mask
from handful.checks import check_choice, check_real
from handful.evidence import ScoredRows
from handful.files import Model
from handful.tables import SeenRows, as_pandas, row_codes, row_digests, table_digest, word_of
from handful.validation.comparisons import Comparison, numbers_at
from handful.validation.paper_cards import MISSING_RULES, PaperCard

_POSITIVE = float(np.nextafter(0.0, 1.0))  # the smallest score that is above 0


@dataclass(frozen=True, eq=False)
class FixedScore(ABC):
    """A score with its name; ``place`` says what its columns are called in the table."""

    name: str
    place: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def facts(self) -> list[str]:
        """What was fixed beforehand, in sentences."""

    @abstractmethod
    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        """What the score says of each row, and the rows that it leaves out."""

    def definition(self) -> Any:
        """What the digest covers, as plain data."""
        return self.facts()

    def rule(self) -> dict[str, Any]:
        """What is computed of a row, as plain data; `handful verify` computes it again."""
        return {"kind": "other"}

    def refuse_training(self, frame: Any, labels: Any) -> None:
        """Raise if the score was trained on these rows; most scores cannot tell."""
        del frame, labels

    @property
    def digest(self) -> str:
        """SHA-256 of everything that was fixed."""
        text = json.dumps([self.definition(), dict(self.place)], sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _with_gaps(
    values: Floats, missing: str, what: str, shift: float, **more: Any
) -> tuple[ScoredRows, Mask]:
    """Rows whose value is missing are refused or left out."""
    gone = np.isnan(values)
    if gone.any() and missing != "leave out":
        raise ValueError(
            f"{what} has no value in row {int(np.argmax(gone)) + 1} ({int(gone.sum())} in all). "
            "Fill it in, or leave such rows out (missing='leave out', --missing-score 'leave "
            "out'): the certificate then speaks of complete cases."
        )
    known = np.where(gone, shift, values)
    flags = known >= shift
    return ScoredRows(values=known, is_flagged=flags, threshold=shift, **more), gone


@dataclass(frozen=True, eq=False)
class ComparedColumn(FixedScore):
    """A comparison of one column, such as ``qsofa >= 2``."""

    asked: Comparison
    missing: str = "refuse"

    def facts(self) -> list[str]:
        return [f"A case if {self.asked}.", f"If the value is missing: {self.missing}."]

    def rule(self) -> dict[str, Any]:
        return {"kind": "comparison", **asdict(self.asked), "missing": self.missing}

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        values, limit = self.asked.values(frame, self.place)
        return _with_gaps(values, self.missing, f"the score {self.name!r}", limit)


@dataclass(frozen=True, eq=False)
class RiskColumn(FixedScore):
    """A column of predicted risks and a threshold."""

    column: str
    threshold: float
    missing: str = "refuse"

    def facts(self) -> list[str]:
        return [
            f"A case if the risk in {self.column} is {self.threshold:g} or more.",
            f"If the risk is missing: {self.missing}.",
        ]

    def rule(self) -> dict[str, Any]:
        at = {"column": self.column, "threshold": self.threshold}
        return {"kind": "risk", **at, "missing": self.missing}

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        risks = numbers_at(frame, self.column, self.place)
        outside = (risks < 0.0) | (risks > 1.0)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(
                f"the column {self.column!r} must hold risks from 0 to 1, got {risks[row]:g} in "
                f"row {row + 1}. For a score in points say --score '{self.column} >= POINTS'."
            )
        known = np.where(np.isnan(risks), self.threshold, risks)
        return _with_gaps(
            risks, self.missing, f"the column {self.column!r}", self.threshold, probabilities=known
        )


@dataclass(frozen=True, eq=False)
class CardScore(FixedScore):
    """A score card from a paper."""

    card: PaperCard

    def facts(self) -> list[str]:
        return self.card.sentences()

    def definition(self) -> Any:
        return asdict(self.card)

    def rule(self) -> dict[str, Any]:
        names = ("threshold", "missing", "items", "risk")
        return {"kind": "card", **{name: asdict(self.card)[name] for name in names}}

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        points, gone = self.card.points(frame, self.place)
        flags = points >= self.card.threshold
        return ScoredRows(
            values=points, is_flagged=flags, threshold=self.card.threshold,
            probabilities=self.card.risks(points),
        ), gone  # fmt: skip


@dataclass(frozen=True, eq=False)
class ModelScore(FixedScore):
    """A model file of ours on other cases: external validation."""

    model: Model
    sha256: str = ""

    def facts(self) -> list[str]:
        lines = self.model.fitted.sentences()
        if self.model.band is not None:
            lines.append("Its silence in doubt is not used: every case gets a label.")
        return [*lines, f"The model file has the digest {self.sha256}."] if self.sha256 else lines

    def definition(self) -> Any:
        return self.sha256 or self.model.to_document([])["fitted"]

    def refuse_training(self, frame: Any, labels: Any) -> None:
        data, rows = self.model.data, row_digests(frame, labels)
        if data.sha256 is None:
            return
        if data.sha256 == table_digest(rows):
            raise ValueError(
                f"these are the rows that {self.name} was trained on: its own certificate says "
                "what they can say. Pass rows that had no part in training."
            )
        if data.row_codes is not None:  # a menu names no single rows
            seen = np.frombuffer(base64.b64decode(data.row_codes), dtype="<u4").astype(np.uint64)
            codes = row_codes(rows, data.sha256).astype(np.uint64)
            SeenRows(np.sort(seen)).judge(len(codes), int(np.isin(codes, seen).sum()))

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        words = [word_of(label).casefold() for label in self.model.classes]
        if len(words) != 2 or positive.casefold() not in words:
            raise ValueError(
                f"the model tells {[str(label)[:40] for label in self.model.classes][:10]} apart, "
                f"and the case here is {positive!r}. Name the case in the model's words, and use "
                "a model of two classes."
            )
        renamed = frame.rename(columns={here: name for name, here in self.place.items()})
        scores = self.model.scores(renamed)
        is_second = words.index(positive.casefold()) == 1
        flags = self.model.codes(renamed) == int(is_second)
        values = scores if is_second else -scores
        # a form may break its own ties: the threshold is told only where it says the same
        limit = _POSITIVE if is_second else 0.0
        is_same = bool(((values >= limit) == flags).all())
        rows = ScoredRows(values=values, is_flagged=flags, threshold=limit if is_same else None)
        return rows, np.zeros(len(frame), dtype=bool)


@dataclass(frozen=True, eq=False)
class EstimatorScore(FixedScore):
    """A fitted classifier of scikit-learn's kind; its risks are compared with a threshold."""

    estimator: Any
    threshold: float = 0.5
    sha256: str = ""

    def facts(self) -> list[str]:
        digest = f" The file has the digest {self.sha256}." if self.sha256 else ""
        name = " ".join(repr(self.estimator).split())
        return [f"{name}: a case from a risk of {self.threshold:g} on.{digest}"]

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        known = [word_of(label).casefold() for label in getattr(self.estimator, "classes_", ())]
        if positive.casefold() not in known or not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"the estimator must give risks of {positive!r} (`predict_proba`), got one of "
                f"the classes {known[:10]}. Name the case in its words, or validate its risks as "
                "a column."
            )
        names = getattr(self.estimator, "feature_names_in_", None)
        wanted = [str(name) for name in (frame.columns if names is None else names)]
        cells = {name: numbers_at(frame, name, self.place) for name in wanted}
        rows: Any = type(frame)(cells) if names is not None else np.column_stack([*cells.values()])
        risks = self.estimator.predict_proba(rows)[:, known.index(positive.casefold())]
        risks = np.asarray(risks, dtype=np.float64)
        return _with_gaps(risks, "refuse", self.name, self.threshold, probabilities=risks)


@dataclass(frozen=True, eq=False)
class GivenNumbers(FixedScore):
    """Numbers that were computed elsewhere, one a row."""

    numbers: Floats
    threshold: float

    def facts(self) -> list[str]:
        return [f"A case if the given number is {self.threshold:g} or more."]

    def apply(self, frame: Any, positive: str) -> tuple[ScoredRows, Mask]:
        if self.numbers.shape != (len(frame),):
            raise ValueError(
                f"`score` must have one number a row ({len(frame)}), got the shape "
                f"{self.numbers.shape}."
            )
        return _with_gaps(self.numbers, "refuse", "`score`", self.threshold)


def fixed_score(
    what: Any,
    *,
    name: str | None = None,
    threshold: float | None = None,
    missing: str = "refuse",
    columns: Mapping[str, str] | None = None,
) -> FixedScore:
    """A score in any form that a person has it in.

    Parameters
    ----------
    what : str, PaperCard, Model, fitted classifier, array, or FixedScore
        A text is a comparison such as ``"qsofa >= 2"``; with ``threshold``, the name of a column
        of risks.
    name : str, optional
        What it is called on screens.
    threshold : float, optional
        For risks, given numbers and estimators; named before the rows were looked at.
    missing : {"refuse", "leave out"}
        For columns. A card has a rule of its own.
    columns : mapping, optional
        What a column of the score is called in the table.

    Examples
    --------
    >>> score = fixed_score("qsofa >= 2")
    >>> score.facts()
    ['A case if qsofa >= 2.', 'If the value is missing: refuse.']
    """
    check_choice("missing", missing, (MISSING_RULES[0], MISSING_RULES[2]))
    limit = None if threshold is None else check_real("threshold", threshold)
    if isinstance(what, FixedScore):
        return what
    if isinstance(what, str):
        return _of_text(what, name, limit, missing, dict(columns or {}))
    return _of_object(what, name, limit, dict(columns or {}))


def _of_text(
    what: str, name: str | None, limit: float | None, missing: str, place: Mapping[str, str]
) -> FixedScore:
    if limit is not None:
        return RiskColumn(name or what, what, limit, missing, place=place)
    return ComparedColumn(name or what, Comparison.parse(what), missing, place=place)


def _of_object(
    what: Any, name: str | None, limit: float | None, place: Mapping[str, str]
) -> FixedScore:
    if isinstance(what, PaperCard):
        return CardScore(name or what.name, what, place=place)
    if isinstance(what, Model):
        return ModelScore(name or what.fitted.form, what, place=place)
    if hasattr(what, "predict"):
        own = 0.5 if limit is None else limit
        return EstimatorScore(name or type(what).__name__, what, own, place=place)
    if limit is None:
        raise ValueError(
            "`threshold` must say from which number on a row is a case, got none. Name it before "
            "the rows are looked at."
        )
    return GivenNumbers(name or "given numbers", np.asarray(what, dtype=np.float64), limit)


def as_frame(X: Any) -> Any:
    """Rows as a frame of pandas; columns of an array are x0, x1, ..."""
    import pandas as pd

    if hasattr(X, "columns"):
        return as_pandas(X)
    values = np.asarray(X)
    values = values[:, None] if values.ndim == 1 else values
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def digest_of_file(path: str | Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
