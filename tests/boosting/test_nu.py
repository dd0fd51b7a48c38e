"""nu = "auto": folds without a seed to choose, fewer errors, and what certificates need."""

import numpy as np
import pytest

from handful.boosting import LPBoost, LPBoostMKL
from handful.boosting.solver import NUS, choose_nu
from handful.bounds import NotCertifiableError
from handful.tables import spread_folds


def _noisy(rng, m=200, noise=0.2):
    X = rng.normal(size=(m, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    return X, np.where(rng.random(m) < noise, -y, y)


def test_auto_is_the_default():
    assert LPBoost().nu == "auto"
    assert LPBoostMKL().nu == "auto"


@pytest.mark.thorough
@pytest.mark.parametrize("machine", [LPBoost, LPBoostMKL])
def test_choice_depends_on_the_set_of_examples_only(rng, machine):
    X, y = _noisy(rng, m=60)
    base = machine().fit(X, y)
    assert base.nu_[0] in NUS
    order = rng.permutation(60)
    moved = machine().fit(X[order], y[order])
    assert moved.nu_[0] == base.nu_[0]
    np.testing.assert_array_equal(moved.decision_function(X), base.decision_function(X))
    weights = rng.integers(0, 3, size=60)
    repeated = np.repeat(np.arange(60), weights)
    one = machine().fit(X, y, sample_weight=weights)
    two = machine().fit(X[repeated], y[repeated])
    assert one.nu_[0] == two.nu_[0]


def test_chosen_fraction_is_that_of_the_fewest_errors(rng):
    """A made-up family whose errors are known: fraction nu is wrong on the share |nu - 0.4|."""
    m = 100
    rows, y = np.arange(m, dtype=float)[:, None], np.where(np.arange(m) % 2, 1.0, -1.0)

    def votes(train, nus):
        for nu in nus:
            yield (
                lambda X, nu=nu: (
                    y[X[:, 0].astype(int)] * np.where(X[:, 0] < m * abs(nu - 0.4), -1.0, 1.0)
                )
            )

    assert choose_nu(rows, y, np.ones(m), votes) == 0.4
    everything_right = lambda train, nus: (lambda X: y[X[:, 0].astype(int)] for _ in nus)  # noqa: E731
    assert choose_nu(rows, y, np.ones(m), everything_right) == max(NUS)


def test_folds_are_disjoint_and_stratified(rng):
    y = np.where(rng.random(83) < 0.3, 1.0, -1.0)
    folds = spread_folds(y, 5, 0)
    for label in (-1.0, 1.0):
        sizes = np.bincount(folds[y == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


@pytest.mark.thorough
def test_auto_errs_less_than_a_small_fraction_on_noise(rng):
    wrong = {"auto": 0, 0.1: 0}
    for _ in range(2):
        X, y = _noisy(rng, m=120, noise=0.25)
        X_new = rng.normal(size=(2000, 4))
        y_new = np.where(X_new[:, 0] + X_new[:, 1] > 0, 1, -1)
        for nu in wrong:
            wrong[nu] += np.sum(LPBoost(nu).fit(X, y).predict(X_new) != y_new)
    assert wrong["auto"] < 0.9 * wrong[0.1]


def test_chosen_nu_has_no_stable_certificate(rng):
    X, y = _noisy(rng, m=60)
    machine = LPBoost(thresholds=[-1.0, 0.0, 1.0]).fit(X, y)
    with pytest.raises(NotCertifiableError, match="needs a fixed cap"):
        machine.certify(bound="stable")
    assert machine.certify().bound == "rademacher-margin"


@pytest.mark.thorough
def test_margin_certificates_hold_although_nu_is_chosen(rng):
    """Binary features and fixed thresholds: small complexity, a certificate that says something."""
    n_missed, smallest = 0, 1.0
    for _ in range(15):
        X = rng.choice([-1.0, 1.0], size=(4000, 2))
        y = np.where(rng.random(4000) < 0.1, -X[:, 0], X[:, 0])
        machine = LPBoost(thresholds=[0.0]).fit(X, y)
        corners = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
        agrees = machine.predict(corners) == corners[:, 0]
        truth = np.where(agrees, 0.1, 0.9).mean()
        risk = machine.certify(delta=0.3).risk
        n_missed += risk < truth
        smallest = min(smallest, risk)
    assert n_missed == 0  # at delta = 0.3 a mean of 4.5 would be allowed
    assert smallest < 0.5


@pytest.mark.parametrize("machine", [LPBoost, LPBoostMKL])
def test_bad_words_are_refused(machine):
    with pytest.raises(
        ValueError, match=r"`nu` must be 'auto' or a number in \(0, 1\], got 'best'"
    ):
        machine(nu="best").fit([[0.0], [1.0]], [0, 1])
