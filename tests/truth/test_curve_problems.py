"""Waveform and banana: Gaussian around curves."""

import numpy as np
import pytest
from scipy import integrate, stats

from handful.datasets import load_dataset
from tests.truth import Banana, LinearClassifier, Waveform


def wave(peak):
    return np.array([max(6 - abs(i - peak), 0) for i in range(1, 22)], dtype=float)


def wave_density(x, first, second):
    """Density up to (2 pi)^(-21/2), by adaptive integration over the mixing fraction."""
    return integrate.quad(
        lambda u: np.exp(-0.5 * np.sum((x - u * first - (1 - u) * second) ** 2)), 0, 1,
        epsabs=0, epsrel=1e-10, limit=200,
    )[0]  # fmt: skip


def test_waveform_posterior_by_integration(rng):
    problem = Waveform()
    X, _ = problem.sample(20, rng)
    low, middle, high = wave(7), wave(11), wave(15)
    expected = []
    for x in X:
        positive = wave_density(x, low, middle)
        negative = wave_density(x, low, high) + wave_density(x, middle, high)
        expected.append(positive / (positive + negative))
    np.testing.assert_allclose(problem.posterior(X), expected, rtol=1e-7, atol=1e-12)


def test_waveform_bayes_error_by_precise_simulation(rng):
    """E min(p, 1 - p) over 80,000 points has a standard error of about 5e-4."""
    problem = Waveform()
    posterior = problem.posterior(problem.sample(80_000, rng)[0])
    smallest = np.minimum(posterior, 1 - posterior)
    error = smallest.std() / np.sqrt(80_000)
    assert error < 6e-4
    assert problem.bayes_error == pytest.approx(smallest.mean(), abs=4 * error)


def test_waveform_moments(rng):
    problem = Waveform()
    X, y = problem.sample(30_000, rng)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), (wave(7) + wave(11)) / 2, atol=0.09)
    expected = (wave(7) + wave(11) + 2 * wave(15)) / 4
    np.testing.assert_allclose(X[y == -1].mean(axis=0), expected, atol=0.09)
    # Noise 1, plus the variance 1/12 of the mixing fraction times the waves' difference.
    spread = np.sqrt(1 + (wave(7) - wave(11)) ** 2 / 12)
    np.testing.assert_allclose(X[y == 1].std(axis=0), spread, atol=0.06)


def test_waveform_linear_risk_by_integration():
    weights, bias = np.cos(np.arange(21)), -0.5
    norm = np.linalg.norm(weights)

    def says_positive(first, second):
        return integrate.quad(
            lambda u: stats.norm.cdf(((u * first + (1 - u) * second) @ weights + bias) / norm), 0, 1
        )[0]

    low, middle, high = wave(7), wave(11), wave(15)
    expected = (
        1 - says_positive(low, middle) + says_positive(low, high) + says_positive(middle, high)
    ) / 3
    risk = Waveform().true_risk(LinearClassifier(weights, bias))
    assert risk.is_exact
    assert risk.value == pytest.approx(expected, abs=1e-10)


def test_the_distributed_waveform_looks_like_ours(data_dir):
    data = load_dataset("waveform", data_dir)
    X, y = Waveform().sample(20_000, 0)
    assert data.n_features == 21
    assert np.mean(data.y == 1) == pytest.approx(1 / 3, abs=0.03)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for label in (-1, 1):
        theirs, ours = data.X[data.y == label], X[y == label]
        np.testing.assert_allclose(theirs.mean(axis=0), ours.mean(axis=0), atol=0.09)
        np.testing.assert_allclose(theirs.std(axis=0), ours.std(axis=0), atol=0.09)


@pytest.mark.parametrize("spread", [0.05, 0.3, 1.0])
def test_banana_posterior_by_integration(spread, rng):
    problem = Banana(spread=spread)
    X = problem.sample(10, rng)[0]

    def density(x, center, sign):
        def at(angle):
            point = center + sign * np.array([np.cos(angle), np.sin(angle)])
            return np.exp(-0.5 * np.sum((x - point) ** 2) / spread**2)

        grid = np.linspace(0, np.pi, 2001)
        return integrate.trapezoid([at(angle) for angle in grid], grid)

    for x, posterior in zip(X, problem.posterior(X), strict=True):
        negative = density(x, np.zeros(2), 1.0)
        positive = density(x, np.array([1.0, 0.5]), -1.0)
        assert posterior == pytest.approx(positive / (positive + negative), abs=1e-6)


@pytest.mark.parametrize("spread", [0.15, 0.3, 1.0])
def test_banana_bayes_error_by_precise_simulation(spread, rng):
    problem = Banana(spread=spread)
    posterior = problem.posterior(problem.sample(40_000, rng)[0])
    smallest = np.minimum(posterior, 1 - posterior)
    error = smallest.std() / np.sqrt(40_000)
    assert problem.bayes_error == pytest.approx(smallest.mean(), abs=4.5 * error)


def test_banana_bayes_error_grows_with_the_spread():
    errors = [Banana(spread=spread).bayes_error for spread in (0.15, 0.3, 0.6, 10.0)]
    assert errors == sorted(errors)
    assert errors[0] < 0.02
    assert 0.45 < errors[-1] < 0.5


def test_banana_moments(rng):
    X, y = Banana(spread=0.2).sample(30_000, rng)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), [0, 2 / np.pi], atol=0.02)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [1, 0.5 - 2 / np.pi], atol=0.02)
    np.testing.assert_allclose(X[y == -1, 0].std(), np.sqrt(0.5 + 0.04), atol=0.01)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"`spread` must be in \[0.05, 1000\], got 0.01"):
        Banana(spread=0.01)
