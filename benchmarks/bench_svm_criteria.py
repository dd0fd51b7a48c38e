"""All criteria of a 6 x 6 grid at m = 500: our grid against scikit-learn fits.

Two peers, both with ``SVC`` fitted for each pair: the criteria of each machine computed alone,
and the criteria computed together with our sharing of kernel matrices and eigenvalues. The
criteria of all must agree as far as the SVC's stopping allows.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_svm_criteria.py [n_rounds] [data set]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from sklearn.svm import SVC
from svm_peers import interleaved, read, timed

from handful.svm import criteria_table, fit_svm_grid

SIGMAS = 10.0 ** np.arange(-2, 4)
PENALTIES = 10.0 ** np.arange(0, 6)


def main(n_rounds: int = 3, name: str = "waveform") -> None:
    X, y = read(name)
    rows = np.random.default_rng(0).permutation(len(y))[:500]
    X, y = X[rows], y[rows]
    gammas = 0.5 / SIGMAS**2

    def ours():
        return criteria_table(fit_svm_grid(X, y, gammas=gammas, Cs=PENALTIES))

    def fits():
        return [
            SVC(C=C, gamma=gamma, cache_size=500).fit(X, y) for gamma in gammas for C in PENALTIES
        ]

    def alone():
        return pd.concat([criteria_table([svc], X, y) for svc in fits()], ignore_index=True)

    def shared():
        return criteria_table(fits(), X, y)

    ours()
    only_fits, _ = timed(lambda: fit_svm_grid(X, y, gammas=gammas, Cs=PENALTIES))
    for label, peer in (("each alone", alone), ("shared", shared)):
        ratio, (mine, other), (first, second) = interleaved(ours, peer, n_rounds)
        apart = np.abs(first["trace"] / second["trace"] - 1).median()
        print(
            f"{name}, 36 machines, all criteria: ours {mine:.2f} s (fits alone {only_fits:.2f} s), "
            f"SVC and criteria {label} {other:.2f} s, ratio {ratio:.1f}; median relative "
            f"difference of the trace criterion {apart:.1e}"
        )


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
