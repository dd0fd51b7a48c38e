"""Estimated complexity against exact enumeration, and the price of Monte Carlo."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.tree import DecisionTreeClassifier

from handful.boosting import RademacherEstimate, empirical_rademacher
from handful.kernels import Kernel
from tests.oracles import boosting as oracle


def test_stumps_match_enumeration(rng):
    X = rng.integers(0, 4, size=(9, 2)).astype(float)
    X[0, 0] = np.nan
    exact = oracle.exact_rademacher(oracle.stump_matrix(X, oracle.all_stumps(X)))
    estimate = empirical_rademacher("stumps", X, n_draws=3000, random_state=0)
    assert estimate.value == pytest.approx(exact, abs=5 * estimate.standard_error)
    assert estimate.standard_error < 0.01
    assert estimate.is_exact


def test_kernels_match_enumeration(rng):
    X = rng.normal(size=(8, 2))
    matrices = [Kernel("rbf", gamma=g)(X) for g in (0.1, 5.0)]
    signs = 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1) - 1.0
    sups = [max(oracle.kernel_norm(K, s) for K in matrices) for s in signs]
    exact = 2 / 8 * np.mean(sups)
    specs = [{"kernel": "rbf", "gamma": g} for g in (0.1, 5.0)]
    estimate = empirical_rademacher(specs, X, n_draws=2000, random_state=1)
    assert estimate.value == pytest.approx(exact, abs=5 * estimate.standard_error)
    assert exact <= 2 / np.sqrt(8) * np.sqrt(2)


@pytest.mark.thorough
def test_upper_holds_as_often_as_it_says(rng):
    X = rng.normal(size=(7, 1))
    exact = oracle.exact_rademacher(oracle.stump_matrix(X, oracle.all_stumps(X)))
    n_missed = 0
    for seed in range(2000):
        estimate = empirical_rademacher("stumps", X, n_draws=2, random_state=seed)
        n_missed += estimate.upper(0.3) < exact
    assert n_missed <= binom.ppf(0.999, 2000, 0.3)


def test_richer_classes_are_more_complex(rng):
    X = rng.normal(size=(40, 4))
    one = empirical_rademacher("stumps", X[:, :1], n_draws=40, random_state=0)
    four = empirical_rademacher("stumps", X, n_draws=40, random_state=0)
    assert four.value > one.value
    tree = DecisionTreeClassifier(max_depth=1)
    learner = empirical_rademacher(tree, X, n_draws=40, random_state=0)
    assert not learner.is_exact
    assert learner.value <= four.value + 1e-12  # it finds members of the same class


def test_callable_and_text(rng):
    X = rng.normal(size=(20, 2))
    constant = empirical_rademacher(
        lambda X, s: np.full(len(X), np.sign(s.sum() + 0.5)), X, n_draws=10, random_state=0
    )
    assert 0.0 <= constant.value <= 2.0
    assert "an estimate" in str(constant)
    with pytest.raises(ValueError, match="`upper` needs exact suprema"):
        constant.upper(0.05)


def test_bad_input(rng):
    with pytest.raises(ValueError, match="`oracle` must be 'stumps'"):
        empirical_rademacher("trees", np.zeros((3, 1)))
    with pytest.raises(ValueError, match="`n_draws` must be at least 1"):
        empirical_rademacher("stumps", np.zeros((3, 1)), n_draws=0)
    with pytest.raises(ValueError, match="`delta` must be in"):
        RademacherEstimate(0.1, 0.0, 5, 10, True).upper(1.5)
