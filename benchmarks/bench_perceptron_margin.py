"""Test errors, kept examples and certificates of the kernel perceptron by its margin.

Ten folds of the six data sets of the set covering machine paper, features divided by their standard
deviation, Gaussian kernel of width one over the number of features, at most 20 passes. Peer:
``sklearn.svm.SVC`` with the same kernel and C = 1. Certificates are means over the folds.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_perceptron_margin.py
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC
from svm_peers import read, timed

from handful import KernelPerceptron
from handful.papers.scm_2003 import paper_folds

NAMES = ("breastw", "pima", "haberman-294", "bupa", "glass-2class", "credit")
MARGINS = (0.0, 0.03, 0.1, 0.3)


def machines():
    """The contestants by name."""
    ours = {f"margin {t:g}": KernelPerceptron(margin=t, max_passes=20) for t in MARGINS}
    return {**ours, "SVC": SVC(gamma="auto")}


def measure(X, y, machine):
    """Errors, kept examples (mean), certificate (mean), seconds."""
    fold, rows = paper_folds(len(y)), []
    for k in range(10):
        seconds, _ = timed(machine.fit, X[fold != k], y[fold != k])
        n_wrong = (machine.predict(X[fold == k]) != y[fold == k]).sum()
        is_ours = hasattr(machine, "certify")
        kept = machine.compression_set_ if is_ours else machine.support_
        risk = machine.certify().risk if is_ours else np.nan
        rows.append((n_wrong, len(kept) / 10, risk / 10, seconds))
    return np.sum(rows, axis=0)


def main() -> None:
    totals = {name: np.zeros(4) for name in machines()}
    for name in NAMES:
        X, y = read(name)
        X = X / X.std(axis=0)
        parts = []
        for label, machine in machines().items():
            found = measure(X, y, machine)
            totals[label] += found
            parts.append(f"{label}: {found[0]:.0f} errors, {found[1]:.0f} kept, {found[2]:.2f}")
        print(f"{name:14} {'; '.join(parts)}", flush=True)
    for label, (n_wrong, kept, _, seconds) in totals.items():
        print(f"sum, {label}: {n_wrong:.0f} errors, {kept:.0f} kept, {seconds:.1f} s")


if __name__ == "__main__":
    main()
