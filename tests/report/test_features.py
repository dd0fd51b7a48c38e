import pytest

from handful import SetCoveringMachine
from handful.report.telling_features import (
    column_names,
    numeric_rows,
    rule_weights,
    telling_features,
    telling_order,
)


def test_the_feature_that_decides_comes_first(rng):
    X = rng.normal(size=(200, 6))
    machine = SetCoveringMachine(rules="stumps", candidates=None).fit(X, X[:, 4] > 0.2)
    rows, codes = numeric_rows(machine, X, X[:, 4] > 0.2)
    assert telling_features(machine, rows, codes)[0] == 4
    assert sorted(telling_order(machine, rows, codes)) == list(range(6))


def test_unused_features_are_ordered_by_how_they_separate(rng):
    X = rng.normal(size=(200, 4))
    y = X[:, 3] > 0
    X[:, 1] = X[:, 3] + rng.normal(size=200)
    machine = SetCoveringMachine(rules="stumps", candidates=None, max_rules=1).fit(X, y)
    assert telling_order(machine, *numeric_rows(machine, X, y))[:2] == [3, 1]


@pytest.mark.parametrize("name", ["half-spaces", "balls", "pool", "list", "three"])
def test_weights_are_shares_a_rule(fitted, name):
    machine, X, _ = fitted(name)
    weights = rule_weights(machine, machine.fitted_.rows(X))
    assert weights.shape == (X.shape[1],)
    assert weights.sum() == pytest.approx(sum(map(len, machine.cover_.rules)))


def test_names(fitted):
    assert column_names(*_named(fitted, "stumps"))[0] == "x0"
    assert column_names(*_named(fitted, "words")) == ["colour", "size", "_c$"]


def _named(fitted, name):
    machine, X, _ = fitted(name)
    return machine, X.shape[1]
