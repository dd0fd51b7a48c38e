"""One exact greedy round over all balls against a numpy sort per centre.

The peer sorts the distances of each centre and takes cumulative counts; both must find the same
usefulness. From 10 000 examples the peer does every tenth centre and its time is multiplied.
Usage: OMP_NUM_THREADS=1 python benchmarks/bench_balls.py [M ...]
"""

import sys
import time

import numpy as np

from handful.rules import Geometry, SweepOptions, collapse_rows
from handful.rules.search.ball_sweep import BallSweep


def peer(X, y, penalty, every=1):
    """Best usefulness of a ball that covers negatives (conjunction), one sort per centre."""
    best = -np.inf
    is_same = y > 0
    for c in range(0, len(y), every):
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


def sample(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 8))
    return X, np.where((X**2).sum(axis=1) + rng.normal(size=m) < 7.5, 1, -1)


def ours(X, y):
    rows, options = collapse_rows(X, y), SweepOptions(max_rules=1)
    sweep = BallSweep(rows, np.arange(len(y)), 1, options, Geometry())
    return sweep.paths([1.0])[1][0][0]


def timed(function, *arguments):
    start = time.perf_counter()
    found = function(*arguments)
    return time.perf_counter() - start, found


def main(sizes):
    ours(*sample(50))  # compile
    for m in sizes:
        X, y = sample(m)
        every = 1 if m < 10_000 else 10
        first, _ = timed(ours, X, y)
        theirs, best = timed(peer, X, y, 1.0, every)
        second, step = timed(ours, X, y)
        worth, seconds = step.n_other - step.n_same, min(first, second)
        assert worth == best if every == 1 else worth >= best, (step, best)
        print(
            f"m = {m}: ours {seconds:.3f} s, numpy {theirs * every:.2f} s: "
            f"{theirs * every / seconds:.0f} times"
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1000, 2000, 10_000, 30_000])
