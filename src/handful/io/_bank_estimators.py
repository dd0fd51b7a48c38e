"""Estimators of several kernels or several machines, and picked ones, as machines of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from handful._types import Floats
from handful.io._banks import KernelPart, KernelSum, Nonconformity
from handful.io._scores import KernelExpansion, LinearScore, ScoreMachine
from handful.kernels import Kernel

_LINEAR = (LinearSVC, LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier)


def kernel_sums(estimator: Any) -> list[ScoreMachine]:
    """The votes of a `LPBoostMKL`."""
    return [_kernel_sum(vote, estimator.n_features_in_) for vote in estimator.machines_]


def _kernel_sum(vote: Any, n_features: int) -> KernelSum:
    if not hasattr(vote, "parts"):  # no kernel tells the classes apart
        return KernelSum((), float(vote(np.zeros((1, n_features)))[0]))
    parts = [
        _part(view.kernel, support, coefficients, view.columns, view.is_normalised)
        for view, support, coefficients in vote.parts
    ]
    return KernelSum(tuple(parts), float(vote.constant))


def _part(
    kernel: Kernel,
    points: Floats,
    coefficients: Floats,
    columns: tuple[int, ...] | None = None,
    is_normalised: bool = False,
) -> KernelPart:
    if kernel.name in ("precomputed", "callable"):
        raise TypeError(
            f"`kernel` must be named to be written to a file, got {kernel.name}. "
            "A file cannot hold the kernel values of new cases."
        )
    used = np.flatnonzero(coefficients)
    seen = points if columns is None else points[:, list(columns)]
    return KernelPart(
        kernel=kernel,
        columns=columns,
        is_normalised=is_normalised,
        points=tuple(tuple(row) for row in seen[used].tolist()),
        coefficients=tuple(np.asarray(coefficients)[used].tolist()),
    )


def conforming(estimator: Any) -> list[ScoreMachine]:
    """A `NonconformityClassifier` over its own grid of support vector machines."""
    grids = getattr(estimator.bank_, "grids", None)
    if grids is None or len(grids) != 1 or len(estimator.classes_) != 2:
        raise TypeError(
            "`machine` must be a NonconformityClassifier with two classes, estimator=None and "
            "measure='margin' to be written to a file: other models are not plain numbers."
        )
    grid, rule = grids[0], estimator.rule_
    if rule == "random":
        raise TypeError(
            "`tie` must not be 'random' for a machine to be written to a file: its draws depend "
            "on the case. Use with_rule('nonconformity'), which lets tied models vote."
        )
    parts = [_part(model.kernel, grid.X, model.coef) for model in grid]
    biases = [float(model.bias) for model in grid]
    if rule == "best-validation":
        best = int(estimator.best_index_)
        return [KernelSum((parts[best],), biases[best])]
    table = estimator.validation_table_
    return [
        Nonconformity(
            parts=tuple(parts),
            intercepts=tuple(biases),
            validation=tuple(tuple(row) for row in table.sorted_scores.tolist()),
            tolerances=tuple(table.tolerance.tolist()),
            n_errors=tuple(int(n) for n in table.n_errors),
            rule=rule,
        )
    ]


def picked(estimator: Any, own: Callable[[Any], list[ScoreMachine]]) -> list[ScoreMachine]:
    """What a `PickToLearn` trained on its picks: a machine of ours, or one that is a formula.

    ``own`` writes machines of ours. Of other libraries' there are linear classifiers and support
    vector machines of scikit-learn, alone or behind a StandardScaler.
    """
    inner = estimator.estimator_
    if inner is None or not np.array_equal(inner.classes_, estimator.classes_):
        raise TypeError(
            "`machine` must have been trained on picks of all classes to be written to a file. "
            "Start with more picks (`n_initial`)."
        )
    steps = [step for _, step in inner.steps] if isinstance(inner, Pipeline) else [inner]
    *before, last = steps
    is_scaled = len(before) == 1 and isinstance(before[0], StandardScaler)
    machines = _formulas(last)
    if machines is None:
        machines = own(last)  # says what can be written
    if not before:
        return machines
    if not is_scaled:
        raise TypeError(
            "`machine` must be a classifier alone or behind one StandardScaler to be written to a "
            f"file, got {len(before)} other steps before it."
        )
    return [_scaled(machine, before[0]) for machine in machines]


def _formulas(model: Any) -> list[ScoreMachine] | None:
    """Linear classifiers and support vector machines of scikit-learn."""
    if isinstance(model, _LINEAR):
        intercepts = np.broadcast_to(model.intercept_, (len(model.coef_),))
        pairs = zip(model.coef_, intercepts, strict=True)
        return [LinearScore(tuple(w.tolist()), float(b)) for w, b in pairs]
    if isinstance(model, SVC) and len(model.classes_) == 2 and isinstance(model.kernel, str):
        return _support_vectors(model)
    return None


def _support_vectors(model: SVC) -> list[ScoreMachine] | None:
    if model.kernel not in ("linear", "rbf", "poly"):
        return None
    gamma = float(model._gamma) if model.kernel != "linear" else 1.0
    kernel = Kernel(model.kernel, gamma=gamma, degree=int(model.degree), coef0=float(model.coef0))
    return [
        KernelExpansion(
            kernel=kernel,
            points=tuple(tuple(row) for row in model.support_vectors_.tolist()),
            coefficients=tuple(model.dual_coef_[0].tolist()),
            intercept=float(model.intercept_[0]),
        )
    ]


def _scaled(machine: ScoreMachine, scaler: StandardScaler) -> ScoreMachine:
    n = int(scaler.n_features_in_)
    center = np.zeros(n) if scaler.mean_ is None else scaler.mean_
    scale = np.ones(n) if scaler.scale_ is None else scaler.scale_
    if isinstance(machine, LinearScore):
        weights = np.array(machine.weights) / scale
        intercept = machine.intercept - float(weights @ center)
        return LinearScore(tuple(weights.tolist()), intercept)
    if isinstance(machine, KernelExpansion) and machine.center is None:
        return replace(machine, center=tuple(center.tolist()), scale=tuple(scale.tolist()))
    raise TypeError(
        "`machine` must be a linear score or a kernel expansion behind a scaler to be written to "
        "a file. Train it on the raw columns."
    )
