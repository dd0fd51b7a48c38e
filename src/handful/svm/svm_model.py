"""One soft-margin support vector machine as arrays, with its duality gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds import NotCertifiableError
from handful.kernels import Kernel
from handful.svm.solver import duality_gap

Indices = NDArray[np.intp]

SUPPORT_TOLERANCE = 1e-8  # of C: a solver stops this close to a bound without touching it


@dataclass(frozen=True, kw_only=True, eq=False)
class SVMModel:
    """A machine f(x) = sum_i alpha_i y_i k(x_i, x) + bias on its m training points.

    It minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i f(x_i)). C multiplies the sum, not the mean:
    with the mean, every example would change the penalty, and the machine would not be stable.

    Attributes
    ----------
    kernel : Kernel
    C : float
    alpha : ndarray of shape (m,)
        Dual variables, each in [0, C] (times the weight of the example, if there are weights).
    bias : float
        0.0 for a machine without bias.
    y_signed : ndarray of shape (m,)
        Labels in {-1, +1}.
    f : ndarray of shape (m,)
        Decision values of the training points.
    objective : float
        Dual objective, sum(alpha) - |w|^2 / 2.
    gap : float
        Primal minus dual objective: an upper bound on the distance from the optimum.
    fit_intercept, center : bool
        Whether the machine has a bias, and whether features were centred on the training points.
    solver : {"smo", "newton", "libsvm"}
        The solver that found the machine.
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


def is_svc(machine: Any) -> bool:
    """Whether the object is a fitted or unfitted ``sklearn.svm.SVC``."""
    from sklearn.svm import SVC

    return isinstance(machine, SVC)


def models_of(machine: Any, X: Any, y: Any) -> list[SVMModel]:
    """The binary machines inside an SVMModel, a SupportVectorMachine or an SVC.

    The training data X and y are needed for an SVC only.
    """
    if isinstance(machine, SVMModel):
        return [machine]
    if is_svc(machine):
        if X is None or y is None:
            raise ValueError("`X` and `y` must be given for an SVC: pass its training data.")
        return [model_of_svc(machine, np.asarray(X, dtype=np.float64), np.asarray(y))]
    if hasattr(machine, "models_"):
        return list(machine.models_)
    raise TypeError(
        "`machine` must be a fitted SupportVectorMachine, an SVMModel or a binary "
        f"sklearn.svm.SVC, got {type(machine).__name__}."
    )


def kernel_of_svc(svc: Any) -> Kernel:
    """The kernel of a fitted SVC."""
    if svc.kernel not in ("linear", "rbf", "poly", "precomputed") and not callable(svc.kernel):
        raise NotCertifiableError(
            f"`kernel` of the SVC must be a Mercer kernel, got {svc.kernel!r}. Use 'rbf'."
        )
    if callable(svc.kernel):
        return Kernel("callable", function=svc.kernel)
    return Kernel(svc.kernel, gamma=float(svc._gamma), degree=svc.degree, coef0=float(svc.coef0))


def model_of_svc(svc: Any, X: Floats, y: NDArray[Any]) -> SVMModel:
    """A binary ``SVC`` and its training data as an `SVMModel`, with its duality gap."""
    if len(svc.classes_) != 2:
        raise TypeError(
            f"`machine` must have two classes, got an SVC with {len(svc.classes_)}. "
            "Use SupportVectorMachine, which is one-vs-rest."
        )
    y_signed = np.where(y == svc.classes_[1], 1.0, -1.0)
    weights = None
    if svc.class_weight is not None:
        weights = np.where(y_signed > 0, svc.class_weight_[1], svc.class_weight_[0])
    prices = svc.C * (np.ones(y_signed.size) if weights is None else weights)
    alpha = np.zeros(X.shape[0])
    alpha[svc.support_] = np.asarray(svc.dual_coef_)[0] * y_signed[svc.support_]
    # Dual variables beyond their bounds mean other data, or weights that the SVC does not remember.
    if (alpha < 0).any() or (alpha > prices * (1.0 + 1e-9)).any():
        raise ValueError(
            "`X` and `y` must be the training data of the SVC, fitted without `sample_weight`."
        )
    f = svc.decision_function(X)
    bias = float(svc.intercept_[0])
    norm2 = float((alpha * y_signed) @ (f - bias))
    # A bias needs sum_i alpha_i y_i = 0; what libsvm leaves of it is added to the gap.
    gap = duality_gap(alpha, y_signed * f, prices) + abs(bias * float(alpha @ y_signed))
    return SVMModel(
        kernel=kernel_of_svc(svc),
        C=float(svc.C),
        alpha=alpha,
        bias=bias,
        y_signed=y_signed,
        f=f,
        objective=float(alpha.sum() - 0.5 * norm2),
        gap=gap,
        solver="libsvm",
        row_weights=weights,
    )
