"""Quadrature against problems whose answer is known."""

import numpy as np
import pytest
from scipy.special import ndtr

from tests.truth.laws import GaussianLaw
from tests.truth.quadrature import plane_bayes_error, unit_nodes


def test_nodes_integrate_polynomials():
    nodes, weights = unit_nodes(8)
    for power in range(16):
        assert weights @ nodes**power == pytest.approx(1.0 / (power + 1), abs=1e-14)


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.0, np.pi / 2])
@pytest.mark.parametrize("scale", [0.2, 3.0])
def test_two_gaussians_have_a_closed_form(angle, scale):
    """Means 2 delta apart, equal weights: the Bayes error is Phi(-delta / scale)."""
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    law = GaussianLaw(
        np.array([0.3, 0.1, 5.0]) + np.array([direction, -direction]),
        np.full(2, scale),
        np.array([0.5, 0.0]),
        np.array([0.0, 0.5]),
    )
    assert plane_bayes_error(law) == pytest.approx(ndtr(-1.0 / scale), abs=1e-7)


def test_unequal_weights_have_a_closed_form():
    """Weights w and 1 - w move the border by ln((1 - w) / w) / (2 delta)."""
    weight, delta = 0.2, 0.8
    law = GaussianLaw(
        np.array([[delta, 0.0], [-delta, 0.0]]),
        np.ones(2),
        np.array([weight, 0.0]),
        np.array([0.0, 1 - weight]),
    )
    border = np.log((1 - weight) / weight) / (2 * delta)
    expected = weight * ndtr(border - delta) + (1 - weight) * ndtr(-border - delta)
    assert plane_bayes_error(law) == pytest.approx(expected, abs=1e-7)


def test_nothing_to_separate_leaves_the_rarer_label():
    """All the rarer mass is lost when both classes are alike."""
    means = np.array([[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]])
    law = GaussianLaw(means, np.ones(3), np.full(3, 0.1), np.full(3, 0.7 / 3))
    assert plane_bayes_error(law) == pytest.approx(0.3, abs=1e-9)
