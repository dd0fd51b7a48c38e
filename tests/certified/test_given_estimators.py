"""Estimators of the user on a menu: none may have learned before, and none draws at random."""

from __future__ import annotations

import functools
import hashlib
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, TunedThresholdClassifierCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from handful import CertifiedClassifier, NonconformityClassifier, PickToLearn
from handful.files import Retraining, beside, save_model, untrusted_types
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model


def noise(rng, n=300):
    """Labels are coins: every certificate below one half is wrong."""
    return rng.normal(size=(n, 3)), (rng.random(n) < 0.5).astype(int)


class FromFile(ClassifierMixin, BaseEstimator):
    """A model that was trained elsewhere and is loaded when it is made."""

    def __init__(self, memory=None):
        self.memory = memory

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array([self.memory.get(np.round(row, 9).tobytes(), 0) for row in np.asarray(X)])


class Remembering(ClassifierMixin, BaseEstimator):
    """Keeps a trained model among its parameters, where `clone` copies it as it is."""

    def __init__(self, models=None):
        self.models = models

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.models["old"].predict(X)


def fitted_kinds(X, y):
    """Estimators that still know all rows of X and y after `clone`."""
    near = KNeighborsClassifier(1).fit(X, y)
    frozen = FrozenEstimator(near)
    memory = {np.round(row, 9).tobytes(): label for row, label in zip(X, y, strict=True)}
    whole = FunctionTransformer(near.predict_proba)
    said = FunctionTransformer(functools.partial(_said_by, near))
    grid = {"votingclassifier__a": [frozen]}
    voting = make_pipeline(VotingClassifier([("a", KNeighborsClassifier()), ("b", frozen)]))
    return {
        "frozen": frozen,
        "in a pipeline": make_pipeline(StandardScaler(), FrozenEstimator(near)),
        "in a list": VotingClassifier([("a", frozen), ("b", DecisionTreeClassifier())]),
        "in a grid": GridSearchCV(voting.set_params(votingclassifier__b="drop"), grid),
        "transformer": make_pipeline(FrozenEstimator(PCA(2).fit(X)), LogisticRegression()),
        "columns": make_pipeline(
            ColumnTransformer([("p", FrozenEstimator(PCA(2).fit(X)), [0, 1, 2])]),
            LogisticRegression(),
        ),
        "calibrated": CalibratedClassifierCV(frozen),
        "prefit stack": StackingClassifier([("a", near)], cv="prefit"),
        "prefit threshold": TunedThresholdClassifierCV(near, cv="prefit", refit=False),
        "prefit selection": make_pipeline(
            SelectFromModel(DecisionTreeClassifier().fit(X, y), prefit=True), LogisticRegression()
        ),
        "from a file": FromFile(memory),
        "from a file, in a pipeline": make_pipeline(FunctionTransformer(), FromFile(memory)),
        "in a dictionary": Remembering({"old": SimpleNamespace(predict=near.predict)}),
        "bound method": make_pipeline(whole, LogisticRegression()),
        "partial": make_pipeline(said, LogisticRegression()),
    }


def _said_by(model, X):
    return model.predict_proba(X)


KINDS = sorted(fitted_kinds(*noise(np.random.default_rng(0), 20)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_candidate_that_is_fitted_already_is_refused(kind, rng):
    X, y = noise(rng)
    given = fitted_kinds(X, y)[kind]
    with pytest.raises(ValueError, match=r"`candidates`: 'mine' is fitted already.*Pass it unfit"):
        CertifiedClassifier([("mine", given), "constant"]).fit(X, y)


def test_so_is_one_on_the_table_road_and_in_machines_that_train_again(rng):
    X, y = noise(rng, 80)
    frozen = FrozenEstimator(KNeighborsClassifier(1).fit(X, y))
    study = read_study(pd.DataFrame(X, columns=list("abc")).assign(y=y))
    with pytest.raises(ValueError, match="'mine' is fitted already"):
        CertifiedClassifier([("mine", frozen)]).fit(study)
    with pytest.raises(ValueError, match=r"`estimator`: .*is fitted already"):
        PickToLearn(frozen).fit(X, y)
    with pytest.raises(ValueError, match=r"`estimator`: .*is fitted already"):
        NonconformityClassifier([("mine", frozen)]).fit(X, y)


@pytest.mark.parametrize(
    "given",
    [
        KNeighborsClassifier(1).fit([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [0, 1]),  # clone forgets
        make_pipeline(Normalizer(), FunctionTransformer(np.abs), LogisticRegression()),
        GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()),
                     {"logisticregression__C": [0.1, 1.0]}),
        CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2), cv=3),
        VotingClassifier([("a", LogisticRegression()), ("b", "drop")]),
    ],
    ids=lambda e: type(e).__name__,
)  # fmt: skip
def test_what_forgets_and_what_never_learns_is_welcome(given, rng):
    X, y = noise(rng, 120)
    machine = CertifiedClassifier([("mine", given), "constant"]).fit(X, y)
    assert "mine" in machine.menu_.index, machine.failures_
    assert not machine.failures_


def rewritten(path, content):
    """A model file that names another file beside it, under hashes that fit."""
    beside(path).write_bytes(content)
    document = json.loads(path.read_text())
    document["training"]["estimators_sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(to_text(document))


def test_the_re_check_refuses_a_file_whose_estimator_is_fitted_already(rng, tmp_path):
    skops = pytest.importorskip("skops.io", reason="the extra handful[skops] is not installed")
    X, y = noise(rng, 120)
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    study = read_study(frame)
    machine = CertifiedClassifier([("mine", LogisticRegression()), "constant"]).fit(study)
    path = tmp_path / "m.json"
    save_model(machine.choose("constant"), path, include_rows=True)
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "VALID"
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    content = skops.dumps({"fitted": [], "candidates": {"mine": frozen}})
    rewritten(path, content)
    named = skops.get_untrusted_types(data=content)
    verdict = verify_model(path, frame, library=Retraining(path, frame, named))
    assert verdict.status == "NOT VALID"
    assert any("'mine' is fitted already" in text for text in verdict.differences)


def random_menu(given, X, y):
    machine = CertifiedClassifier([("mine", given), "one rule"]).fit(X, y)
    assert not machine.failures_
    return machine.menu_.drop(columns="seconds").to_csv(), machine.predict(X).tolist()


SEEDLESS = {
    "forest": RandomForestClassifier(5),
    "nested": make_pipeline(StandardScaler(), RandomForestClassifier(5, max_features=1)),
    "in a grid, shuffled": GridSearchCV(
        make_pipeline(DecisionTreeClassifier(max_features=1)),
        {"decisiontreeclassifier__max_depth": [1, 2, 4]},
        cv=StratifiedKFold(3, shuffle=True),
    ),
    "in a list": VotingClassifier(
        [(f"t{k}", DecisionTreeClassifier(max_features=1, splitter="random")) for k in range(3)]
    ),
}


@pytest.mark.parametrize("kind", sorted(SEEDLESS))
def test_an_estimator_without_a_seed_gives_one_menu(kind, rng):
    X, y = noise(rng, 100)
    first = random_menu(SEEDLESS[kind], X, y)
    assert all(random_menu(SEEDLESS[kind], X, y) == first for _ in range(3))
    order = rng.permutation(100)  # the pool is the same set of rows, in whatever order
    assert random_menu(SEEDLESS[kind], X[order], y[order])[0] == first[0]


@pytest.mark.thorough
def test_thirty_runs_give_one_menu(rng):
    X, y = noise(rng, 200)
    given = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    assert len({random_menu(given, X, y)[0] for _ in range(30)}) == 1


def test_a_seed_of_the_user_stays_and_the_estimator_itself_is_not_changed(rng):
    X, y = noise(rng, 100)
    own = RandomForestClassifier(3, random_state=7)
    open_ = RandomForestClassifier(3)
    machine = CertifiedClassifier([("own", own), ("open", open_)]).fit(X, y)
    seeds = {c.name: c.fitted.machine.estimator.random_state for c in machine.candidates_}
    assert seeds["own"] == 7
    assert isinstance(seeds["open"], int)
    assert open_.random_state is None


def test_the_re_check_draws_the_same_seed(rng, tmp_path):
    pytest.importorskip("skops", reason="the extra handful[skops] is not installed")
    X, y = noise(rng, 120)
    frame = pd.DataFrame(X.round(3), columns=list("abc")).assign(y=y)
    study = read_study(frame)
    tree = DecisionTreeClassifier(max_features=1, splitter="random")
    folds = StratifiedKFold(3, shuffle=True)
    for given in (make_pipeline(StandardScaler(), tree), GridSearchCV(tree, {}, cv=folds)):
        path = tmp_path / f"{type(given).__name__}.json"
        save_model(CertifiedClassifier([("mine", given)]).fit(study), path, include_rows=True)
        retraining = Retraining(path, frame, untrusted_types(path))
        for _ in range(3):
            verdict = verify_model(path, frame, library=retraining)
            assert verdict.status == "VALID", (verdict.differences, verdict.unverified)
