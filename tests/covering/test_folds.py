"""by="cv": the choice equals that of fitting every setting again, and certificates stay those."""

from __future__ import annotations

import numpy as np
import pytest

from handful import DecisionListMachine, SetCoveringMachine
from handful.covering.folds import deal_folds
from handful.tables import Grouping, blind_order

PENALTIES = [0.7, 3.0]
MOST = 12  # the largest size that is looked at


def _rows(rng, m=50):
    X = rng.normal(size=(m, 3))
    y = (X[:, 0] > 0.3) & (X[:, 1] < 0.8) | (rng.random(m) < 0.15)
    return X, y.astype(int)


def _sized_errors(machine, X, y):
    """Errors of the first s rules of a fitted path, s = 0, 1, ...; a twin of the prefixes."""
    (rules,) = machine.cover_.rules
    met = np.array([condition.is_met(X) for condition in rules]).reshape(len(rules), len(X))
    errors = []
    for s in range(MOST + 1):
        first = met[:s]
        said = first.all(axis=0) if machine.kind == "conjunction" else first.any(axis=0)
        errors.append(int((said != y).sum()))
    return errors


def _refitted(X, y):
    """Errors over all folds of every kind, penalty and size, each path fitted anew."""
    order = blind_order(X, y).order
    total = {}
    for fold in deal_folds(np.where(y[order] > 0, 1, -1), None):
        for k in range(int(fold.max()) + 1):
            train, test = order[fold != k], order[fold == k]
            for kind in ("conjunction", "disjunction"):
                for penalty in PENALTIES:
                    machine = SetCoveringMachine(
                        "stumps", kind=kind, penalty=penalty, max_rules=MOST, candidates=None
                    ).fit(X[train], y[train])
                    for s, wrong in enumerate(_sized_errors(machine, X[test], y[test])):
                        total[kind, penalty, s] = total.get((kind, penalty, s), 0) + wrong
    return total


def test_the_choice_is_that_of_refitting_every_setting(rng):
    X, y = _rows(rng)
    machine = SetCoveringMachine("stumps", penalty=PENALTIES, candidates=None, by="cv").fit(X, y)
    (chosen,) = machine.cover_.chosen
    total = _refitted(X, y)
    found = {total[kind, penalty, chosen.n_rules] for *_, kind, penalty in chosen.found_by}
    assert chosen.n_rules > 0
    assert min(found) == min(total.values())
    # sizes differ in their errors: another choice would have been seen
    assert max(total.values()) > min(total.values())


def test_certificates_of_all_candidates_are_those_of_the_other_choice(rng):
    X, y = _rows(rng, m=120)
    given = {"penalty": 1.0, "candidates": "wide", "max_rules": 3}
    folds = SetCoveringMachine("stumps", by="cv", **given).fit(X, y)
    certified = SetCoveringMachine("stumps", **given).fit(X, y)
    one, other = (machine.path_.drop(columns="is_chosen") for machine in (folds, certified))
    assert one.equals(other)
    (row,) = np.flatnonzero(folds.path_["is_chosen"])
    assert folds.certificate_.risk == pytest.approx(folds.path_["certificate"][row], abs=1e-12)


def test_lists_that_folds_choose_err_less_on_nested_intervals(rng):
    X = rng.uniform(size=(400, 2))
    y = ((X[:, 0] > 0.2) & (X[:, 0] < 0.4) | (X[:, 0] > 0.7)).astype(int)
    flipped = np.where(rng.random(400) < 0.2, 1 - y, y)
    X_new = rng.uniform(size=(4000, 2))
    y_new = ((X_new[:, 0] > 0.2) & (X_new[:, 0] < 0.4) | (X_new[:, 0] > 0.7)).astype(int)
    folds, certified = (
        DecisionListMachine(penalty=[1.0, 2.0], candidates=60, by=by)
        .fit(X, flipped)
        .score(X_new, y_new)
        for by in ("cv", "certificate")
    )
    assert folds >= certified - 0.01
    assert folds > 0.93


def test_the_order_of_the_rows_does_not_matter(rng):
    X, y = _rows(rng)
    order = rng.permutation(len(y))
    one = SetCoveringMachine("stumps", by="cv", candidates=40).fit(X, y)
    other = SetCoveringMachine("stumps", by="cv", candidates=40).fit(X[order], y[order])
    assert one.explain() == other.explain()


def test_weights_costs_groups_and_three_classes(rng):
    X, y = _rows(rng, m=90)
    groups = np.repeat(np.arange(45), 2)
    light = np.where(y == 1, 1.0, 0.01)
    weighed = SetCoveringMachine("stumps", by="cv", candidates=40).fit(X, y, sample_weight=light)
    assert weighed.predict(X)[y == 1].mean() > 0.95
    dear = SetCoveringMachine("stumps", by="cv", candidates=40, costs=(1.0, 50.0)).fit(X, y)
    assert dear.predict(X)[y == 1].mean() > 0.95
    grouped = SetCoveringMachine("stumps", by="cv", candidates=20).fit(X, y, groups=groups)
    assert grouped.certificate_.risk <= 1.0
    three = SetCoveringMachine("stumps", by="cv", candidates=40).fit(
        X, np.digitize(X[:, 0], [-0.5, 0.5])
    )
    assert three.n_training_errors_ < 10


def test_folds_keep_groups_whole_and_classes_even(rng):
    y = np.where(rng.random(60) < 0.3, 1, -1)
    for fold in deal_folds(y, None):
        assert np.ptp(np.bincount(fold[y > 0], minlength=5)) <= 1
    member = np.sort(rng.integers(0, 20, 60))
    for fold in deal_folds(y, Grouping.of(member)):
        assert all(len(set(fold[member == g])) == 1 for g in set(member))


@pytest.mark.parametrize("machine", [SetCoveringMachine, DecisionListMachine])
def test_few_examples_are_fitted(machine):
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    assert machine("stumps", by="cv").fit(X, y).predict(X).shape == (6,)
