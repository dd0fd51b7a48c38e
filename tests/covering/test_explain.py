"""Machines in words and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from handful.covering import DecisionListMachine, SetCoveringMachine
from handful.covering.classifier import equivalent_conditions
from handful.covering.cover_fit import as_asked, examples_text
from handful.models import PART_COLUMNS, Condition, Distance, RuleSet
from handful.rules import rule_set
from handful.tables import Column, Columns


def test_what_it_is_made_of_and_what_was_held_back():
    assert examples_text(3, 205, 683).startswith("It is made of 3 of 683 examples; 205 were held")
    assert examples_text(3, 3, 683) == "It is made of 3 of 683 examples, which are not counted."


@pytest.mark.parametrize("make", [SetCoveringMachine, DecisionListMachine])
def test_rules_as_a_frame(make, rng):
    X = rng.normal(size=(120, 3))
    y = np.where((X[:, 0] > 0) & (X[:, 1] > -0.5), "yes", "no")
    machine = make("stumps", candidates=40, max_rules=2, random_state=0).fit(X, y)
    frame, rules = machine.get_rules(), machine.fitted_.machine.rules
    assert list(frame.columns) == [*PART_COLUMNS, "examples", "n_covered"]
    assert len(frame) == len(rules) + 1  # and what is said of other cases
    assert frame["condition"].tolist()[:-1] == machine.fitted_.machine.texts(machine.fitted_.words)
    assert frame["condition"].iloc[-1] == ""
    for row, rule in zip(frame.itertuples(), rules, strict=False):
        assert row.n_covered == rule.is_met(X).sum()
        assert row.label == machine.fitted_.classes[rule.label]
        assert row.examples == tuple(i for c in rule.conditions for i in c.examples)
    assert frame["n_covered"].iloc[-1] == (machine.fitted_.machine.first_rule(X) < 0).sum()


def test_words_become_flags_of_those_that_rules_name():
    columns = Columns(
        (
            Column("site", "words", levels=("a", "b", "c")),
            Column("age", ""),
            Column("other", "words", levels=("x", "y")),
        )
    )
    covers = [Condition.on(0, "≠", 1.0, (7,)), Condition.on(1, "<", 40.0)]
    asked, (machine,) = as_asked(columns, [rule_set(covers, "conjunction")])
    assert asked.names == ("site = b", "age")
    assert [column.words for column in asked.columns] == [("b",), None, ()]
    word, number = machine.conditions
    assert word == Condition.on(0, "=", 1.0, (7,))
    assert number == Condition.on(1, ">=", 40.0)
    frame = pd.DataFrame({"site": ["b", "c", None, "new"], "age": 50.0, "other": "x"})
    assert machine.labels(asked.encode(frame)).tolist() == [1, 0, 0, 0]


def test_equivalent_conditions_are_met_by_the_same_rows(rng):
    X = rng.normal(size=(30, 4))
    X[:, 1] = -X[:, 0]
    X[:, 2] = np.exp(X[:, 0])
    rule = Condition.on(0, "<", float(np.sort(X[:, 0])[11]))
    first, second = equivalent_conditions(rule, X, np.arange(4))
    assert (first.features, first.op) == ((1,), ">")
    assert (second.features, second.op) == ((2,), "<")
    for found in (first, second):
        np.testing.assert_array_equal(found.is_met(X), rule.is_met(X))
    nothing = Condition(Distance((100.0, 0.0, 0.0, 0.0)), "<", 1.0)
    assert equivalent_conditions(nothing, X, np.arange(4)) == []


def test_equivalent_conditions_skip_words_and_missing_values():
    X = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, np.nan], [2.0, 2.0, 2.0]])
    (found,) = equivalent_conditions(Condition.on(0, "<", 1.0), X, np.array([0, 2]))
    assert found.features == (2,)
    np.testing.assert_array_equal(found.is_met(X), [True, False, False])


def test_notebooks_see_rule_and_certificate_once_fitted(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["<b>", "age"])
    machine = SetCoveringMachine(rules="stumps", candidates=None)
    assert "With 95" not in machine._repr_html_()
    machine.fit(X, X["<b>"] > 0)
    for text in (machine._repr_html_(), machine._repr_mimebundle_()["text/html"]):
        assert text.count("With 95 % confidence") == machine.certificate_.n_statements == 3
        assert "&lt;b&gt;" in text.split("<pre", 1)[1]
        assert "<b> " not in text


def test_machines_without_rules_say_a_constant(rng):
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 4 == 0
    machine = SetCoveringMachine("stumps", candidates=None).fit(X, y)
    assert isinstance(machine.fitted_.machine, RuleSet)
    if not machine.rules_:
        assert machine.fitted_.sentences() == ["Always predict False."]
