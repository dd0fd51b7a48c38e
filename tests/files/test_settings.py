"""Parameters that travel with a model file."""

import json

import numpy as np
import pytest

from handful import AdaBoost, KernelMatchingPursuitClassifier, LPBoost, SupportVectorMachine
from handful.files.save import plain_parameters
from handful.kernels import Kernel


@pytest.mark.parametrize(
    ("machine", "name", "wanted"),
    [
        (SupportVectorMachine(C=np.float64(2.0)), "C", 2.0),
        (SupportVectorMachine(kernel=Kernel("rbf", gamma=0.5)), "kernel",
         {"name": "rbf", "gamma": 0.5, "degree": 3, "coef0": 0.0}),
        (LPBoost(thresholds=np.array([[0.0, 1.0], [2.0, 3.0]])), "thresholds",
         [[0.0, 1.0], [2.0, 3.0]]),
        (KernelMatchingPursuitClassifier(gamma=(0.1, np.float32(0.5))), "gamma", [0.1, 0.5]),
        (AdaBoost(n_rounds=np.int64(3)), "n_rounds", 3),
    ],
)  # fmt: skip
def test_numbers_survive(machine, name, wanted):
    found = json.loads(json.dumps(plain_parameters(machine), allow_nan=False))
    assert found[name] == wanted


@pytest.mark.parametrize("kernel", [np.dot, Kernel("callable", function=np.dot)])
def test_what_json_cannot_hold_is_left_out(kernel):
    assert "kernel" not in plain_parameters(SupportVectorMachine(kernel=kernel))
    assert "gamma" not in plain_parameters(SupportVectorMachine(gamma=np.inf))
    assert "gamma" not in plain_parameters(KernelMatchingPursuitClassifier(gamma=[np.inf]))
