"""Pictures of the evidence, made from scores and outcomes or from records of evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats
from handful.display import Display, legend_above
from handful.evidence.calibration import Reliability, reliability
from handful.evidence.gathered import EDGES, ScoreEvidence
from handful.evidence.ledger import EvidenceLedger, NetBenefit, evidence_ledger
from handful.evidence.limits import check_outcomes, check_scores
from handful.evidence.subgroups import SubgroupEvidence

# threshold probabilities of a decision curve
PROBABILITIES = tuple(i / 100 for i in range(1, 51))


def _ledger_of(scores: ArrayLike, outcomes: ArrayLike, delta: float) -> EvidenceLedger:
    values = check_scores("scores", scores)
    is_case = check_outcomes("outcomes", outcomes, values.size) == 1.0
    return evidence_ledger(values[is_case], values[~is_case], delta=delta)


@dataclass
class RocDisplay(Display):
    """The ROC curve with limits that hold at all thresholds at once.

    At a threshold the point of the population is above and to the left of the corner
    (1 - limit of the specificity, limit of the sensitivity), with the confidence of the ledger.

    Examples
    --------
    >>> display = RocDisplay.from_scores([1, 2, 3, 4] * 25, [0, 0, 1, 1] * 25)
    >>> list(display.frame().columns)
    ['threshold', 'sensitivity', 'specificity', 'sensitivity_lower', 'specificity_lower']
    """

    ledger: EvidenceLedger
    point: tuple[float, float] | None = None

    @classmethod
    def from_scores(
        cls, scores: ArrayLike, outcomes: ArrayLike, *, delta: float = 0.05
    ) -> RocDisplay:
        """From one score and one outcome a row; larger scores are more like a case."""
        return cls(_ledger_of(scores, outcomes, delta))

    @classmethod
    def from_evidence(cls, evidence: ScoreEvidence) -> RocDisplay:
        """From what was gathered; the point is the rule at its threshold."""
        rates = evidence.rates
        return cls(evidence.ledger, (rates.sensitivity.estimate, rates.specificity.estimate))

    def _columns(self) -> dict[str, Any]:
        found = self.ledger.columns()
        names = ("threshold", "sensitivity", "specificity")
        return {n: found[n] for n in (*names, "sensitivity_lower", "specificity_lower")}

    def plot(self, ax: Any = None) -> RocDisplay:
        """The curve, and below it the corners that the band allows."""
        ax, one = self._axes(ax), self.ledger
        false, worst = 1.0 - one.specificity, 1.0 - one.specificity_lower
        ax.plot(false, one.sensitivity, label="these rows")
        order = np.argsort(worst, kind="stable")
        low = np.maximum.accumulate(one.sensitivity_lower[order])
        ax.step(worst[order], low, where="post", linestyle="--", label="at least, all at once")
        ax.plot([0, 1], [0, 1], linestyle=":", linewidth=1.0, label="a coin")
        if self.point is not None:
            ax.plot(1.0 - self.point[1], self.point[0], "o", ms=9, label="the rule")
        ax.set(xlabel="1 - specificity", ylabel="sensitivity", xlim=(0, 1), ylim=(0, 1.02))
        legend_above(ax)
        return self


@dataclass
class CalibrationDisplay(Display):
    """Events in bins of the predicted risk, with limits that hold in all bins at once.

    Examples
    --------
    >>> display = CalibrationDisplay.from_scores([0.1, 0.2, 0.8, 0.9] * 25, [0, 0, 1, 1] * 25)
    >>> display.frame()["n_events"].tolist()
    [0, 0, 25, 25]
    """

    bins: Reliability

    @classmethod
    def from_scores(
        cls,
        probabilities: ArrayLike,
        outcomes: ArrayLike,
        *,
        edges: Sequence[float] = EDGES,
        delta: float = 0.05,
    ) -> CalibrationDisplay:
        """From one predicted risk and one outcome a row; edges are fixed beforehand."""
        return cls(reliability(probabilities, outcomes, edges=edges, delta=delta))

    @classmethod
    def from_evidence(cls, evidence: ScoreEvidence) -> CalibrationDisplay:
        """From what was gathered, if the score gives risks."""
        if evidence.calibration is None:
            raise ValueError(
                "`evidence` must be that of a score that gives risks, got one without. Draw "
                "RocDisplay, or give the card a table of risks."
            )
        return cls(evidence.calibration.bins)

    def _columns(self) -> dict[str, Any]:
        one = self.bins
        is_full = one.n_rows > 0
        return {
            "from": one.edges[:-1][is_full],
            "to": one.edges[1:][is_full],
            "n_rows": one.n_rows[is_full],
            "n_events": one.n_events[is_full],
            "mean_probability": one.mean_probability[is_full],
            "share": one.n_events[is_full] / one.n_rows[is_full],
            "lower": one.lower[is_full],
            "upper": one.upper[is_full],
        }

    def plot(self, ax: Any = None) -> CalibrationDisplay:
        """One bar of limits a bin."""
        ax, one = self._axes(ax), self._columns()
        reach = np.abs([one["share"] - one["lower"], one["upper"] - one["share"]])
        ax.errorbar(one["mean_probability"], one["share"], yerr=reach, fmt="o", capsize=3)
        ax.plot([0, 1], [0, 1], linestyle=":", linewidth=1.0)
        ax.set(xlabel="predicted risk", ylabel="share of cases", xlim=(0, 1), ylim=(0, 1.02))
        return self


@dataclass
class DecisionCurveDisplay(Display):
    """Net benefit against treating everybody and treating nobody.

    Examples
    --------
    >>> display = DecisionCurveDisplay.from_scores([0.1, 0.2, 0.8, 0.9] * 25, [0, 0, 1, 1] * 25)
    >>> display.frame()[["probability", "net_benefit"]].iloc[19].tolist()
    [0.2, 0.4375]
    """

    benefit: NetBenefit

    @classmethod
    def from_scores(
        cls,
        probabilities: ArrayLike,
        outcomes: ArrayLike,
        *,
        at: Sequence[float] = PROBABILITIES,
        delta: float = 0.05,
    ) -> DecisionCurveDisplay:
        """From one predicted risk and one outcome a row."""
        return cls(_ledger_of(probabilities, outcomes, delta).net_benefit(at))

    @classmethod
    def from_evidence(
        cls, evidence: ScoreEvidence, *, at: Sequence[float] = PROBABILITIES
    ) -> DecisionCurveDisplay:
        """From what was gathered: by risks if there are, else at the one threshold."""
        threshold = None if evidence.has_probabilities else evidence.threshold
        if threshold is None and not evidence.has_probabilities:
            raise ValueError(
                "`evidence` must be that of risks or of a score with one threshold, got neither. "
                "Give the card a table of risks."
            )
        return cls(evidence.ledger.net_benefit(at, threshold=threshold))

    def _columns(self) -> dict[str, Any]:
        one = self.benefit
        return {
            "probability": one.probabilities,
            "net_benefit": one.estimate,
            "lower": one.lower,
            "treat_all": one.estimate - one.over_all,
            "over_all": one.over_all,
            "over_all_lower": one.over_all_lower,
        }

    def plot(self, ax: Any = None) -> DecisionCurveDisplay:
        """Three curves, and the limit from below."""
        ax, one = self._axes(ax), self._columns()
        p = one["probability"]
        ax.plot(p, one["net_benefit"], label="the score")
        ax.plot(p, one["lower"], linestyle="--", label="at least, all at once")
        ax.plot(p, one["treat_all"], linewidth=1.2, label="treat all")
        ax.axhline(0.0, linestyle=":", linewidth=1.0, label="treat nobody")
        top = max(0.05, float(np.max(one["net_benefit"])) * 1.15)
        ax.set(xlabel="threshold probability", ylabel="net benefit", ylim=(-0.25 * top, top))
        legend_above(ax)
        return self


@dataclass
class ForestDisplay(Display):
    """Subgroups named beforehand, one line a rate; what is too small says how much is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.evidence import subgroup_evidence
    >>> case = np.arange(100) < 40
    >>> display = ForestDisplay(subgroup_evidence({"sex": ["f", "m"] * 50}, case, case))
    >>> display.frame()[["subgroup", "rate", "n_rows", "n_more"]].values.tolist()[0]
    ['sex = f', 'error', 50, 0]
    """

    subgroups: tuple[SubgroupEvidence, ...]
    rate: str = "sensitivity"

    @classmethod
    def from_scores(
        cls,
        columns: Mapping[str, Sequence[str | None]],
        is_flagged: ArrayLike,
        outcomes: ArrayLike,
        *,
        rate: str = "sensitivity",
        delta: float = 0.05,
    ) -> ForestDisplay:
        """From columns of words, what the rule says and one outcome a row."""
        from handful.evidence.subgroups import subgroup_evidence

        case = check_outcomes("outcomes", outcomes) == 1.0
        flags = check_outcomes("is_flagged", is_flagged, case.size) == 1.0
        return cls(subgroup_evidence(columns, flags, case, delta=delta), rate)

    @classmethod
    def from_evidence(cls, evidence: ScoreEvidence, *, rate: str = "sensitivity") -> ForestDisplay:
        """From what was gathered."""
        return cls(evidence.subgroups, rate)

    def _columns(self) -> dict[str, Any]:
        rows = [(group, rate) for group in self.subgroups for rate in group.rates]
        return {
            "subgroup": [group.label for group, _ in rows],
            "rate": [rate.name for _, rate in rows],
            "n_events": [rate.n_events for _, rate in rows],
            "n_rows": [rate.n_rows for _, rate in rows],
            "estimate": [rate.limits.estimate for _, rate in rows],
            "lower": [rate.limits.lower for _, rate in rows],
            "upper": [rate.limits.upper for _, rate in rows],
            "n_more": [rate.n_more for _, rate in rows],
        }

    def plot(self, ax: Any = None) -> ForestDisplay:
        """The rate of this display in each subgroup; the line ends at the certified limit."""
        ax, frame = self._axes(ax), self.frame()
        frame = frame[frame["rate"] == self.rate].reset_index(drop=True)
        for i, row in enumerate(frame.itertuples()):
            if row.n_more:
                ax.text(
                    0.02, i, f"too few: about {row.n_more} more rows", va="center", size="small"
                )
                continue
            end = row.upper if self.rate == "error" else row.lower
            ax.plot([row.estimate, end], [i, i], "|-", color="C0")
            if not math.isnan(row.estimate):
                ax.plot(row.estimate, i, "o", color="C0")
        labels = [fill(f"{row.subgroup} ({row.n_rows})", 18) for row in frame.itertuples()]
        ax.set_yticks(range(len(frame)), labels, parse_math=False)
        ax.set(xlim=(0, 1), ylim=(len(frame) - 0.5, -0.5), xlabel=self.rate)
        return self


def net_benefit_at(evidence: ScoreEvidence, probability: float) -> Floats:
    """Net benefit and its limit, then the gain over treating all and its limit, at one place."""
    one = DecisionCurveDisplay.from_evidence(evidence, at=[probability]).benefit
    return np.array(
        [one.estimate[0], one.lower[0], one.over_all[0], one.over_all_lower[0]], dtype=np.float64
    )
