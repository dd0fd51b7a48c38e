"""Linear programs solved by HiGHS: they can grow, start from the last basis, and are proved.

A program is: minimise cost.x subject to row_lower <= A x <= row_upper, lower <= x <= upper.

Sign convention. The dual of a row is the derivative of the optimal value with respect to the
active bound of that row. It is >= 0 if the lower bound is active and <= 0 if the upper bound is.
Reduced costs are ``cost - A.T @ duals``, with the same signs for the column bounds, and

    value = sum_i bound_i duals_i + sum_j bound_j reduced_costs_j

with the lower bound for a positive multiplier and the upper bound for a negative one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from handful.arrays import Floats

Matrix = Any  # a dense array or a scipy sparse matrix

#: HiGHS uses the first tolerance; the second if it fails or its gap is too large. The gap is
#: computed here, from the solution itself.
_FEASIBILITY, _LOOSE_FEASIBILITY = 1e-9, 1e-7


@dataclass(frozen=True)
class LPSolution:
    """A proved optimal solution of a linear program (a minimum).

    Attributes
    ----------
    x : ndarray
        The minimiser.
    duals : ndarray
        One multiplier for each row: >= 0 at an active lower bound, <= 0 at an upper one.
    reduced_costs : ndarray
        ``cost - A.T @ duals``: the multipliers of the column bounds.
    value : float
        ``cost @ x``.
    gap : float
        Relative duality gap, ``|value - dual value| / (1 + |value|)``, computed from ``x`` and
        ``duals`` and not taken from the solver. Multipliers of the wrong sign and violated
        constraints increase it.
    n_iterations : int
    """

    x: Floats
    duals: Floats
    reduced_costs: Floats
    value: float
    gap: float
    n_iterations: int


def solve_lp(
    cost: ArrayLike,
    A: Matrix,
    row_lower: ArrayLike,
    row_upper: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    time_limit: float | None = None,
    max_iter: int | None = None,
    tol: float = 1e-7,
) -> LPSolution:
    """Minimise cost.x subject to row_lower <= A x <= row_upper and lower <= x <= upper.

    Parameters
    ----------
    cost : array-like of shape (n_columns,)
    A : array or sparse matrix of shape (n_rows, n_columns)
    row_lower, row_upper, lower, upper : array-like or float
        Bounds; infinite for no bound. A number stands for all rows or columns.
    time_limit : float, optional
        Seconds; passing it raises `SolverError`.
    max_iter : int, optional
        Iterations; reaching it raises `SolverError`.
    tol : float
        Largest relative duality gap that counts as proved.

    Returns
    -------
    LPSolution

    Examples
    --------
    >>> import numpy as np
    >>> solution = solve_lp([1.0, 2.0], [[1.0, 1.0]], 1.0, np.inf, 0.0, np.inf)
    >>> solution.x.tolist(), solution.duals.tolist(), solution.value
    ([1.0, 0.0], [1.0], 1.0)
    """
    program = LinearProgram(cost, A, row_lower, row_upper, lower, upper, presolve=True)
    return program.solve(time_limit=time_limit, max_iter=max_iter, tol=tol)


class LinearProgram:
    """A linear program that can grow by rows and is solved again from its last basis.

    Parameters
    ----------
    cost : array-like of shape (n_columns,)
    A : array or sparse matrix of shape (n_rows, n_columns)
    row_lower, row_upper, lower, upper : array-like or float
        Bounds; infinite for no bound. A number stands for all rows or columns.
    presolve : bool
        Whether HiGHS may simplify the first solve. Later solves start from the last basis.

    Examples
    --------
    >>> import numpy as np
    >>> program = LinearProgram([2.0], [[1.0]], 1.0, np.inf, 0.0, np.inf)
    >>> program.solve().value
    2.0
    >>> program.add_rows([[1.0]], 3.0, np.inf)
    >>> program.solve().value
    6.0
    """

    def __init__(
        self,
        cost: ArrayLike,
        A: Matrix,
        row_lower: ArrayLike,
        row_upper: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        presolve: bool = False,
    ) -> None:
        matrix = _matrix("A", A)
        n_rows, n_columns = matrix.shape
        self._cost = _vector("cost", cost, n_columns, finite=True)
        self._bounds = _pair("lower", "upper", lower, upper, n_columns)
        self._row_bounds = _pair("row_lower", "row_upper", row_lower, row_upper, n_rows)
        #: Blocks (first row, matrix) of A; growth copies none of them.
        self._blocks: list[tuple[int, Matrix]] = [(0, matrix)]
        self._presolve = presolve
        self._model = self._build(matrix)
        self._set_feasibility(_FEASIBILITY)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._row_bounds[0].size

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self._cost.size

    def add_rows(self, rows: Matrix, lower: ArrayLike, upper: ArrayLike) -> None:
        """Append constraints ``lower <= rows @ x <= upper``."""
        matrix = _matrix("rows", rows)
        if matrix.shape[1] != self.n_columns:
            raise ValueError(
                f"`rows` must have {self.n_columns} columns, one for each variable, got "
                f"{matrix.shape[1]}. Variables are named when the program is made."
            )
        low, high = _pair("lower", "upper", lower, upper, matrix.shape[0])
        starts, indices, values = _compressed(matrix, by_column=False)
        status = self._model.addRows(
            matrix.shape[0], low, high, values.size, starts, indices, values
        )
        _check_call(status, "add rows")
        self._blocks.append((self.n_rows, matrix))
        self._row_bounds = _joined(self._row_bounds, (low, high))

    def change_costs(self, indices: ArrayLike, costs: ArrayLike) -> None:
        """Set the costs of the columns ``indices``."""
        which = _indices(indices, self.n_columns)
        values = _vector("costs", costs, which.size, finite=True)
        _check_call(self._model.changeColsCost(which.size, which, values), "change costs")
        self._cost[which] = values

    def solve(
        self,
        *,
        time_limit: float | None = None,
        max_iter: int | None = None,
        tol: float = 1e-7,
    ) -> LPSolution:
        """Solve from the last basis; after a failure or a gap above ``tol``, once from the start.

        Returns
        -------
        LPSolution

        Raises
        ------
        SolverError
            If there is no proved optimum: infeasible, unbounded, out of time or iterations, or a
            gap above ``tol`` after the second solve.
        """
        try:
            solution = self._run(time_limit, max_iter)
            is_done = solution.gap <= tol
        except SolverError as error:
            if error.status is not LPStatus.FAILED:
                raise
            is_done = False
        if not is_done:
            self._model.clearSolver()
            # Looser tolerances inside the solver do not loosen the proof: the gap is computed here.
            self._set_feasibility(_LOOSE_FEASIBILITY)
            solution = self._run(time_limit, max_iter)
            self._set_feasibility(_FEASIBILITY)
        if not solution.gap <= tol:
            raise SolverError(
                LPStatus.UNPROVED, f"The relative gap is {solution.gap:.2g}, `tol` is {tol:.2g}."
            )
        return solution

    def _set_feasibility(self, tol: float) -> None:
        for side in ("primal", "dual"):
            self._model.setOptionValue(f"{side}_feasibility_tolerance", tol)

    def _run(self, time_limit: float | None, max_iter: int | None) -> LPSolution:
        model = self._model
        budget = math.inf if time_limit is None else model.getRunTime() + float(time_limit)
        model.setOptionValue("time_limit", budget)
        limit = 2**31 - 1 if max_iter is None else int(max_iter)
        model.setOptionValue("simplex_iteration_limit", limit)
        model.setOptionValue("ipm_iteration_limit", limit)
        model.run()
        status = _status(model.getModelStatus())
        if status is not LPStatus.OPTIMAL:
            raise SolverError(status)
        solution, info = model.getSolution(), model.getInfo()
        n_iterations = sum(
            max(0, int(count)) for count in (info.simplex_iteration_count, info.ipm_iteration_count)
        )
        x = np.array(solution.col_value, dtype=np.float64)
        return self._proved(x, np.array(solution.row_dual, dtype=np.float64), n_iterations)

    def _proved(self, x: Floats, duals: Floats, n_iterations: int) -> LPSolution:
        """The solution with the gap that ``x`` and ``duals`` prove."""
        # The solver may leave a bound by its tolerance. The gap is that of the clipped point.
        np.clip(x, *self._bounds, out=x)
        activity, priced = np.zeros(self.n_rows), np.zeros(self.n_columns)
        for row, block in self._blocks:
            part = slice(row, row + block.shape[0])
            activity[part] = block @ x
            priced += block.T @ duals[part]
        reduced = self._cost - priced
        value = float(self._cost @ x)
        row_value, row_loss = _dual_value(duals, *self._row_bounds, activity)
        column_value, column_loss = _dual_value(reduced, *self._bounds, x)
        # A point that breaks a constraint is not optimal, however small its gap is.
        size = 1.0 + np.abs(activity)
        outside = np.maximum(self._row_bounds[0] - activity, activity - self._row_bounds[1])
        violation = float(np.max(np.maximum(outside, 0.0) / size, initial=0.0))
        # Relative gap of primal and dual value, with all that multipliers without a bound may lose.
        gap = (abs(value - row_value - column_value) + row_loss + column_loss) / (1.0 + abs(value))
        return LPSolution(x, duals, reduced, value, max(gap, violation), n_iterations)

    def _build(self, matrix: Matrix) -> Any:
        import highspy  # imported here so that importing the package stays fast

        model = highspy.Highs()
        model.silent()
        # One thread: the same basis, and so the same solution, in every run.
        model.setOptionValue("threads", 1)
        model.setOptionValue("presolve", "choose" if self._presolve else "off")
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = matrix.shape
        lp.col_cost_ = self._cost
        lp.col_lower_, lp.col_upper_ = self._bounds
        lp.row_lower_, lp.row_upper_ = self._row_bounds
        starts, indices, values = _compressed(matrix, by_column=True)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = starts, indices
        lp.a_matrix_.value_ = values
        _check_call(model.passModel(lp), "read the program")
        return model


def _dual_value(
    multipliers: Floats, lower: Floats, upper: Floats, at: Floats
) -> tuple[float, float]:
    """Dual value of bounds, and the possible loss by multipliers that lack a bound.

    A multiplier whose bound is infinite must be zero. If it is not, the loss is computed as if
    the variable were bounded by twice its size plus one.
    """
    bound = np.where(multipliers > 0.0, lower, upper)
    lost = np.isinf(bound) & (multipliers != 0.0)
    value = np.where(np.isfinite(bound), bound, at) * multipliers
    loss = np.abs(multipliers[lost]) * (1.0 + np.abs(at[lost]))
    return float(np.sum(value)), float(np.sum(loss))


def _status(code: Any) -> LPStatus:
    known = {
        "kOptimal": LPStatus.OPTIMAL,
        "kModelEmpty": LPStatus.OPTIMAL,
        "kInfeasible": LPStatus.INFEASIBLE,
        "kUnbounded": LPStatus.UNBOUNDED,
        "kUnboundedOrInfeasible": LPStatus.UNBOUNDED_OR_INFEASIBLE,
        "kTimeLimit": LPStatus.TIME_LIMIT,
        "kIterationLimit": LPStatus.ITERATION_LIMIT,
    }
    return known.get(code.name, LPStatus.FAILED)


def _check_call(status: Any, action: str) -> None:
    if status.name == "kError":
        raise SolverError(LPStatus.FAILED, f"HiGHS refused to {action}.")


def _matrix(name: str, values: Matrix) -> Matrix:
    is_sparse = bool(sparse.issparse(values))
    matrix: Matrix
    if is_sparse:
        matrix = sparse.csc_array(values).astype(np.float64)
        entries = matrix.data
    else:
        matrix = entries = np.array(values, dtype=np.float64, ndmin=2)
        if matrix.ndim != 2:
            raise ValueError(f"`{name}` must be a matrix, got {matrix.ndim} dimensions.")
    if not np.all(np.isfinite(entries)):
        raise ValueError(f"`{name}` must be finite, got NaN or infinity. Remove those entries.")
    return matrix


def _compressed(matrix: Matrix, *, by_column: bool) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    form = sparse.csc_array(matrix) if by_column else sparse.csr_array(matrix)
    return form.indptr.astype(np.int32), form.indices.astype(np.int32), form.data


def _vector(name: str, values: ArrayLike, size: int, *, finite: bool = False) -> Floats:
    vector = np.array(values, dtype=np.float64)
    if vector.ndim == 0:
        vector = np.full(size, float(vector))
    if vector.shape != (size,):
        raise ValueError(f"`{name}` must have {size} entries, got shape {vector.shape}.")
    if np.any(np.isnan(vector)) or (finite and not np.all(np.isfinite(vector))):
        rule = "finite" if finite else "a number or infinite, not NaN"
        raise ValueError(f"`{name}` must be {rule}. Remove the missing values first.")
    return vector


def _pair(
    low_name: str, high_name: str, low: ArrayLike, high: ArrayLike, size: int
) -> tuple[Floats, Floats]:
    return _vector(low_name, low, size), _vector(high_name, high, size)


def _joined(old: tuple[Floats, Floats], new: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]])


def _indices(indices: ArrayLike, size: int) -> NDArray[np.int32]:
    which = np.atleast_1d(np.asarray(indices, dtype=np.int32))
    if which.size and not (which.min() >= 0 and which.max() < size):
        raise ValueError(f"`indices` must be in [0, {size}), got {which.min()} to {which.max()}.")
    return which


class LPStatus(Enum):
    """The end of a linear program: optimal, infeasible, out of time and so on.

    Only ``OPTIMAL`` has a solution; every other status is the status of a `SolverError`.

    Examples
    --------
    >>> LPStatus.INFEASIBLE.sentence
    'No point satisfies all constraints. Relax a bound or add slack variables.'
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNBOUNDED_OR_INFEASIBLE = "unbounded or infeasible"
    TIME_LIMIT = "time limit"
    ITERATION_LIMIT = "iteration limit"
    UNPROVED = "unproved"
    FAILED = "failed"

    @property
    def sentence(self) -> str:
        """The result and the next step, for error messages."""
        return _SENTENCES[self]


_SENTENCES = {
    LPStatus.OPTIMAL: "The solution is optimal: its duality gap proves it.",
    LPStatus.INFEASIBLE: (
        "No point satisfies all constraints. Relax a bound or add slack variables."
    ),
    LPStatus.UNBOUNDED: (
        "The objective falls without limit. Bound the variables or check the sign of the costs."
    ),
    LPStatus.UNBOUNDED_OR_INFEASIBLE: (
        "The program is unbounded or infeasible. Solve it with zero costs to learn which: "
        "it is infeasible if that fails too."
    ),
    LPStatus.TIME_LIMIT: (
        "The time limit passed before optimality was proved. Raise `time_limit`, or use fewer "
        "examples or columns."
    ),
    LPStatus.ITERATION_LIMIT: (
        "The iteration limit was reached before optimality was proved. Raise `max_iter`."
    ),
    LPStatus.UNPROVED: (
        "The solver called the point optimal, but its duality gap does not prove it. Scale the "
        "columns to similar size, remove nearly dependent columns, or raise `tol`."
    ),
    LPStatus.FAILED: (
        "The solver gave up. Scale the columns to similar size and check for huge coefficients."
    ),
}


class SolverError(RuntimeError):
    """Raised if a linear program has no proved optimal solution.

    Attributes
    ----------
    status : LPStatus
    """

    def __init__(self, status: LPStatus, detail: str = "") -> None:
        self.status = status
        self.detail = detail
        super().__init__(f"{status.sentence} {detail}".strip())

    def __reduce__(self) -> tuple[type[SolverError], tuple[LPStatus, str]]:
        return (SolverError, (self.status, self.detail))
