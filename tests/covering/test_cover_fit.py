"""The record of a fit: what a machine is made of, what was held back, and no data."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from handful import DecisionListMachine, SetCoveringMachine, load_dataset
from handful.bounds import held_out_bound
from handful.covering import CoverFit
from handful.tables import row_digests


@pytest.fixture(scope="module")
def breast():
    data = load_dataset("breastw")
    return data.X, data.y


def pool_of(machine, X):
    """The pool of a machine by its indices, and the spread of its columns."""
    pool = machine.held_back_
    return pool, X[pool].std(axis=0)


def test_a_half_space_of_a_pool_names_its_examples(breast):
    X, y = breast
    machine = SetCoveringMachine().fit(X, y)
    (rule,) = machine.rules_
    assert rule.kind == "linear"
    pool, spread = pool_of(machine, X)
    assert len(pool) > 100
    a, b, low, high = rule.examples
    assert {a, b, low, high} == set(machine.compression_set_.tolist()) <= set(pool.tolist())
    np.testing.assert_allclose(rule.value.weights, (X[a] - X[b]) / spread**2, rtol=1e-9)
    assert y[a] == 1
    assert y[b] == -1
    values = rule.value.of(X)
    assert 0.5 * (values[low] + values[high]) == pytest.approx(rule.cut)
    assert values[low] < rule.cut < values[high]
    between = (values[pool] > values[low] + 1e-9) & (values[pool] < values[high] - 1e-9)
    assert not between.any()


def test_a_stump_of_a_pool_lies_between_two_examples(breast):
    X, y = breast
    machine = SetCoveringMachine("stumps").fit(X, y)
    assert machine.cover_.chosen[0].scheme == "pool"
    for rule in machine.rules_:
        assert rule.kind == "stump"
        low, high = X[list(rule.examples), rule.features[0]]
        assert 0.5 * (low + high) == rule.cut
    assert set(machine.compression_set_) == {e for r in machine.rules_ for e in r.examples}


def test_a_word_of_a_pool_is_the_word_of_its_example(rng):
    import pandas as pd

    site = rng.choice(["a", "b", "c"], 200)
    X = pd.DataFrame({"site": site, "age": rng.normal(size=200)})
    machine = SetCoveringMachine().fit(X, np.where(site == "b", "yes", "no"))
    (rule,) = machine.rules_
    assert [site[e] for e in rule.examples] == ["b"]


def test_a_half_space_of_three_is_made_of_three(breast):
    machine = SetCoveringMachine("half-spaces", candidates=40, random_state=1).fit(*breast)
    assert len(machine.compression_set_) == 3 * len(machine.rules_) == 3
    assert machine.held_back_.tolist() == machine.compression_set_.tolist()


def test_a_regression_is_made_of_its_pool(breast):
    machine = SetCoveringMachine("linear", random_state=7).fit(*breast)
    assert machine.compression_set_.tolist() == machine.held_back_.tolist()
    assert len(machine.held_back_) > 200


@pytest.mark.parametrize("rules", ["auto", "stumps", "balls", "half-spaces", "linear"])
def test_the_certificate_pays_for_what_is_held_back(rules, breast):
    X, y = breast
    machine = SetCoveringMachine(rules).fit(X, y)
    certificate = machine.certificate_
    counted = np.setdiff1d(np.arange(len(y)), machine.held_back_)
    assert certificate.n_compressed == len(machine.held_back_)
    assert certificate.n_errors == (machine.predict(X) != y)[counted].sum()
    assert set(machine.compression_set_) <= set(machine.held_back_)


def test_explain_says_made_of_and_held_back(breast):
    machine = SetCoveringMachine().fit(*breast)
    n, held = len(machine.compression_set_), len(machine.held_back_)
    text = machine.explain()
    assert f"It is made of {n} of 683 examples; {held} were held back" in text
    assert f"made of {held}" not in text
    small = SetCoveringMachine("half-spaces", candidates=40, random_state=1).fit(*breast)
    assert "It is made of 3 of 683 examples, which are not counted." in small.explain()


def test_the_record_is_frozen_and_is_all_there_is(breast):
    machine = SetCoveringMachine("stumps").fit(*breast)
    assert isinstance(machine.cover_, CoverFit)
    with pytest.raises(FrozenInstanceError):
        machine.cover_.n_errors = 0
    assert machine.fitted_ is machine.cover_.fitted
    learned = {name for name in vars(machine) if name not in machine.get_params()}
    assert learned == {"_menu", "candidate_", "classes_", "n_features_in_"}


@pytest.mark.parametrize("rules", ["stumps", "half-spaces", "two-point", "balls", "linear"])
def test_a_machine_keeps_no_table(rules, rng):
    """Every cell is unique: those that are found in the pickle are those of rows of the menu."""
    X = rng.normal(size=(150, 4))
    y = X[:, 0] + 0.3 * rng.normal(size=150) > 0
    machine = SetCoveringMachine(rules).fit(X, y)
    stored = pickle.dumps(machine)
    found = np.array([[cell.tobytes()[::-1] in stored for cell in row] for row in X])
    found |= np.array([[cell.tobytes() in stored for cell in row] for row in X])
    rows = set(np.flatnonzero(found.any(axis=1)).tolist())
    assert rows <= {int(i) for row in machine.candidates_ for i in row.cover.made_of}
    assert len(rows) <= 40


def test_kept_examples_are_known_by_their_digests(breast):
    X, y = breast
    cover = SetCoveringMachine().fit(X, y).cover_
    np.testing.assert_array_equal(cover.digests, row_digests(X, y)[cover.named])


@pytest.mark.parametrize("make", [SetCoveringMachine, DecisionListMachine])
def test_one_protocol(make, breast):
    X, y = breast
    names = list(inspect.signature(make.certify).parameters)
    assert names == ["self", "delta", "bound", "n_choices", "X", "y"]
    kinds = [p.kind for p in inspect.signature(make).parameters.values()]
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}
    machine = make(candidates=40).fit(X[:400], y[:400])
    assert machine.n_training_errors_ == (machine.predict(X[:400]) != y[:400]).sum()
    assert machine.path_["is_chosen"].sum() == 1
    assert list(machine.get_rules().columns[:4]) == ["form", "condition", "label", "value"]
    assert machine.certify() == machine.certificate_
    assert "\n".join(machine.fitted_.sentences()) in machine.explain()


def test_choices_are_paid(breast):
    machine = SetCoveringMachine("stumps").fit(*breast)
    one, ten = machine.certify(), machine.certify(n_choices=10)
    assert ten.risk == pytest.approx(machine.certify(0.005).risk)
    assert ten.nats == pytest.approx(one.nats + np.log(10))
    assert ten.delta == one.delta
    with pytest.raises(ValueError, match="`n_choices` must be at least 1"):
        machine.certify(n_choices=0)


def test_new_rows_certify_and_training_rows_do_not(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] > 0.2
    machine = SetCoveringMachine("stumps").fit(X[:200], y[:200])
    wrong = (machine.predict(X[200:]) != y[200:]).sum()
    found = machine.certify(X=X[200:], y=y[200:])
    assert found.risk == held_out_bound(100, int(wrong)).risk
    assert found == machine.certify(bound="held-out", X=X[200:], y=y[200:])
    with pytest.raises(ValueError, match="rows that the machine was trained on"):
        machine.certify(X=X[150:250], y=y[150:250])
    with pytest.raises(ValueError, match="must be given for bound='held-out'"):
        machine.certify(bound="held-out")


def test_the_order_of_the_classes_may_be_given(breast):
    X, y = breast
    words = np.where(y > 0, "ill", "well")
    first = SetCoveringMachine("stumps").fit(X, words)
    second = SetCoveringMachine("stumps", classes=["well", "ill"]).fit(X, words)
    assert second.classes_.tolist() == ["well", "ill"]
    assert (second.predict(X) == words).mean() > 0.9
    assert second.fitted_.sentences()[0].endswith(": ill.")
    assert first.classes_.tolist() == ["ill", "well"]
    with pytest.raises(ValueError, match="`classes` must name the labels"):
        SetCoveringMachine(classes=["a", "b"]).fit(X, words)
