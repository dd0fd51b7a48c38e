"""Any scikit-learn estimator as a family of weak learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from handful._types import Floats
from handful.boosting._columns import Column

RESPONSES = ("labels", "scores")


class LearnerColumns:
    """Fit an estimator to the weighted signs and call the result a column.

    Parameters
    ----------
    learner : estimator
        A classifier, or with ``response="scores"`` a regressor; it must take ``sample_weight``.
    X : ndarray of shape (n_samples, n_features)
    response : {"labels", "scores"}
        The sign it predicts, or a real number: ``decision_function``, twice the probability
        minus one, or what a regressor predicts.
    random_state : numpy.random.RandomState
        Seeds the learners that have a ``random_state``.
    """

    is_exact = False

    def __init__(
        self, learner: Any, X: Floats, *, response: str, random_state: np.random.RandomState
    ) -> None:
        self._learner, self._X = learner, X
        self._response, self._random_state = response, random_state

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """One fitted learner; it is a good column, not always the best of its class."""
        member = self._fit(scores)
        values = response(member, self._X, self._response)
        return [Column(member, values, float(scores @ values))]

    def _fit(self, scores: Floats) -> Any:
        is_used = scores != 0.0
        signs = np.sign(scores[is_used])
        if np.all(signs == signs[0]):
            return Constant(int(signs[0]))
        learner = clone(self._learner)
        if "random_state" in learner.get_params(deep=False):
            learner.set_params(random_state=self._random_state.randint(2**31 - 1))
        weight = np.abs(scores[is_used])
        weight = weight * (weight.size / weight.sum())
        X = self._X if is_used.all() else self._X[is_used]
        target = signs if is_regressor(learner) else signs.astype(np.int64)
        return learner.fit(X, target, sample_weight=weight)


class Constant:
    """The learner that says ``sign`` everywhere."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def predict(self, X: Floats) -> Floats:
        """``sign`` for every row."""
        return np.full(X.shape[0], float(self.sign))


def response(member: Any, X: Floats, kind: str) -> Floats:
    """Values of a fitted learner: its signs, or its real-valued scores."""
    if kind == "scores" and hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64)
    if kind == "scores" and hasattr(member, "predict_proba"):
        return np.asarray(2.0 * member.predict_proba(X)[:, 1] - 1.0)
    return np.asarray(member.predict(X), dtype=np.float64)
