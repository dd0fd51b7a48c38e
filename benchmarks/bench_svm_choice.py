"""Choosing (gamma, C) by a criterion against GridSearchCV with ten folds.

Peer: ``GridSearchCV(SVC(), cv=10)`` over the same 110 pairs. Ours: one grid, then the certificate
(or the span estimate) of every machine. Two thirds of the rows choose and train, the rest test;
test errors are printed beside each other.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_choice.py [n_rounds] [data set]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from svm_peers import CS, GAMMAS, interleaved, read

from handful.svm import criteria_table, fit_svm_grid


def main(n_rounds: int = 1, name: str = "pima") -> None:
    X, y = read(name)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]

    def search():
        grid = {"gamma": list(GAMMAS), "C": list(CS)}
        return GridSearchCV(SVC(cache_size=500), grid, cv=10).fit(X[train], y[train])

    for criterion in ("span", "c2"):

        def ours(criterion=criterion):
            grid = fit_svm_grid(X[train], y[train], gammas=GAMMAS, Cs=CS)
            values = criteria_table(grid, names=[criterion])[criterion]
            return grid, int(values.argmin())

        ours()
        ratio, (mine, peer), ((grid, best), found) = interleaved(ours, search, n_rounds)
        errors = (np.sign(grid.decision_function(X[test])[best]) != y[test]).mean()
        theirs = 1 - found.score(X[test], y[test])
        print(
            f"{name}: by {criterion} {mine:.2f} s (test error {errors:.3f}), GridSearchCV "
            f"{peer:.1f} s (test error {theirs:.3f}), ratio {ratio:.0f}"
        )


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
