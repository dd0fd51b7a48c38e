"""Known forms predict as they say, and fitted estimators are recognised as what they are."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from handful.datasets import make_two_norm
from tests.truth import BoxClassifier, LinearClassifier
from tests.truth.classifiers import predict_labels, recognise


@pytest.fixture
def sample():
    return make_two_norm(80, n_features=3, random_state=0)


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_thresholds_against_a_loop(kind, rng):
    features, thresholds, directions = [0, 2, 2], [0.2, 0.3, 0.8], [1, 1, -1]
    rule = BoxClassifier.from_thresholds(
        3, features=features, thresholds=thresholds, directions=directions, kind=kind
    )
    X = rng.random((200, 3))
    X[0] = 0.2, 0.5, 0.8  # on the borders: not above 0.2, and not above 0.8
    combine = all if kind == "conjunction" else any
    for row, label in zip(X, rule.predict(X), strict=True):
        says = [
            (row[f] > t) if d > 0 else (row[f] <= t)
            for f, t, d in zip(features, thresholds, directions, strict=True)
        ]
        assert label == (1 if combine(says) else -1)


def test_linear_predictions_are_signs_with_zero_negative():
    rule = LinearClassifier([2.0, -1.0], 1.0)
    assert rule.predict(np.array([[0.0, 1.0], [0.0, 0.0], [-1.0, 0.0]])).tolist() == [-1, 1, -1]


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        LogisticRegression(fit_intercept=False),
        LinearSVC(),
        LinearSVC(fit_intercept=False),
        SVC(kernel="linear"),
        RidgeClassifier(),
        Perceptron(),
        LinearDiscriminantAnalysis(),
    ],
)
def test_linear_estimators_are_recognised(estimator, sample, rng):
    form = recognise(estimator.fit(*sample), 3)
    assert isinstance(form, LinearClassifier)
    X = 2.0 * rng.standard_normal((500, 3))
    np.testing.assert_array_equal(form.predict(X), estimator.predict(X))


@pytest.mark.parametrize("max_depth", [1, 3, None])
def test_trees_are_recognised_as_boxes(max_depth, sample, rng):
    tree = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(*sample)
    form = recognise(tree, 3)
    assert isinstance(form, BoxClassifier)
    assert len(form.labels) == tree.get_n_leaves()
    X = 2.0 * rng.standard_normal((500, 3))
    np.testing.assert_array_equal(form.predict(X), tree.predict(X))


@pytest.mark.parametrize("strategy", ["prior", "most_frequent", "constant"])
def test_dummies_are_constants(strategy, sample):
    dummy = DummyClassifier(strategy=strategy, constant=1).fit(*sample)
    form = recognise(dummy, 3)
    assert isinstance(form, BoxClassifier)
    assert form.labels.size == 0
    assert form.default == dummy.predict(sample[0])[0]


def test_what_has_no_form_is_left_alone(sample):
    assert recognise(DummyClassifier(strategy="uniform").fit(*sample), 3) is None
    assert recognise(GaussianNB().fit(*sample), 3) is None
    assert recognise(SVC().fit(*sample), 3) is None
    assert recognise(lambda X: X, 3) is None
    three = np.arange(80) % 3
    assert recognise(LogisticRegression().fit(sample[0], three), 3) is None


def test_one_class_only_is_a_constant(sample):
    tree = DecisionTreeClassifier().fit(sample[0], np.ones(80, dtype=int))
    assert recognise(tree, 3).default == 1


@pytest.mark.parametrize("weight", [-2.0, 3.0])
def test_half_spaces_of_one_feature_become_boxes(weight, rng):
    rule = LinearClassifier([0.0, weight], 0.5)
    form = recognise(rule, 2)
    assert isinstance(form, BoxClassifier)
    X = rng.standard_normal((300, 2))
    np.testing.assert_array_equal(form.predict(X), rule.predict(X))
    assert recognise(LinearClassifier([0.0, 0.0], 0.5), 2).default == 1
    assert recognise(LinearClassifier([0.0, 0.0], 0.0), 2).default == -1


def test_wrong_classifiers_are_named():
    with pytest.raises(TypeError, match=r"`classifier` must have `predict`.*got str"):
        recognise("svm", 2)
    with pytest.raises(ValueError, match=r"`classifier` must be -1 or \+1 if a label, got 0"):
        recognise(0, 2)
    with pytest.raises(ValueError, match=r"must read 2 features, got one for 3"):
        recognise(LinearClassifier([1.0, 1.0, 1.0]), 2)


def test_wrong_predictions_are_named():
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match=r"must predict -1 or \+1, got \[0, 1\]"):
        predict_labels(lambda X: np.array([0, 1]), X)
    with pytest.raises(ValueError, match=r"must predict -1 or \+1, got \['a', 'b'\]"):
        predict_labels(lambda X: np.array(["b", "a"]), X)
    with pytest.raises(ValueError, match=r"one label per row, got shape \(2, 1\) for 2 rows"):
        predict_labels(lambda X: np.ones((2, 1)), X)
    assert predict_labels(lambda X: np.array([1.0, -1.0]), X).tolist() == [1, -1]


def test_wrong_records_are_named():
    one = np.zeros((1, 2))
    with pytest.raises(ValueError, match=r"`labels` and `default` must be -1 or \+1"):
        BoxClassifier(one, one + 1, [1], 0)
    with pytest.raises(ValueError, match=r"must have shape \(n_boxes, n_features\)"):
        BoxClassifier(one, one + 1, [1, 1], -1)
    with pytest.raises(ValueError, match=r"must not be NaN"):
        BoxClassifier(one * np.nan, one, [1], -1)
    with pytest.raises(ValueError, match=r"`kind` must be one of .*got 'xor'"):
        BoxClassifier.from_thresholds(1, features=[], thresholds=[], directions=[], kind="xor")
    with pytest.raises(ValueError, match=r"`weights` must be a non-empty sequence of finite"):
        LinearClassifier([1.0, np.nan])
