"""Distances to neighbours and class means, against loops."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from handful.conformal.model_sets import (
    KernelSpace,
    class_mean_scores,
    half_spread,
    nearest_neighbour_scores,
)
from handful.kernels import Kernel
from tests.oracles import conformity


@pytest.mark.parametrize(
    ("score", "oracle"),
    [
        (nearest_neighbour_scores, conformity.nearest_contrast),
        (class_mean_scores, conformity.mean_contrast),
    ],
)
@pytest.mark.parametrize("n_labels", [2, 3])
def test_scores_match_the_oracle(rng, score, oracle, n_labels):
    points, cases = rng.normal(size=(30, 2)), rng.normal(size=(8, 2))
    codes = np.arange(30) % n_labels
    within = half_spread(euclidean_distances(points, squared=True), codes, n_labels)
    got = score(euclidean_distances(cases, points, squared=True), codes, n_labels, within)
    for i, case in enumerate(cases):
        for label in range(n_labels):
            want = oracle(case.tolist(), points.tolist(), codes.tolist(), label)
            assert got[i, label] == pytest.approx(want, abs=1e-9)


def test_a_label_without_examples_never_fits(rng):
    squares = rng.random((4, 10))
    codes = np.arange(10) % 2
    got = nearest_neighbour_scores(squares, codes, 3, np.zeros(3))
    assert np.isneginf(got[:, 2]).all()
    assert np.isfinite(got[:, :2]).all()


def test_both_distances_zero_is_even():
    """The same point with both labels."""
    got = nearest_neighbour_scores(np.zeros((1, 2)), np.array([0, 1]), 2, np.zeros(2))
    assert got.tolist() == [[0.0, 0.0]]


def test_kernel_space_of_the_linear_kernel_is_the_plain_one(rng):
    X, Z = rng.normal(size=(9, 3)), rng.normal(size=(5, 3))
    got = KernelSpace(Kernel("linear"), X)(Z)
    assert got == pytest.approx(euclidean_distances(Z, X, squared=True))


def test_kernel_space_of_the_gaussian_kernel(rng):
    X, Z = rng.normal(size=(9, 3)), rng.normal(size=(5, 3))
    got = KernelSpace(Kernel("rbf", gamma=0.3), X)(Z)
    want = 2.0 - 2.0 * np.exp(-0.3 * euclidean_distances(Z, X, squared=True))
    assert got == pytest.approx(want)
