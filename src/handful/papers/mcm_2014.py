"""Tables 2 to 4 of the minimal complexity machine paper, and sparsity against accuracy.

Jayadeva (2015), Learning a hyperplane classifier by minimizing an exact bound on the VC
dimension, Neurocomputing 149, 683-689.

Protocol: five stratified folds; features scaled by the training part of each fold; the setting
with the best mean accuracy over the five folds is reported, for the support vector machine too.
A choice on the reported folds is optimistic; the paper does not say that it did otherwise. The
largest f predicts the class, so accuracies are true multi-class accuracies.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful.papers.paper_data import Folder, read_numbers
from handful.papers.paper_registry import MakeTable, TableRun, expected, noted
from handful.programs import DegenerateMachineWarning, MinimalComplexityMachine
from handful.tables import FittedScalingWarning

#: Data set of the paper -> file. Secom and tian are not stored; sorlie has five classes, not two.
SPEC: dict[str, str] = {
    "blogger": "blogger.csv",
    "fertility": "fertility.csv",
    "promoters": "promoters.csv",
    "echocardiogram": "echocardiogram.csv",
    "teaching-assistant": "teaching-assistant.csv",
    "hepatitis": "mcm-hepatitis.csv",
    "hayes": "hayes-roth.csv",
    "plrx": "plrx.csv",
    "seeds": "seeds.csv",
    "glass": "glass.csv",
    "heart-statlog": "heart-statlog.csv",
    "horse-colic": "mcm-horse-colic.csv",
    "haberman": "haberman.csv",
    "ecoli": "ecoli.csv",
    "house-voters": "house-voters.csv",
    "wholesale": "wholesale.csv",
    "ipld": "mcm-ilpd.csv",
    "balance": "balance.csv",
    "australian": "australian.csv",
    "crx": "mcm-crx.csv",
    "transfusion": "transfusion.csv",
    "tic-tac-toe": "tic-tac-toe.csv",
}
QUICK = ("blogger", "fertility", "hayes", "haberman")
N_FOLDS = 5  # as in the paper
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)  # for both machines
KERNEL_COSTS = (0.1, 1.0, 10.0)  # each with every width below
#: Widths of the Gaussian kernel, times the number of features.
WIDTHS = (0.1, 1.0, 10.0)

#: Published cells that cannot have been measured as described: (table, data set, column).
DOUBTS: dict[tuple[str, str, str], str] = {
    (
        "table3",
        "fertility",
        "n_support",
    ): "std is twice the mean: no support vector in 4 of 5 folds",
    ("table3", "plrx", "n_support"): "std is twice the mean: no support vector in 4 of 5 folds",
    ("table3", "crx", "n_support"): "std is twice the mean: no support vector in 4 of 5 folds",
    ("table3", "hayes", "n_support"): "equals the h of Table 4 (copied)",
    ("table3", "house-voters", "seconds"): "equals the h of Table 4 (copied)",
    ("table3", "plrx", "svm_seconds"): "std is forty times the mean",
    ("table3", "hepatitis", "n_support"): "20 in every fold is the number of features plus one",
    ("table3", "tic-tac-toe", "n_support"): "10 in every fold is the number of features plus one",
    ("table4", "promoters", "linear_h"): "same as echocardiogram (copied)",
    ("table4", "echocardiogram", "linear_h"): "same as promoters (copied)",
    ("table4", "ipld", "linear_h"): "h = 1 and majority accuracy: the constant classifier",
    ("table4", "seeds", "kernel_h"): "above 1, impossible at an optimum with a nonsingular kernel",
    ("table4", "echocardiogram", "kernel_h"): (
        "above 1, impossible at an optimum with a nonsingular kernel"
    ),
}


@dataclass(frozen=True)
class Fold:
    """One fitted machine on one fold."""

    accuracy: float
    binary_accuracy: float
    n_support: float
    h: float
    seconds: float
    is_trivial: bool


@dataclass(frozen=True)
class Result:
    """The best setting of a machine on a data set, over its five folds."""

    setting: str
    folds: tuple[Fold, ...]

    def mean(self, name: str) -> float:
        """Mean of a field over the folds."""
        return float(np.mean([getattr(fold, name) for fold in self.folds]))

    def std(self, name: str) -> float:
        """Population standard deviation of a field over the folds."""
        return float(np.std([getattr(fold, name) for fold in self.folds]))


def files_needed(quick: bool = False, names: tuple[str, ...] | None = None) -> list[str]:
    """Names of the files that are read."""
    return [SPEC[name].removesuffix(".csv") for name in names or _names(quick)]


def load(data_dir: Folder, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of a data set of the paper."""
    X, labels = read_numbers(SPEC[name].removesuffix(".csv"), data_dir)
    return X, labels.astype(int)


def folds(X: np.ndarray, y: np.ndarray, random_state: int) -> Iterator[tuple[Any, ...]]:
    """Scaled training and test parts of the five folds."""
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer than five examples
        parts = list(splitter.split(X, y))
    for train, test in parts:
        scaler = StandardScaler().fit(X[train])
        yield scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def _fit_fold(machine: Any, part: tuple[Any, ...]) -> Fold:
    X, y, X_test, y_test = part
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateMachineWarning)
        warnings.simplefilter("ignore", FittedScalingWarning)  # as in the paper; not certified
        machine.fit(X, y)
    seconds = time.perf_counter() - start
    f = machine.decision_function(X_test)
    codes = np.searchsorted(machine.classes_, y_test)
    if f.ndim == 1:
        right = binary = float(np.mean((f > 0.0) == (codes == 1)))
    else:
        is_own = codes[:, None] == np.arange(f.shape[1])
        right = float(np.mean(np.argmax(f, axis=1) == codes))
        binary = float(np.mean((f > 0.0) == is_own))
    n_support = float(len(machine.support_)) if hasattr(machine, "support_") else np.nan
    h = float(np.mean(machine.h_)) if hasattr(machine, "h_") else np.nan
    trivial = bool(np.all(machine.is_trivial_)) if hasattr(machine, "is_trivial_") else False
    return Fold(right, binary, n_support, h, seconds, trivial)


def best(machines: dict[str, Any], parts: list[tuple[Any, ...]]) -> Result:
    """The machine with the best mean accuracy; ties go to fewer support vectors, then the first."""
    jobs = (delayed(_fit_fold)(machine, part) for machine in machines.values() for part in parts)
    fitted = Parallel()(jobs)
    results = [
        Result(setting, tuple(fitted[k * len(parts) : (k + 1) * len(parts)]))
        for k, setting in enumerate(machines)
    ]
    return max(results, key=lambda r: (round(r.mean("accuracy"), 9), -r.mean("n_support")))


def linear_machines() -> dict[str, dict[str, Any]]:
    """The grids of Table 2."""
    return {
        "mcm": {f"C={C:g}": MinimalComplexityMachine(C=C) for C in COSTS},
        "svm": {f"C={C:g}": SVC(kernel="linear", C=C, max_iter=10**7) for C in COSTS},
    }


def kernel_machines(n_features: int, sparsity: str | float = "auto") -> dict[str, dict[str, Any]]:
    """The grids of Table 3."""
    grid = [(C, width / n_features) for C, width in product(KERNEL_COSTS, WIDTHS)]
    return {
        "mcm": {
            f"C={C:g} gamma={gamma:.3g}": MinimalComplexityMachine(
                "rbf", C=C, gamma=gamma, sparsity=sparsity
            )
            for C, gamma in grid
        },
        "svm": {f"C={C:g} gamma={gamma:.3g}": SVC(C=C, gamma=gamma) for C, gamma in grid},
    }


def run_sets(kind: str, run: TableRun) -> dict[str, dict[str, Result]]:
    """Best results of both machines on each data set; ``kind`` is "linear" or "kernel"."""
    folder = str(run.data_dir or os.environ.get("HANDFUL_DATA", ""))
    out = {}
    for name in _names(run.quick):
        run.say(f"{kind} machines on {name}")
        out[name] = _run_set(kind, folder, name, run.random_state)
    return out


@lru_cache(maxsize=64)  # Table 4 uses the machines of Tables 2 and 3
def _run_set(kind: str, folder: str, name: str, random_state: int) -> dict[str, Result]:
    X, y = load(folder or None, name)
    parts = list(folds(X, y, random_state))
    machines = linear_machines() if kind == "linear" else kernel_machines(X.shape[1])
    return {which: best(grid, parts) for which, grid in machines.items()}


def majority(data_dir: Folder, name: str) -> float:
    """Accuracy in percent if the largest class is always predicted."""
    _, counts = np.unique(load(data_dir, name)[1], return_counts=True)
    return 100.0 * float(counts.max()) / float(counts.sum())


def published(table: str) -> Any:
    """The published numbers of a table, indexed by data set."""
    return expected(f"mcm-2014-{table}").set_index("dataset")


def _names(quick: bool) -> tuple[str, ...]:
    return QUICK if quick else tuple(SPEC)


def _frame(rows: list[dict[str, Any]], table: str) -> Any:
    import pandas as pd

    frame = pd.DataFrame(rows).set_index("dataset")
    frame["doubts"] = [
        "; ".join(f"{c}: {why}" for (t, d, c), why in DOUBTS.items() if (t, d) == (table, name))
        for name in frame.index
    ]
    return noted(frame, *NOTES)


NOTES = (
    "The setting with the best mean accuracy over the reported folds was taken, for both "
    "machines: optimistic, and as far as one can tell what the paper did.",
    "The paper's multi-class rows average one-against-rest binary accuracies; compare them with "
    "the column binary_accuracy, not with accuracy.",
    "Cells listed under doubts cannot have been measured as described.",
    "Secom and tian are not stored here; the stored sorlie has five classes where the paper has "
    "two.",
    "Glass: the paper lists ten features, one more than there are measurements; the tenth is the "
    "row number of a file that is sorted by class, which gives the label away. Ours are the nine "
    "measurements (table 'glass' has both).",
    "Promoters: the published 84.93 % with 82.4 support vectors come out with sparsity='paper' "
    "(table 'sparsity'); the default keeps fewer support vectors and loses accuracy there.",
)


def table_2(run: TableRun) -> Any:
    """Linear machines: accuracy and time, ours and theirs."""
    theirs, rows = published("table2"), []
    for name, found in run_sets("linear", run).items():
        rows.append({"dataset": name, **_accuracies(found, theirs.loc[name], run.data_dir, name)})
    return _frame(rows, "table2")


def table_3(run: TableRun) -> Any:
    """Kernel machines: accuracy, support vectors and time, ours and theirs."""
    theirs, rows = published("table3"), []
    for name, found in run_sets("kernel", run).items():
        row = {"dataset": name, **_accuracies(found, theirs.loc[name], run.data_dir, name)}
        for which, prefix in (("mcm", ""), ("svm", "svm_")):
            row[f"{prefix}n_support"] = found[which].mean("n_support")
            row[f"{prefix}n_support_paper"] = theirs.loc[name, f"{prefix}n_support"]
        row["n_support_difference"] = row["n_support"] - row["n_support_paper"]
        rows.append(row)
    return _frame(rows, "table3")


def table_4(run: TableRun) -> Any:
    """Largest margins h of the machines of Tables 2 and 3, ours and theirs."""
    theirs, rows = published("table4"), []
    found = {kind: run_sets(kind, run) for kind in ("kernel", "linear")}
    for name in _names(run.quick):
        row: dict[str, Any] = {"dataset": name}
        for kind, results in found.items():
            ours, paper = results[name]["mcm"].mean("h"), theirs.loc[name, f"{kind}_h"]
            row |= {f"{kind}_h": ours, f"{kind}_h_paper": paper}
            row[f"{kind}_h_difference"] = ours - paper
        rows.append(row)
    return _frame(rows, "table4")


def _accuracies(
    found: dict[str, Result], theirs: Any, data_dir: Folder, name: str
) -> dict[str, Any]:
    mcm, svm = found["mcm"], found["svm"]
    ours = 100.0 * mcm.mean("accuracy")
    return {
        "majority": majority(data_dir, name),
        "accuracy": ours,
        "accuracy_std": 100.0 * mcm.std("accuracy"),
        "binary_accuracy": 100.0 * mcm.mean("binary_accuracy"),
        "accuracy_paper": theirs["accuracy"],
        "difference": 100.0 * mcm.mean("binary_accuracy") - theirs["accuracy"],
        "svm_accuracy": 100.0 * svm.mean("accuracy"),
        "svm_accuracy_paper": theirs["svm_accuracy"],
        "seconds": mcm.mean("seconds"),
        "seconds_paper": theirs["seconds"],
        "svm_seconds": svm.mean("seconds"),
        "constant_folds": sum(fold.is_trivial for fold in mcm.folds),
        "setting": mcm.setting,
    }


def sparsity_table(
    run: TableRun, choices: tuple[str | float, ...] = ("paper", "rank", "l1")
) -> Any:
    """Accuracy and number of support vectors for each choice of ``sparsity``."""
    import pandas as pd

    rows = []
    for name in _names(run.quick):
        X, y = load(run.data_dir, name)
        parts = list(folds(X, y, run.random_state))
        row: dict[str, Any] = {"dataset": name}
        for choice in choices:
            run.say(f"sparsity={choice!r} on {name}")
            found = best(kernel_machines(X.shape[1], choice)["mcm"], parts)
            row[f"{choice} accuracy"] = 100.0 * found.mean("accuracy")
            row[f"{choice} n_support"] = found.mean("n_support")
        rows.append(row)
    return noted(pd.DataFrame(rows).set_index("dataset"), NOTES[0])


def glass_table(run: TableRun) -> Any:
    """Glass without and with its row number as a feature; the paper has ten features."""
    import pandas as pd

    X, y = load(run.data_dir, "glass")
    numbered = np.column_stack([np.arange(len(y), dtype=float), X])
    rows = []
    for features, table in (("nine measurements", X), ("and the row number", numbered)):
        run.say(f"glass, {features}")
        parts = list(folds(table, y, run.random_state))
        row: dict[str, Any] = {"features": features}
        for kind, name in (("linear", "table2"), ("kernel", "table3")):
            grids = linear_machines() if kind == "linear" else kernel_machines(table.shape[1])
            theirs = published(name).loc["glass"]
            row[f"{kind}_binary_accuracy"] = 100.0 * best(grids["mcm"], parts).mean(
                "binary_accuracy"
            )
            row[f"{kind}_paper"] = theirs["accuracy"]
            row[f"{kind}_svm_accuracy"] = 100.0 * best(grids["svm"], parts).mean("accuracy")
            row[f"{kind}_svm_paper"] = theirs["svm_accuracy"]
        rows.append(row)
    return noted(
        pd.DataFrame(rows),
        "Rows of the public file are sorted by class, so that their number gives the label away.",
        "Minimal complexity machines: means over one-against-rest problems, as in the paper; "
        "support vector machines: share of cases whose class is right.",
    )


TABLES: dict[str, MakeTable] = {
    "glass": glass_table,
    "sparsity": sparsity_table,
    "table-2": table_2,
    "table-3": table_3,
    "table-4": table_4,
}
FIGURES: dict[str, Callable[..., Any]] = {}  # the paper's only figure is a flowchart
