"""Dask inputs are recognised without importing Dask."""

from __future__ import annotations

import dask.array as da
import numpy as np

from handful.rules._elsewhere import is_dask, over_chunks


def test_only_collections_are_elsewhere():
    assert is_dask(da.zeros((2, 2)))
    for here in (np.zeros((2, 2)), [[0.0]], None):
        assert not is_dask(here)


def test_the_door_is_open():
    assert callable(over_chunks().fit)
