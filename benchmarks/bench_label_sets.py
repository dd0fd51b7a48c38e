"""Label sets at 90 % on the tables of the nonconformity paper, beside MAPIE and crepes.

Random thirds of each table are test cases. All methods but the last three use one logistic
regression on scaled columns; split methods calibrate on 30 % of the training rows, cross-conformal
ones use five folds. In the last three, NonconformityClassifier chooses among twelve Gaussian
machines for each case.

"proved" is what is proved of the method: how often its sets hold the label, of all cases together
or, where "class" stands, of the cases of each class. Compare sizes only where the same is proved.
"rarer" is the share of the cases of the rarer class that are held. "one label" is the share of sets
with exactly one label; a set without any label is an error.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_label_sets.py FOLDER [n_splits]
"""

from __future__ import annotations

import sys
import warnings
from time import perf_counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful.conformal import NonconformityClassifier, cross_conformal_level
from handful.papers.nonconformity_2009 import FILES, read_data

LEVEL, FOLDS, SHARE = 0.9, 5, 0.3
GRID = {"svc__gamma": [2.0**e for e in range(-9, 3, 2)], "svc__C": [1.0, 100.0]}


def model():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def ours(by, *, grid=False, cross=False, published=False):
    """Our sets: of one model, or of the rule that chooses among the machines of a grid."""

    def predict(X, y, Z, seed):
        settings = {"cross_folds": FOLDS} if cross else {"calibration_size": SHARE}
        if grid:
            settings |= {"estimator": make_pipeline(StandardScaler(), SVC()), "param_grid": GRID}
        else:  # of one model nothing is chosen: one example validates, as few as can be
            settings |= {"estimator": [model()], "validation_size": 1}
        machine = NonconformityClassifier(random_state=seed, **settings).fit(X, y)
        level = cross_conformal_level(LEVEL, y.size, FOLDS) if published else LEVEL
        return machine.predict_set(Z, level, by=by)

    return predict


def mapie_split(X, y, Z, seed):
    from mapie.classification import SplitConformalClassifier

    A, B, a, b = train_test_split(X, y, test_size=SHARE, random_state=seed)
    machine = SplitConformalClassifier(model(), confidence_level=LEVEL, prefit=False)
    return machine.fit(A, a).conformalize(B, b).predict_set(Z)[1][:, :, 0]


def mapie_cross(agg_scores):
    def predict(X, y, Z, seed):
        from mapie.classification import CrossConformalClassifier
        from sklearn.model_selection import KFold

        folds = KFold(FOLDS, shuffle=True, random_state=seed)
        machine = CrossConformalClassifier(model(), confidence_level=LEVEL, cv=folds)
        machine.fit_conformalize(X, y)
        return machine.predict_set(Z, agg_scores=agg_scores)[1][:, :, 0]

    return predict


def crepes_split(class_cond, smoothing):
    def predict(X, y, Z, seed):
        from crepes import WrapClassifier

        A, B, a, b = train_test_split(X, y, test_size=SHARE, random_state=seed)
        machine = WrapClassifier(model())
        machine.fit(A, a)
        machine.calibrate(B, b, class_cond=class_cond, seed=seed)
        return machine.predict_set(
            Z, labels=False, confidence=LEVEL, smoothing=smoothing, seed=seed
        )

    return predict


PUBLISHED = "published"  # the level that `cross_conformal_level` says, from the rows of the table
METHODS = {
    "handful, by case": (".90", ours("case")),
    "crepes": (".90", crepes_split(False, False)),
    "crepes, smoothed": (".90", crepes_split(False, True)),
    "MAPIE, split": (".90", mapie_split),
    "handful, by class": (".90 class", ours("class")),
    "crepes, class_cond": (".90 class", crepes_split(True, False)),
    "crepes, class_cond, smoothed": (".90 class", crepes_split(True, True)),
    "handful, cross, by case": (".90", ours("case", cross=True)),
    "handful, cross, by class": (".90 class", ours("class", cross=True)),
    "handful, cross, published": (PUBLISHED, ours("case", cross=True, published=True)),
    "MAPIE, cross, crossval": (PUBLISHED, mapie_cross("crossval")),
    "MAPIE, cross, mean": ("nothing", mapie_cross("mean")),
    "handful, machines, by case": (".90", ours("case", grid=True)),
    "handful, machines, by class": (".90 class", ours("class", grid=True)),
    "handful, machines, cross": (".90", ours("case", grid=True, cross=True)),
}


def measured(sets, codes):
    """Share of cases held, of the rarer class, labels in a set, sets with one label."""
    held = sets[np.arange(codes.size), codes]
    rarer = np.bincount(codes).argmin()
    sizes = sets.sum(axis=1)
    return held.mean(), held[codes == rarer].mean(), sizes.mean(), (sizes == 1).mean()


def run(X, codes, n_splits):
    """Means of every method over the splits; None of a method whose package is not here."""
    found = {name: [] for name in METHODS}
    for seed in range(n_splits):
        X_train, Z, y, t = train_test_split(X, codes, test_size=1 / 3, random_state=seed)
        for name, (_, method) in METHODS.items():
            start = perf_counter()
            try:
                sets = np.asarray(method(X_train, y, Z, seed), dtype=bool)
            except ModuleNotFoundError:
                continue
            found[name].append((*measured(sets, t), perf_counter() - start))
    return {name: np.mean(rows, axis=0) if rows else None for name, rows in found.items()}


def show(title, results, level):
    print(f"\n{title:30s} proved     coverage  rarer  labels  one label  seconds")
    for name, (proved, _) in METHODS.items():
        if results[name] is None:
            print(f"{name:30s} not installed")
            continue
        coverage, rarer, size, single, seconds = results[name]
        said = f"{level:.2f}".lstrip("0") if proved == PUBLISHED else proved
        print(
            f"{name:30s} {said:10s} {coverage:8.3f} {rarer:6.3f} {size:7.2f} {single:10.2f} "
            f"{seconds:8.3f}"
        )


def main(folder: str, n_splits: int = 20) -> None:
    # Peers warn of choices of their own; what they answer is measured all the same.
    warnings.simplefilter("ignore")
    tables, levels = [], []
    for name in FILES:
        X, y = read_data(folder, name)
        tables.append(run(X, (y > 0).astype(int), n_splits))
        levels.append(cross_conformal_level(LEVEL, y.size - -(-y.size // 3), FOLDS))
        show(f"{name}, {y.size} rows", tables[-1], levels[-1])
    # A method was run on all tables or on none.
    means = {
        name: None if tables[0][name] is None else np.mean([t[name] for t in tables], axis=0)
        for name in METHODS
    }
    show(f"mean of {len(tables)} tables", means, float(np.mean(levels)))


if __name__ == "__main__":
    main(sys.argv[1], *(int(a) for a in sys.argv[2:]))
