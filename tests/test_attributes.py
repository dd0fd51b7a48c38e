"""Tab completion and introspection of every public estimator, before and after `fit`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import handful
from handful.estimator import CertifiedEstimator

ARGUMENTS = {
    "CertifiedClassifier": {"candidates": ["constant", "one rule", "linear"]},
    "PickToLearn": {"estimator": LogisticRegression()},
    "BoundSearch": {
        "estimator": handful.SetCoveringMachine(rules="stumps"),
        "param_grid": {"max_rules": [1, 2]},
    },
}


def estimators():
    """Every public class that can be fitted."""
    for name in handful.__all__:
        found = getattr(handful, name)
        if inspect.isclass(found) and hasattr(found, "fit"):
            yield name


NAMES = sorted(estimators())


def fitted(name, n_classes=2):
    n_classes = 2 if name == "ScoreCard" else n_classes
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=40), [0.0, 0.8][: n_classes - 1])
    estimator = getattr(handful, name)(**ARGUMENTS.get(name, {}))
    if name == "SparseKernelCCA":
        return estimator.fit(X, np.column_stack([y, X[:, 1]]))
    if name.endswith("Regressor"):
        return estimator.fit(X, X[:, 0])
    return estimator.fit(X, y)


def test_all_of_them_are_here():
    assert len(NAMES) >= 18
    assert "CertifiedClassifier" in NAMES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_names_can_be_listed_and_asked_for(name, n_classes):
    machine = fitted(name, n_classes)
    for word in dir(machine):
        hasattr(machine, word)  # anything but an AttributeError would come out
    assert dict(inspect.getmembers(machine))["fit"]
    fresh = getattr(handful, name)(**ARGUMENTS.get(name, {}))
    for word in dir(fresh):
        hasattr(fresh, word)
    inspect.getmembers(fresh)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_a_machine_without_a_certificate_has_no_such_attribute_and_says_why(name):
    machine = fitted(name)
    if not isinstance(machine, CertifiedEstimator) or hasattr(machine, "certificate_"):
        return
    assert "certificate_" not in dict(inspect.getmembers(machine))
    assert getattr(machine, "certificate_", None) is None
    with pytest.raises(handful.bounds.NotCertifiableError) as raised:
        machine.certificate_  # noqa: B018
    with pytest.raises(handful.bounds.NotCertifiableError) as again:
        machine.certify()
    assert str(raised.value) == str(again.value)
