"""The two machines as a user meets them: labels, frames, pipelines, files, words."""

from __future__ import annotations

import inspect
import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from handful import DecisionListMachine, SetCoveringMachine, load_dataset
from handful.bounds import Term, binomial_tail_inverse
from handful.datasets import make_axis_rules, make_two_norm
from handful.models import RuleList, RuleSet, WeightedSum
from handful.tables import RowDigests
from tests.rules.cases import SHAPES, messy

MACHINES = [SetCoveringMachine, DecisionListMachine]
FIXED = {"rules": "stumps", "candidates": None}


@pytest.fixture(scope="module")
def data():
    return make_axis_rules(120, random_state=3)


def linear_truth(rng, n=400):
    """Data on which a regression is hard to beat."""
    X = rng.normal(size=(n, 6))
    return X, np.where(X @ np.array([1.0, -1.0, 0.8, 0.6, -0.7, 0.9]) > 0.0, "yes", "no")


@pytest.mark.parametrize("make", [SetCoveringMachine, DecisionListMachine])
def test_by_default_no_regression_answers(make, rng):
    machine = make().fit(*linear_truth(rng))
    path = machine.path_
    assert "plain" not in set(path["scheme"])
    assert not any("linear" in family for family in path["family"])
    origins = [getattr(rule, "origin", "") for rule in machine.rules_]
    assert not any("regression" in origin for origin in origins)


def test_a_regression_answers_where_it_is_asked_for(rng):
    X, y = linear_truth(rng)
    asked = SetCoveringMachine("linear").fit(X, y)
    listed = SetCoveringMachine(["stumps", "linear"]).fit(X, y)
    assert "plain" in set(asked.path_["scheme"])
    assert "plain" in set(listed.path_["scheme"])
    assert asked.certificate_.risk < SetCoveringMachine().fit(X, y).certificate_.risk


def test_all_families_of_examples_are_tried_by_default(rng):
    path = SetCoveringMachine().fit(*linear_truth(rng)).path_
    coded = set(path.loc[path["scheme"] == "compression", "family"])
    assert coded == {"stumps", "balls", "half-spaces", "two-point"}


def test_labels_of_any_type(data):
    X, y = data
    plain = SetCoveringMachine(**FIXED).fit(X, y)
    for names in (["ill", "well"], [False, True], [3.0, 7.0], [10, 2**40]):
        labels = np.array(names)[(y + 1) // 2]
        machine = SetCoveringMachine(**FIXED).fit(X, labels)
        assert machine.classes_.tolist() == np.unique(labels).tolist()
        np.testing.assert_array_equal(
            machine.predict(X) == machine.classes_[1], plain.predict(X) > 0
        )
        assert machine.certificate_.risk == plain.certificate_.risk


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize("module", [pd, pl])
def test_frames_name_the_features(make, module, data):
    X, y = data
    frame = module.DataFrame({f"f{j}": X[:, j] for j in range(X.shape[1])})
    machine = make(random_state=0, max_rules=2, penalty=1.0).fit(frame, y)
    plain = make(random_state=0, max_rules=2, penalty=1.0).fit(X, y)
    assert machine.feature_names_in_.tolist() == [f"f{j}" for j in range(X.shape[1])]
    np.testing.assert_array_equal(machine.predict(frame), plain.predict(X))
    assert "f0" in machine.explain() or "f1" in machine.explain()
    assert "x0" not in machine.explain()


def mixed_frame(rng, m=90):
    colour = rng.choice(["red", "green", "blue"], m)
    size = rng.normal(size=m).round(2)
    y = np.where((colour == "red") | (rng.random(m) < 0.1), "yes", "no")
    return {"colour": colour.tolist(), "size": size.tolist()}, y


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize("module", [pd, pl])
def test_words_are_compared_by_equality(make, module, rng):
    columns, y = mixed_frame(rng)
    columns["colour"][0] = None
    frame = module.DataFrame(columns)
    machine = make(random_state=0).fit(frame, y)
    assert "red" in machine.explain()
    assert machine.certificate_.risk < 0.3
    flipped = frame[["size", "colour"]]  # columns are found by name
    np.testing.assert_array_equal(machine.predict(flipped), machine.predict(frame))
    with pytest.raises(ValueError, match="lacks \\['size'\\]"):
        machine.predict(frame[["colour"]])


def test_a_category_never_seen_before_obeys_the_rule(rng):
    """An identifier is different from every other, in new data too."""
    m = 200
    names = [f"id{i}" for i in range(2 * m)]
    y = np.where(rng.random(2 * m) < 0.85, 1, -1)
    train = pd.DataFrame({"name": names[:m]})
    machine = SetCoveringMachine(rules="stumps", kind="disjunction", max_rules=1, candidates=None)
    machine.fit(train, y[:m])
    new = machine.predict(pd.DataFrame({"name": names[m:]}))
    assert machine.rules_[0].op == "≠"
    assert (new != y[m:]).mean() <= machine.certificate_.risk


def test_missing_values_satisfy_no_rule(rng):
    X, y = make_axis_rules(100, random_state=1)
    X[rng.random(X.shape) < 0.1] = math.nan
    for options in ({}, {"rules": "stumps"}, {"candidates": None}):
        machine = SetCoveringMachine(random_state=0, **options).fit(X, y)
        nothing = np.full((1, X.shape[1]), math.nan)
        assert machine.rules_
        # neither kind says yes to an empty row
        assert machine.predict(nothing)[0] == machine.classes_[0]
        assert np.sign(machine.decision_function(X)).tolist() == machine.predict(X).tolist()


@pytest.mark.parametrize("rules", ["balls", "half-spaces", "two-point", ["stumps", "balls"]])
def test_other_rules_refuse_missing_values_with_the_next_step(rules, data):
    X, y = data[0].copy(), data[1]
    X[0, 0] = math.nan
    with pytest.raises(ValueError, match="only stumps can use"):
        SetCoveringMachine(rules=rules).fit(X, y)
    frame = pd.DataFrame({"word": ["a", "b"] * 60, "x": data[0][:, 0]})
    with pytest.raises(ValueError, match=r"\(categories\), which only stumps can use"):
        SetCoveringMachine(rules=rules).fit(frame, y)
    machine = SetCoveringMachine(rules=rules, max_rules=1, candidates=20).fit(*data)
    with pytest.raises(ValueError, match="NaN"):
        machine.predict(X)


WEIGHTED = [
    (SetCoveringMachine, {}),
    (SetCoveringMachine, {"rules": "stumps", "candidates": None}),
    (SetCoveringMachine, {"rules": "balls", "candidates": None}),
    (SetCoveringMachine, {"rules": "half-spaces", "candidates": None, "max_rules": 2}),
    (SetCoveringMachine, {"rules": ["stumps", "balls"], "candidates": None}),
    (DecisionListMachine, {"candidates": None}),
]


@pytest.mark.parametrize(("make", "options"), WEIGHTED)
def test_weights_do_not_lower_certificates(make, options, data):
    """Every example counts once: equal weights, however large, change nothing."""
    X, y = data
    plain = make(**options).fit(X, y)
    heavy = make(**options).fit(X, y, sample_weight=np.full(len(y), 2.0))
    assert heavy.n_samples_ == len(y)
    assert heavy.certificate_ == plain.certificate_
    np.testing.assert_array_equal(heavy.predict(X), plain.predict(X))


@pytest.mark.parametrize(("make", "options"), WEIGHTED)
def test_weights_steer_the_search_and_errors_are_counted_plainly(make, options, rng):
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    odd = rng.random(120) < 0.3
    y[odd] = np.where(X[odd, 1] > 0, 1, -1)
    weight = np.where(odd, 25.5, 0.5)
    machine = make(**options).fit(X, y, sample_weight=weight)
    wrong = machine.predict(X) != y
    kept = np.isin(np.arange(120), machine.held_back_)
    assert machine.certificate_.n_errors == int((wrong & ~kept).sum())
    assert machine.certificate_.n_samples == 120
    if "candidates" in options:
        plain = make(**options).fit(X, y)
        assert np.mean(wrong[odd]) < np.mean(plain.predict(X[odd]) != y[odd])


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize("rules", ["stumps", "balls", "half-spaces", "two-point"])
def test_odd_data_are_survived(make, rules, rng):
    X, y = messy(rng, "grid", m=20)
    cases = {
        "constant columns": (np.ones((20, 2)), y),
        "one constant column": (np.column_stack([X, np.ones(20)]), y),
        "contradictory": (np.repeat(X[:10], 2, axis=0), np.tile([1, -1], 10)),
        "two examples": (X[:2], y[:2]),
        "one of a class": (X, np.where(np.arange(20) == 3, 1, -1)),
        "tiny": (X * 1e-200, y),
        "mixed scales": (X * np.array([1e-100, 1e100]), y),
    }
    for name, (points, labels) in cases.items():
        for candidates in ("auto", None):
            machine = make(rules=rules, candidates=candidates, random_state=0)
            machine.fit(points, labels)
            wrong = machine.predict(points) != labels
            assert machine.n_training_errors_ == wrong.sum(), name
            n_counted = len(labels) - len(machine.compression_set_)
            k, nats = machine.n_errors_, machine.certificate_.nats
            assert k == np.delete(wrong, machine.compression_set_).sum(), name
            risk = float(binomial_tail_inverse(k, n_counted, -nats)) if n_counted else 1.0
            assert machine.certificate_.risk == pytest.approx(risk, rel=1e-9), name
            np.testing.assert_array_equal(
                np.sign(machine.decision_function(points)), machine.predict(points), err_msg=name
            )


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_default_does_not_depend_on_the_scale(size):
    X, y = make_two_norm(100, n_features=2, random_state=0)
    same = RowDigests.of(X, y)
    plain = SetCoveringMachine(rules="stumps", random_state=same).fit(X, y)
    scaled = SetCoveringMachine(rules="stumps", random_state=same).fit(X * size, y)
    assert scaled.certificate_.risk == plain.certificate_.risk
    auto = SetCoveringMachine(random_state=0).fit(X * size, y)
    assert auto.certificate_.risk < 0.5
    assert np.isfinite(auto.decision_function(X * size)).all()
    if size > 1:
        with pytest.raises(ValueError, match="`X` has values above 1e\\+150"):
            SetCoveringMachine(rules="balls").fit(X * size, y)


@pytest.mark.parametrize("make", MACHINES)
def test_one_class_or_one_example_is_refused(make):
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(ValueError, match="only one class is present"):
        make().fit(X, np.ones(5))
    with pytest.raises(ValueError, match="only one class is present"):
        make().fit(X[:1], [1])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "options", [{}, {"rules": "balls", "candidates": None}, {"rules": ["stumps", "balls"]}], ids=str
)
def test_threads_and_seeds(options, monkeypatch, data):
    monkeypatch.setattr("handful.rules.table._PARALLEL", 1)
    fitted = [
        SetCoveringMachine(n_jobs=n, random_state=seed, **options).fit(*data)
        for n, seed in ((1, 0), (2, 0), (None, np.random.RandomState(0)))
    ]
    first, second, third = fitted
    assert first.rules_ == second.rules_
    assert first.certificate_ == second.certificate_
    pd.testing.assert_frame_equal(first.path_, second.path_)
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    same = SetCoveringMachine(random_state=seed, **options).fit(*data)
    assert third.certificate_ == same.certificate_


def test_a_generator_gives_a_seed(data):
    drawn = SetCoveringMachine(random_state=np.random.default_rng(5)).fit(*data)
    again = SetCoveringMachine(random_state=drawn.draw_.seed).fit(*data)
    assert drawn.certificate_ == again.certificate_


@pytest.mark.parametrize("rules", ["auto", "stumps", "balls", "half-spaces", ["stumps", "balls"]])
def test_the_order_of_the_rows_does_not_matter(rules, rng):
    for shape in SHAPES:
        X, y = messy(rng, shape, m=26)
        order = rng.permutation(26)
        here = SetCoveringMachine(rules=rules, candidates=None).fit(X, y)
        there = SetCoveringMachine(rules=rules, candidates=None).fit(X[order], y[order])
        new = rng.normal(size=(50, 2)) * 2
        np.testing.assert_array_equal(here.predict(new), there.predict(new))
        assert here.certificate_.risk == there.certificate_.risk


@pytest.mark.parametrize(
    "options",
    [{}, {"rules": "half-spaces", "candidates": 20}, {"rules": "linear"}, {"max_rules": 2}],
    ids=str,
)
def test_signs_agree_with_predictions(options, data, rng):
    machine = SetCoveringMachine(random_state=0, **options).fit(*data)
    X = rng.random((300, data[0].shape[1])) * 1.4 - 0.2
    np.testing.assert_array_equal(np.sign(machine.decision_function(X)), machine.predict(X))
    np.testing.assert_array_equal(machine.fitted_.scores(X), machine.decision_function(X))


def twice(X):
    return 2.0 * X


def test_pipelines_and_searches(data):
    X, y = data
    pipeline = make_pipeline(FunctionTransformer(twice), SetCoveringMachine(**FIXED))
    np.testing.assert_array_equal(
        pipeline.fit(X, y).predict(X), SetCoveringMachine(**FIXED).fit(X, y).predict(X)
    )
    search = GridSearchCV(SetCoveringMachine(**FIXED), {"max_rules": [1, 2]}, cv=3).fit(X, y)
    assert search.best_params_["max_rules"] in (1, 2)
    assert cross_val_score(SetCoveringMachine(**FIXED), X, y, cv=3).mean() > 0.6


@pytest.mark.parametrize("make", MACHINES)
def test_clones_and_pickles(make, data):
    X, y = data
    machine = make(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert again.certify(0.1) == machine.certify(0.1)
    assert again.explain() == machine.explain()
    assert len(again.path_) == len(machine.path_)
    copy = clone(machine)
    assert not hasattr(copy, "_cover")
    assert copy.get_params() == machine.get_params()


@pytest.mark.parametrize("make", MACHINES)
def test_init_only_stores(make):
    values = {name: object() for name in inspect.signature(make).parameters}
    assert all(getattr(make(**values), name) is value for name, value in values.items())


def test_precomputed_equals_linear(rng):
    X, y = make_two_norm(40, n_features=3, random_state=2)
    new = rng.normal(size=(60, 3))
    for rules in ("half-spaces", "two-point"):
        options = {"rules": rules, "candidates": None, "random_state": 0}
        plain = SetCoveringMachine(**options).fit(X, y)
        given = SetCoveringMachine(kernel="precomputed", **options).fit(X @ X.T, y)
        assert given.certificate_.risk == plain.certificate_.risk
        again = given.fitted_.machine.changed(lambda c: replace(c, value=_weights(c, X)))
        np.testing.assert_array_equal(given.predict(new @ X.T) > 0, again.labels(new) == 1)


def _weights(condition, X):
    """A condition on two columns of a kernel matrix as one on the features themselves."""
    a, b = condition.value.columns
    return WeightedSum(tuple(X[a] - X[b]))


def chi_kernel(X, Z):
    return (1.0 + X @ Z.T) ** 2


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": 2.0},
        {"kernel": "poly"},
        {"kernel": chi_kernel},
    ],
    ids=["rbf", "rbf-2", "poly", "callable"],
)
@pytest.mark.parametrize("rules", ["half-spaces", "two-point"])
def test_kernels(rules, options, rng):
    X = rng.normal(size=(60, 2))
    y = np.where((X**2).sum(axis=1) < 1.4, 1, -1)
    machine = SetCoveringMachine(rules=rules, candidates=None, **options).fit(X, y)
    assert machine.n_training_errors_ < 20
    assert {rule.value.kernel for rule in machine.rules_} != set()
    np.testing.assert_array_equal(np.sign(machine.decision_function(X)), machine.predict(X))


def test_a_kernel_grid_is_paid_for(rng):
    X, y = make_two_norm(60, n_features=2, random_state=2)
    options = {"rules": "half-spaces", "kernel": "rbf", "candidates": 20, "random_state": 0}
    alone = [SetCoveringMachine(gamma=g, **options).fit(X, y).path_ for g in (0.1, 1.0)]
    grid = SetCoveringMachine(gamma=[0.1, 1.0], **options).fit(X, y)
    best = min(path["certificate"].min() for path in alone)
    assert grid.certificate_.risk > best
    assert Term("kernel", "choice among 2 kernels", math.log(2)) in grid.certificate_.terms
    assert len(grid.path_) >= max(len(path) for path in alone)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "kernel"])
def test_metrics(metric, rng):
    X = rng.normal(size=(60, 2))
    y = np.where(np.abs(X).max(axis=1) < 0.9, 1, -1)
    machine = SetCoveringMachine(
        rules="balls", metric=metric, kernel="rbf", candidates=None, kind="conjunction"
    ).fit(X, y)
    assert machine.n_training_errors_ < 20
    if metric == "chebyshev":
        assert machine.n_training_errors_ <= 12


def test_costs_move_the_errors(data):
    X, y = data
    rates = {}
    for costs in ((1.0, 20.0), (20.0, 1.0)):
        machine = SetCoveringMachine(costs=costs, random_state=0).fit(X, y)
        assert machine.certificate_.bound == "cost"
        assert machine.certificate_.risk <= 20.0
        rates[costs] = (machine.predict(X) > 0).mean()
    assert rates[(1.0, 20.0)] > rates[(20.0, 1.0)]
    with pytest.raises(ValueError, match="`costs` needs two classes, got 3"):
        SetCoveringMachine(costs=(1.0, 2.0)).fit(X, np.arange(120) % 3)


def test_the_readable_side(data):
    X, y = data
    machine = SetCoveringMachine(max_rules=2, **FIXED).fit(X, y)
    rules = machine.get_rules()
    examples = {i for rule in machine.rules_ for i in rule.examples}
    assert {i for own in rules["examples"] for i in own} == examples
    assert machine.explain().startswith("If ")
    assert machine.certificate_.explain() in machine.explain()
    for rule, same in zip(machine.rules_, machine.equivalent_rules(X), strict=True):
        for other in same:
            np.testing.assert_array_equal(other.is_met(X), rule.is_met(X))


def test_published_data_are_certified_as_before():
    """Certificates on the embedded sets stay below what plain machines reach."""
    limits = {"breastw": 0.09, "haberman-294": 0.34, "bupa": 0.46, "glass": 0.44}
    for name, limit in limits.items():
        loaded = load_dataset(name)
        machine = SetCoveringMachine(random_state=0).fit(loaded.X, loaded.y)
        assert machine.certificate_.risk < limit, name


def test_lists_are_lists(data):
    machine = DecisionListMachine(random_state=0, max_rules=2).fit(*data)
    assert isinstance(machine.fitted_.machine, RuleList)
    assert machine.explain().splitlines()[0].startswith("If ")
    assert isinstance(SetCoveringMachine(random_state=0).fit(*data).fitted_.machine, RuleSet)
