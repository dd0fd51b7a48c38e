"""Choosing among 110 Gaussian machines: nonconformity selection against cross-validation.

Peers: scikit-learn's ``GridSearchCV`` with 10 folds over the same grid; the same search with our
grid solver (the paper's comparison: equal solver, 7.3 times); the largest-margin rule. All are
timed in turn in one process on the same split, fit and prediction together. The peers' test
errors are printed beside ours, and the errors must not differ by more than 0.03.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_nonconformity.py [n_rounds]
"""

from __future__ import annotations

import statistics
import sys
from time import perf_counter

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from handful.conformal import PAPER_GRID, NonconformityClassifier
from handful.papers.nonconformity_2009 import _cross_validated


def nonconformity(X, y, Z, seed):
    return NonconformityClassifier(random_state=seed).fit(X, y).predict(Z)


def largest_margin(X, y, Z, seed):
    machine = NonconformityClassifier(select="largest-margin", random_state=seed)
    return machine.fit(X, y).predict(Z)


def training_part(X, y, seed):
    """The part that nonconformity trains on: cross-validation gets the same, as in the paper."""
    rows = np.random.RandomState(seed).permutation(y.size)
    rows = np.sort(rows[min(y.size // 5, 50) :])
    return X[rows], y[rows]


def grid_search(X, y, Z, seed):
    search = GridSearchCV(SVC(), PAPER_GRID, cv=10).fit(*training_part(X, y, seed))
    return search.predict(Z)


def shared_grid_search(X, y, Z, seed):
    chosen = _cross_validated(*training_part(X, y, seed), 10, seed)
    return np.sign(chosen.decision_function(Z)[0])


METHODS = {
    "nonconformity": nonconformity,
    "GridSearchCV(SVC, cv=10)": grid_search,
    "10-fold search, our solver": shared_grid_search,
    "largest margin": largest_margin,
}


def main(n_rounds: int = 3) -> None:
    X, y = make_moons(1300, noise=0.3, random_state=0)
    y = 2.0 * y - 1.0
    nonconformity(X[:60], y[:60], X[:5], 0)  # compile
    seconds = {name: [] for name in METHODS}
    errors = {name: [] for name in METHODS}
    for seed in range(n_rounds):
        rows = np.random.RandomState(100 + seed).permutation(1300)
        train, test = rows[:300], rows[300:]
        for name, method in METHODS.items():
            start = perf_counter()
            predicted = method(X[train], y[train], X[test], seed)
            seconds[name].append(perf_counter() - start)
            errors[name].append(float((predicted != y[test]).mean()))
    ours, ours_error = seconds["nonconformity"], statistics.mean(errors["nonconformity"])
    for name in METHODS:
        ratio = statistics.median(a / b for a, b in zip(seconds[name], ours, strict=True))
        error = statistics.mean(errors[name])
        print(f"{name:28s} {statistics.median(seconds[name]):8.3f} s  {ratio:6.1f} x  {error:.3f}")
        if name != "largest margin" and ours_error > error + 0.03:
            raise SystemExit(f"{name} is better by more than 0.03: the ratio means nothing")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
