"""Claim: a path over C costs a small part of solving each C afresh by HiGHS.

Peers: HiGHS (highspy) on the same program, cold for each C, and warm-started along the path
through `handful.programs.LinearProgram`. All in one process, objectives equal to 1e-7.

Times are CPU seconds on one thread, which other work on the machine disturbs least.

Run: python benchmarks/bench_mcm_path.py [n_samples]
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from handful.programs import mcm_path
from handful.programs.margin_program import MarginProgram, margin_lp

N_FEATURES = 20
CS = np.logspace(-3, 3, 13)


def timed(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def cold(X, y):
    weights = np.zeros(N_FEATURES)
    return [margin_lp(MarginProgram(X, y, C, weights, True)).solve().value for C in CS]


def warm(X, y):
    m = len(X)
    program = margin_lp(MarginProgram(X, y, CS[0], np.zeros(N_FEATURES), True))
    slack = np.arange(N_FEATURES + 2, N_FEATURES + 2 + m)
    values = []
    for C in CS:
        program.change_costs(slack, np.full(m, C))
        values.append(program.solve().value)
    return values


def main(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, N_FEATURES))
    y = np.sign(X @ rng.normal(size=N_FEATURES) + np.sqrt(N_FEATURES) * rng.normal(size=m))
    mcm_path(X[:50], y[:50], [1.0])  # compile
    ours, path = timed(lambda: mcm_path(X, y, CS))
    warm_time, warm_values = timed(lambda: warm(X, y))
    cold_time, cold_values = timed(lambda: cold(X, y))
    for values in (warm_values, cold_values):
        assert np.max(np.abs(path.values - values) / (1 + np.abs(values))) <= 1e-7
    print(
        f"{len(CS)} values of C, {m}x{N_FEATURES}: ours {ours:.2f} s, HiGHS warm "
        f"{warm_time:.2f} s, HiGHS cold {cold_time:.2f} s; cold/ours {cold_time / ours:.1f} "
        f"(target 4), cold/warm {cold_time / warm_time:.1f}, warm/ours {warm_time / ours:.1f}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
