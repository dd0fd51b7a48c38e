"""Degenerate minimal complexity machines: their warnings, and a test for the constant one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handful.arrays import Floats
from handful.programs.linear_program import LPStatus, SolverError, solve_lp


class DegenerateMachineWarning(UserWarning):
    """Warns that a program was solved but its solution is degenerate."""


class TrivialSolutionWarning(DegenerateMachineWarning):
    """Warns that a machine is constant: its coefficients are zero."""


class InterpolationWarning(DegenerateMachineWarning):
    """Warns that a machine fits every label exactly, so that C has no effect."""


@dataclass(frozen=True)
class TrivialityTest:
    """Whether the constant classifier is an optimal linear minimal complexity machine.

    Attributes
    ----------
    is_optimal : bool
        Whether w = 0 is optimal at the given C.
    critical_c : float
        w = 0 is optimal up to this C: infinite if for every C, zero if for none.
    negative_weight : float
        Least total negative weight of a combination of majority examples that equals the
        minority mean.
    """

    is_optimal: bool
    critical_c: float
    negative_weight: float


def trivial_solution_test(X: ArrayLike, y: ArrayLike, C: float = 1.0) -> TrivialityTest:
    """Test whether the published linear program has the constant classifier as an optimum.

    This holds if and only if the mean of the smaller class is a combination of examples of the
    larger class whose weights sum to one, are at most 1/m, and have negative parts that add up to
    at most 1/(C m), with m the size of the smaller class. One small linear program decides.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two classes, of any type.
    C : float

    Returns
    -------
    TrivialityTest

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [1.5]])
    >>> trivial_solution_test(X, [0, 0, 0, 0, 1]).critical_c
    inf
    """
    data = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if data.ndim != 2 or len(codes) != len(data):
        raise ValueError(f"`X` and `y` must match, got shapes {data.shape} and {codes.shape}.")
    if len(classes) != 2:
        raise ValueError(f"`y` must have two classes, got {len(classes)}. Test each pair.")
    if not C > 0.0:
        raise ValueError(f"`C` must be positive, got {C!r}.")
    smaller = int(np.argmin(np.bincount(codes)))
    minority, majority = data[codes == smaller], data[codes != smaller]
    m = len(minority)
    negative = _least_negative_weight(minority.mean(axis=0), majority, 1.0 / m)
    critical = np.inf if negative <= 1e-9 else 1.0 / (m * negative)
    return TrivialityTest(bool(critical * (1.0 + 1e-9) >= C), float(critical), negative)


def _least_negative_weight(target: Floats, points: Floats, most: float) -> float:
    """Least sum of (p_i)_- with sum p = 1, sum p_i x_i = target, p <= most; inf if there is none.

    Columns: positive parts, negative parts. Rows: one per feature, and the sum.
    """
    center, scale = points.mean(axis=0), np.maximum(np.ptp(points, axis=0), 1e-12)
    A = np.vstack([((points - center) / scale).T, np.ones(len(points))])
    right = np.append((target - center) / scale, 1.0)
    k = len(points)
    cost = np.concatenate([np.zeros(k), np.ones(k)])
    upper = np.concatenate([np.full(k, most), np.full(k, np.inf)])
    try:
        return max(0.0, solve_lp(cost, np.hstack([A, -A]), right, right, 0.0, upper).value)
    except SolverError as error:
        if error.status in (LPStatus.INFEASIBLE, LPStatus.UNBOUNDED_OR_INFEASIBLE):
            return float(np.inf)
        raise
