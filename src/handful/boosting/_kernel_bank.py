"""Kernel matrices of a list of kernels on the training rows, in the units of the program."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful._types import Floats
from handful.boosting._kernel_specs import ViewKernel, check_kernel_matrix

#: Matrices are kept up to this many bytes, and computed again when needed beyond.
_BYTES = 2_000_000_000
#: A variance below this share of the diagonal is rounding: the kernel is constant.
_CONSTANT = 1e-12


@dataclass(frozen=True, eq=False)
class Unit:
    """How a kernel k enters the program: (k - means) / scale.

    Attributes
    ----------
    scale : float
        Variance of the training examples in the space of the kernel, or 1.
    means : ndarray of shape (n_samples,) or None
        Weighted mean of k(x_i, .) over the training examples; None where it is not subtracted.
    grand_mean : float
    """

    scale: float
    means: Floats | None
    grand_mean: float


class KernelBank:
    """The matrices, equal ones only once.

    Parameters
    ----------
    kernels : sequence of ViewKernel
    rows : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
        Of the examples, for means and variances.
    centre : bool
        Subtract the mean of the examples in the space of each kernel.
    equal_variance : bool
        Divide each kernel by the variance of the examples in its space.

    Attributes
    ----------
    groups : list of list of int
        Positions of the kernels that share a matrix; the bank's kernel g is ``groups[g]``.
    units : list of Unit
    """

    def __init__(
        self,
        kernels: Sequence[ViewKernel],
        rows: Floats,
        weights: Floats,
        *,
        centre: bool,
        equal_variance: bool,
    ) -> None:
        self._kernels, self._rows = list(kernels), rows
        self._shares = weights / weights.sum()
        self._centre, self._equal_variance = centre, equal_variance
        self.groups: list[list[int]] = []
        self.units: list[Unit] = []
        self._kept: dict[int, Floats] = {}
        seen: dict[bytes, int] = {}
        for position, kernel in enumerate(self._kernels):
            K = check_kernel_matrix(kernel(rows), kernel, position)
            digest = hashlib.sha256(np.ascontiguousarray(K).tobytes()).digest()
            if digest in seen:
                self.groups[seen[digest]].append(position)
                continue
            seen[digest] = len(self.groups)
            self.units.append(self._unit(K))
            self._keep(len(self.groups), K)
            self.groups.append([position])

    def __len__(self) -> int:
        return len(self.groups)

    def _unit(self, K: Floats) -> Unit:
        means = K @ self._shares
        grand_mean = float(means @ self._shares)
        diagonal = float(self._shares @ np.diagonal(K))
        variance = diagonal - grand_mean
        is_scaled = self._equal_variance and variance > _CONSTANT * max(diagonal, 0.0)
        scale = variance if is_scaled else 1.0
        return Unit(scale, means if self._centre else None, grand_mean)

    def _keep(self, g: int, K: Floats) -> None:
        if (len(self._kept) + 1) * K.nbytes <= _BYTES:
            self._kept[g] = self._in_units(g, K)

    def _in_units(self, g: int, K: Floats) -> Floats:
        unit = self.units[g]
        if unit.means is not None:
            K = K - unit.means[:, None] - unit.means[None, :] + unit.grand_mean
        return K / unit.scale

    def matrix(self, g: int) -> Floats:
        """Matrix of the bank's kernel g, centred and scaled."""
        if g in self._kept:
            return self._kept[g]
        position = self.groups[g][0]
        kernel = self._kernels[position]
        return self._in_units(g, check_kernel_matrix(kernel(self._rows), kernel, position))

    def plain_coefficients(self, g: int, coefficients: Floats) -> tuple[Floats, float]:
        """The function sum_i coefficients_i (k - means)(x_i, .) / scale in terms of k itself.

        Returns the coefficients of k(x_i, .) and a constant.
        """
        unit = self.units[g]
        coefficients = coefficients / unit.scale
        if unit.means is None:
            return coefficients, 0.0
        total = float(coefficients.sum())
        constant = total * unit.grand_mean - float(coefficients @ unit.means)
        return coefficients - total * self._shares, constant
