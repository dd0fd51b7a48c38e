"""What a menu is made of: terms of a price, counts of errors, candidates, failures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Term
from handful.certified._grades import Grades
from handful.models import Fitted


@dataclass(frozen=True, eq=False)
class Counts:
    """Errors of a candidate on the rows that are counted.

    Attributes
    ----------
    n_counted, n_errors : int
        Independent units (rows, or groups where one blind row of each is looked at).
    by_class : tuple of (int, int)
        Rows and errors of each class, among all counted rows.
    n_unknown : int
        Counted rows of classes that the pool does not know; each is an error.
    losses : ndarray or None
        Mean error of each counted group, in blind order, where the betting bound is used.
    warm_up : ndarray or None
        Mean errors of the pool's groups, from which the first bets learn.
    """

    n_counted: int
    n_errors: int
    by_class: tuple[tuple[int, int], ...] = ()
    losses: Floats | None = None
    warm_up: Floats | None = None
    n_unknown: int = 0

    @classmethod
    def of_classes(cls, by_class: tuple[tuple[int, int], ...], n_unknown: int) -> Counts:
        """Of single rows.

        Examples
        --------
        >>> counts = Counts.of_classes(((20, 3), (10, 1)), 2)
        >>> counts.n_counted, counts.n_errors
        (32, 6)
        """
        n, n_errors = (sum(pair[k] for pair in by_class) + n_unknown for k in (0, 1))
        return cls(n, n_errors, by_class, n_unknown=n_unknown)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A fitted classifier with its price and its errors.

    Attributes
    ----------
    name : str
        Its name in the menu; unique.
    fitted : Fitted
    made_of : ndarray of int
        Training examples the classifier is made of: the pool.
    held_back : ndarray of int
        Examples not counted: ``made_of`` and the pool.
    terms : tuple of Term
        What its code costs beside the confidence.
    counts : Counts
    rank : int
        Position in the pool's order, 1 for the favourite.
    n_ranked : int
        How many were put in order, with those that could not be counted afterwards.
    pool_error : float
        Cross-validated error on the pool: an estimate, by which it was ranked.
    seconds : float
    is_readable : bool
    simplicity : int
        Position of its form in the fixed order of forms, 0 for the simplest.
    grades : Grades or None
        Counts at other thresholds, widths of doubt and bins, for forms with a score.
    """

    name: str
    fitted: Fitted
    made_of: Ints
    held_back: Ints
    terms: tuple[Term, ...]
    counts: Counts
    rank: int
    pool_error: float
    seconds: float
    is_readable: bool = True
    simplicity: int = 0
    n_ranked: int = 1
    grades: Grades | None = None

    @property
    def nats(self) -> float:
        """Price of its code."""
        return math.fsum(term.nats for term in self.terms)


@dataclass(frozen=True)
class Failure:
    """A candidate that could not be fitted or counted, and why."""

    name: str
    reason: str
    seconds: float = 0.0


def rank_masses(n_candidates: int, first: float = 0.95) -> Floats:
    """Prior masses by rank: ``first`` for the favourite, the rest by 1 / rank.

    They sum to 1 and depend on the number of candidates alone.

    Examples
    --------
    >>> rank_masses(3).round(3).tolist()
    [0.95, 0.03, 0.02]
    >>> rank_masses(1).tolist()
    [1.0]
    """
    if n_candidates == 1:
        return np.ones(1)
    rest = 1.0 / np.arange(2, n_candidates + 1)
    return np.concatenate([[first], (1.0 - first) * rest / rest.sum()])
