"""The auditor counts a validation again, and notices every number that was changed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from handful import validate
from handful.validation import fixed_score, load_card
from handful.verify import verify_validation

CARDS = Path(__file__).resolve().parents[2] / "examples" / "cards"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    n = 160
    frame = pd.DataFrame(
        {
            "respiratory_rate": rng.normal(20, 5, n).round(),
            "gcs": rng.choice([15, 15, 14], n),
            "systolic_bp": rng.normal(115, 18, n).round(),
            "sex": rng.choice(["female", "Male"], n),
            "lactate": np.where(
                np.arange(n) % 20 == 0, "", rng.gamma(2, 1, n).round(1).astype(str)
            ),
            "risk": rng.random(n).round(3),
        }
    )
    chance = 0.2 + 0.5 * (frame.respiratory_rate > 21)
    return frame, np.where(rng.random(n) < chance, "yes", "no").tolist()


def _written(table, scores, folder, **more):
    frame, died = table
    found = validate(scores, frame, died, positive="yes", **more)
    path = folder / "validation.json"
    path.write_text(json.dumps(found.to_dict()), "utf-8")
    return path


SCORES = {
    "a card and comparisons": [
        load_card(CARDS / "qsofa.toml"),
        "respiratory_rate > 22",
        "systolic_bp <= 100",
        "sex is female",
    ],
    "risks": ["risk"],
    "rows left out": [fixed_score("lactate >= 2", missing="leave out"), "gcs < 15"],
}


@pytest.mark.parametrize("case_control", [False, True])
@pytest.mark.parametrize("line", sorted(SCORES))
def test_what_was_validated_is_valid(table, line, case_control, tmp_path):
    more = {"threshold": 0.4} if line == "risks" else {}
    path = _written(table, SCORES[line], tmp_path, case_control=case_control, **more)
    verdict = verify_validation(path, *table)
    assert verdict.is_valid, verdict.differences
    assert "calibration" in verdict.stated["shown"]


CHANGES = {
    "n_counted": lambda d: d.update(n_counted=159),
    "delta": lambda d: d.update(delta=0.1),
    "risk": lambda d: d["scores"][0]["certificate"].update(risk=0.2),
    "n_errors": lambda d: d["scores"][0]["certificate"].update(n_errors=3),
    "share": lambda d: d["scores"][0]["certificate"]["terms"][1].update(nats=0.0),
    "levels": lambda d: d["scores"][1]["evidence"]["levels"].update(rates=0.02),
    "sensitivity": lambda d: d["scores"][0]["evidence"]["rates"]["sensitivity"].update(lower=0.6),
    "npv": lambda d: d["scores"][0]["evidence"]["rates"]["npv"].update(lower=0.9),
    "area": lambda d: d["scores"][0]["evidence"]["area"].update(lower=0.6),
    "area here": lambda d: d["scores"][0]["evidence"]["area"].update(estimate=0.9),
    "rule": lambda d: d["scores"][1]["rule"].update(value="19"),
    "points": lambda d: d["scores"][0]["rule"]["items"][0].update(points=3.0),
    "case": lambda d: d.update(positive="no"),
    "pair": lambda d: d["pairs"][0].update(n_first_only=0),
    "difference": lambda d: d["pairs"][0]["difference"].update(upper=0.0),
    "level of a pair": lambda d: d["pairs"][0]["difference"].update(delta=0.04),
    "a word": lambda d: d["scores"][0]["evidence"].update(area="high"),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_every_changed_number_is_noticed(table, change, tmp_path):
    path = _written(table, SCORES["a card and comparisons"][:2], tmp_path)
    document = json.loads(path.read_text("utf-8"))
    CHANGES[change](document)
    path.write_text(json.dumps(document), "utf-8")
    verdict = verify_validation(path, *table)
    assert verdict.status == "NOT VALID"


def test_other_rows_are_noticed(table, tmp_path):
    path = _written(table, "risk", tmp_path, threshold=0.4)
    frame, died = table
    assert verify_validation(path, frame[::-1].reset_index(drop=True), died[::-1]).is_valid
    flipped = ["yes" if label == "no" else "no" for label in died]
    assert not verify_validation(path, frame, flipped).is_consistent
    assert not verify_validation(path, frame[1:], died[1:]).is_consistent


def test_what_is_not_computed_again_is_not_called_valid(table, tmp_path):
    path = _written(table, "risk", tmp_path, threshold=0.4, groups=np.arange(160) // 2)
    verdict = verify_validation(path, *table)
    assert verdict.status == "CONSISTENT, NOT VERIFIED"
    assert "which row of each patient counts" in verdict.unverified[0]
