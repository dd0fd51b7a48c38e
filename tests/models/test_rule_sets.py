"""Sets and lists of rules for two classes, and several of them: labels, distances, words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.codec import ModelFileError, decode, encode
from handful.models import (
    Condition,
    Distance,
    Form,
    OneAgainstRest,
    Rule,
    RuleList,
    RuleSet,
    Vocabulary,
    WeightedSum,
)

X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [np.nan, 3.0]])
OLD, SMALL = Condition.on(0, ">=", 1.0, (4,)), Condition.on(1, "<=", 0.5, (2,))
BOTH = RuleSet((Rule((OLD, SMALL), 1),), 0)
EITHER = RuleSet((Rule((OLD.opposite,), 1), Rule((SMALL.opposite,), 1)), 0)
LISTED = RuleList((Rule((OLD.opposite,), 1), Rule((SMALL.opposite,), 0)), 1)
WORDS = Vocabulary(("age", "size"), ("no", "yes"))

ops = st.sampled_from(["<", ">", "<=", ">="])
numbers = st.floats(-3, 3, allow_nan=False).map(lambda v: round(v, 2))
points = st.tuples(numbers, numbers)
conditions = st.one_of(
    st.builds(Condition.on, st.integers(0, 1), ops, numbers),
    st.builds(lambda c, op, r: Condition(Distance(c), op, abs(r), 1e-10), points, ops, numbers),
    st.builds(lambda w, op, t: Condition(WeightedSum(w), op, t, 1e-9), points, ops, numbers),
)


def test_one_rule_asks_for_all():
    assert BOTH.labels(X).tolist() == [0, 1, 0, 0]
    assert BOTH.scores(X).tolist() == [-1.0, pytest.approx(0.0, abs=1e-300), -0.5, -2.5]
    assert (BOTH.scores(X) > 0).tolist() == [False, True, False, False]
    assert BOTH.examples == (2, 4)
    assert BOTH.sentences(WORDS) == ["If age ≥ 1 and size ≤ 0.5: yes.", "Otherwise: no."]
    assert BOTH.reasons(X, WORDS) == [
        "age < 1",
        "age ≥ 1 and size ≤ 0.5",
        "size > 0.5",
        "age is missing",
    ]


def test_several_rules_ask_for_one():
    assert EITHER.labels(X).tolist() == [1, 0, 1, 1]
    assert EITHER.first_rule(X).tolist() == [0, -1, 1, 1]
    assert EITHER.reasons(X, WORDS) == ["age < 1", "otherwise", "size > 0.5", "size > 0.5"]


def test_a_list_by_hand():
    assert LISTED.labels(X).tolist() == [1, 1, 0, 0]
    assert LISTED.first_rule(X).tolist() == [0, -1, 1, 1]
    assert LISTED.scores(X)[2] == -0.5  # the nearer of both boundaries
    assert LISTED.sentences(WORDS)[1] == "Else if size > 0.5: no."


@pytest.mark.parametrize("make", [RuleSet, RuleList])
@pytest.mark.parametrize("label", [0, 1])
def test_no_rule_is_a_constant(make, label):
    assert make((), label).labels(X).tolist() == [label] * 4
    assert make((), label).scores(X).tolist() == [2.0 * label - 1.0] * 4
    assert make((), label).sentences(WORDS) == [f"Always predict {WORDS.labels[label]}."]


@given(st.lists(st.lists(conditions, min_size=1, max_size=3), min_size=1, max_size=3),
       st.lists(points, min_size=1))  # fmt: skip
def test_signs_are_labels(found, where):
    rows = np.array(where)
    rules = tuple(Rule(tuple(asked), 1) for asked in found)
    for machine in (RuleSet(rules, 0), RuleList(rules, 0)):
        np.testing.assert_array_equal(machine.scores(rows) > 0, machine.labels(rows) == 1)
    mixed = tuple(Rule(tuple(asked), i % 2) for i, asked in enumerate(found))
    machine = RuleList(mixed, 0)
    np.testing.assert_array_equal(machine.scores(rows) > 0, machine.labels(rows) == 1)
    back = RuleSet(tuple(reversed(rules)), 0)  # the order of a set does not matter
    np.testing.assert_array_equal(back.scores(rows), RuleSet(rules, 0).scores(rows))


def test_several_classes_take_the_largest_distance():
    three = OneAgainstRest((BOTH, EITHER, RuleSet((), 0)))
    words = Vocabulary(("age", "size"), ("a", "b", "c"))
    scores = three.scores(X)
    assert scores.shape == (4, 3)
    np.testing.assert_array_equal(scores[:, 1], EITHER.scores(X))
    np.testing.assert_array_equal(three.labels(X), scores.argmax(axis=1))
    lines = three.sentences(words)
    assert lines[:2] == ["If age ≥ 1 and size ≤ 0.5: a.", "Otherwise: not a."]
    assert lines[-1] == "The class whose rules say yes with the largest distance wins."
    assert "Always predict not c." in lines
    assert three.reasons(X, words)[0] == "age < 1"
    assert [part["label"] for part in three.described(words)][:2] == ["a", "not a"]
    assert decode(Form, encode(three), "machine") == three
    assert three.renumbered(np.arange(10) + 5).members[0].examples == (7, 9)


@pytest.mark.parametrize(
    ("machine", "n_classes", "said"),
    [
        (RuleSet((Rule((OLD,), 1), Rule((SMALL,), 0)), 0), 2, "not the default"),
        (BOTH, 3, "for two classes"),
        (OneAgainstRest((BOTH, EITHER)), 2, "three classes or more"),
        (OneAgainstRest((BOTH, EITHER)), 3, "3 parts"),
    ],
)
def test_what_does_not_fit_is_refused(machine, n_classes, said):
    with pytest.raises(ModelFileError, match=said):
        machine.check("machine", 2, n_classes)


def test_long_sums_name_their_largest_terms():
    rule = Condition(WeightedSum(tuple(np.arange(1.0, 12.0))), "<", 3.0)
    names = tuple(f"x{j}" for j in range(11))
    (line, _) = RuleSet((Rule((rule,), 1),), 0).sentences(Vocabulary(names, ("no", "yes")))
    assert "+ 3 smaller terms < 3: yes." in line


def test_a_long_conjunction_has_a_line_a_condition():
    names = tuple(f"a long name {j}" for j in range(4))
    asked = [Condition(WeightedSum((k, k + 1.0, 2.0, 1.0)), "<", 3.0) for k in (1.0, 2.0)]
    lines = RuleSet((Rule(tuple(asked), 1),), 0).sentences(Vocabulary(names, ("no", "yes")))
    assert len(lines) == 3
    assert lines[0] == "If +1·a long name 0 +2·a long name 1 +2·a long name 2 +1·a long name 3 < 3"
    assert lines[1].startswith("  and +2·a long name 0")
    assert lines[1].endswith("< 3: yes.")
    assert lines[2] == "Otherwise: no."
