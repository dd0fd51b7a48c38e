"""Evidence as plain data; no score of a single row is written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from handful.evidence.calibration import Reliability
from handful.evidence.displays import net_benefit_at
from handful.evidence.gathered import ClassEvidence, ScoreEvidence
from handful.evidence.ledger import EvidenceLedger
from handful.evidence.subgroups import SubgroupEvidence

AT = (0.05, 0.1, 0.2, 0.3)  # threshold probabilities of the printed net benefit
FEWEST = 5  # rows of a step of the ROC in a file, of a bin, and of a subgroup that is written
_OF_A_BIN = ("n_events", "mean_probability", "lower", "upper")
_MOST_THRESHOLDS = 200  # lines of the ROC in a file; more are thinned out


def plain(value: Any) -> Any:
    """Numbers of numpy as numbers, NaN and infinity as None."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (np.generic,)):
        return plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _between(low: float, high: float) -> float:
    """The shortest decimal above ``low`` and at most ``high``; a threshold there flags the same."""
    for digits in range(-6, 17):
        found = round(math.floor(high * 10.0**digits) / 10.0**digits, max(digits, 0))
        if low < found <= high:
            return found
    return high


def roc_document(ledger: EvidenceLedger) -> dict[str, Any]:
    """The ROC as columns. No two lines differ by fewer than five rows, none has a row's score.

    Each threshold stands between two scores, so that it flags the same rows and its limits hold.

    Examples
    --------
    >>> from handful.evidence import evidence_ledger
    >>> ledger = evidence_ledger([0.41, 0.62, 0.73, 0.98] * 5, [0.17, 0.28, 0.39, 0.61] * 5)
    >>> roc_document(ledger)["threshold"].tolist()[:4]
    [0.0, 0.2, 0.3, 0.4]
    """
    columns = {name: np.asarray(values) for name, values in ledger.columns().items()}
    flagged, scores = ledger.n_true_positives + ledger.n_false_positives, ledger.thresholds
    step = max(FEWEST, math.ceil(flagged[0] / _MOST_THRESHOLDS))
    kept = [0]
    for i in range(1, len(scores) - 1):
        if flagged[kept[-1]] - flagged[i] >= step and flagged[i] >= step:
            kept.append(i)
    first = _between(-math.inf, float(scores[0]))
    told = [_between(float(scores[i - 1]), float(scores[i])) for i in kept[1:]]
    shown = np.array([*kept, len(scores) - 1])
    columns = {name: values[shown] for name, values in columns.items()}
    return columns | {"threshold": np.array([first, *told, math.inf])}


def _subgroup_document(group: SubgroupEvidence) -> dict[str, Any]:
    """A subgroup; of fewer than five rows nothing but that is written."""
    if group.n_rows >= FEWEST:
        return asdict(group)
    few = f"<{FEWEST}"
    return {"column": group.column, "word": group.word, "n_rows": few, "n_cases": None, "rates": []}


def _bins_document(bins: Reliability) -> dict[str, Any]:
    """Bins as columns; of fewer than five rows nothing but that is written."""
    found, few = dict(plain(asdict(bins))), (bins.n_rows > 0) & (bins.n_rows < FEWEST)
    hidden = {"n_rows": f"<{FEWEST}", **dict.fromkeys(_OF_A_BIN)}
    for name, instead in hidden.items():
        pairs = zip(found[name], few.tolist(), strict=True)
        found[name] = [instead if is_few else value for value, is_few in pairs]
    return found


def evidence_document(one: ScoreEvidence) -> dict[str, Any]:
    """All evidence of one score as plain data."""
    found: dict[str, Any] = {
        "n_counted": one.n_rows,
        "counts": dict(
            zip(("cases_flagged", "cases_missed", "others_flagged", "others_cleared"),
                one.counts, strict=True)
        ),
        "levels": dict(one.levels),
        "rates": asdict(one.rates),
        "likelihood_ratios": {
            "positive": asdict(one.rates.positive_ratio),
            "negative": asdict(one.rates.negative_ratio),
        },
        "area": asdict(one.area),
        "area_delong_estimate": None if one.area_delong is None else asdict(one.area_delong),
        "roc": roc_document(one.ledger),
        "subgroups": [_subgroup_document(group) for group in one.subgroups],
    }  # fmt: skip
    if one.calibration is not None:
        c = one.calibration
        found["calibration"] = {
            "in_the_large": asdict(c.in_the_large), "brier": asdict(c.brier),
            "slope_estimate": c.slope, "intercept_estimate": c.intercept,
            "bins": _bins_document(c.bins),
        }  # fmt: skip
    if decides(one):
        names = ("net_benefit", "lower", "over_all", "over_all_lower")
        rows = [zip(names, net_benefit_at(one, p).tolist(), strict=True) for p in AT]
        found["decision"] = [{"at": p, **dict(row)} for p, row in zip(AT, rows, strict=True)]
    return dict(plain(found))


def class_documents(classes: Sequence[ClassEvidence]) -> list[dict[str, Any]]:
    """Evidence of several classes as plain data."""
    named = [(one, (one.rates.positive_ratio, one.rates.negative_ratio)) for one in classes]
    return [
        dict(plain(asdict(one)))
        | {"likelihood_ratios": plain({"positive": asdict(up), "negative": asdict(down)})}
        for one, (up, down) in named
    ]


def decides(one: ScoreEvidence) -> bool:
    """Whether net benefit can be stated: the prevalence is known, and there is a threshold."""
    has_curve = one.has_probabilities or one.threshold is not None
    return has_curve and not one.ledger.is_case_control
