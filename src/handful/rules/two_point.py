"""Half-spaces of two examples, the threshold at a dyadic fraction between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handful.kernels import Kernel
from handful.rules.directions import LINEAR, PairRule
from handful.rules.rule import SIDE_MARKS


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
