"""Estimated risks: by scores of rows that a machine had not seen; a label is the likelier class."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from handful import CertifiedClassifier, ScoreCard
from handful.files import load_model, save_model
from handful.models import RiskCurve

SCORED = ["score card", "sparse linear", "linear", "additive", "prototypes"]


def noisy(rng, n):
    X = rng.normal(size=(n, 3))
    p = expit(1.5 * X[:, 0] - X[:, 1])
    return X, (rng.random(n) < p).astype(int), p


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X, y, _ = noisy(rng, 1200)
    return CertifiedClassifier(["one rule", *SCORED]).fit(X, y), noisy(rng, 4000)


@pytest.mark.parametrize("form", SCORED)
def test_a_label_is_the_likelier_class(fitted, form):
    machine, (X, _, _) = fitted
    row = machine.choose(form)
    proba = row.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(row.classes_[proba.argmax(axis=1)], row.predict(X))


@pytest.mark.parametrize("form", SCORED)
def test_risks_of_new_rows_are_near_the_truth(fitted, form):
    """Scores of the pool's own rows are too sure: theirs would be a steeper curve."""
    machine, (X, _, p) = fitted
    risks = machine.choose(form).predict_proba(X)[:, 1]
    assert np.mean(np.abs(risks - p)) < 0.12
    for low, high in [(0.1, 0.4), (0.6, 0.9)]:
        some = (risks >= low) & (risks < high)
        assert some.sum() > 100
        assert abs(p[some].mean() - risks[some].mean()) < 0.1


def test_rules_have_labels_only(fitted):
    machine, (X, _, _) = fitted
    rule = machine.choose("one rule")
    assert not hasattr(rule, "predict_proba")
    with pytest.raises(ValueError, match="has no risks, only labels"):
        rule.fitted_.risks(X)


def test_a_goal_moves_the_label_and_not_the_risk(fitted):
    machine, (X, _, _) = fitted
    reached = machine.reach(sensitivity=0.85)
    before = machine.choose(reached.chosen_.split(",")[0])
    np.testing.assert_allclose(reached.predict_proba(X), before.predict_proba(X), atol=1e-9)
    assert (reached.predict(X) != before.predict(X)).any()


def test_risks_stand_in_the_file_and_speak_of_the_case(tmp_path):
    rng = np.random.default_rng(1)
    X, y, _ = noisy(rng, 300)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    words = np.where(y == 1, "ill", "well")
    for case in ("ill", "well"):
        machine = CertifiedClassifier(["linear"], columns={"positive": case}).fit(frame, words)
        save_model(machine, tmp_path / "m.json")
        risks = load_model(tmp_path / "m.json").risks(frame)
        place = list(machine.classes_).index(case)
        np.testing.assert_allclose(risks, machine.predict_proba(frame)[:, place])


def test_one_curve_of_a_score_card():
    rng = np.random.default_rng(2)
    X, y, _ = noisy(rng, 300)
    card = ScoreCard(max_items=4).fit(X, y)
    assert card.fitted_.risk is not None
    proba = card.predict_proba(X)
    np.testing.assert_array_equal(card.classes_[proba.argmax(axis=1)], card.predict(X))
    ranks = np.argsort(card.points(X), kind="stable")
    assert (np.diff(proba[ranks, 1]) >= 0).all()


def test_curves_of_scores_that_tell_all_or_nothing():
    y, weight = np.repeat([0, 1], 20), np.ones(40)
    sure = RiskCurve.fitted(np.where(y == 1, 1.0, -1.0), y, weight)
    assert 20.5 / 22 < sure.of(1.0) < 1.0  # one example of the other class is drawn in
    wrong = RiskCurve.fitted(np.where(y == 1, -1.0, 1.0), y, weight)
    assert wrong.slope > 0
    assert abs(float(wrong.of(1.0)) - 0.5) < 1e-5
    assert RiskCurve.fitted(np.zeros(40), y, weight).of(0.0) == 0.5


def test_the_curve_is_the_best_one(rng):
    """No slope and intercept near it have a larger likelihood of the drawn-in labels."""
    scores = rng.normal(size=120) - 1.0
    y, weight = (rng.random(120) < expit(scores)).astype(int), rng.uniform(0.5, 2.0, 120)
    found = RiskCurve.fitted(scores, y, weight)
    n1, n0 = weight[y == 1].sum(), weight[y == 0].sum()
    t = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))

    def loss(slope, intercept):
        p = expit(intercept + slope * scores)
        return -float(weight @ (t * np.log(p) + (1 - t) * np.log(1 - p)))

    best = loss(found.slope, found.intercept)
    for turn in np.linspace(0, 2 * np.pi, 12):
        assert loss(found.slope + 0.01 * np.cos(turn), found.intercept + 0.01 * np.sin(turn)) > best


def test_rare_cases_have_small_risks(rng):
    """The mean of the risks is the share of cases, also far from one half."""
    X = rng.normal(size=(1200, 2))
    y = (rng.random(1200) < expit(1.2 * X[:, 0] - 3.0)).astype(int)
    machine = CertifiedClassifier(["score card", "linear"]).fit(X[:600], y[:600])
    for form in ("score card", "linear"):
        risks = machine.choose(form).predict_proba(X[600:])[:, 1]
        assert abs(risks.mean() - y[600:].mean()) < 0.04
