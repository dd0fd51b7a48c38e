"""Formulas of conditions and of their distances, evaluated."""

import math
import re

import numpy as np
import pytest

from handful.export import export_python
from handful.export.python import Python
from handful.files import ModelFileError
from handful.kernels import Kernel
from handful.models import Condition, Distance, Fitted, KernelDifference, RuleSet, WeightedSum
from handful.rules import rule_set
from handful.tables import Columns
from tests.verify.test_geometry import COVERS

LANGUAGE = Python()


@pytest.fixture(scope="module")
def helpers():
    """The functions of an exported module."""
    fitted = Fitted("rules", Columns.of_numbers(["x0"]), ("no", "yes"), RuleSet((), 1))

    class Machine:
        fitted_, labels_ = fitted, np.array(["no", "yes"])
        certificate_ = None

    space = {}
    exec(export_python(Machine()), space)
    return space


def test_numbers_survive():
    for value in (0.1, -1e-300, 1 / 3, -0.0, 12345678901234567.0):
        assert eval(LANGUAGE.number(value)) == value


@pytest.mark.parametrize("cover", COVERS, ids=str)
def test_conditions_by_evaluation(cover, rng, helpers):
    X = rng.normal(size=(100, 3)).round(2)
    X[::9, 1] = np.nan
    for condition in (cover, cover.opposite):
        text = condition.formula(LANGUAGE)
        names = [{"math": math, "x0": a, "x1": b, "x2": c} for a, b, c in X.tolist()]
        assert [eval(text, row) for row in names] == condition.is_met(X).tolist()
        if getattr(condition.value, "metric", "") == "chebyshev" and not condition.value.kernel:
            continue  # it has no single formula
        score = condition.score_formula(LANGUAGE)
        found = [eval(score, {**helpers, **row}) for row in names]
        np.testing.assert_allclose(found, condition.score(X), rtol=1e-9)


def test_weights_of_zero_are_left_out():
    condition = Condition(WeightedSum((0.0, 2.0, 0.0)), ">", 1.0)
    assert re.sub(r"[()]", "", condition.formula(LANGUAGE)) == "x1 * 2.0 > 1.0"


def test_values_without_a_formula():
    ball = Condition(Distance((0.0,), "chebyshev"), ">", 1.0)
    with pytest.raises(ModelFileError, match="no single formula"):
        ball.score_formula(LANGUAGE)
    given = KernelDifference((0.0,), (1.0,), Kernel("precomputed"), (0, 1))
    machine = rule_set([Condition(given, "<", 0.0)], "disjunction")
    assert "must be named" in machine.why_closed
    assert not machine.is_plain
