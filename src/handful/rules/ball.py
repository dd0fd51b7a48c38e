"""Balls around an example, the radius given by another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats
from handful.kernels import Kernel
from handful.rules.directions import kernel_rows
from handful.rules.rule import RELATIVE_TOLERANCE, SIDE_MARKS, AbstractRule, feature_name

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
