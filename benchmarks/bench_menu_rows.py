"""A menu of many rows: the pool is brought here, the rest is counted chunk by chunk on Dask.

    python benchmarks/bench_menu_rows.py --rows 100000 1000000 10000000

Rows with 10 features are generated chunk by chunk on two workers. At --compare rows the menu in
memory must be the same. Prints time, processor time of client and workers together, passes, the
certificate, and the peak memory of the workers and of the client.
"""

from __future__ import annotations

import argparse
import time

from bench_dask_rows import generate, peak_bytes, timed

FORMS = ["constant", "one rule", "rule list", "score card", "linear", "additive", "prototypes"]


def processor_seconds(client) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


def fit_once(n_rows: int, chunk_rows: int, client) -> None:
    from handful import CertifiedClassifier
    from handful.distributed import watch_passes

    X, y = generate(n_rows, chunk_rows)
    before, spent_before = peak_bytes(), processor_seconds(client)
    with watch_passes() as passes:
        machine, seconds = timed(lambda: CertifiedClassifier(FORMS).fit(X, y))
    cpu = processor_seconds(client) - spent_before
    peak = max(client.run(peak_bytes).values())
    spent = ", ".join(f"{p.name} {p.seconds:.1f} s" for p in passes)
    print(
        f"{n_rows:>11,} rows: {seconds:.1f} s, processors {cpu:.1f} s ({spent}); {machine.chosen_} "
        f"{machine.certificate_.risk:.5f}; worker at most {peak / 2**20:.0f} MiB, client "
        f"{peak_bytes() / 2**20:.0f} MiB ({before / 2**20:.0f} before)",
        flush=True,
    )


def compare(n_rows: int, chunk_rows: int) -> None:
    from handful import CertifiedClassifier

    X, y = generate(n_rows, chunk_rows)
    there, seconds = timed(lambda: CertifiedClassifier(FORMS).fit(X, y))
    rows, labels = X.compute(), y.compute()
    here, alone = timed(lambda: CertifiedClassifier(FORMS).fit(rows, labels))
    assert there.certificate_ == here.certificate_
    assert (there.menu_["certificate"] == here.menu_["certificate"]).all()
    print(f"{n_rows:,} rows: the same menu; {seconds:.1f} s on Dask, {alone:.1f} s in memory")


def main() -> None:
    import distributed

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--chunk-rows", type=int, default=100_000)
    parser.add_argument("--compare", type=int, default=100_000)
    args = parser.parse_args()
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        compare(args.compare, max(1, args.compare // 7))
        for n_rows in args.rows:
            fit_once(n_rows, args.chunk_rows, client)


if __name__ == "__main__":
    main()
