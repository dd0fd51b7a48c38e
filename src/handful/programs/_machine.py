"""What the scikit-learn classes of this folder share: labels, columns, prediction, certificates."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from handful._threads import in_one_blas_thread
from handful._types import Floats
from handful.bounds import Certificate, NotCertifiableError, held_out_bound, stable_bound
from handful.kernels import make_kernel
from handful.programs._columns import solve_by_columns
from handful.programs._degenerate import InterpolationWarning, TrivialSolutionWarning
from handful.programs._margin import MarginSolution
from handful.programs._solver import MarginSolver
from handful.tables import SeenRows, class_weights, warn_of_fitted_scaling

_FIXED = (
    "the features and their scaling, C and all other settings were fixed before the data were seen",
    "the list of classes was known beforehand",
)


class MarginMachine(ClassifierMixin, BaseEstimator):
    """One margin program for each class against the rest (one program for two classes)."""

    #: Whether the largest margin is priced.
    _capped = True

    @in_one_blas_thread
    def fit(self, X: Any, y: Any) -> Self:
        """Solve the program, prove its optimum, and say where it is degenerate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel matrix of the training examples.
        y : array-like of shape (n_samples,)
            Labels of any type, two classes or more.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"`y` must have at least two classes, got 1 class ({self.classes_[0]!r}). "
                "Add examples of another class."
            )
        self._seen = SeenRows.of(X, y)
        if self.kernel != "precomputed":
            warn_of_fitted_scaling(X, getattr(self, "feature_names_in_", None))
        self.kernel_ = make_kernel(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            n_features=X.shape[1],
        )
        positives = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = [np.where(codes == k, 1.0, -1.0) for k in positives]
        self._row_weights = class_weights(self.class_weight, self.classes_, codes)
        outputs = self._fit_linear(X, signs) if self._is_linear() else self._fit_kernel(X, signs)
        self._look_for_degeneracy(outputs, signs)
        return self

    def _is_linear(self) -> bool:
        return self.kernel_.name == "linear"

    def _check_parameters(self) -> None:
        _check_positive("C", self.C, "Larger values allow less slack.")
        _check_positive("tol", self.tol, "1e-7 is a good choice.")
        if self.time_limit is not None:
            _check_positive("time_limit", self.time_limit, "It is in seconds; None sets none.")

    def _price_of_slack(self) -> float:
        return float(self.C)

    def _weight(self) -> float:
        raise TypeError("a machine must price its coefficients")

    def _fit_linear(self, X: Floats, signs: list[Floats]) -> list[Floats]:
        weight, C = self._weight(), self._price_of_slack()
        found, touching = [], [np.zeros(0, dtype=np.intp)]
        for sign in signs:
            solver = self._solver(X, sign, weight)
            solution, own = solver.solve_touching(C)
            found.append(solution)
            touching.append(own)
        self._store(found)
        self.coef_ = np.stack([s.w for s in found])
        self.compression_set_ = np.unique(np.concatenate(touching))
        self.n_samples_ = len(X)
        return [X @ s.w + s.b for s in found]

    def _solver(self, F: Floats, sign: Floats, weight: float) -> MarginSolver:
        return MarginSolver(
            F,
            sign,
            weight=weight,
            capped=self._capped,
            tol=self.tol,
            time_limit=self.time_limit,
            row_weights=self._row_weights,
        )

    def _solve_by_columns(self, K: Floats, sign: Floats, weight: float) -> MarginSolution:
        return solve_by_columns(
            K,
            sign,
            self._price_of_slack(),
            weight=weight,
            capped=self._capped,
            tol=self.tol,
            time_limit=self.time_limit,
            row_weights=self._row_weights,
        )

    def _fit_kernel(self, X: Floats, signs: list[Floats]) -> list[Floats]:
        K = self._kernel_matrix(X)
        found = self._solve_kernel(K, signs)
        self._store(found)
        coefficients = np.stack([s.w for s in found])
        size = np.abs(coefficients)
        is_used = np.any(size > 1e-7 * size.max(axis=1, keepdims=True), axis=0)
        self.support_ = np.flatnonzero(is_used)
        self.dual_coef_ = coefficients[:, self.support_]
        if self.kernel_.name != "precomputed":
            self.support_vectors_ = X[self.support_]
        self.n_samples_ = len(X)
        return [K @ s.w + s.b for s in found]

    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        raise TypeError("a machine must solve its kernel programs")

    def _kernel_matrix(self, X: Floats) -> Floats:
        K = self.kernel_(X)
        if K.shape != (len(X), len(X)):
            raise ValueError(
                f"`kernel` must give a square matrix on the training examples, got {K.shape} "
                f"for {len(X)} examples. Pass K(train, train) to fit."
            )
        if not np.all(np.isfinite(K)):
            raise ValueError("`kernel` must be finite, got NaN or infinity. Check its scale.")
        if np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
            raise ValueError("`kernel` must be symmetric, got a matrix that is not.")
        return np.ascontiguousarray(K)

    def _store(self, found: list[MarginSolution]) -> None:
        self.intercept_ = np.array([s.b for s in found])
        self.objective_ = np.array([s.value for s in found])
        self.gap_ = np.array([s.gap for s in found])
        self.n_iter_ = np.array([s.n_iterations for s in found])
        self.h_ = np.array([s.h for s in found])

    def _look_for_degeneracy(self, outputs: list[Floats], signs: list[Floats]) -> None:
        """Detect constant and interpolating machines, and warn."""
        self.is_trivial_ = np.array([np.ptp(f) <= 1e-7 * np.abs(f).max() for f in outputs])
        is_flat = [
            bool(np.all(np.abs(f * sign - 1.0) <= 1e-5))
            for f, sign in zip(outputs, signs, strict=True)
        ]
        self.is_interpolating_ = np.array(is_flat) & ~self.is_trivial_ & self._capped
        if np.any(self.is_trivial_):
            warnings.warn(self._trivial_message(), TrivialSolutionWarning, stacklevel=3)
        if np.any(self.is_interpolating_):
            warnings.warn(_INTERPOLATING, InterpolationWarning, stacklevel=3)

    def _trivial_message(self) -> str:
        which = "" if len(self.classes_) == 2 else f" for {int(self.is_trivial_.sum())} classes"
        return (
            f"The constant classifier is optimal at C={self.C:g}{which}: no feature is used. Raise "
            "`C`, or balance the classes; `trivial_solution_test` says whether any C helps."
        )

    def decision_function(self, X: Any) -> Floats:
        """Signed distance in units of the margin; one column for each class if more than two."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self._is_linear():
            f = X @ self.coef_.T + self.intercept_
        elif self.kernel_.name == "precomputed":
            f = X[:, self.support_] @ self.dual_coef_.T + self.intercept_
        elif not self.support_.size:
            f = np.tile(self.intercept_, (len(X), 1))
        else:
            f = self.kernel_(X, self.support_vectors_) @ self.dual_coef_.T + self.intercept_
        return np.asarray(f[:, 0] if len(self.classes_) == 2 else f)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the sign of f, or the class of the largest f."""
        f = self.decision_function(X)
        codes = (f > 0.0).astype(int) if f.ndim == 1 else np.argmax(f, axis=1)
        return np.asarray(self.classes_[codes])

    def certify(
        self,
        delta: float = 0.05,
        bound: str = "auto",
        *,
        X: Any = None,
        y: Any = None,
        n_models: int = 1,
    ) -> Certificate:
        """A guarantee on the error probability of new cases.

        Parameters
        ----------
        delta : float
            Allowed probability of failure.
        bound : {"auto", "stable", "held-out"}
            "stable" counts the training examples that touch an optimum (linear machines only);
            "held-out" counts errors on ``X``, ``y``. "auto" takes "held-out" if they are given.
        X, y : array-like, optional
            Examples that had no part in training or in the choice of anything.
        n_models : int
            Number of settings (of C, say) among which this one was chosen: by the same training
            data for "stable", by these held-out examples for "held-out".

        Returns
        -------
        Certificate
        """
        check_is_fitted(self)
        if bound not in ("auto", "stable", "held-out"):
            raise ValueError(
                f"`bound` must be 'auto', 'stable' or 'held-out', got {bound!r}. "
                "'held-out' works for every machine."
            )
        if bound == "held-out" or (bound == "auto" and X is not None):
            return self._held_out(delta, X, y, n_models)
        if not self._is_linear():
            raise NotCertifiableError(
                "The stable certificate needs features that do not move with the data, and the "
                "columns of a kernel expansion are training examples. Use "
                "certify(bound='held-out', X=..., y=...) or kernel='linear'."
            )
        if self.class_weight == "balanced":
            raise NotCertifiableError(
                "class_weight='balanced' moves with every example, so the machine is not a stable "
                "scheme. Give the weights as numbers fixed beforehand, or use "
                "certify(bound='held-out', X=..., y=...)."
            )
        certificate = stable_bound(
            self.n_samples_, len(self.compression_set_), delta=delta, n_models=n_models
        )
        return replace(certificate, assumptions=(*certificate.assumptions, *_FIXED))

    def _held_out(self, delta: float, X: Any, y: Any, n_models: int) -> Certificate:
        if X is None or y is None:
            raise ValueError(
                "`X` and `y` must be given for bound='held-out', got None. Pass examples that "
                "had no part in training."
            )
        wrong = self.predict(X) != np.asarray(y)
        self._seen.refuse(np.asarray(X, dtype=np.float64), y)
        return held_out_bound(len(wrong), int(wrong.sum()), n_models=n_models, delta=delta)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


_INTERPOLATING = (
    "Every margin is exactly 1: the machine interpolates the labels, h = 1 says nothing about its "
    "capacity, and `C` has no effect. Use a sparser expansion (`sparsity='l1'`) or fewer features."
)


def _check_positive(name: str, value: Any, advice: str) -> None:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"`{name}` must be a positive number, got {value!r}. {advice}")
