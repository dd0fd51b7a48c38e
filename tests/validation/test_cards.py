"""Cards from papers: the examples, the format, missing items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from handful.validation import card_from_dict, load_card

CARDS = Path(__file__).resolve().parents[2] / "examples" / "cards"
ONE = {
    "card": 1,
    "name": "one",
    "threshold": 1,
    "missing": "refuse",
    "item": [{"points": 1, "when": ["rate >= 22", "gcs < 15"]}],
}


def _qsofa(rate, gcs, pressure):
    return (rate >= 22) + (gcs < 15) + (pressure <= 100)


def _curb(confusion, urea, rate, systolic, diastolic, age):
    low = systolic < 90 or diastolic <= 60
    return (confusion == "yes") + (urea > 7) + (rate >= 30) + low + (age >= 65)


def _vasc(failure, pressure, age, diabetes, stroke, vascular, sex):
    own = (failure, pressure, diabetes, vascular)
    by_age = 2 if age >= 75 else 1 if age >= 65 else 0
    return sum(one == "yes" for one in own) + by_age + 2 * (stroke == "yes") + (sex == "female")


@pytest.mark.parametrize(
    ("name", "rule", "columns"),
    [
        (
            "qsofa",
            _qsofa,
            {"respiratory_rate": (18, 26), "gcs": (13, 16), "systolic_bp": (96, 105)},
        ),
        (
            "curb65",
            _curb,
            {
                "confusion": ("yes", "no"), "urea": (5, 10), "respiratory_rate": (28, 33),
                "systolic_bp": (87, 93), "diastolic_bp": (58, 64), "age": (62, 68),
            },
        ),
        (
            "cha2ds2-vasc",
            _vasc,
            {
                "heart_failure": ("yes", "no"), "hypertension": ("yes", "no"), "age": (60, 80),
                "diabetes": ("yes", "no"), "stroke": ("yes", "no"),
                "vascular_disease": ("yes", "no"), "sex": ("female", "male"),
            },
        ),
    ],
)  # fmt: skip
def test_cards_of_the_examples(rng, name, rule, columns):
    card = load_card(CARDS / f"{name}.toml")
    assert len(card.worked) >= 3
    assert any(year in card.reference for year in ("2016", "2003", "2010"))
    drawn = {
        column: rng.integers(*ends, 300) if isinstance(ends[0], int) else rng.choice(ends, 300)
        for column, ends in columns.items()
    }
    frame = pd.DataFrame(drawn)
    points, gone = card.points(frame)
    wanted = [rule(*row) for row in frame.itertuples(index=False)]
    assert points.tolist() == [float(total) for total in wanted]
    assert not gone.any()


def test_a_wrong_worked_case_is_refused():
    wrong = {**ONE, "worked": [{"points": 0, "case": {"rate": 30, "gcs": 15}}]}
    with pytest.raises(ValueError, match="must get 0 points, and gets 1"):
        card_from_dict(wrong)


def test_missing_items():
    frame = pd.DataFrame({"rate": ["30", "", "12"], "gcs": ["", "15", "15"]})
    with pytest.raises(ValueError, match="cannot be decided in row 2"):
        card_from_dict(ONE).points(frame)
    points, gone = card_from_dict({**ONE, "missing": "no points"}).points(frame)
    assert points.tolist() == [1.0, 0.0, 0.0]
    assert not gone.any()
    points, gone = card_from_dict({**ONE, "missing": "leave out"}).points(frame)
    assert gone.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"card": 2}, "`card` must be 1, got 2"),
        ({"missing": "guess"}, "`missing` must be one of"),
        ({"item": []}, "1 to 200 times, got 0"),
        ({"item": [{"points": 1, "when": []}]}, "must hold a comparison"),
        ({"item": [{"points": 1, "when": ["rate"]}]}, "must be a comparison, got 'rate'"),
        ({"item": [{"points": "one", "when": ["rate > 1"]}]}, "of the wrong type, got 'one'"),
        ({"more": 1}, "must not have 'more'"),
        ({"threshold": True}, "`card.threshold` is of the wrong type"),
        ({"risk": {"one": 0.1}}, "`risk` must say a risk for points"),
        ({"risk": {"1": 1.2}}, "`risk` must say a risk for points"),
    ],
)
def test_bad_cards_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        card_from_dict({**ONE, **change})


def test_fields_that_lack_are_named():
    with pytest.raises(ValueError, match="must say 'threshold'"):
        card_from_dict({name: part for name, part in ONE.items() if name != "threshold"})


def test_files_that_are_no_cards(tmp_path):
    with pytest.raises(FileNotFoundError, match="no card"):
        load_card(tmp_path / "none.toml")
    path = tmp_path / "bad.toml"
    path.write_text("card = ", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.toml is not a card"):
        load_card(path)


def test_risks_by_points():
    card = card_from_dict({**ONE, "risk": {"0": 0.05, "1": 0.3}})
    assert card.risks(np.array([0.0, 1.0, 2.0])).tolist() == [0.05, 0.3, 0.3]
    with pytest.raises(ValueError, match="must begin at the lowest points"):
        card_from_dict({**ONE, "risk": {"1": 0.3}}).risks(np.array([0.0]))
