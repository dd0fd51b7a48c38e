"""Files of a menu's forms to tamper with, and a re-check that trains again only where it must."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from handful import CertifiedClassifier
from handful.files import Retraining, model_to_dict
from handful.files.document import to_text
from handful.tables import read_study

FORMS = ("constant", "one rule", "rule list", "score card", "linear", "prototypes")


@cache
def frame() -> pd.DataFrame:
    """Numbers with gaps, words, an order of words, two classes."""
    rng = np.random.default_rng(3)
    n = 150
    X = rng.normal(size=(n, 2)).round(2)
    colour = rng.choice(["red", "green", "blue"], n)
    ill = X[:, 0] - X[:, 1] + (colour == "red") + 0.5 * rng.normal(size=n) > 0
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": colour})
    table["stage"] = rng.choice(["I", "II", "III"], n)
    table["y"] = np.where(ill, "ill", "well")
    table.loc[::17, "b"] = np.nan
    return table


@cache
def _machine() -> tuple[Any, Any]:
    study = read_study(frame())
    return study, CertifiedClassifier(list(FORMS)).fit(study)


def default_form() -> str:
    """The row that the tolerance chooses."""
    return str(_machine()[1].chosen_)


@cache
def form_text(name: str) -> str:
    """The model file of one row of the menu."""
    study, machine = _machine()
    source = {"file": "table", "target": study.target}
    return to_text(model_to_dict(machine.choose(name), source=source, include_rows=True))


def by_class(name: str) -> Any:
    """Counted rows of each class and errors among them, for one row of the menu."""
    return _machine()[1].choose(name).candidate_.counts.by_class


@cache
def _trained(document: str, path: str) -> Any:
    return Retraining(path, frame()).train(json.loads(document))


class CachedRetraining:
    """The library's retraining, once for every way of training that is asked for."""

    def __init__(self, path: Any) -> None:
        self.path = str(path)

    def train(self, document: Any) -> Any:
        training = document["training"]
        told = {k: v for k, v in training.items() if k not in ("rank", "n_candidates")}
        data = {"reading": document["data"]["reading"]}
        return _trained(json.dumps({"training": told, "data": data}, sort_keys=True), self.path)

    def estimators(self, digest: str) -> Any:
        return Retraining(self.path, frame()).estimators(digest)
