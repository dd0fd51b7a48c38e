"""Dask inputs are recognised without importing Dask."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

from handful._engines import engine_for, is_elsewhere


def test_only_collections_are_elsewhere():
    assert is_elsewhere(da.zeros((2, 2)))
    for here in (np.zeros((2, 2)), [[0.0]], None):
        assert not is_elsewhere(here)


def test_the_door_is_open():
    assert callable(engine_for(da.zeros((2, 2))).fit)
    with pytest.raises(TypeError, match="`X` must be a collection that an engine knows"):
        engine_for([[0.0]])
