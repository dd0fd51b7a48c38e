"""Rows that are elsewhere: Dask inputs are recognised here and handed to `handful.distributed`."""

from __future__ import annotations

import importlib
from typing import Any


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection, whose rows are read in chunks.

    Examples
    --------
    >>> is_dask([[1.0]])
    False
    """
    return hasattr(X, "__dask_graph__")


def over_chunks() -> Any:
    """The module that works on Dask inputs; it stands above the machines: loaded on demand."""
    return importlib.import_module("handful.distributed")
