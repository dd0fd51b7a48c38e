"""Code lengths of the training labels: the compression coefficients C1 to C5, in bits.

A code describes the labels of the training points, given the points, by means of a machine. Simple
machines have short codes. The coefficient is the length of the code divided by m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from handful.svm.geometry import MachineGeometry, cell_bits


@dataclass(frozen=True, kw_only=True)
class CodeLength:
    """Lengths of the parts of a code, in bits.

    Attributes
    ----------
    codebook : float
        Position of the code vector, and the length of this position.
    support : float
        Names of the support vectors, and their labels in C5.
    inside : float
        Points in the rotation region, and their labels.
    outside : float
        Misclassified points outside the rotation region.
    """

    codebook: float
    support: float
    inside: float
    outside: float

    @property
    def total(self) -> float:
        """Length of the whole code."""
        return self.codebook + self.support + self.inside + self.outside


_INFINITE = CodeLength(codebook=math.inf, support=0.0, inside=0.0, outside=0.0)


def log_star(bits: float) -> float:
    """L + log2 L + log2 log2 L + ... while positive: the prefix-free cost of a number of L bits.

    Examples
    --------
    >>> round(log_star(10.0), 6)
    15.846405
    """
    total = 0.0
    while bits > 0.0:
        total += bits
        bits = math.log2(bits)
    return total


def log2_binomial(n: int, k: int) -> float:
    """Logarithm of n choose k in base 2."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / math.log(2.0)


def _mistakes(g: MachineGeometry, region: str, exact: bool) -> tuple[float, float]:
    """Bits for the points inside the rotation region, and for the errors outside it.

    ``exact`` names a set by its size and its number among all sets of that size; otherwise each
    point costs log2 m bits, as in the paper.
    """
    m = g.n_samples
    n_inside, n_outside = g.rotation_counts(region)
    if exact:
        inside = math.log2(m + 1) + log2_binomial(m, n_inside) + n_inside
        left = m - n_inside
        return inside, math.log2(left + 1) + log2_binomial(left, n_outside)
    per_point = math.log2(m)
    return (n_inside + 1) * per_point + n_inside, (n_outside + 1) * per_point


def _support_bits(g: MachineGeometry, exact: bool) -> float:
    m, s = g.n_samples, g.n_support
    return math.log2(m + 1) + log2_binomial(m, s) if exact else (s + 1) * math.log2(m)


def _assemble(
    g: MachineGeometry, position: float, support: float, region: str, exact: bool
) -> CodeLength:
    inside, outside = _mistakes(g, region, exact)
    # The length of the position is sent first, in a prefix-free code, then the position itself.
    codebook = log_star(position) + position
    return CodeLength(codebook=codebook, support=support, inside=inside, outside=outside)


def code_1(g: MachineGeometry, *, region: str = "cone", exact: bool = False) -> CodeLength:
    """Code vector from a cover of the sphere: it depends on the margin only."""
    if g.is_trivial:
        return _INFINITE
    # A grid of angles of width margin / radius contains a vector whose labels differ at most on
    # the points of the rotation region; those are named one by one.
    cells = max(1, math.ceil(g.radius * math.pi / g.margin - 1e-12))
    position = 1.0 + (g.n_samples - 1) * math.log2(cells)
    return _assemble(g, position, 0.0, region, exact)


def code_2(g: MachineGeometry, *, region: str = "cone", exact: bool = False) -> CodeLength:
    """Code vector from a cover of the ellipsoid of the data."""
    if g.is_trivial:
        return _INFINITE
    # Cells along the principal axes: short axes need one cell, which costs no bits.
    position = float(cell_bits(2.0 * np.sqrt(g.points.eigenvalues) * g.norm))
    return _assemble(g, position, 0.0, region, exact)


def code_3(g: MachineGeometry, *, region: str = "cone", exact: bool = False) -> CodeLength:
    """Code vector from a cover in the span of the support vectors, which are named first."""
    if g.is_trivial:
        return _INFINITE
    # The span of s support vectors has at most s dimensions: further eigenvalues are rounding.
    position = float(cell_bits(2.0 * np.sqrt(g.span.values[: g.n_support]) * g.norm))
    return _assemble(g, position, _support_bits(g, exact), region, exact)


def code_4(
    g: MachineGeometry, *, region: str = "cone", exact: bool = False, dimension: str = "smallest"
) -> CodeLength:
    """Code vector from a cover after kernel PCA in the span of the support vectors.

    ``dimension`` is "smallest" (the paper: the fewest components that lose less than the
    margin) or "best" (the number of components with the shortest code).
    """
    if dimension not in ("smallest", "best"):
        raise ValueError(f"`dimension` must be 'smallest' or 'best', got {dimension!r}.")
    if g.is_trivial:
        return _INFINITE
    bits = g.projected_bits
    position = float(bits[0] if dimension == "smallest" else bits.min())
    # The dimension of the projection, one of m numbers, is part of the code.
    support = _support_bits(g, exact) + math.log2(g.n_samples)
    return _assemble(g, position, support, region, exact)


def code_5(g: MachineGeometry, *, region: str = "cone", exact: bool = False) -> CodeLength:
    """The support vectors with their labels, and the errors among the other points."""
    if g.is_trivial:
        return _INFINITE
    m, s = g.n_samples, g.n_support
    others = np.setdiff1d(np.arange(m), g.model.support, assume_unique=True)
    n_wrong = int((g.model.margins[others] <= 0.0).sum())
    if exact:
        wrong = math.log2(m - s + 1) + log2_binomial(m - s, n_wrong)
    else:
        wrong = (n_wrong + 1) * math.log2(m)
    return CodeLength(codebook=0.0, support=_support_bits(g, exact) + s, inside=0.0, outside=wrong)
