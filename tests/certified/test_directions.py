"""Columns with which the case must become more, or less, likely: every form keeps them."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from handful import CertifiedClassifier, ScoreCard
from handful.certified.linear_forms import logistic_path

KEEPING = ["one rule", "rule set", "rule list", "score card", "sparse linear", "linear", "additive"]


def wavy(rng, n=400):
    """Low and high ages are ill: no form that may follow the data is monotone in age."""
    age = rng.uniform(20, 90, n)
    oxygen = rng.uniform(80, 100, n)
    logit = 6.0 * np.abs(age - 55) / 35 - 3.0 + 0.15 * (oxygen - 90)  # and more oxygen, more ill
    ill = rng.random(n) < expit(1.5 * logit)
    return pd.DataFrame({"age": age, "oxygen": oxygen}), np.where(ill, "ill", "well")


def falls(machine, X, column):
    """How often the score of a row falls if one column rises."""
    grid = np.linspace(X[column].min() - 1, X[column].max() + 1, 80)
    rows = X.iloc[:30]
    curves = np.array([machine.decision_function(rows.assign(**{column: v})) for v in grid])
    return int((np.diff(curves, axis=0) < -1e-12).sum())


def sign(machine):
    """Scores speak for the last label of ``classes_``."""
    return 1 if machine.classes_[1] == "ill" else -1


@pytest.fixture(scope="module")
def data():
    return wavy(np.random.default_rng(5))


@pytest.fixture(scope="module")
def menus(data):
    X, y = data
    said = {"increasing": ["age"], "decreasing": ["oxygen"]}
    return [CertifiedClassifier(KEEPING, columns=c).fit(X, y) for c in (None, said)]


@pytest.mark.parametrize("form", KEEPING)
def test_forms_rise_and_fall_as_asked(data, menus, form):
    X, _ = data
    machine = menus[1].choose(form)
    assert sign(machine) == -1, "the words are sorted: well comes last, scores speak for it"
    assert not falls(machine, X, "oxygen")
    grid = np.linspace(19, 91, 80)
    rows = X.iloc[:30]
    curves = np.array([machine.decision_function(rows.assign(age=v)) for v in grid])
    assert (np.diff(curves, axis=0) <= 1e-12).all()


def test_without_directions_the_data_are_followed(data, menus):
    """The power of the test above: most forms rise and fall with age if they may."""
    X, _ = data
    moved = [f for f in KEEPING if falls(menus[0].choose(f), X, "oxygen")]
    assert {"linear", "additive", "rule list"} & set(moved)


def test_a_named_case_turns_the_direction(data):
    X, y = data
    said = {"increasing": ["age"], "positive": "well"}
    machine = CertifiedClassifier(["additive"], columns=said).fit(X, y)
    curves = np.array(
        [machine.decision_function(X.iloc[:20].assign(age=v)) for v in np.linspace(20, 90, 50)]
    )
    assert (np.diff(curves, axis=0) >= -1e-12).all()  # the score speaks for well


def test_score_cards_keep_directions(data):
    X, y = data
    card = ScoreCard(columns={"increasing": ["age"], "decreasing": ["oxygen"]}).fit(X, y).card_
    for item in card.items:
        rises = (item.condition.op == ">=") == (item.points > 0)
        assert rises == (item.condition.features[0] == 0)


def test_forms_that_cannot_keep_them_say_so(data):
    X, y = data
    machine = CertifiedClassifier(columns={"increasing": ["age"]}).fit(X, y)
    failed = {failure.name: failure.reason for failure in machine.failures_}
    assert set(failed) == {"half-spaces", "balls", "prototypes"}
    assert all("rise or fall" in reason for reason in failed.values())


def test_weights_of_one_sign_are_the_best_of_that_sign(rng):
    """The conditions of Karush, Kuhn and Tucker, written out."""
    Z = rng.normal(size=(150, 6))
    y = (Z @ [1.0, -1.0, 0.5, -0.5, 0.0, 0.3] + rng.normal(size=150) > 0).astype(int)
    weight, signs = rng.uniform(0.5, 2.0, 150), np.array([1, 1, -1, -1, 0, 0])
    for penalty, beta in zip(
        [10.0, 1.0], logistic_path(Z, y, weight, [10.0, 1.0], 1, signs), strict=True
    ):
        w, b = beta[:-1, 0], beta[-1, 0]
        slope = Z.T @ (weight * (expit(Z @ w + b) - y)) + penalty * w
        assert (w * signs >= 0).all()
        is_bound = (w == 0) & (signs != 0)
        assert is_bound.any()
        np.testing.assert_allclose(slope[~is_bound], 0.0, atol=2e-2)
        assert (slope[is_bound] * signs[is_bound] >= -1e-6).all()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"increasing": ["age"], "decreasing": ["age"]}, "must not name 'age'"),
        ({"increasing": ["site"]}, "whose words have no order"),
        ({"increasing": ["agee"]}, "Did you mean 'age'"),
    ],
)
def test_directions_that_cannot_be_kept_are_refused(data, said, message):
    X, y = data
    X = X.assign(site=np.resize(["A", "B", "C"], len(X)))
    with pytest.raises(ValueError, match=message):
        CertifiedClassifier(["linear"], columns=said).fit(X, y)


def test_directions_need_two_classes(data):
    X, y = data
    y = np.where(X["oxygen"] > 97, "third", y)
    with pytest.raises(ValueError, match="need two classes, got 3"):
        CertifiedClassifier(["linear"], columns={"increasing": ["age"]}).fit(X, y)
