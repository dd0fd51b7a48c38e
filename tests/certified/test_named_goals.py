"""Goals named before looking: what is accepted, what is printed, and what the re-check finds."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_model
from handful.bounds import binomial_tail_inverse
from handful.certified import Goal
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import Choices, read_study
from handful.verify import verify_model

FORMS = ["one rule", "score card", "linear", "additive"]
NAMES = ("false_positive_given_negative", "false_negative_given_positive")

pytestmark = pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows


def frame(n=600):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3)).round(2)
    ill = X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=n) > 0.4
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(ill, "ill", "well"))


def fitted(goal, forms=FORMS, **options):
    table = frame()
    return CertifiedClassifier(forms, goal=goal, **options).fit(table[["a", "b", "c"]], table["y"])


@pytest.mark.parametrize("quantity", ["sensitivity", "specificity"])
def test_the_last_accepted_threshold_and_the_goal_no_more(quantity):
    plain, machine = fitted(None), fitted(f"{quantity} >= 0.8")
    own = int(quantity == "sensitivity")
    for row in machine.candidates_:
        rates = dict(machine.choose(row.name).certificate_.rates)
        before = next(c for c in plain.candidates_ if c.name == row.name)
        nats = before.nats + math.log(2 / 0.05)
        if row.chain is None:  # a form without a score is a chain of its own
            assert rates == dict(plain.choose(row.name).certificate_.rates)
            continue
        counted = before.thresholds
        order = sorted(range(len(counted.grid.thresholds)), reverse=not own)
        n_own, n_other = (int(counted.n_classes[k]) for k in (own, 1 - own))
        limits = [
            float(binomial_tail_inverse(int(counted.wrong[j, own]), n_own, -nats)) for j in order
        ]
        accepted = 0
        while accepted < len(limits) and limits[accepted] <= 1 - 0.8:
            accepted += 1
        place = max(0, accepted - 1)
        is_goal = 0 < accepted < len(limits)
        assert rates[NAMES[own]] == pytest.approx(1 - 0.8 if is_goal else limits[place], rel=1e-9)
        k_other = int(counted.wrong[order[place], 1 - own])
        other = float(binomial_tail_inverse(k_other, n_other, -nats))
        assert rates[NAMES[1 - own]] == pytest.approx(other, rel=1e-9)
    assert machine.goal_ == (quantity, 0.8)
    assert machine.choose("linear").goal_ == (quantity, 0.8)  # each row moves to it
    assert dict(machine.certificate_.rates)[NAMES[own]] <= 1 - 0.8


def test_a_goal_named_beforehand_costs_less_than_one_set_late():
    late = fitted(None).reach(sensitivity=0.85)
    soon = fitted("sensitivity >= 0.85", tolerance=0.0)
    assert dict(soon.certificate_.rates)[NAMES[0]] < dict(late.certificate_.rates)[NAMES[0]]


def test_another_confidence_says_less_of_a_threshold():
    machine = fitted("sensitivity >= 0.85").choose("linear")
    looser = dict(machine.certify(0.001).rates)
    assert looser[NAMES[1]] >= 1 - 0.85
    tighter = dict(machine.certify(0.3).rates)
    assert tighter[NAMES[1]] == pytest.approx(1 - 0.85)  # still the goal, no more


def test_a_goal_for_all_errors_takes_the_simplest_row():
    plain = fitted(None)
    value = float(plain.menu_risks_.max()) + 0.01
    machine = fitted(f"error <= {value:.3f}")
    assert machine.chosen_ == min(plain.candidates_, key=lambda c: c.tie_break).name
    np.testing.assert_array_equal(machine.menu_risks_, plain.menu_risks_)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("sensitivity", "`goal` must be such as 'sensitivity >= 0.9'"),
        ("sensitivity <= 0.9", "`goal` must be such as"),
        ("error >= 0.1", "`goal` must be such as"),
        ("sensitivity >= 1.5", "Write a share between 0 and 1, or percent"),
        ("error <= 0.01", "is reached by no row of the menu. The smallest certificate is"),
        ("sensitivity >= 0.999", r"The best is '.*', \d+ of \d+ counted, which certifies 0.9"),
    ],
)
def test_goals_that_cannot_be(goal, message):
    with pytest.raises(ValueError, match=message):
        fitted(goal)


def test_goals_in_words():
    assert Goal.of("sensitivity ≥ 90 %") == Goal.of("sensitivity>=.9") == Goal("sensitivity", 0.9)
    assert Goal.of(Goal("error", 0.1).text) == Goal("error", 0.1)


def test_groups_and_several_classes_have_no_goal_for_a_class(rng):
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(int)
    machine = CertifiedClassifier(["linear"], goal="sensitivity >= 0.5")
    with pytest.raises(ValueError, match="needs rows that are independent, got groups"):
        machine.fit(X, y, groups=np.repeat(np.arange(50), 4))
    with pytest.raises(ValueError, match="needs two classes, got 3 classes"):
        machine.fit(X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="Fit without `goal` to set one after looking"):
        machine.fit(X, y).reach(sensitivity=0.5)


CASES = [
    *(("sensitivity >= 0.85", name, None) for name in ("one rule", "score card", "linear")),
    ("specificity >= 0.85", "additive", None),
    ("sensitivity >= 0.85", "linear", "well"),
    ("error <= 0.3", "linear", None),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("goal", "name", "positive"), CASES)
def test_the_re_check_tests_the_chain_again(goal, name, positive, tmp_path):
    table = frame()
    study = read_study(table, Choices(positive=positive))
    machine = CertifiedClassifier(FORMS, goal=goal).fit(study).choose(name)
    path = tmp_path / "m.json"
    save_model(machine, path)
    library = Retraining(path, table)
    verdict = verify_model(path, table, library=library)
    assert verdict.status == "VALID", verdict.differences
    document = json.loads(path.read_text())
    assert document["training"]["goal"] == [goal.split()[0], float(goal.split()[-1])]
    assert load_model(path).predict(table).tolist() == machine.predict(study.table).tolist()

    def is_valid(change):
        altered = json.loads(json.dumps(document))
        change(altered)
        path.write_text(to_text(altered))
        return verify_model(path, table, library=library).status == "VALID"

    def more(altered):
        altered["training"]["goal"][1] += 0.05

    def late(altered):
        altered["training"]["after_looking"] = True

    def tighter(altered):
        for rate in altered["certificate"]["rates"]:
            rate[1] *= 0.98

    if machine.candidate_.chain is not None:
        assert not is_valid(more)
        assert not is_valid(late)
    assert not is_valid(tighter)
    assert is_valid(lambda altered: None)


ENDS = [
    ("sensitivity >= 0.1", 0.128),  # all thresholds are accepted, and get the weakest limit
    ("sensitivity >= 0.965", 0.961),  # none is, though one of another row: the first one's limit
    ("sensitivity >= 0.7", 0.7),  # one fewer is accepted than with the whole of delta for one class
]


@pytest.mark.parametrize(("goal", "least"), ENDS)
def test_the_re_check_at_the_ends_of_a_chain(goal, least, tmp_path):
    table, path = frame(), tmp_path / "m.json"
    machine = CertifiedClassifier(FORMS, goal=goal).fit(read_study(table)).choose("score card")
    assert 1.0 - dict(machine.certificate_.rates)[NAMES[1]] == pytest.approx(least, abs=5e-4)
    save_model(machine, path)
    library = Retraining(path, table)
    verdict = verify_model(path, table, library=library)
    assert verdict.status == "VALID", verdict.differences
    document = json.loads(path.read_text())
    document["certificate"]["rates"][1][1] *= 0.98
    path.write_text(to_text(document))
    assert verify_model(path, table, library=library).status == "NOT VALID"
