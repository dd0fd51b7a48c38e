"""Sets of models: grids, lists, and feature spaces."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful.conformal.model_sets import (
    TransformedSpace,
    expand_estimators,
    fit_classifier_set,
    fit_grid_set,
    grid_kernels,
)
from handful.conformal.verdicts import label_scores


def test_kernels_of_a_grid_are_distinct():
    grid = {"kernel": ["linear", "rbf"], "gamma": [0.5, 1.0], "C": 3.0}
    kernels, Cs = grid_kernels(grid, 2)
    assert Cs == [3.0]
    assert [(k.name, k.gamma) for k in kernels if k.name == "rbf"] == [("rbf", 0.5), ("rbf", 1.0)]
    assert sum(k.name == "linear" for k in kernels) == 1
    assert grid_kernels({}, 4)[0][0].gamma == 0.25


def test_callable_kernels():
    X, y = make_moons(40, noise=0.1, random_state=0)
    bank = fit_grid_set({"kernel": lambda A, B: A @ B.T}, X, y, 2, "margin")
    assert bank.label_scores(X).shape == (1, 40, 2)
    assert bank.parameters[0]["kernel"] == "callable"


def test_grid_bank_scores_are_margins_of_machines():
    X, y = make_moons(60, noise=0.2, random_state=0)
    bank = fit_grid_set({"gamma": [1.0], "C": [2.0]}, X, y, 2, "margin")
    want = label_scores(SVC(C=2.0, gamma=1.0).fit(X, y), X, np.array([0, 1]))
    assert bank.label_scores(X)[0] == pytest.approx(want, abs=0.01)
    assert len(bank.models) == 1


def test_more_classes_are_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    bank = fit_grid_set({"gamma": [0.1, 1.0], "C": [1.0]}, X, y, 3, "margin")
    values = np.stack([SVC(gamma=0.1).fit(X, y == c).decision_function(X) for c in range(3)], 1)
    others = np.stack([np.delete(values, c, axis=1).max(axis=1) for c in range(3)], axis=1)
    assert bank.label_scores(X)[0] == pytest.approx(values - others, abs=0.02)
    assert bank.models[0].decision_function(X).argmax(axis=1) == pytest.approx(
        values.argmax(axis=1)
    )


def test_estimators_from_a_list_or_a_grid():
    pairs = expand_estimators(SVC(), {"C": [1.0, 2.0]})
    assert [(model.C, record) for model, record in pairs] == [(1.0, {"C": 1.0}), (2.0, {"C": 2.0})]
    model = SVC()
    (copied, record), (_, named) = expand_estimators([model, ("bayes", GaussianNB())], None)
    assert copied is not model
    assert (record, named) == ({"name": "SVC()"}, {"name": "bayes"})
    assert len(expand_estimators(SVC(), None)) == 1


def test_the_space_of_a_pipeline_is_after_its_transformers():
    X, y = make_moons(30, noise=0.1, random_state=0)
    pipe = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    want = ((scaled[:5, None] - scaled[None]) ** 2).sum(axis=2)
    assert TransformedSpace.of(pipe, X)(X[:5]) == pytest.approx(want, abs=1e-9)
    plain = ((X[:5, None] - X[None]) ** 2).sum(axis=2)
    assert TransformedSpace.of(SVC().fit(X, y), X)(X[:5]) == pytest.approx(plain, abs=1e-9)


def test_classifier_bank_keeps_the_fitted_models():
    X, y = make_moons(30, noise=0.1, random_state=0)
    words = np.array(["no", "yes"])[y]
    bank = fit_classifier_set([(GaussianNB(), {})], X, words, np.array(["no", "yes"]), "margin")
    assert set(bank.models[0].predict(X)) == {"no", "yes"}
