"""Stagewise additive models against scalar minimisation round by round."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from handful.boosting import AdaBoost
from handful.boosting.rounds import LOSSES, adaboost_rounds, stagewise_rounds
from handful.boosting.weak_learners import StumpColumns
from tests.oracles import boosting as oracle


def _problem(rng, m=40):
    X = rng.integers(0, 8, size=(m, 3)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + 2.0 * rng.normal(size=m) > 7, 1.0, -1.0)
    return X, y


@pytest.mark.parametrize("loss", ["exponential", "logistic", "squared"])
def test_rounds_equal_the_oracle(rng, loss):
    X, y = _problem(rng)
    boosted = stagewise_rounds(StumpColumns(X), y, np.ones(40), 8, LOSSES[loss])
    expected = oracle.stagewise(X, y, 8, loss)
    at_zero = {"exponential": 1.0, "logistic": np.log(2.0), "squared": 1.0}[loss]
    fallen = at_zero
    for found, (stump, alpha, mean) in zip(boosted.rounds, expected, strict=True):
        assert (found.key.feature, found.key.threshold, found.key.sign) == stump
        assert found.alpha == pytest.approx(alpha, abs=1e-6)
        fallen *= found.Z
        assert fallen == pytest.approx(mean, rel=1e-9)


def test_exponential_rounds_are_those_of_adaboost(rng):
    X, y = _problem(rng)
    weights = rng.integers(1, 4, size=40).astype(float)
    one = adaboost_rounds(StumpColumns(X), y, weights, 10)
    two = stagewise_rounds(StumpColumns(X), y, weights, 10, LOSSES["exponential"])
    assert [r.key for r in one.rounds] == [r.key for r in two.rounds]
    np.testing.assert_allclose([r.alpha for r in two.rounds], [r.alpha for r in one.rounds])
    np.testing.assert_allclose([r.Z for r in two.rounds], [r.Z for r in one.rounds])


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_derivatives_and_the_bound_on_errors(name):
    loss = LOSSES[name]
    v = np.linspace(-3.0, 3.0, 25)
    for x in v:
        point = np.array([x])
        slope = approx_fprime(point, lambda p: float(loss.value(p)[0]))
        assert loss.pull(point)[0] == pytest.approx(-slope[0], abs=1e-5)
        bend = approx_fprime(point, lambda p: -float(loss.pull(p)[0]))
        assert loss.curvature(point)[0] == pytest.approx(bend[0], abs=1e-5)
    assert loss.value(np.zeros(1))[0] == pytest.approx(loss.at_zero)
    assert np.all(loss.value(v[v <= 0.0]) >= loss.at_zero - 1e-12)


@pytest.mark.parametrize("name", ["logistic", "squared"])
def test_probabilities_minimise_the_expected_loss(name):
    loss, scores = LOSSES[name], np.linspace(-0.9, 0.9, 7)
    p = loss.probability(scores)
    for score, share in zip(scores, p, strict=True):
        around = score + np.linspace(-0.05, 0.05, 11)
        mean = share * loss.value(around) + (1.0 - share) * loss.value(-around)
        assert mean.argmin() == 5


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_machine_with_another_loss(rng, loss):
    X, y = _problem(rng, m=120)
    machine = AdaBoost(loss=loss, n_rounds=30).fit(X, y)
    assert np.all(machine.path_["Z"] <= 1.0 + 1e-12)
    error = np.mean(machine.predict(X) != y)
    assert error <= machine.training_bound().value
    p = machine.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert machine.certify().bound == "rademacher-margin"


def test_three_classes_with_squares(rng):
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    p = AdaBoost(loss="squared", n_rounds=20).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_perfect_learner_has_a_finite_weight(loss):
    X, y = np.arange(10.0)[:, None], np.where(np.arange(10) < 5, 1, -1)
    machine = AdaBoost(loss=loss, n_rounds=5).fit(X, y)
    assert machine.score(X, y) == 1.0
    assert np.all(np.isfinite(machine.decision_function(X)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "`loss` must be one of"),
        ({"loss": "logistic", "candidates": 5}, "`candidates` must be None for loss='logistic'"),
    ],
)
def test_bad_losses(options, message):
    with pytest.raises(ValueError, match=message):
        AdaBoost(**options).fit(np.arange(10.0)[:, None], np.arange(10) % 2)
