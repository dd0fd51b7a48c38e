"""Weighted sums of weak learners that can be evaluated on new examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from handful._types import Floats
from handful.boosting.weak_learners import WeakStump, response
from handful.models import Stumps, Votes, steady_product


class StumpVote:
    """A weighted sum of stumps, evaluated feature by feature as a step function.

    The coordinate view of boosting: a stump that is chosen again adds to its weight, its
    opposite subtracts from it.

    Attributes
    ----------
    weights : dict of WeakStump to float
        Weight of each stump, all with sign +1; a negative weight is a vote for the opposite.

    Examples
    --------
    >>> import numpy as np
    >>> votes = [(WeakStump(0, 1.0, 1), 0.5), (WeakStump(0, 3.0, -1), 0.25)]
    >>> f = StumpVote([*votes, (WeakStump(-1, 0.0, 1), 1)])
    >>> f(np.array([[0.0], [2.0], [4.0], [np.nan]]))
    array([1.25, 0.25, 0.75, 1.  ])
    >>> f.total
    1.75
    """

    def __init__(self, votes: Iterable[tuple[WeakStump, float]]) -> None:
        self.weights: dict[WeakStump, float] = {}
        for stump, weight in votes:
            key = WeakStump(stump.feature, stump.threshold, 1)
            self.weights[key] = self.weights.get(key, 0.0) + stump.sign * float(weight)
        self._constant = self.weights.get(WeakStump(-1, 0.0, 1), 0.0)
        self._steps: dict[int, tuple[Floats, Floats]] = {}
        for feature in sorted({s.feature for s in self.weights if s.feature >= 0}):
            cuts, jumps = self._feature(feature)
            passed = np.concatenate([[0.0], np.cumsum(jumps)])
            self._steps[feature] = cuts, passed[-1] - 2.0 * passed

    def _feature(self, feature: int) -> tuple[Floats, Floats]:
        pairs = sorted((s.threshold, w) for s, w in self.weights.items() if s.feature == feature)
        return np.array([t for t, _ in pairs]), np.array([w for _, w in pairs])

    @property
    def total(self) -> float:
        """Sum of the absolute weights."""
        return float(sum(abs(w) for w in self.weights.values()))

    def __call__(self, X: Floats) -> Floats:
        """Values on the rows of X; a missing value adds nothing."""
        out = np.full(X.shape[0], self._constant)
        for feature, (cuts, levels) in self._steps.items():
            column = X[:, feature]
            step = levels[np.searchsorted(cuts, column, side="left")]
            out += np.where(np.isnan(column), 0.0, step)
        return out

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Conditions with their weights, the heaviest first, in the user's feature names."""
        pairs = [
            (WeakStump(s.feature, s.threshold, 1 if w > 0 else -1).describe(names), w)
            for s, w in self.weights.items()
            if w != 0.0
        ]
        pairs = [(text, abs(w) if text else w) for text, w in pairs]
        return sorted(pairs, key=lambda pair: -abs(pair[1]))

    @property
    def constant(self) -> float:
        """What is voted whatever the row."""
        return float(self._constant)


def stump_votes(votes: Sequence[StumpVote]) -> Votes:
    """Votes of stumps, one a class, as data."""
    parts = []
    for vote in votes:
        stumps = [(s, w) for s, w in vote.weights.items() if s.feature >= 0]
        parts.append(
            Stumps(
                tuple(int(s.feature) for s, _ in stumps),
                tuple(float(s.threshold) for s, _ in stumps),
                tuple(float(w) for _, w in stumps),
                vote.constant,
            )
        )
    return Votes(tuple(parts))


class LearnerVote:
    """A weighted sum of fitted scikit-learn estimators."""

    def __init__(self, members: Sequence[Any], weights: Sequence[float], kind: str) -> None:
        self.members, self.kind = list(members), kind
        self.weights = np.asarray(weights, dtype=np.float64)

    @property
    def total(self) -> float:
        """Sum of the absolute weights."""
        return float(np.abs(self.weights).sum())

    def __call__(self, X: Floats) -> Floats:
        """Values on the rows of X."""
        out = np.zeros(X.shape[0])
        for member, weight in zip(self.members, self.weights, strict=True):
            out += weight * response(member, X, self.kind)
        return out

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """The learners by their text, with weights, in the order they were found."""
        return [(str(m), float(w)) for m, w in zip(self.members, self.weights, strict=True)]


class ColumnVote:
    """A weighted sum of the columns of X themselves."""

    def __init__(self, votes: Iterable[tuple[tuple[int, int], float]], n_columns: int) -> None:
        self.coef = np.zeros(n_columns)
        for (j, sign), weight in votes:
            self.coef[j] += sign * weight

    @property
    def total(self) -> float:
        """Sum of the absolute weights."""
        return float(np.abs(self.coef).sum())

    def __call__(self, X: Floats) -> Floats:
        """Values on the rows of X."""
        return np.asarray(steady_product(X, self.coef)[:, 0])

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Columns with positive weights, the heaviest first."""
        used = sorted(np.flatnonzero(self.coef).tolist(), key=lambda j: -abs(self.coef[j]))
        return [(("" if self.coef[j] > 0 else "-") + names[j], abs(self.coef[j])) for j in used]
