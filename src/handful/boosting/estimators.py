"""The base of the boosting estimators (votes, margins, certificates), and `AdaBoost`."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats, Ints
from handful.boosting.binned import (
    BinnedRows,
    VoteMargins,
    WeighedRows,
    Weighing,
    binned_rounds,
    pool_encoder,
    weigh_rows,
)
from handful.boosting.kernel_solver import KernelSolution
from handful.boosting.margin_certificates import (
    Rademacher,
    given_complexity,
    hull_certificate,
    margin_columns,
    stump_complexity,
)
from handful.boosting.rounds import (
    LOSSES,
    Boosted,
    adaboost_rounds,
    choose_rounds,
    stagewise_rounds,
)
from handful.boosting.solver import LPBoosted
from handful.boosting.votes import ColumnVote, LearnerVote, StumpVote, WeightedVote
from handful.boosting.weak_learners import (
    RESPONSES,
    ColumnFamily,
    LearnerColumns,
    StumpColumns,
    WeakStump,
    merge_rows,
)
from handful.bounds import (
    Certificate,
    Criterion,
    NotCertifiableError,
    Term,
    adaboost_training_bound,
)
from handful.checks import check_choice, check_count, check_delta, check_real, check_weights
from handful.chunks import chunked, is_chunked
from handful.estimator import BaseClassifier, columns_of, shared_certificate
from handful.models import PART_COLUMNS, Form, Votes, from_scores, linear_score
from handful.tables import Draw, RowNeeds, RowSource, blind_order, feature_names

if TYPE_CHECKING:
    import pandas as pd


#: Rows of ``path_``.
Rows = list[dict[str, float]]


class OneVersusRest(BaseClassifier):
    """One vote for two classes; for more classes, one vote for each class against the rest."""

    machines_: list[Any]
    _kept_data = ("_seen", "_margins", "margins_")

    @abstractmethod
    def _check_parameters(self, X: Floats) -> None:
        """Raise on parameters that cannot be."""

    @abstractmethod
    def _fit_one(self, X: Floats, y_signed: Floats, weights: Floats) -> tuple[WeightedVote, Rows]:
        """Fit one problem with labels in {-1, 1}: the vote, and its rows of ``path_``."""

    @abstractmethod
    def _margin_bound(
        self, bound: str, delta: float, margin: float | None, rademacher: Rademacher | None
    ) -> Certificate:
        """The certificate of one of ``_bounds``."""

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
        if is_chunked(X):
            return chunked().fit(self, X, y, sample_weight=sample_weight)
        given, is_free_of_scale = X, self._is("stumps")
        X, y, codes = self._read_examples(X, y, scale_matters=not is_free_of_scale)
        self._check_parameters(X)
        if hasattr(self, "random_state"):
            table = given if hasattr(given, "columns") else X
            blind = blind_order(table, y, random_state=self.random_state)
            self._follow(blind.draw, blind.order)
        weights = check_weights(sample_weight, len(X))
        self._refuse_one_class(np.unique(codes[weights > 0.0]).size)
        self.is_weighted_ = bool(np.any(weights != 1.0))
        if np.any(weights == 0.0):
            # An example of weight 0 taught nothing: it may serve as a held-out row.
            self._remember(X[weights > 0.0], y[weights > 0.0], len(X))
        self._fit_machines(X, codes, weights)
        return self

    def _is(self, name: str) -> bool:
        """Whether ``weak_learner`` is this name."""
        learner = getattr(self, "weak_learner", None)
        return isinstance(learner, str) and learner == name

    def _allows_nan(self) -> bool:
        learner = getattr(self, "weak_learner", None)
        is_estimator = hasattr(learner, "fit")
        return get_tags(learner).input_tags.allow_nan if is_estimator else self._is("stumps")

    def _refuse_one_class(self, n_present: int) -> None:
        if n_present < 2:
            raise ValueError(
                f"{type(self).__name__} needs examples of at least two classes, got "
                f"{n_present} class. Collect examples of another class."
            )

    def _follow(self, draw: Draw, order: Ints) -> None:
        """Take the draw, and seed weak learners that are random."""
        self.draw_ = draw
        self._random = np.random.RandomState(draw.number("weak learners"))

    def _fit_machines(self, X: Floats, codes: Ints, weights: Floats) -> None:
        self.machines_ = []
        self._has_constant = False
        rows: Rows = []
        margins, scores = [], []
        for k, signed in enumerate(self._signs(codes)):
            vote, history = self._fit_one(X, signed, weights)
            self.machines_.append(vote)
            rows += [{"machine": k, **row} for row in history]
            scores.append(vote(X))
            # The margin bounds are for convex votes: the weights are divided by their sum.
            margins.append(signed * scores[-1] / (vote.total or 1.0))
        self._margins: Any = np.column_stack(margins)
        self.margins_ = self._margins[:, 0] if len(margins) == 1 else self._margins
        self.n_training_errors_ = int(np.sum(from_scores(columns_of(scores)) != codes))
        self._keep_path(rows)

    def _keep_path(self, rows: Rows) -> None:
        self.n_iter_ = int(max((row["round"] for row in rows), default=0))
        self._rounds = rows

    @property
    def path_(self) -> pd.DataFrame:
        """One row for each round of each machine."""
        import pandas as pd

        check_is_fitted(self, "machines_")
        return pd.DataFrame(self._rounds)

    def _scores(self, rows: Floats) -> Floats:
        return columns_of([vote(rows) for vote in self.machines_])

    def _machine(self) -> Form:
        votes = self.machines_
        if all(isinstance(vote, StumpVote) for vote in votes):
            return Votes(tuple(vote.stumps for vote in votes))
        if all(isinstance(vote, ColumnVote) for vote in votes):
            return linear_score([vote.coef for vote in votes], np.zeros(len(votes)))
        return self._closed(
            "`machine` must vote by stumps or columns to be written to a file, got "
            f"{type(self).__name__} over other estimators."
        )

    def get_rules(self) -> pd.DataFrame:
        """The parts of the votes: each adds its value to the score of its label."""
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
        rademacher: Rademacher | None = None,
    ) -> Certificate:
        """A margin bound for a margin or a complexity that you know.

        Parameters
        ----------
        delta : float, optional
        bound : str
            "auto" or one of the bounds that the class lists in its notes.
        margin : float, optional
            A margin that was fixed before the data were seen. By default several margins are
            tried, and the bound pays for the choice.
        rademacher : float or RademacherEstimate, optional
            Complexity of the class of weak learners, if this class does not know it. The bound
            pays for the Monte-Carlo error of an estimate.

        Returns
        -------
        Certificate
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
        """A vote for the heavier class, with a warning that nothing better was found."""
        warnings.warn(f"{type(self).__name__} is constant: {reason}", UserWarning, stacklevel=5)
        self._has_constant = True
        return constant_vote(balance)

    def _refuse_constant(self, bound: str) -> None:
        """Refuse margin bounds: they cover votes of the class, and a constant need not be one."""
        if self._has_constant:
            raise NotCertifiableError(
                f"bound={bound!r} speaks of votes of weak learners, and the machine is a constant "
                "that none of them gave. Use bound='held-out'."
            )


class ProgramBooster(OneVersusRest):
    """A booster that solves one linear program for each vote."""

    max_iter: int
    beta_: Floats
    rho_: Floats
    gap_: Floats
    nu_: Floats
    _solutions: list[tuple[float, float, float, float]]

    def _keep_solution(self, solution: LPBoosted | KernelSolution, nu: float) -> Rows:
        """Keep the figures of one program; gives its rows of ``path_``. Warns about a gap."""
        if not solution.is_converged:
            warnings.warn(
                f"{type(self).__name__} stopped after {self.max_iter} rounds with a gap of "
                f"{solution.gap:.3g}. Raise `max_iter`, `tol` or `nu`.",
                ConvergenceWarning,
                stacklevel=5,
            )
        self._solutions.append((solution.beta, solution.rho, solution.gap, nu))
        self.beta_, self.rho_, self.gap_, self.nu_ = np.array(self._solutions).T
        return [state.row() for state in solution.history]


def constant_vote(balance: float) -> StumpVote:
    """The vote for the heavier class; ``balance`` is weight of positives minus negatives."""
    return StumpVote([(WeakStump(-1, 0.0, 1 if balance > 0.0 else -1), 1.0)])


_NO_EDGE = "no weak learner has a positive edge. Check the labels, or give it richer weak learners."


class AdaBoost(OneVersusRest):
    """AdaBoost with compiled decision stumps or any scikit-learn weak learner.

    Each round fits a weak learner to reweighted examples. The learner joins the vote with the
    weight that minimises Z, the factor by which the loss falls. The result is a stagewise additive
    model; the loss is exponential by default. More than two classes are boosted one against the
    rest: each vote has its margins, its training bound and its probabilities, and the risks in
    their certificates add up.

    Parameters
    ----------
    weak_learner : "stumps" or estimator
        Decision stumps with exact search (a missing value satisfies neither side of a stump),
        or a classifier or regressor that takes ``sample_weight``.
    n_rounds : int or "auto"
        Most rounds. "auto" takes up to 300 by a cross-validation within the training examples, for
        each class against the rest. The certificates hold for every way of training, so that the
        choice costs nothing. There are fewer if a learner is perfect, or if none is better than
        chance.
    loss : {"exponential", "logistic", "squared"}
        exp(-v), ln(1 + exp(-2 v)) or (1 - v)^2 of the margin v = y f(x). Each round takes the weak
        learner along which the mean loss falls steepest and gives it its best weight. With the
        logistic loss no example weighs much more than the others, which helps if labels are
        noisy. With the squared loss the score estimates 2 P(y = 1) - 1.
    response : {"labels", "scores"}
        Output of a weak learner: a sign, or a real number (its ``decision_function``, twice
        its probability minus one, or a regressor's prediction). The weight of a real-valued
        learner is found numerically. Stumps give signs.
    candidates : int, optional
        Take the thresholds of the stumps from this many examples, drawn without looking at
        labels, and add up weights as whole numbers. Use it for many rows; Dask inputs need it.
        The result does not depend on how the rows are cut into chunks. By default every
        threshold between two examples is tried.
    delta : float
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests
        Seeds weak learners that are random, and draws the candidates. None takes the digest of X
        and y, so that there is no seed to choose. Stumps without ``candidates`` are not random.

    Attributes
    ----------
    classes_ : ndarray
    machines_ : list
        One vote for two classes, otherwise one for each class. A vote of stumps has ``weights``;
        a stump that is chosen again adds to its weight.
    margins_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        y f(x) over the sum of the absolute weights, on the training examples.
    path_ : DataFrame
        One row for each round, with the columns "machine", "round", "error", "alpha", "Z".
    n_iter_ : int
        Most rounds of a machine.

    Notes
    -----
    A weak learner without error replaces the vote; its weight puts the probability of its label
    at 1 - 1/(2 m). Equal examples are merged into one heavier example, so the result depends
    neither on their order nor on whether they are repeated or weighted. If the first learner is
    no better than chance, the machine is constant, and a warning says so.

    Certificates: "rademacher-margin" (the default), "margin-distribution" and "held-out". The
    first two hold for every way of training but are vacuous on small samples. For weak learners
    other than stumps, pass the complexity of their class: ``margin_certificate(rademacher=...)``.

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
        n_rounds: int | str = 100,
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

    def _check_parameters(self, X: Floats | None = None) -> None:
        if self.n_rounds != "auto":
            check_count("n_rounds", self.n_rounds, low=1)
        elif self.candidates is not None:
            raise ValueError(
                "`n_rounds` must be a number if `candidates` are given, got 'auto'. Use for "
                "example n_rounds=100, or leave `candidates` out."
            )
        check_choice("loss", self.loss, tuple(LOSSES))
        if self.candidates is not None:
            check_count("candidates", self.candidates, low=2)
            if not self._is("stumps"):
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
        if not self._is("stumps") and not hasattr(self.weak_learner, "fit"):
            raise ValueError(
                f"`weak_learner` must be 'stumps' or an estimator, got {self.weak_learner!r}."
            )

    def _follow(self, draw: Draw, order: Ints) -> None:
        super()._follow(draw, order)
        self._pool: Any = None
        if self.candidates is not None:
            # The first rows of the blind order: thresholds come from them, whatever the labels.
            self._pool = np.sort(order[: int(self.candidates)])

    def _fit_one(self, X: Floats, y_signed: Floats, weights: Floats) -> tuple[WeightedVote, Rows]:
        if self._pool is not None:
            return self._fit_binned(X, y_signed, weights)
        rows, signs, merged = merge_rows(X, y_signed, weights)
        n_rounds = self.n_rounds
        if isinstance(n_rounds, str):
            n_rounds = choose_rounds(rows, signs, merged, self._boosted, self._vote_of)
        boosted = self._boosted(rows, signs, merged, int(n_rounds))
        return self._vote(boosted, float(weights @ y_signed)), self._history(boosted)

    def _boosted(self, rows: Floats, signs: Floats, weights: Floats, n_rounds: int) -> Boosted:
        family: ColumnFamily
        if self._is("stumps"):
            family = StumpColumns(rows)
        else:
            family = LearnerColumns(
                self.weak_learner, rows, response=self.response, random_state=self._random
            )
        if self.loss == "exponential":
            return adaboost_rounds(family, signs, weights, n_rounds)
        return stagewise_rounds(family, signs, weights, n_rounds, LOSSES[self.loss])

    def _fit_binned(
        self, X: Floats, y_signed: Floats, weights: Floats
    ) -> tuple[WeightedVote, Rows]:
        """Boost stumps at the values of the pool, by sums of whole numbers."""
        encoder = pool_encoder(X[self._pool])
        codes, is_positive = encoder(X), y_signed > 0.0

        def weigh(ask: Weighing) -> Any:
            return weigh_rows(codes, is_positive, weights, encoder.n_codes, ask)

        log_total = math.log(math.fsum(weights))
        boosted = binned_rounds(encoder, weigh, len(X), log_total, int(self.n_rounds))
        return self._vote(boosted, float(weights @ y_signed)), self._history(boosted)

    def row_needs(self) -> RowNeeds:
        if not self._is("stumps") or self.candidates is None:
            raise ValueError(
                "`candidates` must be a pool size and `weak_learner` must be 'stumps' for Dask "
                f"inputs, got candidates={self.candidates!r} and "
                f"weak_learner={self.weak_learner!r}. Use for example candidates=256."
            )
        self._check_parameters()
        return RowNeeds(may_name=False)

    def fit_rows(self, rows: RowSource) -> Self:
        self.classes_ = rows.classes
        self._follow(rows.draw, rows.first(int(self.candidates or 0)))
        encoder = pool_encoder(rows.hold(self._pool)[0])
        self._note_rows(rows)
        self._refuse_one_class(int((rows.class_counts > 0).sum()))
        self.is_weighted_, self._has_constant = False, False
        self.machines_, history = [], []
        binned = rows.mapped(BinnedRows(encoder), 2 * len(encoder.first) + 8)
        for k, positive in enumerate(self._positives()):

            def weigh(ask: Weighing, positive: int = positive) -> Any:
                return binned.fold(WeighedRows(ask, positive, encoder.n_codes), "weights")

            log_total = math.log(rows.n_samples)
            boosted = binned_rounds(encoder, weigh, rows.n_samples, log_total, int(self.n_rounds))
            balance = 2.0 * float(rows.class_counts[positive]) - rows.n_samples
            self.machines_.append(self._vote(boosted, balance))
            history += [{"machine": k, **row} for row in self._history(boosted)]
        counted = rows.fold(VoteMargins(self.machines_, tuple(self._positives())), "margins")
        *self._margins, self.n_training_errors_ = counted
        self._keep_path(history)
        self.__dict__.pop("margins_", None)
        return self

    @staticmethod
    def _history(boosted: Boosted) -> Rows:
        return [
            {"round": t + 1, "error": r.error, "alpha": r.alpha, "Z": r.Z}
            for t, r in enumerate(boosted.rounds)
        ]

    def _vote(self, boosted: Boosted, balance: float) -> WeightedVote:
        """The rounds as a vote; a constant for the heavier class if there are none."""
        if not boosted.rounds:
            return self._constant_vote(balance, _NO_EDGE)
        return self._vote_of([(r.key, r.alpha) for r in boosted.rounds])

    def _vote_of(self, pairs: list[tuple[Any, float]]) -> WeightedVote:
        if self._is("stumps"):
            return StumpVote(pairs)
        return LearnerVote([k for k, _ in pairs], [a for _, a in pairs], self.response)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes; for more than two, they are divided by their sum.

        They are 1 / (1 + exp(-2 f(x))) for the exponential and the logistic loss, and
        (1 + f(x)) / 2, clipped to [0, 1], for the squared loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        if is_chunked(X):
            return chunked().map_rows(self, "predict_proba", X)
        probability = LOSSES[self.loss].probability
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([probability(-scores), probability(scores)])
        each = probability(scores)
        # If no machine says yes, nothing tells the classes apart: they are equally probable.
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, each, 1.0) / np.where(total > 0.0, total, each.shape[1])

    def _factors(self) -> list[tuple[int, int, float]]:
        """Machine, round and Z of every round; none if the machine is constant."""
        return [(int(row["machine"]), int(row["round"]), row["Z"]) for row in self._rounds]

    def training_bound(self) -> Criterion:
        """The product of all Z. It bounds the training error and guarantees nothing on new cases.

        It is the mean loss divided by its value at f = 0, for each of the losses. With several
        classes the products of the machines are added.

        Returns
        -------
        Criterion
        """
        check_is_fitted(self, "machines_")
        terms = [
            Term("round", f"machine {k + 1}, Z of round {t}", Z) for k, t, Z in self._factors()
        ]
        products = [1.0] * len(self.machines_)
        for k, _, Z in self._factors():
            # Z is the factor by which the loss falls in a round; the product is what is left of it.
            products[k] *= Z
        empty = adaboost_training_bound([])
        return replace(empty, value=min(1.0, sum(products)), terms=tuple(terms))

    def _margin_bound(
        self, bound: str, delta: float, margin: float | None, rademacher: Rademacher | None
    ) -> Certificate:
        m = margin_columns(self._margins)[0].size
        # The complexity is one of the class of weak learners, whatever the number of rounds.
        if rademacher is not None:
            complexity = given_complexity(rademacher, m, delta)
        elif self._is("stumps"):
            complexity = stump_complexity(m, self.n_features_in_)
        else:
            raise NotCertifiableError(
                f"bound={bound!r} needs the complexity of the weak learners, which is not known "
                f"for {type(self.weak_learner).__name__}. Pass it to `margin_certificate`, or use "
                "bound='held-out' with examples set aside."
            )
        # The class of stumps contains the constants; another class need not.
        if not self._is("stumps"):
            self._refuse_constant(bound)
        if not self._is("stumps") and self.response == "scores":
            raise NotCertifiableError(
                f"bound={bound!r} needs weak learners in [-1, 1], and scores have no such limit. "
                "Use response='labels', or bound='held-out'."
            )
        return hull_certificate(bound, self._margins, complexity, margin=margin, delta=delta)
