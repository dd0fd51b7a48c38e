"""The whole menu against a grid search over like forms, and one score card, in seconds of CPU.

``python benchmarks/bench_menu_speed.py --data-dir FOLDER`` fits the readable menu and the menu of
everything on Pima, `GridSearchCV` with ten folds over scikit-learn's forms of the same kind, and a
score card of eight items on 700 x 15 numbers. Both are run twice; the second run counts.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait would count as work

import time
from pathlib import Path

import numpy as np
from bench_menu_tightness import load
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from handful import CertifiedClassifier, ScoreCard

# estimator, number of settings as on the menu
GRIDS = {
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 4, 5, 6]}),
    "logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [0.003, 0.01, 0.03, 0.1, 0.3, 1, 10]},
    ),
    "l1 logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(solver="liblinear", l1_ratio=1.0)),
        {"logisticregression__C": [0.01, 0.03, 0.1, 0.3, 1]},
    ),
    "boosted stumps": (
        HistGradientBoostingClassifier(max_depth=1, random_state=0),
        {"max_iter": [8, 15, 25, 40, 65, 100, 160, 250, 400], "learning_rate": [0.1, 0.2]},
    ),
    "svc": (
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": [0.3, 1, 3, 10], "svc__gamma": [0.004, 0.0125, 0.04, 0.125, 0.4]},
    ),
    "adaboost": (AdaBoostClassifier(n_estimators=60, random_state=0), {}),
    "forest": (RandomForestClassifier(150, min_samples_leaf=2, random_state=0), {}),
    "gradient boosting": (
        HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=6, random_state=0),
        {},
    ),
}


def timed(run) -> float:
    run()
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=os.environ.get("HANDFUL_DATA", "."), type=Path)
    args = parser.parse_args()
    X, y = load("pima", args.data_dir)
    readable = timed(lambda: CertifiedClassifier().fit(X, y))
    everything = timed(lambda: CertifiedClassifier("all").fit(X, y))
    print(f"Pima, readable menu {readable:.2f} s, menu of everything {everything:.2f} s")
    total = 0.0
    for name, (estimator, grid) in GRIDS.items():
        search = GridSearchCV(estimator, grid, cv=10)
        start = time.process_time()
        search.fit(X, y)
        total += time.process_time() - start
        print(f"  GridSearchCV, ten folds, {name}: {time.process_time() - start:.2f} s")
    print(f"  together {total:.1f} s: ratio {total / everything:.1f}")
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(700, 15))
    label = (Z @ rng.normal(size=15) + rng.logistic(size=700) > 0).astype(int)
    print(f"ScoreCard(8 items), 700 x 15: {timed(lambda: ScoreCard().fit(Z, label)):.3f} s")


if __name__ == "__main__":
    main()
