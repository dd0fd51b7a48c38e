"""Scores and the stable bound, recomputed."""

import numpy as np
import pytest

from handful.io._scores import KernelExpansion, LinearScore, StumpVotes, score_to_dict
from handful.kernels import Kernel
from handful.verify._scores import scores_of

MACHINES = [
    LinearScore((1.0, 0.0, -2.0), 0.5),
    StumpVotes((0, 2, 0), (0.1, -0.3, 0.5), (1.0, -2.0, 0.25), 0.125),
    KernelExpansion(Kernel("rbf", gamma=0.3), ((0.0, 1.0, 2.0), (1.0, 1.0, 1.0)), (1.0, -0.5), 0.2),
    KernelExpansion(Kernel("poly", gamma=1.0, degree=2), ((0.0, 1.0, 2.0),), (1.5,), -0.2,
                    center=(0.1, 0.2, 0.3), scale=(1.0, 2.0, 3.0), tie=1e-10),
    KernelExpansion(Kernel("linear"), (), (), 1.0),
]  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES, ids=["linear", "votes", "rbf", "poly", "constant"])
def test_scores(machine, rng):
    X = rng.normal(size=(50, 3))
    if isinstance(machine, StumpVotes):
        X[3, 0] = np.nan
    for ours, theirs in zip(scores_of(score_to_dict(machine), X), machine.scores(X), strict=True):
        assert np.allclose(ours, theirs)


def test_unknown_kinds():
    with pytest.raises(ValueError, match="no machine of kind 'magic'"):
        scores_of({"kind": "magic"}, np.zeros((1, 1)))
