"""Formulas, evaluated."""

import math

import pytest

from handful import SetCoveringMachine, load_dataset
from handful.export.exports import _python_dialect
from handful.files import ModelFileError, model_from_dict, model_to_dict
from handful.kernels import Kernel
from handful.rules import Ball, HalfSpace, LinearRule
from handful.rules.formulas import number
from tests.verify.test_geometry import RULES


@pytest.fixture(scope="module")
def dialect():
    data = load_dataset("haberman-294")
    machine = SetCoveringMachine("stumps", max_rules=1, candidates=40).fit(data.X, data.y)
    return _python_dialect(model_from_dict(model_to_dict(machine)))


def test_numbers_survive():
    for value in (0.1, -1e-300, 1 / 3, -0.0, 12345678901234567.0):
        assert eval(number(value)) == value


@pytest.mark.parametrize(
    "rule", RULES, ids=[f"{i}-{type(r).__name__}" for i, r in enumerate(RULES)]
)
def test_conditions_by_evaluation(rule, rng, dialect):
    X = rng.normal(size=(100, 3)).round(2)
    text = rule.condition_formula(dialect, None)
    found = [eval(text, {"math": math, "x0": a, "x1": b, "x2": c}) for a, b, c in X.tolist()]
    assert found == rule.covers(X).tolist()


def test_weights_of_zero_are_left_out(dialect):
    rule = LinearRule((0.0, 2.0, 0.0), 1.0, "above")
    assert rule.condition_formula(dialect, None) == "(2.0 * x1) > 1.0"


def test_rules_without_a_formula(dialect):
    rule = HalfSpace((0.0,), (1.0,), 0.0, "below", Kernel("precomputed"), (0, 1, 2))
    with pytest.raises(ModelFileError, match="no formula"):
        rule.value_formula(dialect)
    with pytest.raises(ModelFileError, match="no single formula"):
        Ball((0.0,), 1.0, "above", metric="chebyshev").value_formula(dialect)
