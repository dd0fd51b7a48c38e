"""The minimal complexity machine as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.kernels import Kernel
from handful.programs._columns import (
    interpolate,
    is_positive_semidefinite,
    pivoted_columns,
)
from handful.programs._machine import MarginMachine
from handful.programs._margin import MarginSolution
from handful.programs._status import LPStatus, SolverError

SPARSITIES = ("auto", "l1", "paper", "rank")
#: Price of the coefficients relative to that of slack, for sparsity="l1": chosen on nine data
#: sets, where 0.3 to 1 do about equally well, tried on five others (bench_mcm_sparsity.py).
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
        "linear" solves for w itself; any other kernel expands f over the training examples.
    C : float
        Price of a unit of slack. It is not divided by the number of examples.
    sparsity : {"auto", "paper", "l1", "rank"} or float
        How the expansion is kept short.

        - "paper": the published program. With a nonsingular kernel it interpolates (see Notes).
        - "l1": adds 0.5 C times the sum of absolute coefficients.
        - a number: adds that number times the sum of absolute coefficients.
        - "rank": expands over the pivots of a pivoted Cholesky factorisation only.
        - "auto": "paper" for the linear kernel, "l1" for all others.
    hard : bool
        Hard margin: no slack; raises `SolverError` where the classes are not separable.
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
        Seconds for HiGHS, which steps in where the interior point cannot prove its solution.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel; one machine for two classes, else one for each class.
    support_, dual_coef_, support_vectors_ : ndarray
        For other kernels: training examples with a coefficient above 1e-7 times the largest.
    intercept_, objective_, gap_, n_iter_ : ndarray of shape (n_machines,)
    h_ : ndarray of shape (n_machines,)
        Largest margin on the training examples, at least 1: the ratio of the largest to the
        smallest functional margin where there is no slack. The paper calls its square an exact
        bound on the VC dimension; that is not proved (its A.12 to A.15 do not follow), and
        h = 1 is reached for *every* labelling of n_features + 1 points in general position. Use
        it to compare machines of one family, not as a measure of capacity.
    is_trivial_, is_interpolating_ : ndarray of bool, shape (n_machines,)
        The degenerate cases, each announced by a warning.
    rank_ : int
        Number of columns of the expansion, for "paper" and "rank".
    compression_set_ : ndarray
        Linear kernel: the training examples that touch an optimum; otherwise ``support_``.

    Notes
    -----
    Two degeneracies belong to the program, not to its solution. Overlapping or unbalanced classes
    make the constant classifier optimal, for all C or up to some C (`trivial_solution_test`).
    A nonsingular kernel lets the published program fit every label exactly, with as many support
    vectors as examples, for every C. The default adds a price on the coefficients instead.

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
        C: float = 1.0,
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
        """Solve the program, prove its optimum, and say where it is degenerate.

        Raises
        ------
        SolverError
            Where the hard margin is infeasible, or no solver proves its solution.
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
        if not 0.0 < self.rank_tol < 1.0:
            raise ValueError(
                f"`rank_tol` must be in (0, 1), got {self.rank_tol!r}. Larger keeps fewer columns."
            )

    def _price_of_slack(self) -> float:
        return float(np.inf) if self.hard else float(self.C)

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
            return L1_SHARE * float(self.C)
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
        """Expand over the pivots; a kernel too singular to interpolate is truncated further."""
        tol = self.rank_tol if self._sparsity() == "rank" else PAPER_RANK_TOL
        dearest = C if self._row_weights is None else C * float(self._row_weights.max())
        while True:
            columns = pivoted_columns(K, tol)
            self.rank_ = columns.rank
            if not columns.is_full:
                return [self._solve_on(K, columns.pivots, sign, C) for sign in signs]
            found = [interpolate(K, sign, dearest) for sign in signs]
            if max(solution.gap for solution in found) <= self.tol:
                return found
            tol *= 10.0

    def _solve_on(
        self, K: Floats, pivots: NDArray[np.intp], sign: Floats, C: float
    ) -> MarginSolution:
        solution = self._solver(K[:, pivots], sign, 0.0).solve(C)
        w = np.zeros(len(K))
        w[pivots] = solution.w
        return replace(solution, w=w)
