"""Goals named before looking: one fixed sequence of thresholds a row, paid once.

The thresholds of a score are tested in an order that the pool fixes, the surest first, each at the
whole level of its row; the first that is not accepted ends the sequence. What may be printed of an
accepted threshold is the goal, nothing more (`handful.evidence.fixed_sequence`). Given the labels,
rows of the other class say nothing of who was accepted: the other rate of the last accepted
threshold needs no share for the number of thresholds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handful.arrays import Floats
from handful.bounds import binomial_tail_inverse
from handful.candidates import RATE_NAMES, Rates, ThresholdCounts
from handful.evidence import FixedSequence, fixed_sequence
from handful.models import Form

QUANTITIES = {"sensitivity": ">=", "specificity": ">=", "error": "<="}
_SIGNS = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<="}
_TEXT = re.compile(r"\s*([a-z]+)\s*(>=|≥|<=|≤)\s*([0-9]*\.?[0-9]+)\s*(%?)\s*")


@dataclass(frozen=True)
class Goal:
    """What new cases must be recognised at least, or how often errors may happen at most.

    Attributes
    ----------
    quantity : {"sensitivity", "specificity", "error"}
    value : float
    """

    quantity: str
    value: float

    @classmethod
    def of(cls, text: str) -> Goal:
        """A goal from its sentence.

        Examples
        --------
        >>> Goal.of("sensitivity >= 0.9"), Goal.of("error ≤ 5 %").text
        (Goal(quantity='sensitivity', value=0.9), 'error <= 0.05')
        """
        found = _TEXT.fullmatch(text) if isinstance(text, str) else None
        quantity, sign = (found[1], _SIGNS[found[2]]) if found else ("", "")
        value = float(found[3]) / (100.0 if found[4] else 1.0) if found else 0.0
        if QUANTITIES.get(quantity) != sign or not 0.0 < value < 1.0:
            raise ValueError(
                "`goal` must be such as 'sensitivity >= 0.9', 'specificity >= 0.9' or "
                f"'error <= 0.1', got {text!r}. Write a share between 0 and 1, or percent."
            )
        return cls(quantity, value)

    @property
    def text(self) -> str:
        """The sentence, as `of` reads it."""
        return f"{self.quantity} {QUANTITIES[self.quantity]} {self.value!r}"

    @property
    def position(self) -> int | None:
        """Class whose errors it limits; None if it speaks of all cases."""
        return {"specificity": 0, "sensitivity": 1}.get(self.quantity)

    def of_second(self, is_first: bool) -> Goal:
        """The same goal in terms of the second class, if the case may be the first one."""
        if not is_first or self.position is None:
            return self
        return Goal(("sensitivity", "specificity")[self.position], self.value)


@dataclass(frozen=True, eq=False)
class Chain:
    """The thresholds of one row, tested for a goal in a fixed order, and the one that was taken.

    Attributes
    ----------
    goal : Goal
        Of the second class or the first; a goal for all errors has no chain.
    thresholds : tuple of float
        In the order of the tests: from low to high for the second class, back for the first.
    n_wrong, n : tuple of int, int
        Errors on counted rows of the goal's class at each of them, and these rows.
    n_wrong_other, n_other : tuple of int, int
        The same for the other class.
    place : int
        The last threshold that is accepted; the first one if none is.
    unmoved : Form
        The machine before its threshold was moved.
    """

    goal: Goal
    thresholds: tuple[float, ...]
    n_wrong: tuple[int, ...]
    n: int
    n_wrong_other: tuple[int, ...]
    n_other: int
    place: int
    unmoved: Form

    @classmethod
    def of(cls, goal: Goal, counted: ThresholdCounts, unmoved: Form, nats: float) -> Chain:
        """The chain of a row whose price and confidence are ``nats``."""
        own = int(goal.position or 0)
        order = slice(None) if own == 1 else slice(None, None, -1)  # the grid is in order
        n_negative, n_positive = counted.n_classes.tolist()
        n, n_other = (n_positive, n_negative) if own == 1 else (n_negative, n_positive)
        wrong, other = (counted.wrong[order, k].tolist() for k in (own, 1 - own))
        thresholds = counted.grid.thresholds[order]
        chain = cls(goal, thresholds, tuple(wrong), n, tuple(other), n_other, 0, unmoved)
        return replace(chain, place=chain.last(nats))

    @property
    def grid_place(self) -> int:
        """The place of the threshold in the grid."""
        return self.place if self.goal.position == 1 else len(self.thresholds) - 1 - self.place

    def _tested(self, nats: float) -> FixedSequence:
        # Half of the level is for the goal's class, half for the other one.
        limits = _upper(self.n_wrong, self.n, nats + math.log(2.0))
        return fixed_sequence(limits, 1.0 - self.goal.value)

    def last(self, nats: float) -> int:
        """The last accepted threshold, or the first if none is accepted."""
        return max(0, self._tested(nats).n_accepted - 1)

    def rates(self, nats: float) -> Rates:
        """Limits of both kinds of error; 1 where nothing may be said of this threshold.

        ``nats`` are the price of the row and the confidence, without the number of thresholds.
        """
        printed = float(self._tested(nats).printed[self.place])
        limit = 1.0 if math.isnan(printed) else printed
        # At another confidence another threshold is the last: this one was then picked by others.
        shared = 0.0 if self.place == self.last(nats) else math.log(len(self.thresholds))
        paid = nats + math.log(2.0) + shared
        other = float(_upper(self.n_wrong_other[self.place :][:1], self.n_other, paid)[0])
        pair = (other, limit) if self.goal.position == 1 else (limit, other)
        return tuple(zip(RATE_NAMES, pair, strict=True))


def _upper(n_errors: Sequence[int], n: int, nats: float) -> Floats:
    k = np.asarray(n_errors, dtype=np.int64)
    if n == 0:
        return np.ones(len(k))
    return np.atleast_1d(np.asarray(binomial_tail_inverse(k, np.full(len(k), n), -nats)))


def is_first_case(case: str | None, classes: Sequence[Any]) -> bool:
    """Whether the case is the first of two classes; rates of machines are about the second."""
    return len(classes) == 2 and case == str(classes[0])


def goal_of_case(goal: Sequence[Any] | None, is_first: bool) -> tuple[str, float] | None:
    """A goal for one class as one for the other, if the case is the first class."""
    if goal is None:
        return None
    found = Goal(goal[0], goal[1]).of_second(is_first)
    return found.quantity, found.value
