"""Scikit-learn estimators as weak learners."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from handful.boosting.weak_learners import LearnerColumns


def _family(learner, X, response="labels"):
    state = np.random.RandomState(0)
    return LearnerColumns(learner, X, response=response, random_state=state)


def test_weights_steer_the_learner(rng):
    X = rng.normal(size=(50, 2))
    scores = np.where(X[:, 1] > 0.3, 1.0, -1.0) * np.where(X[:, 0] > 0, 1.0, 1e-6)
    column = _family(DecisionTreeClassifier(max_depth=1), X).best(scores)[0]
    assert column.edge == pytest.approx(np.abs(scores).sum(), rel=1e-4)
    assert set(column.values) == {-1.0, 1.0}


def test_examples_without_weight_are_left_out(rng):
    X = rng.normal(size=(30, 1))
    scores = np.sign(X[:, 0])
    X[:5] = 1e6  # would mislead a learner that saw them
    scores[:5] = 0.0
    member = _family(LogisticRegression(C=1e4), X).best(scores)[0].key
    assert np.all(member.predict(X[5:]) == scores[5:])


def test_one_sign_left_is_a_constant(rng):
    X = rng.normal(size=(4, 1))
    column = _family(DecisionTreeClassifier(), X).best(np.array([0.0, -1.0, -2.0, 0.0]))[0]
    np.testing.assert_array_equal(column.values, -np.ones(4))


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (LogisticRegression(), lambda m, X: m.decision_function(X)),
        (GaussianNB(), lambda m, X: 2 * m.predict_proba(X)[:, 1] - 1),
        (Ridge(), lambda m, X: m.predict(X)),
    ],
)
def test_real_valued_responses(rng, learner, expected):
    X = rng.normal(size=(40, 2))
    scores = np.sign(X[:, 0] + 0.1) / 40
    column = _family(learner, X, "scores").best(scores)[0]
    np.testing.assert_allclose(column.values, expected(column.key, X))
    assert column.edge == pytest.approx(scores @ column.values)


def test_seeds_follow_the_random_state(rng):
    X = rng.normal(size=(40, 5))
    scores = rng.normal(size=40)
    tree = DecisionTreeClassifier(max_depth=3, max_features=1)
    one, two = (_family(tree, X).best(scores)[0].values for _ in range(2))
    np.testing.assert_array_equal(one, two)
