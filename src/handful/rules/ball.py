"""Balls around an example, the radius given by another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats
from handful.kernels import Kernel
from handful.rules.directions import kernel_rows
from handful.rules.fields import (
    ModelFileError,
    Reader,
    optional,
    read_floats,
    read_indices,
    read_kernel,
    read_ordered_side,
    read_scale,
    read_size,
    read_text,
)
from handful.rules.formulas import (
    Dialect,
    gaps_of,
    kernel_formula,
    own_kernel_formula,
    sum_of,
    sum_of_squares,
)
from handful.rules.rule import (
    RELATIVE_TOLERANCE,
    SIDE_MARKS,
    AbstractRule,
    feature_name,
    register_rule,
)

METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


def ball_tolerance(radius: Any) -> Any:
    """Tolerance of a distance; of many too."""
    return RELATIVE_TOLERANCE * radius


def ball_distances(
    points: Floats,
    X: Floats,
    *,
    metric: str = "euclidean",
    scale: tuple[float, ...] | None = None,
    kernel: Kernel | None = None,
) -> Floats:
    """Distances of ``points`` (rows) to X (columns) in a metric, or induced by a kernel."""
    if kernel is not None:
        diagonal = kernel.diagonal(points)[:, None] + kernel.diagonal(X)[None, :]
        return np.sqrt(np.maximum(diagonal - 2.0 * kernel_rows(kernel, points, X), 0.0))
    if scale is not None:
        points, X = points / np.array(scale), X / np.array(scale)
    distances = np.asarray(cdist(points, X, METRICS[metric]))
    if metric == "chebyshev":  # the largest of some numbers and a missing one is not known
        distances[:, np.isnan(X).any(axis=1)] = np.nan
    return distances


def _read_metric(value: Any, where: str) -> str:
    return read_text(value, where, tuple(METRICS))


@register_rule("ball")
@dataclass(frozen=True)
class Ball(AbstractRule):
    """Covers what lies outside ("above") or inside ("below") a ball around an example.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Ball(center=(0.0, 0.0), radius=1.0, side="above")
    >>> rule.covers(np.array([[0.6, 0.8], [1.0, 1.0]]))
    array([False,  True])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "center": read_floats,
        "radius": read_size,
        "side": read_ordered_side,
        "metric": _read_metric,
        "scale": optional(read_scale),
        "kernel": optional(read_kernel),
        "indices": optional(read_indices(2)),
    }
    center: tuple[float, ...]
    radius: float
    side: str
    metric: str = "euclidean"
    scale: tuple[float, ...] | None = None
    kernel: Kernel | None = None
    indices: tuple[int, int] | None = None

    @property
    def cut(self) -> float:
        """The radius."""
        return self.radius

    @property
    def tolerance(self) -> float:
        """Relative to the radius."""
        return float(ball_tolerance(self.radius))

    @property
    def examples(self) -> tuple[int, ...]:
        """Indices of the centre and of the border example."""
        return () if self.indices is None else self.indices

    def values(self, X: Floats) -> Floats:
        """Distance to the centre."""
        distances = ball_distances(
            np.array([self.center]),
            np.asarray(X, dtype=np.float64),
            metric=self.metric,
            scale=self.scale,
            kernel=self.kernel,
        )
        return np.asarray(distances[0])

    def unit(self) -> float:
        """One: distances are distances."""
        return 1.0

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``distance to (age 3, nodes 1) > 2.5``."""
        shown = ", ".join(
            f"{feature_name(names, j)} {value:.4g}" for j, value in enumerate(self.center[:6])
        )
        more = ", …" if len(self.center) > 6 else ""
        return f"{self._distance()} to ({shown}{more}) {SIDE_MARKS[self.side]} {self.radius:.6g}"

    def _distance(self) -> str:
        """What kind of distance it is, where it is not the usual one."""
        if self.kernel is not None:
            return f"{self.kernel.name}-distance"
        usual = self.metric == "euclidean"
        return ("" if usual else f"{self.metric} ") + ("scaled " if self.scale else "") + "distance"

    def value_formula(self, dialect: Dialect) -> str:
        """The distance to the centre."""
        if self.kernel is not None:
            own = dialect.number(float(self.kernel.diagonal(np.array([self.center]))[0]))
            between = kernel_formula(self.kernel, self.center, dialect)
            squares = f"({own_kernel_formula(self.kernel, len(self.center), dialect)} + {own}"
            return f"{dialect.root}({dialect.absolute}({squares} - 2.0 * {between})))"
        gaps = gaps_of(self.center, dialect, self.scale)
        if self.metric == "euclidean":
            return f"{dialect.root}({sum_of_squares(gaps)})"
        sizes = [f"{dialect.absolute}({gap})" for gap in gaps]
        if self.metric == "manhattan":
            return sum_of(sizes)
        raise ModelFileError("balls in the largest coordinate have no single formula.")

    def condition_formula(
        self, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
    ) -> str:
        """A comparison; for the largest coordinate, of every one."""
        if self.metric != "chebyshev" or self.kernel is not None:
            return super().condition_formula(dialect, words, opposite=opposite)
        gaps = gaps_of(self.center, dialect, self.scale)
        sizes = [f"{dialect.absolute}({gap})" for gap in gaps]
        mark, cut = self.comparison(dialect, opposite)
        compared = [f"{size} {mark} {cut}" for size in sizes]
        if mark in ("<", "<="):  # every coordinate within the radius
            return "(" + f" {dialect.both} ".join(compared) + ")"
        some = f" {dialect.either} ".join(compared)  # some beyond it, and none missing
        return f"(({some}) {dialect.both} {sum_of(sizes)} >= {dialect.number(0.0)})"
