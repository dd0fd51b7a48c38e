"""Sparse kernel PCA and CCA: directions of feature space in the span of a handful of examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from handful.arrays import Floats
from handful.bounds import (
    Certificate,
    NotCertifiableError,
    Quantity,
    real_loss_bound,
    sparse_pca_bound,
)
from handful.checks import check_choice, check_count, check_real
from handful.estimator import CertifiedEstimator, shared_certificate
from handful.kernels import kernel_of, make_kernel
from handful.pursuit.base import MEBIBYTE, check_kernel_matrix, residual_frame
from handful.pursuit.candidate_pool import first_candidates, is_outside
from handful.pursuit.correlation import canonical_weights, correlation_pursuit
from handful.pursuit.expansion_codes import center_rows
from handful.pursuit.kernel_columns import KernelColumns
from handful.pursuit.partial_cholesky import PIVOTS, partial_cholesky
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
        Parameters of the polynomial kernel.
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
        self.kernel_ = kernel_of(self, X.shape[1])
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
        # The subspace is a function of the centres; only the other examples are counted.
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
        # Eigenvectors have no sign of their own: the largest entry is made positive.
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
            # k(x, x) = 1 for a Gaussian kernel, and a squared distance to a subspace is not larger.
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


WEIGHTS = ("all", "chosen")


class SparseKernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CertifiedEstimator):
    """Kernel canonical correlation of two views, on a few examples chosen greedily.

    Parameters
    ----------
    n_centers : int, default=20
        Largest number of examples.
    n_components : int, default=2
        Number of pairs of directions.
    kernel, y_kernel : {"rbf", "linear", "poly"}, callable or Kernel, default="rbf"
        Kernels of the two views.
    gamma, y_gamma : float or "auto", default="auto"
        "auto" is 1 / n_features of the view.
    degree, coef0 : int, float
        Parameters of polynomial kernels, for both views.
    ridge : float, default=0.01
        Penalty on the weights, as a share of the mean variance of the kernel columns.
    weights : {"all", "chosen"}, default="all"
        Weights from all examples, or from the chosen ones alone: then the maps form a
        compression scheme and can be certified.
    memory_limit : float, default=1024
        MiB that each kernel matrix may take.
    max_loss : float, default=4.0
        The certificate cuts the loss here; fixed before the data were seen.
    delta : float, default=0.05
        Allowed probability that a certificate fails.

    Attributes
    ----------
    centers_idx_ : ndarray of int
        Indices of the chosen examples in order of choice.
    compression_set_ : ndarray of int
        The same, sorted.
    scores_ : ndarray
        Cosine of the two views' columns of each example when it was chosen.
    correlations_ : ndarray
        Regularised correlation of each pair on the rows the weights come from.
    x_centers_, y_centers_ : ndarray
        The chosen examples in both views.
    x_kernel_, y_kernel_ : Kernel
        Kernels of the views.
    weights_ : CanonicalWeights
        Coefficients of both views.
    n_features_in_ : int
        Number of columns of the first view.

    Notes
    -----
    The certificate, "real-loss", says how far the two views' scores of a new case are apart. The
    loss is the squared difference of the scores, averaged over the components and cut at
    ``max_loss``. Scores have about unit variance, so views that have nothing in common lose 2, and
    a correlation rho loses 2 (1 - rho).

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0.0, 6.0, 80)[:, None]
    >>> X, Y = np.hstack([np.sin(t), np.cos(t)]), np.hstack([np.cos(t), t])
    >>> cca = SparseKernelCCA(n_centers=10, n_components=1).fit(X, Y)
    >>> u, v = cca.transform(X, Y)
    >>> bool(np.corrcoef(u[:, 0], v[:, 0])[0, 1] > 0.95)
    True
    """

    _bounds = ("real-loss",)
    _takes_held_out = False

    def __init__(
        self,
        n_centers=20,
        *,
        n_components=2,
        kernel="rbf",
        y_kernel="rbf",
        gamma="auto",
        y_gamma="auto",
        degree=3,
        coef0=0.0,
        ridge=0.01,
        weights="all",
        memory_limit=1024.0,
        max_loss=4.0,
        delta=0.05,
    ):
        self.n_centers = n_centers
        self.n_components = n_components
        self.kernel = kernel
        self.y_kernel = y_kernel
        self.gamma = gamma
        self.y_gamma = y_gamma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.weights = weights
        self.memory_limit = memory_limit
        self.max_loss = max_loss
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.correlations_)

    def fit(self, X, y):
        """Choose the examples; X and y are the two views, row by row."""
        X, Y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        Y = np.asarray(Y, dtype=np.float64).reshape(len(X), -1)
        self._check_parameters()
        fixed = {"degree": self.degree, "coef0": self.coef0}
        self.x_kernel_ = make_kernel(self.kernel, gamma=self.gamma, n_features=X.shape[1], **fixed)
        self.y_kernel_ = make_kernel(
            self.y_kernel, gamma=self.y_gamma, n_features=Y.shape[1], **fixed
        )
        memory = int(self.memory_limit * MEBIBYTE)
        views = (
            KernelColumns(self.x_kernel_, X, memory_bytes=memory),
            KernelColumns(self.y_kernel_, Y, memory_bytes=memory),
        )
        choice = correlation_pursuit(*views, self.n_centers)
        if not len(choice.centers):
            raise ValueError("`X` and `y` must have kernel columns that are not 0, got none.")
        self.centers_idx_, self.scores_ = choice.centers, choice.scores
        self._keep_examples(choice.centers)
        self.x_centers_, self.y_centers_ = X[choice.centers], Y[choice.centers]
        self._fit_weights(X, Y)
        return self

    def _check_parameters(self) -> None:
        check_count("n_centers", self.n_centers, low=1)
        check_count("n_components", self.n_components, low=1)
        check_real("ridge", self.ridge, low=0.0, hint="It penalises the weights.")
        check_choice("weights", self.weights, WEIGHTS)
        check_real("memory_limit", self.memory_limit, low=0.0, hint="It is counted in MiB.")
        for name in ("kernel", "y_kernel"):
            if isinstance(getattr(self, name), str) and getattr(self, name) == "precomputed":
                raise ValueError(
                    f"`{name}` must not be 'precomputed', got 'precomputed'. "
                    "Pass the views themselves and a callable kernel."
                )

    def _fit_weights(self, X: Floats, Y: Floats) -> None:
        rows = slice(None) if self.weights == "all" else self.centers_idx_
        G = self.x_kernel_(X[rows], self.x_centers_)
        H = self.y_kernel_(Y[rows], self.y_centers_)
        self.weights_ = canonical_weights(G, H, self.n_components, self.ridge)
        self.correlations_ = self.weights_.correlations
        # With weights="chosen" the scores are a function of the centres: once their choice is
        # paid for, the losses of the others are those of fresh cases.
        is_counted = is_outside(len(X), self.centers_idx_)
        self.n_samples_ = len(X)
        u, v = self._x_scores(X[is_counted]), self._y_scores(Y[is_counted])
        self._losses = np.mean((u - v) ** 2, axis=1)

    def _x_scores(self, X: Floats) -> Floats:
        rows = center_rows(self.x_kernel_, X, self.x_centers_, self.centers_idx_)
        return np.asarray((rows - self.weights_.x_mean) @ self.weights_.x_weights)

    def _y_scores(self, Y: Floats) -> Floats:
        rows = center_rows(self.y_kernel_, Y, self.y_centers_, self.centers_idx_)
        return np.asarray((rows - self.weights_.y_mean) @ self.weights_.y_weights)

    def transform(self, X, y=None):
        """Scores of the first view, or of both as a pair if ``y`` is given."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if y is None:
            return self._x_scores(X)
        Y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        Y = Y.reshape(len(Y), -1)
        if len(Y) != len(X) or Y.shape[1] != self.y_centers_.shape[1]:
            raise ValueError(
                f"`y` must have shape ({len(X)}, {self.y_centers_.shape[1]}), got {Y.shape}. "
                "It is the second view of the same cases."
            )
        return self._x_scores(X), self._y_scores(Y)

    def fit_transform(self, X, y):
        """Scores of the first view of the data that were fitted."""
        return self.fit(X, y).transform(X)

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if self.weights != "chosen":
            raise NotCertifiableError(
                f"`weights`={self.weights!r} uses all the data, so nothing is left to certify "
                "with. Fit with weights='chosen'."
            )
        limit = check_real("max_loss", self.max_loss, low=0.0, low_open=True)
        # Cutting a loss at a limit that was known beforehand keeps it in [0, limit], as the bound
        # needs.
        losses = np.minimum(self._losses, limit)
        certificate = shared_certificate(
            lambda share: real_loss_bound(
                self.n_samples_,
                len(self.centers_idx_),
                float(losses.mean()) if len(losses) else limit,
                max_loss=limit,
                delta=share,
            ),
            delta,
            n_choices,
        )
        return replace(certificate, quantity=Quantity.of("scores", limit=float(limit)))
