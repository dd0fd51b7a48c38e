"""Column generation: one loop for LPBoost and for multiple kernels.

The linear program and its dual (block picture in `DualMaster`) are solved on the columns found
so far; a family finds the column that violates the dual most; the loop ends when the best edge
is within ``tol`` of the value of the restricted program. Both are certified on the way: the
restricted value is a lower bound on the optimum, the best edge at any feasible weighting an
upper one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from handful._types import Floats
from handful.boosting.weak_learners import ColumnFamily, WeakColumn
from handful.programs import LinearProgram


@dataclass(frozen=True)
class Restricted:
    """Solution of the program restricted to the columns found so far.

    Attributes
    ----------
    u : ndarray of shape (n_samples,)
        Distribution over the examples: the optimal one of the restricted program, or in a final
        result the one at which the gap was proved.
    beta : float
        Largest edge minus price of the restricted columns at ``u``.
    weights : ndarray of shape (n_columns,)
        Weights of the columns, a distribution.
    """

    u: Floats
    beta: float
    weights: Floats


class Master(Protocol):
    """What the loop needs from the restricted program."""

    def start(self) -> Floats:
        """A feasible distribution to begin with."""

    def scores(self, u: Floats) -> Floats:
        """What a family is asked with: u times the labels."""

    def add(self, column: WeakColumn) -> None:
        """Append a column."""

    def solve(self) -> Restricted:
        """Solve on all columns added so far."""


@dataclass(frozen=True)
class Iteration:
    """State of the loop after one question to the family.

    Attributes
    ----------
    number : int
    edge : float
        Edge minus price of the column found: an upper bound on the optimum.
    beta : float
        Value of the restricted program: a lower bound.
    gap : float
        Best upper bound so far minus ``beta``.
    n_columns : int
        Columns in the restricted program when the question was asked.
    """

    number: int
    edge: float
    beta: float
    gap: float
    n_columns: int

    def row(self) -> dict[str, float]:
        """The entries of a history table."""
        return {
            "round": self.number,
            "edge": self.edge,
            "beta": self.beta,
            "gap": self.gap,
            "n_columns": self.n_columns,
        }


@dataclass(frozen=True)
class Generated:
    """Result of `column_generation`.

    Attributes
    ----------
    columns : list of WeakColumn
        Columns in the order they were found.
    restricted : Restricted or None
        Last solution; None where no column had a positive edge.
    gap : float
        Certified: the optimum is at most ``restricted.beta + gap``.
    history : list of Iteration
    is_converged : bool
        Whether ``gap <= tol``.
    """

    columns: list[WeakColumn]
    restricted: Restricted | None
    gap: float
    history: list[Iteration]
    is_converged: bool


def column_generation(
    oracle: ColumnFamily,
    master: Master,
    *,
    tol: float,
    max_iter: int,
    n_columns: int = 1,
    smoothing: float = 0.0,
    needs_vertex: bool = False,
    start: Sequence[WeakColumn] = (),
    on_iteration: Callable[[Iteration], None] | None = None,
) -> Generated:
    """Solve a linear program over a class of columns that only an oracle knows.

    Parameters
    ----------
    oracle : ColumnFamily
        ``best(scores)`` finds the column with the largest edge minus price.
    master : Master
        The restricted program.
    tol : float
        Stop when the certified gap is at most this.
    max_iter : int
        Most questions to the oracle.
    n_columns : int
        Most columns to add for one question: the best, and others that also violate the dual.
    smoothing : float in [0, 1)
        Ask at a mixture of the best distribution so far (this share) and the newest one. The
        newest jumps about where columns are many and alike; the mixture does not.
    needs_vertex : bool
        Go on until the newest distribution, a vertex of the restricted dual, is itself optimal.
        Otherwise the loop ends as soon as any distribution so far has proved the value.
    start : sequence of WeakColumn
        Columns to begin with.
    on_iteration : callable, optional
        Called with each `Iteration`.

    Notes
    -----
    beta starts at 0 (the slides' infinity would stop at once): a first column without positive
    edge ends the loop with no column at all. A mixture may find a column that is already
    satisfied; the question is then asked again at the newest distribution itself.

    The upper bound needs an exact oracle. With a learner that is merely good the gap says when
    that learner finds nothing better, not that nothing better exists.
    """
    u = centre = master.start()
    beta, upper, share = 0.0, np.inf, 0.0
    columns: list[WeakColumn] = []
    history: list[Iteration] = []
    restricted: Restricted | None = None
    if start:
        columns += start
        restricted = _grown(master, start)
        u, beta = restricted.u, max(0.0, restricted.beta)
    while len(history) < max_iter:
        query = share * centre + (1.0 - share) * u
        found = oracle.best(master.scores(query), n_columns)
        if not found:
            return Generated(columns, restricted, 0.0, history, True)
        if found[0].value < upper:
            upper, centre = found[0].value, query
        state = Iteration(len(history) + 1, found[0].value, beta, upper - beta, len(columns))
        history.append(state)
        if on_iteration is not None:
            on_iteration(state)
        if state.gap <= tol and not (needs_vertex and found[0].value - beta > tol):
            if restricted is not None and not needs_vertex:
                restricted = replace(restricted, u=centre)
            return Generated(columns, restricted, max(0.0, state.gap), history, True)
        new = _violating(found, master.scores(u), beta + tol)
        if not new:
            if share == 0.0:  # only rounding is left between the edge and beta
                break
            share = 0.0  # the mixture taught nothing: ask at the newest distribution
            continue
        columns += new
        restricted = _grown(master, new)
        u, beta, share = restricted.u, restricted.beta, smoothing
    gap = max(0.0, upper - beta)
    return Generated(columns, restricted, gap, history, gap <= tol + 1e-9)


def _grown(master: Master, new: Sequence[WeakColumn]) -> Restricted:
    for column in new:
        master.add(column)
    return master.solve()


def _violating(found: list[WeakColumn], scores: Floats, limit: float) -> list[WeakColumn]:
    """The columns whose constraint the newest distribution breaks."""
    return [c for c in found if float(scores @ c.values) - c.price > limit]


class DualMaster:
    """The dual of LPBoost on the columns found so far.

    Primal: maximise rho - sum_i cap_i xi_i - sum_j price_j a_j
    subject to y_i sum_j a_j h_j(x_i) >= rho - xi_i, sum_j a_j = 1, a, xi >= 0.

    Dual, the program solved here; it gains a row for each column of the primal, so its basis
    stays small::

        variables        u_1 ... u_m        beta
        minimise          0  ...  0           1
        row 0             1  ...  1           0    =  1
        row 1 + j      y_i h_j(x_i)          -1   <=  price_j
        bounds        0 <= u_i <= cap_i      free

    The weights a_j are minus the duals of the rows 1 + j.

    Parameters
    ----------
    y_signed : ndarray of shape (n_samples,)
    caps : ndarray of shape (n_samples,)
        Largest u of each example; they must sum to at least 1.
    """

    def __init__(self, y_signed: Floats, caps: Floats) -> None:
        self._y, self._caps = y_signed, caps
        m = y_signed.size
        self._program = LinearProgram(
            np.append(np.zeros(m), 1.0),
            np.append(np.ones(m), 0.0)[None, :],
            1.0,
            1.0,
            np.append(np.zeros(m), -np.inf),
            np.append(np.minimum(caps, 1.0), np.inf),
        )

    def start(self) -> Floats:
        """Weights in proportion to the caps: 1/m each for equal ones."""
        return self._caps / self._caps.sum()

    def scores(self, u: Floats) -> Floats:
        """u_i y_i."""
        return u * self._y

    def add(self, column: WeakColumn) -> None:
        """Append the row of a column."""
        row = np.append(self._y * column.values, -1.0)
        self._program.add_rows(row[None, :], -np.inf, column.price)

    def solve(self) -> Restricted:
        """Solve from the last basis."""
        solution = self._program.solve()
        weights = np.maximum(0.0, -solution.duals[1:])
        return Restricted(solution.x[:-1], float(solution.x[-1]), weights / weights.sum())
