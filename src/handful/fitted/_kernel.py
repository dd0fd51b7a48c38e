"""Weighted similarities to examples: prototypes and support vector machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from handful._types import Floats, Ints
from handful.fitted._machine import Spoken, as_floats, filled, from_scores, number

_BLOCK = 1 << 21  # entries of a kernel block: 16 MiB, within a cache shared by cores


def kernel_expansion(
    centers: Any, coefficients: Any, intercepts: Any, gamma: float, scale: Any = None
) -> KernelExpansion:
    """The expansion of a machine that takes no missing values; unit scales by default."""
    width = np.shape(centers)[1]
    return KernelExpansion(
        as_floats(centers),
        as_floats(coefficients),
        as_floats(intercepts),
        float(gamma),
        (1.0,) * width if scale is None else as_floats(scale),
        (0.0,) * width,
    )


@dataclass(frozen=True)
class KernelExpansion:
    """Sum of coefficients times exp(-gamma |x - c|^2), features divided by ``scale``.

    ``coefficients`` has one row a centre and one column a score (one score for two classes).
    Centres are in the features' own units; missing values are replaced by ``fill``.
    """

    form: ClassVar[str] = "kernel expansion"
    centers: tuple[tuple[float, ...], ...]
    coefficients: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    gamma: float
    scale: tuple[float, ...]
    fill: tuple[float, ...]

    def scores(self, X: Floats) -> Floats:
        """The sums."""
        scale, width = np.array(self.scale), len(self.intercepts)
        centers = np.array(self.centers).reshape(len(self.centers), len(self.scale)) / scale
        coefficients = np.array(self.coefficients).reshape(len(self.centers), width)
        out = np.tile(np.array(self.intercepts), (len(X), 1))
        step = max(1, _BLOCK // max(1, len(centers)))
        for start in range(0, len(X), step):
            rows = filled(X[start : start + step], self.fill) / scale
            K = np.exp(-self.gamma * cdist(rows, centers, "sqeuclidean"))
            for j in range(len(centers)):  # in order, so that a row's sum is its own
                out[start : start + step] += K[:, j, None] * coefficients[j]
        return out[:, 0] if width == 1 else out

    def labels(self, X: Floats) -> Ints:
        """By the sign, or the largest sum."""
        return from_scores(self.scores(X))

    def sentences(self, words: Spoken) -> list[str]:
        """One line a centre, at most sixteen; its values where rows are shown."""
        lines = [f"Similarity is exp(-{number(self.gamma)} × squared scaled distance)."]
        pairs = list(zip(self.centers, self.coefficients, strict=True))[:16]
        for i, (center, weights) in enumerate(pairs, 1):
            weight = ", ".join(number(w, sign=True) for w in weights)
            lines.append(f"{weight} × similarity to {words.row(center, f'kept example {i}')}")
        if len(self.centers) > 16:
            lines.append(f"and {len(self.centers) - 16} more examples.")
        if len(self.intercepts) == 1:
            threshold = number(-self.intercepts[0])
            return [*lines, f"Above {threshold}: {words.labels[1]}; else: {words.labels[0]}."]
        return [*lines, "One sum a class; the largest gives the class."]

    @property
    def size(self) -> int:
        """Number of centres."""
        return len(self.centers)

    @property
    def features(self) -> tuple[int, ...]:
        """All."""
        return tuple(range(len(self.scale)))
