"""SparseKernelCCA: correlated directions of two views in the span of a handful of examples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from handful._checks import check_choice, check_count, check_real
from handful._types import Floats
from handful.bounds import Certificate, NotCertifiableError, Quantity, real_loss_bound
from handful.estimator import CertifiedEstimator, shared_certificate
from handful.kernels import make_kernel
from handful.pursuit._columns import KernelColumns
from handful.pursuit._correlation import canonical_weights, correlation_pursuit
from handful.pursuit._expansion import center_rows
from handful.pursuit._ground import is_outside
from handful.pursuit.base import MEBIBYTE

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
        Of polynomial kernels, for both views.
    ridge : float, default=0.01
        Penalty on the weights, as a share of the mean variance of the kernel columns.
    weights : {"all", "chosen"}, default="all"
        Weights from all examples, or from the chosen ones alone: then the maps form a
        compression scheme and can be certified.
    memory_limit : float, default=1024
        MiB that each kernel matrix may take.
    max_loss : float, default=4.0
        Where the certificate cuts the loss, fixed before the data were seen.
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
        """Scores of the first view, or of both as a pair where ``y`` is given."""
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
