"""Sets and lists of rules: predictions, signs, which rule fires."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.rules import Ball, HalfSpace, LinearRule, RuleList, RuleSet, Stump

X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [np.nan, 3.0]])
LOW, HIGH = Stump(0, 1.0, "below", indices=(4,)), Stump(1, 0.5, "above", indices=(2,))

sides = st.sampled_from(["below", "above"])
numbers = st.floats(-3, 3, allow_nan=False).map(lambda v: round(v, 2))
points = st.tuples(numbers, numbers)
rules = st.one_of(
    st.builds(Stump, st.integers(0, 1), numbers, sides),
    st.builds(lambda c, r, s: Ball(c, abs(r), s), points, numbers, sides),
    st.builds(lambda a, b, t, s: HalfSpace(a, b, t, s), points, points, numbers, sides),
    st.builds(lambda w, t, s: LinearRule(w, t, s, tol=1e-9), points, numbers, sides),
)


def test_a_conjunction_by_hand():
    machine = RuleSet((LOW, HIGH), "conjunction")
    assert machine.predict(X).tolist() == [-1, 1, -1, -1]
    assert machine.first_rule(X).tolist() == [0, -1, 1, 0]
    assert machine.compression_set == (2, 4)
    assert machine.describe(["age", "size"]) == ["age < 1 or missing", "size > 0.5 or missing"]


def test_a_disjunction_is_the_mirror_image():
    machine = RuleSet((LOW, HIGH), "disjunction")
    assert machine.predict(X).tolist() == [1, -1, 1, 1]
    assert machine.first_rule(X).tolist() == [0, -1, 1, 1]


@pytest.mark.parametrize(("kind", "label"), [("conjunction", 1), ("disjunction", -1)])
def test_no_rule_is_a_constant(kind, label):
    machine = RuleSet((), kind)
    assert machine.predict(X).tolist() == [label] * 4
    assert machine.decision_function(X).tolist() == [float(label)] * 4
    assert machine.as_list().predict(X).tolist() == [label] * 4
    assert machine.compression_set == ()


def test_a_list_by_hand():
    machine = RuleList((LOW, HIGH), (1, -1), default=1)
    assert machine.predict(X).tolist() == [1, 1, -1, -1]
    assert machine.first_rule(X).tolist() == [0, -1, 1, 1]
    assert machine.compression_set == (2, 4)
    assert RuleList((), (), -1).decision_function(X).tolist() == [-1.0] * 4


@given(st.lists(rules, min_size=1, max_size=4), st.booleans(), st.lists(points, min_size=1))
def test_signs_agree_with_predictions(found, is_conjunction, where):
    points_ = np.array(where)
    machine = RuleSet(tuple(found), "conjunction" if is_conjunction else "disjunction")
    label = machine.predict(points_)
    np.testing.assert_array_equal(np.sign(machine.decision_function(points_)), label)
    np.testing.assert_array_equal(machine.as_list().predict(points_), label)
    np.testing.assert_array_equal(machine.first_rule(points_) >= 0, label == -machine.sign)
    outputs = tuple((-1) ** i for i in range(len(found)))
    listed = RuleList(tuple(found), outputs, -1)
    np.testing.assert_array_equal(
        np.sign(listed.decision_function(points_)), listed.predict(points_)
    )


@given(st.lists(rules, min_size=2, max_size=4), st.lists(points, min_size=1))
def test_the_order_of_a_set_does_not_matter(found, where):
    points_ = np.array(where)
    forth, back = RuleSet(tuple(found)), RuleSet(tuple(reversed(found)))
    np.testing.assert_array_equal(forth.decision_function(points_), back.decision_function(points_))
