"""Half-spaces of two examples, the threshold at a dyadic fraction between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from handful.kernels import Kernel
from handful.rules.directions import LINEAR, PairRule
from handful.rules.fields import (
    MAX_LEVEL,
    Reader,
    fail,
    optional,
    read_floats,
    read_index,
    read_indices,
    read_kernel,
    read_ordered_side,
    read_within,
)
from handful.rules.rule import SIDE_MARKS, register_rule


@register_rule("two-point")
@dataclass(frozen=True)
class TwoPointHalfSpace(PairRule):
    """A half-space whose threshold lies at the dyadic fraction j / 2^l between b and a.

    Examples
    --------
    >>> import numpy as np
    >>> rule = TwoPointHalfSpace((2.0,), (0.0,), numerator=1, level=1, side="below")
    >>> rule.covers(np.array([[0.9], [1.1]]))
    array([ True, False])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "a": read_floats,
        "b": read_floats,
        "numerator": read_index,
        "level": read_within(1, MAX_LEVEL),
        "side": read_ordered_side,
        "kernel": read_kernel,
        "indices": optional(read_indices(2)),
    }
    a: tuple[float, ...]
    b: tuple[float, ...]
    numerator: int
    level: int
    side: str
    kernel: Kernel = LINEAR
    indices: tuple[int, int] | None = None

    @property
    def cut(self) -> float:
        """v(b) + fraction (v(a) - v(b))."""
        K = self._gram()
        at_a, at_b = K[0, 0] - K[1, 0], K[0, 1] - K[1, 1]
        return float(at_b + self.numerator / 2.0**self.level * (at_a - at_b))

    @property
    def examples(self) -> tuple[int, ...]:
        """Indices of a and b."""
        return () if self.indices is None else self.indices

    def describe(self, names: Sequence[str] | None = None) -> str:
        """The condition with its threshold as a number."""
        return f"{self._direction(names)} {SIDE_MARKS[self.side]} {self.cut:.6g}"

    def check(self, where: str) -> None:
        """Refuse fractions that are not in lowest terms between 0 and 1."""
        if not (self.numerator % 2 and self.numerator < 2**self.level):
            raise fail(f"{where}.numerator", "odd and below 2^level", self.numerator)
