"""Exact half-space search against a careful researcher, a naive loop and itself, in one run.

    python benchmarks/bench_half_spaces.py [fit] [table] [round] [growth] [latency] [--full]

Peers: "careful researcher" is numpy, one argsort per pair with cumulative sums, all negatives of a
positive at once, live columns only; "naive" counts each triple in numpy. Both are checked to find
the same half-spaces. What is timed on a fraction and extrapolated says so. Data sets are read from
``HANDFUL_DATA`` or the folder ``shared/data`` beside the project.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from handful.rules.search.exact import exact_half_space_paths  # noqa: E402

PENALTIES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 10.0, np.inf]
SETS = ("breastw", "pima", "credit")


def load(name):
    folder = Path(os.environ.get("HANDFUL_DATA", ROOT.parent / "shared" / "data"))
    table = np.genfromtxt(folder / "csv" / f"{name}.csv", delimiter=",", skip_header=1)
    return table[:, :-1] @ table[:, :-1].T, table[:, -1].astype(int)


def synthetic(m):
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, 10))
    noise = 1.5 * rng.normal(size=m)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + noise > 0, 1, -1)
    return X @ X.T, y


class Researcher:
    """One greedy round in slices: each call of `step` does the next few positives."""

    def __init__(self, K, y, penalty, live, kept):
        own, targets = np.flatnonzero((y > 0) & live), np.flatnonzero((y < 0) & live)
        self.K, self.penalty, self.n_same = K, penalty, len(own)
        self.own, self.other = own, np.flatnonzero(y < 0)
        self.columns = np.concatenate([own, targets])
        self.kept = np.flatnonzero(np.isin(self.columns, kept))
        self.rows = K[np.ix_(self.other, self.columns)]
        self.best, self.done = (-np.inf, 0), 0

    def step(self, n):
        for a in self.own[self.done : self.done + n]:
            V = self.K[a, self.columns] - self.rows
            corner = np.maximum(np.abs(self.K[a, self.other]), np.abs(self.K[a, a]))
            tol = 1e-10 * np.maximum(corner, np.diag(self.K)[self.other])
            found = self.best_of_rows(V, tol[:, None], np.flatnonzero(self.columns == a)[0])
            if found[:2] > self.best[:2]:
                value, q, r, b, c = found
                self.best = (value, q, r, int(a), int(self.other[b]), int(self.columns[c]))
        self.done = min(self.done + n, len(self.own))

    def best_of_rows(self, V, tol, own):
        order = np.argsort(V, axis=1)
        V_sorted = np.take_along_axis(V, order, axis=1)
        is_same = order < self.n_same
        first = np.arange(V.shape[1]) * np.ones((len(V), 1), int)
        first[:, 1:][V_sorted[:, 1:] - V_sorted[:, :-1] <= tol] = 0
        first = np.maximum.accumulate(first, axis=1)
        below = [np.cumsum(side, axis=1) - side for side in (~is_same, is_same)]
        Q, R = (np.take_along_axis(count, first, axis=1) for count in below)
        cap = V[:, [own, *self.kept]].min(axis=1, keepdims=True)
        is_allowed = is_same & (V_sorted - tol <= cap)
        if np.isinf(self.penalty):
            U = np.where(is_allowed & (R == 0), Q, -np.inf)
        else:
            U = np.where(is_allowed, Q - self.penalty * R, -np.inf)
        b, i = divmod(int(np.argmax(U + 1e-7 * Q)), V.shape[1])
        return U[b, i], int(Q[b, i]), int(R[b, i]), b, order[b, i]


def researcher_fit(K, y, penalty, n_rules, between, n_slices=5):
    """Path and seconds of the careful researcher; calls ``between`` between slices."""
    live, kept, path, seconds = np.ones(len(y), bool), [], [], 0.0
    while len(path) < n_rules:
        start = time.perf_counter()
        round_ = Researcher(K, y, penalty, live, kept)
        seconds += time.perf_counter() - start
        while round_.done < round_.n_same:
            start = time.perf_counter()
            round_.step(-(-round_.n_same // n_slices))
            seconds += time.perf_counter() - start
            between()
        value, q, r, a, b, c = round_.best
        if value <= 0:
            break
        tol = 1e-10 * max(abs(K[a, a]), abs(K[a, b]), abs(K[b, b]))
        v = K[a] - K[b]
        live &= ~(v < v[c] - tol)
        kept += [a, c]
        path.append((a, b, q, r))
    return path, seconds


def naive_seconds(K, y, n_pairs=12):
    """Seconds of one round of the triple loop, from a few pairs."""
    rng = np.random.default_rng(0)
    own, other = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    start = time.perf_counter()
    for a, b in zip(rng.choice(own, n_pairs), rng.choice(other, n_pairs), strict=True):
        v = K[a] - K[b]
        best = -np.inf
        for c in own:
            bad = v < v[c] - 1e-10
            value = (bad & (y < 0)).sum() - (bad & (y > 0)).sum()
            best = max(best, value)
    return (time.perf_counter() - start) / n_pairs * len(own) * len(other)


def bench_fit():
    print("one fit: conjunction, penalty 1, 3 rules (targets 25x and 45x Pima; 50x and 85x)")
    for name in SETS:
        K, y = load(name)
        ours, paths = {1: [], 2: []}, {}

        def between(K=K, y=y, ours=ours, paths=paths):
            for n in (1, 2):
                start = time.perf_counter()
                paths[n] = exact_half_space_paths(
                    K, y, kind="conjunction", penalties=[1.0], max_rules=3, n_threads=n
                )[0]
                ours[n].append(time.perf_counter() - start)

        between()
        ours[1].clear(), ours[2].clear()
        path, seconds = researcher_fit(K, y, 1.0, 3, between)
        for n in (1, 2):
            assert [(s.n_other, s.n_same) for s in paths[n]] == [step[2:] for step in path]
            assert [(s.a, s.b) for s in paths[n]] == [step[:2] for step in path]
        one, two = (statistics.median(ours[n]) for n in (1, 2))
        naive = naive_seconds(K, y) * len(path)
        print(
            f"  {name:8} researcher {seconds:6.2f} s | 1 thread {one:.3f} s {seconds / one:5.0f}x"
            f" | 2 threads {two:.3f} s {seconds / two:5.0f}x"
            f" | naive {naive:5.0f} s (12 pairs, extrapolated) {naive / one:6.0f}x"
        )


def folds_of(m, n_folds=10):
    fold = np.empty(m, int)
    fold[np.random.RandomState(0).permutation(m)] = np.arange(m) % n_folds
    return fold[None, :] != np.arange(n_folds)[:, None]


def bench_table(is_full):
    every = 1 if is_full else 5
    print(f"10 folds x 15 penalties x 10 sizes against path by path (1 in {every} paths)")
    exact_half_space_paths(  # compile
        *synthetic(60), kind="conjunction", penalties=PENALTIES, max_rules=2, active=folds_of(60)
    )
    for name in SETS:
        K, y = load(name)
        active = folds_of(len(y))
        options = {"kind": "conjunction", "max_rules": 10}
        for n_threads in (1, 2):
            start = time.perf_counter()
            paths = exact_half_space_paths(
                K, y, penalties=PENALTIES, active=active, n_threads=n_threads, **options
            )
            together = time.perf_counter() - start
            one_by_one, n_paths = 0.0, 0
            for i in range(n_threads - 1, len(paths), every):
                fold, penalty = divmod(i, len(PENALTIES))
                start = time.perf_counter()
                alone = exact_half_space_paths(
                    K, y, penalties=[PENALTIES[penalty]], active=active[fold : fold + 1],
                    n_threads=n_threads, **options,
                )  # fmt: skip
                one_by_one += time.perf_counter() - start
                n_paths += 1
                assert alone == [paths[i]]
            one_by_one *= len(paths) / n_paths
            print(
                f"  {name:8} {n_threads} thread(s): together {together:6.2f} s, "
                f"one by one {one_by_one:6.1f} s, {one_by_one / together:4.1f}x (target 4x)"
            )


def timed_round(K, y, n_threads):
    start = time.perf_counter()
    (path,) = exact_half_space_paths(
        K, y, kind="conjunction", penalties=[1.0], max_rules=1, n_threads=n_threads
    )
    return path[0], time.perf_counter() - start


def bench_round(m=2000, n_slices=8, share=50):
    print(f"one exact round, m = {m} (target 70x, 130x with 2 threads)")
    K, y = synthetic(m)
    peer = Researcher(K, y, 1.0, np.ones(m, bool), [])
    n = -(-len(peer.own) // (share * n_slices))
    rng = np.random.default_rng(0)
    peer.own = rng.permutation(peer.own)
    ours, seconds = {1: [], 2: []}, 0.0
    timed_round(*synthetic(200), 2)
    for _ in range(n_slices):
        start = time.perf_counter()
        peer.step(n)
        seconds += time.perf_counter() - start
        for n_threads in (1, 2):
            best, spent = timed_round(K, y, n_threads)
            ours[n_threads].append(spent)
    assert (peer.best[0], peer.best[1]) <= (best.n_other - best.n_same, best.n_other)
    check = Researcher(K, y, 1.0, np.ones(m, bool), [])
    check.own = np.array([best.a])
    check.step(1)
    assert check.best[:5] == (best.n_other - best.n_same, best.n_other, best.n_same, best.a, best.b)
    total = seconds * check.n_same / peer.done
    one, two = (statistics.median(ours[k]) for k in (1, 2))
    print(
        f"  researcher {total:6.1f} s ({peer.done} of {check.n_same} positives, extrapolated) | "
        f"1 thread {one:.2f} s {total / one:4.0f}x | 2 threads {two:.2f} s {total / two:4.0f}x"
    )


def bench_growth(is_full):
    print("growth of one exact round, 1 thread")
    for m in (500, 1000, 2000, 4000, *((8000,) if is_full else ())):
        K, y = synthetic(m)
        n_values = (y > 0).sum() * (y < 0).sum() * m
        seconds = min(timed_round(K, y, 1)[1] for _ in range(3 if m < 4000 else 1))
        print(f"  m = {m:5}: {seconds:7.3f} s, {1e9 * seconds / n_values:.2f} ns per value")


def bench_latency():
    print("first call in a fresh process, seconds beyond imports")
    code = (
        "import sys, time, numpy as np, numba; sys.path.insert(0, sys.argv[1])\n"
        "from handful.rules.search.exact import exact_half_space_paths as paths\n"
        "x = np.linspace(-1, 1, 30); y = np.where(np.sin(9 * x) > 0, 1, -1)\n"
        "for p in ([1.0], [1.0, 2.0, 3.0, 4.0]):\n"
        "    start = time.perf_counter()\n"
        "    paths(np.outer(x, x), y, kind='conjunction', penalties=p, max_rules=2)\n"
        "    print(f'{time.perf_counter() - start:.2f}', end=' ')\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        for state in ("cold", "cached"):
            done = subprocess.run(
                [sys.executable, "-c", code, str(ROOT / "src")], check=True, text=True,
                capture_output=True, env={**os.environ, "NUMBA_CACHE_DIR": folder},
            )  # fmt: skip
            one, many = done.stdout.split()
            print(f"  {state:6}: histogram engine {one} s, then lock-step engine {many} s")


def main():
    chosen = [name for name in sys.argv[1:] if not name.startswith("-")]
    is_full = "--full" in sys.argv
    parts = {
        "fit": bench_fit,
        "table": lambda: bench_table(is_full),
        "round": bench_round,
        "growth": lambda: bench_growth(is_full),
        "latency": bench_latency,
    }
    for name in chosen or parts:
        parts[name]()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
