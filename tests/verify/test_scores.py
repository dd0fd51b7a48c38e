"""Scores and the stable bound, recomputed."""

from dataclasses import replace

import numpy as np
import pytest

from handful.codec import encode
from handful.kernels import Kernel
from handful.models import Kernels, Stumps, Votes, kernel_expansion, linear_score
from handful.verify.evaluate import has_classes, sums_of

NONE = np.zeros((0, 3)), np.zeros((0, 1))
MACHINES = [
    linear_score([[1.0, 0.0, -2.0]], [0.5]),
    Votes((Stumps((0, 2, 0), (0.1, -0.3, 0.5), (1.0, -2.0, 0.25), 0.125),)),
    kernel_expansion(Kernel("rbf", gamma=0.3), [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]], [[1.0], [-0.5]],
                     [0.2]),
    kernel_expansion(Kernel("poly", gamma=1.0, degree=2), [[0.0, 1.0, 2.0]], [[1.5]], [-0.2],
                     center=(0.1, 0.2, 0.3), scale=(1.0, 2.0, 3.0), tie=1e-10),
    kernel_expansion(Kernel("linear"), *NONE, [1.0]),
    Kernels(
        tuple(
            replace(kernel_expansion(kernel, [[1.0, 2.0]], [[w, 0.5 * w]], [0.0, 0.0]).parts[0],
                    columns=(2, 0), is_normalised=True)
            for kernel, w in ((Kernel("poly", coef0=1.0), 0.5), (Kernel("linear"), -1.0))
        ),
        (0.25, 0.5),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "machine", MACHINES, ids=["linear", "votes", "rbf", "poly", "constant", "several"]
)
def test_scores(machine, rng):
    X = rng.normal(size=(50, 3))
    if isinstance(machine, Votes):
        X[3, 0] = np.nan
    assert np.allclose(sums_of(encode(machine), X).values, machine.scores(X).reshape(len(X), -1))


def test_unknown_kinds():
    with pytest.raises(ValueError, match="no machine of kind 'magic'"):
        sums_of({"machine": "magic"}, np.zeros((1, 1)))


@pytest.mark.parametrize("label", [-1, 3, 10**15])
def test_labels_that_are_no_classes(label):
    with pytest.raises(ValueError, match="none of the classes"):
        sums_of({"machine": "constant", "label": label, "n_classes": 3}, np.zeros((2, 1)))


def test_every_part_is_for_the_classes_of_the_file():
    part = {"machine": "constant", "label": 0, "n_classes": 3}
    assert has_classes({"machine": "vote", "members": [part, part], "n_classes": 3}, 3)
    huge = {**part, "n_classes": 10**15}
    assert not has_classes({"machine": "vote", "members": [part, huge], "n_classes": 3}, 3)
    assert not has_classes({"machine": "thresholded", "base": huge, "threshold": 0.0}, 3)
