"""Claim: the exact pursuit path from raw data beats scikit-learn's `orthogonal_mp` on the Gram.

Both start from X. The peer computes the whole kernel matrix, normalises its columns and runs
`orthogonal_mp`; we run `orthogonal_pursuit` with the same criterion ("cosine"), which must make the
same choices and leave the same residual, and once more with "residual", which scikit-learn does not
have. CPU seconds, interleaved; the best of the repeats counts. Set OMP_NUM_THREADS=1.

Run: python benchmarks/bench_pursuit_path.py [sizes ...]
"""

import sys
import time

import numpy as np
from sklearn.linear_model import orthogonal_mp
from sklearn.metrics.pairwise import rbf_kernel

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal_pursuit

N_CENTERS = 50
N_FEATURES = 10


def make_data(n_samples):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n_samples)
    return X, y


def ours(X, y, criterion):
    kernel = make_kernel("rbf", n_features=X.shape[1])
    start = time.process_time()
    columns = KernelColumns(kernel, X, memory_bytes=4 << 30)
    middle = time.process_time()
    path = orthogonal_pursuit(columns, y[:, None], N_CENTERS, criterion=criterion)
    return path, middle - start, time.process_time() - middle


def theirs(X, y):
    start = time.process_time()
    K = rbf_kernel(X, gamma=1.0 / X.shape[1])
    norms = np.linalg.norm(K, axis=0)
    K /= norms
    middle = time.process_time()
    weights = orthogonal_mp(K, y, n_nonzero_coefs=N_CENTERS)
    end = time.process_time()
    residual = float(np.sum((y - K @ weights) ** 2))
    return set(np.flatnonzero(weights)), residual, middle - start, end - middle


def compare(n_samples, n_repeats):
    X, y = make_data(n_samples)
    best = np.full(6, np.inf)
    for _ in range(n_repeats):
        omp, store, walk = ours(X, y, "cosine")
        _, ols_store, ols_walk = ours(X, y, "residual")
        chosen, residual, gram, peer = theirs(X, y)
        best = np.minimum(best, [store, walk, ols_store, ols_walk, gram, peer])
        assert set(omp.centers) == chosen, "other choices than the peer"
        assert abs(omp.residual_squares[-1] / residual - 1.0) < 1e-8, "another residual"
    store, walk, ols_store, ols_walk, gram, peer = best
    print(
        f"m = {n_samples:6d}  ours {store + walk:7.3f} s (kernel {store:.3f})  "
        f"ols {ols_store + ols_walk:7.3f} s  orthogonal_mp {gram + peer:7.3f} s "
        f"(kernel {gram:.3f})  ratio {(gram + peer) / (store + walk):5.2f}  "
        f"without kernel {peer / walk:5.2f}  ols ratio "
        f"{(gram + peer) / (ols_store + ols_walk):5.2f}",
        flush=True,
    )


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]] or [569, 5000, 20000]
    for size in sizes:
        compare(size, 15 if size < 2000 else 3 if size < 10_000 else 2)
