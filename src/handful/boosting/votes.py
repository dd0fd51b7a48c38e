"""Weighted sums of weak learners. The records of `handful.models` evaluate them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from handful.arrays import Floats
from handful.boosting.weak_learners import WeakStump, response
from handful.models import Stumps, Votes, linear_score


class WeightedVote(Protocol):
    """The score of one class against the rest; ``total`` is the sum of the absolute weights."""

    total: float

    def __call__(self, X: Floats) -> Floats:
        """Scores of the rows of X."""

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Conditions and weights of the parts, in the user's feature names."""


class StumpVote(WeightedVote):
    """A weighted sum of stumps. Its scores are those of the form `Votes`.

    ``weights`` gives the weight of each stump with sign +1. If a stump is chosen again, its weight
    grows; if the opposite stump is chosen, its weight shrinks and may become negative.

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
        self.total = float(sum(abs(w) for w in self.weights.values()))
        self.constant = float(self.weights.get(WeakStump(-1, 0.0, 1), 0.0))
        used = [(s, w) for s, w in self.weights.items() if s.feature >= 0]
        self.stumps = Stumps(
            tuple(int(s.feature) for s, _ in used),
            tuple(float(s.threshold) for s, _ in used),
            tuple(float(w) for _, w in used),
            self.constant,
        )
        self._form = Votes((self.stumps,))

    def __call__(self, X: Floats) -> Floats:
        return self._form.scores(X)

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Conditions with their weights, the heaviest first."""
        pairs = [
            (WeakStump(s.feature, s.threshold, 1 if w > 0 else -1).describe(names), w)
            for s, w in self.weights.items()
            if w != 0.0
        ]
        pairs = [(text, abs(w) if text else w) for text, w in pairs]
        return sorted(pairs, key=lambda pair: -abs(pair[1]))


class LearnerVote(WeightedVote):
    """A weighted sum of fitted scikit-learn estimators."""

    def __init__(self, members: Sequence[Any], weights: Sequence[float], kind: str) -> None:
        self.members, self.kind = list(members), kind
        self.weights = np.asarray(weights, dtype=np.float64)
        self.total = float(np.abs(self.weights).sum())

    def __call__(self, X: Floats) -> Floats:
        out = np.zeros(X.shape[0])
        for member, weight in zip(self.members, self.weights, strict=True):
            out += weight * response(member, X, self.kind)
        return out

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """The learners as text with their weights, in the order of the rounds."""
        return [(str(m), float(w)) for m, w in zip(self.members, self.weights, strict=True)]


class ColumnVote(WeightedVote):
    """A weighted sum of the columns of X themselves. Its scores are those of `LinearScore`."""

    def __init__(self, votes: Iterable[tuple[tuple[int, int], float]], n_columns: int) -> None:
        self.coef = np.zeros(n_columns)
        for (j, sign), weight in votes:
            self.coef[j] += sign * weight
        self.total = float(np.abs(self.coef).sum())
        self._form = linear_score([self.coef], [0.0])

    def __call__(self, X: Floats) -> Floats:
        return self._form.scores(X)

    def rules(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Columns with positive weights, the heaviest first."""
        used = sorted(np.flatnonzero(self.coef).tolist(), key=lambda j: -abs(self.coef[j]))
        return [(("" if self.coef[j] > 0 else "-") + names[j], abs(self.coef[j])) for j in used]
