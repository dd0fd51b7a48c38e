"""Dask inputs are recognised without importing Dask."""

from __future__ import annotations

import dask.array as da
import numpy as np

from handful.chunks import chunked, is_chunked


def test_only_collections_are_in_chunks():
    assert is_chunked(da.zeros((2, 2)))
    for here in (np.zeros((2, 2)), [[0.0]], None):
        assert not is_chunked(here)


def test_the_door_is_open():
    assert callable(chunked().fit)
