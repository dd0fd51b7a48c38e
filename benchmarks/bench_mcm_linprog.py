"""Claim: the linear minimal complexity machine is many times faster than linprog.

Peer: scipy.optimize.linprog on the published program (11)-(14), dense at 690 and 1567 examples,
sparse at 20000 (dense it would need 6 GB). Both are timed in turn in one process; the objectives
must agree to a relative 1e-7, and ours carries its own proof.

Times are CPU seconds on one thread, which other work on the machine disturbs least.

Run: python benchmarks/bench_mcm_linprog.py [small] [wide] [tall]
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from handful.programs import mcm_path

SIZES = {"small": (690, 14, 5), "wide": (1567, 590, 1), "tall": (20000, 20, 1)}
TARGETS = {"small": 8, "wide": 50, "tall": 50}


def problem(m, n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, n))
    y = np.sign(X @ rng.normal(size=n) + np.sqrt(n) * rng.normal(size=m))
    return X, y


def published(X, y, C, dense):
    m, n = X.shape
    G, one = X * y[:, None], np.ones((m, 1))
    blocks = [[G, y[:, None], -one, sparse.eye(m)], [-G, -y[:, None], None, -sparse.eye(m)]]
    A = sparse.bmat(blocks, format="csc")
    cost = np.concatenate([np.zeros(n + 1), [1.0], np.full(m, C)])
    right = np.concatenate([np.zeros(m), -np.ones(m)])
    bounds = [(None, None)] * (n + 2) + [(0, None)] * m
    return {"c": cost, "A_ub": A.toarray() if dense else A, "b_ub": right, "bounds": bounds}


def main(names):
    mcm_path(*problem(50, 3), [1.0])  # compile
    for name in names:
        m, n, repeats = SIZES[name]
        X, y = problem(m, n)
        args = published(X, y, 1.0, dense=name != "tall")
        ours, theirs = [], []
        for _ in range(repeats):
            start = time.process_time()
            path = mcm_path(X, y, [1.0])
            ours.append(time.process_time() - start)
            start = time.process_time()
            peer = linprog(**args)
            theirs.append(time.process_time() - start)
        difference = abs(path.values[0] - peer.fun) / (1 + abs(peer.fun))
        assert difference <= 1e-7, difference
        ratio = np.median(theirs) / np.median(ours)
        print(
            f"{name} {m}x{n}: ours {np.median(ours):.4f} s, linprog {np.median(theirs):.3f} s, "
            f"ratio {ratio:.1f} (target {TARGETS[name]}), objectives differ by {difference:.1e}, "
            f"our gap {path.gaps[0]:.1e}"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or list(SIZES))
