"""Scikit-learn's own checks, for every estimator and kind of weak learner."""

from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.boosting import AdaBoost, LPBoost, LPBoostMKL


@parametrize_with_checks(
    [
        AdaBoost(n_rounds=20),
        AdaBoost(DecisionTreeClassifier(max_depth=1), n_rounds=5, random_state=0),
        LPBoost(nu=0.3),
        LPBoostMKL(nu=0.3, tol=1e-3),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
