"""One soft-margin support vector machine as plain arrays, with the proof of its accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.kernels import Kernel

Indices = NDArray[np.intp]

SUPPORT_TOLERANCE = 1e-8  # of C: a solver stops this close to a bound without touching it


@dataclass(frozen=True, kw_only=True, eq=False)
class SVMModel:
    """A machine f(x) = sum_i alpha_i y_i k(x_i, x) + bias on its m training points.

    It minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i f(x_i)): C multiplies the sum, not the mean.

    Attributes
    ----------
    kernel : Kernel
    C : float
    alpha : ndarray of shape (m,)
        Dual variables, each in [0, C] (times the weight of the example, where there are any).
    bias : float
        0.0 for a machine without bias.
    y_signed : ndarray of shape (m,)
        Labels in {-1, +1}.
    f : ndarray of shape (m,)
        Decision values of the training points.
    objective : float
        Dual objective, sum(alpha) - |w|^2 / 2.
    gap : float
        Primal minus dual objective: how far from optimal the machine can be at most.
    fit_intercept, center : bool
        Whether it has a bias, and whether the features were centred on the training points.
    solver : str
        What found it: "smo", "newton" or "libsvm".
    row_weights : ndarray of shape (m,), optional
        C is multiplied by the weight of each example.
    """

    kernel: Kernel
    C: float
    alpha: Floats
    bias: float
    y_signed: Floats
    f: Floats
    objective: float
    gap: float
    fit_intercept: bool = True
    center: bool = False
    solver: str = "newton"
    row_weights: Floats | None = None

    @property
    def n_samples(self) -> int:
        """Number m of training points."""
        return self.alpha.shape[0]

    @property
    def coef(self) -> Floats:
        """Coefficients alpha_i y_i of the kernel expansion."""
        return self.alpha * self.y_signed

    @property
    def margins(self) -> Floats:
        """Functional margins y_i f(x_i) of the training points."""
        return self.y_signed * self.f

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the dual objective."""
        return self.gap / self.objective if self.objective > 0 else self.gap

    @property
    def prices(self) -> Floats:
        """Upper bound of each dual variable: C times the weight of the example."""
        weights = np.ones(self.n_samples) if self.row_weights is None else self.row_weights
        return self.C * weights

    @cached_property
    def support(self) -> Indices:
        """Indices of the support vectors, alpha > 0."""
        return np.flatnonzero(self.alpha > SUPPORT_TOLERANCE * self.prices)

    @cached_property
    def bounded(self) -> Indices:
        """Indices of the support vectors at the bound: alpha is C times their weight."""
        return np.flatnonzero(self.alpha >= (1.0 - SUPPORT_TOLERANCE) * self.prices)

    @cached_property
    def free(self) -> Indices:
        """Indices of the support vectors strictly between the bounds."""
        return np.setdiff1d(self.support, self.bounded, assume_unique=True)
