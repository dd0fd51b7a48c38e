"""The estimator: scikit-learn's checks, several classes, the grid hook, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import BoundSearch
from handful.svm import SupportVectorMachine
from tests.oracles import svm as oracle


def _without_bias(estimator):
    if estimator.fit_intercept:
        return {}
    return {"check_class_weight_classifiers": "it cannot give all of the plane to one class"}


@pytest.mark.sample(8)
@parametrize_with_checks(
    [
        SupportVectorMachine("linear", fit_intercept=False, center=True),
        SupportVectorMachine("precomputed"),
    ],
    expected_failed_checks=_without_bias,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(90, 3))
    scores = np.column_stack([X[:, 0], X[:, 1], X[:, 2]]) + 0.3 * rng.normal(size=(90, 3))
    return X, np.array(["ant", "bee", "cow"])[scores.argmax(axis=1)]


def test_two_classes_equal_svc(data, rng):
    X, y = data
    y = np.where(y == "ant", "ant", "other")
    ours = SupportVectorMachine(gamma=0.3, C=2.0, tol=1e-9).fit(X, y)
    theirs = SVC(gamma=0.3, C=2.0, tol=1e-9).fit(X, y)
    new = rng.normal(size=(40, 3))
    np.testing.assert_allclose(
        ours.decision_function(new), theirs.decision_function(new), atol=1e-3
    )
    assert (ours.predict(new) == theirs.predict(new)).all()
    assert ours.support_.tolist() == sorted(theirs.support_.tolist())


def test_three_classes_are_one_against_the_rest(data):
    X, y = data
    machine = SupportVectorMachine(gamma=0.3).fit(X, y)
    assert machine.decision_function(X).shape == (90, 3)
    for k, name in enumerate(machine.classes_):
        alone = SupportVectorMachine(gamma=0.3).fit(X, y == name)
        np.testing.assert_allclose(
            machine.decision_function(X)[:, k], alone.decision_function(X), atol=1e-6
        )
    assert machine.score(X, y) > 0.8


def test_frames_and_pickles(data):
    X, y = data
    names = ["a", "b", "c"]
    plain = SupportVectorMachine().fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        machine = SupportVectorMachine().fit(frame, y)
        assert machine.feature_names_in_.tolist() == names
        assert (machine.predict(frame) == plain.predict(X)).all()
    again = pickle.loads(pickle.dumps(plain))
    np.testing.assert_array_equal(again.decision_function(X), plain.decision_function(X))
    assert again.certify() == plain.certify()


def test_precomputed(data, rng):
    X, y = data
    new = rng.normal(size=(7, 3))
    matrix = SupportVectorMachine("precomputed").fit(oracle.gaussian(X, X, 1 / 3), y)
    points = SupportVectorMachine().fit(X, y)
    np.testing.assert_allclose(
        matrix.decision_function(oracle.gaussian(new, X, 1 / 3)),
        points.decision_function(new),
        atol=1e-3,
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_grid_hook_equals_single_fits(data, classes):
    X, y = data
    if classes == 2:
        y = y == "ant"
    base = SupportVectorMachine(tol=1e-8)
    settings = [
        {"C": 10.0, "gamma": 0.2},
        {"C": 1.0, "gamma": 0.2},
        {"C": 1.0, "kernel": "linear", "fit_intercept": False},
        {"C": 1.0, "gamma": 1.0},
    ]
    fitted = base.fit_grid(X, y, settings)
    for machine, params in zip(fitted, settings, strict=True):
        assert params.items() <= machine.get_params().items()
        alone = clone(base).set_params(**params).fit(X, y)
        np.testing.assert_allclose(
            machine.decision_function(X), alone.decision_function(X), atol=1e-3
        )
    assert not hasattr(base, "models_")


@pytest.mark.parametrize("by", ["certificate", "span"])
def test_search_by_certificate_and_criterion(data, by):
    """`BoundSearch` and its division of delta, from an SVC."""
    X, y = data
    y = y == "ant"
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    search = BoundSearch(SVC(), param_grid=grid, by=by).fit(X, y)
    assert isinstance(search.best_estimator_, SupportVectorMachine)
    expected = search.best_estimator_.certify(n_choices=4).risk
    assert search.certificate_.risk == pytest.approx(expected, rel=1e-9)


class _SVCOfMine(SVC):
    """A subclass, as users write them."""


def test_search_chooses_by_span_unless_told(data):
    """The default criterion, its ties, and the one certificate beside it."""
    X, y = data
    y = y == "ant"
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}
    search = BoundSearch(_SVCOfMine(), param_grid=grid).fit(X, y)
    told = BoundSearch(SVC(), param_grid=grid, by="span").fit(X, y)
    assert search.by_ == told.by_ == "span"
    assert search.best_params_ == told.best_params_
    keys = []
    for C in grid["C"]:
        for gamma in grid["gamma"]:
            alone = SupportVectorMachine(C=C, gamma=gamma).fit(X, y)
            keys.append((alone.criterion("span").value, alone.support_.size))
    assert keys[search.best_index_] == min(keys)
    assert search.best_score_ == min(keys)[0]
    assert np.flatnonzero(search.results_["certificate"].notna()) == [search.best_index_]
    expected = search.best_estimator_.certify(n_choices=9).risk
    assert search.certificate_.risk == pytest.approx(expected, rel=1e-9)
    assert (
        BoundSearch(SVC(), param_grid=grid, by="certificate")
        .fit(X, y)
        .results_["certificate"]
        .notna()
        .all()
    )


class _Counted:
    """A Gaussian kernel that counts how often its training matrix is built."""

    def __init__(self, gamma):
        self.gamma, self.n_matrices = gamma, 0

    def __call__(self, A, B):
        self.n_matrices += 1
        return oracle.gaussian(A, B, self.gamma)


class _Watched:
    """Rows that count how often they are read."""

    def __init__(self, X):
        self.X, self.n_reads = X, 0
        self.shape = X.shape

    def __len__(self):
        return len(self.X)

    def __array__(self, dtype=None, copy=None):
        self.n_reads += 1
        return np.array(self.X, dtype=dtype)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("by", ["span", "c2", "certificate"])
def test_search_builds_each_kernel_matrix_once(data, n_classes, by):
    X, y = data
    if n_classes == 2:
        y = y == "ant"
    kernels = [_Counted(0.1), _Counted(0.5), _Counted(2.0)]
    BoundSearch(SupportVectorMachine(), param_grid={"kernel": kernels, "C": [0.1, 1.0]}, by=by).fit(
        X, y
    )
    assert [kernel.n_matrices for kernel in kernels] == [1, 1, 1]


def test_search_reads_the_data_as_often_as_one_fit(data):
    X, y = data
    one, many = _Watched(X), _Watched(X)
    BoundSearch(SVC(), param_grid={"C": [1.0], "gamma": [0.3]}).fit(one, y)
    BoundSearch(SVC(), param_grid={"C": [0.1, 1.0, 10.0], "gamma": [0.03, 0.3, 3.0]}).fit(many, y)
    assert many.n_reads == one.n_reads


def test_plain_svc_is_told_what_to_set(data):
    X, y = data
    with pytest.raises(ValueError, match=r"got 'scale'.* set gamma='auto' .* numbers for it in a"):
        BoundSearch(SVC(), param_grid={"C": [1.0, 10.0]}).fit(X, y)
    BoundSearch(SVC(gamma="auto"), param_grid={"C": [1.0, 10.0]}).fit(X, y)


@pytest.mark.parametrize("weights", [{"ant": 5.0}, {"ant": 0.2, "other": 3.0}, "balanced"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_class_weights_equal_those_of_svc(data, rng, weights, kernel):
    X, y = data
    y = np.where(y == "ant", "ant", "other")
    theirs = SVC(kernel=kernel, gamma=0.3, C=2.0, tol=1e-9, class_weight=weights).fit(X, y)
    ours = SupportVectorMachine.from_svc(theirs).set_params(tol=1e-9).fit(X, y)
    new = rng.normal(size=(40, 3))
    np.testing.assert_allclose(
        ours.decision_function(new), theirs.decision_function(new), atol=1e-3
    )
    assert ours.support_.tolist() == sorted(theirs.support_.tolist())


def test_class_weights_of_three_classes_move_the_answer(data):
    X, y = data
    plain = SupportVectorMachine("linear", C=0.1).fit(X, y).predict(X)
    keen = SupportVectorMachine("linear", C=0.1, class_weight={"cow": 30.0}).fit(X, y).predict(X)
    assert (keen == "cow").sum() > (plain == "cow").sum()


def test_class_weights_are_one_more_setting_of_a_search(data):
    X, y = data
    y = y == "ant"
    grid = {"class_weight": [None, {True: 4.0}], "C": [0.1, 1.0]}
    search = BoundSearch(SupportVectorMachine(gamma=0.3), param_grid=grid).fit(X, y)
    alone = SupportVectorMachine(gamma=0.3, **search.best_params_).fit(X, y)
    np.testing.assert_allclose(search.decision_function(X), alone.decision_function(X), atol=1e-3)
    assert search.certificate_.risk == pytest.approx(alone.certify(n_choices=4).risk, rel=1e-9)


def test_mean_criterion_over_classes(data):
    X, y = data
    machine = SupportVectorMachine().fit(X, y)
    parts = [
        SupportVectorMachine().fit(X, y == name).criterion("c2").value for name in np.unique(y)
    ]
    assert machine.criterion("c2").value == pytest.approx(np.mean(parts), rel=1e-6)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0.0}, r"`C` must be a positive number, got 0.0"),
        ({"C": np.inf}, r"`C` must be a positive number, got inf"),
        ({"tol": -1.0}, r"`tol` must be a positive number, got -1.0"),
        ({"gamma": "scale"}, r"`gamma` must be a positive number or 'auto', got 'scale'"),
        ({"kernel": "sigmoid"}, r"`kernel` must be one of .* got 'sigmoid'"),
        ({"kernel": "precomputed"}, r"`X` must be a square kernel matrix"),
    ],
)
def test_bad_parameters(data, params, message):
    with pytest.raises(ValueError, match=message):
        SupportVectorMachine(**params).fit(*data)


def test_bad_types(data):
    with pytest.raises(TypeError, match="`C` must be a positive number, got 'one'"):
        SupportVectorMachine(C="one").fit(*data)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8])
def test_scales(data, scale):
    X, y = data
    machine = SupportVectorMachine(gamma=0.5).fit(X * scale, y)
    assert machine.predict(X * scale).shape == (90,)


def test_constant_columns_duplicates_contradictions(data):
    X, y = data
    X = np.column_stack([X, np.ones(90)])
    X, y = np.r_[X, X], np.r_[y, y[::-1]]
    machine = SupportVectorMachine(gamma=0.5, C=100.0).fit(X, y)
    assert machine.gap_ <= 1e-5 * max(model.objective for model in machine.models_)
