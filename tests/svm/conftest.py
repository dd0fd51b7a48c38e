"""Machines shared by the tests of the geometry, the codes and the criteria."""

from __future__ import annotations

import pytest

from handful.svm import KernelGeometry, MachineGeometry, fit_svm_grid
from tests.oracles import svm as oracle


@pytest.fixture(scope="session")
def machines():
    """Two machines without bias on twenty centred points, C = 1 and C = 10."""
    X, y = oracle.paper_data()
    grid = fit_svm_grid(
        X, y, gammas=[2.0], Cs=[1.0, 10.0], fit_intercept=False, center=True, tol=1e-12
    )
    points = KernelGeometry(oracle.centred(oracle.gaussian(X, X, 2.0)))
    return [MachineGeometry(model, points) for model in grid]
