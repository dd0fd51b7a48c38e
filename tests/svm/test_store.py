"""The store of kernel matrices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from handful.svm import KernelStore, fit_svm_grid, geometry
from tests.oracles import svm as oracle


@pytest.fixture
def grid():
    X, y = oracle.paper_data()
    return fit_svm_grid(X, y, gammas=[0.5, 2.0], Cs=[1.0, 10.0])


def test_machines_of_one_kernel_share(grid):
    store = KernelStore(grid.X)
    points = [store.geometry(model).points for model in grid]
    assert points[0] is points[1]
    assert points[1] is not points[2]
    np.testing.assert_allclose(points[0].K, oracle.centred(oracle.gaussian(grid.X, grid.X, 0.5)))
    kernel = store.training_kernel(grid[2])
    np.testing.assert_allclose(kernel, oracle.gaussian(grid.X, grid.X, 2.0))
    assert store.training_kernel(grid[3]) is kernel


def test_the_budget(grid, monkeypatch):
    monkeypatch.setattr(geometry, "_BUDGET_BYTES", 1)
    store = KernelStore(grid.X)
    first = store.geometry(grid[0]).points
    store.geometry(grid[2])
    assert store.geometry(grid[0]).points is not first


def test_pickles_leave_the_matrices_behind(grid):
    store = KernelStore(grid.X)
    before = len(pickle.dumps(store))
    store.geometry(grid[0]).points.spectrum  # noqa: B018
    assert len(pickle.dumps(store)) == before
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(store)).X, grid.X)
