"""Half-spaces of three examples: two give the direction, one the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from handful.kernels import Kernel
from handful.rules.directions import LINEAR, PairRule
from handful.rules.fields import (
    Reader,
    optional,
    read_float,
    read_floats,
    read_indices,
    read_kernel,
    read_ordered_side,
)
from handful.rules.rule import SIDE_MARKS, register_rule


@register_rule("half-space")
@dataclass(frozen=True)
class HalfSpace(PairRule):
    """Covers one side of the hyperplane through c, normal to the line from b to a.

    Examples
    --------
    >>> import numpy as np
    >>> rule = HalfSpace((1.0, 0.0), (0.0, 0.0), threshold=0.5, side="below")
    >>> rule.covers(np.array([[0.0, 3.0], [0.5, 0.0]]))
    array([ True, False])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "a": read_floats,
        "b": read_floats,
        "threshold": read_float,
        "side": read_ordered_side,
        "kernel": read_kernel,
        "indices": optional(read_indices(3)),
    }
    a: tuple[float, ...]
    b: tuple[float, ...]
    threshold: float
    side: str
    kernel: Kernel = LINEAR
    indices: tuple[int, int, int] | None = None

    @property
    def cut(self) -> float:
        """Value at the threshold example."""
        return self.threshold

    @property
    def examples(self) -> tuple[int, ...]:
        """Indices of a, b and c."""
        return () if self.indices is None else self.indices

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``+1·age -2·nodes < 3``."""
        return f"{self._direction(names)} {SIDE_MARKS[self.side]} {self.threshold:.6g}"
