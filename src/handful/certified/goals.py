"""Uses of the score of a chosen row: reach a goal, be silent in doubt, tell chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.bounds import binomial_tail_inverse
from handful.candidates import RATE_NAMES, Menu, MenuMachine, ThresholdCounts
from handful.certified.form_candidates import DELTA, FormCandidate
from handful.certified.named_goals import Goal
from handful.evidence import share_down, share_up

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Band:
    """Silence in doubt.

    Attributes
    ----------
    width : float
        Nothing is said if the score is at most this far from 0.
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

    def sentence(self) -> str:
        """What silence in doubt buys."""
        return (
            f"Silent where the score is at most {self.width:g} from the border: "
            f"{self.n_errors} of {self.n_answered} counted answers wrong, at most "
            f"{share_up(self.errs_at_most)}; answers at least {share_down(self.answers_at_least)} "
            "of new cases."
        )


class ScoreGoals(MenuMachine):
    """Methods of a menu whose chosen row has a score for two classes."""

    _menu: Menu[FormCandidate]
    _named: tuple[str, ...]
    candidate_: FormCandidate
    delta: float
    classes_: NDArray[Any]
    goal_: tuple[str, float] | None
    certificate_: Any

    @property
    def named_beforehand_(self) -> tuple[str, ...]:
        """Settings that are not the defaults: they must be named before a certificate is seen."""
        check_is_fitted(self)
        return self._named_at(self.delta)

    def _named_at(self, delta: float) -> tuple[str, ...]:
        """The settings that no price pays for, at this confidence."""
        more = {"delta": delta != DELTA, "the goal": self.named_goal_ is not None}
        return (*self._named, *(name for name, is_named in more.items() if is_named))

    def _counted(self, what: str) -> ThresholdCounts:
        check_is_fitted(self)
        found = self.candidate_.thresholds or self.candidate_.singles
        if found is None:
            raise ValueError(
                f"{self.candidate_.name!r} has no {what}: that needs a score for two classes and, "
                "with groups, rows in memory. Choose a score card, a linear, additive or kernel "
                "form."
            )
        return found

    def _paid(self, candidate: FormCandidate, delta: float | None) -> float:
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
            limits from both sides that hold at once for all bins, and for all rows of the menu. Of
            groups one blindly drawn row of each is counted: it is about a random case of a new one.
        """
        return self._counted("probability table").probability_table(
            self._paid(self.candidate_, delta)
        )

    def operating_points(self, delta: float | None = None) -> pd.DataFrame:
        """Thresholds of the chosen row's score, each with certified sensitivity and specificity.

        All limits of this table hold at once with probability 1 - delta, for all thresholds and
        rows of the menu; what is said beside it fails on its own account (see `together`).
        """
        return self._counted("thresholds").operating_points(self._paid(self.candidate_, delta))

    def abstentions(self, delta: float | None = None) -> pd.DataFrame:
        """Widths of doubt of the chosen row's score: share of answers, and of errors among them.

        All limits of this table hold at once with probability 1 - delta, for all widths and rows
        of the menu; what is said beside it fails on its own account (see `together`).
        """
        return self._counted("widths of doubt").abstentions(self._paid(self.candidate_, delta))

    def reach(self, *, sensitivity: float | None = None, specificity: float | None = None) -> Any:
        """The row and threshold that are certified to reach a goal, and best by the other limit.

        Parameters
        ----------
        sensitivity, specificity : float
            One of them: what new cases of the second (or first) class must be recognised at
            least, with the confidence of the menu. The goal may be set after looking: each
            threshold pays for being one of several. A goal that you know beforehand costs less:
            ``CertifiedClassifier(goal="sensitivity >= 0.9")``.

        Returns
        -------
        CertifiedClassifier
            The same menu with that row, moved to that threshold, and its certificate.

        Raises
        ------
        ValueError
            If nothing reaches the goal: it says what is reached, and what would be needed.
        """
        check_is_fitted(self)
        goal, value = _goal(sensitivity, specificity)
        if self.named_goal_ is not None:
            raise ValueError(
                "`reach` moves thresholds after looking; those of this menu were moved for the "
                "goal that was named. Fit without `goal` to set one after looking."
            )
        rows = [self._menu[i] for i in range(len(self._menu))]
        frames = [self._points_of(candidate) for candidate in rows]
        found = best_point(frames, goal, value)
        if found is None:
            raise ValueError(_out_of_reach(rows, frames, goal, value, self.delta))
        return self._holding(rows[found[0]].at(found[1]), (goal, value))

    def row_for(self, goal: Goal) -> int:
        """The simplest row that reaches a goal named beforehand, within the tolerance of the best.

        Of a goal for one class, the best is the smallest rate of errors in the other.
        """
        menu = self._menu
        if goal.position is None:
            near = [i for i in range(len(menu)) if menu.risks[menu.order[i]] <= goal.value]
        else:
            made = [dict(menu.certificate(menu[i]).rates) for i in range(len(menu))]
            own, other = RATE_NAMES[goal.position], RATE_NAMES[1 - goal.position]
            reached = [i for i, rates in enumerate(made) if rates[own] <= 1.0 - goal.value]
            best = min((made[i][other] for i in reached), default=1.0)
            near = [i for i in reached if made[i][other] <= best + self.tolerance]
        if not near:
            raise ValueError(_missed(menu, goal, self.delta))
        return min(near, key=lambda row: (menu[row].tie_break, row))

    def _points_of(self, candidate: FormCandidate) -> pd.DataFrame:
        if candidate.thresholds is None:
            return _empty()
        return candidate.thresholds.operating_points(self._paid(candidate, None))

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
        """Labels, and None if the score is in doubt."""
        scores: Floats = self.decision_function(X)  # type: ignore[attr-defined]
        labels = np.asarray(self.classes_[(scores > 0.0).astype(int)], dtype=object)
        labels[np.abs(scores) <= band.width] = None
        return labels

    def points_lines(self) -> list[str]:
        """What the totals of a score card mean, one line a range; nothing for other forms."""
        offset = self.candidate_.fitted.machine.points_offset
        if offset is None or not (self.candidate_.thresholds or self.candidate_.singles):
            return []
        return points_text(offset, self.probability_table(), self.candidate_.fitted.classes[1])

    def statements(self, band: Band | None = None) -> list[str]:
        """What is said of the chosen row beside its certificate, each at the menu's confidence.

        Parameters
        ----------
        band : Band, optional
            Silence in doubt, if it is shown too.
        """
        said = ["the table of points"] if self.points_lines() else []
        if self.goal_ is not None and self.named_goal_ is None:  # set after a look at the menu
            said = ["the errors of the menu before the goal", "its rates"]
        return said if band is None else [*said, "the answers outside of doubt"]


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


def _out_of_reach(
    rows: list[FormCandidate], frames: list[pd.DataFrame], goal: str, value: float, delta: float
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
    more = positives_needed(k, n, 1.0 - value, nats)
    advice = (
        "no number of cases would do for its thresholds."
        if more is None
        else f"about {more - n} more counted {plural} would do."
    )
    return (
        f"`{goal}` must be at most {best:.3f} to be certified on this menu, got {value}. "
        f"The best is {candidate.name!r}, {n - k} of {n} counted; {advice}"
    )


def points_text(offset: float, table: pd.DataFrame, label: str) -> list[str]:
    """A probability table in points, one line a bin; points are the score plus ``offset``.

    Examples
    --------
    >>> from handful.candidates import ThresholdGrid
    >>> scores = np.array([-1.5, 0.5])
    >>> table = ThresholdGrid.of(scores).count(scores, np.array([0, 1])).probability_table(3.0)
    >>> for line in points_text(3.5, table, "ill"):
    ...     print(line)
    up to 2 points: 0.0 % to 98.8 % are ill (0 of 1)
    from 3 points: 1.2 % to 100.0 % are ill (1 of 1)
    """
    lines = []
    for row in table.itertuples():
        low = None if math.isinf(row.above) else math.floor(row.above + offset) + 1
        high = None if math.isinf(row.up_to) else math.floor(row.up_to + offset)
        where = points_range(low, high)
        limits = f"{_down(row.at_least)} to {_up(row.at_most)}"
        lines.append(f"{where}: {limits} are {label} ({row.n_events} of {row.n})")
    return lines


def points_range(low: int | None, high: int | None) -> str:
    """A range of points in words."""
    if low is None or high is None:
        last = high if low is None else low
        text = f"up to {high}" if low is None else f"from {low}"
        text = "any number of" if last is None else text
        return f"{text} {'point' if last == 1 else 'points'}"
    return f"{low} points" if low == high else f"{low} to {high} points"


def _down(value: float) -> str:
    return f"{math.floor(value * 1000.0) / 10.0:.1f} %"


def _up(value: float) -> str:
    return f"{math.ceil(value * 1000.0) / 10.0:.1f} %"


def _missed(menu: Menu[FormCandidate], goal: Goal, delta: float) -> str:
    """The best that is certified for a goal named beforehand, and how many more cases would do."""
    if goal.position is None:
        least = f"The smallest certificate is {float(menu.risks.min()):.3f}."
        return f"`goal` {goal.text!r} is reached by no row of the menu. {least}"
    name = RATE_NAMES[goal.position]
    limits = [dict(menu.certificate(candidate).rates)[name] for candidate in menu.candidates]
    best = int(np.argmin(limits))
    candidate = menu.candidates[best]
    n, k = candidate.counts.by_class[goal.position]
    paid = [term.nats for term in candidate.code.terms if term.kind != "threshold"]
    nats = math.fsum(paid) + math.log(2.0) - math.log(delta)
    more = positives_needed(k, n, 1.0 - goal.value, nats)
    plural = ("negatives", "positives")[goal.position]
    advice = (
        "No number of cases would do for it."
        if more is None
        else f"About {more - n} more counted {plural} would do."
    )
    return (
        f"`goal` {goal.text!r} is reached by no row of the menu. The best is {candidate.name!r}, "
        f"{n - k} of {n} counted, which certifies {1.0 - limits[best]:.3f}. {advice}"
    )


def positives_needed(n_errors: int, n: int, limit: float, nats: float) -> int | None:
    """How many rows of a class would do for a rate below ``limit``, if errors stay as frequent.

    None if no number would: errors are as frequent as the limit.

    Examples
    --------
    >>> positives_needed(0, 20, 0.05, 3.0)
    59
    """
    rate = n_errors / max(1, n)
    if rate >= limit:
        return None
    low, high = max(1, n), max(2, 2 * n)
    while float(binomial_tail_inverse(math.ceil(rate * high), high, -nats)) > limit:
        low, high = high, 2 * high
        if high > 10**8:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = binomial_tail_inverse(math.ceil(rate * middle), middle, -nats) <= limit
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def best_point(frames: Sequence[pd.DataFrame], goal: str, value: float) -> tuple[int, int] | None:
    """Row of the menu and threshold that reach a goal and are best by the other limit.

    Parameters
    ----------
    frames : operating points of each row of the menu; empty ones for rows without a score
    goal : {"sensitivity", "specificity"}
    value : what must be certified at least
    """
    other = "specificity" if goal == "sensitivity" else "sensitivity"
    best: tuple[float, int, int] | None = None
    for i, frame in enumerate(frames):
        for j, row in enumerate(frame.to_dict(orient="records")):
            if row[f"{goal}_at_least"] < value:
                continue
            if best is None or row[f"{other}_at_least"] > best[0]:
                best = (row[f"{other}_at_least"], i, j)
    return None if best is None else best[1:]
