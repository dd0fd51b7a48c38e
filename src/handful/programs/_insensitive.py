"""The minimal complexity machine for numbers: shifted examples, told apart by a hyperplane.

A function f within epsilon of all targets separates the examples moved up, (x, y + epsilon), from
those moved down, (x, y - epsilon) (Bi and Bennett 2003). Written as a hyperplane w.x + b + t y,
the two margins of an example with residual r = y - f(x), f = -(w.x + b) / t, are

    t (epsilon + r)   and   t (epsilon - r),

and the minimal complexity machine of these 2 m points is the regressor of Jayadeva et al. (2016):

    minimise   max(1, t (epsilon + max |r|)) + C sum_i [(1 - t (epsilon + r_i))_+ +
                                                      (1 - t (epsilon - r_i))_+]

It is a margin program with the columns of f and one more, the target. t > 0 at every optimum: t
= 0 pays 2 C m of slack, and a small t > 0 with f constant less at the same h = 1; t < 0 pays more.
Where an example has no slack, |r| <= epsilon - 1 / t: the tube is narrower than epsilon, and the
program chooses by how much. Only the coefficients of f are priced, never t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful._types import Floats, Ints
from handful.programs._margin import MarginSolution
from handful.programs._solver import MarginSolver


@dataclass(frozen=True)
class RegressionSolution:
    """A proved regressor f = columns . coef + intercept.

    Attributes
    ----------
    coef : ndarray of shape (n_columns,)
    intercept : float
    h : float
        Largest margin of a shifted example: (epsilon + max |r|) / unit, at least 1.
    unit : float
        1 / t: the residual that counts as a margin of one.
    value, gap : float
        Objective, and the relative duality gap that is proved.
    n_iterations : int
    touching : ndarray or None
        Examples that touch some optimum; None where that is not known.
    """

    coef: Floats
    intercept: float
    h: float
    unit: float
    value: float
    gap: float
    n_iterations: int
    touching: Ints | None = None


def solve_insensitive(
    F: Floats,
    y: Floats,
    epsilon: float,
    C: float,
    *,
    weight: float = 0.0,
    tol: float = 1e-7,
    time_limit: float | None = None,
    touching: bool = False,
) -> RegressionSolution:
    """The proved optimum for columns F and targets y; ``touching`` asks for those examples.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(5.0)
    >>> found = solve_insensitive(x[:, None], 2.0 * x + 1.0, 0.5, 10.0)
    >>> found.coef.round(6).tolist(), round(found.intercept, 6), round(found.h, 6)
    ([2.0], 1.0, 1.0)
    """
    m, n = F.shape
    shifted = np.vstack([np.column_stack([F, y + epsilon]), np.column_stack([F, y - epsilon])])
    side = np.repeat([1.0, -1.0], m)
    prices = np.append(np.full(n, weight), 0.0)
    solver = MarginSolver(shifted, side, weight=prices, tol=tol, time_limit=time_limit)
    if touching:
        solution, rows = solver.solve_touching(C)
        return _regressor(solution, np.unique(rows % m))
    return _regressor(solver.solve(C, vertex=weight > 0.0), None)


def _regressor(solution: MarginSolution, touching: Ints | None) -> RegressionSolution:
    unit = 1.0 / float(solution.w[-1])
    return RegressionSolution(
        coef=-solution.w[:-1] * unit,
        intercept=-solution.b * unit,
        h=solution.h,
        unit=unit,
        value=solution.value,
        gap=solution.gap,
        n_iterations=solution.n_iterations,
        touching=touching,
    )
