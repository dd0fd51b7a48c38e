"""LPBoost against the full linear program over all stumps, and the specification's vectors."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from handful.boosting import LPBoost
from tests.oracles import boosting as oracle

X10 = np.arange(10.0)[:, None]
Y10 = np.array([1.0, 1, 1, -1, -1, -1, 1, 1, 1, -1])
Y10_NOISY = Y10 * np.where(np.arange(10) == 1, -1, 1)  # y_2 of the specification counts from 1


@pytest.mark.parametrize(
    ("nu", "y", "value"),
    [(0.4, Y10, 1 / 3), (0.4, Y10_NOISY, 0.2), (0.6, Y10_NOISY, 2 / 9), (0.8, Y10_NOISY, 0.25)],
)
def test_specification_vectors(nu, y, value):
    machine = LPBoost(nu).fit(X10, y)
    assert machine.beta_[0] == pytest.approx(value, abs=1e-8)
    assert machine.gap_[0] <= 1e-6
    if nu == 0.6:
        assert machine.rho_[0] == pytest.approx(1 / 3, abs=1e-8)
        slack = np.maximum(0.0, machine.rho_[0] - machine.margins_)
        assert slack.sum() == pytest.approx(2 / 3, abs=1e-8)


def _problem(rng, m=40, d=3, missing=0.1):
    X = rng.integers(0, 8, size=(m, d)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=m) > 7, 1.0, -1.0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def test_nu_bounds_the_margin_errors(rng):
    X, y = _problem(rng, m=100)
    for nu in (0.4, 0.6, 0.8):
        machine = LPBoost(nu).fit(X, y)
        assert np.mean(machine.margins_ < machine.rho_[0] - 1e-6) <= nu + 1e-9


def test_history_certifies_the_gap(rng):
    X, y = _problem(rng, m=80, missing=0.0)
    machine = LPBoost(0.5).fit(X, y)
    history = machine.path_
    assert history["beta"][0] == 0.0
    assert history["gap"].iloc[-1] <= 1e-6
    optimum = machine.beta_[0]
    assert np.all(history["beta"][1:] <= optimum + 1e-8)
    assert np.all(history["edge"] >= optimum - 1e-8)
    assert np.all(np.diff(history["gap"]) <= 1e-9)
    assert machine.n_iter_ == history["round"].iloc[-1]


def test_precomputed_columns_equal_the_full_program(rng):
    H = rng.uniform(-1, 1, size=(50, 12))
    y = np.where(H[:, 0] - H[:, 3] + 0.5 * rng.normal(size=50) > 0, 1.0, -1.0)
    machine = LPBoost(0.5, weak_learner="precomputed", tol=1e-9).fit(H, y)
    both = np.hstack([H, -H])
    value, rho, _, a = oracle.lpboost_primal(both, y, np.full(50, 1 / 25))
    assert machine.beta_[0] == pytest.approx(value, abs=1e-7)
    np.testing.assert_allclose(machine.machines_[0].coef, a[:12] - a[12:], atol=1e-6)
    assert machine.rho_[0] == pytest.approx(rho, abs=1e-6)


def test_classifier_as_weak_learner():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    learner = DecisionTreeClassifier(max_depth=2)
    machine = LPBoost(0.2, weak_learner=learner, random_state=0, max_iter=60, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, y)
    assert machine.score(X_new, y_new) > 0.93
    assert machine.machines_[0].total == pytest.approx(1.0)


def test_more_classes(rng):
    X, y = load_iris(return_X_y=True)
    machine = LPBoost(0.1).fit(X, np.array(["a", "b", "c"])[y])
    assert machine.score(X, np.array(["a", "b", "c"])[y]) > 0.9
    assert machine.beta_.shape == (3,)


@pytest.mark.thorough
@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_invariances(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=30) > 0, 1, -1)
    y[:2] = 1, -1
    machine = LPBoost(0.5).fit(X, y)
    scores, beta = machine.decision_function(X), machine.beta_[0]
    order = rng.permutation(30)
    np.testing.assert_array_equal(LPBoost(0.5).fit(X[order], y[order]).decision_function(X), scores)
    assert LPBoost(0.5).fit(X, -y).beta_[0] == pytest.approx(beta, abs=1e-6)
    assert LPBoost(0.5).fit(X[:, ::-1], y).beta_[0] == pytest.approx(beta, abs=1e-6)
    bent = np.exp(X) + X**3
    np.testing.assert_allclose(LPBoost(0.5).fit(bent, y).decision_function(bent), scores, atol=1e-6)


def test_weights_are_repetitions(rng):
    X, y = _problem(rng, missing=0.0)
    weights = rng.integers(0, 3, size=40)
    repeated = np.repeat(np.arange(40), weights)
    one = LPBoost(0.5).fit(X, y, sample_weight=weights)
    two = LPBoost(0.5).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-9)


def test_no_margin_is_a_constant_with_a_warning():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    y = np.array([0, 1, 0, 1, 1])
    with pytest.warns(UserWarning, match="LPBoost is constant: no vote has a positive margin"):
        machine = LPBoost(0.1).fit(X, y)
    assert set(machine.predict(X)) == {1}


def test_rounds_that_run_out_warn_with_the_gap(rng):
    X, y = _problem(rng, m=80)
    with pytest.warns(ConvergenceWarning, match="LPBoost stopped after 2 rounds with a gap"):
        machine = LPBoost(0.5, max_iter=2).fit(X, y)
    assert machine.gap_[0] > 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nu": 1.5}, r"`nu` must be in \(0, 1\], got 1.5. Use the fraction of margin errors"),
        ({"nu": 0.0}, r"`nu` must be in \(0, 1\]"),
        ({"cap": 0.01}, "`cap` must be at least 1 / n_samples = 0.1, got 0.01"),
        ({"cap": -1.0}, "`cap` must be a positive number, got -1.0"),
        ({"weak_learner": "tree"}, "`weak_learner` must be 'stumps', 'precomputed' or"),
        ({"thresholds": [[0.5], [1.0]]}, "one list for each of 1 features, got 2"),
        ({"thresholds": [np.inf]}, "`thresholds` must be finite"),
        ({"thresholds": [1.0], "weak_learner": "precomputed"}, "`thresholds` are those of stumps"),
        ({"tol": 0.0}, "`tol` must be a positive number, got"),
        ({"max_iter": 0}, "`max_iter` must be at least 1"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LPBoost(**options).fit(X10, Y10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_huge_and_tiny_scales(scale):
    machine = LPBoost(0.4).fit(X10 * scale, Y10)
    assert machine.beta_[0] == pytest.approx(1 / 3, abs=1e-8)
