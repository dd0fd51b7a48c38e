"""Test errors of support vector machines chosen by certificate, by criteria, by cross-validation.

Ten folds of the six data sets of the set covering machine paper; on the nine tenths a grid of 42
Gaussian machines is fitted and one is chosen; errors are summed over the folds. "best" chooses by
the test fold itself, which nobody can. Once on raw features, once on features divided by their
standard deviation.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_choice_errors.py
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from svm_peers import read, timed

from handful import BoundSearch, SupportVectorMachine
from handful.papers.scm_2003 import paper_folds
from handful.svm import fit_svm_grid

NAMES = ("breastw", "pima", "haberman-294", "bupa", "glass-2class", "credit")
CRITERIA = ("certificate", "span", "c2", "c3")
PENALTIES = 10.0 ** np.arange(-1, 5)


def widths(X, is_scaled):
    """Seven widths a decade apart, around one over the number of features where scaled."""
    return 10.0 ** np.arange(-4, 3) / X.shape[1] if is_scaled else 10.0 ** np.arange(-6, 1)


def wrong(X, y, gammas, rows, new):
    """Errors on the new rows of every machine of the grid fitted on the rows."""
    grid = fit_svm_grid(X[rows], y[rows], gammas=gammas, Cs=PENALTIES)
    return (np.sign(grid.decision_function(X[new])) != y[new]).sum(axis=1)


def by_cross_validation(X, y, gammas, rows):
    """Index of the machine with the fewest errors in five folds of the rows."""
    part = np.random.RandomState(0).permutation(len(rows)) % 5
    total = sum(wrong(X, y, gammas, rows[part != k], rows[part == k]) for k in range(5))
    return int(np.argmin(total))


def errors_of(X, y, is_scaled):
    """Summed test errors and seconds of every way to choose."""
    gammas, fold = widths(X, is_scaled), paper_folds(len(y))
    grid = {"gamma": list(gammas), "C": list(PENALTIES)}
    found = {by: np.zeros(2) for by in (*CRITERIA, "5-fold", "best")}
    for k in range(10):
        rows, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        for by in CRITERIA:
            search = BoundSearch(SupportVectorMachine(), grid, by=by)
            seconds, machine = timed(search.fit, X[rows], y[rows])
            found[by] += (machine.predict(X[test]) != y[test]).sum(), seconds
        all_wrong = wrong(X, y, gammas, rows, test)
        seconds, chosen = timed(by_cross_validation, X, y, gammas, rows)
        found["5-fold"] += all_wrong[chosen], seconds
        found["best"] += all_wrong.min(), 0.0
    return found


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    for is_scaled in (False, True):
        rows = []
        print("scaled features" if is_scaled else "raw features")
        for name in NAMES:
            X, y = read(name)
            found = errors_of(X / X.std(axis=0) if is_scaled else X, y, is_scaled)
            rows.append(found)
            print(f"{name:14}", *(f"{by} {int(n):4}" for by, (n, _) in found.items()), sep="  ")
        for index, title in ((0, "sum"), (1, "seconds")):
            sums = {by: sum(row[by][index] for row in rows) for by in rows[0]}
            print(f"{title:14}", *(f"{by} {n:4.0f}" for by, n in sums.items()), sep="  ")


if __name__ == "__main__":
    main()
