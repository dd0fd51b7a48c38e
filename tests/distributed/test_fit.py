"""The one door for fits on Dask inputs."""

from __future__ import annotations

import numpy as np
import pytest

from handful import LPBoost, SetCoveringMachine
from handful.distributed import fit
from tests.distributed.conftest import cut

pytestmark = pytest.mark.usefixtures("plain")

X = np.arange(40.0).reshape(20, 2)
Y = np.tile([0, 1], 10)


def test_weights_and_other_machines_are_refused():
    pair = cut(X, [10, 10]), cut(Y, [10, 10])
    with pytest.raises(ValueError, match="`sample_weight` is not accepted with Dask inputs"):
        SetCoveringMachine().fit(*pair, sample_weight=np.ones(20))
    with pytest.raises(TypeError, match=r"`machine` must be .* got LPBoost. Call compute\(\)"):
        LPBoost().fit(*pair)


def test_given_classes_are_the_classes():
    pair = cut(X, [10, 10]), cut(Y, [10, 10])
    machine = fit(SetCoveringMachine("stumps", random_state=0), *pair, classes=[1, 0])
    assert machine.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"chunk 0 \(from row 0\) has the label 1, which is none"):
        fit(SetCoveringMachine(), *pair, classes=[0, 2])
