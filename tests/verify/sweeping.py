"""Every kind of model file with its table, prepared once, for the sweep of forgeries."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import CertifiedClassifier, SetCoveringMachine, load_model
from handful.files import Protocol, Retraining, model_to_dict, save_model
from handful.files.document import to_text
from handful.tables import Choices, read_study
from handful.verify import Verdict, Verifier
from tests.verify.cases import MACHINES, case
from tests.verify.cases_forms import frame
from tests.verify.cases_scores import SCORES

PLAIN = ("constant", "one rule", "rule list", "score card", "linear", "additive", "prototypes")
MORE = (
    "protocol",
    "goal",
    "band",
    "case first",
    "three classes",
    "groups mean",
    "groups any",
    "estimator",
)


PROTOCOL = Protocol(
    date="2026-03-01",
    candidates=("linear", "one rule"),
    delta=0.1,
    columns=Choices(target="y", positive="ill"),
)


@dataclass(frozen=True)
class Kind:
    """A file as plain data, who checks it, and its table."""

    document: Any
    check: Callable[[Any], Verdict]
    table: Any
    folder: Path
    values: Any  # numbers of the table, one sorted array for all columns
    truth: Any = None  # labels and pool, where the errors of other numbers can be stated

    def loaded(self, document: Any) -> Any:
        """What a user gets of a document; None where it is refused."""
        path = self.folder / "m.json"
        path.write_text(to_text(document))
        try:
            return load_model(path)
        except ValueError:
            return None


def form_names() -> list[str]:
    return [*(f"form: {name}" for name in PLAIN), *(f"form: {name}" for name in MORE)]


def model_names() -> list[str]:
    covers = sorted(set(MACHINES) - {"no-seed"})
    return [*(f"cover: {name}" for name in covers), "cover: groups",
            *(f"score: {name}" for name in sorted(SCORES))]  # fmt: skip


def _numbers(table: Any) -> Any:
    values = pd.DataFrame(table).select_dtypes("number").to_numpy(dtype=float).ravel()
    return np.unique(values[np.isfinite(values)])


@cache
def _menu() -> Any:
    study = read_study(frame())
    return study, Choices(), CertifiedClassifier(list(PLAIN)).fit(study)


@cache
def _grouped() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    who, level = np.repeat(np.arange(60), 6), rng.normal(size=360)
    ill = level + 0.8 * rng.normal(size=360) > 0
    return pd.DataFrame({"who": who, "level": level.round(3), "y": np.where(ill, "ill", "well")})


def _form(name: str) -> tuple[Any, Any, Any, Any, Any]:
    """Table, study, choices, machine, band."""
    if name in PLAIN:
        study, choices, machine = _menu()
        return frame(), study, choices, machine.choose(name), None
    if name.startswith("groups"):
        choices = Choices(groups="who")
        study = read_study(_grouped(), choices)
        machine = CertifiedClassifier(["one rule"], group_loss=name.split()[1]).fit(study)
        return _grouped(), study, choices, machine, None
    table, choices = frame(), Choices(positive="well" if name == "case first" else None)
    forms: list[Any] = ["linear", "one rule"]
    if name == "three classes":
        table = table.assign(y=np.where(table["a"] > 1.0, "worse", table["y"]))
    if name == "estimator":
        forms = [("mine", make_pipeline(StandardScaler(), LogisticRegression()))]
        table = table[["a", "stage", "y"]].assign(stage=lambda t: t["stage"].str.len() * 1.0)
    study = read_study(table, choices)
    machine = CertifiedClassifier(forms).fit(study)
    if name == "goal":
        machine = machine.reach(sensitivity=0.5)
    if name == "protocol":  # which was followed
        machine = PROTOCOL.learn(table)
    band = None
    if name == "band":
        machine = machine.choose("linear")
        band = min(machine.bands(), key=lambda one: one.errs_at_most)
    return table, study, choices, machine, band


def make_form(name: str, folder: Path) -> Kind:
    """The file of a menu's form; its training is done again once."""
    table, study, choices, machine, band = _form(name)
    path = folder / "m.json"
    followed = PROTOCOL if name == "protocol" else None
    save_model(machine, path, band=band, include_rows=True, protocol=followed)
    verifier = Verifier(table, library=Retraining(path, table))
    document = json.loads(path.read_text())
    beside = document["training"]["estimators_sha256"] or ""
    is_simple = choices.groups is None and band is None and not beside
    truth = (study.y, machine.held_back_) if is_simple else None
    return Kind(document, lambda d: verifier.check(d, beside=beside), table, folder,
                _numbers(table), truth)  # fmt: skip


def make_model(name: str, folder: Path) -> Kind:
    """The file of a machine."""
    if name != "groups":
        found = case(name)
        verifier = Verifier(found.X, found.y)
        return Kind(json.loads(found.text), verifier.check, found.X, folder, _numbers(found.X))
    table = _grouped()
    X, groups = table[["level"]], table["who"].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = SetCoveringMachine("stumps").fit(X, table["y"], groups=groups)
    document = json.loads(to_text(model_to_dict(machine, include_rows=True)))
    verifier = Verifier(X, table["y"].to_numpy(), groups)
    return Kind(document, verifier.check, X, folder, _numbers(X))


def make(name: str, folder: Path) -> Kind:
    """A kind of file by its name."""
    family, _, own = name.partition(": ")
    return make_form(own, folder) if family == "form" else make_model(own, folder)
