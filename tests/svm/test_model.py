"""The record of a machine."""

from __future__ import annotations

import numpy as np
import pytest

from handful.kernels import Kernel
from handful.svm import SVMModel


def test_sets_and_derived_numbers():
    model = SVMModel(
        kernel=Kernel("linear"),
        C=2.0,
        alpha=np.array([0.0, 1e-9, 1.0, 2.0, 2.0 * (1 - 1e-9)]),
        bias=0.5,
        y_signed=np.array([1.0, 1.0, -1.0, 1.0, -1.0]),
        f=np.array([2.0, 1.5, -1.0, 0.2, 0.3]),
        objective=4.0,
        gap=0.02,
    )
    assert model.support.tolist() == [2, 3, 4]
    assert model.bounded.tolist() == [3, 4]
    assert model.free.tolist() == [2]
    assert model.coef.tolist() == [0.0, 1e-9, -1.0, 2.0, -2.0 * (1 - 1e-9)]
    assert model.margins.tolist() == [2.0, 1.5, 1.0, 0.2, -0.3]
    assert model.relative_gap == pytest.approx(0.005)
    assert model.n_samples == 5
