"""Claim: a pool makes matching pursuit's certificate useful; the lectures' bound says nothing.

Ten folds on six data sets. Printed: the sum over folds of certificate x test size (so that it
compares with errors), cross-validated errors and centres for each kind of coefficients; and
errors against the number of centres beside scikit-learn's SVC and its support vectors, all with
features scaled as the pool's are. Kinds without a pool get each feature's range on the whole
table as if it had been known beforehand, which flatters them.

Run: python benchmarks/bench_pursuit_certificates.py [data folder]
"""

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import KernelMatchingPursuitClassifier

NAMES = ("breastw", "pima", "haberman-294", "bupa", "glass-2class", "credit")
KINDS = ("least_squares", "chosen", "quantised", "pool")
SIZES = (1, 2, 5, 10, 20, 50)


def folder():
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HANDFUL_DATA", beside)
    return Path(given) / "csv"


def load(name):
    table = np.genfromtxt(folder() / f"{name}.csv", delimiter=",", skip_header=1)
    return table[:, :-1], np.where(table[:, -1] > 0, 1, -1)


def folds(n_samples):
    order = np.random.RandomState(0).permutation(n_samples)
    for k in range(10):
        test = order[k::10]
        yield np.setdiff1d(order, test), test


def certificates(X, y):
    rows = {kind: np.zeros(3) for kind in KINDS}
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    for train, test in folds(len(y)):
        for kind in KINDS:
            scale = "auto" if kind == "pool" else spread
            stop = "certificate" if kind != "least_squares" else "size"
            machine = KernelMatchingPursuitClassifier(coefficients=kind, scale=scale, stop=stop)
            machine.fit(X[train], y[train])
            n_errors = np.sum(machine.predict(X[test]) != y[test])
            risk = machine.certify().risk
            rows[kind] += [risk * len(test), n_errors, machine.n_centers_ / 10]
    return rows


def errors_by_size(X, y):
    errors = dict.fromkeys(SIZES, 0)
    svc_errors, n_vectors = 0, 0.0
    for train, test in folds(len(y)):
        scaler = StandardScaler().fit(X[train])
        Z, Z_test = scaler.transform(X[train]), scaler.transform(X[test])
        for size in SIZES:
            machine = KernelMatchingPursuitClassifier(
                size, coefficients="least_squares", gamma=0.3 / X.shape[1], ridge=0.1
            ).fit(Z, y[train])
            errors[size] += int(np.sum(machine.predict(Z_test) != y[test]))
        svc = make_pipeline(StandardScaler(), SVC()).fit(X[train], y[train])
        svc_errors += int(np.sum(svc.predict(X[test]) != y[test]))
        n_vectors += len(svc[-1].support_) / 10
    return errors, svc_errors, n_vectors


def main():
    print("certificate x test size / errors / centres, summed over ten folds")
    totals = {kind: np.zeros(2) for kind in KINDS}
    for name in NAMES:
        X, y = load(name)
        rows = certificates(X, y)
        cells = [f"{kind} {r[0]:6.1f} /{r[1]:4.0f} /{r[2]:5.1f}" for kind, r in rows.items()]
        print(f"{name:13s} m = {len(y):4d}  " + "   ".join(cells), flush=True)
        for kind, row in rows.items():
            totals[kind] += row[:2]
    slides, pool = totals["least_squares"][0], totals["pool"][0]
    print("sums: " + "   ".join(f"{kind} {t[0]:.1f} /{t[1]:.0f}" for kind, t in totals.items()))
    print(f"ratio of the lectures' bound to the pool's: {slides / pool:.2f}")
    print("errors of plain pursuit by number of centres, beside SVC and its support vectors")
    for name in NAMES:
        errors, svc_errors, n_vectors = errors_by_size(*load(name))
        cells = "  ".join(f"{size}: {n}" for size, n in errors.items())
        print(f"{name:13s} {cells}  SVC: {svc_errors} ({n_vectors:.1f} vectors)", flush=True)


if __name__ == "__main__":
    main()
