"""Scikit-learn's own checks for other weak learners than stumps (defaults: test_common)."""

import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.boosting import AdaBoost


@pytest.mark.sample(6)
@parametrize_with_checks(
    [AdaBoost(DecisionTreeClassifier(max_depth=1), n_rounds=5, random_state=0)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
