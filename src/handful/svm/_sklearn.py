"""Fitted machines of scikit-learn as `SVMModel` records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.bounds import NotCertifiableError
from handful.kernels import Kernel
from handful.svm._model import SVMModel
from handful.svm._solver import duality_gap


def is_svc(machine: Any) -> bool:
    """Whether the object is a fitted or unfitted ``sklearn.svm.SVC``."""
    from sklearn.svm import SVC

    return isinstance(machine, SVC)


def models_of(machine: Any, X: Any, y: Any) -> list[SVMModel]:
    """The binary machines inside a fitted machine: an SVMModel, an SVC or one of ours.

    Parameters
    ----------
    machine : SVMModel, SupportVectorMachine or sklearn.svm.SVC
    X, y : array-like
        The training data; needed for an SVC only.
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
    if (alpha < 0).any() or (alpha > prices * (1.0 + 1e-9)).any():
        raise ValueError(
            "`X` and `y` must be the training data of the SVC, fitted without `sample_weight`."
        )
    f = svc.decision_function(X)
    bias = float(svc.intercept_[0])
    norm2 = float((alpha * y_signed) @ (f - bias))
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
