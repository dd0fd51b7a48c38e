"""Claim: column generation makes kernel machines with priced coefficients practical.

Peer: scipy.optimize.linprog on the full program with all kernel columns, at 600 examples; the
objectives must agree to a relative 1e-7. At 5000 examples only ours runs; its gap over all 5000
columns is proved.

Times are CPU seconds on one thread, which other work on the machine disturbs least.

Run: python benchmarks/bench_mcm_kernel.py [n_samples of the large run, 0 for none]
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import linprog
from sklearn.metrics.pairwise import rbf_kernel

from handful.programs.kernel_programs import solve_by_columns

C, PRICE = 1.0, 0.5


def problem(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 5))
    y = np.sign(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=m))
    return rbf_kernel(X, gamma=0.2), y


def full(K, y):
    m = len(K)
    G, one, eye = K * y[:, None], np.ones((m, 1)), np.eye(m)
    A = np.block([[G, -G, y[:, None], -one, eye], [-G, G, -y[:, None], 0 * one, -eye]])
    cost = np.concatenate([np.full(2 * m, PRICE), [0.0, 1.0], np.full(m, C)])
    right = np.concatenate([np.zeros(m), -np.ones(m)])
    bounds = [(0, None)] * (2 * m) + [(None, None)] * 2 + [(0, None)] * m
    return linprog(cost, A_ub=A, b_ub=right, bounds=bounds).fun


def ours(K, y):
    start = time.process_time()
    solution = solve_by_columns(K, y, C, weight=PRICE)
    return time.process_time() - start, solution


def main(large):
    ours(*problem(60))  # compile
    K, y = problem(600)
    seconds, solution = ours(K, y)
    start = time.process_time()
    value = full(K, y)
    peer = time.process_time() - start
    assert abs(value - solution.value) / (1 + value) <= 1e-7
    print(f"600 examples: ours {seconds:.2f} s, linprog {peer:.2f} s, ratio {peer / seconds:.1f}")
    if large:
        seconds, solution = ours(*problem(large))
        print(
            f"{large} examples: {seconds:.1f} s, {int(np.sum(solution.w != 0))} support vectors, "
            f"gap {solution.gap:.1e}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
