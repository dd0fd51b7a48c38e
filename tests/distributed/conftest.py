"""A cluster of two worker processes on loopback, started once, and Dask inputs of any cut."""

from __future__ import annotations

import dask
import numpy as np
import pytest

import distributed


@pytest.fixture(scope="session")
def cluster():
    """A real cluster: two processes with one thread each, on free ports."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        scheduler_port=0,
        host="127.0.0.1",
        memory_limit="1GiB",
        silence_logs=50,
    ) as running:
        yield running


@pytest.fixture
def plain():
    """Everything in this thread: errors and timings are those of our own code."""
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(values, sizes):
    """A Dask array of the given row chunks."""
    import dask.array as da

    values = np.asarray(values)
    chunks = (tuple(sizes), *((n,) for n in values.shape[1:]))
    return da.from_array(values, chunks=chunks)


def random_sizes(rng, n):
    """Chunk sizes that add up to n, some of them small."""
    edges = np.unique(rng.integers(1, n, int(rng.integers(0, 8))))
    return np.diff(np.concatenate([[0], edges, [n]])).tolist()
