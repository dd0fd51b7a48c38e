"""Everything that is shown at once is counted: errors, rates, the table of points, the band."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, load_dataset
from handful.cli import app
from tests.chance import n_allowed

pytestmark = pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows


@pytest.fixture(scope="module")
def card():
    data = load_dataset("breastw")
    machine = CertifiedClassifier(["constant", "score card", "linear"], delta=0.05)
    return machine.fit(data.X, data.y).choose("score card")


def test_errors_rates_and_points_are_three(card):
    assert card.points_lines()
    said = card.together()
    assert said.startswith("These 3 statements")
    assert "the table of points" in said
    assert "all at once with 85 %" in said
    assert said in card.explain()
    assert "all at once with 90 %" not in card.explain()


def test_silence_in_doubt_is_a_fourth(card):
    band = card.abstain(0.2)
    assert "These 4 statements" in card.together(band)
    assert "all at once with 80 %" in card.together(band)
    assert "These 3 statements" in card.choose("linear").together(band)


def test_without_points_there_are_two(card):
    linear = card.choose("linear")
    assert "These 2 statements hold with 95 % confidence each" in linear.together()
    assert linear.together() in linear.explain()


def _table(folder):
    data = load_dataset("breastw")
    X, y = data.named()
    X.assign(outcome=y).to_csv(folder / "t.csv", index=False)
    return str(folder / "t.csv")


def test_screen_files_and_report_say_the_same(tmp_path):
    words = ["certify", _table(tmp_path), "--candidates", "constant,score card", "--choose",
             "score card", "--abstain", "0.2"]  # fmt: skip
    out = tmp_path / "out"
    screen = CliRunner().invoke(app, [*words, "--out", str(out)])
    assert screen.exit_code == 0, screen.output
    said = "all at once with 75 %"  # errors, rates, points, answers, and the evidence
    assert said in " ".join(screen.output.split())
    assert said in json.loads((out / "certificate.json").read_text(encoding="utf-8"))["together"]
    assert said in " ".join((out / "report.html").read_text(encoding="utf-8").split())
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert said in found["together"]


def _families(rng, n, delta):
    """Whether the errors, the rates or the table of points of a card claim too much."""
    x = rng.integers(0, 3, (n, 2)).astype(float)
    y = (rng.random(n) < 0.2 + 0.15 * x.sum(axis=1)).astype(int)
    machine = CertifiedClassifier(["score card", "constant"], delta=delta).fit(x, y)
    card = next((c.name for c in machine.candidates_ if "card" in c.name), None)
    if card is None:
        return False
    machine = machine.choose(card)
    cells = np.array([(a, b) for a in range(3) for b in range(3)], dtype=float)
    p = 0.2 + 0.15 * cells.sum(axis=1)
    said = machine.predict(cells) == 1
    risk = np.mean(np.where(said, 1.0 - p, p))
    missed = machine.certificate_.risk < risk
    rates = dict(machine.certificate_.rates)
    missed |= rates["false_negative_given_positive"] < np.sum(p[~said]) / np.sum(p)
    missed |= rates["false_positive_given_negative"] < np.sum((1.0 - p)[said]) / np.sum(1.0 - p)
    scores = machine.decision_function(cells)
    for row in machine.probability_table().itertuples():
        inside = (scores > row.above) & (scores <= row.up_to)
        if inside.any():
            rate = p[inside].mean()
            missed |= not row.at_least <= rate <= row.at_most
    return bool(missed)


@pytest.mark.thorough
def test_all_of_them_hold_as_often_as_they_say(rng):
    delta, n_draws = 0.2, 400
    missed = sum(_families(rng, 200, delta) for _ in range(n_draws))
    assert missed <= n_allowed(n_draws, 3 * delta)


def test_all_of_them_hold_in_a_few_draws(rng):
    assert sum(_families(rng, 150, 0.2) for _ in range(12)) <= n_allowed(12, 0.6)
