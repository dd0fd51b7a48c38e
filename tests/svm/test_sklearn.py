"""scikit-learn's SVC objects as machines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from handful.bounds import NotCertifiableError
from handful.svm import model_of_svc
from tests.oracles import svm as oracle


@pytest.fixture
def data(rng):
    X = rng.normal(size=(50, 2))
    return X, np.where(X[:, 0] + 0.4 * rng.normal(size=50) > 0, "yes", "no")


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_the_record_is_the_machine(data, kernel):
    X, y = data
    svc = SVC(kernel=kernel, gamma=0.5, C=3.0, tol=1e-8).fit(X, y)
    model = model_of_svc(svc, X, y)
    K = model.kernel(X)
    np.testing.assert_allclose(K @ model.coef + model.bias, svc.decision_function(X), atol=1e-8)
    dual = oracle.dual_objective(K, model.y_signed, model.alpha)
    primal = oracle.primal_objective(K, model.y_signed, model.alpha, model.bias, 3.0)
    assert model.objective == pytest.approx(dual)
    assert model.gap == pytest.approx(primal - dual, abs=1e-7)


def test_refusals(data):
    X, y = data
    with pytest.raises(TypeError, match="must have two classes, got an SVC with 3"):
        model_of_svc(SVC().fit(X, np.arange(50) % 3), X, np.arange(50) % 3)
    with pytest.raises(NotCertifiableError, match="must be a Mercer kernel, got 'sigmoid'"):
        model_of_svc(SVC(kernel="sigmoid").fit(X, y), X, y)
    with pytest.raises(ValueError, match="must be the training data of the SVC"):
        model_of_svc(SVC().fit(X, y), X, y[::-1])
