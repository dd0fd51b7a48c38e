"""What all boosting machines share: labels, frames, pickles, bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from handful.boosting import AdaBoost, LPBoost, LPBoostMKL

MACHINES = [AdaBoost(n_rounds=5), LPBoost(0.4), LPBoostMKL(nu=0.4, tol=1e-3)]
each = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)


def _data(rng, n=60):
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] - 0.5 * X[:, 1] > 0, "yes", "no")


@each
def test_strings_pickles_and_frames(rng, machine):
    X, y = _data(rng)
    names = ["a", "b", "c"]
    scores = machine.fit(X, y).decision_function(X)
    assert machine.score(X, y) > 0.8
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        fitted = machine.fit(frame, y)
        assert fitted.feature_names_in_.tolist() == names
        np.testing.assert_allclose(fitted.decision_function(frame), scores, atol=1e-12)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_allclose(again.decision_function(frame), scores, atol=1e-12)


@each
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.full(len(y), "yes")), "at least two classes, got one class: 'yes'"),
        (lambda X, y: (X[:1], y[:1]), "at least two classes, got one class"),
        (lambda X, y: (np.where(X > 1, np.inf, X), y), "infinity"),
        (lambda X, y: (X[:, 0], y), "Expected 2D array"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X, np.linspace(0, 1, len(y))), "Unknown label type"),
    ],
)
def test_bad_data(rng, machine, change, message):
    with pytest.raises(ValueError, match=message):
        machine.fit(*change(*_data(rng)))


def test_missing_values_only_where_they_mean_something(rng):
    X, y = _data(rng)
    X[::7, 1] = np.nan
    for machine in MACHINES[:2]:
        assert machine.fit(X, y).score(X, y) > 0.8
    with pytest.raises(ValueError, match="NaN"):
        MACHINES[2].fit(X, y)


@each
def test_contradictions_duplicates_and_constant_columns(rng, machine):
    X, y = _data(rng)
    X = np.column_stack([np.vstack([X, X[:20]]), np.ones(80)])
    y = np.append(y, y[:20])
    y[60] = "no" if y[0] == "yes" else "yes"
    machine.fit(X, y)
    assert np.all(np.isfinite(machine.decision_function(X)))
    assert machine.margins_.shape == (80,)
    assert np.all(np.abs(machine.margins_) <= 1.0 + 1e-12)


@each
def test_weights_of_zero_leave_examples_out(rng, machine):
    X, y = _data(rng)
    weights = (rng.random(60) < 0.7).astype(float)
    kept = weights > 0
    scores = machine.fit(X, y, sample_weight=weights).decision_function(X)
    np.testing.assert_allclose(machine.fit(X[kept], y[kept]).decision_function(X), scores)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        machine.fit(X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="needs examples of at least two classes"):
        machine.fit(X, y, sample_weight=(y == "yes").astype(float))


@each
def test_certify_checks_its_arguments(rng, machine):
    X, y = _data(rng)
    machine.fit(X, y)
    with pytest.raises(ValueError, match=r"`delta` must be in \(0, 1\)"):
        machine.certify(delta=1.0)
    with pytest.raises(ValueError, match="`margin` must be in"):
        machine.margin_certificate(margin=2.0)
    with pytest.raises(ValueError, match="`bound` must be one of 'auto'"):
        machine.certify(bound="vc")
    X, y = _data(rng)
    held = machine.certify(X=X, y=y)
    assert held.bound == "held-out"
    assert held.n_errors == np.sum(machine.predict(X) != y)
