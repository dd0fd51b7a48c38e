"""The classifiers of this folder: one margin program for each class against the rest."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.bounds import Certificate, NotCertifiableError, stable_bound
from handful.checks import check_positive, check_real
from handful.estimator import BaseClassifier, columns_of, refuse_balanced
from handful.kernels import Kernel, kernel_of
from handful.models import Form, from_scores, kernel_expansion, linear_score, steady_product
from handful.programs.degenerate import InterpolationWarning, TrivialSolutionWarning
from handful.programs.kernel_programs import (
    interpolate,
    is_positive_semidefinite,
    pivoted_columns,
    solve_by_columns,
    training_matrix,
)
from handful.programs.linear_program import LPStatus, SolverError
from handful.programs.margin_program import MarginSolution
from handful.programs.price_choice import PRICES, choose_price
from handful.programs.solver import MarginSolver
from handful.tables import class_weights
from handful.threads import in_one_blas_thread

#: Gap that is enough to choose C.
_ROUGH = 1e-4


class MarginMachine(BaseClassifier):
    """One margin program for two classes; for more, one for each class against the rest."""

    tol: float
    _bounds = ("stable",)
    #: Whether the largest margin is priced.
    _capped = True

    @in_one_blas_thread
    def fit(self, X: Any, y: Any) -> Self:
        """Solve the program, prove its optimum, and warn if it is degenerate.

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
        self.kernel_ = kernel_of(self, X.shape[1])
        signs = self._signs(codes)
        self._row_weights = class_weights(self.class_weight, self.classes_, codes)
        self.C_ = self._chosen_price(X, codes, signs)
        outputs = self._fit_linear(X, signs) if self._is_linear() else self._fit_kernel(X, signs)
        self.n_training_errors_ = int(np.sum(from_scores(columns_of(outputs)) != codes))
        self._look_for_degeneracy(outputs, signs)
        return self

    def _is_linear(self) -> bool:
        return self.kernel_.name == "linear"

    def _check_parameters(self) -> None:
        check_solver_settings(self)

    def _price_of_slack(self) -> float:
        return self.C_

    def _chosen_price(self, X: Floats, codes: Ints, signs: list[Floats]) -> float:
        """C itself, or the one of a fixed grid that cross-validation takes."""
        if not isinstance(self.C, str):
            return float(self.C)
        F = X if self._is_linear() else training_matrix(self.kernel_, X)

        def scores(train: Ints, test: Ints) -> list[Floats | None]:
            weights = self._row_weights
            trial = copy.copy(self)._rough(None if weights is None else weights[train])
            columns = np.arange(F.shape[1]) if self._is_linear() else train
            part, own = F[np.ix_(train, columns)], [sign[train] for sign in signs]
            rows = F[np.ix_(test, columns)]
            return [trial._rough_scores(part, own, rows, C) for C in PRICES]

        return choose_price(X, codes, self._row_weights, scores)

    def _rough(self, row_weights: Floats | None) -> Self:
        """A trial: programs of some of the examples, which need not be proved tightly."""
        self._row_weights, self.tol = row_weights, max(float(self.tol), _ROUGH)
        return self

    def _rough_scores(
        self, F: Floats, signs: list[Floats], rows: Floats, C: float
    ) -> Floats | None:
        """Scores of rows by the machine of one C; None if its program was not solved."""
        self.C_ = C
        try:
            found = self._solve_linear(F, signs) if self._is_linear() else None
            found = self._solve_kernel(F, signs) if found is None else found
        except SolverError:
            return None
        return columns_of([rows @ s.w + s.b for s in found])

    def _solve_linear(self, F: Floats, signs: list[Floats]) -> list[MarginSolution]:
        settings = self._settings(self._weight())
        return [MarginSolver(F, sign, **settings).solve(self._price_of_slack()) for sign in signs]

    @property
    def chosen_parameters_(self) -> dict[str, Any]:
        """Parameters that the fit chose: what files say in the place of "auto"."""
        return {"C": self.C_} if isinstance(self.C, str) else {}

    @abstractmethod
    def _weight(self) -> float:
        """Price of the sum of absolute coefficients."""

    def _fit_linear(self, X: Floats, signs: list[Floats]) -> list[Floats]:
        weight, C = self._weight(), self._price_of_slack()
        found, touching = [], [np.zeros(0, dtype=np.intp)]
        for sign in signs:
            solver = MarginSolver(X, sign, **self._settings(weight))
            solution, own = solver.solve_touching(C)
            found.append(solution)
            touching.append(own)
        self._store(found)
        self.coef_ = np.stack([s.w for s in found])
        self._keep_examples(np.concatenate(touching))
        return [X @ s.w + s.b for s in found]

    def _settings(self, weight: float) -> dict[str, Any]:
        """Arguments of `MarginSolver` and of `solve_by_columns`."""
        return {
            "weight": weight,
            "capped": self._capped,
            "tol": self.tol,
            "time_limit": self.time_limit,
            "row_weights": self._row_weights,
        }

    def _solve_by_columns(self, K: Floats, sign: Floats, weight: float) -> MarginSolution:
        return solve_by_columns(K, sign, self._price_of_slack(), **self._settings(weight))

    def _fit_kernel(self, X: Floats, signs: list[Floats]) -> list[Floats]:
        K = training_matrix(self.kernel_, X)
        found = self._solve_kernel(K, signs)
        self._store(found)
        coefficients = np.stack([s.w for s in found])
        size = np.abs(coefficients)
        # Relative to the largest coefficient of the same machine: smaller ones are rounding.
        is_used = np.any(size > 1e-7 * size.max(axis=1, keepdims=True), axis=0)
        self.support_ = np.flatnonzero(is_used)
        self.dual_coef_ = coefficients[:, self.support_]
        if self.kernel_.name != "precomputed":
            self.support_vectors_ = X[self.support_]
        self._keep_examples(self.support_)
        return [K @ s.w + s.b for s in found]

    @abstractmethod
    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        """Solve the programs on the columns of a kernel matrix."""

    def _store(self, found: list[MarginSolution]) -> None:
        self.intercept_ = np.array([s.b for s in found])
        self.objective_ = np.array([s.value for s in found])
        self.gap_ = np.array([s.gap for s in found])
        self.n_iter_ = np.array([s.n_iterations for s in found])
        self.h_ = np.array([s.h for s in found])

    def _look_for_degeneracy(self, outputs: list[Floats], signs: list[Floats]) -> None:
        """Detect constant and interpolating machines, and warn."""
        # All outputs equal, up to the accuracy of the solver.
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
            f"The constant classifier is optimal at C={self.C_:g}{which}: no feature is used. "
            "Raise `C`, or balance the classes; `trivial_solution_test` says whether any C helps."
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

    def _machine(self) -> Form:
        if self._is_linear():
            return linear_score(self.coef_, self.intercept_)
        if not self.kernel_.is_named:
            return self._closed_kernel(self.kernel_)
        return kernel_expansion(
            self.kernel_, self.support_vectors_, self.dual_coef_.T, self.intercept_
        )

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if not self._is_linear():
            raise NotCertifiableError(
                "The stable certificate needs features that do not move with the data, and the "
                "columns of a kernel expansion are training examples. Use "
                "certify(bound='held-out', X=..., y=...) or kernel='linear'."
            )
        refuse_balanced(self.class_weight)
        # The set holds every example that touches some optimum of some class. The removal of
        # another example changes no optimum, and a new example that an optimum misclassifies
        # would enter the set. So its size alone bounds the risk: errors are not counted, and delta
        # is not divided over the classes.
        # Each C of the grid was fixed beforehand, and has a certificate: the choice is paid for.
        n_looked = len(PRICES) if isinstance(self.C, str) else 1
        certificate = stable_bound(
            self.n_samples_, len(self.compression_set_), delta=delta, n_choices=n_choices * n_looked
        )
        return certificate.assuming("settings", "class-list")


_INTERPOLATING = (
    "Every margin is exactly 1: the machine interpolates the labels, h = 1 says nothing about its "
    "capacity, and `C` has no effect. Use a sparser expansion (`sparsity='l1'`) or fewer features."
)


def check_solver_settings(machine: Any) -> None:
    """Check C, tol and time_limit of a machine made of one program."""
    if machine.C != "auto":
        check_positive("C", machine.C, "Larger values allow less slack.")
    check_positive("tol", machine.tol, "1e-7 is a good choice.")
    if machine.time_limit is not None:
        check_positive("time_limit", machine.time_limit, "It is in seconds; None sets none.")


class LinearProgrammingMachine(MarginMachine):
    r"""Linear programming machine (1-norm support vector machine).

    Minimises sum_j \|w_j\| + C sum_i (1 - y_i f(x_i))_+ over w, b, with f linear in the features
    or in the kernel columns of the training examples. Few coefficients are non-zero, and the
    solution is proved optimal by its duality gap.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel
        "linear" solves for w itself. Any other kernel expands f over the training examples; it
        need not be positive semi-definite.
    C : float or "auto"
        Price of a unit of slack. It is not divided by the number of examples. Below some C all
        coefficients are zero; a warning then says so. "auto" takes the value with the fewest
        errors in a cross-validation among thirteen that are fixed, 0.001 to 1000, and the stable
        certificate pays for the choice.
    gamma, degree, coef0
        Kernel parameters, see `handful.kernels.make_kernel`.
    class_weight : dict, "balanced" or None
        C is multiplied by the weight of an example's class. "balanced" (inversely to how often
        the classes occur) reads the data: such a machine is certified on held-out data only.
    tol : float
        Largest relative duality gap that counts as proved.
    time_limit : float, optional
        Seconds for HiGHS, which is used if the interior point cannot prove its solution.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel; one machine for two classes, otherwise one for each class.
    support_, dual_coef_, support_vectors_ : ndarray
        For other kernels: training examples with a coefficient above 1e-7 times the largest.
    C_ : float
        The price of slack, given or chosen.
    intercept_, objective_, gap_, n_iter_ : ndarray of shape (n_machines,)
    is_trivial_ : ndarray of bool, shape (n_machines,)
    compression_set_ : ndarray
        Linear kernel: the training examples that touch an optimum; otherwise ``support_``.

    References
    ----------
    Zhu, Rosset, Hastie & Tibshirani (2003), 1-norm support vector machines, NIPS 16.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = X[:, 0] - X[:, 3] > 0
    >>> machine = LinearProgrammingMachine(C=0.04).fit(X, y)
    >>> np.flatnonzero(machine.coef_).tolist()
    [0, 3]
    >>> machine.certify().risk < 0.7
    True
    """

    _capped = False

    def __init__(
        self,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        C: float | str = 1.0,
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-7,
        time_limit: float | None = None,
        class_weight: dict[Any, float] | str | None = None,
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.delta = delta

    def _weight(self) -> float:
        return 1.0

    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        return [self._solve_by_columns(K, sign, 1.0) for sign in signs]


SPARSITIES = ("auto", "l1", "paper", "rank")
#: Price of the coefficients relative to that of slack, for sparsity="l1". It was chosen on nine
#: data sets, on which 0.3 to 1 do about equally well, and tested on five others
#: (bench_mcm_sparsity.py).
L1_SHARE = 0.5
#: Residual diagonal below which a kernel is numerically singular, for sparsity="paper".
PAPER_RANK_TOL = 1e-10


class MinimalComplexityMachine(MarginMachine):
    r"""Minimal complexity machine: a linear program that keeps the largest margin small.

    Minimises h + C sum_i q_i over w, b subject to 1 <= y_i f(x_i) + q_i <= h, q >= 0, in the
    reduced form max(1, max_i y_i f(x_i)) + C sum_i (1 - y_i f(x_i))_+, which has the same optima.
    The solution is proved optimal by its duality gap.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel
        "linear" solves for w itself. Any other kernel expands f over the training examples.
    C : float or "auto"
        Price of a unit of slack. It is not divided by the number of examples. "auto" as in
        `LinearProgrammingMachine`.
    sparsity : {"auto", "paper", "l1", "rank"} or float
        How the expansion is shortened.

        - "paper": the published program. With a nonsingular kernel it interpolates (see Notes).
        - "l1": adds 0.5 C times the sum of absolute coefficients.
        - a number: adds that number times the sum of absolute coefficients.
        - "rank": expands over the pivots of a pivoted Cholesky factorisation only.
        - "auto": "paper" for the linear kernel, "l1" for all others.
    hard : bool
        Hard margin: no slack. Raises `SolverError` if the classes are not separable.
    gamma, degree, coef0
        Kernel parameters, see `handful.kernels.make_kernel`.
    class_weight : dict, "balanced" or None
        C is multiplied by the weight of an example's class. "balanced" (inversely to how often
        the classes occur) reads the data: such a machine is certified on held-out data only.
    rank_tol : float
        For "rank": stop when no residual diagonal exceeds this part of the largest one.
    tol : float
        Largest relative duality gap that counts as proved.
    time_limit : float, optional
        Seconds for HiGHS, which is used if the interior point cannot prove its solution.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel; one machine for two classes, otherwise one for each class.
    support_, dual_coef_, support_vectors_ : ndarray
        For other kernels: training examples with a coefficient above 1e-7 times the largest.
    C_ : float
        The price of slack, given or chosen.
    intercept_, objective_, gap_, n_iter_ : ndarray of shape (n_machines,)
    h_ : ndarray of shape (n_machines,)
        Largest margin on the training examples, at least 1. Without slack it is the ratio of the
        largest to the smallest functional margin. The paper calls its square an exact bound on
        the VC dimension. That is not proved (its A.12 to A.15 do not follow), and *every*
        labelling of n_features + 1 points in general position reaches h = 1. Use it to compare
        machines of one family, not as a measure of capacity.
    is_trivial_, is_interpolating_ : ndarray of bool, shape (n_machines,)
        The degenerate cases; a warning announces each.
    rank_ : int
        Number of columns of the expansion, for "paper" and "rank".
    compression_set_ : ndarray
        Linear kernel: the training examples that touch an optimum; otherwise ``support_``.

    Notes
    -----
    The program has two degeneracies. If the classes overlap or are unbalanced, the constant
    classifier may be optimal, for all C or up to some C (`trivial_solution_test`). With a
    nonsingular kernel the published program fits every label exactly, with as many support vectors
    as examples, for every C. So the default adds a price on the coefficients.

    References
    ----------
    Jayadeva (2015), Learning a hyperplane classifier by minimizing an exact bound on the VC
    dimension, Neurocomputing 149, 683-689.

    Examples
    --------
    >>> import numpy as np
    >>> i = np.arange(1, 13)
    >>> X = np.column_stack([np.sin(i), np.cos(2 * i)])
    >>> y = np.sin(i) + 0.5 * np.cos(2 * i) > 0
    >>> machine = MinimalComplexityMachine(hard=True).fit(X, y)
    >>> machine.h_.round(6), machine.score(X, y)
    (array([5.525549]), 1.0)
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "linear",
        *,
        C: float | str = 1.0,
        sparsity: str | float = "auto",
        hard: bool = False,
        gamma: float | str = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        rank_tol: float = 1e-2,
        tol: float = 1e-7,
        time_limit: float | None = None,
        class_weight: dict[Any, float] | str | None = None,
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.sparsity = sparsity
        self.hard = hard
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.delta = delta

    def fit(self, X: Any, y: Any) -> MinimalComplexityMachine:
        """Solve the program, prove its optimum, and warn if it is degenerate.

        Raises
        ------
        SolverError
            If the hard margin is infeasible, or if no solver proves its solution.
        """
        try:
            super().fit(X, y)
        except SolverError as error:
            if self.hard and error.status is LPStatus.INFEASIBLE:
                raise SolverError(
                    LPStatus.INFEASIBLE,
                    "The classes are not separable in these features: use hard=False.",
                ) from error
            raise
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        s = self.sparsity
        is_price = isinstance(s, (int, float, np.integer, np.floating)) and not isinstance(s, bool)
        if not (s in SPARSITIES if isinstance(s, str) else is_price and 0.0 <= s < np.inf):
            names = ", ".join(repr(name) for name in SPARSITIES)
            raise ValueError(
                f"`sparsity` must be {names} or a number >= 0, got {s!r}. 'paper' is the "
                "published program."
            )
        hint = "Larger keeps fewer columns."
        check_real(
            "rank_tol", self.rank_tol, low=0.0, high=1.0, low_open=True, high_open=True, hint=hint
        )

    def _price_of_slack(self) -> float:
        return float(np.inf) if self.hard else self.C_

    def _chosen_price(self, X: Floats, codes: Ints, signs: list[Floats]) -> float:
        is_idle = self.hard and isinstance(self.C, str)  # a hard margin has no price to choose
        return 1.0 if is_idle else super()._chosen_price(X, codes, signs)

    def _sparsity(self) -> str | float:
        if self.sparsity == "auto":
            return "paper" if self._is_linear() else "l1"
        if self.sparsity == "rank" and self._is_linear():
            raise ValueError(
                "`sparsity` must not be 'rank' for kernel='linear', which solves for w itself. "
                "Use 'l1' or a number to keep few features."
            )
        return self.sparsity

    def _weight(self) -> float:
        sparsity = self._sparsity()
        if sparsity == "l1":
            return L1_SHARE * self.C_
        return 0.0 if isinstance(sparsity, str) else float(sparsity)

    def _solve_kernel(self, K: Floats, signs: list[Floats]) -> list[MarginSolution]:
        weight, C = self._weight(), self._price_of_slack()
        if weight > 0.0:
            return [self._solve_by_columns(K, sign, weight) for sign in signs]
        if self.kernel_.name != "rbf" and not is_positive_semidefinite(K):
            raise ValueError(
                "`kernel` must be positive semi-definite for sparsity='paper' and 'rank', got a "
                "matrix with negative eigenvalues. Use sparsity='l1', which takes any matrix."
            )
        return self._solve_on_pivots(K, signs, C)

    def _solve_on_pivots(self, K: Floats, signs: list[Floats], C: float) -> list[MarginSolution]:
        """Expand over the pivots, with fewer pivots until the gap of an interpolation is proved."""
        tol = self.rank_tol if self._sparsity() == "rank" else PAPER_RANK_TOL
        # An interpolation has no slack but rounding, which is charged at the highest price.
        dearest = C if self._row_weights is None else C * float(self._row_weights.max())
        while True:
            columns = pivoted_columns(K, tol)
            self.rank_ = columns.pivots.size
            if not columns.is_full:
                return [self._solve_on(K, columns.pivots, sign, C) for sign in signs]
            found = [interpolate(K, sign, dearest) for sign in signs]
            if max(solution.gap for solution in found) <= self.tol:
                return found
            # The interpolation could not be proved: with fewer pivots the matrix is better
            # conditioned.
            tol *= 10.0

    def _solve_on(
        self, K: Floats, pivots: NDArray[np.intp], sign: Floats, C: float
    ) -> MarginSolution:
        solution = MarginSolver(K[:, pivots], sign, **self._settings(0.0)).solve(C)
        w = np.zeros(len(K))
        w[pivots] = solution.w
        return replace(solution, w=w)
