"""MinimalComplexityRegressor: interface, kernels, certificates that hold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import MinimalComplexityRegressor
from handful.bounds import NotCertifiableError, held_out_bound, stable_bound
from handful.programs import TrivialSolutionWarning

LOSSES = ["epsilon_insensitive", "squared"]


@pytest.mark.sample(12)
@pytest.mark.filterwarnings("ignore::handful.programs.DegenerateMachineWarning")
@parametrize_with_checks(
    [MinimalComplexityRegressor(k, loss=loss) for k in ("linear", "rbf") for loss in LOSSES]
)
def test_scikit_learn(estimator, check):
    check(estimator)


def _data(rng, m=120, noise=0.3):
    X = rng.uniform(-2, 2, size=(m, 3))
    return X, X @ [1.0, -2.0, 0.0] + 4.0 + noise * rng.normal(size=m)


@pytest.mark.parametrize("loss", LOSSES)
def test_it_finds_a_line_in_names(rng, loss):
    X, y = _data(rng)
    frame = pd.DataFrame(X, columns=["age", "dose", "noise"])
    machine = MinimalComplexityRegressor(loss=loss).fit(frame, y)
    np.testing.assert_allclose(machine.coef_, [1.0, -2.0, 0.0], atol=0.2)
    assert list(machine.feature_names_in_) == ["age", "dose", "noise"]
    assert 0.05 < machine.epsilon_ < 0.5  # the median residual of noise 0.3 is 0.2
    r = np.abs(y - machine.predict(frame))
    assert machine.n_training_errors_ == np.sum(r > machine.epsilon_)


@pytest.mark.parametrize("loss", LOSSES)
def test_units_of_y_do_not_matter(rng, loss):
    X, y = _data(rng)
    one = MinimalComplexityRegressor(loss=loss).fit(X, y)
    other = MinimalComplexityRegressor(loss=loss).fit(X, 1000.0 * y - 7.0)
    np.testing.assert_allclose(other.predict(X), 1000.0 * one.predict(X) - 7.0, rtol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_kernels_agree_and_few_examples_are_used(rng, loss):
    X = rng.uniform(-3, 3, size=(150, 1))
    y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=150)
    options = {"loss": loss, "epsilon": 0.1, "sparsity": 0.1}
    named = MinimalComplexityRegressor("rbf", gamma=1.0, **options).fit(X, y)
    K = rbf_kernel(X, gamma=1.0)
    given = MinimalComplexityRegressor("precomputed", **options).fit(K, y)
    called = MinimalComplexityRegressor(lambda A, B: rbf_kernel(A, B, gamma=1.0), **options)
    np.testing.assert_allclose(given.predict(K), named.predict(X), atol=1e-7)
    np.testing.assert_allclose(called.fit(X, y).predict(X), named.predict(X), atol=1e-7)
    new = np.linspace(-3, 3, 200)[:, None]
    assert np.std(named.predict(new) - np.sinc(new[:, 0])) < 0.06
    assert len(named.support_) < 25


def test_a_price_that_is_too_high_is_announced(rng):
    X, y = _data(rng)
    with pytest.warns(TrivialSolutionWarning, match="constant is optimal"):
        machine = MinimalComplexityRegressor("rbf", epsilon=1.0, sparsity=1e4).fit(X, y)
    assert np.ptp(machine.predict(X)) == 0.0


def test_the_stable_certificate_counts_what_touches(rng):
    X, y = _data(rng)
    machine = MinimalComplexityRegressor(epsilon=0.8, delta=0.1).fit(X, y)
    r = np.abs(y - machine.predict(X))
    outside = (r >= machine.tube_ - 1e-6) | (r >= r.max() - 1e-6)
    np.testing.assert_array_equal(machine.compression_set_, np.flatnonzero(outside))
    certificate = machine.certify()
    assert certificate.risk == stable_bound(120, int(outside.sum()), delta=0.1).risk
    assert str(certificate.quantity).endswith("off by more than 0.8")
    assert machine.certify(n_choices=20).risk > certificate.risk
    assert machine.certify(0.01).risk > certificate.risk


def test_held_out_examples_count_deviations(rng):
    X, y = _data(rng)
    machine = MinimalComplexityRegressor("rbf", epsilon=0.3).fit(X, y)
    Xt, yt = _data(rng, m=200)
    n_off = int(np.sum(np.abs(yt - machine.predict(Xt)) > 0.3))
    certificate = machine.certify(X=Xt, y=yt)
    assert certificate.risk == held_out_bound(200, n_off).risk
    with pytest.raises(ValueError, match="had no part in training"):
        machine.certify(X=X, y=y)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"kernel": "rbf", "epsilon": 0.5}, "columns of a kernel expansion"),
        ({"loss": "squared", "epsilon": 0.5}, "every example moves"),
        ({}, "epsilon='auto' was read from the data"),
    ],
)
def test_what_is_not_stable_is_not_certified(rng, options, match):
    X, y = _data(rng)
    machine = MinimalComplexityRegressor(**options).fit(X, y)
    with pytest.raises(NotCertifiableError, match=match):
        machine.certify()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"epsilon": 0.0}, "`epsilon` must be"),
        ({"C": -1.0}, "`C` must be"),
        ({"loss": "absolute"}, "`loss` must be one of"),
        ({"kernel": "rbf", "sparsity": 0.0}, "`sparsity` must be positive for kernel='rbf'"),
        ({"delta": 1.0}, "`delta` must be"),
    ],
)
def test_bad_settings(rng, options, match):
    with pytest.raises(ValueError, match=match):
        MinimalComplexityRegressor(**options).fit(*_data(rng))


@pytest.mark.thorough
def test_the_stable_certificate_holds_as_often_as_it_says():
    """True rates of deviations above epsilon, by a large sample; delta = 0.2 on 100 data sets."""
    rng = np.random.default_rng(5)
    Xt, yt = _data(rng, m=20_000)
    misses, mean = 0, 0.0
    for _ in range(100):
        X, y = _data(rng, m=60)
        machine = MinimalComplexityRegressor(epsilon=0.6, delta=0.2).fit(X, y)
        truth = np.mean(np.abs(yt - machine.predict(Xt)) > 0.6)
        risk = machine.certify().risk
        misses += truth > risk
        mean += risk / 100
    assert misses <= 20
    assert 0.1 < mean < 0.6  # truth is about .06: it says something


def test_a_kernel_matrix_must_be_symmetric(rng):
    K, y = rng.normal(size=(12, 12)), rng.normal(size=12)
    with pytest.raises(ValueError, match="`kernel` must be symmetric"):
        MinimalComplexityRegressor("precomputed").fit(K, y)
