"""Documents rebuild machines that are equal and predict alike."""

import json

import numpy as np
import pytest

from handful.files import ModelFileError
from handful.kernels import Kernel
from handful.models import (
    Additive,
    Card,
    Condition,
    Constant,
    Curve,
    Distance,
    Fitted,
    Item,
    KernelPart,
    Kernels,
    LinearScore,
    Opaque,
    OrderedRules,
    Rule,
    Stumps,
    Vote,
    Votes,
    WeightedSum,
)
from handful.tables import Column, Columns

CARD = Card((Item(Condition.on(0, ">=", 0.3), 2), Item(Condition.on(1, "<", 0.1), -1)), 1)
PLANE = Condition(WeightedSum((1.0, 2.0), (0.0, 0.0)), ">=", 0.3)
BALL = Condition(Distance((0.0, 0.0), scale=(1.0, 1.0), fill=(0.0, 0.0)), ">", 1.0, 1e-10, (1, 2))
PART = KernelPart(Kernel("rbf", gamma=0.7), ((0.1, 0.2),), ((1.0,),), scale=(1.0, 2.0))
KERNELS = Kernels((PART, KernelPart(Kernel("poly"), ((0.1,),), ((2.0,),), (1,), True)), (-0.5,))
MACHINES = [
    Constant(1),
    OrderedRules((Rule((Condition.on(0, ">=", 0.1), PLANE), 1),), 0),
    OrderedRules((Rule((BALL,), 1),), 0),
    CARD,
    LinearScore(((1.0, 1 / 3),), (0.1,), (0.0, 0.5)),
    Additive((Curve(0, (0.2,), ((-1.0, 1.0),), (0.0,)),), (0.1,)),
    Votes((Stumps((0, 1), (0.1, -0.3), (1.0, -2.0), 0.125),)),
    KERNELS,
    Vote((Constant(0), CARD, Constant(1))),
]


COLUMNS = Columns((Column("age"), Column("nodes")))


def fitted(machine):
    return Fitted(machine.tag, COLUMNS, ("well", "ill"), machine)


def read(document, **changes):
    machine = document["machine"] | changes
    return Fitted.from_document(json.loads(json.dumps(document | {"machine": machine})))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.tag)
def test_round_trip_through_json(machine, rng):
    again = read(fitted(machine).to_document()).machine
    assert again == machine
    X = rng.normal(size=(40, 2))
    np.testing.assert_array_equal(again.scores(X), machine.scores(X))


def test_foreign_estimators_have_none():
    with pytest.raises(TypeError, match="has no document"):
        fitted(Opaque(object(), "table", 2)).to_document()


def test_unknown_machines_are_refused():
    with pytest.raises(ValueError, match=r"`fitted\.machine\.machine` must be one of"):
        read(fitted(CARD).to_document(), machine="oracle")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "sum", "weights": [1.0, 1.0], "fill": None}, "a single feature"),
        ({"kind": "cone"}, r"one of \['distance', 'feature'"),
    ],
)
def test_cards_ask_single_features(value, message):
    document = fitted(CARD).to_document()
    document["machine"]["items"][0].update(value=value)
    with pytest.raises(ValueError, match=message):
        read(document)


BAD_FIELDS = [
    (LinearScore(((1.0, 1.0),), (0.1,), ()), {"weights": [[1.0]]}),
    (LinearScore(((1.0, 1.0),), (0.1,), ()), {"weights": "abc"}),
    (LinearScore(((1.0, 1.0),), (0.1,), ()), {"intercepts": None}),
    (LinearScore(((1.0, 1.0),), (0.1,), ()), {"more": 1}),
    (KERNELS, {"tie": 0.1}),
    (KERNELS, {"parts": 7}),
    (KERNELS, {"intercepts": [1.0, 2.0]}),
    (CARD, {"threshold": 1.5}),
]


@pytest.mark.parametrize(("machine", "change"), BAD_FIELDS)
def test_bad_fields(machine, change):
    with pytest.raises(ModelFileError):
        read(fitted(machine).to_document(), **change)


@pytest.mark.parametrize(
    "change",
    [
        {"centers": [[1.0]]},
        {"coefficients": [[1.0, 2.0]]},
        {"kernel": {"name": "precomputed", "gamma": 1.0, "degree": 3, "coef0": 0.0}},
        {"kernel": {"name": "rbf", "gamma": 0.0, "degree": 3, "coef0": 0.0}},
        {"kernel": "rbf"},
        {"columns": [5, 6]},
        {"scale": [1.0]},
        {"scale": [1.0, 0.0]},
        {"fill": [1.0]},
    ],
)
def test_bad_parts(change):
    document = fitted(KERNELS).to_document()
    document["machine"]["parts"][0] |= change
    with pytest.raises(ModelFileError):
        read(document)


@pytest.mark.parametrize("change", [{"features": [0, 9]}, {"features": [0]}, {"features": 3}])
def test_bad_votes(change):
    document = fitted(MACHINES[-3]).to_document()
    document["machine"]["votes"][0] |= change
    with pytest.raises(ModelFileError):
        read(document)
