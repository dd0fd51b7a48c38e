"""Sparse kernel CCA as users meet it."""

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA

from handful import SparseKernelCCA
from handful.bounds import NotCertifiableError, real_loss_bound


@pytest.fixture
def views(rng):
    t = rng.uniform(-2, 2, size=(150, 1))
    X = np.hstack([np.sin(t), t**2]) + 0.05 * rng.normal(size=(150, 2))
    Y = np.hstack([np.cos(t), t]) + 0.05 * rng.normal(size=(150, 2))
    return X, Y


def test_finds_correlated_directions(views):
    X, Y = views
    cca = SparseKernelCCA(15).fit(X, Y)
    u, v = cca.transform(X, Y)
    assert u.shape == v.shape == (150, 2)
    assert np.corrcoef(u[:, 0], v[:, 0])[0, 1] > 0.95
    np.testing.assert_array_equal(cca.transform(X), u)
    assert cca.correlations_[0] > 0.95
    assert np.all(np.diff(cca.correlations_) <= 0)
    assert np.all((cca.correlations_ >= 0) & (cca.correlations_ <= 1))


def test_linear_kernels_reach_the_linear_correlations(rng):
    t = rng.normal(size=(100, 1))
    X = np.hstack([t, rng.normal(size=(100, 1))]) @ rng.normal(size=(2, 2))
    Y = np.hstack([t, rng.normal(size=(100, 1))]) @ rng.normal(size=(2, 2))
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    ours = SparseKernelCCA(10, kernel="linear", y_kernel="linear", ridge=0.0).fit(X, Y)
    u, v = CCA(2).fit_transform(X, Y)
    theirs = [np.corrcoef(u[:, k], v[:, k])[0, 1] for k in range(2)]
    np.testing.assert_allclose(ours.correlations_, theirs, atol=1e-3)


def test_certificate_counts_outside_the_chosen(views):
    X, Y = views
    cca = SparseKernelCCA(12, n_components=1, weights="chosen", ridge=0.1).fit(X, Y)
    is_out = np.ones(150, dtype=bool)
    is_out[cca.centers_idx_] = False
    u, v = cca.transform(X, Y)
    losses = np.minimum(np.mean((u - v) ** 2, axis=1), 4.0)
    expected = real_loss_bound(150, 12, float(losses[is_out].mean()), max_loss=4.0)
    certificate = cca.certify()
    assert certificate.risk == pytest.approx(expected.risk, rel=1e-9)
    assert not certificate.is_vacuous
    with pytest.raises(NotCertifiableError, match="Fit with weights='chosen'"):
        SparseKernelCCA(5).fit(X, Y).certify()


def test_chosen_weights_depend_on_the_chosen_alone(views, rng):
    X, Y = views
    cca = SparseKernelCCA(8, weights="chosen").fit(X, Y)
    idx = cca.centers_idx_
    again = SparseKernelCCA(8, weights="chosen").fit(X[idx], Y[idx])
    assert set(again.centers_idx_) == set(range(8))
    new_X = rng.normal(size=(5, 2))
    np.testing.assert_allclose(
        np.abs(again.transform(new_X)), np.abs(cca.transform(new_X)), atol=1e-6
    )
    assert again.certify().is_vacuous, "nothing is left to count"


def test_one_column_and_bad_second_view(views):
    X, Y = views
    cca = SparseKernelCCA(5, n_components=1).fit(X, Y[:, 0])
    assert cca.transform(X, Y[:, 0])[1].shape == (150, 1)
    with pytest.raises(ValueError, match=r"`y` must have shape \(150, 1\), got \(150, 2\)"):
        cca.transform(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_centers": 0}, "`n_centers` must be at least 1"),
        ({"n_components": 0}, "`n_components` must be at least 1"),
        ({"weights": "some"}, "`weights` must be one of"),
        ({"ridge": -1.0}, "`ridge` must be in"),
        ({"kernel": "precomputed"}, "`kernel` must not be 'precomputed'"),
        ({"y_kernel": "precomputed"}, "`y_kernel` must not be 'precomputed'"),
    ],
)
def test_bad_parameters(views, options, message):
    with pytest.raises(ValueError, match=message):
        SparseKernelCCA(**options).fit(*views)


def test_no_column_at_all_is_an_error(views):
    with pytest.raises(ValueError, match="must have kernel columns that are not 0"):
        SparseKernelCCA(kernel="linear").fit(np.zeros((5, 2)), np.ones((5, 1)))
