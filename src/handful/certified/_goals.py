"""What to do with the score of a chosen row: reach a goal, keep silent in doubt, tell chances."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from handful._types import Floats
from handful.bounds import Term
from handful.certified import _grades
from handful.certified._grades import Grades
from handful.certified._records import Candidate, Counts
from handful.models import Card, Fitted

if TYPE_CHECKING:
    import pandas as pd

    from handful.certified._menu import Menu


@dataclass(frozen=True)
class Band:
    """Silence in doubt.

    Attributes
    ----------
    width : float
        Nothing is said where the score is at most this far from 0.
    answers_at_least : float
        Certified share of new cases that are answered.
    errs_at_most : float
        Certified share of wrong ones among the answers.
    n_answered, n_errors : int
        What was counted.
    """

    width: float
    answers_at_least: float
    errs_at_most: float
    n_answered: int
    n_errors: int


class ScoreGoals:
    """Methods of a menu whose chosen row has a score for two classes."""

    _menu: Menu
    candidate_: Candidate
    delta: float
    classes_: NDArray[Any]
    fitted_: Fitted
    goal_: tuple[str, float] | None
    certificate_: Any

    @property
    def named_beforehand_(self) -> tuple[str, ...]:
        """What is set other than by default: it must be named before any certificate is seen."""
        check_is_fitted(self, "_menu")
        return self._menu.named_beforehand(self.candidate_, self.delta)

    def _grades_of(self, candidate: Candidate, what: str) -> Grades:
        if candidate.grades is None:
            raise ValueError(
                f"{candidate.name!r} has no {what}: that needs a score for two classes and rows "
                "that are independent. Choose a score card, a linear, additive or kernel form."
            )
        return candidate.grades

    def _paid(self, candidate: Candidate, delta: float | None) -> float:
        return candidate.nats - math.log(self.delta if delta is None else delta)

    def probability_table(self, delta: float | None = None) -> pd.DataFrame:
        """How often new cases are of the second class, by bins of the chosen row's score.

        Parameters
        ----------
        delta : float, optional
            Allowed probability that any limit of the table fails; that of the machine by default.

        Returns
        -------
        DataFrame
            Bins by their borders (``above``, ``up_to``), rows and events counted, their rate, and
            limits from both sides that hold at once for all bins, and for all rows of the menu.
        """
        check_is_fitted(self, "_menu")
        grades = self._grades_of(self.candidate_, "probability table")
        return _grades.probability_table(grades, self._paid(self.candidate_, delta))

    def operating_points(self, delta: float | None = None) -> pd.DataFrame:
        """Thresholds of the chosen row's score, each with certified sensitivity and specificity.

        All limits of this table hold at once with probability 1 - delta, for all thresholds and
        rows of the menu; what is said beside it fails on its own account (see `together`).
        """
        check_is_fitted(self, "_menu")
        grades = self._grades_of(self.candidate_, "thresholds")
        return _grades.operating_points(grades, self._paid(self.candidate_, delta))

    def abstentions(self, delta: float | None = None) -> pd.DataFrame:
        """Widths of doubt of the chosen row's score: share of answers, and of errors among them.

        All limits of this table hold at once with probability 1 - delta, for all widths and rows
        of the menu; what is said beside it fails on its own account (see `together`).
        """
        check_is_fitted(self, "_menu")
        grades = self._grades_of(self.candidate_, "widths of doubt")
        return _grades.abstentions(grades, self._paid(self.candidate_, delta))

    def reach(self, *, sensitivity: float | None = None, specificity: float | None = None) -> Any:
        """The row and threshold that are certified to reach a goal, and best by the other limit.

        Parameters
        ----------
        sensitivity, specificity : float
            One of them: what new cases of the second (or first) class must be recognised at
            least, with the confidence of the menu. The certificate says that it was named
            before any certificate was seen.

        Returns
        -------
        CertifiedClassifier
            The same menu with that row, moved to that threshold, and its certificate.

        Raises
        ------
        ValueError
            Where nothing reaches the goal: the best that does, and what would be needed.
        """
        check_is_fitted(self, "_menu")
        goal, value = _goal(sensitivity, specificity)
        rows = [self._menu[i] for i in range(len(self._menu))]
        frames = [self._points_of(candidate) for candidate in rows]
        found = _grades.best_point(frames, goal, value)
        if found is None:
            raise ValueError(_out_of_reach(rows, frames, goal, value, self.delta))
        other = copy.copy(self)
        other._hold(_moved(rows[found[0]], found[1]))
        other.goal_ = (goal, value)
        other.__dict__.pop("n_training_errors_", None)
        return other

    def _points_of(self, candidate: Candidate) -> pd.DataFrame:
        if candidate.grades is None:
            return _empty()
        return _grades.operating_points(candidate.grades, self._paid(candidate, None))

    @abstractmethod
    def _hold(self, candidate: Candidate) -> None:
        """Make this candidate the chosen one."""

    def abstain(self, error: float) -> Band:
        """The narrowest doubt outside which answers are certified to err at most so often.

        Parameters
        ----------
        error : float
            Largest share of wrong ones among the answers. May be chosen after looking.
        """
        frame = self.abstentions()
        bands = [band for band in self.bands() if band.errs_at_most <= error]
        if not bands:
            least = frame["errs_at_most"].min() if len(frame) else 1.0
            raise ValueError(
                f"`error` must be at least {least:.3f} for {self.candidate_.name!r}, got {error}. "
                "No width of doubt is certified to err less."
            )
        return max(bands, key=lambda band: band.answers_at_least)

    def bands(self) -> list[Band]:
        """All widths of doubt of the chosen row, with limits that hold at once."""
        return [
            Band(
                float(row.width),
                float(row.answers_at_least),
                float(row.errs_at_most),
                int(row.n_answered),
                int(row.n_errors),
            )
            for row in self.abstentions().itertuples()
        ]

    def decide(self, X: Any, band: Band) -> NDArray[Any]:
        """Labels, and None where the score is in doubt."""
        scores: Floats = self.decision_function(X)  # type: ignore[attr-defined]
        labels = np.asarray(self.classes_[(scores > 0.0).astype(int)], dtype=object)
        labels[np.abs(scores) <= band.width] = None
        return labels

    def points_lines(self) -> list[str]:
        """Of a score card, what totals mean, one line a range; nothing for other forms."""
        machine = self.fitted_.machine
        if not isinstance(machine, Card) or self.candidate_.grades is None:
            return []
        if self.candidate_.fitted.machine is not machine:
            return []
        return _grades.points_text(machine, self.probability_table(), str(self.classes_[1]))

    def statements(self, band: Band | None = None) -> list[str]:
        """What is said of the chosen row beside its certificate, each at the menu's confidence.

        Parameters
        ----------
        band : Band, optional
            Silence in doubt, where it is shown too.
        """
        said = ["the table of points"] if self.points_lines() else []
        return said if band is None else [*said, "the answers outside of doubt"]

    def together(self, band: Band | None = None) -> str:
        """With which confidence everything that is shown of the chosen row holds at once.

        Errors, rates, the table of points and the answers outside of doubt are families of their
        own: each fails with probability delta at most, and all of them with the sum.

        Parameters
        ----------
        band : Band, optional
            Silence in doubt, where it is shown too.
        """
        return self.certificate_.together(self.statements(band))


def _goal(sensitivity: float | None, specificity: float | None) -> tuple[str, float]:
    given = {"sensitivity": sensitivity, "specificity": specificity}
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise ValueError("`reach` needs one goal: `sensitivity` or `specificity`.")
    name, value = named[0]
    if not 0.0 < value < 1.0:
        raise ValueError(f"`{name}` must be in (0, 1), got {value!r}.")
    return name, float(value)


def _empty() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame()


def _moved(candidate: Candidate, place: int) -> Candidate:
    """The candidate with another threshold, which pays for being one of several."""
    grades = candidate.grades
    assert grades is not None
    threshold = grades.grid.thresholds[place]
    machine = candidate.fitted.machine.at(threshold)
    n_negative, n_positive = grades.n_classes.tolist()
    fp, fn = grades.wrong[place].tolist()
    by_class, n_unknown = ((n_negative, fp), (n_positive, fn)), grades.n_unknown
    n = len(grades.grid.thresholds)
    term = Term("threshold", f"one of {n} thresholds from the pool", math.log(n))
    return replace(
        candidate,
        fitted=replace(candidate.fitted, machine=machine),
        terms=(*candidate.terms, term),
        counts=Counts.of_classes(by_class, n_unknown),
        grades=None,
    )


def _out_of_reach(
    rows: list[Candidate], frames: list[pd.DataFrame], goal: str, value: float, delta: float
) -> str:
    """The best that is reached, and how many more cases would do."""
    scored = [(frame[f"{goal}_at_least"].max(), i) for i, frame in enumerate(frames) if len(frame)]
    if not scored:
        return "No row of the menu has a score for two classes: there is no threshold to move."
    best, i = max(scored)
    frame, candidate = frames[i], rows[i]
    point = frame.loc[frame[f"{goal}_at_least"].idxmax()]
    kind = "negatives" if goal == "sensitivity" else "positives"
    plural = "positives" if goal == "sensitivity" else "negatives"
    k, n = int(point[f"n_false_{kind}"]), int(point[f"n_{plural}"])
    nats = candidate.nats + math.log(2.0 * len(frame)) - math.log(delta)
    more = _grades.positives_needed(k, n, 1.0 - value, nats)
    advice = (
        "no number of cases would do for its thresholds."
        if more is None
        else f"about {more - n} more counted {plural} would do."
    )
    return (
        f"`{goal}` must be at most {best:.3f} to be certified on this menu, got {value}. "
        f"The best is {candidate.name!r}, {n - k} of {n} counted; {advice}"
    )
