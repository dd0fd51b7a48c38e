"""Claim: 100 000 examples and 50 centres fit into 2 GiB; the kernel matrix alone needs 75 GiB.

Each run is a process of its own, so that its peak memory can be read. ``candidates`` examples,
drawn blindly, may become centres; "all" is the exact path over every example, which computes the
kernel matrix in blocks once per pass.

Run: python benchmarks/bench_pursuit_memory.py [n_samples] [candidates | all]
"""

import resource
import subprocess
import sys
import time

import numpy as np

from handful.kernels import make_kernel
from handful.pursuit import KernelColumns, orthogonal_pursuit

N_CENTERS = 50
N_FEATURES = 10
LIMIT = 2 << 30


def run(n_samples, candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n_samples)
    chosen = None if candidates == "all" else np.sort(rng.permutation(n_samples)[: int(candidates)])
    start = time.perf_counter()
    kernel = make_kernel("rbf", n_features=N_FEATURES)
    columns = KernelColumns(kernel, X, chosen, memory_bytes=1 << 30)
    path = orthogonal_pursuit(columns, y[:, None], N_CENTERS, intercept=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    share = path.residual_squares[-1] / path.residual_squares[0]
    print(
        f"m = {n_samples}, {path.n_centers} centres, candidates {candidates}: {seconds:.1f} s, "
        f"{path.n_passes} passes, peak {peak / 2**20:.0f} MiB of {LIMIT >> 20}, "
        f"kernel matrix would be {8 * n_samples**2 / 2**30:.0f} GiB "
        f"(ratio {8 * n_samples**2 / peak:.0f}), residual {share:.4f}",
        flush=True,
    )
    assert peak < LIMIT, "more than 2 GiB"


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(int(sys.argv[1]), sys.argv[2])
    else:
        size = sys.argv[1] if len(sys.argv) > 1 else "100000"
        for candidates in ("500", "2000"):
            subprocess.run([sys.executable, __file__, size, candidates], check=True)
