"""The simulator of the schedule: limits that are known in closed form, and measured runs."""

from __future__ import annotations

import math

import pytest
from benchmarks.cluster_simulator import Rates, fit_rates, simulate_schedule

from handful.distributed import Pass


def test_one_chunk_is_one_task():
    rates = Rates(seconds_per_row=1e-6, seconds_per_task=0.01, seconds_per_pass=0.1)
    found = simulate_schedule(1000, rates, n_threads=4, n_rounds=3, n_reads=0, tally_bytes=1e9)
    assert (found.n_chunks, found.n_tasks, found.n_passes) == (1, 3, 3)
    assert found.seconds == pytest.approx(3 * (0.1 + 0.01 + 1e-3 + 1.0))
    assert found.bytes_moved == 3e9


@pytest.mark.parametrize("n_threads", [1, 3, 64])
def test_many_rows_take_their_share_of_the_threads(n_threads):
    rates = Rates(seconds_per_row=1e-7, seconds_per_task=0.0, seconds_per_pass=0.0)
    found = simulate_schedule(
        10**9, rates, n_threads=n_threads, n_rounds=1, n_reads=0, tally_bytes=1.0
    )
    waves = math.ceil(1000 / n_threads)
    assert found.seconds == pytest.approx(waves * 0.1, rel=1e-6)
    assert found.busy == pytest.approx(1000 / (waves * n_threads), rel=1e-6)


def test_many_tasks_wait_for_the_scheduler():
    rates = Rates(seconds_per_row=1e-9, seconds_per_task=1e-3, seconds_per_pass=0.0)
    found = simulate_schedule(
        10**8, rates, n_threads=10**4, rows_per_chunk=10**4, n_rounds=1, n_reads=0, tally_bytes=0.0
    )
    assert found.n_tasks == 10**4 + 625 + 40 + 3 + 1
    assert found.seconds == pytest.approx(1e-3 * found.n_tasks, rel=0.01)


def test_sent_tallies_are_counted():
    rates = Rates(seconds_per_row=0.0)
    found = simulate_schedule(
        256 * 10**6, rates, n_threads=2, n_rounds=2, n_reads=1, tally_bytes=10.0, fan_in=16
    )
    assert found.bytes_moved == 2 * 10.0 * (240 + 15 + 1)


def test_more_threads_never_take_longer():
    rates = Rates(seconds_per_row=2e-8, seconds_per_read=1e-7, seconds_per_task=2e-4)
    seconds = [simulate_schedule(10**9, rates, n_threads=n).seconds for n in (1, 2, 8, 64, 512)]
    assert seconds == sorted(seconds, reverse=True)


def test_rates_are_recovered(rng):
    runs = []
    for n_rows, n_chunks in ((10**5, 2), (10**6, 10), (10**6, 50), (10**7, 100)):
        seconds = 0.02 + 3e-8 * n_rows / 2 + 2e-3 * n_chunks
        passes = [Pass("rule 1", n_chunks, 1, 0, 0, seconds * (1 + 0.01 * rng.normal()))]
        reading = 0.02 + 5e-7 * n_rows / 2 + 2e-3 * n_chunks
        runs.append((n_rows, [*passes, Pass("look", n_chunks, 1, 0, 0, reading)]))
    rates = fit_rates(runs, n_threads=2)
    assert rates.seconds_per_row == pytest.approx(3e-8, rel=0.1)
    assert rates.seconds_per_read == pytest.approx(5e-7, rel=0.1)
    assert rates.seconds_per_task == pytest.approx(2e-3, rel=0.1)
    assert rates.seconds_per_pass == pytest.approx(0.02, rel=0.2)


def test_one_size_is_not_enough():
    with pytest.raises(ValueError, match="`runs` must hold rounds of at least two different"):
        fit_rates([(10, [Pass("rule 1", 1, 1, 0, 0, 1.0)])], n_threads=1)
