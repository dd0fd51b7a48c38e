"""Claim: sparse kernel PCA reaches a given reconstruction error with fewer examples than Nystroem.

The target is the mean squared residual that sparse kernel PCA leaves with 30 centres. Nystroem
takes as many random examples as it needs to get there (bisection, mean over five seeds, not
timed); KernelPCA takes as many components as it needs, but each is a sum over all examples. Fit
and transform are timed, interleaved, in CPU seconds: set OMP_NUM_THREADS=1. KernelPCA centres
the features, so its residual is that of the centred data.

Run: python benchmarks/bench_pursuit_sparse_pca.py [sizes ...]
"""

import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

from handful.pursuit import SparseKernelPCA

N_CENTERS = 30
GAMMA = 0.05


def make_data(n_samples):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, 6)) * 2.0
    sizes = rng.dirichlet(np.full(12, 0.6))
    return centres[rng.choice(12, size=n_samples, p=sizes)] + 0.5 * rng.normal(size=(n_samples, 6))


def nystroem_error(X, n_components, seed=0):
    T = Nystroem(gamma=GAMMA, n_components=n_components, random_state=seed).fit_transform(X)
    return float(np.mean(1.0 - np.sum(T**2, axis=1)))


def nystroem_size(X, target):
    low, high = 1, 2
    mean = lambda n: np.mean([nystroem_error(X, n, seed) for seed in range(5)])  # noqa: E731
    while mean(high) > target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if mean(middle) <= target else (middle, high)
    return high


def kernel_pca_size(X, target):
    K = rbf_kernel(X, gamma=GAMMA)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values = np.linalg.eigvalsh(centred)[::-1] / len(X)
    left = values.sum() - np.cumsum(values)
    return int(np.argmax(left <= target)) + 1


def timed(make, X):
    start = time.process_time()
    make().fit(X).transform(X)
    return time.process_time() - start


def compare(n_samples):
    X = make_data(n_samples)
    target = -SparseKernelPCA(N_CENTERS, gamma=GAMMA).fit(X).score(X)
    n_nystroem, n_kernel_pca = nystroem_size(X, target), kernel_pca_size(X, target)
    makers = {
        "sparse": lambda: SparseKernelPCA(N_CENTERS, gamma=GAMMA),
        "drawn": lambda: SparseKernelPCA(N_CENTERS, gamma=GAMMA, candidates=10 * N_CENTERS),
        "diagonal": lambda: SparseKernelPCA(N_CENTERS, gamma=GAMMA, pivot="diagonal"),
        "nystroem": lambda: Nystroem(gamma=GAMMA, n_components=n_nystroem, random_state=0),
        "kernel pca": lambda: KernelPCA(n_kernel_pca, kernel="rbf", gamma=GAMMA, random_state=0),
    }
    best = dict.fromkeys(makers, np.inf)
    for _ in range(3):
        for name, make in makers.items():
            best[name] = min(best[name], timed(make, X))
    left = {name: -makers[name]().fit(X).score(X) for name in ("drawn", "diagonal")}
    print(
        f"m = {n_samples}: residual {target:.5f}\n"
        f"  sparse kernel PCA {N_CENTERS} examples, {best['sparse']:.3f} s "
        f"({10 * N_CENTERS} candidates {best['drawn']:.3f} s, residual {left['drawn']:.5f}; "
        f"diagonal pivots {best['diagonal']:.3f} s, residual {left['diagonal']:.5f})\n"
        f"  Nystroem {n_nystroem} examples, {best['nystroem']:.3f} s: "
        f"{n_nystroem / N_CENTERS:.2f} times as many, "
        f"ratio {best['nystroem'] / best['sparse']:.2f}\n"
        f"  KernelPCA {n_kernel_pca} components of {n_samples} examples, "
        f"{best['kernel pca']:.3f} s: ratio {best['kernel pca'] / best['sparse']:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    for size in [int(size) for size in sys.argv[1:]] or [1000, 4000]:
        compare(size)
