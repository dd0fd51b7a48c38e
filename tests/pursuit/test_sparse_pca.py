"""Sparse kernel PCA as users meet it."""

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from handful import SparseKernelPCA
from handful.bounds import NotCertifiableError, sparse_pca_bound
from tests.oracles import pursuit as oracle


@pytest.fixture
def data(rng):
    return rng.normal(size=(80, 3))


def test_projection_equals_least_squares_in_feature_space(data):
    pca = SparseKernelPCA(7, gamma=0.4).fit(data)
    K = oracle.gaussian_kernel(data, data, 0.4)
    idx = pca.centers_idx_
    inner = K[:, idx] @ np.linalg.solve(K[np.ix_(idx, idx)], K[idx])
    T = pca.transform(data)
    np.testing.assert_allclose(T @ T.T, inner, atol=1e-8)
    np.testing.assert_allclose(pca.residuals(data), 1.0 - np.diag(inner), atol=1e-8)
    assert pca.traces_[-1] == pytest.approx(np.sum(1.0 - np.diag(inner)), rel=1e-8)
    assert pca.score(data) == pytest.approx(-pca.traces_[-1] / 80, rel=1e-8)


def test_components_are_uncorrelated_and_sorted(data):
    pca = SparseKernelPCA(6, gamma=0.4).fit(data)
    T = pca.transform(data)
    moments = T.T @ T / 80
    np.testing.assert_allclose(moments, np.diag(pca.explained_variance_), atol=1e-10)
    assert np.all(np.diff(pca.explained_variance_) <= 0)
    assert list(pca.get_feature_names_out())[:2] == ["sparsekernelpca0", "sparsekernelpca1"]


def test_all_examples_leave_nothing_and_match_kernel_pca(data):
    """With a linear kernel and centred data the components are those of plain PCA."""
    X = data - data.mean(axis=0)
    pca = SparseKernelPCA(3, kernel="linear").fit(X)
    assert pca.traces_[-1] < 1e-9
    theirs = KernelPCA(3, kernel="linear").fit_transform(X)
    np.testing.assert_allclose(np.abs(pca.transform(X)), np.abs(theirs), atol=1e-8)


def test_fewer_components_are_the_leading_ones(data):
    whole = SparseKernelPCA(6, gamma=0.4).fit(data)
    part = SparseKernelPCA(6, n_components=2, gamma=0.4).fit(data)
    np.testing.assert_allclose(part.transform(data), whole.transform(data)[:, :2], atol=1e-12)
    with pytest.raises(NotCertifiableError, match="Fit with n_components=None"):
        part.certify()


def test_certificate(data):
    pca = SparseKernelPCA(5, gamma=0.1).fit(data)
    is_out = np.ones(80, dtype=bool)
    is_out[pca.centers_idx_] = False
    mean = float(pca.residuals(data)[is_out].mean())
    assert pca.certify().risk == pytest.approx(sparse_pca_bound(80, 5, mean).risk, rel=1e-9)
    assert pca.certify(bound="sparse-pca-hoeffding").risk > pca.certify().risk
    assert pca.certify(delta=0.01).risk > pca.certify().risk


def test_other_kernels_need_their_range(data):
    pca = SparseKernelPCA(2, kernel="linear").fit(data)
    with pytest.raises(NotCertifiableError, match="`max_residual` must be given"):
        pca.certify()
    with pytest.raises(NotCertifiableError, match=r"must be at least k\(x, x\) of every case"):
        pca.set_params(max_residual=0.01).certify()
    assert pca.set_params(max_residual=100.0).certify().limit == 100.0


def test_precomputed(data):
    K = oracle.gaussian_kernel(data, data, 0.4)
    given = SparseKernelPCA(5, kernel="precomputed").fit(K)
    direct = SparseKernelPCA(5, gamma=0.4).fit(data)
    np.testing.assert_array_equal(given.centers_idx_, direct.centers_idx_)
    np.testing.assert_allclose(given.transform(K), direct.transform(data), atol=1e-8)
    with pytest.raises(ValueError, match="must not be 'precomputed' to measure residuals"):
        given.residuals(K)


def test_candidates_and_blocks(data):
    drawn = SparseKernelPCA(5, gamma=0.4, candidates=10).fit(data)
    assert len(drawn.centers_idx_) == 5
    given = SparseKernelPCA(5, gamma=0.4, candidates=[1, 2, 3]).fit(data)
    assert set(given.centers_idx_) == {1, 2, 3}
    blocks = SparseKernelPCA(5, gamma=0.4, memory_limit=0).fit(data)
    np.testing.assert_array_equal(
        blocks.centers_idx_, SparseKernelPCA(5, gamma=0.4).fit(data).centers_idx_
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_centers": 0}, "`n_centers` must be at least 1"),
        ({"n_components": 0}, "`n_components` must be at least 1"),
        ({"pivot": "best"}, "`pivot` must be one of"),
        ({"tol": 1.0}, r"`tol` must be in \[0, 1\)"),
    ],
)
def test_bad_parameters(data, options, message):
    with pytest.raises(ValueError, match=message):
        SparseKernelPCA(**options).fit(data)
