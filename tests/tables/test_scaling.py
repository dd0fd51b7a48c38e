"""Scales that were fitted to all rows are noticed, ordinary data are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from handful import (
    CertifiedClassifier,
    KernelMatchingPursuitClassifier,
    KernelPerceptron,
    LinearProgrammingMachine,
    PickToLearn,
    SetCoveringMachine,
    SupportVectorMachine,
    load_dataset,
)
from handful.tables import FittedScalingWarning, read_study, warn_of_fitted_scaling

MACHINES = {
    "SetCoveringMachine": SetCoveringMachine(random_state=0),
    "LinearProgrammingMachine": LinearProgrammingMachine(),
    "SupportVectorMachine": SupportVectorMachine(),
    "KernelPerceptron": KernelPerceptron(),
    "KernelMatchingPursuitClassifier": KernelMatchingPursuitClassifier(random_state=0),
}


@pytest.fixture
def table(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)) * [1, 5, 10] + 3, columns=["age", "size", "dose"])
    return X, np.where(X["age"] > 3, "a", "b")


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_scaler_in_front_is_noticed(name, table):
    X, y = table
    pipeline = make_pipeline(StandardScaler(), MACHINES[name])
    with pytest.warns(FittedScalingWarning, match="mean 0 and standard deviation 1 over all rows"):
        pipeline.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FittedScalingWarning)
        MACHINES[name].fit(X, y)


def test_the_next_step_and_the_column_are_named(table):
    X, y = table
    X = X.assign(size=(X["size"] - X["size"].mean()) / X["size"].std())  # ddof = 1
    with pytest.warns(FittedScalingWarning, match=r"Column 1 \(size\).*PickToLearn"):
        SetCoveringMachine(random_state=0).fit(X, y)


def test_stumps_do_not_care(table):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("error", FittedScalingWarning)
        SetCoveringMachine("stumps", random_state=0).fit(StandardScaler().fit_transform(X), y)


def test_whitening_missing_values_and_constant_norms(table, rng):
    X = table[0].to_numpy()
    holed = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    for seen in (
        PCA(2, whiten=True).fit_transform(X),
        StandardScaler().fit_transform(holed),
        Normalizer().fit_transform(X),
    ):
        with pytest.warns(FittedScalingWarning):
            warn_of_fitted_scaling(seen)


def test_no_false_alarm(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("breastw", "haberman-294", "glass-2class"):
            warn_of_fitted_scaling(load_dataset(name).X)
        for X in (load_iris().data, load_wine().data):
            warn_of_fitted_scaling(X)
        for n in range(1, 9):
            for _ in range(200):
                warn_of_fitted_scaling(rng.choice([-1.0, 1.0], size=(n, 3)))
                warn_of_fitted_scaling(rng.integers(-2, 3, size=(n, 3)).astype(float))
                warn_of_fitted_scaling(rng.integers(-4, 5, size=(n, 2)) / 4)
                warn_of_fitted_scaling(rng.normal(size=(n, 2)))
                warn_of_fitted_scaling(rng.normal(size=(n, 2)).round(1))
        warn_of_fitted_scaling(np.eye(4)[rng.integers(0, 4, 30)])
        warn_of_fitted_scaling(np.full((5, 2), 0.3))
        warn_of_fitted_scaling(np.zeros((0, 2)))


def test_a_scaler_that_saw_the_picks_alone_is_fine(table):
    X, y = table
    pipeline = make_pipeline(StandardScaler(), SupportVectorMachine())
    with warnings.catch_warnings():
        warnings.simplefilter("error", FittedScalingWarning)
        PickToLearn(pipeline).fit(X, y)


MENU = CertifiedClassifier(["constant", "one rule", "linear"])


@pytest.mark.filterwarnings("ignore:age. it alone gives the target:handful.tables.TableCaution")
@pytest.mark.parametrize("words", [False, True], ids=["numbers", "with words"])
def test_a_scaler_in_front_of_a_menu_is_noticed(words, table):
    X, y = table
    scaled = X.assign(**{name: StandardScaler().fit_transform(X[[name]])[:, 0] for name in X})
    if words:
        X, scaled = (frame.assign(sex=np.where(y == "a", "f", "m")) for frame in (X, scaled))
    message = r"Column 0 \(age\) has mean 0 and standard deviation 1 .*`candidates`"
    with pytest.warns(FittedScalingWarning, match=message):
        MENU.fit(scaled, y)
    if not words:
        with pytest.warns(FittedScalingWarning, match="over all rows"):
            make_pipeline(StandardScaler(), MENU).fit(X, y)
    inside = CertifiedClassifier(
        [("mine", make_pipeline(StandardScaler(), LogisticRegression())), "one rule"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", FittedScalingWarning)
        MENU.fit(X, y)
        if not words:
            inside.fit(X, y)  # the scaler learns from the pool alone


def test_the_first_screen_names_a_scaled_column_of_a_file(table, tmp_path):
    X, y = table
    scaled = X.assign(dose=StandardScaler().fit_transform(X[["dose"]])[:, 0])
    for frame, n_cautions in ((X, 0), (scaled, 1)):
        study = read_study(frame.assign(outcome=y))
        said = [text for text in study.cautions if "mean 0 and standard deviation 1" in text]
        assert len(said) == n_cautions
        if said:
            assert "dose" in said[0]
            assert "does not hold" in said[0]


@pytest.mark.filterwarnings("ignore:age. it alone gives the target:handful.tables.TableCaution")
def test_what_cannot_be_noticed_is_an_assumption(table):
    """Target encoding on all rows: noise was certified at .345; SelectKBest: .377."""
    words = " ".join(map(str, MENU.fit(*table).certificate_.assumptions))
    for step in ("scaling", "target encoding", "choice of columns"):
        assert step in words
