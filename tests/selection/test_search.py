"""BoundSearch: what it chooses, what it pays, what it refuses."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import (
    BoundSearch,
    DecisionListMachine,
    KernelMatchingPursuitClassifier,
    PickToLearn,
    SetCoveringMachine,
)
from handful.bounds import NotCertifiableError, held_out_bound
from handful.datasets import make_axis_rules
from handful.selection.bound_search import count_groups


@pytest.fixture(scope="module")
def data():
    return make_axis_rules(120, random_state=0)


GRID = {"rules": ["stumps", "balls"], "penalty": [0.7, 1.0, 2.0]}


def test_it_takes_the_smallest_certificate_and_pays_for_the_families(data):
    X, y = data
    base = SetCoveringMachine(candidates=30, random_state=1)
    search = BoundSearch(base, param_grid=GRID, delta=0.1).fit(X, y)
    one_by_one = []
    for rules in GRID["rules"]:
        for penalty in GRID["penalty"]:
            machine = SetCoveringMachine(rules, penalty=penalty, candidates=30, random_state=1)
            one_by_one.append(machine.fit(X, y).certify(0.1 / 2).risk)
    assert search.certificate_.risk == min(one_by_one)
    assert search.certificate_.delta == 0.1
    assert search.certificate_.nats == pytest.approx(
        search.best_estimator_.certify(0.1).nats + math.log(2.0)
    )
    assert search.certify().risk == search.certificate_.risk
    assert len(search.results_) == 6
    assert search.results_["is_best"].sum() == 1
    assert (search.predict(X) == search.best_estimator_.predict(X)).all()


def test_free_parameters_cost_nothing(data):
    X, y = data
    search = BoundSearch(
        SetCoveringMachine("stumps", candidates=30, random_state=1),
        param_grid={"penalty": [0.7, 1.0, 2.0]},
    ).fit(X, y)
    assert search.certificate_ == search.best_estimator_.certify(0.05)


SETTINGS = {
    "scales": (
        KernelMatchingPursuitClassifier(),
        [{"scale": np.linspace(1, 2, 2000) + 1e-9 * i} for i in range(50)],
    ),
    "candidates": (
        KernelMatchingPursuitClassifier(coefficients="quantised"),
        [{"candidates": np.delete(np.arange(3000), 1500 + i)} for i in range(50)],
    ),
    "pipelines": (
        PickToLearn(LogisticRegression()),
        [{"estimator": make_pipeline(StandardScaler(), SVC(C=1.0 + 1e-9 * i))} for i in range(50)],
    ),
    "memory": (
        KernelMatchingPursuitClassifier(),
        [{"memory_limit": 100.0 + i} for i in range(50)],
    ),
    "seeds": (SetCoveringMachine(), [{"random_state": i, "penalty": 1.0} for i in range(50)]),
    "callables": (
        SetCoveringMachine("half-spaces"),
        [{"kernel": lambda X, Z, i=i: X @ Z.T + i} for i in range(50)],
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_one_only_where_equality_is_proved(name):
    """Fifty settings whose texts look alike count as fifty."""
    base, settings = SETTINGS[name]
    assert count_groups(base, settings) == 50


def test_equal_settings_count_once():
    settings = [{"scale": np.linspace(1, 2, 50), "penalty": p} for p in (1.0, 2.0)]
    assert count_groups(SetCoveringMachine(), settings) == 1
    assert count_groups(KernelMatchingPursuitClassifier(), settings) == 2


def test_all_settings_share_the_pool_of_the_data(rng):
    """Were a new pool drawn for each, the best of them would be a pool that was looked for."""
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    pools = set()
    for penalty in (0.5, 0.8, 1.0, 1.3, 2.0):
        machine = SetCoveringMachine("linear", penalty=penalty).fit(X, y)
        pools |= {c.kept for c in machine.cover_.parts[0].menu.candidates if c.scheme == "pool"}
    assert len(pools) == 1
    pursuits = [KernelMatchingPursuitClassifier(memory_limit=m).fit(X, y) for m in (0.0, 1.0, 9.0)]
    assert len({tuple(machine.held_back_) for machine in pursuits}) == 1


def test_by_cross_validation_agrees_with_grid_search(data):
    X, y = data
    grid = {"C": [0.01, 1.0, 100.0]}
    ours = BoundSearch(LogisticRegression(), param_grid=grid, by="cv", cv=5).fit(X, y)
    theirs = GridSearchCV(LogisticRegression(), grid, cv=5).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(1.0 - theirs.best_score_)
    assert ours.certificate_ is None
    with pytest.raises(NotCertifiableError, match="no `certify`"):
        ours.certify()


def test_it_says_what_is_missing(data):
    X, y = data
    with pytest.raises(NotCertifiableError, match="LogisticRegression cannot be certified"):
        BoundSearch(LogisticRegression(), param_grid={"C": [1.0]}).fit(X, y)
    machine = SetCoveringMachine("stumps", candidates=20, random_state=0)
    with pytest.raises(ValueError, match="`by` must be"):
        BoundSearch(machine, param_grid={"penalty": [1.0]}, by="span").fit(X, y)
    with pytest.raises(ValueError, match="`delta` must be"):
        BoundSearch(machine, param_grid={"penalty": [1.0]}, delta=0.0).fit(X, y)


@pytest.mark.thorough
def test_parallel_fits_are_the_same(data):
    X, y = data
    base = DecisionListMachine(candidates=30, random_state=1)
    grid = {"rules": ["stumps", "balls"]}
    one, two = (BoundSearch(base, param_grid=grid, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.certificate_ == two.certificate_


class _Toy:
    """A machine whose certificate is a coin: only its protocol matters."""

    def __init__(self, value=0):
        self.value = value

    def get_params(self, deep=True):
        return {"value": self.value}

    def set_params(self, **values):
        self.__dict__.update(values)
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def certify(self, delta=0.05):
        return held_out_bound(100, int(self.value), delta=delta)

    def criterion(self, name):
        return -self.value if name == "largest" else math.nan


def test_criteria_choose_and_the_certificate_still_pays(data):
    X, y = data
    search = BoundSearch(_Toy(), param_grid={"value": [1, 5, 3]}, by="largest").fit(X, y)
    assert search.best_params_ == {"value": 5}
    assert search.certificate_.risk == held_out_bound(100, 5, delta=0.05 / 3).risk
    # nothing is certified but the choice, so an undefined criterion leaves the first setting
    assert BoundSearch(_Toy(), param_grid={"value": [2, 1]}, by="nan").fit(X, y).best_params_ == {
        "value": 2
    }


class _Undecided(_Toy):
    """Criteria that are equal or undefined."""

    def fit(self, X, y):
        self.support_ = np.arange(int(self.value))
        return super().fit(X, y)

    def criterion(self, name):
        return 1.0 if name == "equal" or self.value != 7 else math.nan


def test_ties_go_to_fewer_support_vectors_and_undefined_criteria_last(data):
    search = BoundSearch(_Undecided(), param_grid={"value": [7, 5, 3, 4]}, by="equal").fit(*data)
    assert search.best_params_ == {"value": 3}
    search = BoundSearch(_Undecided(), param_grid={"value": [7, 9]}, by="some undefined").fit(*data)
    assert search.best_params_ == {"value": 9}


def test_cross_validation_pays_for_what_it_chose_from(data):
    base = SetCoveringMachine(candidates=30, random_state=1)
    search = BoundSearch(
        base, param_grid={"rules": ["stumps", "balls"]}, by="cv", cv=2, delta=0.1
    ).fit(*data)
    alone = search.best_estimator_.certify(0.1 / 2).risk
    assert search.certificate_.risk == alone == search.certify().risk
    assert search.certificate_.risk > search.best_estimator_.certify(0.1).risk
