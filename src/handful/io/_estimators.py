"""From fitted estimators to the machines of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.io._scores import KernelExpansion, LinearScore, ScoreMachine, StumpVotes
from handful.kernels import Kernel

_SAVED = (
    "SetCoveringMachine, DecisionListMachine, SupportVectorMachine, KernelPerceptron, AdaBoost, "
    "LPBoost, MinimalComplexityMachine, LinearProgrammingMachine, "
    "KernelMatchingPursuitClassifier, or a BoundSearch over one of them"
)


def unwrapped(estimator: Any) -> Any:
    """The machine inside a search."""
    found = getattr(estimator, "best_estimator_", None)
    return estimator if found is None else found


def score_machines(estimator: Any) -> list[ScoreMachine]:
    """The scores of a fitted estimator, one for two classes, else one a class."""
    name = type(estimator).__name__
    if name == "SupportVectorMachine":
        return _support_vector_machines(estimator)
    if name == "KernelPerceptron":
        shift = float(bool(estimator.fit_intercept))  # it adds 1 to every kernel value
        return [
            _expansion(estimator._kernel, estimator._points, row, shift * float(np.sum(row)))
            for row in estimator._coef
        ]
    if name in ("AdaBoost", "LPBoost"):
        return [_vote(vote, name) for vote in estimator.machines_]
    if name in ("MinimalComplexityMachine", "LinearProgrammingMachine"):
        return _margin_machines(estimator)
    if name == "KernelMatchingPursuitClassifier":
        return _pursuit(estimator)
    raise TypeError(f"`machine` must be a fitted {_SAVED}, got {name}.")


def _expansion(
    kernel: Kernel, points: Any, coefficients: Any, intercept: float, **more: Any
) -> KernelExpansion:
    if kernel.name in ("precomputed", "callable"):
        raise TypeError(
            f"`kernel` must be named to be written to a file, got {kernel.name}. "
            "A file cannot hold the kernel values of new cases."
        )
    used = np.flatnonzero(coefficients)
    return KernelExpansion(
        kernel=kernel,
        points=tuple(tuple(row) for row in np.asarray(points)[used].tolist()),
        coefficients=tuple(np.asarray(coefficients)[used].tolist()),
        intercept=float(intercept),
        **more,
    )


def _support_vector_machines(estimator: Any) -> list[ScoreMachine]:
    if estimator.center:
        raise TypeError("`center` must be False for a machine to be written to a file, got True.")
    X = estimator._store.X
    return [_expansion(m.kernel, X, m.coef, m.bias) for m in estimator.models_]


def _vote(vote: Any, name: str) -> ScoreMachine:
    if hasattr(vote, "coef"):
        return LinearScore(tuple(vote.coef.tolist()), 0.0)
    if not isinstance(getattr(vote, "weights", None), dict):
        raise TypeError(
            f"`machine` must vote by stumps or columns to be written to a file, got {name} over "
            "other estimators."
        )
    stumps = [(s, w) for s, w in vote.weights.items() if s.feature >= 0]
    return StumpVotes(
        features=tuple(int(s.feature) for s, _ in stumps),
        thresholds=tuple(float(s.threshold) for s, _ in stumps),
        weights=tuple(float(w) for _, w in stumps),
        constant=float(sum(w for s, w in vote.weights.items() if s.feature < 0)),
    )


def _margin_machines(estimator: Any) -> list[ScoreMachine]:
    if estimator.kernel_.name == "linear":
        return [
            LinearScore(tuple(w.tolist()), float(b))
            for w, b in zip(estimator.coef_, estimator.intercept_, strict=True)
        ]
    points = getattr(estimator, "support_vectors_", np.zeros((0, estimator.n_features_in_)))
    return [
        _expansion(estimator.kernel_, points, row, b)
        for row, b in zip(estimator.dual_coef_, estimator.intercept_, strict=True)
    ]


def _pursuit(estimator: Any) -> list[ScoreMachine]:
    center = scale = None
    if estimator.scaling_ is not None:
        center, scale = (tuple(np.asarray(part).tolist()) for part in estimator.scaling_)
    model, kernel = estimator.expansion_, estimator.kernel_
    points = estimator.centers_
    if points is not None:
        points = estimator._scaled(points)
    return [
        _expansion(kernel, points, column, b, center=center, scale=scale, tie=1e-10)
        for column, b in zip(model.coefficients.T, model.intercepts, strict=True)
    ]
