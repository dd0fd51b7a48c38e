"""Rules evaluated by two implementations that share nothing."""

import numpy as np
import pytest

from handful.codec import encode
from handful.kernels import Kernel
from handful.models import Condition, Rule, RuleList, WeightedSum
from handful.rules import ball_cover, pair_value, rule_set, two_point_cover
from handful.verify.covers import covered
from handful.verify.evaluate import labels_of, sums_of
from tests.covers import cover_model, taken_apart

A, B = np.array([1.0, -0.5, 2.0]), np.array([0.25, 1.0, -1.0])
KERNELS = [Kernel("linear"), Kernel("rbf", gamma=0.4), Kernel("poly", gamma=0.5, degree=2, coef0=1)]


def _half_space(kernel):
    value, tol = pair_value(A, B, kernel, (0, 1))
    return Condition(value, "<", 0.2, tol)


COVERS = [
    *(Condition.on(1, op, 0.25) for op in ("<", ">")),
    Condition(WeightedSum((1.0, -2.0, 0.0)), ">", 0.3, 1e-9),
    *(_half_space(kernel) for kernel in KERNELS),
    *(two_point_cover(A, B, (3, 3), ">", kernel, (0, 1)) for kernel in KERNELS),
    *(ball_cover(A, 1.5, ">", metric=m) for m in ("euclidean", "manhattan", "chebyshev")),
    ball_cover(A, 1.5, "<", scale=np.array([1.0, 2.0, 0.5])),
    *(ball_cover(A, 0.9, ">", kernel=kernel) for kernel in KERNELS),
]


@pytest.mark.parametrize("cover", COVERS, ids=str)
def test_covers(cover, rng):
    X = rng.normal(size=(300, 3)).round(2)
    X[:5] = [A, B, A, B, [0.25] * 3]
    for kind in ("conjunction", "disjunction"):
        model = cover_model(rule_set([cover], kind), kind)
        (rule,) = taken_apart(model, X, [None] * 3)
        assert (covered(rule, X) == cover.is_met(X)).all()


@pytest.mark.parametrize("kind", ["conjunction", "disjunction", "list", "empty"])
def test_scores(kind, rng):
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    covers = (COVERS[0], COVERS[2], COVERS[10])
    if kind == "list":
        rules = tuple(Rule((c,), label) for c, label in zip(covers, (1, 0, 1), strict=True))
        machine = RuleList(rules, 0)
    else:
        machine = rule_set([] if kind == "empty" else covers, kind.replace("empty", "disjunction"))
    said = encode(machine)
    assert np.allclose(sums_of(said, X).values[:, 0], machine.scores(X), rtol=1e-9)
    assert (labels_of(said, X) == machine.labels(X)).all()
