"""The regressor of this folder: the minimal complexity machine for numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from handful.arrays import Floats
from handful.bounds import Certificate, NotCertifiableError, stable_bound
from handful.checks import check_choice, check_delta, check_positive, check_real
from handful.estimator import BaseRegressor
from handful.kernels import Kernel, kernel_of
from handful.programs.degenerate import TrivialSolutionWarning
from handful.programs.estimators import check_solver_settings
from handful.programs.kernel_programs import training_matrix
from handful.programs.regression import RegressionSolution, solve_insensitive, solve_least_squares
from handful.tables import SeenRows, warn_of_fitted_scaling
from handful.threads import in_one_blas_thread

LOSSES = ("epsilon_insensitive", "squared")
#: Price of the coefficients relative to that of slack, for kernels and sparsity="auto".
L1_SHARE = 0.2


class MinimalComplexityRegressor(BaseRegressor):
    r"""Minimal complexity machine for numbers: keeps the largest deviation and the loss small.

    A function f is right about an example if it separates (x, y + epsilon) from (x, y - epsilon).
    With residuals r = y - f(x) the two margins are t (epsilon + r) and t (epsilon - r). The
    minimal complexity machine of these points minimises, over f and t > 0,

        max(1, t (epsilon + max \|r\|)) + C sum_i (slack of both margins below 1).

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel
        "linear" solves for the weights themselves. Any other kernel expands f over the training
        examples, with a price on the coefficients.
    epsilon : float or "auto"
        Tolerated deviation, in units of y. Half to twice the noise works best; with much less
        only the largest deviation counts. "auto" is the median absolute residual of the machine
        with ``loss="squared"``, whose unit is then the median absolute deviation of y. A
        certificate without a test set needs a number.
    C : float
        Price of a unit of slack. It is not divided by the number of examples.
    loss : {"epsilon_insensitive", "squared"}
        The linear program above, or squared slack around margins of exactly 1, with t = 1 /
        epsilon: minimises (1 + max \|r\| / epsilon) + C sum_i (r_i / epsilon)^2. epsilon is then
        only a unit.
    sparsity : float or "auto"
        Price of the sum of absolute coefficients of t f. "auto" is 0 for the linear kernel and
        0.2 C for others. Without a price, a program with a kernel interpolates.
    gamma, degree, coef0
        Kernel parameters, see `handful.kernels.make_kernel`.
    delta : float
        Allowed probability of failure of the certificate.
    tol : float
        Largest relative duality gap that counts as proved.
    time_limit : float, optional
        Seconds for HiGHS, which is used if the interior point cannot prove its solution.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        For the linear kernel.
    support_, dual_coef_, support_vectors_ : ndarray
        For other kernels: training examples with a coefficient above 1e-7 times the largest.
    intercept_, objective_, gap_ : float
    h_ : float
        Largest margin of a shifted example, at least 1: t (epsilon + max \|r\|).
    epsilon_ : float
    tube_ : float
        epsilon - 1 / t: examples with a smaller residual have no slack. Negative if all have some.
    n_iter_ : int
    n_training_errors_ : int
        Training examples that are off by more than epsilon.
    compression_set_ : ndarray
        Linear kernel and "epsilon_insensitive": the examples that touch an optimum; kernels:
        ``support_``; otherwise all examples.

    Notes
    -----
    The shifted examples are those of Bi and Bennett (2003); the linear program is that of
    Jayadeva et al. (2016), in the reduced form of `MinimalComplexityMachine`. Without slack it
    is Chebyshev's: h = (epsilon + max \|r\|) / (epsilon - max \|r\|) falls with the largest
    deviation. As for the classifier, h is no measure of capacity.

    References
    ----------
    Jayadeva, Chandra, Batra & Sabharwal (2016), Learning a hyperplane regressor through a tight
    bound on the VC dimension, Neurocomputing 171, 1610-1616. Bi & Bennett (2003), A geometric
    approach to support vector regression, Neurocomputing 55, 79-108.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(200, 3))
    >>> y = X @ [1.0, -2.0, 0.0] + rng.uniform(-0.2, 0.2, size=200)
    >>> machine = MinimalComplexityRegressor(epsilon=0.25).fit(X, y)
    >>> machine.coef_.round(1)[:2].tolist()
    [1.0, -2.0]
    >>> print(machine.certify().quantity)
    the probability that a prediction is off by more than 0.25
    >>> machine.certify().risk < 0.12
    True
    """

    _bounds = ("stable",)

    def __init__(
        self,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        epsilon: float | str = "auto",
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        sparsity: float | str = "auto",
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        delta: float = 0.05,
        tol: float = 1e-7,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.epsilon = epsilon
        self.C = C
        self.loss = loss
        self.sparsity = sparsity
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.delta = delta
        self.tol = tol
        self.time_limit = time_limit

    @in_one_blas_thread
    def fit(self, X: Any, y: Any) -> MinimalComplexityRegressor:
        """Solve the program and prove its optimum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With ``kernel="precomputed"`` the kernel matrix of the training examples.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = validate_data(
            self, X, y, dtype=np.float64, order="C", y_numeric=True, ensure_min_samples=2
        )
        y = np.asarray(y, dtype=np.float64)
        self._seen = SeenRows.of(X, y)
        self.kernel_ = kernel_of(self, X.shape[1])
        if self._why_not_stable() is None:
            warn_of_fitted_scaling(X, getattr(self, "feature_names_in_", None))
        columns = X if self._is_linear() else training_matrix(self.kernel_, X)
        weight = self._weight()
        self.epsilon_ = self._epsilon(columns, y, weight)
        solution = self._solve(columns, y, weight)
        self._store(X, y, columns, solution)
        return self

    def _is_linear(self) -> bool:
        return self.kernel_.name == "linear"

    def _check_parameters(self) -> None:
        check_solver_settings(self)
        check_choice("loss", self.loss, LOSSES)
        check_delta(self.delta)
        if self.epsilon != "auto":
            hint = "It is the tolerated deviation, in units of y."
            check_positive("epsilon", self.epsilon, hint)
        if self.sparsity != "auto":
            hint = "It is the price of the absolute coefficients."
            check_real("sparsity", self.sparsity, low=0.0, hint=hint)

    def _weight(self) -> float:
        if self.sparsity == "auto":
            return 0.0 if self._is_linear() else L1_SHARE * float(self.C)
        if float(self.sparsity) == 0.0 and not self._is_linear():
            raise ValueError(
                f"`sparsity` must be positive for kernel={self.kernel_.name!r}, got 0. Without a "
                "price on the coefficients the program interpolates; 'auto' is 0.2 C."
            )
        return float(self.sparsity)

    def _epsilon(self, columns: Floats, y: Floats, weight: float) -> float:
        """The given tolerance, or the median residual of a first fit by squares."""
        if self.epsilon != "auto":
            return float(self.epsilon)
        # Targets that are nearly constant, or mostly one value, must not give a unit of zero.
        least = 1e-6 * max(float(np.abs(y).max()), 1e-290)
        unit = max(float(np.median(np.abs(y - np.median(y)))), float(y.std()) / 10.0, least)
        first = solve_least_squares(columns, y, unit, self.C, weight=weight, tol=1e-4)
        # Half of the examples are within this deviation. It was read off all of them, so the stable
        # certificate is refused.
        residual = y - columns @ first.coef - first.intercept
        return max(float(np.median(np.abs(residual))), 1e-3 * unit)

    def _solve(self, columns: Floats, y: Floats, weight: float) -> RegressionSolution:
        settings: dict[str, Any] = {"weight": weight, "tol": self.tol}
        if self.loss == "squared":
            return solve_least_squares(columns, y, self.epsilon_, self.C, **settings)
        return solve_insensitive(
            columns,
            y,
            self.epsilon_,
            self.C,
            touching=self._is_linear(),
            time_limit=self.time_limit,
            **settings,
        )

    def _store(self, X: Floats, y: Floats, columns: Floats, solution: RegressionSolution) -> None:
        self.intercept_, self.objective_ = float(solution.intercept), float(solution.value)
        self.gap_, self.n_iter_ = float(solution.gap), int(solution.n_iterations)
        self.h_ = float(solution.h)
        self.tube_ = self.epsilon_ - solution.unit
        self.n_samples_ = len(X)
        if self._is_linear():
            self.coef_ = solution.coef
            if solution.touching is not None:
                self._keep_examples(solution.touching)
        else:
            size = np.abs(solution.coef)
            self.support_ = np.flatnonzero(size > 1e-7 * size.max(initial=0.0))
            self.dual_coef_ = solution.coef[self.support_]
            self._keep_examples(self.support_)
            if self.kernel_.name != "precomputed":
                self.support_vectors_ = X[self.support_]
        residual = y - columns @ solution.coef - solution.intercept
        self.n_training_errors_ = int(np.sum(np.abs(residual) > self.epsilon_))
        if not np.any(solution.coef) and np.ptp(y) > 0.0:
            warnings.warn(
                "A constant is optimal: no feature or example is used. Lower `sparsity`, or "
                "raise `C`.",
                TrivialSolutionWarning,
                stacklevel=4,
            )

    def predict(self, X: Any) -> Floats:
        """Predict the value of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._outputs(self._rows(X))

    def _outputs(self, rows: Floats) -> Floats:
        if self._is_linear():
            return np.asarray(rows @ self.coef_ + self.intercept_)
        if not self.support_.size:
            return np.full(len(rows), self.intercept_)
        precomputed = self.kernel_.name == "precomputed"
        K = rows[:, self.support_] if precomputed else self.kernel_(rows, self.support_vectors_)
        return np.asarray(K @ self.dual_coef_ + self.intercept_)

    def _tolerance(self) -> float:
        return self.epsilon_

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        reason = self._why_not_stable()
        if reason is not None:
            raise NotCertifiableError(f"{reason} {_OTHERWISE}")
        # As for the classifiers: if some optimum is off by more than epsilon on a new example, a
        # margin of the example is below 1 there, so it would enter the set.
        certificate = stable_bound(
            self.n_samples_, len(self.compression_set_), delta=delta, n_choices=n_choices
        )
        return certificate.assuming("regression-settings")

    def _why_not_stable(self) -> str | None:
        """Why the training examples cannot certify this machine; None if they can."""
        if not self._is_linear():
            return (
                "The stable certificate needs features that do not move with the data, and the "
                "columns of a kernel expansion are training examples."
            )
        if self.loss == "squared":
            return (
                "With loss='squared' every example moves the solution: there is no small "
                "compression set; loss='epsilon_insensitive' has one."
            )
        if self.epsilon == "auto":
            return (
                "epsilon='auto' was read from the data; give a number that was fixed before they "
                "were seen."
            )
        return None


_OTHERWISE = "Or use certify(bound='held-out', X=..., y=...)."
