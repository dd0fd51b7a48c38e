"""The smallest enclosing ball against a general optimiser and known answers."""

from __future__ import annotations

import numpy as np
import pytest

from handful.svm import enclosing_ball
from tests.oracles import svm as oracle


@pytest.mark.parametrize("gamma", [0.05, 1.0, 20.0])
def test_gaussian_points_against_a_reference(rng, gamma):
    K = oracle.gaussian(*(2 * (rng.normal(size=(15, 3)),)), gamma)
    radius, weights = enclosing_ball(K)
    assert radius == pytest.approx(oracle.enclosing_radius(K), rel=1e-6)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1.0)


def test_raw_points(rng):
    """On a sphere away from the origin, with points inside."""
    directions = rng.normal(size=(200, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    X = np.r_[3.0 * directions, 3.0 * -directions, rng.uniform(size=(50, 4))] + 100.0
    X = np.r_[X]
    radius, weights = enclosing_ball(X @ X.T)
    assert radius == pytest.approx(3.0, rel=1e-4)
    np.testing.assert_allclose(weights @ X, 100.0, atol=1e-2)


def test_two_points_and_one_point():
    x = np.array([1.0, 5.0])
    assert enclosing_ball(np.outer(x, x))[0] == pytest.approx(2.0)
    assert enclosing_ball(np.ones((1, 1)))[0] == pytest.approx(0.0, abs=1e-6)
