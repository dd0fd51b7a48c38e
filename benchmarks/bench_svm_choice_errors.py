"""Test errors of support vector machines chosen by certificate, by criteria, by cross-validation.

Ten folds of the six data sets of the set covering machine paper; on the nine tenths a grid of 42
Gaussian machines is fitted and one is chosen; errors are summed over the folds. The certificate
grows with the number of examples of margin at most one, so that number chooses. "best" looks at the
test fold itself, which nobody can. Once on raw features, once on features divided by their standard
deviation.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_choice_errors.py
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from svm_peers import read

from handful.papers.scm_2003 import paper_folds
from handful.svm import criteria_table, fit_svm_grid

NAMES = ("breastw", "pima", "haberman-294", "bupa", "glass-2class", "credit")
CRITERIA = ("span", "c2", "c3")
PENALTIES = 10.0 ** np.arange(-1, 5)


def widths(X, is_scaled):
    """Seven widths a decade apart, around one over the number of features where scaled."""
    return 10.0 ** np.arange(-4, 3) / X.shape[1] if is_scaled else 10.0 ** np.arange(-6, 1)


def fitted(X, y, gammas, rows):
    """The grid on the rows."""
    return fit_svm_grid(X[rows], y[rows], gammas=gammas, Cs=PENALTIES)


def wrong(grid, X, y):
    """Errors of every machine."""
    return (np.sign(grid.decision_function(X)) != y).sum(axis=1)


def cross_validated(X, y, gammas, rows):
    """Errors of every setting in five folds of the rows."""
    part = np.random.RandomState(0).permutation(len(rows)) % 5
    total = 0
    for k in range(5):
        grid = fitted(X, y, gammas, rows[part != k])
        total = total + wrong(grid, X[rows[part == k]], y[rows[part == k]])
    return total


def errors_of(X, y, is_scaled):
    """Summed test errors of every way to choose; ties go to fewer support vectors."""
    gammas, fold = widths(X, is_scaled), paper_folds(len(y))
    found = dict.fromkeys(("certificate", *CRITERIA, "5-fold", "best"), 0)
    for k in range(10):
        rows, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        grid = fitted(X, y, gammas, rows)
        table = criteria_table(grid, names=CRITERIA)
        scores = {by: table[by].to_numpy() for by in CRITERIA}
        scores["certificate"] = np.array([(model.margins <= 1.001).sum() for model in grid])
        scores["5-fold"] = cross_validated(X, y, gammas, rows)
        scores["best"] = n_wrong = wrong(grid, X[test], y[test])
        for by, values in scores.items():
            found[by] += int(n_wrong[np.lexsort([table["n_support"], values])[0]])
    return found


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    for is_scaled in (False, True):
        rows = []
        print("scaled features" if is_scaled else "raw features")
        for name in (*NAMES, "sum"):
            if name == "sum":
                found = {by: sum(row[by] for row in rows) for by in rows[0]}
            else:
                X, y = read(name)
                found = errors_of(X / X.std(axis=0) if is_scaled else X, y, is_scaled)
                rows.append(found)
            print(f"{name:14}", *(f"{by} {n:4}" for by, n in found.items()), sep="  ", flush=True)


if __name__ == "__main__":
    main()
