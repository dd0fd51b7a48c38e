"""A default fit, all selection included, against GridSearchCV over 110 support vector machines.

The grid is that of the nonconformity paper (11 widths, 10 values of C), ten folds, on the same
data. Prints the ratio of times and both errors on held-out folds.
Usage: python benchmarks/bench_default_fit.py [DATA_FOLDER]
"""

import sys
import time

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import SetCoveringMachine, load_dataset

GRID = {
    "svc__gamma": [2.0**e for e in range(-15, 6, 2)],
    "svc__C": [2.0**e for e in range(-5, 14, 2)],
}


def main(data_dir=None):
    names = ["breastw", "haberman-294", "bupa", "glass-2class"]
    if data_dir:
        names += ["pima", "credit"]
    SetCoveringMachine(random_state=0).fit(*_xy("glass-2class", None))  # compile
    for name in names:
        X, y = _xy(name, data_dir)
        rng = np.random.default_rng(0)
        test = rng.permutation(len(y)) < len(y) // 3
        ours, theirs, n_ours = 0.0, 0.0, 5
        for seed in range(n_ours):
            start = time.perf_counter()
            machine = SetCoveringMachine(random_state=seed).fit(X[~test], y[~test])
            ours += (time.perf_counter() - start) / n_ours
        start = time.perf_counter()
        search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), GRID, cv=10)
        search.fit(X[~test], y[~test])
        theirs = time.perf_counter() - start
        errors = [float(np.mean(m.predict(X[test]) != y[test])) for m in (machine, search)]
        se = np.sqrt(errors[1] * (1 - errors[1]) / test.sum())
        print(
            f"{name:14s} default fit {ours:.3f} s, GridSearchCV {theirs:.1f} s: "
            f"{theirs / ours:.0f} times; errors {errors[0]:.3f} and {errors[1]:.3f} "
            f"(standard error {se:.3f})"
        )

    if data_dir:
        X, y = _xy("pima", data_dir)
        start = time.perf_counter()
        SetCoveringMachine("half-spaces", candidates=None).fit(X, y)
        print(f"pima, every pair of examples: {time.perf_counter() - start:.2f} s")


def _xy(name, data_dir):
    data = load_dataset(name, data_dir=data_dir)
    return data.X, data.y


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
