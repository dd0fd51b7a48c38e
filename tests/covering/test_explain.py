"""Machines in words and tables."""

from __future__ import annotations

import numpy as np
import pytest

from handful.covering import SetCoveringMachine
from handful.covering._explain import (
    equivalent_rules,
    examples_text,
    machine_lines,
    rules_frame,
)
from handful.models import PART_COLUMNS
from handful.rules import Ball, RuleList, RuleSet, Stump

CLASSES = np.array(["no", "yes"])
NAMES = ["age", "nodes"]
LOW, HIGH = Stump(0, 40.0, "below"), Stump(1, 2.5, "above", indices=(7,))


def explained(machine, words=None, classes=CLASSES):
    return "\n".join(machine_lines([(classes[-1], machine)], classes, NAMES, words))


def test_a_conjunction_says_when_it_is_true():
    assert explained(RuleSet((LOW, HIGH), "conjunction")) == (
        "Predict yes if\n      age ≥ 40\n  and nodes ≤ 2.5;\notherwise no."
    )


def test_a_disjunction_says_when_it_is_true():
    assert explained(RuleSet((LOW, HIGH), "disjunction")) == (
        "Predict yes if\n      age < 40\n  or  nodes > 2.5;\notherwise no."
    )


@pytest.mark.parametrize(("kind", "label"), [("conjunction", "yes"), ("disjunction", "no")])
def test_a_constant_says_so(kind, label):
    assert explained(RuleSet((), kind)) == f"Always predict {label}."


def test_a_list_reads_in_order():
    assert explained(RuleList((LOW, HIGH), (1, -1), 1)) == (
        "if age < 40: yes\nelse if nodes > 2.5: no\notherwise: yes"
    )
    assert explained(RuleList((), (), -1)) == "otherwise: no"


def test_several_classes_are_one_machine_each():
    machines = [(c, RuleSet((LOW,), "conjunction")) for c in ("a", "b", "c")]
    text = "\n".join(machine_lines(machines, np.array(["a", "b", "c"]), NAMES, None))
    assert "Predict b if\n      age ≥ 40;\notherwise not b." in text
    assert text.endswith("The class whose machine says yes with the largest distance wins.")


def test_categories_are_named():
    words = (None, ("blue", "red"))
    rule = Stump(1, 1.0, "unequal")
    assert rule.describe(NAMES, words=words) == "nodes ≠ red"
    assert "nodes = red" in explained(RuleSet((rule,), "conjunction"), words)
    assert LOW.describe(NAMES, words=words) == "age < 40"


def test_a_name_that_looks_like_a_comparison_is_not_cut():
    rule = Stump(0, 40.0, "below")
    assert rule.describe(["a < b"], opposite=True) == "a < b ≥ 40"
    word = Stump(0, 0.0, "equal").describe(["x"], words=[("p = q",)], opposite=True)
    assert word == "x ≠ p = q"


def test_what_it_is_made_of_and_what_was_held_back():
    assert examples_text(3, 205, 683).startswith("It is made of 3 of 683 examples; 205 were held")
    assert examples_text(3, 3, 683) == "It is made of 3 of 683 examples, which are not counted."


def test_rules_as_a_frame():
    def frame_of(machine, n_covered):
        return rules_frame("rule set", [("yes", machine)], [n_covered], CLASSES, NAMES, None)

    frame = frame_of(RuleSet((LOW, HIGH), "conjunction"), [1, 2])
    assert (
        tuple(frame.columns[:4]) == tuple(PART_COLUMNS) == ("form", "condition", "label", "value")
    )
    assert frame["condition"].tolist() == ["age < 40 or missing", "nodes > 2.5 or missing"]
    assert frame["label"].tolist() == ["no", "no"]
    assert frame["n_covered"].tolist() == [1, 2]
    assert frame["rule"].tolist() == ["stump", "stump"]
    assert frame["examples"].tolist() == [(), (7,)]
    listed = frame_of(RuleList((LOW, HIGH), (1, -1), 1), [1, 2])
    assert listed["label"].tolist() == ["yes", "no"]
    empty = frame_of(RuleSet(()), [])
    assert len(empty) == 0
    assert list(empty.columns) == list(frame.columns)


def test_equivalent_stumps_cover_the_same_rows(rng):
    X = rng.normal(size=(30, 4))
    X[:, 1] = -X[:, 0]
    X[:, 2] = np.exp(X[:, 0])
    cut = float(np.sort(X[:, 0])[11])
    rule = Stump(0, cut, "below")
    ((first, second),) = equivalent_rules([rule], X, None)
    assert (first.feature, first.side) == (1, "above")
    assert (second.feature, second.side) == (2, "below")
    for found in (first, second):
        np.testing.assert_array_equal(found.covers(X), rule.covers(X))
    ball = Ball((100.0, 0.0, 0.0, 0.0), 1.0, "below")  # covers nothing
    assert equivalent_rules([ball], X, None) == [[]]


def test_equivalent_stumps_skip_categories_and_missing_values():
    X = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, np.nan], [2.0, 2.0, 2.0]])
    words = (None, ("a", "b", "c"), None)
    found = equivalent_rules([Stump(0, 1.0, "below")], X, words)
    assert [stump.feature for stump in found[0]] == [2]
    np.testing.assert_array_equal(found[0][0].covers(X), [True, False, False])


def test_notebooks_see_rule_and_certificate_once_fitted(rng):
    import pandas as pd

    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["<b>", "age"])
    machine = SetCoveringMachine(rules="stumps", candidates=None)
    assert "With 95" not in machine._repr_html_()
    machine.fit(X, X["<b>"] > 0)
    for text in (machine._repr_html_(), machine._repr_mimebundle_()["text/html"]):
        assert text.count("With 95 % confidence") == machine.certificate_.n_statements == 3
        assert "&lt;b&gt;" in text.split("<pre", 1)[1]
        assert "<b> " not in text
