"""From fitted estimators to the machines of a model file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from handful.fitted import LinearScore as WeightedSum
from handful.io._scores import KernelExpansion, LinearScore, ScoreMachine, StumpVotes
from handful.kernels import Kernel

_SAVED = (
    "SetCoveringMachine, DecisionListMachine, SupportVectorMachine, KernelPerceptron, AdaBoost, "
    "LPBoost, LPBoostMKL, MinimalComplexityMachine, LinearProgrammingMachine, "
    "KernelMatchingPursuitClassifier, NonconformityClassifier, or a BoundSearch or PickToLearn "
    "over one of them"
)


def unwrapped(estimator: Any) -> Any:
    """The machine inside a search."""
    found = getattr(estimator, "best_estimator_", None)
    return estimator if found is None else found


@cache
def _writers() -> tuple[tuple[type, Callable[[Any], list[ScoreMachine]]], ...]:
    """Which estimators can be written, and how; imported when the first one is."""
    from handful.boosting import AdaBoost, LPBoost, LPBoostMKL
    from handful.conformal import NonconformityClassifier
    from handful.io._bank_estimators import conforming, kernel_sums, picked
    from handful.programs import LinearProgrammingMachine, MinimalComplexityMachine
    from handful.pursuit import KernelMatchingPursuitClassifier
    from handful.stable import KernelPerceptron, PickToLearn
    from handful.svm import SupportVectorMachine

    return (
        (SupportVectorMachine, _support_vector_machines),
        (KernelPerceptron, _weights_or_expansions),
        (AdaBoost, _votes),
        (LPBoost, _votes),
        (LPBoostMKL, kernel_sums),
        (NonconformityClassifier, conforming),
        (PickToLearn, lambda machine: picked(machine, score_machines)),
        (MinimalComplexityMachine, _weights_or_expansions),
        (LinearProgrammingMachine, _weights_or_expansions),
        (KernelMatchingPursuitClassifier, _pursuit),
    )


def score_machines(estimator: Any) -> list[ScoreMachine]:
    """The scores of a fitted estimator, one for two classes, else one a class."""
    for kind, write in _writers():
        if isinstance(estimator, kind):
            return write(estimator)
    raise TypeError(f"`machine` must be a fitted {_SAVED}, got {type(estimator).__name__}.")


def kept_examples(estimator: Any) -> list[int]:
    """Numbers of the examples that a file names: those that its certificate does not count.

    A support vector machine that is written as weights contains none, and its certificate counts
    others than its support vectors.
    """
    from handful.svm import SupportVectorMachine

    if not estimator.is_made_of_few:
        return []
    if isinstance(estimator, SupportVectorMachine) and _weighted_sums(estimator) is not None:
        return []
    return [int(i) for i in estimator.held_back_]


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


def _weighted_sums(estimator: Any) -> list[ScoreMachine] | None:
    """Weights and intercepts of a machine whose score is a sum of the features."""
    form = estimator.fitted_.machine
    if not isinstance(form, WeightedSum):
        return None
    return [LinearScore(w, b) for w, b in zip(form.weights, form.intercepts, strict=True)]


def _support_vector_machines(estimator: Any) -> list[ScoreMachine]:
    if estimator.center:
        raise TypeError("`center` must be False for a machine to be written to a file, got True.")
    sums = _weighted_sums(estimator)
    if sums is not None:
        return sums
    points = estimator.points_
    return [_expansion(m.kernel, points, m.coef, m.bias) for m in estimator.models_]


def _weights_or_expansions(estimator: Any) -> list[ScoreMachine]:
    return _weighted_sums(estimator) or _expansions(estimator)


def _expansions(estimator: Any) -> list[ScoreMachine]:
    points = getattr(estimator, "support_vectors_", np.zeros((0, estimator.n_features_in_)))
    pairs = zip(estimator.dual_coef_, estimator.intercept_, strict=True)
    return [_expansion(estimator.kernel_, points, row, b) for row, b in pairs]


def _votes(estimator: Any) -> list[ScoreMachine]:
    return [_vote(vote, estimator) for vote in estimator.machines_]


def _vote(vote: Any, estimator: Any) -> ScoreMachine:
    from handful.boosting.votes import ColumnVote, StumpVote

    if isinstance(vote, ColumnVote):
        return LinearScore(tuple(vote.coef.tolist()), 0.0)
    if not isinstance(vote, StumpVote):
        raise TypeError(
            "`machine` must vote by stumps or columns to be written to a file, got "
            f"{type(estimator).__name__} over other estimators."
        )
    stumps = [(s, w) for s, w in vote.weights.items() if s.feature >= 0]
    return StumpVotes(
        features=tuple(int(s.feature) for s, _ in stumps),
        thresholds=tuple(float(s.threshold) for s, _ in stumps),
        weights=tuple(float(w) for _, w in stumps),
        constant=float(sum(w for s, w in vote.weights.items() if s.feature < 0)),
    )


def _pursuit(estimator: Any) -> list[ScoreMachine]:
    center = scale = None
    points, model = estimator.centers_, estimator.expansion_
    if estimator.scaling_ is not None:
        center, scale = (tuple(np.asarray(part).tolist()) for part in estimator.scaling_)
        if points is not None:
            points = (points - estimator.scaling_[0]) / estimator.scaling_[1]
    return [
        _expansion(estimator.kernel_, points, column, b, center=center, scale=scale, tie=1e-10)
        for column, b in zip(model.coefficients.T, model.intercepts, strict=True)
    ]
