"""Every estimator passes scikit-learn's own checks; a new one without an entry fails here."""

import inspect
import warnings

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import handful

# Small settings: name -> keyword arguments that make an estimator quick to fit.
SMALL = {
    "AdaBoost": {"n_rounds": 20},
    "BoundSearch": {
        "estimator": handful.SetCoveringMachine("stumps", candidates=None),
        "param_grid": {"penalty": [1.0, 2.0]},
    },
    "CertifiedClassifier": {"candidates": ["constant", "one rule", "linear"]},
    "DecisionListMachine": {"random_state": 0},
    "KernelMatchingPursuitClassifier": {},
    "KernelMatchingPursuitRegressor": {},
    "KernelPerceptron": {},
    "LPBoost": {"nu": 0.3},
    "LPBoostMKL": {"nu": 0.3, "tol": 1e-3},
    "LinearProgrammingMachine": {},
    "MinimalComplexityMachine": {},
    "MinimalComplexityRegressor": {},
    "NonconformityClassifier": {
        "param_grid": {"gamma": [0.1, 1.0], "C": [1.0, 10.0]},
        "random_state": 0,
    },
    "PickToLearn": {"estimator": LogisticRegression()},
    "ScoreCard": {},
    "SetCoveringMachine": {"random_state": 0},
    "SparseKernelCCA": {},
    "SparseKernelPCA": {},
    "SupportVectorMachine": {},
}
VARIANTS = [
    ("SetCoveringMachine", {"rules": "half-spaces", "candidates": None}),
    ("SetCoveringMachine", {"rules": "balls", "candidates": None}),
    ("SetCoveringMachine", {"rules": ["stumps", "balls"], "candidates": None}),
    ("DecisionListMachine", {"rules": "balls", "candidates": None}),
    ("SetCoveringMachine", {"rules": "stumps", "by": "cv"}),
    ("DecisionListMachine", {"penalty": 1.0, "by": "cv"}),
    ("LinearProgrammingMachine", {"C": "auto"}),
    ("MinimalComplexityMachine", {"C": "auto"}),
    ("AdaBoost", {"n_rounds": "auto"}),
    ("KernelMatchingPursuitClassifier", {"coefficients": "quantised"}),
    ("KernelMatchingPursuitClassifier", {"coefficients": "least_squares", "multi_class": "ovr"}),
    ("KernelMatchingPursuitRegressor", {"coefficients": "pool"}),
    ("MinimalComplexityRegressor", {"kernel": "rbf", "loss": "squared"}),
    ("SparseKernelCCA", {"weights": "chosen"}),
]


def _estimators():
    for name in handful.__all__:
        thing = getattr(handful, name)
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
            yield name


def test_every_estimator_has_small_settings():
    assert set(_estimators()) == set(SMALL)


# The order of the rows is drawn from all of them, and every row counts once in a certificate:
# a weight of 2 steers training but is no second example.
NOT_EXPECTED = {
    name: {"check_sample_weight_equivalence_on_dense_data": "weights steer training only"}
    for name in ("CertifiedClassifier", "DecisionListMachine", "SetCoveringMachine")
}


def _check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def _not_expected(estimator):
    return NOT_EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks(
    [getattr(handful, name)(**SMALL[name]) for name in sorted(SMALL)],
    expected_failed_checks=_not_expected,
)
def test_scikit_learn_checks(estimator, check):
    _check(estimator, check)


@pytest.mark.thorough
@parametrize_with_checks(
    [getattr(handful, name)(**options) for name, options in VARIANTS],
    expected_failed_checks=_not_expected,
)
def test_scikit_learn_checks_of_other_settings(estimator, check):
    _check(estimator, check)
