"""The restricted program of LPBoost, kept warm from round to round."""

from __future__ import annotations

import numpy as np

from handful._types import Floats
from handful.boosting._columns import Column
from handful.boosting._generation import Restricted
from handful.programs import LinearProgram


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

    def add(self, column: Column) -> None:
        """Append the row of a column."""
        row = np.append(self._y * column.values, -1.0)
        self._program.add_rows(row[None, :], -np.inf, column.price)

    def solve(self) -> Restricted:
        """Solve from the last basis."""
        solution = self._program.solve()
        weights = np.maximum(0.0, -solution.duals[1:])
        return Restricted(solution.x[:-1], float(solution.x[-1]), weights / weights.sum())
