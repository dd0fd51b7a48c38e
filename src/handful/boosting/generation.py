"""Column generation: a linear program over a class of columns that is too large to list.

The program and its dual (see the blocks in `DualMaster`) are solved on the columns found so far.
The family then finds the column that violates the dual most. The loop ends when the best edge is
within ``tol`` of the value of the restricted program. Both numbers are certified: the restricted
value is a lower bound on the optimum, and the best edge at any feasible distribution is an upper
bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from handful.arrays import Floats
from handful.boosting.weak_learners import ColumnFamily, WeakColumn
from handful.programs import LinearProgram


@dataclass(frozen=True)
class Restricted:
    """Solution of the program restricted to the columns found so far.

    Attributes
    ----------
    u : ndarray of shape (n_samples,)
        Distribution over the examples: optimal for the restricted program. In a final result it
        is the distribution that proves the gap.
    beta : float
        Largest edge minus price of the restricted columns at ``u``.
    weights : ndarray of shape (n_columns,)
        Weights of the columns, a distribution.
    """

    u: Floats
    beta: float
    weights: Floats


class Master(Protocol):
    """The restricted program."""

    def start(self) -> Floats:
        """A feasible distribution to begin with."""

    def scores(self, u: Floats) -> Floats:
        """Scores for the search of the family: u times the labels."""

    def add(self, column: WeakColumn) -> None:
        """Append a column."""

    def solve(self) -> Restricted:
        """Solve on all columns added so far."""


@dataclass(frozen=True)
class Iteration:
    """State of the loop after one search of the family.

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
        Columns in the restricted program before the search.
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
        Last solution; None if no column had a positive edge.
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
    """Solve a linear program over the columns of a family.

    Parameters
    ----------
    oracle : ColumnFamily
        If its search is not exact, a small gap says only that the oracle finds nothing better.
    master : Master
        The restricted program.
    tol : float
        Stop when the certified gap is at most this.
    max_iter : int
        Most searches.
    n_columns : int
        Most columns to add after one search: the best, and others that also violate the dual.
    smoothing : float in [0, 1)
        Share of the best distribution so far in the one that is searched, to steady the search.
    needs_vertex : bool
        Continue until the newest distribution, a vertex of the restricted dual, is optimal.
    start : sequence of WeakColumn
        Columns to begin with.
    on_iteration : callable, optional
        Called with each `Iteration`.
    """
    # With beta = 0 at the start, a first column without a positive edge ends the loop.
    u = centre = master.start()
    beta, upper, share = 0.0, np.inf, 0.0
    history: list[Iteration] = []
    columns, restricted = list(start), _grown(master, start) if start else None
    if restricted is not None:
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
            last = restricted if needs_vertex else _proved_at(restricted, centre)
            return Generated(columns, last, max(0.0, state.gap), history, True)
        new = _violating(found, master.scores(u), beta + tol)
        if not new:
            if share == 0.0:
                break  # the edge differs from beta by rounding only
            share = 0.0  # the mixture found a satisfied column: search at the newest distribution
            continue
        columns += new
        restricted = _grown(master, new)
        u, beta, share = restricted.u, restricted.beta, smoothing
    gap = max(0.0, upper - beta)
    return Generated(columns, restricted, gap, history, gap <= tol + 1e-9)


def _proved_at(restricted: Restricted | None, u: Floats) -> Restricted | None:
    """The solution with the distribution that proves its value."""
    return None if restricted is None else replace(restricted, u=u)


def _grown(master: Master, new: Sequence[WeakColumn]) -> Restricted:
    for column in new:
        master.add(column)
    return master.solve()


def _violating(found: list[WeakColumn], scores: Floats, limit: float) -> list[WeakColumn]:
    """The columns whose constraint the newest distribution violates."""
    return [c for c in found if float(scores @ c.values) - c.price > limit]


class DualMaster(Master):
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

    The weights a_j are minus the duals of the rows 1 + j. The caps must sum to at least 1.
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
        return u * self._y

    def add(self, column: WeakColumn) -> None:
        row = np.append(self._y * column.values, -1.0)
        self._program.add_rows(row[None, :], -np.inf, column.price)

    def solve(self) -> Restricted:
        solution = self._program.solve()
        # Duals that are negative by the solver's tolerance are zero; the rest is scaled to sum to
        # one.
        weights = np.maximum(0.0, -solution.duals[1:])
        return Restricted(solution.x[:-1], float(solution.x[-1]), weights / weights.sum())
