"""What the scikit-learn classes of this folder share: labels, columns, prediction, certificates."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from handful._threads import in_one_blas_thread
from handful._types import Floats
from handful.bounds import Certificate, NotCertifiableError, stable_bound
from handful.estimator import BaseClassifier, columns_of, refuse_balanced
from handful.fitted import (
    Machine,
    from_scores,
    kernel_expansion,
    linear_score,
    steady_product,
)
from handful.kernels import make_kernel
from handful.programs._columns import solve_by_columns
from handful.programs._degenerate import InterpolationWarning, TrivialSolutionWarning
from handful.programs._kernel_matrix import training_matrix
from handful.programs._margin import MarginSolution
from handful.programs._solver import MarginSolver
from handful.tables import class_weights


class MarginMachine(BaseClassifier):
    """One margin program for each class against the rest (one program for two classes)."""

    _bounds = ("stable",)
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
        X, y, codes = self._read_examples(X, y, ensure_min_samples=2)
        self.kernel_ = make_kernel(
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            n_features=X.shape[1],
        )
        signs = self._signs(codes)
        self._row_weights = class_weights(self.class_weight, self.classes_, codes)
        outputs = self._fit_linear(X, signs) if self._is_linear() else self._fit_kernel(X, signs)
        self.n_training_errors_ = int(np.sum(from_scores(columns_of(outputs)) != codes))
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
        self._keep_examples(np.concatenate(touching))
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
        K = training_matrix(self.kernel_, X)
        found = self._solve_kernel(K, signs)
        self._store(found)
        coefficients = np.stack([s.w for s in found])
        size = np.abs(coefficients)
        is_used = np.any(size > 1e-7 * size.max(axis=1, keepdims=True), axis=0)
        self.support_ = np.flatnonzero(is_used)
        self.dual_coef_ = coefficients[:, self.support_]
        if self.kernel_.name != "precomputed":
            self.support_vectors_ = X[self.support_]
        self._keep_examples(self.support_)
        return [K @ s.w + s.b for s in found]

    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        raise TypeError("a machine must solve its kernel programs")

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

    def _scores(self, rows: Floats) -> Floats:
        if self._is_linear():
            f = steady_product(rows, self.coef_) + self.intercept_
        elif self.kernel_.name == "precomputed":
            f = rows[:, self.support_] @ self.dual_coef_.T + self.intercept_
        elif not self.support_.size:
            f = np.tile(self.intercept_, (len(rows), 1))
        else:
            f = self.kernel_(rows, self.support_vectors_) @ self.dual_coef_.T + self.intercept_
        return np.asarray(f[:, 0] if len(self.classes_) == 2 else f)

    def _machine(self) -> Machine:
        if self._is_linear():
            return linear_score(self.coef_, self.intercept_)
        if self.kernel_.name != "rbf":
            return super()._machine()
        return kernel_expansion(
            self.support_vectors_, self.dual_coef_.T, self.intercept_, self.kernel_.gamma
        )

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if not self._is_linear():
            raise NotCertifiableError(
                "The stable certificate needs features that do not move with the data, and the "
                "columns of a kernel expansion are training examples. Use "
                "certify(bound='held-out', X=..., y=...) or kernel='linear'."
            )
        refuse_balanced(self.class_weight)
        certificate = stable_bound(
            self.n_samples_, len(self.compression_set_), delta=delta, n_choices=n_choices
        )
        return certificate.assuming("settings", "class-list")


_INTERPOLATING = (
    "Every margin is exactly 1: the machine interpolates the labels, h = 1 says nothing about its "
    "capacity, and `C` has no effect. Use a sparser expansion (`sparsity='l1'`) or fewer features."
)


def _check_positive(name: str, value: Any, advice: str) -> None:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"`{name}` must be a positive number, got {value!r}. {advice}")
