"""Model files to tamper with, and how to do it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from handful import BoundSearch, DecisionListMachine, SetCoveringMachine, load_dataset
from handful.files import model_to_dict
from handful.files.document import to_text
from handful.verify import content_hash
from tests.verify.cases_scores import SCORES

HASH = re.compile(r'"content_sha256": "[0-9a-f]{64}"')
MACHINES: dict[str, tuple[str, Any]] = {
    "plain": ("breastw", SetCoveringMachine("linear", random_state=7)),
    "pool": ("breastw", SetCoveringMachine(random_state=2)),
    "pool-cost": ("breastw", SetCoveringMachine(costs=(1.0, 5.0), random_state=1)),
    "pool-two-rules": ("glass-2class", SetCoveringMachine(random_state=0)),
    "constant": ("haberman-294", SetCoveringMachine(random_state=0)),
    "no-rule": ("haberman-294", SetCoveringMachine("stumps", candidates=40, random_state=0)),
    "stumps": ("breastw", SetCoveringMachine("stumps", candidates=40, random_state=0)),
    "balls": (
        "glass-2class",
        SetCoveringMachine("balls", metric="manhattan", candidates=40, random_state=0),
    ),
    "balls-from-pool": ("glass-2class", SetCoveringMachine("balls", random_state=0)),
    "half-spaces": (
        "glass-2class",
        SetCoveringMachine("half-spaces", kernel="rbf", candidates=30, max_rules=3, random_state=0),
    ),
    "all-half-spaces": (
        "haberman-294",
        SetCoveringMachine("half-spaces", kernel=["rbf", "linear"], candidates=None, max_rules=2),
    ),
    "two-point": (
        "glass-2class",
        SetCoveringMachine("two-point", candidates=30, max_rules=2, random_state=0),
    ),
    "mixed": (
        "glass-2class",
        SetCoveringMachine(["stumps", "balls"], candidates=30, max_rules=3, random_state=0),
    ),
    "list": ("breastw", DecisionListMachine(candidates=40, max_rules=3, random_state=0)),
    "list-from-pool": ("glass-2class", DecisionListMachine(random_state=0)),
    "by-folds": ("glass-2class", SetCoveringMachine("balls", by="cv", random_state=0)),
    "list-by-folds": (
        "glass-2class",
        DecisionListMachine(penalty=1.0, max_rules=4, by="cv", random_state=0),
    ),
    "words": ("words", SetCoveringMachine(random_state=0)),
    "three-classes": ("iris", SetCoveringMachine(random_state=0)),
    "search": (
        "breastw",
        BoundSearch(
            SetCoveringMachine(candidates=40, random_state=0),
            param_grid={"rules": ["stumps", "balls"], "penalty": [1.0, 2.0]},
        ),
    ),
    "digest": ("breastw", SetCoveringMachine("stumps")),
    "digest-pool": ("breastw", SetCoveringMachine()),
    "digest-plain": ("haberman-294", SetCoveringMachine()),
}


@dataclass(frozen=True)
class Case:
    """A model file with its training data."""

    text: str
    X: Any
    y: Any


def _data(name: str) -> tuple[Any, Any]:
    if name == "iris":
        from sklearn.datasets import load_iris

        return load_iris(return_X_y=True, as_frame=True)
    if name == "opposite":  # few different rows, many times: margins near 1
        rng = np.random.default_rng(2)
        y = rng.integers(0, 2, 1500)
        angles = np.pi * y + rng.integers(-3, 4, 1500) / 20.0
        return np.column_stack([np.cos(angles), np.sin(angles)]).round(3), y
    if name != "words":
        data = load_dataset(name)
        return data.X, np.where(data.y > 0, "yes", "no")
    rng = np.random.default_rng(5)
    colour = rng.choice(["red", "green", "blue"], 120)
    size = np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120))
    y = np.where((colour == "red") | (rng.random(120) < 0.05), "a", "b")
    return pd.DataFrame({"colour": colour, "size": size}), y


@cache
def case(name: str) -> Case:
    """A fitted machine as the text of its model file."""
    source, machine = MACHINES[name] if name in MACHINES else SCORES[name]
    X, y = _data(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constant and trivial machines are files too
        machine.fit(X, y)
    data = None if name in MACHINES else (X, y)
    certificate = machine.certify(bound="compression") if name == "picked-compression" else None
    document = model_to_dict(machine, data=data, certificate=certificate, include_rows=True)
    return Case(to_text(document), X, y)


def reseal(text: str) -> str:
    """The same text with a hash that fits: what a tamperer would do."""
    return HASH.sub(f'"content_sha256": "{content_hash(text)}"', text)
