"""What both machines share: fitted attributes, certificates, several classes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from handful import DecisionListMachine, SetCoveringMachine
from handful.covering.classifier import CoveringClassifier
from handful.datasets import make_axis_rules
from tests.covering.simulation import ThreeNorm

MACHINES = [SetCoveringMachine, DecisionListMachine]


@pytest.fixture(scope="module")
def data():
    return make_axis_rules(120, random_state=3)


@pytest.fixture(scope="module")
def three(request):
    X, y = ThreeNorm(0.1).sample(150, np.random.default_rng(7))
    return X, np.array(["ash", "beech", "cedar"])[y]


@pytest.mark.parametrize("candidates", ["auto", None, 25])
@pytest.mark.parametrize("make", MACHINES)
def test_the_certificate_counts_what_was_fitted(make, candidates, data):
    X, y = data
    machine = make(candidates=candidates, random_state=0).fit(X, y)
    wrong = machine.predict(X) != y
    outside = np.setdiff1d(np.arange(len(y)), machine.held_back_)
    assert machine.n_training_errors_ == wrong.sum()
    assert machine.n_errors_ == wrong[outside].sum()
    certificate = machine.certificate_
    assert certificate.n_errors == machine.n_errors_
    assert certificate.n_compressed == len(machine.held_back_)
    assert certificate.n_samples == len(y)
    assert set(machine.fitted_.machine.examples) <= set(machine.compression_set_.tolist())
    assert set(machine.compression_set_.tolist()) <= set(machine.held_back_.tolist())


def test_the_path_contains_the_choice(data):
    machine = SetCoveringMachine(random_state=0).fit(*data)
    path = machine.path_
    assert path["is_chosen"].sum() == 1
    assert path.loc[path["is_chosen"], "certificate"].min() == machine.certificate_.risk
    assert path["certificate"].min() == machine.certificate_.risk
    assert set(path["scheme"]) == {"constant", "pool", "compression"}
    assert (path["n_errors"] <= path["n_training_errors"]).all()


@pytest.mark.parametrize("bound", ["auto", "compression", "compression-kl",
                                   "compression-closed-form", "cost"])  # fmt: skip
def test_every_bound_at_every_delta(bound, data):
    machine = SetCoveringMachine(random_state=0).fit(*data)
    risks = [machine.certify(delta, bound=bound).risk for delta in (0.5, 0.05, 1e-6)]
    assert risks == sorted(risks)
    if bound != "cost":
        assert risks[1] >= machine.certificate_.risk
    assert machine.certify() == machine.certificate_
    for delta in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="`delta` must be"):
            machine.certify(delta, bound=bound)
    with pytest.raises(ValueError, match="`bound` must be one of"):
        machine.certify(bound="paper")


def test_rates_by_class_cover_the_risk(data):
    machine = SetCoveringMachine(random_state=0).fit(*data)
    rates = dict(machine.certificate_.rates)
    assert rates["false_positive"] + rates["false_negative"] >= machine.certificate_.risk - 1e-9
    assert rates["false_negative_given_positive"] >= rates["false_negative"] - 1e-9


@pytest.mark.parametrize("make", MACHINES)
def test_several_classes_share_one_certificate(make, three):
    X, y = three
    machine = make(random_state=0).fit(X, y)
    assert machine.classes_.tolist() == ["ash", "beech", "cedar"]
    assert len(machine.rules_) == len(machine.fitted_.machine.members) == 3
    wrong = machine.predict(X) != y
    kept = set()
    nats = 0.0
    for part in machine.cover_.parts:
        kept |= set(part.chosen.kept)
        nats += part.chosen.nats
    outside = np.setdiff1d(np.arange(len(y)), sorted(kept))
    certificate = machine.certificate_
    assert machine.held_back_.tolist() == sorted(kept)
    assert certificate.n_errors == wrong[outside].sum()
    assert math.fsum(term.nats for term in certificate.terms) == pytest.approx(nats + math.log(20))
    assert any("(class beech)" in term.text for term in certificate.terms)
    assert any("classes were known before" in note for note in certificate.notes)
    scores = machine.decision_function(X)
    assert scores.shape == (150, 3)
    np.testing.assert_array_equal(machine.classes_[scores.argmax(axis=1)], machine.predict(X))
    np.testing.assert_array_equal(machine.fitted_.scores(X), scores)
    assert ": ash." in machine.explain()
    assert len(machine.reasons(X)) == 150
    assert set(machine.path_["machine"]) == set(machine.classes_)
    with pytest.raises(ValueError, match="`bound` must be 'auto' or 'compression' for more than"):
        machine.certify(bound="compression-kl")


def test_pools_of_several_classes_overlap(three):
    """Each class draws the same pools, so that the union of what is kept stays small."""
    machine = SetCoveringMachine(random_state=0).fit(*three)
    pools = [
        {c.kept for c in part.menu.candidates if c.scheme in ("pool", "plain")}
        for part in machine.cover_.parts
    ]
    assert len(pools) == 3
    assert pools[0] == pools[1] == pools[2] != set()
    nested = sorted(pools[0], key=len)
    assert all(set(a) <= set(b) for a, b in itertools.pairwise(nested))


def test_nothing_works_before_fitting(data):
    machine = SetCoveringMachine()
    for call in (machine.predict, machine.decision_function, machine.reasons):
        with pytest.raises(NotFittedError):
            call(data[0])
    for call in (machine.certify, machine.explain, machine.get_rules):
        with pytest.raises(NotFittedError):
            call()
    with pytest.raises(NotFittedError):
        machine.path_  # noqa: B018


def test_the_base_is_not_a_machine(data):
    with pytest.raises(TypeError, match="use SetCoveringMachine or DecisionListMachine"):
        CoveringClassifier()._kinds()


@pytest.mark.parametrize("make", MACHINES)
def test_what_drew_the_pools_is_named(make, data):
    none, seven = make("stumps").fit(*data), make("stumps", random_state=7).fit(*data)
    drawn = make("stumps", random_state=np.random.default_rng(0)).fit(*data)
    assert none.draw_.seed is None
    assert none.certificate_.assumptions[-1].key == "digest"
    assert (
        str(seven.certificate_.assumptions[-1]) == "the seed 7 was fixed before the data were seen"
    )
    assert f"the seed {drawn.draw_.seed} was" in str(drawn.certificate_.assumptions[-1])


def test_tags_say_what_is_accepted():
    assert SetCoveringMachine().__sklearn_tags__().input_tags.allow_nan
    assert not SetCoveringMachine(rules="balls").__sklearn_tags__().input_tags.allow_nan
    assert SetCoveringMachine(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
