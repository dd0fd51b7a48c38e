"""The pursuit regressor as users meet it."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from handful import KernelMatchingPursuitRegressor
from handful.bounds import NotCertifiableError, matching_pursuit_bound, pool_bound


@pytest.fixture
def wave(rng):
    X = rng.uniform(-3, 3, size=(200, 1))
    return X, np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=200)


def test_few_centres_follow_a_wave(wave):
    X, y = wave
    machine = KernelMatchingPursuitRegressor(12).fit(X, y)
    assert machine.score(X, y) > 0.98
    residual = float(np.sum((y - machine.predict(X)) ** 2))
    assert residual == pytest.approx(machine.residual_squares_[-1], rel=1e-6)


def test_all_centres_with_ridge_on_the_gram_equal_kernel_ridge(rng):
    """With every example a centre and no ridge, both interpolate."""
    X, y = rng.normal(size=(12, 2)), rng.normal(size=12)
    machine = KernelMatchingPursuitRegressor(12, gamma=1.0, fit_intercept=False).fit(X, y)
    ridge = KernelRidge(alpha=1e-10, kernel="rbf", gamma=1.0).fit(X, y)
    np.testing.assert_allclose(machine.predict(X), ridge.predict(X), atol=1e-6)


def test_several_outputs(rng, wave):
    X, y = wave
    Y = np.column_stack([y, -2 * y + 1])
    machine = KernelMatchingPursuitRegressor(10).fit(X, Y)
    predicted = machine.predict(X)
    assert predicted.shape == (200, 2)
    np.testing.assert_allclose(predicted[:, 1], 1 - 2 * predicted[:, 0], atol=1e-6)


def test_validation_prefers_few_centres_on_noise(rng):
    X, y = rng.normal(size=(120, 1)), rng.normal(size=120)
    machine = KernelMatchingPursuitRegressor(40, gamma=5.0, stop="validation").fit(X, y)
    assert machine.n_centers_ < 15


def test_gamma_search_by_validation_and_by_residual(wave):
    X, y = wave
    machine = KernelMatchingPursuitRegressor(8, gamma=[1e-6, 1.0], stop="validation").fit(X, y)
    assert machine.kernel_.gamma == 1.0
    machine = KernelMatchingPursuitRegressor(8, gamma=[1e-6, 1.0]).fit(X, y)
    assert machine.kernel_.gamma == 1.0


def test_pool_certificate(wave):
    X, y = wave
    machine = KernelMatchingPursuitRegressor(10, coefficients="pool", epsilon=0.2).fit(X, y)
    is_out = np.ones(200, dtype=bool)
    is_out[machine.held_back_] = False
    n_off = int(np.sum(np.abs(machine.predict(X) - y)[is_out] > 0.2))
    certificate = machine.certify()
    assert certificate.risk == pool_bound(200, 80, n_off).risk < 0.3
    assert "off by more than 0.2" in certificate.explain()
    new = np.random.default_rng(1).uniform(0.0, 6.0, size=(50, 1))
    held = machine.certify(X=new, y=machine.predict(new) + np.where(np.arange(50) < 7, 0.3, 0.1))
    assert (held.bound, held.n_samples, held.n_errors) == ("held-out", 50, 7)
    assert held.quantity == certificate.quantity
    with pytest.raises(ValueError, match="got 20 of 20 rows that the machine was trained on"):
        machine.certify(X=X[:20], y=y[:20])
    assert machine.set_params(epsilon=0.5).certify().risk <= certificate.risk
    with pytest.raises(NotCertifiableError, match="Set `epsilon`"):
        machine.set_params(epsilon=None).certify()


def test_lectures_certificate(wave):
    X, y = wave
    machine = KernelMatchingPursuitRegressor(3, epsilon=0.5).fit(X, y)
    is_out = np.ones(200, dtype=bool)
    is_out[machine.centers_idx_] = False
    n_off = int(np.sum(np.abs(machine.predict(X) - y)[is_out] > 0.5))
    assert machine.certify().terms == matching_pursuit_bound(200, 3, n_off).terms
    with pytest.raises(NotCertifiableError, match="does not hold for coefficients='least_squares'"):
        machine.certify(bound="pool")
    two = KernelMatchingPursuitRegressor(3, epsilon=0.5).fit(X, np.column_stack([y, y]))
    with pytest.raises(NotCertifiableError, match="is about one output, got 2"):
        two.certify()


def test_bad_epsilon_and_stop(wave):
    X, y = wave
    with pytest.raises(ValueError, match="`epsilon` must be in"):
        KernelMatchingPursuitRegressor(3, epsilon=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="`stop` must be one of 'auto', 'size', 'validation'"):
        KernelMatchingPursuitRegressor(stop="certificate").fit(X, y)


def test_constant_target_and_one_example():
    X = np.arange(10.0)[:, None]
    machine = KernelMatchingPursuitRegressor().fit(X, np.full(10, 2.5))
    assert machine.n_centers_ == 0
    np.testing.assert_allclose(machine.predict(X), 2.5)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        KernelMatchingPursuitRegressor().fit(X[:1], [1.0])
