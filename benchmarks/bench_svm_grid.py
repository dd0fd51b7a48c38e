"""The 110 Gaussian machines of the nonconformity paper: our grid against scikit-learn's SVC.

Peer: ``sklearn.svm.SVC`` fitted once for each (gamma, C), default stopping, 500 MB cache. Both are
timed in turn in one process on one thread. Every objective must reach the peer's.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_grid.py [n_rounds] [data set]
"""

from __future__ import annotations

import sys

from sklearn.svm import SVC
from svm_peers import CS, GAMMAS, dual_objective_of_svc, interleaved, read

from handful.svm import fit_svm_grid


def main(n_rounds: int = 3, name: str = "pima") -> None:
    X, y = read(name)
    for label, points in (("raw", X), ("scaled", (X - X.mean(axis=0)) / X.std(axis=0))):
        fit_svm_grid(points[:60], y[:60], gammas=[0.1], Cs=[1.0, 1e4])

        def ours(points=points):
            return fit_svm_grid(points, y, gammas=GAMMAS, Cs=CS)

        def theirs(points=points):
            return [
                SVC(C=C, gamma=gamma, cache_size=500).fit(points, y) for gamma in GAMMAS for C in CS
            ]

        ratio, (mine, peer), (grid, machines) = interleaved(ours, theirs, n_rounds)
        shortfall = max(
            1 - model.objective / dual_objective_of_svc(svc, points, y, model.kernel.gamma)
            for model, svc in zip(grid, machines, strict=True)
        )
        gap = max(model.relative_gap for model in grid)
        print(
            f"{name} {label}: {len(grid)} machines, ours {mine:.2f} s, SVC {peer:.2f} s, "
            f"ratio {ratio:.1f}; largest relative shortfall of a dual objective {shortfall:.1e}, "
            f"largest relative duality gap {gap:.1e}"
        )
        assert shortfall <= 1e-6


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
