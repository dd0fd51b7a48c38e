"""Errors of the machines of the documents, chosen as before and as now, and of their peers.

Five folds of fourteen tables and of four of scikit-learn (totals over these and eleven others were
seen while the penalties and sizes of covering machines were set); the same folds for
all; errors are summed over the folds. ``certificate`` and ``C = 1``, ``100`` are the defaults,
``cv`` and ``auto`` choose inside the training part. Linear and boosted machines see columns
divided by the standard deviation of the training part, covering machines raw columns. Seconds are
processor time of one thread, a fit.

Peers: pyscm (SetCoveringMachineClassifier by GridSearchCV over kind, p and max_rules), FIGS of
imodels with its defaults, scikit-learn's LinearSVC(penalty="l1") by GridSearchCV over the same C,
and its AdaBoostClassifier. pyscm and imodels may live in an environment of their own: its
interpreter is ``--peers``.

    HANDFUL_DATA=FOLDER OMP_NUM_THREADS=1 python benchmarks/bench_document_machines.py \
        [--peers PYTHON] [JOB ...]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

TABLES = (
    *("australian", "heart-statlog", "german", "ilpd", "ionosphere", "plrx", "tic-tac-toe"),
    *("transfusion", "wholesale", "hepatitis", "fertility", "blogger", "flare-solar", "promoters"),
    *("sklearn breast_cancer", "sklearn wine", "sklearn iris", "sklearn digits"),
)
RARE = {"sklearn breast_cancer": 0, "sklearn wine": 1, "sklearn iris": 1, "sklearn digits": 8}
PENALTIES = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 100.0)
PRICES = tuple((10.0 ** np.arange(-3.0, 3.25, 0.5)).tolist())


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and labels in {0, 1}: the rarer class (or the first of several) is 1."""
    if name in RARE:
        data = getattr(datasets, f"load_{name.split()[1]}")()
        return data.data, (data.target == RARE[name]).astype(int)
    frame = pd.read_csv(Path(os.environ["HANDFUL_DATA"]) / "csv" / f"{name}.csv", na_values=["?"])
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    words = [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]
    X = X.fillna({c: X[c].median() for c in X if c not in words})
    X = pd.get_dummies(X, columns=words).astype(float)
    return X.to_numpy(), (y == y.value_counts().index[-1]).to_numpy().astype(int)


def _pyscm():
    from pyscm import SetCoveringMachineClassifier

    kinds, sizes = ["conjunction", "disjunction"], list(range(1, 11))
    grid = {"model_type": kinds, "p": PENALTIES, "max_rules": sizes}
    return GridSearchCV(SetCoveringMachineClassifier(random_state=0), grid, cv=5)


def _figs():
    from imodels import FIGSClassifier

    return FIGSClassifier()


def _machine(name: str, *args, **options):
    def make():
        import handful

        return getattr(handful, name)(*args, **options)

    return make


def _lasso():
    svc = LinearSVC(penalty="l1", dual=False, max_iter=3000)
    return GridSearchCV(svc, {"C": PRICES}, cv=5)


class _OldChoice:
    """LPBoost that tries every fraction on all rows, to a gap of 1e-3."""

    def __init__(self):
        self.machine = _machine("LPBoost")()

    def fit(self, X, y):
        old = {"ROUGH": 1e-3, "_PATIENCE": 99, "_MOST_CHOOSING": len(y)}
        with mock.patch.multiple("handful.boosting.solver", **old):
            self.machines_ = self.machine.fit(X, y).machines_
        return self

    def predict(self, X):
        return self.machine.predict(X)


PEERS = {"stumps": {"pyscm, cv": _pyscm}, "lists": {"FIGS": _figs}}
OURS = {
    "stumps": {
        "certificate": _machine("SetCoveringMachine", "stumps"),
        "cv": _machine("SetCoveringMachine", "stumps", by="cv"),
    },
    "lists": {
        "certificate": _machine("DecisionListMachine"),
        "cv": _machine("DecisionListMachine", by="cv"),
    },
    "balls": {
        "certificate": _machine("SetCoveringMachine", "balls"),
        "cv": _machine("SetCoveringMachine", "balls", by="cv"),
    },
    "half-spaces": {
        "certificate": _machine("SetCoveringMachine", "half-spaces"),
        "cv": _machine("SetCoveringMachine", "half-spaces", by="cv"),
    },
    "1-norm SVM": {
        "C = 1": _machine("LinearProgrammingMachine"),
        "auto": _machine("LinearProgrammingMachine", C="auto"),
        "LinearSVC l1, cv": _lasso,
    },
    "MCM": {
        "C = 1": _machine("MinimalComplexityMachine"),
        "auto": _machine("MinimalComplexityMachine", C="auto"),
    },
    "kernel MCM": {
        "C = 1": _machine("MinimalComplexityMachine", "rbf"),
        "auto": _machine("MinimalComplexityMachine", "rbf", C="auto"),
    },
    "AdaBoost": {
        "100": _machine("AdaBoost"),
        "auto": _machine("AdaBoost", n_rounds="auto"),
        "scikit-learn, 50": lambda: AdaBoostClassifier(random_state=0),
        "scikit-learn, 100": lambda: AdaBoostClassifier(n_estimators=100, random_state=0),
    },
    "LPBoost": {"before": _OldChoice, "now": _machine("LPBoost")},
}
RAW = ("stumps", "lists", "balls", "half-spaces")


def size_of(machine) -> int:
    """Rules, features, support vectors, splits or rounds."""
    machine = getattr(machine, "best_estimator_", machine)
    if hasattr(machine, "complexity_"):
        return int(machine.complexity_)
    if hasattr(machine, "model_"):
        return len(machine.model_)
    if hasattr(machine, "rules_"):
        return len(machine.rules_)
    if hasattr(machine, "support_"):
        return len(machine.support_)
    if hasattr(machine, "coef_"):
        size = np.abs(machine.coef_)
        return int((size > 1e-7 * size.max()).sum())
    return len(getattr(machine, "estimators_", None) or machine.machines_[0].weights)


def run(makers, name: str, is_raw: bool) -> dict[str, list[float]]:
    """Errors, size and seconds of each machine over the folds of a table."""
    X, y = load(name)
    found = defaultdict(lambda: [0.0, 0.0, 0.0])
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        scale = StandardScaler(with_mean=not is_raw, with_std=not is_raw).fit(X[train])
        A, B = scale.transform(X[train]), scale.transform(X[test])
        for key, make in makers.items():
            machine, start = make(), time.process_time()
            machine.fit(A, y[train])
            seconds = time.process_time() - start
            errors = int((machine.predict(B) != y[test]).sum())
            found[key] = [
                a + b for a, b in zip(found[key], (errors, size_of(machine), seconds), strict=True)
            ]
    return {key: [e, s / 5, t / 5] for key, (e, s, t) in found.items()}


def peers(job: str, name: str, python: str | None) -> dict[str, list[float]]:
    """The same of peers, in their interpreter; nothing if they are not there."""
    if job not in PEERS or python is None:
        return {}
    command = [python, __file__, "--as-peer", name, job]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("jobs", nargs="*", default=list(OURS))
    parser.add_argument("--peers")
    parser.add_argument("--as-peer")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.as_peer:
        (job,) = options.jobs
        print(json.dumps(run(PEERS[job], options.as_peer, True)))
        return
    for job in options.jobs:
        total = defaultdict(lambda: [0.0, 0.0, 0.0])
        for name in TABLES:
            found = run(OURS[job], name, job in RAW) | peers(job, name, options.peers)
            show(job, name, found)
            for key, values in found.items():
                total[key] = [a + b for a, b in zip(total[key], values, strict=True)]
        n = len(TABLES)
        show(job, "total", {key: [e, s / n, t / n] for key, (e, s, t) in total.items()})


def show(job: str, name: str, found: dict[str, list[float]]) -> None:
    """One line a table."""
    cells = (f"{key} {e:.0f} ({s:.1f}, {t:.2f} s)" for key, (e, s, t) in found.items())
    print(f"{job:12} {name:22}", *cells, sep="  ", flush=True)


if __name__ == "__main__":
    sys.exit(main())
