"""The stable certificate of an SVM grid against hold-out, on six data sets without scaling.

Nine tenths of the rows are the user's data. Stable: all machines of an 8 x 8 grid are trained on
them, the one with the smallest certificate is chosen, delta is divided by 64. Hold-out: 70 % train,
30 % choose and certify, delta divided likewise. The last tenth gives the test errors.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_certificates.py [n_rounds]
"""

from __future__ import annotations

import sys

import numpy as np
from svm_peers import read

from handful.bounds import held_out_bound, stable_bound
from handful.svm import fit_svm_grid, stable_set

NAMES = ("breastw", "pima", "haberman-294", "bupa", "glass-2class", "credit")
WIDTHS = 2.0 ** np.arange(-11, 4, 2)
PENALTIES = 2.0 ** np.arange(-3, 12, 2)


def wrong(grid, X, y):
    """Number of errors of every machine."""
    return (np.sign(grid.decision_function(X)) != y).sum(axis=1)


def one_round(X, y, seed):
    """Certificate and test error of the stable route, then of the hold-out route."""
    order = np.random.default_rng(seed).permutation(len(y))
    test, mine = order[: len(y) // 10], order[len(y) // 10 :]
    grid = fit_svm_grid(X[mine], y[mine], gammas=WIDTHS, Cs=PENALTIES)
    best = int(np.argmin([(model.margins <= 1.001).sum() for model in grid]))
    size = stable_set(grid[best], X[mine]).members.size
    stable = stable_bound(len(mine), size, n_choices=len(grid)).risk
    stable_error = wrong(grid, X[test], y[test])[best] / len(test)
    train, held = np.split(mine, [int(0.7 * len(mine))])
    grid = fit_svm_grid(X[train], y[train], gammas=WIDTHS, Cs=PENALTIES)
    n_wrong = wrong(grid, X[held], y[held])
    best = int(n_wrong.argmin())
    held_out = held_out_bound(len(held), int(n_wrong[best]), n_choices=len(grid)).risk
    return stable, stable_error, held_out, wrong(grid, X[test], y[test])[best] / len(test)


def main(n_rounds: int = 3) -> None:
    for name in NAMES:
        X, y = read(name)
        a, b, c, d = np.mean([one_round(X, y, seed) for seed in range(n_rounds)], axis=0)
        print(
            f"{name}: stable {a:.3f} (test error {b:.3f}), hold-out {c:.3f} (test error {d:.3f}), "
            f"ratio {a / c:.2f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
