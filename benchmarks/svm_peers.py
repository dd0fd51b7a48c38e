"""What the SVM benchmarks share: data, interleaved timing, and the peers' dual objective."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from time import process_time

import numpy as np

DATA = Path(os.environ.get("HANDFUL_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
GAMMAS = 2.0 ** np.arange(-15, 4, 2)
CS = 2.0 ** np.arange(-5, 16, 2)


def read(name):
    """Features and labels in {-1, +1}."""
    table = np.loadtxt(DATA / "csv" / f"{name}.csv", delimiter=",", skiprows=1)
    return table[:, :-1], np.where(table[:, -1] > 0, 1.0, -1.0)


def timed(function, *arguments):
    """CPU seconds (one thread, so that other work on the computer does not count) and result."""
    start = process_time()
    result = function(*arguments)
    return process_time() - start, result


def interleaved(first, second, n_rounds):
    """Median ratio second : first of times taken in turn, their medians, and the last results."""
    times, results = [], None
    for _ in range(n_rounds):
        (a, x), (b, z) = timed(first), timed(second)
        times.append((a, b))
        results = x, z
    ratio = statistics.median(b / a for a, b in times)
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    return ratio, medians, results


def dual_objective_of_svc(svc, X, y, gamma):
    """Dual objective of a fitted Gaussian SVC."""
    from sklearn.metrics.pairwise import rbf_kernel

    u = np.zeros(len(y))
    u[svc.support_] = svc.dual_coef_[0]
    return float(np.abs(u).sum() - 0.5 * u @ rbf_kernel(X, gamma=gamma) @ u)
