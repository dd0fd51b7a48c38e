"""One protocol for every estimator: whoever deviates fails here."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris

import handful
from handful.bounds import Certificate, NotCertifiableError
from handful.estimator import CertifiedEstimator
from handful.models import Fitted
from tests.test_common import SMALL as ALL

SMALL = dict(ALL)
SMALL["BoundSearch"] = {
    "estimator": handful.LinearProgrammingMachine(),
    "param_grid": {"C": [0.1, 1.0]},
}
CERTIFY = {
    "self": inspect.Parameter.empty,
    "delta": None,
    "bound": "auto",
    "n_choices": 1,
    "X": None,
    "y": None,
}
RANDOM = {  # a seed is a choice, so none is made: None is the digest of the data
    name
    for name in SMALL
    if "random_state" in inspect.signature(getattr(handful, name).__init__).parameters
}
CLASSIFIERS = [name for name in SMALL if is_classifier(getattr(handful, name)(**SMALL[name]))]
REGRESSORS = [name for name in SMALL if is_regressor(getattr(handful, name)(**SMALL[name]))]
PATHS = [
    "AdaBoost",
    "CertifiedClassifier",
    "KernelMatchingPursuitClassifier",
    "KernelMatchingPursuitRegressor",
    "LPBoost",
    "LPBoostMKL",
    "PickToLearn",
    "SparseKernelPCA",
]


def _parameters(method):
    return inspect.signature(method).parameters


def _class(name):
    return getattr(handful, name)


def _two_classes():
    X, y = load_iris(return_X_y=True)
    rows = np.flatnonzero(y > 0)
    keep = np.random.default_rng(0).permutation(rows)
    noise = np.random.default_rng(1).uniform(0.0, 1e-4, size=(len(keep), X.shape[1]))
    return X[keep] + noise, np.where(y[keep] == 1, "versicolor", "virginica")


X_ALL, Y_ALL = _two_classes()
X, Y, X_NEW, Y_NEW = X_ALL[:70], Y_ALL[:70], X_ALL[70:], Y_ALL[70:]


@pytest.fixture(scope="module")
def fitted():
    made = {}

    def make(name):
        if name not in made:
            machine = _class(name)(**SMALL[name])
            if "epsilon" in machine.get_params():
                machine.set_params(epsilon=0.3)
            target = Y if is_classifier(machine) else X[:, 0]
            made[name] = machine.fit(X[:, 1:], target)
        return made[name]

    return make


@pytest.mark.parametrize("name", sorted(SMALL))
def test_certify_has_one_signature(name):
    parameters = _parameters(_class(name).certify)
    assert {key: p.default for key, p in parameters.items()} == CERTIFY
    kinds = [p.kind for p in list(parameters.values())[2:]]
    assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", sorted(SMALL))
def test_all_parameters_but_the_first_are_keywords(name):
    first, *others = list(_parameters(_class(name).__init__).values())[1:]
    if name == "BoundSearch":  # it reads like GridSearchCV, whose grid comes second
        assert others.pop(0).name == "param_grid"
    assert {p.kind for p in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert first.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize("name", sorted(SMALL))
def test_delta_is_a_parameter_that_certify_uses(name, fitted):
    assert _parameters(_class(name).__init__)["delta"].default == 0.05
    machine = fitted(name)
    try:
        plain = machine.certify()
    except NotCertifiableError:
        return  # it says why; test_every_estimator_can_be_certified finds a way
    assert isinstance(plain, Certificate)
    assert plain.delta == 0.05
    assert machine.certificate_ == plain
    assert machine.certify(0.2).delta == 0.2
    assert machine.certify(0.2).risk <= plain.risk
    assert machine.certify(n_choices=100).risk >= plain.risk
    other = clone(machine).set_params(delta=0.2).fit(*_again(machine))
    assert other.certify().delta == 0.2


def _again(machine):
    return X[:, 1:], (Y if is_classifier(machine) else X[:, 0])


@pytest.mark.parametrize("name", sorted(SMALL))
def test_bad_words_are_refused_alike(name, fitted):
    machine = fitted(name)
    with pytest.raises(ValueError, match=r"`bound` must be one of 'auto'.*got 'nonsense'"):
        machine.certify(bound="nonsense")
    with pytest.raises(ValueError, match="`delta` must be in"):
        machine.certify(1.5)
    with pytest.raises(ValueError, match="`n_choices` must be at least 1"):
        machine.certify(n_choices=0)


@pytest.mark.parametrize("name", sorted({*CLASSIFIERS, *REGRESSORS}))
def test_every_estimator_can_be_certified_on_new_rows_only(name, fitted):
    machine = fitted(name)
    y_new = Y_NEW if name in CLASSIFIERS else X_NEW[:, 0]
    certificate = machine.certify(X=X_NEW[:, 1:], y=y_new)
    assert (certificate.bound, certificate.n_samples) == ("held-out", 30)
    chosen = machine.certify(bound="held-out", n_choices=9, X=X_NEW[:, 1:], y=y_new)
    assert chosen.risk > certificate.risk or certificate.risk == 1.0
    if name in CLASSIFIERS:
        wrong = int(np.sum(machine.predict(X_NEW[:, 1:]) != Y_NEW))
        assert certificate.n_errors == wrong
    with pytest.raises(ValueError, match="had no part in training, got 70 of 70 rows"):
        machine.certify(X=X[:, 1:], y=_again(machine)[1])
    with pytest.raises(ValueError, match="`X` and `y` must be given"):
        machine.certify(bound="held-out")


@pytest.mark.parametrize("name", sorted(SMALL))
def test_what_is_kept_is_sorted_and_held_back(name, fitted):
    machine = fitted(name)
    made_of, held_back = machine.compression_set_, machine.held_back_
    for rows in (made_of, held_back):
        assert isinstance(rows, np.ndarray)
        assert np.all(np.diff(rows) > 0)
        assert np.all((rows >= 0) & (rows < len(X)))
    assert set(made_of) <= set(held_back)


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_errors_rules_and_data_of_a_fitted_classifier(name, fitted):
    machine = fitted(name)
    assert machine.n_training_errors_ == int(np.sum(machine.predict(X[:, 1:]) != Y))
    rules = machine.get_rules()
    assert isinstance(rules, pd.DataFrame)
    assert list(rules.columns)[:4] == ["form", "condition", "label", "value"]  # covers add details
    assert len(rules) > 0
    assert not any("x[" in text for text in rules["condition"])
    assert isinstance(machine.explain(), str)
    data = machine.fitted_
    assert isinstance(data, Fitted)
    assert len(data.reasons(X_NEW[:, 1:])) == len(X_NEW)
    if name != "PickToLearn":  # its score is that of one label minus that of the other
        scores = data.scores(X_NEW[:, 1:])
        np.testing.assert_allclose(scores, machine.decision_function(X_NEW[:, 1:]), rtol=1e-9)
    labels = machine.classes_[data.labels(X_NEW[:, 1:])]
    np.testing.assert_array_equal(labels, machine.predict(X_NEW[:, 1:]))
    assert [column.name for column in data.columns.columns] == ["x0", "x1", "x2"]


@pytest.mark.parametrize("name", PATHS)
def test_paths_are_frames(name, fitted):
    path = fitted(name).path_
    assert isinstance(path, pd.DataFrame)
    assert len(path) > 0


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_no_seed_is_the_default_and_gives_the_same_again(name, fitted):
    assert _parameters(_class(name).__init__)["random_state"].default is None
    machine = _class(name)(**{**SMALL[name], "random_state": None}).fit(*_again(fitted(name)))
    X_, y_ = _again(machine)
    order = np.random.default_rng(3).permutation(len(X))
    moved = clone(machine).fit(X_[order], np.asarray(y_)[order])
    for other in (clone(machine).fit(X_, y_), moved):
        if name in CLASSIFIERS:
            np.testing.assert_array_equal(other.predict(X_), machine.predict(X_))
        else:
            method = "predict" if name in REGRESSORS else "transform"
            first, second = getattr(machine, method)(X_), getattr(other, method)(X_)
            np.testing.assert_allclose(np.abs(second), np.abs(first), atol=1e-6)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_gamma_has_one_meaning(name):
    parameters = _parameters(_class(name).__init__)
    for word in ("gamma", "y_gamma"):
        if word in parameters:
            assert parameters[word].default in ("auto", "three")


@pytest.mark.parametrize("name", sorted(SMALL))
def test_one_base(name):
    if name != "BoundSearch":  # it hands on what its machine says
        assert issubclass(_class(name), CertifiedEstimator)
        for method in ("certify", "certificate_", "compression_set_", "held_back_"):
            assert method not in vars(_class(name)), "families fill holes and override nothing else"
