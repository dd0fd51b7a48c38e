"""Every rule as plain data and back."""

import pytest

from handful.files import ModelFileError
from handful.files._rules import (
    machine_from_dict,
    machine_to_dict,
    rule_from_dict,
    rule_to_dict,
)
from handful.kernels import Kernel
from handful.rules import (
    RULES,
    Ball,
    HalfSpace,
    LinearRule,
    RuleList,
    RuleSet,
    Stump,
    TwoPointHalfSpace,
)

EXAMPLES = {
    "stump": Stump(1, 0.1 + 0.2, "above", indices=(3,)),
    "ball": Ball((0.1, 1e-300), 2.0, "below", scale=(1.0, 3.0), indices=(1, 2)),
    "half-space": HalfSpace((1.0, 2.0), (0.5, 1.0), 3.0, "below", Kernel("rbf", 0.1), (1, 2, 3)),
    "two-point": TwoPointHalfSpace((1.0, 2.0), (0.5, 1.0), 3, 2, "above", indices=(4, 5)),
    "linear": LinearRule(
        (0.5, -1.0), 0.25, "below", origin="logistic regression on the pool (ridge 1)", tol=1e-12
    ),
}


def test_every_rule_has_an_example():
    assert set(EXAMPLES) == set(RULES)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_round_trip(name):
    rule = EXAMPLES[name]
    assert rule_from_dict(rule_to_dict(rule), "rule") == rule


def test_machines_round_trip():
    rules = tuple(EXAMPLES.values())
    for machine in (RuleSet(rules, "disjunction"), RuleList(rules, (1, -1, 1, 1, -1), -1)):
        assert machine_from_dict(machine_to_dict(machine), "machine") == machine


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "beside"}, "`rule.side` must be one of"),
        ({"threshold": float("inf")}, "`rule.threshold` must be a finite number"),
        ({"threshold": True}, "`rule.threshold` must be a finite number"),
        ({"feature": 1.5}, "`rule.feature` must be a whole number"),
        ({"feature": 2**60}, "`rule.feature` must be a whole number"),
        ({"extra": 1}, "a rule with the fields"),
    ],
)
def test_bad_fields(change, message):
    data = {**rule_to_dict(EXAMPLES["stump"]), **change}
    with pytest.raises(ModelFileError, match=message):
        rule_from_dict(data, "rule")
