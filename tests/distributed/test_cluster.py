"""Where work runs, what is reported, and how failures read."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time

import dask
import pytest

import distributed
from handful.distributed import ClusterError, scheduler, watch_passes
from handful.distributed.cluster import (
    cache_bytes,
    cluster_errors,
    compute,
    measured,
    persist,
    reduced,
    require_dask,
)


@pytest.mark.parametrize("module", ["dask", "distributed"])
def test_without_the_extra_the_error_says_how_to_get_it(module, monkeypatch):
    def absent(name, *args):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(ImportError, match=rf"{module} is not .* `pip install 'handful\[dask\]'"):
        require_dask(module)


def test_importing_does_not_import_dask():
    code = "import sys, handful.distributed; print({'dask', 'distributed'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize("n", [1, 2, 16, 17, 300])
def test_a_tree_adds_everything_once(n, plain):
    tasks = [dask.delayed(k) for k in range(n)]
    assert compute([reduced(tasks, sum)]) == [n * (n - 1) // 2]
    assert compute(persist([tasks[-1]])) == [n - 1]


def test_passes_are_watched_and_nested():
    with watch_passes() as outer:
        with watch_passes() as inner, measured("a", 3, 2, 10, 20):
            pass
        with measured("b", 1, 1):
            time.sleep(0.02)
    assert [p.name for p in inner] == ["a"]
    assert [p.name for p in outer] == ["a", "b"]
    assert (outer[0].n_chunks, outer[0].n_requests, outer[0].bytes_up) == (3, 2, 20)
    assert outer[1].seconds >= 0.02 > outer[0].seconds


def test_the_cache_can_be_set(plain):
    assert cache_bytes() == 2**30
    with dask.config.set({"handful.cache-bytes": 0}):
        assert cache_bytes() == 0


def test_no_address_changes_nothing():
    with scheduler(None) as client:
        assert client is None


def test_a_dead_address_is_an_error_that_says_so():
    with (
        pytest.raises(ClusterError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        scheduler("tcp://127.0.0.1:9", timeout=0.2),
    ):
        pass


def test_lost_and_killed_are_told_apart():
    from distributed.comm import CommClosedError

    with pytest.raises(ClusterError, match="the Dask scheduler went away"), cluster_errors():
        raise CommClosedError("gone")
    with pytest.raises(ClusterError, match="Use smaller chunks"), cluster_errors():
        raise distributed.KilledWorker("task", None, 3)
    with pytest.raises(ValueError, match="mine"), cluster_errors():
        raise ValueError("mine")
