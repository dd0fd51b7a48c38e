"""AdaBoost for scikit-learn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from handful._checks import check_choice, check_count
from handful._engines import engine_for, is_elsewhere
from handful._types import Floats
from handful.boosting._columns import ColumnFamily
from handful.boosting._learners import RESPONSES, LearnerColumns
from handful.boosting._losses import LOSSES
from handful.boosting._rademacher import RademacherEstimate
from handful.boosting._rounds import Boosted, adaboost_rounds
from handful.boosting._rows import merge_rows
from handful.boosting._stagewise import stagewise_rounds
from handful.boosting._stumps import StumpColumns
from handful.boosting.binned import (
    Weighing,
    binned_rounds,
    pool_encoder,
    weigh_rows,
)
from handful.boosting.margin_certificates import (
    given_complexity,
    hull_certificate,
    margin_columns,
    stump_complexity,
)
from handful.boosting.one_versus_rest import OneVersusRest, Vote
from handful.boosting.votes import LearnerVote, StumpVote
from handful.bounds import (
    Certificate,
    Criterion,
    NotCertifiableError,
    Term,
    adaboost_training_bound,
)

_NO_EDGE = "no weak learner has a positive edge. Check the labels, or give it richer weak learners."


class AdaBoost(OneVersusRest):
    """AdaBoost with compiled decision stumps or any scikit-learn weak learner.

    Each round fits a weak learner to reweighted examples and adds it to the vote with the
    weight that minimises Z, the factor by which the exponential loss falls: a stagewise additive
    model, for which other losses can be chosen. More than two
    classes are boosted one against the rest: each vote keeps its margins, its training bound
    and its probability link, and their certificates add up.

    Parameters
    ----------
    weak_learner : "stumps" or estimator
        Decision stumps with exact search (a missing value satisfies neither side of a stump),
        or a classifier or regressor that takes ``sample_weight``.
    n_rounds : int
        Most rounds; fewer where a learner is perfect or none is better than chance.
    loss : {"exponential", "logistic", "squared"}
        exp(-v), ln(1 + exp(-2 v)) or (1 - v)^2 of the margin v = y f(x). Each round takes the weak
        learner along which the mean loss falls steepest and gives it its best weight. With the
        logistic loss no example weighs more than any other by much, which helps where labels are
        noisy; with the squared loss the score estimates 2 P(y = 1) - 1.
    response : {"labels", "scores"}
        What a weak learner says: a sign, or a real number (its ``decision_function``, twice
        its probability minus one, or a regressor's prediction), whose weight is then found
        numerically. Stumps say signs.
    candidates : int, optional
        Take the thresholds of the stumps from this many examples, drawn without looking at
        labels, and add up weights as whole numbers: for many rows, and needed for Dask inputs.
        The result does not depend on how the rows are cut into chunks. By default every
        threshold between two examples is tried.
    delta : float
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests
        Seeds weak learners that are random, and draws the candidates. None takes the digest of X
        and y, so that there is no seed to choose. Other stumps are not random.

    Attributes
    ----------
    classes_ : ndarray
    machines_ : list
        One vote for two classes, otherwise one for each class. The vote of stumps has
        ``weights``: a stump chosen again adds to its weight.
    margins_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        y f(x) over the sum of the absolute weights, on the training examples.
    path_ : DataFrame
        One row a round, with the columns "machine", "round", "error", "alpha", "Z".
    n_iter_ : int
        Most rounds of a machine.

    Notes
    -----
    A weak learner without error stands alone, with the weight that puts the probability of its
    label at 1 - 1/(2 m). Equal examples are merged into one heavier example, so the result
    depends neither on their order nor on whether they are repeated or weighted. Where the first
    learner is no better than chance, the machine is constant and says so in a warning.

    Certificates: "rademacher-margin" (the default) and "margin-distribution", which hold for every
    way of training but are vacuous on small samples, and "held-out". Weak learners other than
    stumps need the complexity of their class, by ``margin_certificate(rademacher=...)``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    >>> machine = AdaBoost(n_rounds=3).fit(X, y)
    >>> machine.score(X, y)
    1.0
    >>> float(machine.path_["Z"].prod().round(8))
    0.58019253
    """

    _bounds = ("rademacher-margin", "margin-distribution")

    def __init__(
        self,
        weak_learner: Any = "stumps",
        *,
        n_rounds: int = 100,
        loss: str = "exponential",
        response: str = "labels",
        candidates: int | None = None,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.weak_learner = weak_learner
        self.n_rounds = n_rounds
        self.loss = loss
        self.response = response
        self.candidates = candidates
        self.delta = delta
        self.random_state = random_state

    def _allows_nan(self) -> bool:
        if _is_stumps(self.weak_learner):
            return True
        return (
            hasattr(self.weak_learner, "fit") and get_tags(self.weak_learner).input_tags.allow_nan
        )

    def _check_parameters(self, X: Floats) -> None:
        self._begin()

    def _begin(self) -> None:
        """Check the parameters."""
        check_count("n_rounds", self.n_rounds, low=1)
        check_choice("loss", self.loss, tuple(LOSSES))
        if self.candidates is not None:
            check_count("candidates", self.candidates, low=2)
            if not _is_stumps(self.weak_learner):
                raise ValueError(
                    f"`candidates` must be None for weak learners other than stumps, got "
                    f"{self.candidates!r}. Leave it out."
                )
            if self.loss != "exponential":
                raise ValueError(
                    f"`candidates` must be None for loss={self.loss!r}, got {self.candidates!r}. "
                    "Use loss='exponential' for many rows."
                )
        check_choice("response", self.response, RESPONSES)
        if not _is_stumps(self.weak_learner) and not hasattr(self.weak_learner, "fit"):
            raise ValueError(
                f"`weak_learner` must be 'stumps' or an estimator, got {self.weak_learner!r}."
            )

    def _follow(self, blind: Any) -> None:
        """Take the candidates, the first of the blind order, where there are any."""
        self._pool: Any = None
        if self.candidates is not None:
            self._pool = np.sort(blind.order[: int(self.candidates)])
        self.draw_ = blind.draw
        self._random = np.random.RandomState(blind.draw.number("weak learners"))

    def _fit_one(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[Vote, list[dict[str, float]]]:
        if self._pool is not None:
            return self._fit_binned(X, y_signed, weights)
        rows, signs, merged = merge_rows(X, y_signed, weights)
        family: ColumnFamily
        if _is_stumps(self.weak_learner):
            family = StumpColumns(rows)
        else:
            family = LearnerColumns(
                self.weak_learner, rows, response=self.response, random_state=self._random
            )
        if self.loss == "exponential":
            boosted = adaboost_rounds(family, signs, merged, int(self.n_rounds))
        else:
            loss = LOSSES[self.loss]
            boosted = stagewise_rounds(family, signs, merged, int(self.n_rounds), loss)
        return self._vote(boosted, float(weights @ y_signed)), self._history(boosted)

    def _fit_binned(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[Vote, list[dict[str, float]]]:
        """Stumps at the values of the pool, from sums of whole numbers."""
        encoder = pool_encoder(X[self._pool])
        codes, is_positive = encoder(X), y_signed > 0.0

        def weigh(ask: Weighing) -> Any:
            return weigh_rows(codes, is_positive, weights, encoder.n_codes, ask)

        log_total = math.log(math.fsum(weights))
        boosted = binned_rounds(encoder, weigh, len(X), log_total, int(self.n_rounds))
        return self._vote(boosted, float(weights @ y_signed)), self._history(boosted)

    @staticmethod
    def _history(boosted: Boosted) -> list[dict[str, float]]:
        return [
            {"round": t + 1, "error": r.error, "alpha": r.alpha, "Z": r.Z}
            for t, r in enumerate(boosted.rounds)
        ]

    def _vote(self, boosted: Boosted, balance: float) -> Vote:
        """The rounds as a vote; a constant for the heavier class where there are none."""
        if not boosted.rounds:
            return self._constant_vote(balance, _NO_EDGE)
        pairs = [(r.key, r.alpha) for r in boosted.rounds]
        if _is_stumps(self.weak_learner):
            return StumpVote(pairs)
        return LearnerVote([k for k, _ in pairs], [a for _, a in pairs], self.response)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities for which the scores are optimal; normalised if there are more classes.

        1 / (1 + exp(-2 f(x))) for the exponential and the logistic loss, (1 + f(x)) / 2 within
        [0, 1] for the squared one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "predict_proba", X)
        probability = LOSSES[self.loss].probability
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([probability(-scores), probability(scores)])
        each = probability(scores)
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, each, 1.0) / np.where(total > 0.0, total, each.shape[1])

    def _factors(self) -> list[tuple[int, int, float]]:
        """Machine, round and Z; none where the machine is constant."""
        return [(int(row["machine"]), int(row["round"]), row["Z"]) for row in self._rounds]

    def training_bound(self) -> Criterion:
        """The product of all Z: bounds the training error, and is no guarantee on new cases.

        It is the mean loss over its value at f = 0, for each of the losses. With several
        classes the products of the machines are added.
        """
        check_is_fitted(self, "machines_")
        terms = [
            Term("round", f"machine {k + 1}, Z of round {t}", Z) for k, t, Z in self._factors()
        ]
        products = [1.0] * len(self.machines_)
        for k, _, Z in self._factors():
            products[k] *= Z
        empty = adaboost_training_bound([])
        return replace(empty, value=min(1.0, sum(products)), terms=tuple(terms))

    def _margin_bound(
        self,
        bound: str,
        delta: float,
        margin: float | None,
        rademacher: float | RademacherEstimate | None,
    ) -> Certificate:
        m = margin_columns(self._margins)[0].size
        if rademacher is not None:
            complexity = given_complexity(rademacher, m, delta)
        elif _is_stumps(self.weak_learner):
            complexity = stump_complexity(m, self.n_features_in_)
        else:
            raise NotCertifiableError(
                f"bound={bound!r} needs the complexity of the weak learners, which is not known "
                f"for {type(self.weak_learner).__name__}. Pass it to `margin_certificate`, or use "
                "bound='held-out' with examples set aside."
            )
        if not _is_stumps(self.weak_learner):
            self._refuse_constant(bound)
        if not _is_stumps(self.weak_learner) and self.response == "scores":
            raise NotCertifiableError(
                f"bound={bound!r} needs weak learners in [-1, 1], and scores have no such limit. "
                "Use response='labels', or bound='held-out'."
            )
        return hull_certificate(bound, self._margins, complexity, margin=margin, delta=delta)


def _is_stumps(weak_learner: Any) -> bool:
    return isinstance(weak_learner, str) and weak_learner == "stumps"
