"""The pursuit classifier as users meet it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import KernelMatchingPursuitClassifier
from handful.bounds import NotCertifiableError
from handful.tables import RowDigests

MODES = ["pool", "chosen", "quantised", "least_squares"]


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.15, random_state=0)


@pytest.mark.parametrize("coefficients", MODES)
def test_learns_the_moons(moons, coefficients):
    X, y = moons
    machine = KernelMatchingPursuitClassifier(
        15, gamma=[0.5, 1.0, 2.0], coefficients=coefficients
    ).fit(X, y)
    assert machine.score(X, y) > 0.85
    certificate = machine.certify()
    assert certificate.bound == {"pool": "pool", "least_squares": "matching-pursuit"}.get(
        coefficients, "compression"
    )
    if coefficients != "least_squares":
        assert 1 - machine.score(X, y) < certificate.risk < 0.4


def test_decision_function_has_the_sign_of_the_prediction(moons):
    X, y = moons
    machine = KernelMatchingPursuitClassifier().fit(X, np.where(y, "yes", "no"))
    values = machine.decision_function(X)
    np.testing.assert_array_equal(machine.predict(X) == "yes", values > 0)


@pytest.mark.parametrize("multi_class", ["shared", "ovr"])
@pytest.mark.parametrize("coefficients", ["pool", "least_squares"])
def test_three_classes(multi_class, coefficients):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    machine = KernelMatchingPursuitClassifier(
        10, multi_class=multi_class, coefficients=coefficients, gamma=0.3
    ).fit(X, labels)
    assert machine.score(X, labels) > 0.9
    assert machine.decision_function(X).shape == (150, 3)
    assert list(machine.classes_) == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("coefficients", ["chosen", "quantised"])
def test_three_classes_compressed(coefficients):
    X, y = load_iris(return_X_y=True)
    machine = KernelMatchingPursuitClassifier(coefficients=coefficients, gamma=0.3).fit(X, y)
    assert machine.score(X, y) > 0.85
    assert machine.certify().risk < 0.5
    with pytest.raises(ValueError, match="`multi_class` must be 'shared'"):
        KernelMatchingPursuitClassifier(coefficients=coefficients, multi_class="ovr").fit(X, y)


def test_constant_machine_of_three_classes_says_the_majority(rng):
    X = rng.normal(size=(60, 2))
    y = np.repeat([0, 1, 2], [10, 15, 35])
    machine = KernelMatchingPursuitClassifier(2, coefficients="quantised").fit(X, y)
    assert machine.n_centers_ == 0
    assert set(machine.predict(X)) == {2}


def test_certificate_refuses_what_does_not_hold(moons):
    X, y = moons
    machine = KernelMatchingPursuitClassifier(5, coefficients="least_squares").fit(X, y)
    for bound, name in (("compression", "chosen"), ("pool", "pool")):
        with pytest.raises(NotCertifiableError, match=f"fit with coefficients='{name}'"):
            machine.certify(bound=bound)
    with pytest.raises(ValueError, match="`bound` must be one of"):
        machine.certify(bound="best")
    with pytest.raises(ValueError, match=r"`delta` must be in \(0, 1\)"):
        machine.certify(delta=1.0)
    X, y = load_iris(return_X_y=True)
    three = KernelMatchingPursuitClassifier(5, coefficients="least_squares").fit(X, y)
    with pytest.raises(NotCertifiableError, match="is about two classes, got 3"):
        three.certify()


def test_stops(moons):
    X, y = moons
    by_size = KernelMatchingPursuitClassifier(7, gamma=1.0, stop="size").fit(X, y)
    assert by_size.n_centers_ == 7
    by_tol = KernelMatchingPursuitClassifier(50, gamma=1.0, stop="size", tol=0.5).fit(X, y)
    assert 0 < by_tol.n_centers_ < 7
    left = by_tol.path_["residual"].tolist()
    assert left[-1] <= 0.5 * left[0] < left[-2]
    validated = KernelMatchingPursuitClassifier(
        20, coefficients="least_squares", gamma=1.0, stop="validation"
    ).fit(X, y)
    assert 1 <= validated.n_centers_ <= 20
    assert validated.score(X, y) > 0.85


def test_gamma_search_is_paid_for_and_keeps_the_best(moons):
    X, y = moons
    both = KernelMatchingPursuitClassifier(10, gamma=[1e-4, 1.0]).fit(X, y)
    assert both.kernel_.gamma == 1.0
    one = KernelMatchingPursuitClassifier(10, gamma=1.0).fit(X, y)
    np.testing.assert_array_equal(one.centers_idx_, both.centers_idx_)
    assert one.certify().risk < both.certify().risk


def test_random_state_draws_the_pool(moons):
    X, y = moons
    first = KernelMatchingPursuitClassifier(random_state=1).fit(X, y)
    again = clone(first).fit(X, y)
    other = KernelMatchingPursuitClassifier(random_state=2).fit(X, y)
    np.testing.assert_array_equal(first.held_back_, again.held_back_)
    assert not np.array_equal(first.held_back_, other.held_back_)
    np.testing.assert_array_equal(first.predict(X), again.predict(X))


def test_only_digests_decide_the_pool(moons):
    X, y = moons
    same = RowDigests.of(X, y)
    first = KernelMatchingPursuitClassifier(random_state=same).fit(X, y)
    other = KernelMatchingPursuitClassifier(random_state=same).fit(-3 * X, 1 - y)
    np.testing.assert_array_equal(first.held_back_, other.held_back_)
    np.testing.assert_array_equal(
        first.held_back_, KernelMatchingPursuitClassifier().fit(X, y).held_back_
    )


def test_errors_outside_the_pool_move_no_coefficient(moons):
    """The expansions of all sizes depend on the pool alone."""
    X, y = moons
    fixed = {"gamma": 1.0, "random_state": RowDigests.of(X, y), "stop": "size"}
    for size in (1, 4, 9):
        machine = KernelMatchingPursuitClassifier(size, **fixed).fit(X, y)
        is_out = np.ones(len(X), dtype=bool)
        is_out[machine.held_back_] = False
        flipped = np.where(is_out, 1 - y, y)
        other = KernelMatchingPursuitClassifier(size, **fixed).fit(X, flipped)
        a, b = machine.expansion_, other.expansion_
        np.testing.assert_array_equal(a.centers, b.centers)
        np.testing.assert_array_equal(a.coefficients, b.coefficients)


@pytest.mark.filterwarnings("ignore::handful.tables.FittedScalingWarning")  # on purpose
def test_frames_names_pickle_and_pipeline(moons):
    X, y = moons
    frame = pd.DataFrame(X, columns=["a", "b"])
    machine = KernelMatchingPursuitClassifier().fit(frame, y)
    assert list(machine.feature_names_in_) == ["a", "b"]
    expected = machine.predict(frame)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).predict(frame), expected)
    polar = KernelMatchingPursuitClassifier().fit(pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}), y)
    np.testing.assert_array_equal(polar.predict(pl.DataFrame(frame.to_dict("list"))), expected)
    piped = make_pipeline(StandardScaler(), KernelMatchingPursuitClassifier()).fit(X, y)
    assert piped.score(X, y) > 0.85


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[np.nan, 1], [0, 1]], [0, 1], "NaN"),
        ([[np.inf, 1], [0, 1]], [0, 1], "infinity"),
        ([[0, 1], [1, 1]], [1, 1], "`y` must hold at least two classes, got one class"),
        ([["a", "b"], ["c", "d"]], [0, 1], "could not convert"),
        ([0, 1], [0, 1], "Expected 2D array"),
        ([[0, 1], [1, 1]], [0.5, 1.5], "Unknown label type|continuous"),
    ],
)
def test_bad_input(X, y, message):
    with pytest.raises(ValueError, match=message):
        KernelMatchingPursuitClassifier().fit(X, y)


def test_contradictory_duplicates_are_counted():
    X = np.zeros((40, 2))
    y = np.arange(40) % 2
    machine = KernelMatchingPursuitClassifier(3).fit(X, y)
    assert machine.certify().risk > 0.5


def test_sample_weight_is_refused(moons):
    X, y = moons
    with pytest.raises(TypeError, match="sample_weight"):
        KernelMatchingPursuitClassifier().fit(X, y, sample_weight=np.ones(len(y)))
