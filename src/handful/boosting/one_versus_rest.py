"""What the boosting estimators share: one machine for each class against the rest."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from handful._checks import check_delta, check_real
from handful._engines import engine_for, is_elsewhere
from handful._types import Floats
from handful.boosting._rademacher import RademacherEstimate
from handful.boosting._stumps import Stump
from handful.boosting._votes import StumpVote
from handful.boosting.margin_certificates import choose
from handful.bounds import Certificate, NotCertifiableError, held_out_bound
from handful.tables import BlindOrder, SeenRows, blind_order, warn_of_fitted_scaling


class Vote(Protocol):
    """A fitted score: a weighted sum of weak learners."""

    @property
    def total(self) -> float:
        """Sum of the absolute weights."""

    def __call__(self, X: Floats) -> Floats:
        """Score of every row."""

    def rules(self, names: Any) -> list[tuple[str, float]]:
        """Text and weight of the parts."""


class OneVersusRest(ClassifierMixin, BaseEstimator):
    """Fit, predict and certify with one score for two classes, or one for each of several.

    Subclasses validate their parameters in ``_check_parameters`` and fit one signed problem in
    ``_fit_one``, which gives a vote and the rows of ``history_``. They list their bounds in
    ``_bounds`` and compute them in ``_certify``.
    """

    _bounds: tuple[str, ...] = ()

    @abstractmethod
    def _check_parameters(self, X: Floats) -> None:
        """Raise on parameters that cannot be."""

    @abstractmethod
    def _fit_one(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[Vote, list[dict[str, float]]]:
        """Fit one signed problem."""

    @abstractmethod
    def _default_bound(self, has_complexity: bool) -> str:
        """The bound that "auto" stands for."""

    @abstractmethod
    def _certify(
        self,
        bound: str,
        delta: float,
        margin: float | None,
        rademacher: float | RademacherEstimate | None,
    ) -> Certificate:
        """One of ``_bounds``."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneVersusRest:
        """Fit the machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any kind; more than two classes are fitted one against the rest.
        sample_weight : array-like of shape (n_samples,), optional
            An example of weight two counts as two equal examples.

        Returns
        -------
        self
        """
        if is_elsewhere(X):
            return engine_for(X).fit(self, X, y, sample_weight=sample_weight)
        finite, given = "allow-nan" if self._allows_nan() else True, X
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_all_finite=finite)
        check_classification_targets(y)
        if getattr(self, "weak_learner", None) != "stumps":  # stumps do not care
            warn_of_fitted_scaling(X, getattr(self, "feature_names_in_", None))
        self._check_parameters(X)
        if hasattr(self, "random_state"):
            table = given if hasattr(given, "columns") else X
            self._follow(blind_order(table, y, random_state=self.random_state))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        present = np.unique(codes[weights > 0.0])
        if present.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs examples of at least two classes, got "
                f"{present.size} class. Collect examples of another class."
            )
        self.is_weighted_ = bool(np.any(weights != 1.0))
        self._seen = SeenRows.of(X[weights > 0.0], y[weights > 0.0])
        self._fit_machines(X, codes, weights)
        return self

    def _follow(self, blind: BlindOrder) -> None:
        """Seed what is random."""
        self.draw_ = blind.draw
        self._random = np.random.RandomState(blind.draw.number("weak learners"))

    def _fit_machines(self, X: Floats, codes: np.ndarray, weights: Floats) -> None:
        self.machines_: list[Vote] = []
        self._has_constant = False
        rows: list[dict[str, float]] = []
        margins = []
        positives = [1] if self.classes_.size == 2 else range(self.classes_.size)
        for k, positive in enumerate(positives):
            signed = np.where(codes == positive, 1.0, -1.0)
            vote, history = self._fit_one(X, signed, weights)
            self.machines_.append(vote)
            rows += [{"machine": k, **row} for row in history]
            margins.append(signed * vote(X) / (vote.total or 1.0))
        self._margins: Any = np.column_stack(margins)
        self.margins_ = self._margins[:, 0] if len(margins) == 1 else self._margins
        self._keep_history(rows)

    def _keep_history(self, rows: list[dict[str, float]]) -> None:
        names = list(rows[0]) if rows else []
        self.n_iter_ = int(max((row["round"] for row in rows), default=0))
        self.history_ = {name: np.array([row[name] for row in rows]) for name in names}

    def _columns_of(self, *names: str) -> list[np.ndarray]:
        """Columns of ``history_``; empty where the machine is constant."""
        return [self.history_.get(name, np.zeros(0)) for name in names]

    def _allows_nan(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    def _validated(self, X: Any) -> Floats:
        check_is_fitted(self, "machines_")
        finite = "allow-nan" if self._allows_nan() else True
        return validate_data(self, X, dtype=np.float64, ensure_all_finite=finite, reset=False)

    def decision_function(self, X: Any) -> Floats:
        """Score of ``classes_[1]``, or of each class against the rest where there are more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "decision_function", X)
        X = self._validated(X)
        scores = np.column_stack([vote(X) for vote in self.machines_])
        return scores[:, 0] if len(self.machines_) == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Class with the largest score; a score of zero goes to the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "predict", X)
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0.0).astype(int)]
        return self.classes_[np.argmax(scores, axis=1)]

    def get_rules(self) -> Any:
        """The parts of the votes with their weights, as a data frame."""
        import pandas as pd

        check_is_fitted(self, "machines_")
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        positives = self.classes_[1:] if len(self.machines_) == 1 else self.classes_
        rows = [
            (label, rule, weight)
            for label, vote in zip(positives, self.machines_, strict=True)
            for rule, weight in vote.rules(names)
        ]
        return pd.DataFrame(rows, columns=["class", "rule", "weight"])

    def certify(
        self,
        delta: float = 0.05,
        bound: str = "auto",
        *,
        X: Any = None,
        y: Any = None,
        margin: float | None = None,
        rademacher: float | RademacherEstimate | None = None,
    ) -> Certificate:
        """Certificate of the risk.

        Parameters
        ----------
        delta : float
            Allowed probability of failure.
        bound : str
            "auto", "held-out", or one of the bounds that the class lists in its notes. "auto" is
            "held-out" where ``X`` and ``y`` are given, otherwise the default of the class.
        X, y : array-like, optional
            Examples that had no part in training, for "held-out".
        margin : float, optional
            A margin fixed before the data, for the margin bounds. Otherwise several are tried
            and paid for.
        rademacher : float or RademacherEstimate, optional
            Complexity of the class of weak learners, for the margin bounds, where it is not
            known. The Monte-Carlo error of an estimate is paid for.

        Returns
        -------
        Certificate
            Vacuous bounds are marked as such.
        """
        check_is_fitted(self, "machines_")
        delta = check_delta(delta)
        auto = "held-out" if X is not None else self._default_bound(rademacher is not None)
        bound = choose(bound, auto, (*self._bounds, "held-out"))
        if bound == "held-out":
            return self._held_out(X, y, delta)
        if margin is not None:
            margin = check_real("margin", margin, low=0.0, high=1.0, low_open=True)
        return self._certify(bound, delta, margin, rademacher)

    def _held_out(self, X: Any, y: Any, delta: float) -> Certificate:
        if X is None or y is None:
            raise ValueError(
                "`X` and `y` must be given for bound='held-out', got none. Pass examples that "
                "had no part in training."
            )
        if is_elsewhere(X):
            n_rows, n_errors = engine_for(X).count_wrong(self, X, y)
            self._seen.judge(n_rows, engine_for(X).count_seen(self, X, y))
            return held_out_bound(n_rows, n_errors, delta=delta)
        predicted = self.predict(X)
        self._seen.refuse(self._validated(X), y)
        n_errors = int(np.sum(predicted != np.asarray(y)))
        return held_out_bound(predicted.size, n_errors, delta=delta)

    def _constant_vote(self, balance: float, reason: str) -> StumpVote:
        """A vote for the heavier class, with a warning: nothing better was found.

        ``balance`` is the weight of the positives minus that of the negatives.
        """
        warnings.warn(f"{type(self).__name__} is constant: {reason}", UserWarning, stacklevel=5)
        self._has_constant = True
        return constant_vote(balance)

    def _refuse_constant(self, bound: str) -> None:
        """Margin bounds speak of votes of the class; a constant need not be one."""
        if self._has_constant:
            raise NotCertifiableError(
                f"bound={bound!r} speaks of votes of weak learners, and the machine is a constant "
                "that none of them gave. Use bound='held-out'."
            )


def constant_vote(balance: float) -> StumpVote:
    """The vote that says +1 everywhere where ``balance`` is positive, otherwise -1."""
    return StumpVote([(Stump(-1, 0.0, 1 if balance > 0.0 else -1), 1.0)])
