"""How long would it take? A small simulator of the passes of a fit over many chunks."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.distributed import Pass


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What a cluster costs, measured.

    Attributes
    ----------
    seconds_per_row : float
        A round for one row on one thread: counting it, its codes being kept. Where they are not,
        add the next.
    seconds_per_read : float
        A pass that reads the rows, for one row on one thread: checking, encoding or predicting.
    seconds_per_task : float
        What the scheduler spends on a task. Its tasks wait for each other.
    seconds_per_pass : float
        What a pass costs however small it is.
    bytes_per_second : float
        Between two workers.
    """

    seconds_per_row: float
    seconds_per_read: float = 0.0
    seconds_per_task: float = 1e-3
    seconds_per_pass: float = 0.02
    bytes_per_second: float = 1e9


@dataclass(frozen=True)
class Schedule:
    """What a simulated fit takes.

    Attributes
    ----------
    seconds : float
    n_passes, n_chunks, n_tasks : int
        Rounds and reads together; chunks; tasks of all passes.
    bytes_moved : float
        Tallies that travel between workers and to the driver, over all passes.
    busy : float
        Share of the time that the threads work.
    """

    seconds: float
    n_passes: int
    n_chunks: int
    n_tasks: int
    bytes_moved: float
    busy: float


def simulate_schedule(
    n_rows: int,
    rates: Rates,
    *,
    n_threads: int,
    rows_per_chunk: int = 10**6,
    n_rounds: int = 5,
    n_reads: int = 4,
    tally_bytes: float = 1e5,
    fan_in: int = 16,
) -> Schedule:
    """Seconds, tasks and bytes of a fit: every pass counts each chunk and adds up in a tree.

    Parameters
    ----------
    n_rows : int
    rates : Rates
        Measured on a small run, for example with `fit_rates`.
    n_threads : int
        Threads of all workers together.
    rows_per_chunk : int
    n_rounds : int
        Rounds of the search after the first, which encodes the rows.
    n_reads : int
        Passes that read the rows: a look, the pool, the first round, the errors.
    tally_bytes : float
        What a chunk sends back in a round.
    fan_in : int
        Tallies that one task adds.

    Returns
    -------
    Schedule

    Examples
    --------
    >>> rates = Rates(seconds_per_row=1e-7)
    >>> small = simulate_schedule(10**7, rates, n_threads=2, n_reads=0)
    >>> large = simulate_schedule(10**9, rates, n_threads=2, n_reads=0)
    >>> round(large.seconds / small.seconds)
    96
    >>> large.n_chunks
    1000
    """
    n_chunks = max(1, math.ceil(n_rows / rows_per_chunk))
    sizes = [min(rows_per_chunk, n_rows - k * rows_per_chunk) for k in range(n_chunks)]
    seconds, busy, n_tasks, moved = 0.0, 0.0, 0, 0.0
    kinds = (
        (n_rounds, rates.seconds_per_row, tally_bytes),
        (n_reads, rates.seconds_per_read, 0.0),
    )
    for n_passes, rate, sent_bytes in kinds:
        leaves = [rate * size for size in sizes]
        span, work, tasks, n_sent = _one_pass(leaves, rates, n_threads, fan_in, sent_bytes)
        seconds += n_passes * (rates.seconds_per_pass + span)
        busy += n_passes * work
        n_tasks += n_passes * tasks
        moved += n_passes * n_sent * sent_bytes
    return Schedule(
        seconds=seconds,
        n_passes=n_rounds + n_reads,
        n_chunks=n_chunks,
        n_tasks=n_tasks,
        bytes_moved=moved,
        busy=busy / (n_threads * seconds) if seconds > 0 else 0.0,
    )


def _one_pass(
    leaves: Sequence[float], rates: Rates, n_threads: int, fan_in: int, tally_bytes: float
) -> tuple[float, float, int, int]:
    """(seconds, busy thread seconds, tasks, tallies sent) of one pass, event by event."""
    transfer = tally_bytes / rates.bytes_per_second
    slots = [0.0] * n_threads
    clerk = 0.0  # when the scheduler is free again
    busy, n_tasks, n_sent = 0.0, 0, 0
    ready = [(0.0, cost) for cost in leaves]
    while True:
        ends = []
        for at, cost in ready:
            clerk = max(clerk, at) + rates.seconds_per_task
            start = max(heapq.heappop(slots), clerk)
            heapq.heappush(slots, start + cost)
            ends.append(start + cost)
            busy += cost
        n_tasks += len(ready)
        if len(ends) == 1:
            return ends[0] + transfer, busy, n_tasks, n_sent + 1
        groups = [ends[i : i + fan_in] for i in range(0, len(ends), fan_in)]
        n_sent += len(ends) - len(groups)  # one of each group is there already
        ready = sorted((max(group), (len(group) - 1) * transfer) for group in groups)


def is_read(record: Pass) -> bool:
    """Whether a pass reads the rows themselves."""
    return record.name in _READS


def is_round(record: Pass) -> bool:
    """Whether a pass counts kept codes."""
    return not is_read(record) and (record.name.startswith("rule") or record.name == "weights")


_READS = ("look", "take", "rule 0", "errors", "errors and covers", "margins")


def fit_rates(
    runs: Sequence[tuple[int, Sequence[Pass]]], *, n_threads: int, bytes_per_second: float = 1e9
) -> Rates:
    """Rates from the passes of measured runs of different sizes, by least squares.

    Parameters
    ----------
    runs : sequence of (rows, passes)
        Numbers of rows with what `watch_passes` collected.
    n_threads : int
        Threads of all workers together.
    bytes_per_second : float
        Given, not measured: tallies are small beside the rows.

    Examples
    --------
    >>> runs = [
    ...     (n, [Pass("rule 1", n // 1000, 1, 0, 0, 0.01 + 1e-7 * n + 1e-3 * n / 1000)])
    ...     for n in (10**4, 10**5, 10**6)
    ... ]
    >>> rates = fit_rates(runs, n_threads=1)
    >>> round(rates.seconds_per_pass, 4)
    0.01
    """
    used = [
        (n_rows, p.n_chunks, is_read(p), p.seconds)
        for n_rows, passes in runs
        for p in passes
        if is_read(p) or is_round(p)
    ]
    if len({n_rows for n_rows, *_ in used}) < 2:
        raise ValueError(
            f"`runs` must hold rounds of at least two different sizes, got {len(used)} passes of "
            "one size. Measure one more size."
        )
    A = np.array(
        [
            [waves * (not reads), waves * reads, n_chunks, 1.0]
            for n_rows, n_chunks, reads, _ in used
            for waves in [n_rows / n_chunks * math.ceil(n_chunks / n_threads)]
        ]
    )
    seconds = np.array([row[-1] for row in used])
    from scipy.optimize import nnls

    weight = 1.0 / seconds  # relative errors count
    x, _ = nnls(A * weight[:, None], seconds * weight)
    return Rates(
        seconds_per_row=float(x[0]),
        seconds_per_read=float(x[1]),
        seconds_per_task=float(x[2]),
        seconds_per_pass=float(x[3]),
        bytes_per_second=bytes_per_second,
    )
