"""The exact half-space search against a careful numpy implementation, in one run.

The peer sorts the projections of each (a, b) pair once a round (vectorised over b) and takes
cumulative counts. Both must find half-spaces of the same worth.
Usage: python benchmarks/bench_half_spaces.py [DATA_FOLDER]
"""

import sys
import time

import numpy as np

from handful import load_dataset
from handful.rules._exact import exact_half_space_paths

N_RULES, PENALTY = 3, 1.0


def researcher(K, y, n_rules, penalty):
    """Worth of each rule of the greedy conjunction, one sort a pair and round."""
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    live, kept, worths = np.ones(len(y), bool), [], []
    for _ in range(n_rules):
        best = (-np.inf, None)
        for a in positive[live[positive]]:
            V = K[a][None, :] - K[negative]
            order = np.argsort(V, axis=1, kind="stable")
            ranked = np.take_along_axis(V, order, axis=1)
            n_other = np.cumsum(((y < 0) & live)[order], axis=1)
            n_same = np.cumsum(((y > 0) & live)[order], axis=1)
            first = np.ones_like(order, bool)
            first[:, 1:] = np.diff(ranked, axis=1) > 1e-10 * np.abs(K).max()
            start = np.maximum.accumulate(np.where(first, np.arange(V.shape[1]), 0), axis=1)
            before = np.where(start > 0, start - 1, 0)
            q = np.where(start > 0, np.take_along_axis(n_other, before, axis=1), 0)
            r = np.where(start > 0, np.take_along_axis(n_same, before, axis=1), 0)
            limit = np.min(V[:, [a, *kept]], axis=1)[:, None]
            ok = (((y > 0) & live)[order]) & (ranked <= limit) & (q > 0)
            worth = np.where(ok, q - penalty * r, -np.inf)
            k = int(np.argmax(worth))
            if worth.flat[k] > best[0]:
                row, column = np.unravel_index(k, worth.shape)
                best = (worth.flat[k], (a, negative[row], order[row, column]))
        if best[1] is None or best[0] <= 0:
            break
        a, b, c = best[1]
        worths.append(float(best[0]))
        v = K[a] - K[b]
        live &= ~(v < v[c] - 1e-10 * np.abs(K).max())
        kept = list({*kept, int(a), int(c)})
    return worths


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def ours(K, y, n_threads):
    (path,) = exact_half_space_paths(
        K, y, kind="conjunction", penalties=[PENALTY], max_rules=N_RULES, n_threads=n_threads
    )
    return [s.n_other - PENALTY * s.n_same for s in path]


def main(data_dir=None):
    names = ["breastw"] + (["pima", "credit"] if data_dir else [])
    for name in names:
        data = load_dataset(name, data_dir=data_dir)
        K, y = data.X @ data.X.T, data.y
        ours(K[:60, :60], y[:60], 1)  # compile
        times = {n: min(timed(ours, K, y, n)[0] for _ in range(3)) for n in (1, 2)}
        theirs, worths = timed(researcher, K, y, N_RULES, PENALTY)
        found = ours(K, y, 1)
        assert found[0] >= worths[0], (found, worths)
        print(
            f"{name}: 1 thread {times[1]:.3f} s, 2 threads {times[2]:.3f} s, researcher "
            f"{theirs:.1f} s: {theirs / times[1]:.0f} and {theirs / times[2]:.0f} times; "
            f"worth of the rules {found} and {worths}"
        )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
