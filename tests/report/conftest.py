"""Machines of every kind that a report may show, with their data; fitted once."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from handful import (
    CertifiedClassifier,
    DecisionListMachine,
    KernelMatchingPursuitClassifier,
    LPBoost,
    SetCoveringMachine,
    SupportVectorMachine,
)
from handful.datasets import make_axis_rules
from tests.report.browser import Browser, find_browser

mpl.use("Agg")


def _two_classes():
    X, y = make_axis_rules(150, random_state=0)
    return X, np.where(y > 0, "yes", "no")


def _three_classes():
    X, _ = make_axis_rules(150, random_state=0)
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))]


def _words():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=120)
    size = rng.normal(size=120)
    size[:5] = np.nan
    X = pd.DataFrame({"colour": colour, "size": size, "_c$": rng.normal(size=120)})
    return X, (colour == "red") | (size > 1)


CASES = {
    "stumps": (_two_classes, SetCoveringMachine(rules="stumps", candidates=None)),
    "half-spaces": (
        _two_classes,
        SetCoveringMachine(rules="half-spaces", candidates=20, max_rules=2),
    ),
    "balls": (_two_classes, SetCoveringMachine(rules="balls", candidates=20, max_rules=2)),
    "pool": (_two_classes, SetCoveringMachine(rules="linear", random_state=0)),
    "list": (_two_classes, DecisionListMachine(max_rules=3, random_state=0)),
    "costs": (
        _two_classes,
        SetCoveringMachine(rules="stumps", costs=(1.0, 5.0), max_rules=1, random_state=0),
    ),
    "three": (_three_classes, SetCoveringMachine(rules="stumps", random_state=0)),
    "words": (_words, SetCoveringMachine(rules="stumps", candidates=None)),
    "menu": (_two_classes, CertifiedClassifier(["constant", "score card", "linear"])),
    "menu of three": (_three_classes, CertifiedClassifier(["constant", "additive"])),
    "svm": (_two_classes, SupportVectorMachine(gamma=0.5, C=1.0)),
    "boosting": (_two_classes, LPBoost(nu=0.3)),
    "pursuit": (_two_classes, KernelMatchingPursuitClassifier()),
}


class Fitted:
    """A machine and its data, by name."""

    def __init__(self):
        self.made = {}

    def __call__(self, name):
        if name not in self.made:
            make, machine = CASES[name]
            X, y = make()
            self.made[name] = (machine.fit(X, y), X, y)
        return self.made[name]


@pytest.fixture(scope="session")
def fitted():
    """A function: name of a case -> (machine, X, y)."""
    return Fitted()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page of a real browser."""
    executable = find_browser()
    if executable is None:
        pytest.skip("no chromium on this machine: install it to test pages in a browser")
    started = Browser(executable, tmp_path_factory.mktemp("browser"))
    try:
        started.connect()
    except (TimeoutError, OSError) as error:
        started.close()
        pytest.skip(f"{executable} is here but does not run: {error}")
    yield started
    started.close()
