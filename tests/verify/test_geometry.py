"""Rules evaluated by two implementations that share nothing."""

import numpy as np
import pytest

from handful.files._rules import machine_to_dict, rule_to_dict
from handful.kernels import Kernel
from handful.rules import Ball, HalfSpace, LinearRule, RuleList, RuleSet, Stump, TwoPointHalfSpace
from handful.verify._geometry import covered, machine_scores

A, B = (1.0, -0.5, 2.0), (0.25, 1.0, -1.0)
KERNELS = [Kernel("linear"), Kernel("rbf", gamma=0.4), Kernel("poly", gamma=0.5, degree=2, coef0=1)]
RULES = [
    *(Stump(1, 0.25, side) for side in ("below", "above", "equal", "unequal")),
    LinearRule((1.0, -2.0, 0.0), 0.3, "above", tol=1e-9),
    *(HalfSpace(A, B, 0.2, "below", kernel) for kernel in KERNELS),
    *(TwoPointHalfSpace(A, B, 3, 3, "above", kernel) for kernel in KERNELS),
    *(Ball(A, 1.5, "above", metric=m) for m in ("euclidean", "manhattan", "chebyshev")),
    Ball(A, 1.5, "below", scale=(1.0, 2.0, 0.5)),
    *(Ball(A, 0.9, "above", kernel=kernel) for kernel in KERNELS),
]


@pytest.mark.parametrize(
    "rule", RULES, ids=[f"{i}-{type(r).__name__}" for i, r in enumerate(RULES)]
)
def test_covers(rule, rng):
    X = rng.normal(size=(300, 3)).round(2)
    X[:5] = [A, B, A, B, [0.25] * 3]
    assert (covered(rule_to_dict(rule), X) == rule.covers(X)).all()


@pytest.mark.parametrize("kind", ["conjunction", "disjunction", "list", "empty"])
def test_scores(kind, rng):
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    rules = (RULES[0], RULES[4], RULES[12])
    machine = RuleSet(rules, kind) if kind != "list" else RuleList(rules, (1, -1, 1), -1)
    if kind == "empty":
        machine = RuleSet((), "disjunction")
    ours = machine_scores(machine_to_dict(machine), X)
    assert np.allclose(ours, machine.decision_function(X), rtol=1e-9)
    assert (np.sign(ours) == machine.predict(X)).all()
