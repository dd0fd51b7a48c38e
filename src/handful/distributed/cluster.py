"""Where the work runs: threads of this process by default, a Dask cluster if there is one."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_CACHE_BYTES = 2**30  # on threads
_FAN_IN = 16  # results that are added at a time
_CACHE_SHARE = 0.25  # of the memory of a cluster


class ClusterError(RuntimeError):
    """The cluster went away or gave up; nothing was fitted and nothing was written."""


def require_dask(module: str = "dask") -> Any:
    """Import Dask, or say how to get it.

    Examples
    --------
    >>> require_dask().__name__
    'dask'
    """
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} is not installed, and Dask inputs need it. Install it with "
            "`pip install 'handful[dask]'`."
        ) from error


def current_client() -> Any:
    """The client of the cluster in use; None if work runs on threads."""
    try:
        distributed = require_dask("distributed")
    except ImportError:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def cache_bytes() -> int:
    """Largest number of bytes of codes and chunks to keep between rounds, over all workers.

    Set ``dask.config.set({"handful.cache-bytes": ...})`` to change it; 0 keeps nothing.
    """
    dask = require_dask()
    given = dask.config.get("handful.cache-bytes", None)
    if given is not None:
        return int(given)
    client = current_client()
    if client is None:
        return _CACHE_BYTES
    limits = [w.get("memory_limit") or 0 for w in client.scheduler_info(-1)["workers"].values()]
    # Workers that state no limit still keep something.
    return max(_CACHE_BYTES // 4, int(_CACHE_SHARE * sum(limits)))


@dataclass(frozen=True)
class Pass:
    """One pass over the chunks, as it was measured.

    Attributes
    ----------
    name : str
    n_chunks : int
    n_requests : int
        Paths that were counted in the pass.
    bytes_down, bytes_up : int
        What the driver sent (rules, encoders) and what one chunk sent back.
    seconds : float
    """

    name: str
    n_chunks: int
    n_requests: int
    bytes_down: int
    bytes_up: int
    seconds: float


_WATCHERS: ContextVar[tuple[Callable[[Pass], None], ...]] = ContextVar("watchers", default=())


@contextmanager
def watch_passes() -> Iterator[list[Pass]]:
    """Collect a `Pass` for each pass over the chunks inside.

    Examples
    --------
    >>> with watch_passes() as passes:
    ...     pass
    >>> passes
    []
    """
    passes: list[Pass] = []
    token = _WATCHERS.set((*_WATCHERS.get(), passes.append))
    try:
        yield passes
    finally:
        _WATCHERS.reset(token)


@contextmanager
def measured(
    name: str, n_chunks: int, n_requests: int, bytes_down: int = 0, bytes_up: int = 0
) -> Iterator[None]:
    """Time one pass, and report it to `watch_passes`."""
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    record = Pass(name, n_chunks, n_requests, bytes_down, bytes_up, seconds)
    for report in _WATCHERS.get():
        report(record)


def compute(tasks: Sequence[Any]) -> list[Any]:
    """Results of delayed tasks, on the cluster in use or on threads.

    A lost worker is replaced by Dask: what it held is computed again. A lost scheduler is an
    error.
    """
    with cluster_errors():
        return list(require_dask().compute(*tasks))


def persist(tasks: Sequence[Any]) -> list[Any]:
    """The tasks, with their results kept on the workers; lost ones are made again."""
    with cluster_errors():
        return list(require_dask().persist(*tasks))


def reduced(tasks: Sequence[Any], add: Callable[[Sequence[Any]], Any]) -> Any:
    """One delayed result from many: sixteen at a time are added on the workers.

    Examples
    --------
    >>> from dask import delayed
    >>> reduced([delayed(k) for k in range(40)], sum).compute()
    780
    """
    step = require_dask().delayed(add, pure=False)
    tasks = list(tasks)
    while len(tasks) > 1:
        # A tree in the order of the chunks: the same sums, hence the same rounding, in every run.
        tasks = [step(tasks[i : i + _FAN_IN]) for i in range(0, len(tasks), _FAN_IN)]
    return tasks[0]


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Failures of the cluster as `ClusterError`; errors of the work as they are."""
    import asyncio
    from concurrent.futures import CancelledError

    lost: tuple[type[BaseException], ...] = (CancelledError, asyncio.CancelledError)
    killed: tuple[type[BaseException], ...] = ()
    try:
        from distributed.comm import CommClosedError

        from distributed import KilledWorker

        lost = (*lost, CommClosedError, TimeoutError, ConnectionError)
        killed = (KilledWorker,)
    except ImportError:  # threads only
        pass
    try:
        yield
    except lost as error:
        raise ClusterError(
            "the Dask scheduler went away while it worked. Nothing was fitted; start the "
            "cluster again and repeat the call."
        ) from error
    except killed as error:
        raise ClusterError(
            "a chunk ended every worker that tried it, most often for lack of memory. Use "
            "smaller chunks (`rechunk`, `repartition`) or give the workers more memory."
        ) from error


@contextmanager
def scheduler(address: str | None, *, timeout: float = 15.0) -> Iterator[Any]:
    """Run everything inside on the Dask cluster at an address.

    Fits on Dask inputs run on its workers, and so do the sweeps over many models
    (`BoundSearch`, cross-validation, `reproduce`), through joblib; their data are sent to each
    worker once.

    Parameters
    ----------
    address : str or None
        For example ``"tcp://10.0.0.1:8786"``. None changes nothing: the work stays in this
        process.
    timeout : float
        Seconds to wait for the scheduler, also if it goes away later.

    Yields
    ------
    distributed.Client or None

    Examples
    --------
    >>> with scheduler(None) as client:
    ...     print(client)
    None
    """
    if address is None:
        yield None
        return
    distributed = require_dask("distributed")
    import joblib

    try:
        client = distributed.Client(address, timeout=timeout, set_as_default=True)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address!r}: {error}. Check the address, or start one "
            "with `dask scheduler`."
        ) from error
    # Data of a sweep go to every worker, not to one as joblib would have it: they cannot be made
    # again, so that a single copy would be lost with its worker.
    client.scatter = functools.partial(client.scatter, broadcast=True)
    backend = joblib.parallel_config("dask", client=client, wait_for_workers_timeout=30)
    with client, backend, cluster_errors():
        yield client
