"""One exact greedy round over all balls against a numpy sort per centre.

The peer sorts the distances of each centre and takes cumulative counts; both must find the same
usefulness. Usage: python benchmarks/bench_balls.py [M ...]
"""

import sys
import time

import numpy as np

from handful.covering._compression import Geometry, make_table
from handful.kernels import Kernel
from handful.rules import Sweep, SweepOptions, collapse_rows


def peer(X, y, penalty):
    """Best usefulness of a ball that covers negatives (conjunction), one sort per centre."""
    best = -np.inf
    is_same = y > 0
    for c in range(len(y)):
        d = np.sqrt(((X - X[c]) ** 2).sum(axis=1))
        order = np.argsort(d, kind="stable")
        same, other = is_same[order], ~is_same[order]
        ties = np.flatnonzero(np.diff(d[order]) > 0)
        cum_same, cum_other = np.cumsum(same), np.cumsum(other)
        if is_same[c]:  # outside is covered
            n_same, n_other = cum_same[-1] - cum_same, cum_other[-1] - cum_other
            ends = np.append(ties, len(y) - 1)
        else:  # inside is covered
            n_same, n_other = np.append(0, cum_same)[:-1], np.append(0, cum_other)[:-1]
            ends = np.append(0, ties + 1)
        worth = n_other - penalty * n_same
        group = np.searchsorted(ends, np.flatnonzero(same), side="left" if is_same[c] else "right")
        at = ends[group] if is_same[c] else ends[group - 1]
        if len(at):
            best = max(best, worth[at].max())
    return best


def main(sizes):
    for m in sizes:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(m, 8))
        y = np.where((X**2).sum(axis=1) + rng.normal(size=m) < 7.5, 1, -1)
        rows = collapse_rows(X, y)
        start = time.perf_counter()
        geometry = Geometry(kernel=Kernel("linear"))
        table = make_table("balls", rows, np.arange(m), geometry)
        step = Sweep(table, rows, 1, SweepOptions(max_rules=1)).path(1.0)[0]
        ours = time.perf_counter() - start
        start = time.perf_counter()
        best = peer(X, y, 1.0)
        theirs = time.perf_counter() - start
        assert step.n_other - step.n_same == best, (step, best)
        print(f"m = {m}: ours {ours:.3f} s, numpy {theirs:.3f} s: {theirs / ours:.1f} times")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [500, 1000, 2000])
