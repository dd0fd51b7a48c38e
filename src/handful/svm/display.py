"""Curves of criteria: the shapes of Figures 3 to 6 of the compression paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from handful.arrays import Floats
from handful.display import Display, legend_above
from handful.svm.code_lengths import code_1, code_2, code_3, code_4, code_5
from handful.svm.criteria import criteria_table
from handful.svm.geometry import KernelStore
from handful.svm.grid import SVMGrid

_CODES = {"c1": code_1, "c2": code_2, "c3": code_3, "c4": code_4, "c5": code_5}


class CriteriaDisplay(Display):
    """Curves over one parameter of a grid: criteria, test errors, or the parts of a code.

    Parameters
    ----------
    x : ndarray
        Values of the parameter.
    curves : dict of str to ndarray
        Curves by name.
    x_label, title : str

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import fit_svm_grid
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5], Cs=[1, 10])
    >>> CriteriaDisplay.from_grid(grid, along="C", names=["span"]).frame().columns.tolist()
    ['C', 'span']
    """

    def __init__(
        self, x: Floats, curves: Mapping[str, Floats], *, x_label: str = "C", title: str = ""
    ) -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.curves = {name: np.asarray(values, dtype=float) for name, values in curves.items()}
        self.x_label = x_label
        self.title = title
        for name, values in self.curves.items():
            if values.shape != self.x.shape:
                raise ValueError(
                    f"`curves` must have {self.x.size} values each, got {values.size} for {name!r}."
                )

    @classmethod
    def from_frame(cls, frame: Any, *, title: str = "") -> CriteriaDisplay:
        """Curves from a data frame: the first column is the parameter."""
        first, *names = frame.columns
        curves = {str(name): frame[name].to_numpy() for name in names}
        return cls(frame[first].to_numpy(), curves, x_label=str(first), title=title)

    @classmethod
    def from_grid(
        cls,
        grid: SVMGrid,
        *,
        along: str = "gamma",
        at: int = 0,
        names: Sequence[str] = ("c2", "c3", "span"),
        X_test: Any = None,
        y_test: Any = None,
    ) -> CriteriaDisplay:
        """Criteria along one axis of a grid, and the test error if test data are given.

        Parameters
        ----------
        grid : SVMGrid
            With ``along="gamma"`` its kernels must be Gaussian.
        along : {"gamma", "C"}
        at : int
            Index of the value of the other axis, in ``grid.Cs`` or ``grid.kernels``.
        names : sequence of str
            Names in ``CRITERIA``.
        X_test, y_test : array-like
            Test data with labels in {-1, +1}.
        """
        if along not in ("gamma", "C"):
            raise ValueError(f"`along` must be 'gamma' or 'C', got {along!r}.")
        rows = _axis(grid, along, at)
        frame = criteria_table(grid, names=list(names)).iloc[rows]
        curves = {name: frame[name].to_numpy() for name in names}
        if X_test is not None:
            scores = grid.decision_function(np.asarray(X_test, dtype=np.float64))[rows]
            curves["test error"] = (scores * np.asarray(y_test) <= 0.0).mean(axis=1)
        other = f"C = {grid.Cs[at]:g}" if along == "gamma" else f"kernel {at}"
        return cls(frame[along].to_numpy(), curves, x_label=along, title=other)

    @classmethod
    def from_parts(cls, grid: SVMGrid, *, code: str = "c3", at: int = 0) -> CriteriaDisplay:
        """The parts of a code along C, in bits for each training point (Figure 5)."""
        if code not in _CODES:
            raise ValueError(f"`code` must be one of {sorted(_CODES)}, got {code!r}.")
        store = KernelStore(grid.X)
        found = [_CODES[code](store.geometry(grid[row])) for row in _axis(grid, "C", at)]
        m = grid.y_signed.shape[0]
        curves = {
            part: np.array([getattr(length, part) / m for length in found])
            for part in ("codebook", "support", "inside", "outside")
        }
        return cls(grid.Cs, curves, x_label="C", title=f"parts of {code}")

    def _columns(self) -> dict[str, Any]:
        return {self.x_label: self.x, **self.curves}

    def plot(self, ax: Any = None, *, normalise: bool = False) -> CriteriaDisplay:
        """Draw the curves on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib axes, optional
        normalise : bool
            Scale each curve to [0, 1] to compare shapes.
        """
        ax = self._axes(ax)
        for name, values in self.curves.items():
            shown = np.where(np.isfinite(values), values, np.nan)
            if normalise and np.isfinite(shown).any() and np.nanmax(shown) > np.nanmin(shown):
                shown = (shown - np.nanmin(shown)) / (np.nanmax(shown) - np.nanmin(shown))
            style = {"color": "black", "linewidth": 2} if name in ("test error", "best") else {}
            ax.plot(self.x, shown, marker="o", label=name, **style)
        ax.set(xscale="log", xlabel=self.x_label, title=self.title)
        legend_above(ax)
        return self


def _axis(grid: SVMGrid, along: str, at: int) -> list[int]:
    """Rows of the models along one axis."""
    n_C, n_kernels = len(grid.Cs), len(grid.kernels)
    if not 0 <= at < (n_C if along == "gamma" else n_kernels):
        raise ValueError(f"`at` must be an index of the grid's other axis, got {at!r}.")
    if along == "gamma":
        return [k * n_C + at for k in range(n_kernels)]
    return [at * n_C + c for c in range(n_C)]
