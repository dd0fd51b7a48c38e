"""Weak learners seen as columns, and the families that find the best one.

Everything that boosts here asks one question: which h of the class has the largest edge
``sum_i scores_i h(x_i)``? AdaBoost and LPBoost ask it with ``scores = weights * y``, the
Rademacher complexity with random signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from handful._types import Floats

#: Edges of scores that sum to one in absolute value are tied when they differ by no more.
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Column:
    """A weak learner on the training examples.

    Attributes
    ----------
    key : hashable
        Names the learner within its family.
    values : ndarray of shape (n_samples,)
        h(x_i).
    edge : float
        ``scores @ values`` for the scores it was found with.
    price : float
        A fixed cost of its weight in the linear program; 0 for most families.
    """

    key: Any
    values: Floats
    edge: float
    price: float = 0.0

    @property
    def value(self) -> float:
        """Edge minus price: what the search maximises."""
        return self.edge - self.price


class ColumnFamily(Protocol):
    """What a booster needs from a class of weak learners."""

    #: Whether `best` gives the maximum over the whole class, not just a good member.
    is_exact: bool

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """Up to ``n_columns`` different columns, the one with the largest value first."""


class FiniteFamily(ColumnFamily, Protocol):
    """A class that can be listed: what the proof of a unique optimum needs."""

    def all_values(self, scores: Floats) -> Floats:
        """Edge minus price of every member, in the order of their indices."""

    def column_at(self, index: int, scores: Floats) -> Column:
        """The member with this index."""


class PrecomputedColumns:
    """Given columns, each with both signs.

    Parameters
    ----------
    H : ndarray of shape (n_samples, n_columns)
        Column j holds the values of weak learner j.
    prices : bool
        Give every column a fixed tiny price (see `fixed_prices`).
    """

    is_exact = True

    def __init__(self, H: Floats, *, prices: bool = False) -> None:
        self._H = np.asarray(H, dtype=np.float64)
        n = 2 * self._H.shape[1]
        self._prices = fixed_prices(n) if prices else np.zeros(n)

    def all_values(self, scores: Floats) -> Floats:
        """Edge minus price; index 2 j is column j, 2 j + 1 its negation."""
        edges = scores @ self._H
        return np.column_stack([edges, -edges]).ravel() - self._prices

    def column_at(self, index: int, scores: Floats) -> Column:
        """Column ``index // 2`` with sign + for even indices."""
        j, sign = index // 2, 1 - 2 * (index % 2)
        values = sign * self._H[:, j]
        return Column((j, sign), values, float(scores @ values), float(self._prices[index]))

    def best(self, scores: Floats, n_columns: int = 1) -> list[Column]:
        """The signed columns with the largest edge minus price; ties to the lowest index."""
        values = self.all_values(scores)
        return [self.column_at(i, scores) for i in ranked(values, scores, n_columns)]


def ranked(values: Floats, scores: Floats, n_best: int) -> list[int]:
    """Indices of the largest values: first the lowest index tied with the largest, then others."""
    tol = TIE * float(np.abs(scores).sum())
    first = int(np.argmax(values >= values.max() - tol))
    if n_best == 1:
        return [first]
    order = np.argsort(-values, kind="stable")[: n_best + 1]
    return [first, *(int(i) for i in order if i != first)][:n_best]


def fixed_prices(n: int) -> Floats:
    """Prices in (0, 1e-3), the same in every run: they make the optimum of the LP unique.

    They do not depend on the data, so they change the program that is solved, not the argument
    that certifies it.

    Examples
    --------
    >>> prices = fixed_prices(3)
    >>> bool((prices > 0).all() and (prices < 1e-3).all())
    True
    """
    return 1e-3 * np.random.default_rng(20161201).random(n)
