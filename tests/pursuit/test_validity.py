"""Certificates hold as often as they say, on data whose true risk is known exactly.

The cases are drawn from a finite set of points with known label probabilities, so the risk of
any classifier is a finite sum. The slow runs draw 2000 training sets each.
"""

import numpy as np
import pytest
from scipy.stats import binom

from handful import KernelMatchingPursuitClassifier, SparseKernelCCA, SparseKernelPCA
from handful.bounds import binomial_tail_inverse
from handful.pursuit import KernelMatchingPursuitRegressor

DELTA = 0.05
DRAWS = [pytest.param(60, id="quick"), pytest.param(2000, id="full", marks=pytest.mark.slow)]


def n_allowed(n_draws, delta=DELTA):
    """Number of misses that a valid bound exceeds with probability 0.001 at most."""
    return int(binom.ppf(0.999, n_draws, delta))


class World:
    """A finite set of points in the plane, each positive with its own probability."""

    def __init__(self, rng, noise, n_points=60):
        self.points = rng.normal(size=(n_points, 2))
        is_positive = self.points[:, 0] + 0.5 * self.points[:, 1] > 0.2
        self.positive = np.where(is_positive, 1.0 - noise, noise)

    def draw(self, rng, n_samples):
        rows = rng.integers(len(self.points), size=n_samples)
        labels = (rng.random(n_samples) < self.positive[rows]).astype(int)
        if len(np.unique(labels)) < 2:
            labels[0] = 1 - labels[0]
        return self.points[rows], labels

    def risk(self, machine):
        said = machine.predict(self.points)
        return float(np.mean(np.where(said == 1, 1.0 - self.positive, self.positive)))


def misses(rng, n_draws, noise, n_samples, **options):
    """Number of draws in which the true risk exceeds the certificate, and mean certificate."""
    world = World(rng, noise)
    n_missed, risks = 0, []
    for _ in range(n_draws):
        seed = int(rng.integers(2**31))
        machine = KernelMatchingPursuitClassifier(random_state=seed, **options)
        machine.fit(*world.draw(rng, n_samples))
        risks.append(machine.certify(DELTA).risk)
        n_missed += world.risk(machine) > risks[-1]
    return n_missed, float(np.mean(risks))


SETTINGS = {
    "pool": {"coefficients": "pool", "gamma": [0.3, 1.0], "n_centers": 4},
    "pool, size by validation": {"coefficients": "pool", "stop": "validation", "n_centers": 4},
    "chosen": {"coefficients": "chosen", "gamma": [0.3, 1.0], "n_centers": 3},
    "quantised": {"coefficients": "quantised", "gamma": [0.3, 1.0], "n_centers": 3},
    "quantised, drawn candidates": {
        "coefficients": "quantised",
        "gamma": 1.0,
        "n_centers": 3,
        "candidates": 15,
    },
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("n_draws", DRAWS)
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_classification_certificates_hold(rng, name, n_draws):
    n_missed, mean = misses(rng, n_draws, 0.2, 60, **SETTINGS[name])
    print(f"{name}: missed {n_missed} of {n_draws}, mean {mean:.3f}")
    assert n_missed <= n_allowed(n_draws)
    assert mean < 0.75, "valid and not absurdly loose"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_classification_certificates_hold_on_pure_noise(rng, name):
    n_missed, mean = misses(rng, 2000, 0.5, 60, **SETTINGS[name])
    print(f"{name}, pure noise: missed {n_missed} of 2000, mean {mean:.3f}")
    assert n_missed <= n_allowed(2000)


@pytest.mark.parametrize("n_draws", DRAWS)
def test_lectures_bound_holds_where_it_says_something(rng, n_draws):
    """Nearly clean data and many examples: the bound of the lectures is below 1."""
    options = {
        "coefficients": "least_squares",
        "gamma": 0.5,
        "n_centers": 2,
        "candidates": 20,
        "stop": "certificate",
    }
    n_missed, mean = misses(rng, n_draws, 0.02, 1800, **options)
    print(f"lectures: missed {n_missed} of {n_draws}, mean {mean:.3f}")
    assert n_missed <= n_allowed(n_draws)
    assert mean < 0.95


def test_simulation_catches_a_certificate_that_forgets_what_it_chose(rng):
    """Errors of the same machines without message and compression set: misses abound."""
    world = World(rng, 0.5)
    n_missed = 0
    for _ in range(60):
        X, y = world.draw(rng, 60)
        machine = KernelMatchingPursuitClassifier(
            3, coefficients="quantised", gamma=1.0, stop="size"
        ).fit(X, y)
        n_errors = int(np.sum(machine.predict(X) != y))
        n_missed += world.risk(machine) > binomial_tail_inverse(n_errors, 60, np.log(DELTA))
    assert n_missed > n_allowed(60)


@pytest.mark.parametrize("n_draws", DRAWS)
def test_sparse_pca_certificate_holds(rng, n_draws):
    points = rng.normal(size=(60, 2))
    n_missed, risks = 0, []
    for _ in range(n_draws):
        X = points[rng.integers(60, size=50)]
        pca = SparseKernelPCA(6, gamma=0.3, tol=0.3).fit(X)
        risks.append(pca.certify(DELTA).risk)
        n_missed += -pca.score(points) > risks[-1]
    assert n_missed <= n_allowed(n_draws)
    assert np.mean(risks) < 0.8


@pytest.mark.parametrize("n_draws", DRAWS)
def test_sparse_cca_certificate_holds(rng, n_draws):
    t = rng.uniform(-2, 2, size=(60, 1))
    views = np.hstack([np.sin(t), t**2]), np.hstack([np.cos(t), t])
    n_missed, risks = 0, []
    for _ in range(n_draws):
        rows = rng.integers(60, size=50)
        cca = SparseKernelCCA(5, n_components=1, weights="chosen", ridge=0.1)
        cca.fit(views[0][rows], views[1][rows])
        u, v = cca.transform(*views)
        risks.append(cca.certify(DELTA).risk)
        n_missed += np.minimum(np.mean((u - v) ** 2, axis=1), 4.0).mean() > risks[-1]
    assert n_missed <= n_allowed(n_draws)
    assert np.mean(risks) < 3.9


@pytest.mark.parametrize("n_draws", DRAWS)
def test_regression_certificate_holds(rng, n_draws):
    points = rng.uniform(-2, 2, size=(60, 1))
    values, n_missed = np.sin(2 * points[:, 0]) + 0.3 * rng.normal(size=60), 0
    for _ in range(n_draws):
        rows = rng.integers(60, size=50)
        seed = int(rng.integers(2**31))
        machine = KernelMatchingPursuitRegressor(
            4, coefficients="pool", epsilon=0.3, random_state=seed
        )
        machine.fit(points[rows], values[rows])
        true = np.mean(np.abs(machine.predict(points) - values) > 0.3)
        n_missed += true > machine.certify(DELTA).risk
    assert n_missed <= n_allowed(n_draws)
