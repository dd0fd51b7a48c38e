"""The estimator: algorithm 1, its baselines, and the ways of asking."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful.bounds import NotCertifiableError
from handful.conformal import NonconformityClassifier
from handful.conformal.model_sets import PAPER_GRID
from tests.oracles import conformity

GRID = {"gamma": [0.1, 1.0, 10.0], "C": [1.0, 100.0]}
SVCS = [SVC(C=C, gamma=gamma) for gamma in GRID["gamma"] for C in GRID["C"]]


@pytest.fixture
def moons(rng):
    seed = int(rng.integers(1000))
    return make_moons(260, noise=0.25, random_state=seed)


@pytest.mark.sample(9)
@parametrize_with_checks(
    [
        NonconformityClassifier([LogisticRegression(), GaussianNB()], random_state=0),
        NonconformityClassifier(
            SVC(), param_grid={"C": [0.1, 10.0]}, tie="random", calibration_size=0.2, random_state=0
        ),
        NonconformityClassifier([GaussianNB()], cross_folds=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_epsilon_crit_matches_the_triple_loop_on_real_machines(moons):
    X, y = moons
    machine = NonconformityClassifier(SVCS, random_state=1).fit(X[:160], y[:160])
    rows = machine.validation_indices_
    signs = 2 * y[rows] - 1
    margins = [signs * model.decision_function(X[rows]) for model in machine.models_]
    values = np.stack([model.decision_function(X[160:]) for model in machine.models_])
    got, predicted = machine.epsilon_crit(X[160:]), machine.predict(X[160:])
    for i in range(100):
        want, winners = conformity.epsilon_crit(margins, values[:, i])
        assert got[i] == want
        assert (machine.chosen_model(X[160 + i : 161 + i])[0], 2 * predicted[i] - 1) in winners


def test_the_shared_grid_agrees_with_separate_machines(moons):
    X, y = moons
    ours = NonconformityClassifier(param_grid=GRID, random_state=1).fit(X[:160], y[:160])
    theirs = NonconformityClassifier(SVCS, random_state=1).fit(X[:160], y[:160])
    assert [(p["gamma"], p["C"]) for p in ours.model_params_] == [(m.gamma, m.C) for m in SVCS]
    assert (ours.predict(X[160:]) == theirs.predict(X[160:])).mean() > 0.97
    assert np.abs(ours.epsilon_crit(X[160:]) - theirs.epsilon_crit(X[160:])).max() <= 2 / 32


def test_the_default_is_the_paper():
    assert len(PAPER_GRID["gamma"]) == 10
    assert len(PAPER_GRID["C"]) == 11
    assert (PAPER_GRID["gamma"][0], PAPER_GRID["gamma"][-1]) == (2.0**-15, 2.0**3)
    assert (PAPER_GRID["C"][0], PAPER_GRID["C"][-1]) == (2.0**-5, 2.0**15)
    X, y = make_moons(60, noise=0.2, random_state=0)
    machine = NonconformityClassifier(random_state=0).fit(X, y)
    assert len(machine.models_) == 110


@pytest.mark.parametrize(("n", "want"), [(7, 1), (30, 6), (249, 49), (250, 50), (260, 50)])
def test_validation_size_of_the_paper(moons, n, want):
    X, y = moons
    machine = NonconformityClassifier([GaussianNB()], random_state=0).fit(X[:n], y[:n])
    assert machine.validation_indices_.size == want
    assert machine.train_indices_.size == n - want


def test_the_parts_do_not_overlap(moons):
    X, y = moons
    machine = NonconformityClassifier(
        [GaussianNB()], validation_size=40, calibration_size=0.25, random_state=0
    ).fit(X, y)
    parts = (machine.train_indices_, machine.validation_indices_, machine.calibration_indices_)
    assert [part.size for part in parts] == [155, 40, 65]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(260))


def test_baselines(moons):
    X, y = moons
    best = NonconformityClassifier(SVCS, select="best-validation", random_state=0).fit(X, y)
    model = best.models_[best.best_index_]
    assert np.array_equal(best.predict(X), model.predict(X))
    assert best.validation_errors_[best.best_index_] == best.validation_errors_.min()
    largest = NonconformityClassifier(SVCS, select="largest-margin", random_state=0).fit(X, y)
    values = np.stack([m.decision_function(X) for m in largest.models_])
    chosen = np.abs(values).argmax(axis=0)
    assert np.array_equal(largest.predict(X), values[chosen, np.arange(260)] > 0)


def test_more_than_two_classes_and_words():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for select in ("nonconformity", "largest-margin", "best-validation"):
        for estimator, grid in ((None, GRID), (SVC(), GRID), ([GaussianNB()], None)):
            machine = NonconformityClassifier(
                estimator, param_grid=grid, select=select, calibration_size=30, random_state=3
            ).fit(X, names)
            assert machine.score(X, names) > 0.9
            assert machine.predict_set(X, 0.8).shape == (150, 3)
            assert machine.decision_function(X).shape == (150, 3)


def test_a_class_without_training_examples_is_never_preferred(moons):
    X, y = moons
    labels = y.astype(object)
    labels[0] = "rare"
    labels = np.array([str(v) for v in labels])
    for seed in range(30):
        machine = NonconformityClassifier([GaussianNB()], random_state=seed, calibration_size=50)
        machine.fit(X, labels)
        if 0 not in machine.train_indices_:
            break
    assert machine.classes_.tolist() == ["0", "1", "rare"]
    assert "rare" not in machine.predict(X)
    assert np.isfinite(machine.decision_function(X)).all()


@pytest.mark.parametrize("measure", ["nearest-neighbour", "class-mean"])
def test_distance_measures_classify(moons, measure):
    X, y = moons
    for estimator, grid in ((None, GRID), ([make_pipeline(StandardScaler(), SVC())], None)):
        machine = NonconformityClassifier(
            estimator, param_grid=grid, measure=measure, random_state=0
        )
        machine.fit(X[:160], y[:160])
        assert machine.score(X[160:], y[160:]) > 0.75
        assert pickle.loads(pickle.dumps(machine)).score(X, y) == machine.score(X, y)
    assert len(NonconformityClassifier(param_grid=GRID, measure=measure).fit(X, y).models_) == 3


def test_random_ties_are_a_function_of_the_case_and_the_seed(moons):
    X, y = moons
    machine = NonconformityClassifier(param_grid=GRID, tie="random", random_state=0).fit(X, y)
    whole = machine.chosen_model(X)
    for start in range(3):
        assert np.array_equal(machine.chosen_model(X[start::3]), whole[start::3])
    other = clone(machine).set_params(random_state=1).fit(X, y)
    assert np.unique(whole).size > 2
    assert not np.array_equal(whole, other.chosen_model(X))


def test_blocks_do_not_change_the_verdict(moons, monkeypatch):
    X, y = moons
    machine = NonconformityClassifier(param_grid=GRID, calibration_size=50, random_state=0).fit(
        X, y
    )
    whole, epsilon = machine.p_values(X), machine.epsilon_crit(X)
    monkeypatch.setattr("handful.conformal.estimators._BLOCK", 200)
    assert np.array_equal(machine.p_values(X), whole)
    assert np.array_equal(machine.epsilon_crit(X), epsilon)


def test_frames_with_words_go_to_pipelines_untouched(moons):
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    X, y = moons
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(c=np.where(X[:, 0] > 0, "right", "left"))
    pipe = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough"),
        LogisticRegression(),
    )
    machine = NonconformityClassifier(
        pipe, param_grid={"logisticregression__C": [0.1, 10.0]}, random_state=0
    )
    assert machine.fit(frame, y).score(frame, y) > 0.8
    assert machine.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame.rename(columns={"c": "d"}))


def test_polars(moons):
    X, y = moons
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    machine = NonconformityClassifier(param_grid=GRID, random_state=0).fit(frame, y)
    assert np.array_equal(machine.predict(frame), machine.predict(pl.DataFrame(frame)))
    assert machine.feature_names_in_.tolist() == ["a", "b"]
    listed = NonconformityClassifier([GaussianNB()], random_state=0).fit(frame, y)
    assert listed.predict(frame).shape == (260,)


def test_what_has_a_certificate_without_calibration(moons):
    X, y = moons
    refused = NonconformityClassifier(param_grid=GRID, random_state=0).fit(X, y)
    for ask in (
        refused.certify,
        lambda: refused.p_values(X),
        lambda: refused.predict_set(X),
        lambda: refused.selective_certificate(0.1),
    ):
        with pytest.raises(NotCertifiableError, match="Set `calibration_size`"):
            ask()
    best = clone(refused).set_params(select="best-validation").fit(X, y).certify()
    assert (best.n_samples, len(best.terms)) == (50, 2)  # pays for six models
    largest = clone(refused).set_params(select="largest-margin").fit(X, y)
    assert (largest.certify().n_samples, len(largest.certify().terms)) == (50, 1)
    assert largest.predict_set(X).shape == (260, 2)
    single = NonconformityClassifier([SVC()], random_state=0).fit(X, y)
    assert single.certify().n_errors == single.validation_errors_[0]
    rows = single.validation_indices_
    margins = (2 * y[rows] - 1) * single.models_[0].decision_function(X[rows])
    value = single.models_[0].decision_function(X[:1])[0]
    want = [conformity.conformal_p_value(margins, s * value) for s in (-1, 1)]
    assert single.p_values(X[:1])[0].tolist() == want


def test_certificates_with_calibration(moons):
    X, y = moons
    for select in ("nonconformity", "largest-margin", "best-validation"):
        machine = NonconformityClassifier(
            param_grid=GRID, select=select, calibration_size=80, random_state=0
        ).fit(X, y)
        rows = machine.calibration_indices_
        n_errors = int((machine.predict(X[rows]) != y[rows]).sum())
        certificate = machine.certify()
        assert (certificate.n_samples, certificate.n_errors) == (80, n_errors)
        threshold = np.median(machine.doubt(X[rows]))
        accepted = machine.doubt(X[rows]) <= threshold
        wrong = machine.predict(X[rows]) != y[rows]
        selective = machine.selective_certificate(threshold)
        assert selective.n_errors == int((accepted & wrong).sum())
    with pytest.raises(ValueError, match="`bound` must be one of 'auto', 'held-out'"):
        machine.certify(bound="stable")


def test_another_rule_on_the_same_models(moons):
    X, y = moons
    settings = {"calibration_size": 60, "random_state": 0}
    machine = NonconformityClassifier(param_grid=GRID, **settings).fit(X, y)
    for select in ("best-validation", "largest-margin", "nonconformity"):
        other = machine.with_rule(select)
        fresh = NonconformityClassifier(param_grid=GRID, select=select, **settings).fit(X, y)
        assert np.array_equal(other.predict(X), fresh.predict(X))
        assert other.certify() == fresh.certify()
        assert np.array_equal(other.p_values(X), fresh.p_values(X))
    with pytest.raises(ValueError, match="`tie` must be one of"):
        machine.with_rule("nonconformity", tie="first")


def test_parameters_set_after_fitting_do_not_change_the_certified_rule(moons):
    X, y = moons
    machine = NonconformityClassifier(param_grid=GRID, calibration_size=60, random_state=0).fit(
        X, y
    )
    certificate, predicted = machine.certify(), machine.predict(X)
    machine.set_params(select="largest-margin", tie="random")
    assert machine.certify() == certificate
    assert np.array_equal(machine.predict(X), predicted)


def test_published_values_are_criteria(moons):
    X, y = moons
    machine = NonconformityClassifier(param_grid=GRID, random_state=0).fit(X, y)
    criteria = machine.published_value(X[:3])
    assert [c.terms[0].nats for c in criteria] == machine.epsilon_crit(X[:3]).tolist()
    assert all("not a guarantee" in c.name for c in criteria)


def test_any_classifier_with_scores_will_do(moons):
    X, y = moons
    models = [
        ("forest", RandomForestClassifier(10, random_state=0)),
        ("neighbours", KNeighborsClassifier()),
        ("scaled", make_pipeline(StandardScaler(), SVC())),
    ]
    machine = NonconformityClassifier(models, random_state=0).fit(X[:200], y[:200])
    assert [p["name"] for p in machine.model_params_] == ["forest", "neighbours", "scaled"]
    assert machine.score(X[200:], y[200:]) > 0.8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"select": "best"}, "`select` must be one of"),
        ({"measure": "cosine"}, "`measure` must be one of"),
        ({"tie": "first"}, "`tie` must be one of"),
        ({"validation_size": "half"}, "`validation_size` must be a count or a fraction"),
        ({"validation_size": 1.5}, r"`validation_size` must be a count of at least 1 or a frac"),
        ({"validation_size": 0}, r"`validation_size` must be a count of at least 1 or a frac"),
        ({"validation_size": 260}, "must leave examples for training"),
        ({"calibration_size": "paper"}, "`calibration_size` must be a count or a fraction"),
        ({"calibration_size": True}, "`calibration_size` must be a count or a fraction"),
        ({"param_grid": {"degrees": [2]}}, "`param_grid` must be a dict with keys among"),
        ({"param_grid": {"kernel": "precomputed"}}, "must name a kernel of the features"),
        ({"param_grid": {"C": [-1.0]}}, "`Cs` must hold positive numbers"),
        ({"estimator": []}, "must list at least one classifier"),
        ({"estimator": [SVC()], "param_grid": {"C": [1]}}, "`param_grid` must be None if"),
    ],
)
def test_bad_settings_are_named(moons, settings, message):
    with pytest.raises(ValueError, match=message):
        NonconformityClassifier(**settings).fit(*moons)


def _fit_with_seeds(X, y):
    for seed in range(20):
        NonconformityClassifier(param_grid=GRID, random_state=seed).fit(X, y)


def test_bad_examples_are_named(moons):
    X, y = moons
    with pytest.raises(ValueError, match="at least two classes, got one class: 0"):
        NonconformityClassifier(param_grid=GRID).fit(X, np.zeros(260))
    one = np.where(np.arange(260) == np.argmax(X[:, 0]), 1, 0)  # it need not be trained on
    with pytest.raises(ValueError, match="at least two classes in the part used for training"):
        _fit_with_seeds(X, one)
    with pytest.raises(ValueError, match="must have equal length, got 260 and 259"):
        NonconformityClassifier([GaussianNB()]).fit(X, y[:-1])
    X = X.copy()
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        NonconformityClassifier(param_grid=GRID).fit(X, y)


def test_hard_data(rng):
    """Duplicate rows, contradictory labels, constant columns, huge and tiny scales."""
    X = np.repeat(rng.integers(0, 3, (20, 2)).astype(float), 4, axis=0)
    X = np.column_stack([X, np.ones(80), X[:, 0] * 1e8, X[:, 1] * 1e-8])
    y = rng.integers(0, 2, 80)
    machine = NonconformityClassifier(param_grid=GRID, random_state=0).fit(X, y)
    assert ((machine.epsilon_crit(X) >= 0) & (machine.epsilon_crit(X) <= 1)).all()
    same = machine.predict(X[:4])
    assert np.unique(same).size == 1
