"""Many rows on Dask: growth, overhead against memory, ratio to plain dask.array, bytes, memory.

Rows with 10 features are generated chunk by chunk on the workers; the pool is fixed. The same
machine is fitted in memory at --compare rows with the same number of threads, and must be equal.
The peer of one round is the same counts written in plain dask.array (digitize and bincount); they
must be equal too.

    python benchmarks/bench_dask_rows.py --rows 100000 1000000 10000000
"""

from __future__ import annotations

import argparse
import functools
import resource
import time

import numpy as np

N_FEATURES = 10


def make_block(block: np.ndarray) -> np.ndarray:
    """Rows from the numbers of the rows: the same each time, on any worker."""
    rng = np.random.default_rng(int(block[0, 0]))
    return rng.random((len(block), N_FEATURES))


def make_labels(X: np.ndarray) -> np.ndarray:
    """A box, and 5 % of noise that the row itself decides."""
    inside = (X[:, 0] < 0.8) & (X[:, 1] > 0.2) & (X[:, 2] < 0.9)
    return (inside ^ (np.modf(X[:, 3] * 1e4)[0] < 0.05)).astype(np.int64)


def generate(n_rows: int, chunk_rows: int):
    import dask.array as da

    numbers = da.arange(n_rows, chunks=chunk_rows).reshape(-1, 1)
    X = numbers.map_blocks(make_block, chunks=(numbers.chunks[0], (N_FEATURES,)), dtype=float)
    return X, X.map_blocks(make_labels, drop_axis=1, dtype=np.int64)


def machine(options, n_jobs=None):
    from handful import SetCoveringMachine

    return SetCoveringMachine(
        options.rules,
        candidates=options.pool,
        max_rules=options.max_rules,
        random_state=0,
        n_jobs=n_jobs,
    )


def peak_bytes() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def fit_once(options, client, n_rows: int):
    import dask

    from handful.distributed import watch_passes

    X, y = generate(n_rows, options.chunk_rows)
    room = {"handful.cache-bytes": 50 * n_rows}  # for the codes, not for the rows: at every size
    with dask.config.set(room), watch_passes() as passes:
        fitted, seconds = timed(lambda: machine(options).fit(X, y))
    rounds = [p for p in passes if p.name.startswith("rule")]
    moved = sum(p.n_chunks * p.bytes_up + options.workers * p.bytes_down for p in passes)
    peak = max(client.run(peak_bytes).values())
    print(
        f"{n_rows:>11,} rows: {seconds:7.2f} s in all, {len(passes)} passes, "
        f"{np.median([p.seconds for p in rounds]):.3f} s a round, "
        f"{moved / 2**20:.1f} MiB of rules and counts, "
        f"peak {peak / 2**30:.2f} GiB a worker, risk <= {fitted.certificate_.risk:.4f}",
        flush=True,
    )
    return fitted, seconds, passes


def compare_with_memory(options, client) -> None:
    """The same rows in memory, on as many threads; both sides have them ready."""
    X, y = (part.persist() for part in generate(options.compare, options.chunk_rows))
    here_X, here_y = X.compute(), y.compute()
    pairs = []
    for _ in range(options.repeats):
        here, memory = timed(lambda: machine(options, options.workers).fit(here_X, here_y))
        there, chunks = timed(lambda: machine(options).fit(X, y))
        assert there.certificate_ == here.certificate_
        assert there.rules_ == here.rules_
        pairs.append((chunks, memory))
    chunks, memory = (min(column) for column in zip(*pairs, strict=True))
    print(
        f"{options.compare:,} rows, {options.workers} threads, equal machines: distributed "
        f"{chunks:.2f} s, in memory {memory:.2f} s, ratio {chunks / memory:.2f} (target 1.5)"
    )


def compare_with_dask_array(options, client) -> None:
    """One pass of counts, ours against digitize and bincount."""
    from handful.covering.codes.compression import make_table
    from handful.distributed import read_chunks
    from handful.rules import STUMPS, Geometry
    from handful.rules.search_rows import SourceRows

    X, y = (part.persist() for part in generate(options.compare, options.chunk_rows))
    chunks = read_chunks(X, y)
    pool = np.arange(160)  # the first of the blind order
    rows = SourceRows.of(chunks, 1).holding(len(pool))
    table = make_table(STUMPS, rows, pool, Geometry())
    best = {"ours": np.inf, "plain": np.inf, "kept": np.inf}
    for _ in range(options.repeats):
        ours, seconds = timed(lambda: rows.counter([table]).start())
        best["ours"] = min(best["ours"], seconds)
        counter = rows.counter([table])
        counter.start()
        _, seconds = timed(functools.partial(counter._count, [()]))
        best["kept"] = min(best["kept"], seconds)
        theirs, seconds = timed(functools.partial(plain_counts, X, y, table))
        best["plain"] = min(best["plain"], seconds)
    for j in range(N_FEATURES):
        n_cuts = int(table.n_thresholds[j])
        for label in (0, 1):
            below = np.cumsum(ours[0][label][j])[: 2 * n_cuts : 2]
            np.testing.assert_array_equal(below, np.cumsum(theirs[j][label])[:n_cuts])
    print(
        f"one pass of counts at {options.compare:,} rows, equal: ours {best['ours']:.3f} s, with "
        f"the codes kept {best['kept']:.3f} s, plain dask.array {best['plain']:.3f} s, ratio "
        f"{best['plain'] / best['ours']:.1f} and {best['plain'] / best['kept']:.1f}"
    )


def plain_counts(X, y, table):
    """Rows of each label between neighbouring thresholds, feature by feature."""
    import dask
    import dask.array as da

    lazy = []
    for j in range(N_FEATURES):
        cuts = table.thresholds[j, : table.n_thresholds[j]]
        bins = da.digitize(X[:, j], cuts)
        size = len(cuts) + 1
        lazy.append(
            [da.bincount(bins, weights=(y == k).astype(float), minlength=size) for k in (0, 1)]
        )
    return [[np.rint(c).astype(np.int64) for c in pair] for pair in dask.compute(lazy)[0]]


def check_simulator(options, runs) -> None:
    """Rates from all runs but the largest; the largest is then simulated."""
    from cluster_simulator import fit_rates, is_read, is_round, simulate_schedule

    if len(runs) > 2:
        rates = fit_rates(runs[:-1], n_threads=options.workers)
        n_rows, passes = runs[-1]
        rounds = [p for p in passes if is_round(p)]
        found = simulate_schedule(
            n_rows,
            rates,
            n_threads=options.workers,
            rows_per_chunk=options.chunk_rows,
            n_rounds=len(rounds),
            n_reads=sum(is_read(p) for p in passes),
            tally_bytes=float(np.mean([p.bytes_up for p in rounds])),
        )
        measured = sum(p.seconds for p in passes)
        print(
            f"simulated from the smaller runs: {found.seconds:.2f} s for {n_rows:,} rows, "
            f"measured {measured:.2f} s, ratio {found.seconds / measured:.2f}"
        )
    if len(runs) > 1:
        print(f"rates from all runs: {fit_rates(runs, n_threads=options.workers)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7])
    parser.add_argument("--compare", type=int, default=10**6)
    parser.add_argument("--rules", default="stumps")
    parser.add_argument("--pool", type=int, default=160)
    parser.add_argument("--max-rules", type=int, default=5)
    parser.add_argument("--chunk-rows", type=int, default=10**5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()

    import distributed
    from handful.distributed import scheduler

    with (
        distributed.LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit="1.5GiB",
            host="127.0.0.1",
        ) as cluster,
        scheduler(cluster.scheduler_address) as client,
    ):
        fit_once(options, client, min(options.rows))  # workers import and compile
        print(f"{options.rules}, pool of {options.pool}, chunks of {options.chunk_rows:,} rows")
        runs, seconds = [], []
        for n_rows in options.rows:
            _, wall, passes = fit_once(options, client, n_rows)
            runs.append((n_rows, passes))
            seconds.append(wall)
        if len(seconds) > 1:
            slopes = np.diff(np.log(seconds)) / np.diff(np.log(options.rows))
            print(f"growth exponents in rows: {', '.join(f'{s:.2f}' for s in slopes)} (target 1.1)")
        check_simulator(options, runs)
        compare_with_memory(options, client)
        compare_with_dask_array(options, client)


if __name__ == "__main__":
    main()
