"""A classifier with its price and its errors: what must be said, and what was counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.arrays import Ints
from handful.bounds import (
    Certificate,
    ClassCounts,
    Message,
    Term,
    binomial_tail_inverse,
    log_choose,
)
from handful.candidates.groups import GroupLosses
from handful.models import Fitted

Rates = tuple[tuple[str, float], ...]
RATE_NAMES = ("false_positive_given_negative", "false_negative_given_positive")


@dataclass(frozen=True)
class Code:
    """What must be said to rebuild a classifier, under a prior fixed before the data.

    Attributes
    ----------
    bound : {"pool", "compression", "matching-pursuit"}
        The theorem that certifies the code.
    terms : tuple of Term
        The message, itemised. The confidence is not in it.
    n_named : int or None
        The bound itself pays for naming the kept examples among so many. None if they were drawn
        blindly, which is free, or if a term pays for it.
    """

    bound: str
    terms: tuple[Term, ...] = ()
    n_named: int | None = None

    @property
    def nats(self) -> float:
        """Price of the terms."""
        return math.fsum(term.nats for term in self.terms)

    @property
    def message(self) -> Message:
        """The terms as a message of `handful.bounds`."""
        return Message(self.terms)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Errors of a classifier on the units that are counted.

    A unit is a row, or a group of rows. Given the code, the classifier does not depend on the
    counted units, so the number of errors among them is binomial.

    Attributes
    ----------
    n_held, n_counted : int
        Units that are held back, and units that are counted.
    n_errors : int
        Errors among the counted units.
    by_class : tuple of (int, int)
        Counted rows of each class, and errors on them.
    held_by_class : tuple of int
        Rows of each class that are held back.
    n_unknown : int
        Counted rows of classes that the pool does not know; each is an error.
    n_errors_all : int or None
        Errors on all rows, also on those that are held back.
    n_said : tuple of int
        How many of all rows get each label.
    groups : GroupLosses or None
        Errors group by group, if the units are groups.
    """

    n_held: int
    n_counted: int
    n_errors: int
    by_class: tuple[tuple[int, int], ...] = ()
    held_by_class: tuple[int, ...] = ()
    n_unknown: int = 0
    n_errors_all: int | None = None
    n_said: tuple[int, ...] = ()
    groups: GroupLosses | None = None

    @property
    def n_units(self) -> int:
        """Units in all."""
        return self.n_held + self.n_counted

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """Rows of each class, counted or held back."""
        pairs = zip(self.by_class, self.held_by_class, strict=True)
        return tuple(n + n_held for (n, _), n_held in pairs)

    @property
    def class_counts(self) -> ClassCounts | None:
        """The counts of two classes, for rates of both kinds of error."""
        if len(self.by_class) != 2 or not self.held_by_class:
            return None
        (n_negatives, fp), (n_positives, fn) = self.by_class
        held_negatives, held_positives = self.held_by_class
        return ClassCounts(
            n_positives=n_positives + held_positives,
            n_negatives=n_negatives + held_negatives,
            n_compressed_positives=held_positives,
            n_compressed_negatives=held_negatives,
            n_false_positives=fp,
            n_false_negatives=fn,
        )

    def confusion(self) -> tuple[Ints, Ints] | None:
        """Rows by class and label: those that are counted, and all; for two classes.

        Examples
        --------
        >>> counts = Counts(n_held=2, n_counted=7, n_errors=2, by_class=((4, 1), (3, 1)),
        ...                 held_by_class=(1, 1), n_errors_all=3, n_said=(4, 5))
        >>> [table.tolist() for table in counts.confusion()]
        [[[3, 1], [1, 2]], [[3, 2], [1, 3]]]
        """
        if len(self.by_class) != 2 or len(self.n_said) != 2 or self.n_unknown:
            return None
        (n, fp), (m, fn) = self.by_class
        first, second = self.class_sizes
        # errors of both kinds are known in all, and their difference by what was said
        all_fp = (first + int(self.n_errors_all or 0) - self.n_said[0]) // 2
        all_fn = int(self.n_errors_all or 0) - all_fp
        whole = [[first - all_fp, all_fp], [all_fn, second - all_fn]]
        return np.array([[n - fp, fp], [fn, m - fn]]), np.array(whole)

    def rates(self, nats: float) -> Rates:
        """Limits on both kinds of error within the classes; ln 2 for the pair.

        Given the labels of the counted rows, the errors within a class are binomial. The rows of
        a group are not independent, so that groups of several rows have no rates.
        """
        if len(self.by_class) != 2:
            return ()
        (n_negatives, fp), (n_positives, fn) = self.by_class
        if n_negatives + n_positives + self.n_unknown != self.n_counted:
            return ()
        paid = nats + math.log(2.0)
        found = ((fp, n_negatives), (fn, n_positives))
        limits = [float(binomial_tail_inverse(k, n, -paid)) for k, n in found]
        return tuple(zip(RATE_NAMES, limits, strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidate:
    """A classifier with its code and its counts; a family adds what it knows of its own.

    Attributes
    ----------
    name : str
        Unique among the candidates if they are chosen by name.
    also : tuple of str
        Names of candidates that are one row with this one.
    code : Code
    counts : Counts
    """

    name: str = ""
    also: tuple[str, ...] = ()
    code: Code
    counts: Counts

    @property
    def nats(self) -> float:
        """Price of the code."""
        n_named = self.code.n_named
        naming = 0.0 if n_named is None else log_choose(n_named, self.counts.n_held)
        return naming + self.code.nats

    @property
    def tie_break(self) -> tuple[int, ...]:
        """Smaller is simpler; among equal certificates the simpler candidate comes first."""
        return ()

    def stated(self, made: Certificate) -> Certificate:
        """Its certificate with what the candidate itself knows of its rates."""
        return made

    def shown(self, risk: float) -> dict[str, Any]:
        """The row of the candidate in a frame; ``risk`` is its certificate."""
        return {"name": self.name, "nats": self.nats, "certificate": risk}


MOST_LETTERS = 48  # of the names of columns in a row of a menu


@dataclass(frozen=True, eq=False, kw_only=True)
class Offered(Candidate):
    """A candidate that was built: a row of a menu that may be taken.

    Attributes
    ----------
    fitted : Fitted
    held_back : ndarray of int
        Rows that are not counted.
    seconds : float
        Time of learning, if it was learned by itself.
    is_readable : bool
    """

    fitted: Fitted
    held_back: Ints
    seconds: float = 0.0
    is_readable: bool = True

    def in_words(self) -> str:
        """The row in a few words."""
        return self.name

    def equals_in_words(self) -> str:
        """What stands on the menu in this row, too; empty if nothing does."""
        if not self.also:
            return ""
        listed, verb = ", ".join(self.also), "gives" if len(self.also) == 1 else "give"
        return f"{listed}: {verb} the same labels as {self.name}."

    def uses_in_words(self) -> str:
        """The columns that it reads."""
        names, n_columns = self.fitted.uses, len(self.fitted.columns.columns)
        if not names:
            return "nothing" if self.is_readable else "not known"
        if len(names) == n_columns > 3:
            return f"all {n_columns} columns"
        shown = ", ".join(names)
        return shown if len(shown) <= MOST_LETTERS else f"{len(names)} of {n_columns} columns"


@dataclass(frozen=True)
class Failure:
    """A candidate that could not be fitted or counted, and the reason."""

    name: str
    reason: str
    seconds: float = 0.0
