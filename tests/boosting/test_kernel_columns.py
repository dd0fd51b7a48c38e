"""Unit balls of kernels: edges by loops, members of norm one."""

import numpy as np
import pytest

from handful.boosting._kernel_columns import KernelColumns
from tests.oracles import boosting as oracle


def test_edges_match_loops(rng):
    A = rng.normal(size=(9, 4))
    scores = rng.normal(size=9) * (rng.random(9) < 0.6)
    K = A @ A.T
    family = KernelColumns([K])
    assert family.edges(scores)[0] == pytest.approx(oracle.kernel_norm(K, scores))
    column = family.best(scores)[0]
    assert scores @ column.values == pytest.approx(column.edge)
    assert column.key.coefficients @ K[np.ix_(column.key.indices, column.key.indices)] @ (
        column.key.coefficients
    ) == pytest.approx(1.0)  # a function of norm one


def test_kernels_without_edge_have_no_member():
    family = KernelColumns([np.zeros((3, 3)), np.eye(3)])
    scores = np.array([0.5, -0.25, 0.0])
    found = family.best(scores, 2)
    assert [column.key.kernel for column in found] == [1]
    assert KernelColumns([np.zeros((3, 3))]).best(scores) == []
