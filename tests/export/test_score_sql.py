"""Scores as SQL: what sqlite computes is what the machine predicts."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import (
    AdaBoost,
    KernelMatchingPursuitClassifier,
    KernelPerceptron,
    LinearProgrammingMachine,
    LPBoost,
    LPBoostMKL,
    MinimalComplexityMachine,
    NonconformityClassifier,
    PickToLearn,
    SupportVectorMachine,
    load_dataset,
)
from handful.export import export_python, export_sql

MACHINES = {
    "svm": SupportVectorMachine(gamma=0.05),
    "svm-poly": SupportVectorMachine("poly", degree=2, gamma=0.1, coef0=1.0),
    "perceptron": KernelPerceptron("rbf", gamma=0.5, max_passes=5),
    "adaboost": AdaBoost(n_rounds=40),
    "lpboost": LPBoost(nu=0.3),
    "mcm": MinimalComplexityMachine(),
    "lpm-rbf": LinearProgrammingMachine("rbf", gamma=0.1),
    "pursuit": KernelMatchingPursuitClassifier(n_centers=8),
    "mkl": LPBoostMKL(nu=0.3, tol=1e-3),
    "mkl-columns": LPBoostMKL(
        ["linear", {"kernel": "poly", "degree": 2, "columns": [2, 0]}], nu=0.3, tol=1e-3
    ),
    "picked": PickToLearn(make_pipeline(StandardScaler(), LogisticRegression())),
}
NAMES = ['a "b"', "it's", "select", "été"]


def _labels(machine, frame, **options):
    query = export_sql(machine, table="my table", include_rows=True, **options)
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("my table", connection, index=False)
        return [row[-1] for row in connection.execute(query)]


@pytest.mark.sample(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(MACHINES))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_those_of_the_machine(name, n_classes, rng):
    X, y = load_iris(return_X_y=True)
    X = pd.DataFrame(X, columns=NAMES)
    words = np.array(["it's", 'se"tosa', "virginica"])[y]
    keep = words != "it's" if n_classes == 2 else np.ones(150, dtype=bool)
    machine = MACHINES[name].fit(X[keep], words[keep])
    new = X.iloc[rng.integers(0, 150, 120)] * rng.normal(1.0, 0.05, size=(120, 4))
    assert _labels(machine, new) == machine.predict(new).tolist()


def test_a_missing_value_is_null_or_no_vote(rng):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=NAMES)
    new = frame.copy()
    new.iloc[::3, 2] = np.nan
    votes = AdaBoost(n_rounds=20).fit(frame[y > 0], y[y > 0])
    assert _labels(votes, new) == votes.predict(new).tolist()
    line = MinimalComplexityMachine().fit(frame[y > 0], y[y > 0])
    expected = [None if i % 3 == 0 else int(v) for i, v in enumerate(line.predict(frame))]
    assert _labels(line, new) == expected


def test_many_stumps_are_not_deep():
    data = load_dataset("breastw")
    frame = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(9)])
    machine = AdaBoost(n_rounds=400).fit(frame, data.y)
    assert _labels(machine, frame) == machine.predict(frame).tolist()
    wide = SupportVectorMachine(gamma=0.3, C=0.05).fit(frame, data.y)  # hundreds of terms
    assert len(wide.support_) > 150
    assert _labels(wide, frame) == wide.predict(frame).tolist()


def test_what_is_too_long_is_refused(rng):
    X = rng.normal(size=(120, 600))
    machine = SupportVectorMachine(gamma=0.3).fit(X, rng.integers(0, 2, 120))
    with pytest.raises(ValueError, match="at most 50000 numbers to be one formula"):
        export_sql(machine, include_rows=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_python_says_the_same_and_nothing_of_missing_values(name, rng):
    X, y = load_iris(return_X_y=True)
    machine = (
        MACHINES[name].fit(X, y) if name != "picked" else MACHINES[name].fit(X[y > 0], y[y > 0])
    )
    namespace = {}
    exec(export_python(machine, include_rows=True), namespace)
    new = X[rng.integers(0, 150, 40)] * rng.normal(1.0, 0.05, size=(40, 4))
    rows = [dict(zip(("x0", "x1", "x2", "x3"), row, strict=True)) for row in new]
    assert [namespace["predict"](row) for row in rows] == machine.predict(new).tolist()
    empty = namespace["predict"](dict.fromkeys(rows[0]))
    assert (empty is None) == (name not in ("adaboost", "lpboost"))


def test_nonconformity_has_no_formula_but_its_best_model_has(rng):
    data = load_dataset("haberman-294")
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    machine = NonconformityClassifier(param_grid={"gamma": [0.01, 0.1]}).fit(frame, data.y)
    with pytest.raises(TypeError, match="has no sums"):
        export_sql(machine, include_rows=True)
    best = machine.with_rule("best-validation")
    assert _labels(best, frame) == best.predict(frame).tolist()
