import json
from dataclasses import replace

import numpy as np
import pytest

from handful.codec import ModelFileError, decode, encode
from handful.kernels import Kernel
from handful.models import Condition, Distance, KernelDifference, Vocabulary, WeightedSum
from handful.tables import Feature

ASKED = (Feature("age", column="age"), Feature.of_word("colour", "red"), Feature.of_missing("age"))
WORDS = Vocabulary(tuple(q.name for q in ASKED), ("well", "ill"), features=ASKED, shows_rows=True)
X = np.array([[30.0, 1.0, 0.0], [20.0, 0.0, 0.0], [np.nan, np.nan, 1.0]])
BALL = Distance((30.0, 1.0, 0.0), scale=(10.0, 1.0, 1.0), fill=(30.0, 1.0, 0.0))
CONDITIONS = [
    (Condition.on(0, ">=", 28.0), [True, False, False], "age ≥ 28"),
    (Condition.on(0, "<", 28.0), [False, True, False], "age < 28"),
    (Condition.on(1, ">=", 0.5), [True, False, False], "colour = red"),
    (Condition.on(1, "<", 0.5), [False, True, False], "colour ≠ red"),
    (Condition.on(2, "<", 0.5), [True, True, False], "age is known"),
    (
        Condition(WeightedSum((1.0, 10.0, 0.0), (34.0, 0.0, 0.0)), ">=", 35.0),
        [True, False, False],
        "+1·age +10·colour = red ≥ 35",
    ),
    (
        Condition(BALL, "<", 1.0),
        [True, False, False],
        "distance to (age 30, colour = red 1, age is missing 0) < 1",
    ),
]


@pytest.mark.parametrize(("condition", "met", "text"), CONDITIONS)
def test_met_as_it_reads_and_never_by_a_missing_value(condition, met, text):
    assert condition.is_met(X).tolist() == met
    assert condition.describe(WORDS) == text


def test_a_ball_shows_its_row_only_where_rows_are_shown():
    ball, hidden = CONDITIONS[-1][0], replace(WORDS, shows_rows=False)
    assert ball.describe(hidden) == "distance to a kept example < 1"


def test_features():
    assert CONDITIONS[5][0].features == (0, 1)
    assert CONDITIONS[6][0].features == (0, 1, 2)


VALUES = {
    "stump": Condition.on(1, ">", 0.1 + 0.2, (3,)),
    "ball": Condition(Distance((0.1, 1e-300), scale=(1.0, 3.0)), "<", 2.0, 2e-10, (1, 2)),
    "half-space": Condition(
        KernelDifference((1.0, 2.0), (0.5, 1.0), Kernel("rbf", 0.1)), "<=", 3.0, 1e-10, (1, 2, 3)
    ),
    "linear": Condition(WeightedSum((0.5, -1.0)), ">=", 0.25, 1e-12),
}


@pytest.mark.parametrize("name", sorted(VALUES))
def test_conditions_are_plain_data(name):
    condition = VALUES[name]
    assert decode(Condition, json.loads(json.dumps(encode(condition))), "rule") == condition
    assert condition.kind == name


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("stump", {"op": "beside"}, "`rule.op` must be one of"),
        ("stump", {"cut": float("inf")}, "`rule.cut` must be a finite number"),
        ("stump", {"cut": True}, "`rule.cut` must be a finite number"),
        ("stump", {"value": {"kind": "feature", "feature": 1.5}}, "must be a whole number"),
        ("stump", {"value": {"kind": "feature", "feature": 2**60}}, "must be a whole number"),
        ("stump", {"value": {"kind": "eval", "feature": 1}}, "must be one of"),
        ("stump", {"extra": 1}, "an object with the fields"),
        ("stump", {"examples": [-1]}, "numbers from 0"),
        ("stump", {"examples": [1, 2, 3]}, "0 or 1 or 2 numbers"),
        ("ball", {"op": "="}, "no code of words"),
        ("ball", {"tol": -1e-9}, "not negative"),
        ("ball", {"cut": -1.0}, "not negative"),
    ],
)
def test_conditions_that_mean_nothing_are_refused(name, change, message):
    with pytest.raises(ModelFileError, match=message):
        decode(Condition, {**encode(VALUES[name]), **change}, "rule")


def test_kernels_without_a_name_are_closed():
    for kernel in (Kernel("precomputed"), Kernel("callable", function=np.dot)):
        assert "must be named" in KernelDifference((1.0,), (0.0,), kernel).why_closed
        assert "must be named" in Distance((1.0,), kernel=kernel).why_closed
    assert VALUES["half-space"].value.why_closed == ""


def test_a_missing_value_is_said():
    assert CONDITIONS[0][0].said_missing(WORDS) == "age is missing"
    assert CONDITIONS[2][0].said_missing(WORDS) == "colour is missing"
    assert CONDITIONS[5][0].said_missing(WORDS).startswith("a value is missing in +1·age")
