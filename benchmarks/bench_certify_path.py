"""Certify a path of 100 000 candidates at once, against scipy.stats.beta.isf.

Two peers, timed interleaved with ours in one process: a loop that calls ``beta.isf`` for each
candidate (what one writes first), and one vectorised call of it. Both underflow below
log delta = -745, where only ours has an answer. Results are compared, and ours is checked to be
at or above the peer's to rounding.

    python benchmarks/bench_certify_path.py [--candidates 100000] [--repeats 3]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import beta

from handful.bounds import binomial_tail_inverse, log_binomial_coefficient


def make_path(n_candidates: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors, examples outside and log delta of candidates as a greedy path produces them."""
    rng = np.random.default_rng(seed)
    m = rng.integers(200, 5000, n_candidates)
    d = rng.integers(1, 10, n_candidates)
    n = m - d
    k = (n * rng.uniform(0.0, 0.4, n_candidates)).astype(int)
    nats = log_binomial_coefficient(m, d) + 2.0 * np.log(d + 1.0) + 5.0 - np.log(0.05)
    return k, n, -nats


def clock(function: Callable[[], object]) -> float:
    """CPU seconds: all contenders run on one thread, and the machine may be shared."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--candidates", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--looped", type=int, default=5_000, help="candidates the loop is timed on")
    options = parser.parse_args()
    k, n, log_delta = make_path(options.candidates)
    few = min(options.looped, options.candidates)
    rows = list(zip(k[:few], n[:few], np.exp(log_delta[:few]), strict=True))
    contenders = {
        "ours": lambda: binomial_tail_inverse(k, n, log_delta),
        "vectorised": lambda: beta.isf(np.exp(log_delta), k + 1, n - k),
        "loop": lambda: [beta.isf(delta, i + 1, j - i) for i, j, delta in rows],
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(options.repeats):
        for name, function in contenders.items():
            times[name].append(clock(function))
    best = {name: min(values) for name, values in times.items()}
    best["loop"] *= options.candidates / few
    ours, peer = contenders["ours"](), contenders["vectorised"]()
    low, high = np.min(ours / peer - 1.0), np.max(ours / peer - 1.0)
    assert low > -1e-10, "below the peer by more than its rounding"
    assert high < 1e-9, "above the peer by more than the promised hair"

    print(f"{options.candidates} candidates, log delta from {log_delta.min():.0f} up, CPU time")
    print(f"binomial_tail_inverse, vectorised      {best['ours']:8.3f} s")
    print(f"scipy.stats.beta.isf, vectorised       {best['vectorised']:8.3f} s")
    print(f"scipy.stats.beta.isf, loop             {best['loop']:8.3f} s  (from {few} candidates)")
    print(f"ratio loop / ours                      {best['loop'] / best['ours']:8.1f}")
    print(f"ratio vectorised / ours                {best['vectorised'] / best['ours']:8.2f}")
    print(f"ours / peer - 1                        {low:.1e} to {high:.1e}")
    deep = float(binomial_tail_inverse(15, 612, -1000.0))
    print(f"15 errors of 612 at log delta = -1000: ours {deep:.6f}, beta.isf(0) gives 1")


if __name__ == "__main__":
    main()
