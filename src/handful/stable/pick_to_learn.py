"""Pick-to-learn: train any classifier on a few picked examples and certify it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats, Mask
from handful.bounds import (
    Assumption,
    Certificate,
    NotCertifiableError,
    compression_bound,
    drawn_by,
    stable_bound,
)
from handful.checks import check_choice, check_count
from handful.conformal import decision_values, label_scores, take_rows
from handful.estimator import BaseClassifier
from handful.models import Constant, Form, as_form, close_seeds, refuse_fitted, seeds_of
from handful.tables import (
    Draw,
    FittedScalingWarning,
    canonical_order,
    check_examples,
    check_rows,
    row_digests,
    table_digest,
)

if TYPE_CHECKING:
    import pandas as pd

STOPS = ("certificate", "clean")
Ints = NDArray[np.intp]
Judge = Callable[[Ints], tuple[Mask, Floats]]


@dataclass(frozen=True, eq=False)
class PickPath:
    """The picked examples in order, and (number of picks, errors outside) of each round."""

    picks: Ints
    rounds: list[tuple[int, int]]

    @property
    def is_clean(self) -> bool:
        """Whether the last round left no error outside the picks."""
        return self.rounds[-1][1] == 0

    def frame(self) -> pd.DataFrame:
        """One row for each round."""
        import pandas as pd

        return pd.DataFrame(self.rounds, columns=["n_picks", "n_errors"])


def pick_examples(
    judge: Judge,
    order: Ints,
    *,
    n_initial: int = 1,
    batch_size: float = 1,
    max_picks: int | None = None,
    is_done: Callable[[list[tuple[int, int]]], bool] = lambda rounds: False,
) -> PickPath:
    """Train on the picks, add the worst mistakes outside them, repeat until there are none.

    ``judge`` trains on the given examples, in the given order. It returns for all examples
    whether they are wrong and how badly (larger is worse). ``order`` holds all examples in an
    order by content; it breaks ties, and the first ``n_initial`` examples start. ``is_done``
    gets the rounds so far and may stop early.

    The size of a batch depends on the number of picks only. So an example outside the final
    picks was never among the worst ``b`` of any round, and its removal changes no round: by
    induction all picks stay the same. A new case that is wrong at the end would be picked. These
    are the conditions of `stable_bound`, for batches and for single picks.
    """
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    limit = order.size if max_picks is None else min(max_picks, order.size)
    picks = order[: min(n_initial, limit)]
    rounds: list[tuple[int, int]] = []
    while True:
        is_wrong, badness = judge(picks)
        is_wrong = is_wrong.copy()
        is_wrong[picks] = False
        candidates = np.flatnonzero(is_wrong)
        rounds.append((picks.size, candidates.size))
        if not candidates.size or picks.size >= limit or is_done(rounds):
            return PickPath(picks, rounds)
        n_more = _batch(batch_size, picks.size, limit)
        # Equally bad examples go in their order by content, whatever the order of the rows.
        worst_first = np.lexsort((rank[candidates], -badness[candidates]))
        picks = np.concatenate([picks, candidates[worst_first[:n_more]]])


def _batch(batch_size: float, n_picks: int, limit: int) -> int:
    n = batch_size if isinstance(batch_size, (int, np.integer)) else math.ceil(batch_size * n_picks)
    return min(max(1, int(n)), limit - n_picks)


def stopping_sizes(n_samples: int) -> list[int]:
    """Sizes at which picking may stop: 1, 2, 3, 5, 8, ... in ratio 1.5, and n_samples.

    They depend on the number of examples only. For each size, "stop in the first round with at
    least this many picks" is a stable scheme, if the errors left outside count like picks.

    Examples
    --------
    >>> stopping_sizes(30)
    [1, 2, 3, 5, 8, 12, 18, 27, 30]
    """
    sizes = [1]
    while sizes[-1] < n_samples:
        sizes.append(min(n_samples, math.ceil(1.5 * sizes[-1])))
    return sizes


def stopping_rounds(rounds: list[tuple[int, int]], n_samples: int) -> list[tuple[int, int]]:
    """Rounds that first reach one of `stopping_sizes`, and the last round if it is clean."""
    sizes = np.array(stopping_sizes(n_samples))
    reached = np.searchsorted(sizes, [picks for picks, _ in rounds], side="right")
    is_first = np.diff(reached, prepend=0) > 0
    is_first[-1] |= rounds[-1][1] == 0
    return [item for item, keep in zip(rounds, is_first, strict=True) if keep]


class PickToLearn(MetaEstimatorMixin, BaseClassifier):
    """Train a classifier on a few picked examples, so that it can be certified.

    Start from one example, train, add the worst error among the other examples, and repeat until
    all other examples are right. The classifier sees no other data. So a whole pipeline, with its
    scalers and encoders, is a function of the picked examples.

    Every example that the classifier cannot learn is picked at last, so this suits data with
    little noise. For noisy data use ``stop="certificate"``.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier or pipeline, fixed before the data are seen.
    stop : {"clean", "certificate"}
        "clean": continue until no other example is wrong. "certificate": stop at the size with
        the best certificate among 1, 2, 3, 5, 8, ...; the certificate pays for their number.
    max_picks : int, optional
        Largest number of picks; errors left outside count like picks. Fix it before the data.
    n_initial : int
        Number of examples to start from, chosen by a digest of their features. Raise it for
        classifiers that need several examples.
    batch_size : int or float
        Number of examples added in a round: a count, or a fraction of the picks so far. A larger
        batch is faster, picks a few more, and has the same certificate. Fix it before the data.
    delta : float
        Allowed probability that a certificate fails.
    random_state : None or int
        Seed of every ``random_state`` inside ``estimator`` that is None. None reads the seed from
        the digest of the picks, so that training is a function of the picks. A whole number adds
        the assumption that it was fixed before the data were seen.

    Attributes
    ----------
    estimator_ : classifier
        Trained on the picks. None if the picks are of one class, which is then always predicted.
    classes_ : ndarray
    picks_ : ndarray
        Indices of the picked examples in the order of picking.
    compression_set_ : ndarray
        The picked examples, sorted.
    n_errors_ : int
        Errors outside the picks.
    path_ : DataFrame
        One row for each round: number of picks, and errors outside the picks.
    n_rounds_ : int
        Number of rounds; the classifier is trained once in each.
    is_rebuilt_ : bool
        Whether training again on the picks gave the same predictions.

    Notes
    -----
    The worst error has the smallest margin: decision value (or probability) of the true label
    minus the largest of the others, rounded to single precision so that rounding errors decide no
    tie. Ties, and all errors of classifiers without such values, are ordered by the digest of the
    features, then by label, never by position. The classifier is trained on the picks in the order
    of picking, which is a function of the set of examples. So the classifier may depend on the
    order of its examples, but not on chance. It is assumed that a prediction does not depend on
    the other cases predicted in the same call; last bits may, at a decision value of exactly zero.

    Certificates: "stable" (the default) uses the number of picks plus the errors left outside.
    "compression": the picks are the compression set (picking among them alone gives them back in
    order), and the errors outside are counted; usually larger. "held-out" is the third.

    References
    ----------
    Paccagnan, Campi & Garatti (2023), The pick-to-learn algorithm, NeurIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = PickToLearn(make_pipeline(StandardScaler(), LogisticRegression()))
    >>> machine = machine.fit(X, y)
    >>> machine.picks_.size, machine.n_errors_
    (33, 0)
    >>> print(machine.certify())
    risk <= 9.13 % with 95 % confidence (stable, 569 examples, 33 kept, 3.0 nats)
    """

    _bounds = ("stable", "compression")

    def __init__(
        self,
        estimator,
        *,
        stop="clean",
        max_picks=None,
        n_initial=1,
        batch_size=1,
        delta=0.05,
        random_state=None,
    ):
        self.estimator = estimator
        self.stop = stop
        self.max_picks = max_picks
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.delta = delta
        self.random_state = random_state

    def _allows_nan(self) -> bool:
        return bool(get_tags(self.estimator).input_tags.allow_nan)

    def fit(self, X: Any, y: Any) -> PickToLearn:
        """Pick examples and train on them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = check_examples(self, X, y)
        refuse_fitted("estimator", type(self.estimator).__name__, self.estimator, X[:5])
        codes, n = self._read_labels(X, y), y.size
        path = self._pick(X, y, codes)
        n_picks = path.picks.size
        if self.stop == "certificate":
            # The certificate grows with picks plus errors. `_certify` pays for the choice among the
            # stops.
            n_picks = min(stopping_rounds(path.rounds, n), key=sum)[0]
        self.picks_ = path.picks[:n_picks]
        self._keep_examples(self.picks_)
        self.path_ = path.frame()
        self.n_rounds_ = len(path.rounds)
        self.estimator_ = self._train(X, y, self.picks_)
        self._constant = int(codes[self.picks_[0]])
        predicted = self.classes_[self._codes(X)]
        is_error = predicted != y
        self.n_training_errors_ = int(is_error.sum())
        # Picks are in the compression set: right or wrong, they are not counted.
        is_error[self.picks_] = False
        self.n_errors_ = int(is_error.sum())
        # A classifier that draws at random is no function of the picks and is not certified.
        again = self._train(X, y, self.picks_)
        self.is_rebuilt_ = again is None or bool((again.predict(X) == predicted).all())
        return self

    def _check_parameters(self) -> None:
        check_choice("stop", self.stop, STOPS)
        check_count("n_initial", self.n_initial, low=1)
        if self.max_picks is not None:
            check_count("max_picks", self.max_picks, low=1)
        b = self.batch_size
        is_count = isinstance(b, (int, np.integer)) and not isinstance(b, bool) and bool(b >= 1)
        if not is_count and not (isinstance(b, (float, np.floating)) and 0.0 < b < 1.0):
            raise ValueError(
                f"`batch_size` must be a count of at least 1 or a fraction in (0, 1), got {b!r}."
            )

    def _pick(self, X: Any, y: NDArray[Any], codes: Ints) -> PickPath:
        def judge(picks: Ints) -> tuple[Mask, Floats]:
            model = self._train(X, y, picks)
            if model is None:
                return codes != codes[picks[0]], np.zeros(codes.size)
            is_wrong = np.asarray(model.predict(X)) != y
            badness = np.zeros(codes.size)
            rows = np.flatnonzero(is_wrong)
            if rows.size:
                badness[rows] = self._badness(model, take_rows(X, rows), codes[rows])
            return is_wrong, badness

        def is_done(rounds: list[tuple[int, int]]) -> bool:
            """Whether no further pick can improve the certificate, even without errors."""
            ends = stopping_rounds(rounds, codes.size)
            return self.stop == "certificate" and rounds[-1][0] >= min(sum(end) for end in ends)

        return pick_examples(
            judge,
            canonical_order(X, codes),
            n_initial=int(self.n_initial),
            batch_size=self.batch_size,
            max_picks=None if self.max_picks is None else int(self.max_picks),
            is_done=is_done,
        )

    def _badness(self, model: Any, X: Any, codes: Ints) -> Floats:
        """Minus the margin of the true label, in single precision."""
        if not (hasattr(model, "decision_function") or hasattr(model, "predict_proba")):
            return np.zeros(codes.size)
        scores = label_scores(model, X, self.classes_)[np.arange(codes.size), codes]
        # The last bits of a score may depend on the rows beside it. They must not decide what is
        # worst.
        return -np.round(scores, 9).astype(np.float32).astype(np.float64)

    def _train(self, X: Any, y: NDArray[Any], picks: Ints) -> Any:
        """The classifier trained on the picks in order; None if they are of one class."""
        labels = y[picks]
        if (labels == labels[0]).all():
            return None
        model = clone(self.estimator)
        rows = take_rows(X, picks)
        if None in seeds_of(model):
            seed = self.random_state
            if seed is None:
                # The seed depends on the picks alone: the classifier remains a function of them.
                seed = Draw(table_digest(row_digests(rows, labels))).number("estimator")
            close_seeds(model, seed)
        # A scaler may be fitted to the picks: they are in the compression set.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FittedScalingWarning)
            return model.fit(rows, labels)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_rows(self, X, reset=False)

    def _codes(self, rows: Any) -> Ints:
        if self.estimator_ is None:
            return np.full(len(rows), self._constant)
        return np.searchsorted(self.classes_, self.estimator_.predict(rows))

    def _scores(self, rows: Any) -> Floats:
        if self.estimator_ is None:
            scores = np.zeros((len(rows), self.classes_.size))
            scores[:, self._constant] = 1.0
        else:
            scores = label_scores(self.estimator_, rows, self.classes_)
        return decision_values(scores)

    def _machine(self) -> Form:
        inner = self.estimator_
        if inner is None:
            return Constant(self._constant, self.classes_.size)
        if not np.array_equal(inner.classes_, self.classes_):
            return self._closed(
                "`machine` must have been trained on picks of all classes to be written to a file. "
                "Start with more picks (`n_initial`)."
            )
        found = as_form(inner)
        if found is None:
            return self._closed(
                "`machine` must be a machine of this library, a linear classifier or a support "
                "vector machine, alone or behind one StandardScaler, to be written to a file, got "
                f"{type(inner).__name__}."
            )
        return found

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        self._check_deterministic()
        n, n_picks = self.n_samples_, self.picks_.size
        if bound == "compression":
            # The picks rebuild the classifier. Given the picks, its errors on the other examples
            # are binomial; the choice of the picks is paid by ln C(n, n_picks).
            certificate = compression_bound(
                n, n_picks, self.n_errors_, delta=delta, n_choices=n_choices
            )
        else:
            # Errors left outside count like picks, because a new error would be picked. Each
            # stopping size is a stable scheme of its own: the best of them pays for all.
            n_stops = len(stopping_sizes(n)) if self.stop == "certificate" else 1
            certificate = stable_bound(
                n, n_picks + self.n_errors_, delta=delta, n_choices=n_stops * n_choices
            )
        fixed: list[str | Assumption] = ["picking"]
        if self.random_state is not None and None in seeds_of(self.estimator):
            fixed.append(drawn_by(self.random_state))
        return certificate.assuming(*fixed)

    def _check_deterministic(self) -> None:
        """Raise NotCertifiableError if training was not a function of the picks."""
        seeds = [*seeds_of(self.estimator), self.random_state]
        is_moving = any(not (seed is None or isinstance(seed, (int, np.integer))) for seed in seeds)
        if is_moving or not self.is_rebuilt_:
            raise NotCertifiableError(
                "Training must be a function of the picked examples, but `estimator` draws at "
                "random. Give whole numbers as random_state and fit again."
            )
