"""Documents rebuild machines that are equal and predict alike."""

import json

import numpy as np
import pytest

from handful.fitted import (
    Additive,
    Ball,
    Card,
    Constant,
    Curve,
    Cut,
    Item,
    KernelExpansion,
    LinearScore,
    Opaque,
    OrderedRules,
    Plane,
    Rule,
    Vote,
    machine_from_document,
    machine_to_document,
)

CARD = Card((Item(Cut(0, 0.3), 2), Item(Cut(1, 0.1, False), -1)), 1, 0.9, -0.3)
MACHINES = [
    Constant(1),
    OrderedRules((Rule((Cut(0, 0.1), Plane((1.0, 2.0), 0.3, True, (0.0, 0.0))), 1),), 0),
    OrderedRules((Rule((Ball((0.0, 0.0), 1.0, True, (1.0, 1.0), (0.0, 0.0)),), 1),), 0),
    CARD,
    LinearScore(((1.0, 1 / 3),), (0.1,), (0.0, 0.5)),
    Additive((Curve(0, (0.2,), ((-1.0, 1.0),), (0.0,)),), (0.1,)),
    KernelExpansion(((0.1, 0.2),), ((1.0,),), (-0.5,), 0.7, (1.0, 2.0), (0.0, 0.0)),
    Vote((Constant(0), CARD, Constant(1))),
]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.form)
def test_round_trip_through_json(machine, rng):
    again = machine_from_document(json.loads(json.dumps(machine_to_document(machine))))
    assert again == machine
    X = rng.normal(size=(40, 2))
    np.testing.assert_array_equal(again.scores(X), machine.scores(X))


def test_foreign_estimators_have_none():
    with pytest.raises(TypeError, match="has no document"):
        machine_to_document(Opaque(object(), "table", 2))


def test_unknown_machines_are_refused():
    with pytest.raises(ValueError, match="`machine` must be one of"):
        machine_from_document({"machine": "oracle"})


def test_cards_ask_single_features():
    document = machine_to_document(CARD)
    document["items"][0].update(condition="plane", weights=[1.0], fill=[0.0])
    with pytest.raises(ValueError, match="cuts of single features"):
        machine_from_document(document)
