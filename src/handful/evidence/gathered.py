"""All evidence of one score at once: how the level is divided, and what is said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.checks import check_delta
from handful.evidence.calibration import (
    Reliability,
    brier_limits,
    calibration_in_the_large,
    calibration_line,
    reliability,
)
from handful.evidence.discrimination import auc_limits, delong_estimate
from handful.evidence.ledger import EvidenceLedger, evidence_ledger
from handful.evidence.limits import Limits, check_outcomes, check_probabilities, rate_limits
from handful.evidence.subgroups import SubgroupEvidence, subgroup_evidence

# Shares of the level of the evidence. What is not asked for gives its share to the ledger.
SHARES = {
    "rates": 0.25,
    "ledger": 0.2,
    "calibration": 0.2,
    "subgroups": 0.2,
    "area": 0.1,
    "pairs": 0.05,
}
EDGES = tuple(i / 10 for i in range(11))  # of the bins in which risks and events are compared


def divided(delta: float, asked: Sequence[str]) -> dict[str, float]:
    """The level of each family of evidence; all levels add up to delta.

    Examples
    --------
    >>> {name: round(level, 4) for name, level in divided(0.05, ["rates", "area"]).items()}
    {'ledger': 0.0325, 'rates': 0.0125, 'area': 0.005}
    """
    delta = check_delta(delta)
    levels = {name: SHARES[name] * delta for name in asked if name != "ledger"}
    return {"ledger": delta - math.fsum(levels.values()), **levels}


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredRows:
    """What a fixed score says of rows.

    Attributes
    ----------
    values : ndarray
        One number a row; larger means more like a case.
    is_flagged : ndarray of bool
        Rows that are called cases.
    threshold : float or None
        Rows are flagged if their value is at least this; None if that cannot be said so.
    probabilities : ndarray or None
        Predicted risks, if the score gives them.
    """

    values: Floats
    is_flagged: Mask
    threshold: float | None = None
    probabilities: Floats | None = None

    def take(self, rows: Ints) -> ScoredRows:
        """Some of the rows, by positions."""
        p = self.probabilities
        return ScoredRows(
            values=self.values[rows],
            is_flagged=self.is_flagged[rows],
            threshold=self.threshold,
            probabilities=None if p is None else p[rows],
        )


@dataclass(frozen=True, kw_only=True)
class ThresholdRates:
    """Rates at the one threshold that was fixed beforehand, each with an exact limit from below.

    All limits hold at once with probability 1 - delta. The likelihood ratios follow from them.
    For case-control rows there are no predictive values.
    """

    sensitivity: Limits
    specificity: Limits
    ppv: Limits | None
    npv: Limits | None
    delta: float

    @property
    def positive_ratio(self) -> Limits:
        """Likelihood ratio of a flag, with a limit from below."""
        sens, spec = self.sensitivity, self.specificity
        low = sens.lower / (1.0 - spec.lower) * (1.0 - 1e-14)
        rest = 1.0 - spec.estimate
        found = sens.estimate / rest if rest > 0.0 else math.inf
        return Limits(estimate=found, lower=low, upper=math.inf, delta=self.delta)

    @property
    def negative_ratio(self) -> Limits:
        """Likelihood ratio of no flag, with a limit from above."""
        sens, spec = self.sensitivity, self.specificity
        high = (1.0 - sens.lower) / spec.lower * (1.0 + 1e-14) if spec.lower > 0.0 else math.inf
        found = (1.0 - sens.estimate) / spec.estimate if spec.estimate > 0.0 else math.inf
        return Limits(estimate=found, lower=0.0, upper=high, delta=self.delta)


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibrationEvidence:
    """Whether predicted risks are true: limits that hold at once, and a line as an estimate."""

    in_the_large: Limits
    bins: Reliability
    brier: Limits
    intercept: float
    slope: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreEvidence:
    """Everything that is said of one score; all limits hold at once with 1 - sum of levels.

    Attributes
    ----------
    counts : tuple of int
        Cases flagged and missed, others flagged and cleared.
    levels : mapping of str to float
        How the level is divided.
    """

    counts: tuple[int, int, int, int]
    rates: ThresholdRates
    ledger: EvidenceLedger
    area: Limits
    area_delong: Limits | None
    calibration: CalibrationEvidence | None
    subgroups: tuple[SubgroupEvidence, ...]
    levels: Mapping[str, float]
    threshold: float | None = None
    has_probabilities: bool = field(default=False)

    @property
    def n_rows(self) -> int:
        """Rows that were counted."""
        return sum(self.counts)

    @property
    def n_errors(self) -> int:
        """Cases that were missed and others that were flagged."""
        return self.counts[1] + self.counts[2]


def threshold_rates(
    is_flagged: Mask, is_case: Mask, *, delta: float = 0.05, case_control: bool = False
) -> ThresholdRates:
    """Exact limits of the rates of a rule that was fixed before these rows.

    Statement: if rows are independent with one distribution, all limits hold at once with
    probability 1 - delta at least. Given the labels, flags are binomial; given the flags, labels
    are. Each of the four statements (two for case-control rows) pays an equal share.

    Examples
    --------
    >>> import numpy as np
    >>> found = threshold_rates(np.arange(100) < 40, np.arange(100) < 30)
    >>> round(found.sensitivity.lower, 4), round(found.ppv.lower, 4)
    (0.8641, 0.5656)
    """
    share = check_delta(delta) / (2.0 if case_control else 4.0)

    def rate(hits: Mask, among: Mask) -> Limits:
        n_hits = int(np.count_nonzero(hits & among))
        return rate_limits(n_hits, int(np.count_nonzero(among)), delta=share, side="below")

    return ThresholdRates(
        sensitivity=rate(is_flagged, is_case),
        specificity=rate(~is_flagged, ~is_case),
        ppv=None if case_control else rate(is_case, is_flagged),
        npv=None if case_control else rate(~is_case, ~is_flagged),
        delta=delta,
    )


@dataclass(frozen=True, kw_only=True)
class ClassEvidence:
    """Rates of one of several classes against all others.

    ``counts`` are its rows found and missed, and others that were called it and that were not.
    """

    label: str
    counts: tuple[int, int, int, int]
    rates: ThresholdRates


def class_evidence(
    said: Ints, y: Ints, labels: Sequence[str], *, delta: float = 0.05
) -> tuple[ClassEvidence, ...]:
    """Sensitivity, specificity and predictive values of each of several classes.

    Statement: if rows are independent with one distribution and the classifier was fixed before
    them, all limits of all classes hold at once with probability 1 - delta at least: each class is
    the case once, at an equal share. ``said`` and ``y`` are positions among the labels; a row of
    another class has -1 in ``y``.

    Examples
    --------
    >>> said, y = np.array([0, 1, 2, 2] * 25), np.array([0, 1, 2, 1] * 25)
    >>> one, two, three = class_evidence(said, y, ["a", "b", "c"])
    >>> two.counts, round(two.rates.sensitivity.lower, 4), round(three.rates.ppv.lower, 4)
    ((25, 25, 0, 50), 0.3116, 0.3116)
    """
    share = check_delta(delta) / len(labels)
    return tuple(
        ClassEvidence(
            label=str(label),
            counts=_counts(said == k, y == k),
            rates=threshold_rates(said == k, y == k, delta=share),
        )
        for k, label in enumerate(labels)
    )


def calibration_evidence(
    probabilities: Floats, outcomes: Floats, *, delta: float = 0.05
) -> CalibrationEvidence:
    """Calibration in the large, in bins of tenths, and the Brier score; each pays a third."""
    p, y, share = probabilities, outcomes, check_delta(delta) / 3.0
    intercept, slope = calibration_line(p, y)
    return CalibrationEvidence(
        in_the_large=calibration_in_the_large(p, y, delta=share),
        bins=reliability(p, y, edges=EDGES, delta=share),
        brier=brier_limits(p, y, delta=share),
        intercept=intercept,
        slope=slope,
    )


def _counts(flags: Mask, is_case: Mask) -> tuple[int, int, int, int]:
    pairs = ((flags, is_case), (~flags, is_case), (flags, ~is_case), (~flags, ~is_case))
    one, two, three, four = (int((said & true).sum()) for said, true in pairs)
    return one, two, three, four


def gather_evidence(
    rows: ScoredRows,
    outcomes: Floats,
    *,
    delta: float = 0.05,
    subgroups: Mapping[str, Sequence[str | None]] | None = None,
    case_control: bool = False,
    n_pairs: int = 0,
) -> ScoreEvidence:
    """All evidence of a score that was fixed before these rows.

    Statement: if rows are independent with one distribution, and stand in an order that does not
    depend on their outcomes, all limits hold at once with probability 1 - delta at least. How
    delta is divided is fixed by what is asked for (`SHARES`).

    ``delta`` is the score's share if several are looked at. ``subgroups`` are columns of words,
    named beforehand. For case-control rows only sensitivity, specificity and the area are said.
    If ``n_pairs`` is not 0, the level of "pairs" is left for comparisons with other scores.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 3.0, 4.0] * 25)
    >>> rows = ScoredRows(values=values, is_flagged=values >= 3, threshold=3.0)
    >>> found = gather_evidence(rows, (values >= 3).astype(float))
    >>> found.counts, round(found.area.lower, 3), round(found.rates.sensitivity.lower, 3)
    ((50, 0, 0, 50), 0.887, 0.891)
    """
    y = check_outcomes("outcomes", outcomes)
    p = rows.probabilities
    is_case, groups = y == 1.0, dict(subgroups or {})
    asks_risks = p is not None and not case_control
    asked = ["rates", "area", *["calibration"] * asks_risks]
    asked += ["subgroups"] * bool(groups) + ["pairs"] * bool(n_pairs)
    levels = divided(delta, asked)
    scores = rows.values if p is None else check_probabilities("probabilities", p)
    ones, zeros = scores[is_case], scores[~is_case]
    flags = rows.is_flagged
    return ScoreEvidence(
        counts=_counts(flags, is_case),
        rates=threshold_rates(flags, is_case, delta=levels["rates"], case_control=case_control),
        ledger=evidence_ledger(ones, zeros, delta=levels["ledger"], case_control=case_control),
        area=auc_limits(ones, zeros, delta=levels["area"]),
        area_delong=(
            delong_estimate(ones, zeros, delta=0.05) if min(ones.size, zeros.size) > 1 else None
        ),
        calibration=(
            calibration_evidence(scores, y, delta=levels["calibration"]) if asks_risks else None
        ),
        subgroups=subgroup_evidence(
            groups,
            flags,
            is_case,
            delta=levels.get("subgroups", delta),
            probabilities=scores if asks_risks else None,
            case_control=case_control,
        ),
        levels=levels,
        threshold=rows.threshold,
        has_probabilities=p is not None,
    )
