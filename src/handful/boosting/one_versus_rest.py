"""What the boosting estimators share: votes, margins, and the certificates they give."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from handful._checks import check_choice, check_delta, check_real
from handful._engines import engine_for, is_elsewhere
from handful._types import Floats, Ints
from handful.boosting._rademacher import RademacherEstimate
from handful.boosting._stumps import Stump
from handful.boosting.votes import ColumnVote, StumpVote, stump_curves
from handful.bounds import Certificate, NotCertifiableError
from handful.estimator import BaseClassifier, columns_of, shared_certificate
from handful.fitted import PART_COLUMNS, Machine, feature_names, from_scores, linear_score
from handful.tables import BlindOrder, blind_order

if TYPE_CHECKING:
    import pandas as pd


class Vote(Protocol):
    """A fitted score: a weighted sum of weak learners."""

    @property
    def total(self) -> float:
        """Sum of the absolute weights."""

    def __call__(self, X: Floats) -> Floats:
        """Score of every row."""

    def rules(self, names: Any) -> list[tuple[str, float]]:
        """Condition and weight of the parts."""


class OneVersusRest(BaseClassifier):
    """One vote for two classes, or one for each of several against the rest.

    Subclasses validate their parameters in ``_check_parameters`` and fit one signed problem in
    ``_fit_one``, which gives a vote and rows of ``path_``. They compute their margin bounds in
    ``_margin_bound``.
    """

    machines_: list[Any]

    @abstractmethod
    def _check_parameters(self, X: Floats) -> None:
        """Raise on parameters that cannot be."""

    @abstractmethod
    def _fit_one(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[Vote, list[dict[str, float]]]:
        """Fit one signed problem."""

    @abstractmethod
    def _margin_bound(
        self,
        bound: str,
        delta: float,
        margin: float | None,
        rademacher: float | RademacherEstimate | None,
    ) -> Certificate:
        """One of ``_bounds``."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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
        given, learner = X, getattr(self, "weak_learner", None)
        is_stumps = isinstance(learner, str) and learner == "stumps"  # they do not care for scale
        X, y, codes = self._read_examples(X, y, scale_matters=not is_stumps)
        self._check_parameters(X)
        if hasattr(self, "random_state"):
            table = given if hasattr(given, "columns") else X
            self._follow(blind_order(table, y, random_state=self.random_state))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._refuse_one_class(np.unique(codes[weights > 0.0]).size)
        self.is_weighted_ = bool(np.any(weights != 1.0))
        if np.any(weights == 0.0):
            self._remember(X[weights > 0.0], y[weights > 0.0], len(X))
        self._fit_machines(X, codes, weights)
        return self

    def _refuse_one_class(self, n_present: int) -> None:
        if n_present < 2:
            raise ValueError(
                f"{type(self).__name__} needs examples of at least two classes, got "
                f"{n_present} class. Collect examples of another class."
            )

    def _follow(self, blind: BlindOrder) -> None:
        """Seed what is random."""
        self.draw_ = blind.draw
        self._random = np.random.RandomState(blind.draw.number("weak learners"))

    def _fit_machines(self, X: Floats, codes: Ints, weights: Floats) -> None:
        self.machines_ = []
        self._has_constant = False
        rows: list[dict[str, float]] = []
        margins, scores = [], []
        for k, signed in enumerate(self._signs(codes)):
            vote, history = self._fit_one(X, signed, weights)
            self.machines_.append(vote)
            rows += [{"machine": k, **row} for row in history]
            scores.append(vote(X))
            margins.append(signed * scores[-1] / (vote.total or 1.0))
        self._margins: Any = np.column_stack(margins)
        self.margins_ = self._margins[:, 0] if len(margins) == 1 else self._margins
        self.n_training_errors_ = int(np.sum(from_scores(columns_of(scores)) != codes))
        self._keep_path(rows)

    def _keep_path(self, rows: list[dict[str, float]]) -> None:
        self.n_iter_ = int(max((row["round"] for row in rows), default=0))
        self._rounds = rows

    @property
    def path_(self) -> pd.DataFrame:
        """One row a round of each machine."""
        import pandas as pd

        check_is_fitted(self, "machines_")
        return pd.DataFrame(self._rounds)

    def _scores(self, rows: Floats) -> Floats:
        return columns_of([vote(rows) for vote in self.machines_])

    def _machine(self) -> Machine:
        votes = self.machines_
        if all(isinstance(vote, StumpVote) for vote in votes):
            return stump_curves(votes)
        if all(isinstance(vote, ColumnVote) for vote in votes):
            return linear_score([vote.coef for vote in votes], np.zeros(len(votes)))
        return super()._machine()

    def get_rules(self) -> pd.DataFrame:
        """The parts of the votes: the label they speak for gains the value, or loses it."""
        import pandas as pd

        check_is_fitted(self, "machines_")
        names = feature_names(self)
        rows = [
            ("vote", condition, self.classes_[positive], value)
            for positive, vote in zip(self._positives(), self.machines_, strict=True)
            for condition, value in vote.rules(names)
        ]
        return pd.DataFrame(rows, columns=list(PART_COLUMNS))

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        return shared_certificate(
            lambda share: self._margin_bound(bound, share, None, None), delta, n_choices
        )

    def margin_certificate(
        self,
        delta: float | None = None,
        *,
        bound: str = "auto",
        margin: float | None = None,
        rademacher: float | RademacherEstimate | None = None,
    ) -> Certificate:
        """A margin bound at a margin, or for a complexity, that you know.

        Parameters
        ----------
        delta : float, optional
        bound : str
            "auto" or one of the bounds that the class lists in its notes.
        margin : float, optional
            A margin fixed before the data. Otherwise several are tried and paid for.
        rademacher : float or RademacherEstimate, optional
            Complexity of the class of weak learners, where it is not known. The Monte-Carlo error
            of an estimate is paid for.
        """
        check_is_fitted(self, "machines_")
        delta = check_delta(self.delta if delta is None else delta)
        check_choice("bound", bound, ("auto", *self._bounds))
        if bound == "auto":
            bound = self._default_bound() if rademacher is None else "rademacher-margin"
        if margin is not None:
            margin = check_real("margin", margin, low=0.0, high=1.0, low_open=True)
        return self._margin_bound(bound, delta, margin, rademacher)

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
