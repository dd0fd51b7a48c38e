"""One ledger of four statements: ROC, predictive values and net benefit at every threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats, Ints
from handful.checks import check_delta, check_flag
from handful.evidence.bands import survival_band
from handful.evidence.limits import (
    Limits,
    check_probabilities,
    check_scores,
    complement,
    rate_limits,
)

_DOWN = 1.0 - 1e-14  # more than the rounding of a quotient of sums of positive numbers
_SLACK = 1e-14  # more than the rounding of a difference, relative to its largest part


def _quotient(part: Floats, rest: Floats) -> Floats:
    """The share part / (part + rest), rounded down; 0 if both are 0."""
    total = part + rest
    return np.asarray(_DOWN * np.divide(part, total, out=np.zeros(total.shape), where=total > 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class NetBenefit:
    """Net benefit at threshold probabilities; all limits from below hold at once.

    ``over_all`` compares with treating everybody. Treating nobody has the net benefit 0.
    """

    probabilities: Floats
    estimate: Floats
    lower: Floats
    over_all: Floats
    over_all_lower: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class EvidenceLedger:
    """Four statements that hold at once with probability 1 - delta, and what follows from them.

    The statements are limits from below on sensitivity and on specificity at all thresholds, and
    limits of the prevalence from both sides; each pays a quarter of delta. For case-control rows
    the prevalence is not known: there are two statements of one half each, and neither predictive
    values nor net benefit. ``thresholds`` increase and end with infinity (nobody is flagged). A
    row is flagged if its score is at least the threshold.
    """

    delta: float
    n_cases: int
    n_non_cases: int
    thresholds: Floats
    n_true_positives: Ints
    n_false_positives: Ints
    sensitivity_lower: Floats
    specificity_lower: Floats
    prevalence: Limits | None

    @property
    def is_case_control(self) -> bool:
        """Whether rows were drawn by class, so that the prevalence is not known."""
        return self.prevalence is None

    @property
    def sensitivity(self) -> Floats:
        """Share of cases that are flagged, at each threshold."""
        return self.n_true_positives / self.n_cases

    @property
    def specificity(self) -> Floats:
        """Share of non-cases that are not flagged, at each threshold."""
        return 1.0 - self.n_false_positives / self.n_non_cases

    def _known_prevalence(self) -> Limits:
        if self.prevalence is None:
            raise ValueError(
                "case-control rows say nothing about the prevalence, so predictive values and net "
                "benefit have no limits. Use rows that were not drawn by class."
            )
        return self.prevalence

    def ppv_lower(self) -> Floats:
        """Limits from below on P(case | flagged): it grows with all three rates."""
        low = self._known_prevalence().lower
        return _quotient(low * self.sensitivity_lower, (1.0 - low) * (1.0 - self.specificity_lower))

    def npv_lower(self) -> Floats:
        """Limits from below on P(not a case | not flagged): it falls with the prevalence."""
        high = self._known_prevalence().upper
        return _quotient(
            (1.0 - high) * self.specificity_lower, high * (1.0 - self.sensitivity_lower)
        )

    def positive_ratio_lower(self) -> Floats:
        """Limits from below on the likelihood ratio of a flag."""
        return np.asarray(_DOWN * self.sensitivity_lower / (1.0 - self.specificity_lower))

    def negative_ratio_upper(self) -> Floats:
        """Limits from above on the likelihood ratio of no flag; infinite if nothing is known."""
        missed = 1.0 - self.sensitivity_lower
        infinite = np.full(missed.shape, np.inf)
        spec = self.specificity_lower
        return np.asarray(np.divide(missed, spec, out=infinite, where=spec > 0) / _DOWN)

    def index(self, threshold: ArrayLike) -> Ints:
        """Place of any thresholds: counts are those of the first listed one not below it."""
        return np.asarray(np.searchsorted(self.thresholds, threshold, side="left"))

    def net_benefit(
        self, probabilities: ArrayLike, *, threshold: float | None = None
    ) -> NetBenefit:
        """Net benefit with limits from below, for all threshold probabilities at once.

        At the threshold probability p a row is flagged if its score, a risk, is at least p. With
        ``threshold`` it is flagged if its score is at least this number, at every p.
        With w = p / (1 - p), NB = prevalence * sensitivity - (1 - prevalence) * w *
        (1 - specificity) grows with all three rates. Its distance to treat-all falls with the
        prevalence.
        """
        p = check_probabilities("probabilities", np.atleast_1d(np.asarray(probabilities)))
        if (p >= 1.0).any():
            raise ValueError("`probabilities` must be below 1, got 1.0. Leave it out.")
        prevalence, odds = self._known_prevalence(), p / (1.0 - p)
        at = self.index(p if threshold is None else np.full(p.shape, threshold))
        sens, spec = self.sensitivity[at], self.specificity[at]
        sens_low, spec_low = self.sensitivity_lower[at], self.specificity_lower[at]
        share, low, high = prevalence.estimate, prevalence.lower, prevalence.upper
        slack = _SLACK * (1.0 + odds)
        return NetBenefit(
            probabilities=p,
            estimate=share * sens - (1.0 - share) * odds * (1.0 - spec),
            lower=low * sens_low - (1.0 - low) * odds * (1.0 - spec_low) - slack,
            over_all=odds * (1.0 - share) * spec - share * (1.0 - sens),
            over_all_lower=odds * (1.0 - high) * spec_low - high * (1.0 - sens_low) - slack,
        )

    def columns(self) -> dict[str, Floats | Ints]:
        """Everything by threshold, as columns of a frame."""
        found: dict[str, Floats | Ints] = {
            "threshold": self.thresholds,
            "n_true_positives": self.n_true_positives,
            "n_false_positives": self.n_false_positives,
            "sensitivity": self.sensitivity,
            "sensitivity_lower": self.sensitivity_lower,
            "specificity": self.specificity,
            "specificity_lower": self.specificity_lower,
            "positive_ratio_lower": self.positive_ratio_lower(),
            "negative_ratio_upper": self.negative_ratio_upper(),
        }
        if not self.is_case_control:
            found |= {"ppv_lower": self.ppv_lower(), "npv_lower": self.npv_lower()}
        return found


def evidence_ledger(
    cases: ArrayLike, non_cases: ArrayLike, *, delta: float = 0.05, case_control: bool = False
) -> EvidenceLedger:
    """The ledger of a score that was fixed before these rows.

    Statement: if rows are independent with one distribution, all limits of the ledger hold at
    once, at every threshold, with probability 1 - delta at least. Given the labels, scores of
    cases are independent with one distribution, and so are those of non-cases; the number of
    cases is binomial. If the score is picked after looking, pass its share of delta.

    Parameters
    ----------
    cases, non_cases : array-like
        Scores of the rows of each class; larger means more like a case.
    delta : float
    case_control : bool
        Whether rows were drawn by class.

    Examples
    --------
    >>> ledger = evidence_ledger([0.4, 0.6, 0.7, 0.9] * 25, [0.1, 0.2, 0.3, 0.6] * 25)
    >>> at = ledger.index(0.4)
    >>> round(float(ledger.sensitivity_lower[at]), 3), round(float(ledger.ppv_lower()[at]), 3)
    (0.927, 0.618)
    >>> round(float(ledger.net_benefit([0.4]).lower[0]), 3)
    0.228
    """
    ones, zeros = check_scores("cases", cases), check_scores("non_cases", non_cases)
    delta = check_delta(delta)
    is_by_class = check_flag("case_control", case_control)
    thresholds = np.append(np.unique(np.concatenate([ones, zeros])), math.inf)
    share = delta / (2.0 if is_by_class else 4.0)
    sens = survival_band(ones, delta=share, side="below", at=thresholds)
    fall = survival_band(zeros, delta=share, side="above", at=thresholds)
    prevalence = None
    if not is_by_class:
        # Two of the four quarters: one for each side.
        prevalence = rate_limits(ones.size, ones.size + zeros.size, delta=2.0 * share)
    return EvidenceLedger(
        delta=delta,
        n_cases=ones.size,
        n_non_cases=zeros.size,
        thresholds=thresholds,
        n_true_positives=sens.n_at_least,
        n_false_positives=fall.n_at_least,
        sensitivity_lower=sens.lower,
        specificity_lower=complement(fall.upper),
        prevalence=prevalence,
    )
