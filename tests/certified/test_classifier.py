"""The estimator: choosing, files, tables of every kind, groups, weights."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import handful.candidates.menu
from handful import CertifiedClassifier, load_dataset
from handful.bounds import binomial_tail_inverse
from handful.models import Fitted
from handful.tables import FittedScalingWarning

DATA = load_dataset("haberman-294")
QUICK = ["constant", "one rule", "rule list", "linear"]


@pytest.fixture(scope="module")
def machine():
    return CertifiedClassifier().fit(DATA.X, DATA.y)


def mixed(rng, n=200):
    age = rng.integers(20, 80, size=n).astype(float)
    colour = rng.choice(["red", "green", "blue"], size=n).astype(object)
    y = np.where((age > 50) ^ (colour == "red") ^ (rng.random(n) < 0.1), "ill", "well")
    age[rng.random(n) < 0.1] = np.nan
    colour[rng.random(n) < 0.1] = None
    return pd.DataFrame({"age": age, "colour": colour}), y


def test_every_row_can_be_chosen_and_keeps_its_certificate(machine):
    for row, name in enumerate(machine.menu_.index):
        other = machine.choose(name)
        assert other.chosen_ == name == machine.choose(row).chosen_
        assert other.certificate_.risk == pytest.approx(machine.menu_risks_[row], rel=1e-12)
        expected = machine.classes_[other.fitted_.labels(DATA.X)]
        np.testing.assert_array_equal(other.predict(DATA.X), expected)
    assert machine.chosen_ == CertifiedClassifier().fit(DATA.X, DATA.y).chosen_


def test_choices_round_trip_through_documents(machine):
    for name in machine.menu_.index:
        fitted = machine.choose(name).fitted_
        again = Fitted.from_document(json.loads(json.dumps(fitted.to_document())))
        assert again == fitted
        np.testing.assert_array_equal(again.labels(DATA.X), fitted.labels(DATA.X))


def test_neither_threads_nor_the_order_of_rows_matter(machine, rng):
    def comparable(m):
        return m.menu_.drop(columns="seconds")

    threads = CertifiedClassifier(n_jobs=2).fit(DATA.X, DATA.y)
    pd.testing.assert_frame_equal(comparable(threads), comparable(machine))
    rows = rng.permutation(len(DATA.y))
    shuffled = CertifiedClassifier().fit(DATA.X[rows], DATA.y[rows])
    pd.testing.assert_frame_equal(comparable(shuffled), comparable(machine))
    pools = [DATA.X[rows[shuffled.held_back_]], DATA.X[machine.held_back_]]
    first, second = (sorted(map(tuple, pool.tolist())) for pool in pools)
    assert first == second  # equal rows may stand for each other


def test_pickles(machine):
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict(DATA.X), machine.predict(DATA.X))


def test_words_and_missing_values(rng):
    X, y = mixed(rng)
    machine = CertifiedClassifier().fit(X, y)
    assert machine.certificate_.risk < 0.5
    assert set(machine.predict(X)) <= {"ill", "well"}
    assert machine.menu_["reason"].eq("").all()
    assert "colour" in " ".join(machine.menu_["uses"])


def test_foreign_pipelines_and_failures_are_rows(rng):
    X, y = mixed(rng)
    good = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    bad = make_pipeline(StandardScaler(), LogisticRegression())
    machine = CertifiedClassifier([("mine", good), ("numbers only", bad), "one rule"]).fit(X, y)
    assert list(machine.menu_.index)[-1] == "numbers only"
    assert "ValueError" in machine.menu_["reason"]["numbers only"]
    mine = machine.choose("mine")
    assert not machine.menu_["is_readable"]["mine"]
    np.testing.assert_array_equal(
        mine.predict(X), np.array(mine.fitted_.classes)[mine.fitted_.machine.estimator.predict(X)]
    )
    with pytest.raises(ValueError, match="'numbers only' has no certificate"):
        machine.choose("numbers only")


def test_when_everything_fails_the_reasons_are_told():
    with pytest.raises(ValueError, match="No candidate could be fitted: mine: "):
        CertifiedClassifier([("mine", LogisticRegression(C=-1.0))]).fit(DATA.X, DATA.y)


def test_three_classes(rng):
    X = rng.normal(size=(300, 2))
    y = np.array(["low", "mid", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    machine = CertifiedClassifier("all").fit(X, y)
    assert machine.certificate_.risk < 0.2
    assert machine.decision_function(X).shape == (300, 3)
    asked = CertifiedClassifier(["linear", "score card"]).fit(X, y)
    assert "two classes" in asked.menu_["reason"]["score card"]


def test_groups_by_metadata_routing(rng):
    groups = np.repeat(np.arange(50), 4)
    X = rng.normal(size=(200, 2)) + rng.normal(size=(50, 2))[groups]
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = CertifiedClassifier(QUICK).set_fit_request(groups=True)
        with pytest.warns(FittedScalingWarning):  # the scaler saw all rows
            pipe = make_pipeline(StandardScaler(), routed).fit(X, y, groups=groups)
    machine = pipe[-1]
    assert "random new group" in str(machine.certificate_.quantity)
    assert (
        len(np.intersect1d(groups[machine.held_back_], np.delete(groups, machine.held_back_))) == 0
    )
    assert machine.certificate_.n_samples in (50, 25)
    any_loss = CertifiedClassifier(QUICK, group_loss="any").fit(X, y, groups=groups)
    assert any_loss.certificate_.risk > machine.certificate_.risk
    with pytest.raises(ValueError, match="`groups` must have shape"):
        CertifiedClassifier(QUICK).fit(X, y, groups=groups[:5])


def test_betting_beats_one_row_a_group_where_rows_differ(rng):
    better = 0
    for _ in range(6):
        groups = np.repeat(np.arange(60), 10)
        X = rng.normal(size=(600, 2))
        y = ((X[:, 0] > 0) ^ (rng.random(600) < 0.25)).astype(int)
        machine = CertifiedClassifier(["one rule"]).fit(X, y, groups=groups)
        one = [np.flatnonzero(groups == g)[0] for g in range(60)]
        single = CertifiedClassifier(["one rule"]).fit(X[one], y[one])
        better += machine.certificate_.risk < single.certificate_.risk
    assert better >= 5


def test_groups_of_one_row_cost_nothing(rng):
    X = rng.normal(size=(200, 2))
    y = ((X[:, 0] > 0) ^ (rng.random(200) < 0.1)).astype(int)
    grouped = CertifiedClassifier(QUICK).fit(X, y, groups=np.arange(200))
    plain = CertifiedClassifier(QUICK).fit(X, y)
    assert abs(grouped.certificate_.risk - plain.certificate_.risk) < 0.08
    assert grouped.certificate_.bound == "pool"


def test_weights_steer_training_only(rng):
    X = rng.normal(size=(200, 2))
    y = ((X[:, 0] > 0) ^ (rng.random(200) < 0.3)).astype(int)
    weight = np.where(y == 1, 100.0, 1.0)
    machine = CertifiedClassifier(["linear"]).fit(X, y, sample_weight=weight)
    assert machine.predict(X).mean() > 0.9
    outside = np.setdiff1d(np.arange(200), machine.held_back_)
    n_errors = int(np.sum(machine.predict(X[outside]) != y[outside]))
    assert machine.certificate_.n_errors == n_errors


def test_seeds_are_named_in_the_certificate(machine):
    seeded = CertifiedClassifier(QUICK, random_state=3).fit(DATA.X, DATA.y)
    assert seeded.certificate_.assumes("random-state")
    assert machine.certificate_.assumes("digest-order")


def test_certify_again(machine):
    assert machine.certify(0.5).risk < machine.certificate_.risk
    assert machine.certify(n_choices=5).risk > machine.certificate_.risk
    with pytest.raises(ValueError, match="had no part in training, got 5 of 5 rows"):
        machine.certify(X=DATA.X[:5], y=DATA.y[:5])
    fresh = DATA.X[:50] + 1000.0
    held = machine.certify(X=fresh, y=machine.predict(fresh))
    assert held.bound == "held-out"
    assert held.n_errors == 0
    with pytest.raises(ValueError, match="`bound` must be one of 'auto', 'held-out'"):
        machine.certify(bound="kl")


def test_both_kinds_of_error_are_limited(machine):
    outside = np.setdiff1d(np.arange(len(DATA.y)), machine.held_back_)
    guess, truth = machine.predict(DATA.X[outside]), DATA.y[outside]
    for name, label in zip(
        ("false_positive_given_negative", "false_negative_given_positive"),
        machine.classes_,
        strict=True,
    ):
        of = truth == label
        k, n = int(np.sum(guess[of] != truth[of])), int(of.sum())
        limit = binomial_tail_inverse(k, n, -machine.certificate_.nats - np.log(2.0))
        assert machine.certificate_.rate(name) == pytest.approx(float(limit), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": -0.1}, "`tolerance` must be in"),
        ({"pool_share": 1.0}, "`pool_share` must be in"),
        ({"delta": 0.0}, "`delta` must be in"),
        ({"group_loss": "sum"}, "`group_loss` must be one of"),
        ({"random_state": "x"}, "`random_state` must be None"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        CertifiedClassifier(QUICK, **options).fit(DATA.X, DATA.y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        CertifiedClassifier(QUICK).fit(np.ones((5, 1)), np.zeros(5))


def test_one_training_row_among_new_ones_is_refused(rng):
    X, new, y = rng.normal(size=(60, 2)), rng.normal(size=(20, 2)), np.arange(60) % 2
    machine = CertifiedClassifier(["constant"]).fit(X, y)
    assert machine.certify(X=new, y=y[:20]).n_samples == 20
    with pytest.raises(ValueError, match="got 1 of 21 rows that the machine was trained on"):
        machine.certify(X=np.vstack([new, X[:1]]), y=y[:21])


class Counted(DummyClassifier):
    """Remembers how many rows it was asked about."""

    n_asked = 0

    def predict(self, X):
        Counted.n_asked += len(X)
        return super().predict(X)


def test_rows_are_labelled_once_and_a_certificate_is_computed_once(monkeypatch):
    Counted.n_asked, made = 0, []
    certify = handful.candidates.menu.certify
    monkeypatch.setattr(
        handful.candidates.menu, "certify", lambda *a, **k: made.append(a) or certify(*a, **k)
    )
    machine = CertifiedClassifier([("mine", Counted()), "constant"]).fit(DATA.X, DATA.y)
    n_folds = len(machine.held_back_)  # guesses for the rows of the pool
    assert Counted.n_asked <= n_folds + len(DATA.y) + 10  # and a few that show that it is unfitted
    asked = Counted.n_asked
    mine = machine.choose("mine")
    for _ in range(2):
        mine.explain(), mine.caution(), mine.certify(), mine.together()
        assert mine.certificate_.n_errors <= mine.n_training_errors_
    assert Counted.n_asked == asked
    assert len(made) == 1
    assert mine.n_training_errors_ == int((mine.predict(DATA.X) != DATA.y).sum())


def test_an_equal_form_is_chosen_by_its_own_name():
    X = np.arange(120.0)[:, None]
    y = (X[:, 0] > 60).astype(int)
    machine = CertifiedClassifier(["one rule", "rule list", "constant"]).fit(X, y)
    (row,) = [c for c in machine.candidates_ if c.also]
    assert (row.name, row.also) == ("one rule", ("rule list",))
    assert machine.choose("rule list").chosen_ == "one rule"
    assert "rule list: gives the same labels as one rule." in machine.explain()
