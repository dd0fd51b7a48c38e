"""AdaBoost against the textbook, the specification's vector and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from handful.boosting import AdaBoost, WeakStump
from handful.bounds import NotCertifiableError, adaboost_training_bound

X10 = np.arange(10.0)[:, None]
Y10 = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def test_specification_vector():
    machine = AdaBoost(n_rounds=3).fit(X10, Y10)
    history = machine.path_
    np.testing.assert_allclose(history["error"], [0.3, 0.21428571, 0.18181818], atol=1e-8)
    np.testing.assert_allclose(history["alpha"], [0.42364893, 0.64964149, 0.75203870], atol=1e-8)
    np.testing.assert_allclose(history["Z"], [0.91651514, 0.82065181, 0.77138922], atol=1e-8)
    assert list(machine.machines_[0].weights) == [
        WeakStump(0, 2.5, 1),
        WeakStump(0, 8.5, 1),
        WeakStump(0, 5.5, 1),
    ]
    assert machine.training_bound().value == pytest.approx(0.58019253, abs=1e-8)
    assert machine.score(X10, Y10) == 1.0
    assert machine.predict_proba(X10)[0, 1] == pytest.approx(0.65531915, abs=1e-8)


@pytest.mark.parametrize("learner", ["stumps", DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("response", ["labels", "scores"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_product_of_z_is_the_exponential_loss(rng, learner, response, missing):
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, 1, -1)
    X[rng.random(X.shape) < missing] = np.nan
    weights = rng.integers(1, 4, size=80)
    machine = AdaBoost(learner, n_rounds=12, response=response, random_state=0)
    machine.fit(X, y, sample_weight=weights)
    losses = np.exp(-y * machine.decision_function(X))
    loss = float(np.average(losses, weights=weights))
    assert machine.path_["Z"].prod() == pytest.approx(loss, rel=1e-9)
    error = np.average(machine.predict(X) != y, weights=weights)
    assert error <= machine.training_bound().value + 1e-12


def test_training_bound_is_that_of_bounds(rng):
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    machine = AdaBoost(n_rounds=10).fit(X, y)
    expected = adaboost_training_bound(machine.path_["error"].tolist())
    assert machine.training_bound().value == pytest.approx(expected.value, rel=1e-9)
    gammas = 0.5 - machine.path_["error"]
    assert expected.value <= np.exp(-2.0 * np.sum(gammas**2)) + 1e-12


@pytest.mark.parametrize("depth", [1, 3])
def test_equals_scikit_learn_on_common_ground(depth):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:300], y[:300]
    learner = DecisionTreeClassifier(max_depth=depth, random_state=0)
    ours = AdaBoost(_Fixed(learner), n_rounds=8).fit(X, y)
    theirs = AdaBoostClassifier(learner, n_estimators=8, random_state=0)
    # scikit-learn draws a seed for every tree; trees without ties do not use it.
    theirs.fit(X, y)
    if depth == 1:
        np.testing.assert_allclose(2 * ours.path_["alpha"], theirs.estimator_weights_, rtol=1e-9)
        np.testing.assert_allclose(ours.path_["error"], theirs.estimator_errors_, rtol=1e-9)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.99


class _Fixed(DecisionTreeClassifier):
    """A tree whose seed cannot be changed from outside."""

    def __init__(self, tree=None):
        self.tree = tree
        super().__init__(max_depth=getattr(tree, "max_depth", None), random_state=0)

    def get_params(self, deep=True):
        return {"tree": self.tree}

    def set_params(self, **params):
        return self


def test_perfect_learner_stands_alone():
    y = np.where(X10[:, 0] < 4, "no", "yes")
    machine = AdaBoost(n_rounds=5).fit(X10, y)
    np.testing.assert_allclose(machine.path_["error"], [0.0], atol=1e-15)
    assert machine.predict_proba(X10)[0, 0] == pytest.approx(1 - 1 / 20)
    assert machine.score(X10, y) == 1.0
    np.testing.assert_allclose(machine.margins_, 1.0)


def test_no_better_than_chance_is_a_constant_with_a_warning():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    with pytest.warns(UserWarning, match="AdaBoost is constant: no weak learner has a positive"):
        machine = AdaBoost().fit(X, [0, 1, 0, 1])
    assert set(machine.predict(X)) == {0}
    assert machine.path_.empty


def test_more_classes_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    machine = AdaBoost(n_rounds=30).fit(X, names)
    assert machine.score(X, names) > 0.95
    assert machine.margins_.shape == (150, 3)
    each = [AdaBoost(n_rounds=30).fit(X, y == k).decision_function(X) for k in range(3)]
    np.testing.assert_allclose(machine.decision_function(X), np.column_stack(each))
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.thorough
@given(st.integers(0, 10_000))
def test_invariances(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    y = np.where(X[:, 0] + rng.normal(size=25) > 0, 1, -1)
    if abs(y.sum()) == 25:
        y[0] = -y[0]
    base = AdaBoost(n_rounds=6).fit(X, y)
    scores = base.decision_function(X)
    flipped = AdaBoost(n_rounds=6).fit(X, -y)
    np.testing.assert_allclose(flipped.decision_function(X), -scores, atol=1e-9)
    order = rng.permutation(25)
    shuffled = AdaBoost(n_rounds=6).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.decision_function(X), scores)
    bent = np.exp(X) + X**3
    np.testing.assert_allclose(
        AdaBoost(n_rounds=6).fit(bent, y).decision_function(bent), scores, atol=1e-9
    )


def test_columns_permuted(rng):
    X = rng.normal(size=(60, 4))
    y = np.where(X @ [1, 2, 0, -1] > 0, 1, -1)
    scores = AdaBoost(n_rounds=15).fit(X, y).decision_function(X)
    order = [2, 0, 3, 1]
    again = AdaBoost(n_rounds=15).fit(X[:, order], y).decision_function(X[:, order])
    np.testing.assert_allclose(again, scores, atol=1e-9)


@pytest.mark.parametrize(
    ("learner", "response"),
    [(DecisionTreeRegressor(max_depth=2), "scores"), (LogisticRegression(), "scores")],
)
def test_real_valued_learners(rng, learner, response):
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 0] > 0, 1, -1)
    machine = AdaBoost(learner, n_rounds=15, response=response, random_state=1).fit(X, y)
    assert np.all(machine.path_["Z"] < 1.0)
    losses = np.exp(-y * machine.decision_function(X))
    assert losses.mean() == pytest.approx(machine.path_["Z"].prod(), rel=1e-9)
    with pytest.raises(NotCertifiableError, match="scores have no such limit"):
        machine.margin_certificate(rademacher=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rounds": 0}, "`n_rounds` must be at least 1"),
        ({"response": "maybe"}, "`response` must be one of"),
        ({"weak_learner": "trees"}, "`weak_learner` must be 'stumps' or an estimator"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        AdaBoost(**options).fit(X10, Y10)


def test_learner_without_weights_is_refused():
    with pytest.raises(TypeError, match="sample_weight"):
        AdaBoost(KNeighborsClassifier()).fit(X10, Y10)


def test_refusals_name_the_alternative():
    machine = AdaBoost(DecisionTreeClassifier(max_depth=1), n_rounds=3).fit(X10, Y10)
    with pytest.raises(
        NotCertifiableError, match="Pass it to `margin_certificate`, or use bound='held"
    ):
        machine.certify()
    with pytest.raises(ValueError, match="`X` and `y` must be given for bound='held-out'"):
        machine.certify(bound="held-out")
    with pytest.raises(ValueError, match="`bound` must be one of 'auto'"):
        machine.certify(bound="stable")


def test_rules_use_the_users_names():
    frame = pd.DataFrame({"age": X10[:, 0]})
    rules = AdaBoost(n_rounds=3).fit(frame, Y10).get_rules()
    assert rules["condition"].tolist() == ["age > 5.5", "age ≤ 8.5", "age ≤ 2.5"]
    assert set(rules["label"]) == {Y10.max()}
