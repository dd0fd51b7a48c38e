"""Two-norm, ring-norm and noise against closed forms and published numbers."""

import numpy as np
import pytest
from scipy import integrate, stats

from tests.truth import LinearClassifier, Noise, RingNorm, TwoNorm


@pytest.mark.parametrize("n_features", [1, 2, 20, 100])
def test_two_norm(n_features, rng):
    problem = TwoNorm(n_features=n_features)
    assert problem.bayes_error == pytest.approx(0.022750131948, abs=1e-12)  # 2.3 % in the report
    risk = problem.true_risk(LinearClassifier(np.ones(n_features)))
    assert risk.is_exact
    assert risk.value == pytest.approx(problem.bayes_error, abs=1e-15)
    X, y = problem.sample(20_000, rng)
    signed = X * y[:, None]
    np.testing.assert_allclose(signed.mean(axis=0), 2 / np.sqrt(n_features), atol=0.04)
    np.testing.assert_allclose(signed.std(axis=0), 1.0, atol=0.03)


def test_two_norm_any_direction_is_the_normal_tail_at_its_cosine(rng):
    weights = rng.standard_normal(20)
    cosine = weights.sum() / (np.sqrt(20) * np.linalg.norm(weights))
    risk = TwoNorm().true_risk(LinearClassifier(weights)).value
    assert risk == pytest.approx(stats.norm.cdf(-2 * cosine), abs=1e-14)


def test_ring_norm_in_one_dimension_by_integration():
    problem = RingNorm(n_features=1, mean_norm=1.3)
    expected = integrate.quad(
        lambda x: 0.5 * min(stats.norm.pdf(x, 0, 2), stats.norm.pdf(x, 1.3, 1)),
        -30, 30, limit=500, points=[-1, 0, 1, 2, 4], epsabs=1e-12,
    )[0]  # fmt: skip
    assert problem.bayes_error == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("mean_norm", "published"), [(2.0, 0.0124), (1.0, 0.0150)])
def test_ring_norm_in_twenty_dimensions(mean_norm, published, rng):
    problem = RingNorm(mean_norm=mean_norm)
    assert problem.bayes_error == pytest.approx(published, abs=5e-5)
    X, y = problem.sample(20_000, rng)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), 0.0, atol=0.1)
    np.testing.assert_allclose(X[y == 1].std(axis=0), 2.0, atol=0.07)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), mean_norm / np.sqrt(20), atol=0.05)
    np.testing.assert_allclose(X[y == -1].std(axis=0), 1.0, atol=0.04)


def test_ring_norm_with_equal_means_is_a_chi_square():
    radius2 = 8 / 3 * 5 * np.log(2)
    expected = 0.5 * (stats.chi2.sf(radius2, 5) + stats.chi2.cdf(radius2 / 4, 5))
    assert RingNorm(n_features=5, mean_norm=0.0).bayes_error == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_noise(p, rng):
    problem = Noise(n_features=2, positive_probability=p)
    assert problem.bayes_error == pytest.approx(min(p, 1 - p))
    X, y = problem.sample(20_000, rng)
    assert np.mean(y == 1) == pytest.approx(p, abs=0.02)
    if 0 < p < 1:
        assert abs(np.corrcoef(X[:, 0], y)[0, 1]) < 0.04


@pytest.mark.parametrize(("name", "kind"), [("twonorm", TwoNorm), ("ringnorm", RingNorm)])
def test_the_distributed_data_look_like_ours(name, kind, data_dir):
    """The benchmark's files, whose features were scaled to variance 1, against our laws."""
    from handful.datasets import load_dataset

    data, problem = load_dataset(name, data_dir), kind()
    ours, y = problem.sample(data.n_samples, 0)
    ours = ours / ours.std(axis=0)
    for label in (-1, 1):
        for statistic in (np.mean, np.std):
            theirs = statistic(data.X[data.y == label])
            expected = statistic(ours[y == label] - ours.mean(axis=0))
            assert theirs == pytest.approx(expected, abs=0.03)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"`n_features` must be at least 1, got 0"):
        TwoNorm(n_features=0)
    with pytest.raises(ValueError, match=r"`mean_norm` must be in \[0, 1000\], got -1"):
        RingNorm(mean_norm=-1)
    with pytest.raises(ValueError, match=r"`positive_probability` must be in \[0, 1\], got 1.5"):
        Noise(positive_probability=1.5)
