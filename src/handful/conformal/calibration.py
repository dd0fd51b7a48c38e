"""Guarantees of a finished rule from examples that had no part in making it.

The published argument (Proposition 4.2) bounds one fixed model, while the rule picks the model
after seeing the case; its value is only reproduced here. What does hold: once models, validation
examples and tie rule are fixed, the *composite* rule is a fixed function, and fresh calibration
examples give conformal p-values, a bound on its risk, and a bound on its risk among the cases
it accepts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.bounds import (
    Certificate,
    Criterion,
    NotCertifiableError,
    Quantity,
    Term,
    assume,
    held_out_bound,
    selective_error_bound,
)
from handful.conformal.verdicts import Verdict

Bools = NDArray[np.bool_]

_HARDOON = "Hardoon, Hussain & Shawe-Taylor (2009), A nonconformity approach to model selection"
SELECTIVE_BOUNDS = ("auto", "held-out", "selective-error")


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """What fresh examples say of the composite rule.

    Attributes
    ----------
    sorted_scores : ndarray of shape (n_calibration,)
        Composite scores of the examples with their own labels, ascending.
    tolerance : float
        Scores closer than this count as equal, which can only enlarge a p-value.
    doubt : ndarray of shape (n_calibration,)
    is_error : ndarray of bool
    n_thresholds : int or None
        Number of values that doubt can take, where it is finite and known beforehand.
    """

    sorted_scores: Floats
    tolerance: float
    doubt: Floats
    is_error: Bools
    n_thresholds: int | None

    @classmethod
    def from_verdict(cls, verdict: Verdict, codes: Ints, n_thresholds: int | None) -> Calibration:
        """Build it from the rule's verdict on the examples and their true labels."""
        own = np.sort(verdict.scores[np.arange(codes.size), codes])
        finite = np.abs(own[np.isfinite(own)])
        return cls(
            sorted_scores=own,
            tolerance=1e-10 * (1.0 + finite.max(initial=0.0)),
            doubt=verdict.doubt,
            is_error=verdict.label != codes,
            n_thresholds=n_thresholds,
        )

    @property
    def n_calibration(self) -> int:
        """Number of examples."""
        return self.sorted_scores.size

    def p_values(self, scores: Floats) -> Floats:
        """Conformal p-values (#{calibration score <= score} + 1) / (n + 1)."""
        n_at_most = np.searchsorted(self.sorted_scores, scores + self.tolerance, side="right")
        return np.asarray((n_at_most + 1.0) / (self.n_calibration + 1.0), dtype=np.float64)

    def certificate(self, delta: float, n_choices: int = 1) -> Certificate:
        """Bound on the risk of the composite rule."""
        n_errors = int(self.is_error.sum())
        return held_out_bound(self.n_calibration, n_errors, n_choices=n_choices, delta=delta)

    def selective_certificate(
        self, threshold: float, *, delta: float = 0.05, bound: str = "auto"
    ) -> Certificate:
        """Bound on the error probability among cases with doubt at most ``threshold``.

        Both bounds hold for all thresholds at once, so the threshold may be chosen afterwards.
        "held-out" divides delta over the values that doubt can take; "selective-error" uses the
        deviation of empirical distributions. "auto" is the first where it applies.
        """
        if bound not in SELECTIVE_BOUNDS:
            raise ValueError(f"`bound` must be one of {SELECTIVE_BOUNDS}, got {bound!r}.")
        if isinstance(threshold, (str, bool)) or not np.isreal(threshold) or np.isnan(threshold):
            raise ValueError(f"`threshold` must be a number, got {threshold!r}.")
        # The threshold may have been chosen by looking: both bounds below hold for all at once.
        is_accepted = self.doubt <= threshold
        n_accepted, n_errors = int(is_accepted.sum()), int(self.is_error[is_accepted].sum())
        if bound == "selective-error" or (bound == "auto" and self.n_thresholds is None):
            return selective_error_bound(self.n_calibration, n_accepted, n_errors, delta=delta)
        if self.n_thresholds is None:
            raise NotCertifiableError(
                "'held-out' needs a doubt with finitely many values, as epsilon_crit has. "
                "Use bound='selective-error' here."
            )
        return _accepted_certificate(n_accepted, n_errors, self.n_thresholds, delta)


def _accepted_certificate(
    n_accepted: int, n_errors: int, n_thresholds: int, delta: float
) -> Certificate:
    """Given which cases are accepted their errors are binomial; one share of delta a threshold."""
    # Nothing accepted: one case without an error stands in, and the risk is set to 1 below.
    certificate = held_out_bound(max(n_accepted, 1), n_errors, n_choices=n_thresholds, delta=delta)
    choice = f"choice among {n_thresholds} thresholds"
    terms = tuple(
        replace(term, text=choice) if term.kind == "choice" else term for term in certificate.terms
    )
    return replace(
        certificate,
        risk=certificate.risk if n_accepted else 1.0,
        terms=terms,
        quantity=Quantity("accepted"),
        assumptions=assume("iid", "calibration"),
    )


def published_deviation(n_validation: int, n_models: int, delta: float = 0.05) -> float:
    """The deviation term of Proposition 4.2: 5.66 sqrt((ln(e n) + ln(8 K / delta)) / n).

    Examples
    --------
    >>> round(published_deviation(50, 110), 6)
    3.067665
    """
    n = n_validation
    return 5.66 * math.sqrt((1.0 + math.log(n) + math.log(8.0 * n_models / delta)) / n)


def published_nonconformity_value(
    epsilon_crit: float, n_validation: int, n_models: int, *, delta: float = 0.05
) -> Criterion:
    """The value of Proposition 4.2: published, not a guarantee.

    It would bound the error probability of a model fixed before the case is seen. The rule picks
    the model after seeing the case, and then the error can be far larger: with random labels and
    110 random scores the value falls to 0.2 while the error stays at 0.5.

    Examples
    --------
    >>> criterion = published_nonconformity_value(0.0, 20000, 110)
    >>> print(criterion)
    Proposition 4.2 (published, not a guarantee) = 0.181998 (a criterion, not a guarantee)
    """
    deviation = published_deviation(n_validation, n_models, delta)
    return Criterion(
        value=epsilon_crit + deviation,
        name="Proposition 4.2 (published, not a guarantee)",
        warning=(
            "It bounds a model that was fixed before the case; the rule picks its model after "
            "seeing the case. Use calibration_size and certify() or selective_certificate()."
        ),
        terms=(
            Term("criterion", "epsilon_crit", epsilon_crit),
            Term("deviation", "deviation", deviation),
        ),
        reference=f"{_HARDOON}, Proposition 4.2",
    )


def require_calibration(calibration: Calibration | None, what: str) -> Calibration:
    """Return the calibration, or say why there is no guarantee without one."""
    if calibration is None:
        raise NotCertifiableError(
            f"{what} needs examples that had no part in making the rule: the validation examples "
            "chose its models. Set `calibration_size` and fit again."
        )
    return calibration


def check_level(level: Any) -> float:
    """Return ``level``, the wanted probability that a label set holds the true label."""
    is_number = isinstance(level, (int, float, np.floating)) and not isinstance(level, bool)
    if not is_number or not 0.0 < level < 1.0:
        raise ValueError(
            f"`level` must be in (0, 1), got {level!r}. "
            "It is the probability that the set holds the label: 0.9 for 90 %."
        )
    return float(level)
