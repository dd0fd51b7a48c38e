"""A real cluster of two worker processes: lost workers, bad chunks, a scheduler that goes away."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import dask
import numpy as np
import pytest

from handful import AdaBoost, BoundSearch, SetCoveringMachine, load_dataset
from handful.covering import cross_validate_path
from handful.distributed import ClusterError, cluster, scheduler, watch_passes
from tests.distributed.conftest import cut

pytestmark = pytest.mark.thorough

DATA = load_dataset("breastw")
SIZES = [100] * 6 + [83]


def machine():
    return SetCoveringMachine("stumps", candidates=40, random_state=0)


def chunks(pause=0.0):
    """Chunks that take a while to read, each time."""

    def slowly(block):
        time.sleep(pause)
        return block

    return cut(DATA.X, SIZES).map_blocks(slowly, dtype=float), cut(DATA.y, SIZES)


@contextlib.contextmanager
def after(name, act):
    """Call ``act`` once, after the first pass of this name."""
    done = []

    def watch(record):
        if record.name == name and not done:
            done.append(record)
            act()

    token = cluster._WATCHERS.set((watch,))
    try:
        yield done
    finally:
        cluster._WATCHERS.reset(token)


def kill_one(client):
    """End a worker process; its nanny starts another one."""
    pids = sorted(client.run(os.getpid).values())
    os.kill(pids[0], signal.SIGKILL)


def kill_a_busy_one(client):
    """Wait until both workers have models to fit, then end one of them."""
    while sum(bool(tasks) for tasks in client.processing().values()) < 2:
        time.sleep(0.05)
    kill_one(client)


@pytest.mark.parametrize("cache", [pytest.param(0, marks=pytest.mark.slow), 2**30])
def test_a_worker_that_dies_between_rounds_loses_nothing(cluster, cache):
    here = machine().fit(DATA.X, DATA.y)
    with scheduler(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=60)
        with (
            dask.config.set({"handful.cache-bytes": cache}),
            after("rule 1", lambda: kill_one(client)) as killed,
        ):
            there = machine().fit(*chunks())
    assert killed
    assert there.certificate_ == here.certificate_
    assert there.rules_ == here.rules_


@pytest.mark.slow
def test_a_worker_that_dies_within_a_round_loses_nothing(cluster):
    here = AdaBoost(n_rounds=3, candidates=30, random_state=0).fit(DATA.X, DATA.y)
    with scheduler(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=60)
        timer = threading.Timer(0.0, kill_one, [client])
        with (
            dask.config.set({"handful.cache-bytes": 0}),
            after("weights", lambda: threading.Timer(0.15, timer.run).start()) as killed,
        ):
            there = AdaBoost(n_rounds=3, candidates=30, random_state=0).fit(*chunks(0.1))
    assert killed
    np.testing.assert_array_equal(there.decision_function(DATA.X), here.decision_function(DATA.X))


class SlowMachine(SetCoveringMachine):
    """A machine that says where it was fitted."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.2)
        super().fit(X, y)
        self.pid_ = os.getpid()
        return self


GRID = {"penalty": [0.5, 1.0, 1.5, 2.0, 3.0, 5.0], "kind": ["conjunction", "disjunction"]}


def test_a_worker_that_dies_within_a_sweep_loses_nothing(cluster):
    plain = BoundSearch(machine(), param_grid=GRID).fit(DATA.X, DATA.y)
    base = SlowMachine("stumps", candidates=40, random_state=0)
    with scheduler(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=60)
        killer = threading.Thread(target=kill_a_busy_one, args=[client])
        killer.start()
        search = BoundSearch(base, param_grid=GRID).fit(DATA.X, DATA.y)
        killer.join()
    assert search.best_params_ == plain.best_params_
    assert search.certificate_ == plain.certificate_
    assert search.results_["score"].tolist() == plain.results_["score"].tolist()
    assert search.best_estimator_.pid_ != os.getpid()


@pytest.mark.thorough
def test_path_validation_runs_on_the_workers(cluster):
    X, y = DATA.X[:120], DATA.y[:120]
    options = {"penalties": [1.0, 2.0], "max_rules": 2, "cv": 4}
    for rules in ("stumps", "half-spaces"):
        here = cross_validate_path(X, y, rules=rules, **options)
        with scheduler(cluster.scheduler_address):
            there = cross_validate_path(X, y, rules=rules, **options)
        assert here.frame().equals(there.frame())
        for a, b in zip(here.candidates, there.candidates, strict=True):
            assert [c.build() for c in a] == [c.build() for c in b]


def test_a_bad_chunk_on_a_worker_is_named(cluster):
    X = DATA.X.copy()
    X[250, 3] = np.nan
    with scheduler(cluster.scheduler_address):
        with pytest.raises(ValueError, match=r"chunk 2 \(from row 200\): Input X contains NaN"):
            SetCoveringMachine("balls", candidates=20).fit(cut(X, SIZES), cut(DATA.y, SIZES))
        fitted = SetCoveringMachine("balls", candidates=20, random_state=0).fit(DATA.X, DATA.y)
        with pytest.raises(ValueError, match=r"chunk 2: Input X contains NaN"):
            fitted.predict(cut(X, SIZES)).compute()


def test_only_rules_and_counts_travel(cluster):
    with scheduler(cluster.scheduler_address), watch_passes() as passes:
        machine().fit(*chunks())
    rounds = [p for p in passes if p.name.startswith("rule")]
    assert max(p.bytes_up for p in rounds) < 50_000
    assert max(p.bytes_down for p in rounds) < 50_000


@pytest.fixture
def fragile(tmp_path):
    """A scheduler and a worker in processes of their own."""
    file = tmp_path / "scheduler.json"
    common = ["--no-dashboard", "--scheduler-file", str(file), "--host", "127.0.0.1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    first = [sys.executable, "-m", "dask", "scheduler", "--port", "0", *common]
    with subprocess.Popen(first, **quiet) as leader:
        for _ in range(600):
            if file.is_file() and file.read_text():
                break
            time.sleep(0.1)
        second = [sys.executable, "-m", "dask", "worker", "--nthreads", "1", "--no-nanny", *common]
        with subprocess.Popen(second, **quiet) as follower:
            yield leader, json.loads(file.read_text())["address"]
            leader.kill()
            follower.kill()


def test_a_scheduler_that_goes_away_is_an_error_and_leaves_no_file(fragile, tmp_path):
    leader, address = fragile
    target = tmp_path / "model.json"

    def work():
        with scheduler(address, timeout=1.0) as client:
            client.wait_for_workers(1, timeout=60)
            with after("rule 1", leader.kill):
                fitted = machine().fit(*chunks())
        target.write_text(str(fitted))

    with pytest.raises(ClusterError, match="the Dask scheduler went away while it worked"):
        work()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scheduler.json"]
