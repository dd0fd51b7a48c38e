"""Cross-validated paths equal separate fits on each fold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful import SetCoveringMachine
from handful.covering import cross_validate_path
from tests.rules.cases import messy


@pytest.mark.parametrize("rules", ["stumps", "balls", "half-spaces", "two-point"])
def test_a_fold_is_a_fit_on_the_rest(rules, rng):
    X, y = messy(rng, "smooth", m=24)
    order = np.lexsort(X.T[::-1])  # a fit sorts its rows, so that ties do not see their order
    X, y, fold = X[order], y[order], np.arange(24) % 3
    scores = cross_validate_path(
        X, y, rules=rules, kind="conjunction", penalties=[0.8, math.inf], max_rules=2, cv=fold
    )
    n_compared = 0
    for penalty in (0.8, math.inf):
        for size in (1, 2):
            found = scores.errors_at(penalty, size)
            for f in range(3):
                train, test = fold != f, fold == f
                machine = SetCoveringMachine(
                    rules=rules, kind="conjunction", penalty=penalty, max_rules=size,
                    candidates=None,
                ).fit(X[train], y[train])  # fmt: skip
                if found[f] < 0:
                    assert len(machine.rules_) == 0
                else:
                    assert (machine.predict(X[test]) != y[test]).sum() == found[f]
                    n_compared += 1
    assert n_compared >= 6


def test_the_frame_has_every_size(rng):
    X, y = messy(rng, "smooth", m=30)
    scores = cross_validate_path(X, y, rules="balls", penalties=[1.0], max_rules=3, cv=5)
    frame = scores.frame()
    assert set(frame["fold"]) == set(range(5))
    assert (frame["n_test"] == 6).all()
    assert frame["n_rules"].max() == 3
    assert (frame["n_errors"] <= frame["n_test"]).all()
    assert (frame["n_compressed"] >= 1).all()
