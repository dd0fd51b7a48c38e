"""Choosing (gamma, C) by ``BoundSearch`` against GridSearchCV with ten folds.

Peer: ``GridSearchCV(SVC(), cv=10)`` over the same pairs. Ours: ``BoundSearch(SVC(), grid)``, which
fits the grid once, chooses by a criterion and certifies the chosen machine for the whole grid.
First 42 pairs on 400 rows of scaled data, then 110 pairs on two thirds of the raw data; the other
rows give the test errors.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_choice.py [n_rounds] [data set]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from svm_peers import CS, GAMMAS, interleaved, read

from handful import BoundSearch


def compare(label, X, y, train, test, grid, n_rounds):
    """Print one line a criterion."""

    def search():
        return GridSearchCV(SVC(cache_size=500), grid, cv=10).fit(X[train], y[train])

    n_models = len(grid["gamma"]) * len(grid["C"])
    for by in ("span", "c2"):

        def ours(by=by):
            return BoundSearch(SVC(), param_grid=grid, by=by).fit(X[train], y[train])

        ours()
        ratio, (mine, peer), (chosen, found) = interleaved(ours, search, n_rounds)
        errors = 1 - chosen.score(X[test], y[test])
        theirs = 1 - found.score(X[test], y[test])
        print(
            f"{label}, {len(train)} rows, {n_models} models: by {by} {mine:.2f} s (test error "
            f"{errors:.3f}, certificate {chosen.certificate_.risk:.3f}), GridSearchCV "
            f"{peer:.1f} s (test error {theirs:.3f}), ratio {ratio:.0f}"
        )


def main(n_rounds: int = 3, name: str = "pima") -> None:
    X, y = read(name)
    order = np.random.default_rng(0).permutation(len(y))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    small = {"gamma": list(10.0 ** np.arange(-5, 2)), "C": list(10.0 ** np.arange(-1, 5))}
    compare(f"{name} scaled", scaled, y, order[:400], order[400:], small, n_rounds)
    large = {"gamma": list(GAMMAS), "C": list(CS)}
    two_thirds = 2 * len(y) // 3
    compare(f"{name} raw", X, y, order[:two_thirds], order[two_thirds:], large, 1)


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
