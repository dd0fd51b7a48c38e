"""The grid: order, sharing, decision values, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from handful.kernels import Kernel
from handful.svm import fit_svm_grid
from handful.svm import grid as _grid
from tests.oracles import svm as oracle


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)


def test_order_is_kernel_major_with_rising_penalties(data):
    grid = fit_svm_grid(*data, gammas=[2.0, 0.5], Cs=[10, 1, 3])
    assert [(m.kernel.gamma, m.C) for m in grid] == [
        (g, C) for g in (2.0, 0.5) for C in (1.0, 3.0, 10.0)
    ]
    assert len(grid) == 6
    assert grid[-1].C == 10.0


@pytest.mark.parametrize("kernel", [Kernel("rbf", gamma=0.4), Kernel("linear")])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_decision_values_in_blocks(data, rng, monkeypatch, kernel, center, bias):
    X, y = data
    grid = fit_svm_grid(X, y, kernels=[kernel], Cs=[1.0, 7.0], center=center, fit_intercept=bias)
    whole = grid.decision_function(X)
    np.testing.assert_allclose(whole, [model.f for model in grid], atol=1e-8)
    monkeypatch.setattr(_grid, "_BLOCK_ENTRIES", 7 * 60)
    np.testing.assert_allclose(grid.decision_function(X), whole, atol=1e-10)


def test_decision_values_of_new_points_equal_libsvm(data, rng):
    X, y = data
    grid = fit_svm_grid(X, y, gammas=[0.2, 1.5], Cs=[0.5, 20.0], tol=1e-8)
    new = rng.normal(size=(25, 3))
    for values, model in zip(grid.decision_function(new), grid, strict=True):
        svc = SVC(C=model.C, gamma=model.kernel.gamma, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(values, svc.decision_function(new), atol=2e-3)


def test_precomputed(data, rng):
    X, y = data
    new = rng.normal(size=(5, 3))
    by_points = fit_svm_grid(X, y, gammas=[0.3], Cs=[2.0], tol=1e-8)
    by_matrix = fit_svm_grid(
        oracle.gaussian(X, X, 0.3), y, kernels=[Kernel("precomputed")], Cs=[2.0], tol=1e-8
    )
    np.testing.assert_allclose(
        by_points.decision_function(new),
        by_matrix.decision_function(oracle.gaussian(new, X, 0.3)),
        atol=1e-6,
    )


def test_support_sets_are_consistent(data):
    for model in fit_svm_grid(*data, gammas=[0.3], Cs=[0.1, 100.0], tol=1e-8):
        assert np.intersect1d(model.free, model.bounded).size == 0
        np.testing.assert_array_equal(np.union1d(model.free, model.bounded), model.support)
        np.testing.assert_allclose(model.margins[model.free], 1.0, atol=1e-4)
        assert (model.margins[model.bounded] <= 1 + 1e-4).all()
        outside = np.setdiff1d(np.arange(60), model.support)
        assert (model.margins[outside] >= 1 - 1e-4).all()


def test_bad_grids(data):
    X, y = data
    with pytest.raises(ValueError, match="`kernels` or `gammas` must be given"):
        fit_svm_grid(X, y, Cs=[1.0])
    with pytest.raises(ValueError, match="`y_signed` must hold both"):
        fit_svm_grid(X, np.ones(60), gammas=[1.0], Cs=[1.0])
    with pytest.raises(ValueError, match="`Cs` must hold positive numbers"):
        fit_svm_grid(X, y, gammas=[1.0], Cs=[1.0, -1.0])
