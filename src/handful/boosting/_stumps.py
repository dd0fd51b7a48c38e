"""Decision stumps, and all of them on some data as a family of columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.boosting._columns import TIE, Column, fixed_prices, ranked


@dataclass(frozen=True, order=True)
class Stump:
    """``sign`` where x[feature] <= threshold, ``-sign`` where it is larger, 0 where missing.

    ``feature = -1`` is the constant ``sign``.

    Examples
    --------
    >>> import numpy as np
    >>> Stump(0, 2.5, 1)(np.array([[1.0], [4.0], [np.nan]]))
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
        """When it says +1, in the user's feature names; nothing for a constant."""
        if self.feature < 0:
            return ""
        side = "≤" if self.sign > 0 else ">"
        return f"{names[self.feature]} {side} {self.threshold:g}"


def _step(column: Floats, threshold: float, sign: int) -> Floats:
    is_left, is_right = column <= threshold, column > threshold
    return sign * (is_left.astype(np.float64) - is_right)


class StumpColumns:
    """All decision stumps on the columns of X, both directions, and the two constants.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN marks a missing value; it satisfies neither side of any stump.
    thresholds : sequence of ndarray, optional
        Fixed thresholds of each feature, increasing. Otherwise the midpoints between
        neighbouring values, and the largest value of a feature that is missing somewhere.
    prices : bool
        Give every stump a fixed tiny price (see `fixed_prices`).
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
            return np.searchsorted(values, thresholds, side="right"), thresholds
        left = np.flatnonzero(values[1:] > values[:-1])
        low, high = values[left], values[left + 1]
        middle = low + (0.5 * high - 0.5 * low)
        positions, cuts = left + 1, np.where(middle < high, middle, low)
        if 0 < values.size < self._columns.shape[1]:  # "is there a value at all?"
            positions, cuts = np.append(positions, values.size), np.append(cuts, values[-1])
        return positions, cuts

    def cuts(self) -> list[Floats]:
        """Thresholds of each feature."""
        return np.split(self._thresholds, self._offsets[1:-1])

    @property
    def n_stumps(self) -> int:
        """Number of stumps, both signs and the constants included."""
        return 2 * self._positions.size + 2

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """The best stumps of as many features; ties to the lowest index, constants last.

        Where more are asked for than there are features, the cuts of each feature are divided
        into equal stretches, and each stretch gives its best.
        """
        n_stretches = n_columns // max(1, self._counts.size)
        if n_stretches > 1:
            return self._best_of_stretches(scores, n_stretches)
        from handful.boosting._loops import best_cuts

        tol = TIE * float(np.abs(scores).sum())
        prices = self._table[:-2].reshape(-1, 2)
        indices, values = best_cuts(
            self._order, self._counts, self._offsets, self._positions, prices, scores, tol
        )
        constants = scores.sum() * np.array([1.0, -1.0]) - self._table[-2:]
        values = np.append(values, constants)
        indices = np.append(indices, [self.n_stumps - 2, self.n_stumps - 1])
        return [
            self.column_at(int(indices[j]), scores, float(values[j]))
            for j in ranked(values, scores, n_columns)
            if indices[j] >= 0
        ]

    def _best_of_stretches(self, scores: Floats, n_stretches: int) -> list[Column]:
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

    def column_at(self, index: int, scores: Floats, value: float | None = None) -> Column:
        """Stump with this index: cut ``index // 2``, sign + for even ones, constants last."""
        cut, sign = index // 2, 1 - 2 * (index % 2)
        if cut == self._positions.size:
            stump = Stump(-1, 0.0, sign)
            values = np.full(self._columns.shape[1], float(sign))
        else:
            stump = Stump(int(self._features[cut]), float(self._thresholds[cut]), sign)
            values = _step(self._columns[stump.feature], stump.threshold, sign)
        price = float(self._table[index])
        edge = float(scores @ values) if value is None else value + price
        return Column(stump, values, edge, price)

    def all_values(self, scores: Floats) -> Floats:
        """Edge minus price of every stump, in the order of their indices."""
        edges = np.empty(self._positions.size + 1)
        edges[-1] = scores.sum()
        for j in range(self._counts.size):
            part = slice(self._offsets[j], self._offsets[j + 1])
            sums = np.concatenate([[0.0], np.cumsum(scores[self._order[j, : self._counts[j]]])])
            edges[part] = 2.0 * sums[self._positions[part]] - sums[-1]
        return np.column_stack([edges, -edges]).ravel() - self._table
