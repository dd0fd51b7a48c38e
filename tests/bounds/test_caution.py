"""What is said first of a certificate that says little."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_dataset
from handful.bounds import caution, compression_bound, held_out_bound
from handful.cli import app
from handful.report import render_report

COUNTS = {"died": 30, "lived": 70}


def test_nothing_to_say():
    assert caution(held_out_bound(400, 10), COUNTS, n_errors=3) == ""


def test_constant_first():
    text = caution(held_out_bound(400, 10), COUNTS, n_errors=30, constant="lived")
    assert text == "The classifier is constant: it calls every case lived, whatever its features."


@pytest.mark.parametrize("n_errors", [30, 31])
def test_no_better_than_the_larger_class(n_errors):
    text = caution(held_out_bound(400, 10), COUNTS, n_errors=n_errors)
    assert "no better than always naming the larger class, lived," in text
    assert f"{n_errors} errors, the guess 30." in text


def test_too_few_examples():
    few = compression_bound(100, 5, 20)
    assert few.risk >= 0.3
    text = caution(few, COUNTS, n_errors=20)
    assert text.startswith("There are too few examples to show that the classifier is better than")
    assert "30 %" in text


def _features_that_say_nothing():
    """Every row once in one class and twice in the other: no rule gains over the larger class."""
    X = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)
    return np.repeat(X, 3, axis=0), np.tile(["died", "lived", "lived"], len(X))


def _certificate_part(machine):
    return machine.explain().split("\n\n")[1]


def test_explain_says_it_first(rng):
    constant = SetCoveringMachine().fit(*_features_that_say_nothing())
    assert not constant.rules_
    assert _certificate_part(constant).startswith("The classifier is constant: it calls every")
    X = rng.normal(size=(14, 2))
    few = SetCoveringMachine("stumps", max_rules=1, random_state=0).fit(X, X[:, 0] > 0)
    assert _certificate_part(few).startswith("There are too few examples")
    noise = SetCoveringMachine("stumps", candidates=10, max_rules=1, penalty=0.1, random_state=0)
    y = np.where(rng.random(200) < 0.1, "rare", "usual")
    noise.fit(rng.normal(size=(200, 2)), y)
    assert noise.n_training_errors_ >= (y == "rare").sum()
    assert _certificate_part(noise).startswith("The classifier is no better than always naming")
    good = load_dataset("breastw")
    machine = SetCoveringMachine(random_state=0).fit(good.X, good.y)
    assert _certificate_part(machine).startswith("With 95 % confidence")


@pytest.mark.thorough
def test_terminal_and_report_say_it_first(tmp_path):
    X, y = _features_that_say_nothing()
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=y)
    table.to_csv(tmp_path / "h.csv", index=False)
    done = CliRunner().invoke(app, ["certify", str(tmp_path / "h.csv")])
    assert "The classifier is constant: it calls every case" in " ".join(
        done.output.replace("│", " ").split()
    )
    machine = SetCoveringMachine().fit(X, y)
    page = render_report(machine, X, y)
    assert '<p class="sentence">The classifier is constant' in page


def test_statements_and_their_joint_confidence():
    machine = SetCoveringMachine(random_state=0).fit(*_breastw())
    certificate = machine.certificate_
    assert certificate.n_statements == 3
    lines = certificate.explain().splitlines()
    assert sum(line.startswith("With 95 % confidence") for line in lines) == 3
    assert "These 3 statements hold with 95 % confidence each, and all at once with 85 %." in lines
    half = machine.certify(0.4).explain()
    assert "These 3 statements hold each by itself, not all at once." in half
    costly = SetCoveringMachine(random_state=0, costs=(1.0, 5.0)).fit(*_breastw()).certificate_
    assert costly.n_statements == 1  # the cost is made of its own pair
    assert "all at once" not in costly.explain()
    assert held_out_bound(100, 3).n_statements == 1


def _breastw():
    data = load_dataset("breastw")
    return data.X, data.y
