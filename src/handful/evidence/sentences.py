"""What was found, in a clinician's words. Upper limits are rounded up, lower ones down."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handful.evidence.displays import net_benefit_at
from handful.evidence.gathered import ClassEvidence, ScoreEvidence
from handful.evidence.limits import Limits
from handful.evidence.plain_evidence import FEWEST
from handful.evidence.subgroups import NEAR, SubgroupRate

_BENEFIT_AT = 0.2  # threshold probability of the one sentence about net benefit


def share_up(value: float) -> str:
    """A share as a percentage, never rounded down."""
    return f"{math.ceil(value * 1000.0 - 1e-9) / 10.0:.1f} %"


def share_down(value: float) -> str:
    """A share as a percentage, never rounded up."""
    return f"{math.floor(value * 1000.0 + 1e-9) / 10.0:.1f} %"


def _down(value: float, digits: int = 3) -> str:
    return f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"


def _up(value: float, digits: int = 3) -> str:
    return f"{math.ceil(value * 10**digits) / 10**digits:.{digits}f}"


def class_sentences(classes: Sequence[ClassEvidence]) -> list[str]:
    """One line for each of several classes."""
    lines = []
    for one in classes:
        found, missed, alarms, cleared = one.counts
        r = one.rates
        assert r.ppv is not None  # rows were not drawn by class
        assert r.npv is not None
        told = (
            ("found", found, found + missed, r.sensitivity),
            ("others cleared", cleared, cleared + alarms, r.specificity),
            ("right where it is said (PPV)", found, found + alarms, r.ppv),
            ("right where it is not said (NPV)", cleared, cleared + missed, r.npv),
        )
        parts = [f"{what} {k} of {n}, at least {share_down(x.lower)}" for what, k, n, x in told]
        lines.append(f"{one.label}: {'; '.join(parts)}.")
    return lines


def rate_sentences(one: ScoreEvidence) -> list[str]:
    """Sensitivity and specificity at the threshold."""
    found, missed, alarms, cleared = one.counts
    r = one.rates
    return [
        f"Sensitivity: {found} of {found + missed} cases found; at least "
        f"{share_down(r.sensitivity.lower)}.",
        f"Specificity: {cleared} of {cleared + alarms} others cleared; at least "
        f"{share_down(r.specificity.lower)}.",
    ]


def predictive_sentences(one: ScoreEvidence) -> list[str]:
    """Predictive values and likelihood ratios at the threshold."""
    found, missed, alarms, cleared = one.counts
    r, lines = one.rates, []
    if r.ppv is not None and r.npv is not None:
        lines += [
            f"Flagged and a case (PPV): {found} of {found + alarms}; at least "
            f"{share_down(r.ppv.lower)}.",
            f"Cleared and no case (NPV): {cleared} of {cleared + missed}; at least "
            f"{share_down(r.npv.lower)}.",
        ]
    plus, minus = r.positive_ratio, r.negative_ratio
    high = "no limit" if math.isinf(minus.upper) else f"at most {_up(minus.upper, 2)}"
    lines.append(
        f"Likelihood ratios: of a flag at least {_down(plus.lower, 2)}; of no flag {high}."
    )
    return lines


def area_sentence(one: ScoreEvidence) -> str:
    """The area under the ROC curve."""
    text = (
        f"Area under the ROC curve: {one.area.estimate:.3f} here; from {_down(one.area.lower)} to "
        f"{_up(one.area.upper)}"
    )
    if one.area_delong is None:
        return f"{text}."
    d = one.area_delong
    return f"{text} (estimate without guarantee, DeLong 95 %: {d.lower:.3f} to {d.upper:.3f})."


def _signed(limits: Limits) -> str:
    """A difference of risks in percentage points."""
    return (
        f"{100 * limits.estimate:+.1f} points here, from "
        f"{math.floor(limits.lower * 1000) / 10:+.1f} to {math.ceil(limits.upper * 1000) / 10:+.1f}"
    )


def calibration_sentences(one: ScoreEvidence) -> list[str]:
    """Calibration in the large, Brier score, slope; nothing if the score gives no risks."""
    if one.calibration is None:
        return []
    c = one.calibration
    slope = "no finite slope" if math.isnan(c.slope) else f"slope {c.slope:.2f}"
    return [
        f"Cases minus predicted cases: {_signed(c.in_the_large)}.",
        f"Brier score: {c.brier.estimate:.4f} here; at most {_up(c.brier.upper, 4)}.",
        f"Calibration line (estimate without guarantee): {slope}, intercept {c.intercept:.2f}."
        if not math.isnan(c.slope)
        else f"Calibration line (estimate without guarantee): {slope}.",
    ]


def benefit_sentence(one: ScoreEvidence) -> str:
    """Net benefit at one threshold probability; empty if it cannot be stated."""
    has_curve = one.has_probabilities or one.threshold is not None
    if one.ledger.is_case_control or not has_curve:
        return ""
    here, low, gain, gain_low = net_benefit_at(one, _BENEFIT_AT).tolist()
    return (
        f"Net benefit where {_BENEFIT_AT:g} is the risk worth treating: {here:.3f} here, at least "
        f"{_down(low)}; over treating all {gain:+.3f} here, at least {_down(gain_low)}."
    )


def _rate_words(rate: SubgroupRate) -> str:
    if not rate.says_enough:
        return f"{rate.name} too few to say: about {rate.n_more} more rows"
    if rate.name == "error":
        return f"error {rate.n_events} of {rate.n_rows}, at most {share_up(rate.limits.upper)}"
    return f"{rate.name} {rate.n_events} of {rate.n_rows}, at least {share_down(rate.limits.lower)}"


def subgroup_sentences(one: ScoreEvidence) -> list[str]:
    """One line a subgroup."""
    lines = []
    for group in one.subgroups:
        if group.n_rows < FEWEST:
            lines.append(f"{group.label}: fewer than {FEWEST} rows: too few to say.")
            continue
        parts = [_rate_words(rate) for rate in group.rates]
        if group.in_the_large is not None:
            large = group.in_the_large
            is_wide = large.upper - large.lower > 4.0 * NEAR
            said = "too few to say" if is_wide else _signed(large)
            parts.append(f"cases minus predicted {said}")
        lines.append(f"{group.label} ({group.n_rows} rows): {'; '.join(parts)}.")
    return lines


def evidence_lines(one: ScoreEvidence, *, has_rates: bool = True) -> list[str]:
    """Everything about one score, one sentence a line.

    ``has_rates`` says whether sensitivity and specificity are among them; a menu states them with
    the certificate.
    """
    lines = rate_sentences(one) if has_rates else []
    lines += [*predictive_sentences(one), area_sentence(one), *calibration_sentences(one)]
    benefit = benefit_sentence(one)
    return [*lines, *([benefit] if benefit else []), *subgroup_sentences(one)]
