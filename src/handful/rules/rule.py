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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.rules.fields import Reader
from handful.rules.formulas import Dialect

SIDE_MARKS = {"below": "<", "above": ">", "equal": "=", "unequal": "≠"}
OPPOSITE_MARKS = {"below": "≥", "above": "≤", "equal": "≠", "unequal": "="}
BESIDE = ("below the threshold", "above the threshold")  # a cut halfway between two examples
Categories = Sequence[Sequence[str] | None]
RELATIVE_TOLERANCE = 1e-10  # values of equal rows may differ in their last bits
_TINY = float(np.finfo(np.float64).tiny)
_HUGE = float(np.finfo(np.float64).max)


class AbstractRule(ABC):
    """Interface of all rules; the leaves are frozen dataclasses.

    ``fields`` says how each field of a rule is read from a model file, ``indices`` are the
    training examples the rule is made of, where it names them.
    """

    fields: ClassVar[Mapping[str, Reader]]
    side: str
    indices: tuple[int, ...]

    @property
    @abstractmethod
    def cut(self) -> float:
        """The threshold on ``values``."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Half-width of what counts as equal to the threshold."""

    @property
    def examples(self) -> tuple[int, ...]:
        """Indices of the training examples the rule is made of."""
        return self.indices

    @property
    @abstractmethod
    def roles(self) -> tuple[str, ...]:
        """What each of the examples does in the rule, in a word or two."""

    @abstractmethod
    def values(self, X: Floats) -> Floats:
        """The number that is compared with ``cut``, for each row."""

    @abstractmethod
    def unit(self) -> float:
        """Length of the boundary's normal: distances are (value - cut) / unit."""

    @abstractmethod
    def describe(
        self,
        names: Sequence[str] | None = None,
        *,
        words: Categories | None = None,
        opposite: bool = False,
    ) -> str:
        """The condition under which a row is covered, or is not (``opposite``).

        In the user's feature names; ``words`` are the categories of each feature, where it has
        some.
        """

    def mark(self, opposite: bool = False) -> str:
        """The sign between value and threshold."""
        return (OPPOSITE_MARKS if opposite else SIDE_MARKS)[self.side]

    @abstractmethod
    def value_formula(self, dialect: Dialect) -> str:
        """The number that is compared with ``cut``, as a formula of the columns."""

    def condition_formula(
        self, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
    ) -> str:
        """Whether a row is covered, or its opposite; neither is met by a missing value.

        ``words`` are the categories of the feature that a stump looks at, where it has some.
        """
        mark, cut = self.comparison(dialect, opposite)
        return f"{self.value_formula(dialect)} {mark} {cut}"

    def comparison(self, dialect: Dialect, opposite: bool) -> tuple[str, str]:
        """The mark of the comparison and the number on its right."""
        if self.side == "below":
            return (">=" if opposite else "<"), dialect.number(self.cut - self.tolerance)
        return ("<=" if opposite else ">"), dialect.number(self.cut + self.tolerance)

    def used_features(self, n_features: int) -> set[int]:
        """Features that the rule looks at; all of them unless it knows better."""
        return set(range(n_features))

    def feature_weights(self, spread: Floats) -> Floats:
        """How much each feature tells in the rule, given how much it varies; in any unit."""
        return spread

    @property
    def n_training_rows(self) -> int:
        """How many training rows the rule contains, cell by cell."""
        return 0

    def without_rows(self) -> AbstractRule:
        """The same rule by numbers that are no training row, where there are such."""
        return self

    def placed_at(self, X: Floats) -> AbstractRule:
        """The same rule with its threshold at the single example X, where one gives it."""
        return self

    def renumbered(self, order: Ints) -> Self:
        """The same rule, whose example i is the user's row ``order[i]``."""
        if not self.indices:
            return self
        named = tuple(int(order[i]) for i in self.indices)
        return replace(self, indices=named)  # type: ignore[type-var]

    def check(self, where: str) -> None:  # noqa: B027  most rules have nothing to check
        """Raise `ModelFileError` where fields that are fine alone do not fit together."""

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
        if self.side in ("equal", "unequal"):  # the numbers of words are not distances
            distance = np.where(np.isnan(v), 0.0, 1.0)
        distance = np.clip(np.where(np.isnan(distance), 0.0, distance), _TINY, _HUGE)
        return np.where(covered, -distance, distance)


def feature_name(names: Sequence[str] | None, j: int) -> str:
    """The user's name of a feature, or its position."""
    return names[j] if names is not None else f"x{j}"


Rule = TypeVar("Rule", bound=AbstractRule)
RULES: dict[str, type[AbstractRule]] = {}
"""Every kind of rule by the name that model files use."""


def register_rule(name: str) -> Callable[[type[Rule]], type[Rule]]:
    """Decorate a rule so that model files know it by ``name``."""

    def register(cls: type[Rule]) -> type[Rule]:
        if name in RULES:
            raise ValueError(f"`name` must be new, got {name!r}, which {RULES[name]} has.")
        RULES[name] = cls
        return cls

    return register


def kind_of_rule(rule: AbstractRule) -> str:
    """The name of a rule's kind."""
    return next(name for name, cls in RULES.items() if type(rule) is cls)
