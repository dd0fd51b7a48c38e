"""Every machine by the same calls: saved, loaded, explained, exported, re-checked, or refused.

``python -m tests.test_calls`` prints the table of ``docs/guide/machines.md``, which must be the one
that is made here.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import handful as h
from handful import CertifiedClassifier
from handful.files import Retraining
from handful.tables import read_study
from handful.verify import verify_model

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "machines.md"
CALLS = ("save, load", "explain", "SQL", "Python", "JSON", "card", "verify")
EXPORTS = (h.export_sql, h.export_python, h.export_json, h.export_card)
#: Why a call is refused: words of its error, and how the page says it.
REASONS = {
    "got 3. Export it": "more than two classes",
    "must have two classes": "distances of several sets of rules",
    "no training rows to be a card": "made of training rows",
    "lines that a reader can work": "no lines to work through",
    "has no sums": "each case picks its own scorer",
    "must be a fitted classifier of this library": "no classifier",
    "must be a model or a fitted classifier": "no classifier",
    "must be named": "kernel without a name",
    "vote by stumps or columns": "an estimator of another library",
    "a linear classifier or a support vector machine": "an estimator of another library",
    "no attribute": "not a classifier",
    "Use `handful predict`": "an estimator of another library",
}
STATUS = {"VALID": "yes", "CONSISTENT, NOT VERIFIED": "in part"}


def _kernel(machine: Any) -> Any:
    return lambda X, y: machine.fit(np.asarray(X) @ np.asarray(X).T, y)


def _three(machine: Any) -> Any:
    return lambda X, y: machine.fit(X, np.where(X["c"] > 1.0, "worse", y))


def _numbers(machine: Any) -> Any:
    return lambda X, y: machine.fit(X, X["a"].to_numpy() + X["b"].to_numpy())


def _pairs(machine: Any) -> Any:
    return lambda X, y: machine.fit(X, X)


_TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
_GRID = {"gamma": [0.1, 0.5], "C": [1.0, 10.0]}
MACHINES: dict[str, Any] = {
    "`CertifiedClassifier`, fitted in Python": h.CertifiedClassifier(["one rule", "score card"]),
    '`CertifiedClassifier`, its row "prototypes"': h.CertifiedClassifier(["prototypes"]),
    "`CertifiedClassifier` over your estimator": h.CertifiedClassifier(
        [("mine", make_pipeline(StandardScaler(), LogisticRegression()))]
    ),
    "`ScoreCard`": h.ScoreCard(max_items=3),
    "`SetCoveringMachine`": h.SetCoveringMachine("stumps"),
    '`SetCoveringMachine("balls")`': h.SetCoveringMachine("balls", candidates=30),
    "`SetCoveringMachine`, three classes": _three(h.SetCoveringMachine("stumps")),
    "`DecisionListMachine`": h.DecisionListMachine("stumps"),
    "`AdaBoost`": h.AdaBoost(n_rounds=5),
    "`AdaBoost` over trees": h.AdaBoost(_TREE, n_rounds=3),
    "`LPBoost`": h.LPBoost(nu=0.5),
    "`LPBoostMKL`": h.LPBoostMKL(nu=0.5, tol=1e-3),
    '`SupportVectorMachine("linear")`': h.SupportVectorMachine("linear"),
    '`SupportVectorMachine("rbf")`': h.SupportVectorMachine("rbf", gamma=0.5),
    '`SupportVectorMachine("precomputed")`': _kernel(h.SupportVectorMachine("precomputed")),
    "`KernelPerceptron`": h.KernelPerceptron(gamma=0.5, max_passes=5),
    "`LinearProgrammingMachine`": h.LinearProgrammingMachine(),
    "`MinimalComplexityMachine`": h.MinimalComplexityMachine(),
    "`KernelMatchingPursuitClassifier`": h.KernelMatchingPursuitClassifier(4),
    "`NonconformityClassifier`": h.NonconformityClassifier(param_grid=_GRID, calibration_size=0.3),
    "`PickToLearn(LogisticRegression())`": h.PickToLearn(LogisticRegression()),
    "`PickToLearn` over trees": h.PickToLearn(_TREE),
    "`BoundSearch`": h.BoundSearch(h.SetCoveringMachine("stumps"), {"penalty": [1.0, 2.0]}),
    "`KernelMatchingPursuitRegressor`": _numbers(h.KernelMatchingPursuitRegressor(4)),
    "`MinimalComplexityRegressor`": _numbers(h.MinimalComplexityRegressor()),
    "`SparseKernelPCA`": _numbers(h.SparseKernelPCA()),
    "`SparseKernelCCA`": _pairs(h.SparseKernelCCA()),
}


@cache
def data() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(120, 3)).round(2), columns=["a", "b", "c"])
    return X, np.where(X["a"] - X["b"] + 0.5 * rng.normal(size=120) > 0, "ill", "well")


def _allowed(call: Callable[..., Any]) -> tuple[str, Any]:
    """What a call answers, alone or with leave to write training rows."""
    for said, options in (("yes", {}), ("with rows", {"include_rows": True})):
        try:
            return said, call(**options)
        except ValueError as error:
            if "include_rows" not in str(error):
                return _reason(error), None
        except (TypeError, AttributeError) as error:
            return _reason(error), None
    raise AssertionError("leave to write rows was not enough")


def _reason(error: Exception) -> str:
    """How the page names a refusal; one that it does not know fails."""
    known = [text for words, text in REASONS.items() if words in str(error)]
    assert known, f"the page has no words for: {error}"
    return f"no: {known[0]}"


def _verdict(machine: Any, path: Path, y: Any) -> str:
    X, _ = data()
    if hasattr(machine, "classes_") and len(machine.classes_) == 3:
        y = np.where(X["c"] > 1.0, "worse", y)
    if isinstance(machine, CertifiedClassifier):  # read from a table: it can be trained again
        frame = X.assign(y=y)
        return STATUS[verify_model(path, frame, library=Retraining(path, frame)).status]
    return STATUS[h.verify_model(path, X, y).status]


def row(name: str) -> Iterator[str]:
    """The cells of one machine."""
    X, y = data()
    make = MACHINES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = make.fit(X, y) if hasattr(make, "fit") else make(X, y)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.json"
            said, _ = _allowed(partial(h.save_model, machine, path, data=(X, y)))
            yield said
            if path.exists():
                model = h.load_model(path)
                assert model.predict(X).tolist() == machine.predict(X).tolist()
            yield "yes" if hasattr(machine, "explain") and machine.explain() else "no"
            for export in EXPORTS:
                yield _allowed(partial(export, machine))[0]
            yield _verdict(machine, path, y) if path.exists() else "no file"


def raw_row() -> list[str]:
    """A menu of a raw table: written with it, so that it can be trained again."""
    X, y = data()
    frame = X.assign(outcome=y)
    study = read_study(frame)
    machine = CertifiedClassifier(["one rule", "score card"]).fit(study)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.json"
        h.save_model(machine, path)
        model = h.load_model(path)
        assert model.predict(frame).tolist() == machine.predict(study.table).tolist()
        exported = [_allowed(partial(e, model))[0] for e in EXPORTS]
        status = STATUS[verify_model(path, frame, library=Retraining(path, frame)).status]
    return ["yes", "yes", *exported, status]


def table() -> str:
    """The table of the page."""
    first = ("`CertifiedClassifier` of a raw table (`handful certify`)", raw_row())
    rows = [first, *((name, list(row(name))) for name in MACHINES)]
    lines = [f"| machine | {' | '.join(CALLS)} |", "|---" * (len(CALLS) + 1) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)])


def _stated() -> dict[str, list[str]]:
    lines = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
    ]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells}


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", sorted(MACHINES))
def test_the_page_says_what_each_machine_can_do(name):
    assert _stated()[name] == list(row(name))


def test_the_page_has_every_machine():
    stated = _stated()
    assert stated["machine"] == list(CALLS)
    assert len(stated) == len(MACHINES) + 2
    first = next(name for name in stated if "raw table" in name)
    assert stated[first] == raw_row()
    named = {name.split("`")[1].split("(")[0] for name in stated if "`" in name}
    assert named >= {
        name
        for name in h.__all__
        if hasattr(getattr(h, name), "fit") and isinstance(getattr(h, name), type)
    }


if __name__ == "__main__":
    print(table())
