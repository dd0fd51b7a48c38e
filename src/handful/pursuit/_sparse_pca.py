"""SparseKernelPCA: a subspace of feature space spanned by a handful of examples, certified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from handful._checks import check_choice, check_count, check_real
from handful._types import Floats
from handful.bounds import Certificate, NotCertifiableError, sparse_pca_bound
from handful.estimator import CertifiedEstimator, shared_certificate
from handful.kernels import make_kernel
from handful.pursuit._cholesky import PIVOTS, partial_cholesky
from handful.pursuit._columns import KernelColumns
from handful.pursuit._expansion import center_rows
from handful.pursuit._ground import first_candidates, is_outside
from handful.pursuit.base import MEBIBYTE, check_kernel_matrix, residual_frame
from handful.tables import blind_order

if TYPE_CHECKING:
    import pandas as pd

_METHODS = {
    "sparse-pca": "kl",
    "sparse-pca-hoeffding": "hoeffding",
    "sparse-pca-published": "published",
}


class SparseKernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CertifiedEstimator):
    """Kernel principal components in the span of a few examples, chosen greedily.

    The factorisation is a partial Cholesky decomposition of the kernel matrix with greedy
    pivots: only the chosen examples are needed to map a new case. Features are not centred.

    Parameters
    ----------
    n_centers : int, default=20
        Largest number of examples that span the subspace.
    n_components : int, optional
        Number of outputs, the leading directions of the training data inside the subspace.
        None keeps all of them; with fewer, the certificate does not apply.
    kernel : {"rbf", "linear", "poly", "precomputed"}, callable or Kernel, default="rbf"
    gamma : float or "auto", default="auto"
        "auto" is 1 / n_features.
    degree, coef0 : int, float
        Of the polynomial kernel.
    pivot : {"trace", "diagonal"}, default="trace"
        "trace" lowers the mean residual most (sparse kernel PCA); "diagonal" takes the farthest
        example (pivoted Cholesky), which is cheaper and needs more centres.
    tol : float, default=0.0
        Stop once the residual trace is at most this share of its start.
    candidates : None, int or array of row numbers, default=None
        Examples that may be chosen: all, that many drawn blindly, or those given.
    memory_limit : float, default=1024
        MiB that the kernel matrix may take.
    max_residual : float, optional
        Largest possible k(x, x), known before the data, for the certificate. It is 1 for a
        Gaussian kernel and must be given for others.
    delta : float, default=0.05
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests, default=None
        Draws the candidates.

    Attributes
    ----------
    centers_idx_ : ndarray of int
        Indices of the chosen examples in order of choice.
    compression_set_ : ndarray of int
        The same, sorted.
    centers_ : ndarray
        The chosen examples.
    traces_ : ndarray
        Trace of the residual kernel matrix for 0, 1, 2, ... centres.
    factor_ : ndarray
        Lower triangular Cholesky factor of the centres' kernel matrix.
    rotation_ : ndarray
        Directions inside the subspace, one column a component.
    explained_variance_ : ndarray
        Mean square of each component on the training data.
    kernel_ : Kernel
        The kernel, with its parameters.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    Certificates bound the expected squared distance of a new case to the subspace: "sparse-pca",
    and for comparison the larger "sparse-pca-hoeffding" and "sparse-pca-published".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> pca = SparseKernelPCA(n_centers=15, gamma=0.2).fit(X)
    >>> pca.transform(X).shape
    (200, 15)
    >>> print(pca.certify())
    risk <= 30.2 % with 95 % confidence (sparse-pca, 200 examples, 15 kept, 59.3 nats)
    """

    _bounds = tuple(_METHODS)
    _takes_held_out = False

    def __init__(
        self,
        n_centers=20,
        *,
        n_components=None,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=0.0,
        pivot="trace",
        tol=0.0,
        candidates=None,
        memory_limit=1024.0,
        max_residual=None,
        delta=0.05,
        random_state=None,
    ):
        self.n_centers = n_centers
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.pivot = pivot
        self.tol = tol
        self.candidates = candidates
        self.memory_limit = memory_limit
        self.max_residual = max_residual
        self.delta = delta
        self.random_state = random_state

    @property
    def _n_features_out(self) -> int:
        return int(self.rotation_.shape[1])

    def fit(self, X, y=None):
        """Choose the examples that span the subspace; y is not used."""
        given = X
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self._check_parameters()
        fixed = {"degree": self.degree, "coef0": self.coef0, "n_features": X.shape[1]}
        self.kernel_ = make_kernel(self.kernel, gamma=self.gamma, **fixed)
        is_precomputed = self.kernel_.name == "precomputed"
        if is_precomputed:
            check_kernel_matrix(X)
        blind = blind_order(
            given if hasattr(given, "columns") else X,
            random_state=self.random_state,
            is_kernel=is_precomputed,
        )
        order, self.draw_ = blind.order, blind.draw
        candidates = first_candidates(self.candidates, len(X))
        if candidates is not None and np.ndim(self.candidates) > 0:
            candidates = np.flatnonzero(np.isin(order, candidates))
        X = X[np.ix_(order, order)] if is_precomputed else X[order]
        memory = int(self.memory_limit * MEBIBYTE) if self.pivot == "trace" else 0
        columns = KernelColumns(self.kernel_, X, candidates, memory_bytes=memory)
        result = partial_cholesky(columns, self.n_centers, pivot=self.pivot, tol=self.tol)
        self.centers_idx_ = order[result.centers]
        self._keep_examples(self.centers_idx_)
        self.centers_ = None if is_precomputed else X[result.centers]
        self.traces_ = result.traces
        self.factor_ = np.tril(result.factor[result.centers])
        self._rotate(result.factor)
        left = result.residuals[is_outside(len(X), result.centers)]
        self._mean_residual = float(left.mean()) if len(left) else 0.0
        self._largest_norm = float(np.max(columns.diagonal()))
        self.n_samples_ = len(X)
        return self

    def _check_parameters(self) -> None:
        check_count("n_centers", self.n_centers, low=1)
        if self.n_components is not None:
            check_count("n_components", self.n_components, low=1)
        check_choice("pivot", self.pivot, PIVOTS)
        hint = "It is a share of the residual trace."
        check_real("tol", self.tol, low=0.0, high=1.0, high_open=True, hint=hint)
        check_real("memory_limit", self.memory_limit, low=0.0, hint="It is counted in MiB.")

    def _rotate(self, coordinates: Floats) -> None:
        """Principal directions of the training coordinates, largest first."""
        values, vectors = np.linalg.eigh(coordinates.T @ coordinates / len(coordinates))
        order = slice(None, None, -1)
        values, vectors = np.maximum(values[order], 0.0), vectors[:, order]
        width = vectors.shape[1]
        peaks = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(width)]
        n_kept = width if self.n_components is None else min(self.n_components, width)
        self.rotation_ = (vectors * np.where(peaks < 0.0, -1.0, 1.0))[:, :n_kept]
        self.explained_variance_ = values[:n_kept]

    def _coordinates(self, X: Floats) -> Floats:
        """Coordinates in the orthonormal basis that the Cholesky factor gives."""
        rows = center_rows(self.kernel_, X, self.centers_, self.centers_idx_)
        return np.asarray(solve_triangular(self.factor_, rows.T, lower=True).T)

    def transform(self, X):
        """Components of the rows of X (kernel rows against the training data if precomputed)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._coordinates(X) @ self.rotation_

    def residuals(self, X):
        """Squared distances of the rows of X to the span of the chosen examples."""
        check_is_fitted(self)
        if self.centers_ is None:
            raise ValueError(
                "`kernel` must not be 'precomputed' to measure residuals, got 'precomputed'. "
                "They need k(x, x), which a row of the kernel matrix does not hold."
            )
        X = validate_data(self, X, dtype=np.float64, reset=False)
        squares = np.sum(self._coordinates(X) ** 2, axis=1)
        return np.maximum(self.kernel_.diagonal(X) - squares, 0.0)

    def score(self, X, y=None):
        """Minus the mean residual of the rows of X, so that larger is better."""
        return -float(np.mean(self.residuals(X)))

    @property
    def path_(self) -> pd.DataFrame:
        """One row a number of centres, with the trace of the residual kernel matrix."""
        check_is_fitted(self)
        return residual_frame(self.traces_, len(self.centers_idx_))

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if self.rotation_.shape[1] < len(self.centers_idx_):
            raise NotCertifiableError(
                f"`n_components`={self.n_components!r} keeps directions chosen with all the data. "
                "Fit with n_components=None; the certificate is about the whole span."
            )
        max_residual = self.max_residual
        if max_residual is None:
            if self.kernel_.name != "rbf":
                raise NotCertifiableError(
                    f"`max_residual` must be given for kernel={self.kernel_.name!r}, got None. "
                    "Pass the largest possible k(x, x), known before the data."
                )
            max_residual = 1.0
        limit = check_real("max_residual", max_residual, low=0.0, low_open=True)
        if self._largest_norm > limit * (1.0 + 1e-12):
            raise NotCertifiableError(
                f"`max_residual` must be at least k(x, x) of every case, got {max_residual!r} "
                f"where a training example has {self._largest_norm:g}."
            )
        return shared_certificate(
            lambda share: sparse_pca_bound(
                self.n_samples_,
                len(self.centers_idx_),
                min(self._mean_residual, limit),
                max_residual=limit,
                delta=share,
                method=_METHODS[bound],
            ),
            delta,
            n_choices,
        )
