"""Weak learners as columns of values, and the families that find the best one.

Each family answers one question: which h of the class has the largest edge
``sum_i scores_i h(x_i)``? In AdaBoost and LPBoost ``scores = weights * y``; the Rademacher
complexity takes random signs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from handful.arrays import Floats

#: Edges of scores that sum to one in absolute value are tied when they differ by no more.
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class WeakColumn:
    """A weak learner with its values on the training examples.

    Attributes
    ----------
    key : hashable
        Identifies the learner within its family.
    values : ndarray of shape (n_samples,)
        h(x_i).
    edge : float
        ``scores @ values`` for the scores of the search that found it.
    price : float
        A fixed cost of its weight in the linear program; 0 for most families.
    """

    key: Any
    values: Floats
    edge: float
    price: float = 0.0

    @property
    def value(self) -> float:
        """Edge minus price; the search maximises it."""
        return self.edge - self.price


class ColumnFamily(Protocol):
    """A class of weak learners."""

    #: Whether `best` gives the maximum over the whole class; otherwise it gives a good member.
    is_exact: bool

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        """Up to ``n_columns`` different columns, the one with the largest value first."""


class FiniteFamily(ColumnFamily, Protocol):
    """A class that can be listed. The proof of a unique optimum needs one."""

    def all_values(self, scores: Floats) -> Floats:
        """Edge minus price of every member, in the order of their indices."""

    def column_at(self, index: int, scores: Floats) -> WeakColumn:
        """The member with this index."""


class PrecomputedColumns(FiniteFamily):
    """The columns of H, each with both signs; ``prices`` adds the `fixed_prices`.

    Index 2 j is column j, and 2 j + 1 its negation. Ties go to the lowest index.
    """

    is_exact = True

    def __init__(self, H: Floats, *, prices: bool = False) -> None:
        self._H = np.asarray(H, dtype=np.float64)
        n = 2 * self._H.shape[1]
        self._prices = fixed_prices(n) if prices else np.zeros(n)

    def all_values(self, scores: Floats) -> Floats:
        edges = scores @ self._H
        return np.column_stack([edges, -edges]).ravel() - self._prices

    def column_at(self, index: int, scores: Floats) -> WeakColumn:
        j, sign = index // 2, 1 - 2 * (index % 2)
        values = sign * self._H[:, j]
        return WeakColumn((j, sign), values, float(scores @ values), float(self._prices[index]))

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        values = self.all_values(scores)
        return [self.column_at(i, scores) for i in ranked(values, scores, n_columns)]


def ranked(values: Floats, scores: Floats, n_best: int) -> list[int]:
    """Indices of the largest values; the first is the lowest index tied with the maximum."""
    tol = TIE * float(np.abs(scores).sum())
    # Equal up to rounding is equal: the lowest index wins, in whatever order sums were made.
    first = int(np.argmax(values >= values.max() - tol))
    if n_best == 1:
        return [first]
    order = np.argsort(-values, kind="stable")[: n_best + 1]
    return [first, *(int(i) for i in order if i != first)][:n_best]


def fixed_prices(n: int) -> Floats:
    """Prices in (0, 1e-3), the same in every run. They make the optimum of the LP unique.

    They do not depend on the data. The stable certificate holds for every program that is fixed
    before the data, so it holds for the program with prices too.

    Examples
    --------
    >>> prices = fixed_prices(3)
    >>> bool((prices > 0).all() and (prices < 1e-3).all())
    True
    """
    return 1e-3 * np.random.default_rng(20161201).random(n)


@dataclass(frozen=True, order=True)
class WeakStump:
    """``sign`` if x[feature] <= threshold, ``-sign`` if it is larger, 0 if it is missing.

    ``feature = -1`` is the constant ``sign``.

    Examples
    --------
    >>> import numpy as np
    >>> WeakStump(0, 2.5, 1)(np.array([[1.0], [4.0], [np.nan]]))
    array([ 1., -1.,  0.])
    """

    feature: int
    threshold: float
    sign: int

    def __call__(self, X: Floats) -> Floats:
        """Values on the rows of X: -1, 0 or 1."""
        if self.feature < 0:
            return np.full(X.shape[0], float(self.sign))
        return _step(X[:, self.feature], self.threshold, self.sign)

    def describe(self, names: Sequence[str]) -> str:
        """The condition for +1, in the user's feature names; empty for a constant."""
        if self.feature < 0:
            return ""
        side = "≤" if self.sign > 0 else ">"
        return f"{names[self.feature]} {side} {self.threshold:g}"


def _step(column: Floats, threshold: float, sign: int) -> Floats:
    is_left, is_right = column <= threshold, column > threshold
    return sign * (is_left.astype(np.float64) - is_right)


class StumpColumns(FiniteFamily):
    """All decision stumps on the columns of X, with both signs, and the two constants.

    A missing value (NaN) satisfies neither side of a stump. ``thresholds`` are fixed increasing
    thresholds of each feature. By default they are the midpoints between neighbouring values,
    and the largest value of a feature that has missing values. ``prices`` adds `fixed_prices`.

    Index 2 c is cut c with sign +1, 2 c + 1 with sign -1; the constants come last.
    """

    is_exact = True

    def __init__(
        self, X: Floats, thresholds: Sequence[Floats] | None = None, *, prices: bool = False
    ) -> None:
        self._columns = np.ascontiguousarray(X.T, dtype=np.float64)
        n_features, n_samples = self._columns.shape
        self._order = np.argsort(self._columns, axis=1).astype(np.int32)
        self._counts = n_samples - np.isnan(self._columns).sum(axis=1)
        cuts = [
            self._cuts(j, None if thresholds is None else thresholds[j]) for j in range(n_features)
        ]
        sizes = [positions.size for positions, _ in cuts]
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._positions = np.concatenate([c[0] for c in cuts]).astype(np.int64)
        self._thresholds = np.concatenate([c[1] for c in cuts])
        self._features = np.repeat(np.arange(n_features), sizes)
        self._table = fixed_prices(self.n_stumps) if prices else np.zeros(self.n_stumps)

    def _cuts(self, j: int, thresholds: Floats | None) -> tuple[NDArray[np.int64], Floats]:
        values = self._columns[j][self._order[j, : self._counts[j]]]
        if thresholds is not None:
            # A value that equals a threshold is on its left, as in `WeakStump`.
            return np.searchsorted(values, thresholds, side="right"), thresholds
        left = np.flatnonzero(values[1:] > values[:-1])
        low, high = values[left], values[left + 1]
        # Halved first, so that huge values do not overflow. Between neighbouring floats the middle
        # may be the upper one, which would let it through: then the lower one is the cut.
        middle = low + (0.5 * high - 0.5 * low)
        positions, cuts = left + 1, np.where(middle < high, middle, low)
        if 0 < values.size < self._columns.shape[1]:  # a stump that asks for any value at all
            positions, cuts = np.append(positions, values.size), np.append(cuts, values[-1])
        return positions, cuts

    def cuts(self) -> list[Floats]:
        """Thresholds of each feature."""
        return np.split(self._thresholds, self._offsets[1:-1])

    @property
    def n_stumps(self) -> int:
        """Number of stumps, both signs and the constants included."""
        return 2 * self._positions.size + 2

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        """The best stump of each of ``n_columns`` features; ties go to the lowest index.

        If ``n_columns`` exceeds the number of features, the cuts of each feature are divided into
        equal stretches, and each stretch gives its best stump.
        """
        n_stretches = n_columns // max(1, self._counts.size)
        if n_stretches > 1:
            return self._best_of_stretches(scores, n_stretches)
        from handful.boosting.loops import best_cuts

        tol = TIE * float(np.abs(scores).sum())
        prices = self._table[:-2].reshape(-1, 2)
        indices, values = best_cuts(
            self._order, self._counts, self._offsets, self._positions, prices, scores, tol
        )
        # Constants compete with the stumps, and come last: a tie goes to a stump.
        constants = scores.sum() * np.array([1.0, -1.0]) - self._table[-2:]
        values = np.append(values, constants)
        indices = np.append(indices, [self.n_stumps - 2, self.n_stumps - 1])
        return [
            self.column_at(int(indices[j]), scores, float(values[j]))
            for j in ranked(values, scores, n_columns)
            if indices[j] >= 0
        ]

    def _best_of_stretches(self, scores: Floats, n_stretches: int) -> list[WeakColumn]:
        values = self.all_values(scores)
        chosen = [values.size - 2, values.size - 1]
        for first, last in zip(2 * self._offsets[:-1], 2 * self._offsets[1:], strict=True):
            ends = np.linspace(first, last, n_stretches + 1).astype(np.int64)
            for low, high in itertools.pairwise(ends.tolist()):
                if high > low:
                    chosen.append(int(low + np.argmax(values[low:high])))
        order = ranked(values[chosen], scores, len(chosen))
        indices = [chosen[k] for k in order]
        return [self.column_at(i, scores, float(values[i])) for i in indices]

    def column_at(self, index: int, scores: Floats, value: float | None = None) -> WeakColumn:
        cut, sign = index // 2, 1 - 2 * (index % 2)
        if cut == self._positions.size:
            stump = WeakStump(-1, 0.0, sign)
            values = np.full(self._columns.shape[1], float(sign))
        else:
            stump = WeakStump(int(self._features[cut]), float(self._thresholds[cut]), sign)
            values = _step(self._columns[stump.feature], stump.threshold, sign)
        price = float(self._table[index])
        edge = float(scores @ values) if value is None else value + price
        return WeakColumn(stump, values, edge, price)

    def all_values(self, scores: Floats) -> Floats:
        edges = np.empty(self._positions.size + 1)
        edges[-1] = scores.sum()
        for j in range(self._counts.size):
            part = slice(self._offsets[j], self._offsets[j + 1])
            sums = np.concatenate([[0.0], np.cumsum(scores[self._order[j, : self._counts[j]]])])
            # Sum on the left minus sum on the right. Missing values are in neither sum.
            edges[part] = 2.0 * sums[self._positions[part]] - sums[-1]
        return np.column_stack([edges, -edges]).ravel() - self._table


RESPONSES = ("labels", "scores")


class LearnerColumns(ColumnFamily):
    """Columns of estimators that are fitted to weighted signs.

    ``learner`` is a classifier that takes ``sample_weight``; with ``response="scores"`` it may be
    a regressor.
    """

    is_exact = False

    def __init__(
        self, learner: Any, X: Floats, *, response: str, random_state: np.random.RandomState
    ) -> None:
        self._learner, self._X = learner, X
        self._response, self._random_state = response, random_state

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        """One fitted learner. It is a good column, and not always the best of its class."""
        member = self._fit(scores)
        values = response(member, self._X, self._response)
        return [WeakColumn(member, values, float(scores @ values))]

    def _fit(self, scores: Floats) -> Any:
        is_used = scores != 0.0
        signs = np.sign(scores[is_used])
        if np.all(signs == signs[0]):
            return ConstantLearner(int(signs[0]))
        learner = clone(self._learner)
        if "random_state" in learner.get_params(deep=False):
            learner.set_params(random_state=self._random_state.randint(2**31 - 1))
        # The mean weight is 1, so that penalties of the learner keep their meaning.
        weight = np.abs(scores[is_used])
        weight = weight * (weight.size / weight.sum())
        X = self._X if is_used.all() else self._X[is_used]
        target = signs if is_regressor(learner) else signs.astype(np.int64)
        return learner.fit(X, target, sample_weight=weight)


class ConstantLearner:
    """The learner that predicts ``sign`` for every row."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def predict(self, X: Floats) -> Floats:
        """Predict ``sign``."""
        return np.full(X.shape[0], float(self.sign))


def response(member: Any, X: Floats, kind: str) -> Floats:
    """Values of a fitted learner: its signs, or its real-valued scores."""
    if kind == "scores" and hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64)
    if kind == "scores" and hasattr(member, "predict_proba"):
        return np.asarray(2.0 * member.predict_proba(X)[:, 1] - 1.0)
    return np.asarray(member.predict(X), dtype=np.float64)


def merge_rows(X: Floats, y_signed: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Sort the examples by value, add the weights of equal ones, drop those of weight zero.

    A machine that is fitted to the result depends neither on the order of the examples nor on
    whether an example is repeated or weighted. Missing values equal each other.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0])
    >>> [part.ravel().tolist() for part in merge_rows(X, y, np.ones(3))]
    [[1.0, 2.0], [-1.0, 1.0], [1.0, 2.0]]
    """
    kept = np.flatnonzero(weights > 0.0)
    # Rows are ranked column by column; equal rows keep equal ranks. It ends early if all differ.
    rank = np.unique(y_signed[kept], return_inverse=True)[1]
    for column in X.T:
        if kept.size and rank.max() + 1 == kept.size:
            break
        values = np.unique(column[kept], return_inverse=True, equal_nan=True)[1]
        rank = np.unique(rank * kept.size + values, return_inverse=True)[1]
    first = np.unique(rank, return_index=True)[1]
    merged = np.bincount(rank, weights=weights[kept]).astype(np.float64)
    rows = kept[first]
    return X[rows], y_signed[rows], merged
