"""From scores to verdicts: p-values, the critical epsilon, ties, and the composite score.

A model gives every (case, label) pair a conformity score, the margin y f(x) by default: the
higher, the better the label fits. Arrays have shape (n_models, n_points, n_labels). The p-value
of a pair is the share of validation examples whose own score is not above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

# Scores this close are equal up to rounding of the kernel, and count as not stranger.
_TOLERANCE = 1e-10
TIES = ("random", "validation", "vote")


def margin_scores(values: Floats) -> Floats:
    """Value of each label (last axis) minus the largest value of the other labels."""
    top = np.partition(values, -2, axis=-1)
    best, second = top[..., -1:], top[..., -2:-1]
    return values - np.where(values == best, second, best)


def label_scores(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Conformity score of each of ``classes`` by a fitted classifier, shape (n_points, n_labels).

    Two classes: (-f, f). More: the decision value (or probability) of the label minus the largest
    of the others. A class that the model has never seen scores minus infinity.
    """
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
    elif hasattr(model, "predict_proba"):
        values = np.asarray(model.predict_proba(X), dtype=np.float64)
    else:
        raise TypeError(
            f"`estimator` must have decision_function or predict_proba, got {model!r}. "
            "A score is needed to say how well a label fits."
        )
    known = np.searchsorted(classes, model.classes_)
    if values.ndim == 1:
        values = np.stack([-values, values], axis=1)
    elif values.shape[1] != known.size:
        raise ValueError(
            f"`estimator` must give one decision value a class, got {values.shape[1]} values for "
            f"{known.size} classes. Set decision_function_shape='ovr'."
        )
    else:
        values = margin_scores(values)
    return spread_columns(values, known, classes.size)


def spread_columns(values: Floats, known: Ints, n_labels: int) -> Floats:
    """Put the scores of the known labels into their columns; the others get minus infinity."""
    if known.size == n_labels:
        return values
    out = np.full((*values.shape[:-1], n_labels), -np.inf)
    out[..., known] = values
    return out


def decision_values(scores: Floats) -> Floats:
    """Label scores (n_points, n_labels) in the shape of a decision function, all finite."""
    # Labels that a model never saw have minus infinity; decision functions are finite.
    lowest = np.where(np.isfinite(scores), scores, np.inf).min(axis=1, keepdims=True)
    finite = np.maximum(scores, lowest - 1.0)
    return finite[:, 1] - finite[:, 0] if scores.shape[1] == 2 else finite


@dataclass(frozen=True, kw_only=True, eq=False)
class ValidationTable:
    """What the validation examples say of each model.

    Attributes
    ----------
    sorted_scores : ndarray of shape (n_models, n_validation)
        Scores of the validation examples with their own labels, ascending.
    tolerance : ndarray of shape (n_models,)
        Scores closer than this count as equal: the same row may differ in its last bits when it
        is computed within another block.
    n_errors : ndarray of shape (n_models,)
    """

    sorted_scores: Floats
    tolerance: Floats
    n_errors: Ints

    @classmethod
    def from_scores(cls, scores: Floats, codes: Ints) -> ValidationTable:
        """Build it from scores of shape (n_models, n_validation, n_labels) and true labels."""
        own = np.sort(scores[:, np.arange(codes.size), codes], axis=1)
        finite = np.where(np.isfinite(own), np.abs(own), 0.0)
        return cls(
            sorted_scores=own,
            tolerance=_TOLERANCE * (1.0 + finite.max(axis=1)),
            n_errors=(scores.argmax(axis=2) != codes).sum(axis=1),
        )

    @property
    def n_validation(self) -> int:
        """Number of validation examples."""
        return self.sorted_scores.shape[1]

    @property
    def best_first(self) -> Ints:
        """Models by validation error, the lowest index first among equals."""
        return np.argsort(self.n_errors, kind="stable")

    def count_at_most(self, scores: Floats) -> Ints:
        """For each model (first axis), how many validation scores are not above each score."""
        out = np.empty(scores.shape, dtype=np.intp)
        for k, row in enumerate(self.sorted_scores):
            # The tolerance counts ties as not above: p-values grow, which is the safe side.
            out[k] = np.searchsorted(row, scores[k] + self.tolerance[k], side="right")
        return out


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdict:
    """What a rule says of new cases.

    Attributes
    ----------
    label : ndarray of shape (n_points,)
        Column of the predicted label.
    model : ndarray of shape (n_points,)
        The model that decided.
    doubt : ndarray of shape (n_points,)
        Low where the rule is sure.
    scores : ndarray of shape (n_points, n_labels)
        Composite conformity score of every label; the predicted label has the largest.
    """

    label: Ints
    model: Ints
    doubt: Floats
    scores: Floats


def runner_up(scores: Floats) -> Floats:
    """The second largest score along the last axis: that of the best rejected label."""
    return np.partition(scores, -2, axis=-1)[..., -2]


def critical_counts(table: ValidationTable, scores: Floats) -> Ints:
    """Number of validation scores up to the point where each model's label set is down to one.

    With two labels: n times the smaller p-value; epsilon_crit is the minimum over models, over n.
    """
    return table.count_at_most(runner_up(scores))


def judge_by_nonconformity(
    table: ValidationTable, scores: Floats, tie: str, draws: Floats | None = None
) -> Verdict:
    """Algorithm 1: the model with the smallest critical epsilon predicts.

    Parameters
    ----------
    table : ValidationTable
    scores : ndarray of shape (n_models, n_points, n_labels)
    tie : {"vote", "validation", "random"}
        "vote": the label most tied models vote for, then the lowest validation error, then the
        lowest index. "validation": without the vote. "random": any of the tied models.
    draws : ndarray of shape (n_points,), optional
        Numbers in [0, 1) that choose among tied models; for "random".

    Notes
    -----
    The composite score of a label orders cases by epsilon_crit first and by the share of tied
    models that vote for the label second. It is a fixed function once the training and
    validation examples are given, which is all that calibration needs.
    """
    n_labels = scores.shape[2]
    labels, counts = scores.argmax(axis=2), critical_counts(table, scores)
    lowest = counts.min(axis=0)
    is_tied = counts == lowest
    votes = np.stack([(is_tied & (labels == y)).sum(axis=0) for y in range(n_labels)], axis=1)
    points = np.arange(lowest.size)
    if tie == "random":
        assert draws is not None
        # One draw a case, made by the caller: the same case gets the same model in any block.
        nth = np.floor(draws * is_tied.sum(axis=0)).astype(np.intp)
        model = (np.cumsum(is_tied, axis=0) > nth).argmax(axis=0)
    else:
        is_candidate = is_tied
        if tie == "vote":
            is_winner = votes == votes.max(axis=1, keepdims=True)
            is_candidate = is_tied & is_winner[points, labels]
        order = table.best_first
        model = order[is_candidate[order].argmax(axis=0)]
    label, doubt = labels[model, points], lowest / table.n_validation
    n = table.n_validation
    # Steps of epsilon are 1/n wide; the vote moves a score by half a step at most and so never
    # changes the order by epsilon.
    strength = 1.0 - doubt + 1.0 / n
    composite = votes / votes.sum(axis=1, keepdims=True) / (2.0 * n) - strength[:, None]
    composite[points, label] += 2.0 * strength
    return Verdict(label=label, model=model, doubt=doubt, scores=composite)


def judge_by_model(scores: Floats, model: Ints) -> Verdict:
    """The verdict of a given model for each case; doubt is minus the gap between two labels."""
    points = np.arange(scores.shape[1])
    own = scores[model, points]
    gap = own.max(axis=1) - runner_up(own)
    return Verdict(label=own.argmax(axis=1), model=model, doubt=-gap, scores=own)


def judge_by_margin(scores: Floats) -> Verdict:
    """SVM-L-infinity: the model with the largest margin at the case decides."""
    return judge_by_model(scores, scores.max(axis=2).argmax(axis=0))
