"""Evidence as plain data; no score of a single row is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from handful.evidence.displays import net_benefit_at
from handful.evidence.gathered import ScoreEvidence

AT = (0.05, 0.1, 0.2, 0.3)  # threshold probabilities of the printed net benefit
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


def evidence_document(one: ScoreEvidence) -> dict[str, Any]:
    """All evidence of one score as plain data."""
    columns = {name: np.asarray(values) for name, values in one.ledger.columns().items()}
    n = len(columns["threshold"])
    # scores of single rows are not written: thresholds are thinned out to places among them
    shown = np.unique(np.linspace(0, n - 1, min(n, _MOST_THRESHOLDS)).round().astype(int))
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
        "roc": {name: values[shown] for name, values in columns.items()},
        "subgroups": [asdict(group) for group in one.subgroups],
    }  # fmt: skip
    if one.calibration is not None:
        c = one.calibration
        found["calibration"] = {
            "in_the_large": asdict(c.in_the_large), "brier": asdict(c.brier),
            "slope_estimate": c.slope, "intercept_estimate": c.intercept,
            "bins": asdict(c.bins),
        }  # fmt: skip
    if decides(one):
        names = ("net_benefit", "lower", "over_all", "over_all_lower")
        rows = [zip(names, net_benefit_at(one, p).tolist(), strict=True) for p in AT]
        found["decision"] = [{"at": p, **dict(row)} for p, row in zip(AT, rows, strict=True)]
    return dict(plain(found))


def decides(one: ScoreEvidence) -> bool:
    """Whether net benefit can be stated: the prevalence is known, and there is a threshold."""
    has_curve = one.has_probabilities or one.threshold is not None
    return has_curve and not one.ledger.is_case_control
