"""Rows of a new table with their labels: what ``handful predict`` writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from handful.files import StoredForm, StoredModel


class Labeller(ABC):
    """Turns pieces of a table into rows of results.

    Attributes
    ----------
    needs : list of str
        Columns to read.
    words : set of str
        Those whose cells are words even if they look like numbers.
    header : tuple of str
        Names of the results.
    """

    needs: list[str]
    words: set[str]
    header: tuple[str, ...]

    @abstractmethod
    def rows(self, chunk: pd.DataFrame, start: int) -> list[tuple[Any, ...]]:
        """Results of a piece that begins after ``start`` rows."""


def labeller_of(
    stored: StoredModel | StoredForm, keep: Sequence[str], is_abstaining: bool
) -> Labeller:
    """What labels with a model of either kind."""
    from handful.files import StoredForm

    if isinstance(stored, StoredForm):
        return _FormLabeller(stored, tuple(keep), is_abstaining)
    return _RuleLabeller(stored, tuple(keep), is_abstaining)


ABSTAINS, IN_DOUBT = "abstains", "abstains: in doubt"


def _is_code(word: str) -> bool:
    """Whether a word would be read as a number and then be another word."""
    from handful.tables import word_of

    try:
        return word_of(float(word)) != word
    except ValueError:
        return False


def _gaps(names: Sequence[str]) -> str:
    return f"missing: {', '.join(names)}" if names else ""


def _kept(chunk: pd.DataFrame, keep: Sequence[str]) -> list[tuple[Any, ...]]:
    """Cells that pass through, nothing where nothing is."""
    columns = [["" if value != value else value for value in chunk[name]] for name in keep]
    return list(zip(*columns, strict=True)) if columns else [()] * len(chunk)


@dataclass(frozen=True, eq=False)
class _FormLabeller(Labeller):
    form: StoredForm
    keep: tuple[str, ...]
    is_abstaining: bool

    @property
    def needs(self) -> list[str]:  # type: ignore[override]
        return list(dict.fromkeys([*self.form.needs, *self.keep]))

    @property
    def words(self) -> set[str]:  # type: ignore[override]
        """What passes through, categories such as 007 (not 7), and 1.234 where that is 1234."""
        columns = self.form.fitted.columns.columns
        words = {c.name: (*(c.words or ()), *c.levels) for c in columns}
        coded = [c.name for c in columns if any(_is_code(word) for word in words[c.name])]
        return {*self.keep, *coded, *(c.name for c in columns if c.style != "plain")}

    @property
    def header(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.keep, "row", "label", "score", "decided by", "missing")

    def rows(self, chunk: pd.DataFrame, start: int) -> list[tuple[Any, ...]]:
        form = self.form
        labels, missing = form.predict(chunk), form.missing(chunk)
        scores, reasons = form.scores(chunk), form.reasons(chunk)
        in_doubt = form.is_in_doubt(chunk)
        out = []
        for i, kept in enumerate(_kept(chunk, self.keep)):
            gaps = _gaps(missing[i])
            is_silent = self.is_abstaining and bool(gaps)
            score = "" if is_silent else round(float(scores[i]), 6)
            label, reason = ("", ABSTAINS) if is_silent else (labels[i], reasons[i])
            if in_doubt[i] and not is_silent:
                label, reason = "", IN_DOUBT
            out.append((*kept, start + i + 1, label, score, reason, gaps))
        return out


@dataclass(frozen=True, eq=False)
class _RuleLabeller(Labeller):
    model: StoredModel
    keep: tuple[str, ...]
    is_abstaining: bool

    @property
    def used(self) -> list[int]:
        return list(self.model.used_features)

    @property
    def needs(self) -> list[str]:  # type: ignore[override]
        names = self.model.names
        return list(dict.fromkeys([*(names[j] for j in self.used), *self.keep]))

    @property
    def words(self) -> set[str]:  # type: ignore[override]
        names, known = self.model.names, self.model.words  # also ordered ones, such as 03
        return {names[j] for j in self.used if known and known[j] is not None} | set(self.keep)

    @property
    def header(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.keep, "row", "label", "decided by", "missing")

    def rows(self, chunk: pd.DataFrame, start: int) -> list[tuple[Any, ...]]:
        import numpy as np

        X = self.model.encode(chunk)
        is_missing = np.isnan(X)
        is_silent = is_missing.any(axis=1) & self.is_abstaining
        labels, reasons = np.full(len(X), "", dtype=object), np.full(len(X), ABSTAINS, dtype=object)
        labels[~is_silent] = self.model.predict(X[~is_silent])
        reasons[~is_silent] = self.model.fired(X[~is_silent])
        names = self.model.names
        out = []
        for i, kept in enumerate(_kept(chunk, self.keep)):
            gaps = _gaps([names[j] for j in np.flatnonzero(is_missing[i])])
            out.append((*kept, start + i + 1, labels[i], reasons[i], gaps))
        return out
