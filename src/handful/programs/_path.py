"""Whole paths over C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handful._types import Floats
from handful.programs._solver import MarginSolver


@dataclass(frozen=True)
class MarginPath:
    """Machines along a grid of C, each proved optimal.

    Attributes
    ----------
    Cs : ndarray of shape (n_Cs,)
    coefs : ndarray of shape (n_Cs, n_columns)
    intercepts, h, values, gaps : ndarray of shape (n_Cs,)
        Bias, largest margin (at least 1), objective and relative duality gap.
    """

    Cs: Floats
    coefs: Floats
    intercepts: Floats
    h: Floats
    values: Floats
    gaps: Floats

    @property
    def n_nonzero(self) -> NDArray[np.intp]:
        """Number of coefficients above 1e-7 times the largest one, for each C."""
        size = np.abs(self.coefs)
        return np.asarray(np.sum(size > 1e-7 * size.max(axis=1, keepdims=True), axis=1))

    def frame(self) -> Any:
        """The path as a pandas DataFrame with one row for each C."""
        import pandas as pd

        return pd.DataFrame(
            {
                "C": self.Cs,
                "objective": self.values,
                "h": self.h,
                "n_nonzero": self.n_nonzero,
                "intercept": self.intercepts,
                "gap": self.gaps,
            }
        )


def mcm_path(
    X: ArrayLike,
    y: ArrayLike,
    Cs: Sequence[float] | Floats | None = None,
    *,
    weight: float = 0.0,
    tol: float = 1e-7,
) -> MarginPath:
    """Minimal complexity machines along a grid of C, on features or kernel columns.

    The columns are centred and scaled once. Each C is solved by the interior point, which needs
    about twenty iterations wherever it starts and beats a warm-started simplex.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_columns)
        Features, or the columns of a kernel matrix.
    y : array-like of shape (n_samples,)
        Two classes; the larger one in sorting order is positive.
    Cs : sequence of float, optional
        Thirteen values from 0.001 to 1000 by default.
    weight : float
        Price of the sum of absolute coefficients; 0 is the published program.
    tol : float
        Largest relative duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> mcm_path(X, [0, 1, 0, 1], [0.1, 10.0]).values.round(6).tolist()
    [1.266667, 27.666667]
    """
    return _path(X, y, Cs, weight=weight, capped=True, tol=tol)


def lpm_path(
    X: ArrayLike,
    y: ArrayLike,
    Cs: Sequence[float] | Floats | None = None,
    *,
    tol: float = 1e-7,
) -> MarginPath:
    """1-norm support vector machines along a grid of C, on features or kernel columns.

    The parameters are those of `mcm_path`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> lpm_path(X, [0, 1, 0, 1], [0.1, 10.0]).n_nonzero.tolist()
    [0, 1]
    """
    return _path(X, y, Cs, weight=1.0, capped=False, tol=tol)


def _path(
    X: ArrayLike,
    y: ArrayLike,
    Cs: Sequence[float] | Floats | None,
    *,
    weight: float,
    capped: bool,
    tol: float,
) -> MarginPath:
    F = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"`y` must have two classes, got {len(classes)}. Use one against rest.")
    grid = np.logspace(-3, 3, 13) if Cs is None else np.asarray(Cs, dtype=np.float64)
    if grid.ndim != 1 or not grid.size or not np.all(grid > 0.0):
        raise ValueError(f"`Cs` must be positive numbers, got {Cs!r}.")
    solver = MarginSolver(F, np.where(codes == 1, 1.0, -1.0), weight=weight, capped=capped, tol=tol)
    found = [solver.solve(float(C), vertex=weight > 0.0) for C in grid]
    return MarginPath(
        Cs=grid,
        coefs=np.stack([s.w for s in found]),
        intercepts=np.array([s.b for s in found]),
        h=np.array([s.h for s in found]),
        values=np.array([s.value for s in found]),
        gaps=np.array([s.gap for s in found]),
    )
