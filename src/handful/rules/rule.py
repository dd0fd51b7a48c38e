"""What a rule is: a frozen record that covers rows, measures distances to its boundary and reads.

A rule *covers* a row where its value lies on the stated side of its threshold. In a conjunction
covered rows are called negative, in a disjunction positive. A condition on a missing value is not
met: neither the rule's own, nor its opposite, which is what a conjunction asks for. Values
within ``tolerance`` of the threshold are on neither strict side, so that rows equal to the
threshold example are treated alike in training, rebuilding and prediction whatever the order of
floating-point operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from handful._types import Floats, Mask

SIDES = ("below", "above", "equal", "unequal")
SIDE_MARKS = {"below": "<", "above": ">", "equal": "=", "unequal": "≠"}
RELATIVE_TOLERANCE = 1e-10  # values of equal rows may differ in their last bits
_TINY = float(np.finfo(np.float64).tiny)
_HUGE = float(np.finfo(np.float64).max)


class AbstractRule(ABC):
    """Interface of all rules; the leaves are frozen dataclasses."""

    side: str

    @property
    @abstractmethod
    def cut(self) -> float:
        """The threshold on ``values``."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Half-width of what counts as equal to the threshold."""

    @property
    @abstractmethod
    def examples(self) -> tuple[int, ...]:
        """Indices of the training examples the rule is made of."""

    @abstractmethod
    def values(self, X: Floats) -> Floats:
        """The number that is compared with ``cut``, for each row."""

    @abstractmethod
    def unit(self) -> float:
        """Length of the boundary's normal: distances are (value - cut) / unit."""

    @abstractmethod
    def describe(self, names: Sequence[str] | None = None) -> str:
        """The condition under which a row is covered, in the user's feature names."""

    def covers(self, X: Floats, *, with_missing: bool = False) -> Mask:
        """Which rows lie on the rule's side.

        A missing value lies on no side, and neither on the other one. A conjunction asks for the
        other side, so a missing value does not meet it: ``with_missing`` counts it as covered.
        """
        return self._is_covered(self.values(X), with_missing)

    def is_missing(self, X: Floats) -> Mask:
        """Which rows lack a value that the rule looks at."""
        return np.isnan(self.values(X))

    def _is_covered(self, v: Floats, with_missing: bool) -> Mask:
        if self.side == "below":
            covered = v < self.cut - self.tolerance
        elif self.side == "above":
            covered = v > self.cut + self.tolerance
        else:
            is_equal = np.abs(v - self.cut) <= self.tolerance
            covered = is_equal if self.side == "equal" else ~is_equal & ~np.isnan(v)
        return np.asarray(covered | np.isnan(v) if with_missing else covered)

    def score(self, X: Floats, *, with_missing: bool = False) -> Floats:
        """Signed distance to the boundary: negative exactly where the rule covers."""
        v = self.values(X)
        covered = self._is_covered(v, with_missing)
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(v - self.cut) / max(self.unit(), _TINY)
        distance = np.clip(np.where(np.isnan(distance), 0.0, distance), _TINY, _HUGE)
        return np.where(covered, -distance, distance)


def feature_name(names: Sequence[str] | None, j: int) -> str:
    """The user's name of a feature, or its position."""
    return names[j] if names is not None else f"x[{j}]"
