"""From scores to verdicts: p-values, the critical epsilon, ties, and the composite score.

A model gives every (case, label) pair a conformity score, by default the margin y f(x). A higher
score means a better fit. Arrays have shape (n_models, n_points, n_labels). The p-value of a pair
is the share of validation examples with a score (for their own label) that is not above.

Guarantees need examples that were not used to make the rule. The published argument
(Proposition 4.2) bounds one fixed model, but the rule picks the model after seeing the case; its
value is only reproduced here. Given the models, the validation examples and the tie rule, the
*composite* rule is a fixed function. Fresh calibration examples then give conformal p-values, a
bound on the risk, and a bound on the risk among accepted cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.bounds import (
    Certificate,
    Criterion,
    NotCertifiableError,
    Quantity,
    Term,
    assume,
    held_out_bound,
    selective_error_bound,
)
from handful.checks import check_choice, check_count, check_real

_TOLERANCE = 1e-10  # relative; closer scores are equal up to rounding of the kernel
TIES = ("random", "validation", "vote")


def margin_scores(values: Floats) -> Floats:
    """Value of each label (last axis) minus the largest value of the other labels."""
    top = np.partition(values, -2, axis=-1)
    best, second = top[..., -1:], top[..., -2:-1]
    return values - np.where(values == best, second, best)


def label_scores(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Conformity scores of ``classes`` by a fitted classifier, shape (n_points, n_labels).

    For two classes they are (-f, f). For more classes they are the decision value (or
    probability) of the label minus the largest of the others. A class that the model has not seen
    gets minus infinity.
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
    """Put the scores of the known labels into their columns; other columns are -infinity."""
    if known.size == n_labels:
        return values
    out = np.full((*values.shape[:-1], n_labels), -np.inf)
    out[..., known] = values
    return out


def decision_values(scores: Floats) -> Floats:
    """Label scores (n_points, n_labels) in the shape of a decision function, all finite."""
    # Labels that a model has not seen have minus infinity; decision functions are finite.
    lowest = np.where(np.isfinite(scores), scores, np.inf).min(axis=1, keepdims=True)
    finite = np.maximum(scores, lowest - 1.0)
    return finite[:, 1] - finite[:, 0] if scores.shape[1] == 2 else finite


@dataclass(frozen=True, kw_only=True, eq=False)
class ValidationTable:
    """Scores and errors of each model on the validation examples.

    ``sorted_scores``, of shape (n_models, n_validation), are the scores of the validation examples
    with their own labels, ascending. Scores that differ by less than ``tolerance`` count as equal,
    because the last bits of a score may depend on the block in which the row is computed.
    """

    sorted_scores: Floats
    tolerance: Floats
    n_errors: Ints

    @classmethod
    def from_scores(cls, scores: Floats, codes: Ints) -> ValidationTable:
        """A table from scores of shape (n_models, n_validation, n_labels) and true labels."""
        own = np.sort(scores[:, np.arange(codes.size), codes], axis=1)
        finite = np.where(np.isfinite(own), np.abs(own), 0.0)
        return cls(
            sorted_scores=own,
            tolerance=_TOLERANCE * (1.0 + finite.max(axis=1)),
            n_errors=(scores.argmax(axis=2) != codes).sum(axis=1),
        )

    @property
    def n_validation(self) -> int:
        """The number n of validation examples."""
        return self.sorted_scores.shape[1]

    @property
    def best_first(self) -> Ints:
        """Models by validation error, then by index."""
        return np.argsort(self.n_errors, kind="stable")

    def count_at_most(self, scores: Floats) -> Ints:
        """Number of validation scores of each model (first axis) not above each score."""
        out = np.empty(scores.shape, dtype=np.intp)
        for k, row in enumerate(self.sorted_scores):
            # The tolerance counts ties as not above: p-values can only grow, the safe side.
            out[k] = np.searchsorted(row, scores[k] + self.tolerance[k], side="right")
        return out


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseVerdicts:
    """The verdicts of a rule on new cases."""

    label: Ints  # column of the predicted label
    model: Ints  # the deciding model
    doubt: Floats  # low values mean that the rule is sure
    scores: Floats  # (n_points, n_labels); the predicted label has the largest score


def runner_up(scores: NDArray[Any]) -> NDArray[Any]:
    """The second largest score along the last axis: the score of the best rejected label."""
    return np.partition(scores, -2, axis=-1)[..., -2]


def critical_counts(table: ValidationTable, scores: Floats) -> Ints:
    """Number of validation scores not above the score of each model's best rejected label.

    At this count divided by n, the label set of the model shrinks to one label. With two labels
    it is n times the smaller p-value. epsilon_crit is the minimum over models, divided by n.
    """
    return table.count_at_most(runner_up(scores))


def judge_by_nonconformity(
    table: ValidationTable, scores: Floats, tie: str, draws: Floats | None = None
) -> CaseVerdicts:
    """Algorithm 1: the model with the smallest critical epsilon predicts.

    ``tie`` is "vote" (the label with most votes of tied models, then the lowest validation error,
    then the lowest index) or "validation" (without the vote). ``draws``, one number in [0, 1) for
    each case, break ties at random instead.

    The composite score of a label orders cases by epsilon_crit, then by the share of tied models
    that vote for the label plus its mean p-value over all models. Given the training and
    validation examples it is a fixed function; calibration needs nothing else.
    """
    n_labels = scores.shape[2]
    # The count grows with the score: that of the best rejected label is the second largest.
    labels, all_counts = scores.argmax(axis=2), table.count_at_most(scores)
    counts = runner_up(all_counts)
    lowest = counts.min(axis=0)
    is_tied = counts == lowest
    votes = np.stack([(is_tied & (labels == y)).sum(axis=0) for y in range(n_labels)], axis=1)
    points = np.arange(lowest.size)
    if draws is not None:
        # The draws are a function of the case: it gets the same model in every block.
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
    # Steps of epsilon are 1/n wide. Votes and p-values move a score by half a step at most, so
    # they never change the order by epsilon. Most cases tie at 0 and most of these models agree:
    # without the p-values, all errors among them would have one score, and sets hold all labels.
    strength = 1.0 - doubt + 1.0 / n
    within = votes / votes.sum(axis=1, keepdims=True) + all_counts.mean(axis=0) / n
    composite = within / (4.0 * n) - strength[:, None]
    composite[points, label] += 2.0 * strength
    return CaseVerdicts(label=label, model=model, doubt=doubt, scores=composite)


def judge_by_model(scores: Floats, model: Ints) -> CaseVerdicts:
    """The verdict of a given model for each case; doubt is minus the gap to the second label."""
    points = np.arange(scores.shape[1])
    own = scores[model, points]
    gap = own.max(axis=1) - runner_up(own)
    return CaseVerdicts(label=own.argmax(axis=1), model=model, doubt=-gap, scores=own)


def judge_by_margin(scores: Floats) -> CaseVerdicts:
    """SVM-L-infinity: the model with the largest margin of the case decides."""
    return judge_by_model(scores, scores.max(axis=2).argmax(axis=0))


_HARDOON = "Hardoon, Hussain & Shawe-Taylor (2009), A nonconformity approach to model selection"
SET_GUARANTEES = ("case", "class")
SELECTIVE_BOUNDS = ("auto", "held-out", "selective-error")


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """Scores, doubts and errors of the composite rule on fresh examples."""

    sorted_scores: Floats  # composite scores of the examples with their own labels, ascending
    codes: Ints  # the label of each of these scores
    tolerance: float  # closer scores count as equal, which can only enlarge a p-value
    doubt: Floats
    is_error: Mask
    n_thresholds: int | None  # number of values of doubt, if finite and known beforehand

    @classmethod
    def from_verdict(
        cls, verdict: CaseVerdicts, codes: Ints, n_thresholds: int | None
    ) -> Calibration:
        """Calibration from the verdicts on the examples and their true labels."""
        own = verdict.scores[np.arange(codes.size), codes]
        order = np.argsort(own, kind="stable")
        finite = np.abs(own[np.isfinite(own)])
        return cls(
            sorted_scores=own[order],
            codes=codes[order],
            tolerance=1e-10 * (1.0 + finite.max(initial=0.0)),
            doubt=verdict.doubt,
            is_error=verdict.label != codes,
            n_thresholds=n_thresholds,
        )

    @property
    def n_calibration(self) -> int:
        """The number of calibration examples."""
        return self.sorted_scores.size

    def count_at_most(self, scores: Floats, by: str) -> tuple[Ints, Ints]:
        """Numbers of calibration scores not above each score, and of those compared with a label.

        ``scores`` have the shape (n_points, n_labels). By "case" all calibration scores are
        compared, by "class" those of the label itself.
        """
        counts, sizes = np.empty(scores.shape, dtype=np.intp), np.empty(scores.shape[1], np.intp)
        for y in range(scores.shape[1]):
            own = self.sorted_scores if by == "case" else self.sorted_scores[self.codes == y]
            counts[:, y] = np.searchsorted(own, scores[:, y] + self.tolerance, side="right")
            sizes[y] = own.size
        return counts, sizes

    def certificate(self, delta: float, n_choices: int = 1) -> Certificate:
        """Bound on the risk of the composite rule, which the examples did not influence."""
        n_errors = int(self.is_error.sum())
        return held_out_bound(self.n_calibration, n_errors, n_choices=n_choices, delta=delta)

    def selective_certificate(
        self, threshold: float, *, delta: float = 0.05, bound: str = "auto"
    ) -> Certificate:
        """Bound on the error probability among cases with doubt at most ``threshold``.

        Both bounds hold for all thresholds at once, so the threshold may be chosen afterwards.
        "held-out" divides delta over the values that doubt can take. "selective-error" uses the
        deviation of empirical distributions. "auto" is "held-out" if doubt has finitely many
        values.
        """
        check_choice("bound", bound, SELECTIVE_BOUNDS)
        if isinstance(threshold, (str, bool)) or not np.isreal(threshold) or np.isnan(threshold):
            raise ValueError(f"`threshold` must be a number, got {threshold!r}.")
        is_accepted = self.doubt <= threshold
        n_accepted, n_errors = int(is_accepted.sum()), int(self.is_error[is_accepted].sum())
        if bound == "selective-error" or (bound == "auto" and self.n_thresholds is None):
            return selective_error_bound(self.n_calibration, n_accepted, n_errors, delta=delta)
        if self.n_thresholds is None:
            raise NotCertifiableError(
                "'held-out' needs a doubt with finitely many values, as epsilon_crit has. "
                "Use bound='selective-error' here."
            )
        return _accepted_certificate(n_accepted, n_errors, self.n_thresholds, delta)


def _accepted_certificate(
    n_accepted: int, n_errors: int, n_thresholds: int, delta: float
) -> Certificate:
    """Given the accepted cases, their errors are binomial; each threshold gets delta / n."""
    # If no case is accepted, compute with one case; the risk is set to 1 below.
    certificate = held_out_bound(max(n_accepted, 1), n_errors, n_choices=n_thresholds, delta=delta)
    choice = f"choice among {n_thresholds} thresholds"
    terms = tuple(
        replace(term, text=choice) if term.kind == "choice" else term for term in certificate.terms
    )
    return replace(
        certificate,
        risk=certificate.risk if n_accepted else 1.0,
        terms=terms,
        quantity=Quantity("accepted"),
        assumptions=assume("iid", "calibration"),
    )


def label_p_values(
    calibrations: Sequence[Calibration], scores: Sequence[Floats], by: str = "case"
) -> Floats:
    """Valid p-values of every label from one calibration, or from one for each of K folds.

    ``scores``, each of shape (n_points, n_labels), are those of the new cases by the rule of each
    calibration. C counts the calibration scores not above, over all folds, and n those compared.
    One calibration gives (C + 1) / (n + 1); K folds give 2 (C + K) / (n + K).
    """
    check_choice("by", by, SET_GUARANTEES)
    found = [
        part.count_at_most(values, by) for part, values in zip(calibrations, scores, strict=True)
    ]
    n_folds = len(found)
    counts, sizes = sum(c for c, _ in found), sum(n for _, n in found)
    # Every fold gives the p-value (C_k + 1) / (n_k + 1). This is their mean with the weights
    # (n_k + 1) / (n + K). Twice a weighted mean of p-values is one, however they depend on each
    # other; the mean alone is not.
    means = np.asarray((counts + float(n_folds)) / (sizes + float(n_folds)), dtype=np.float64)
    return means if n_folds == 1 else np.minimum(2.0 * means, 1.0)


def cross_conformal_level(nominal: float, n_samples: int, n_folds: int) -> float:
    """The level that published cross-conformal sets hold: 1 - 2 a - 2 (1 - a)(K - 1) / (n + K).

    With C calibration scores not above that of a label, over all K folds and n examples, the
    published p-value is (C + 1) / (n + 1), and a = 1 - ``nominal``. Sets of the labels with
    p-values above a hold the true label with this probability at least, not with ``nominal``.
    ``predict_set`` at the returned level gives these sets.

    References
    ----------
    Vovk (2015), Cross-conformal predictors; Vovk & Wang (2020), Combining p-values via averaging;
    Barber, Candes, Ramdas & Tibshirani (2021), Predictive inference with the jackknife+.

    Examples
    --------
    >>> round(cross_conformal_level(0.9, 300, 5), 4)
    0.7764
    """
    epsilon = 1.0 - check_level(nominal)
    n_folds = check_count("n_folds", n_folds, low=2)
    n_samples = check_count("n_samples", n_samples, low=n_folds)
    share = (n_folds - 1.0) / (n_samples + n_folds)
    return max(0.0, 1.0 - 2.0 * epsilon - 2.0 * (1.0 - epsilon) * share)


def published_deviation(n_validation: int, n_models: int, delta: float = 0.05) -> float:
    """The deviation term of Proposition 4.2: 5.66 sqrt((ln(e n) + ln(8 K / delta)) / n).

    Examples
    --------
    >>> round(published_deviation(50, 110), 6)
    3.067665
    """
    n = n_validation
    return 5.66 * math.sqrt((1.0 + math.log(n) + math.log(8.0 * n_models / delta)) / n)


def published_nonconformity_value(
    epsilon_crit: float, n_validation: int, n_models: int, *, delta: float = 0.05
) -> Criterion:
    """The value of Proposition 4.2: published, not a guarantee.

    It would bound the error probability of a model fixed before the case is seen. The rule picks
    the model after seeing the case, so the error can be far larger: with random labels and 110
    random scores the value falls to 0.2 while the error stays at 0.5.

    Examples
    --------
    >>> criterion = published_nonconformity_value(0.0, 20000, 110)
    >>> print(criterion)
    Proposition 4.2 (published, not a guarantee) = 0.181998 (a criterion, not a guarantee)
    """
    deviation = published_deviation(n_validation, n_models, delta)
    return Criterion(
        value=epsilon_crit + deviation,
        name="Proposition 4.2 (published, not a guarantee)",
        warning=(
            "It bounds a model that was fixed before the case; the rule picks its model after "
            "seeing the case. Use calibration_size and certify() or selective_certificate()."
        ),
        terms=(
            Term("criterion", "epsilon_crit", epsilon_crit),
            Term("deviation", "deviation", deviation),
        ),
        reference=f"{_HARDOON}, Proposition 4.2",
    )


def require_calibration(calibration: Calibration | None, what: str) -> Calibration:
    """Return the calibration; raise NotCertifiableError if there is none."""
    if calibration is None:
        raise NotCertifiableError(
            f"{what} needs examples that had no part in making the rule: the validation examples "
            "chose its models. Set `calibration_size` (for label sets, also `cross_folds`) and fit "
            "again."
        )
    return calibration


def check_level(level: Any) -> float:
    """Return ``level``, the probability that a label set holds the true label."""
    hint = "It is the probability that the set holds the label: 0.9 for 90 %."
    return check_real("level", level, low=0.0, high=1.0, low_open=True, high_open=True, hint=hint)
