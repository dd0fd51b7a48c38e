"""Masses and posteriors against integration written out by hand."""

import numpy as np
import pytest
from scipy import integrate, stats

from tests.truth import BoxClassifier, LinearClassifier
from tests.truth.laws import (
    BallLaw,
    GaussianLaw,
    UniformBoxLaw,
    exact_risk,
    normal_ball_mass,
)


@pytest.fixture
def mixture():
    """Three components, different scales, one of them with both labels."""
    return GaussianLaw(
        np.array([[0.0, 1.0], [2.0, -1.0], [-1.0, -1.0]]),
        np.array([0.5, 1.5, 1.0]),
        np.array([0.2, 0.0, 0.1]),
        np.array([0.0, 0.3, 0.4]),
    )


def density(law, x, weights):
    return sum(
        weight
        * np.exp(-0.5 * np.sum((np.asarray(x) - mean) ** 2, axis=-1) / scale**2)
        / (2.0 * np.pi * scale**2) ** (mean.size / 2)
        for mean, scale, weight in zip(law.means, law.scales, weights, strict=True)
    )


def test_the_posterior_is_the_ratio_of_densities(mixture, rng):
    X = 2.0 * rng.standard_normal((50, 2))
    positive = density(mixture, X, mixture.positive_weights)
    negative = density(mixture, X, mixture.negative_weights)
    np.testing.assert_allclose(mixture.posterior(X), positive / (positive + negative), rtol=1e-10)
    assert mixture.positive_rate == pytest.approx(0.3)
    assert mixture.posterior(np.empty((0, 2))).shape == (0,)
    far = mixture.posterior(np.array([[1e3, 1e3], [-1e4, 0.0]]))  # no underflow to 0 / 0
    assert np.isfinite(far).all()


def test_blocks_do_not_change_the_posterior(mixture, rng, monkeypatch):
    X = rng.standard_normal((100, 2))
    whole = mixture.posterior(X)
    monkeypatch.setattr("tests.truth.laws.N_BLOCK_CELLS", 21)
    np.testing.assert_array_equal(mixture.posterior(X), whole)


def test_box_masses_against_numerical_integration(mixture):
    lower, upper = np.array([[-0.5, -2.0], [3.0, -np.inf]]), np.array([[1.5, 0.5], [np.inf, 0.0]])
    positive, negative = mixture.box_masses(lower, upper)
    for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
        low, high = np.maximum(low, -12.0), np.minimum(high, 15.0)
        for masses, weights in (
            (positive, mixture.positive_weights),
            (negative, mixture.negative_weights),
        ):
            expected, _ = integrate.dblquad(
                lambda y, x, weights=weights: density(mixture, [x, y], weights),
                low[0], high[0], low[1], high[1], epsabs=1e-5, epsrel=1e-4,
            )  # fmt: skip
            assert masses[i] == pytest.approx(expected, abs=3e-5)


def test_far_boxes_keep_their_digits():
    law = GaussianLaw(np.zeros((1, 1)), np.ones(1), np.ones(1), np.zeros(1))
    positive, _ = law.box_masses(np.array([[10.0]]), np.array([[11.0]]))
    expected = stats.norm.sf(10.0) - stats.norm.sf(11.0)
    assert positive[0] == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_half_spaces_of_one_feature_are_boxes(mixture):
    half = mixture.half_space_masses(np.array([0.0, -2.0]), 1.0)
    box = mixture.box_masses(np.array([[-np.inf, -np.inf]]), np.array([[np.inf, 0.5]]))
    np.testing.assert_allclose(half, box, rtol=1e-12)


def test_half_spaces_are_tails_of_the_projection(mixture):
    weights, bias = np.array([1.0, 2.0]), -0.7
    positive, negative = mixture.half_space_masses(weights, bias)
    tails = [
        stats.norm(mean @ weights + bias, scale * np.sqrt(5.0)).sf(0.0)
        for mean, scale in zip(mixture.means, mixture.scales, strict=True)
    ]
    assert positive[0] == pytest.approx(mixture.positive_weights @ tails)
    assert negative[0] == pytest.approx(mixture.negative_weights @ tails)


@pytest.mark.parametrize("default", [-1, 1])
def test_risk_of_boxes_from_either_default(mixture, default):
    """The same classifier, written with either label outside, has the same risk."""
    cuts = np.array([-np.inf, -0.5, 0.4, np.inf])
    lower = np.column_stack([cuts[:-1], np.full(3, -np.inf)])
    upper = np.column_stack([cuts[1:], np.full(3, np.inf)])
    form = BoxClassifier(lower, upper, [1, -1, 1], default)
    positive, negative = mixture.box_masses(lower, upper)
    expected = negative[0] + positive[1] + negative[2]
    assert exact_risk(mixture, form) == pytest.approx(expected, abs=1e-14)


def test_risk_of_a_half_space_and_its_opposite_sum_to_one(mixture):
    risks = [exact_risk(mixture, LinearClassifier([s, -s], s * 0.3)) for s in (1.0, -1.0)]
    assert sum(risks) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_uniform_masses_against_a_fine_grid(kind):
    concept = BoxClassifier.from_thresholds(
        2, features=[0, 1], thresholds=[0.25, 0.5], directions=[1, -1], kind=kind
    )
    law = UniformBoxLaw(concept, 0.2)
    axis = (np.arange(40) + 0.5) / 40  # all borders are multiples of 1/40
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    lower, upper = np.array([[0.1, 0.3], [-1.0, 0.5]]), np.array([[0.9, 2.0], [0.25, 0.75]])
    positive, negative = law.box_masses(lower, upper)
    posterior = law.posterior(grid)
    for i in range(2):
        is_in = ((grid > lower[i]) & (grid <= upper[i])).all(axis=1)
        assert positive[i] == pytest.approx((posterior * is_in).mean(), abs=1e-12)
        assert negative[i] == pytest.approx(((1 - posterior) * is_in).mean(), abs=1e-12)
    assert law.positive_rate == pytest.approx(posterior.mean(), abs=1e-12)
    assert law.half_space_masses(np.ones(2), 0.0) is None


def test_ball_masses_in_one_and_two_dimensions():
    one = normal_ball_mass(0.7, np.array([1.2]), 2.0)
    assert one == pytest.approx(stats.norm.cdf(1.9, scale=2) - stats.norm.cdf(0.5, scale=2))
    assert normal_ball_mass(1.0, np.zeros(2), 1.0) == pytest.approx(1 - np.exp(-0.5))


def test_ball_law_is_inside_and_rate():
    law = BallLaw(np.array([[-2.0, 0.0], [2.0, 0.0]]), np.array([1.0, 0.5]), 0.1)
    X = np.array([[-2.0, 1.0], [-2.0, 1.01], [2.0, 0.4], [0.0, 0.0]])
    assert law.is_inside(X).tolist() == [True, False, True, False]
    assert law.posterior(X).tolist() == [0.9, 0.1, 0.9, 0.1]
    inside = 0.0
    for center, radius in ((-2.0, 1.0), (2.0, 0.5)):
        inside += integrate.quad(
            lambda x, c=center, r=radius: (
                stats.norm.pdf(x) * (2 * stats.norm.cdf(np.sqrt(r**2 - (x - c) ** 2)) - 1)
            ),
            center - radius,
            center + radius,
        )[0]
    assert law.positive_rate == pytest.approx(0.1 + 0.8 * inside, abs=1e-8)
    assert law.box_masses(np.zeros((1, 2)), np.ones((1, 2))) is None
    assert law.half_space_masses(np.ones(2), 0.0) is None
