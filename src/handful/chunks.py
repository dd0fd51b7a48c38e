"""Rows in chunks: how they are told from rows in memory, and which package reads them.

`handful.distributed` stands above all machines, so that no machine imports it. The top of the
package enters it here; it is imported when the first collection in chunks is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOADERS: list[Callable[[], Any]] = []


def enter_chunked(load: Callable[[], Any]) -> None:
    """Say how `handful.distributed` is imported."""
    _LOADERS[:] = [load]


def is_chunked(X: Any) -> bool:
    """Whether X is a Dask collection, whose rows need not be in memory.

    Examples
    --------
    >>> is_chunked([[1.0]])
    False
    """
    return hasattr(X, "__dask_graph__")


def chunked() -> Any:
    """The package `handful.distributed`."""
    return _LOADERS[0]()
