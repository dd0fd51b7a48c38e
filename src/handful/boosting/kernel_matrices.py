"""Kernel matrices of several kernels on the training rows, centred and scaled."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.boosting.weak_learners import ColumnFamily, WeakColumn, ranked
from handful.kernels import Kernel, ViewKernel, make_kernel

#: Matrices are kept up to this many bytes; the others are computed again at each use.
_BYTES = 2_000_000_000
#: A variance below this share of the diagonal is rounding: the kernel is constant.
_CONSTANT = 1e-12


@dataclass(frozen=True, eq=False)
class Unit:
    """Means and scale with which a kernel k enters the program: (k - means) / scale."""

    scale: float  # variance of the training examples in the space of the kernel, or 1
    means: Floats | None  # weighted mean of k(x_i, .); None if it is not subtracted
    grand_mean: float


class KernelMatrices:
    """The matrices of some kernels, each different matrix once.

    ``weights`` of the examples enter means and variances. With ``centre`` the mean of the examples
    in the space of each kernel is subtracted; with ``equal_variance`` each kernel is divided by
    their variance there. ``groups[g]`` has the positions of the kernels that share matrix g.
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
            # Equal matrices are one kernel of the program, or its optimum would not be unique.
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
        # Mean squared distance of the examples from their mean in the kernel's space.
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
        """Matrix g, centred and scaled."""
        if g in self._kept:
            return self._kept[g]
        position = self.groups[g][0]
        kernel = self._kernels[position]
        return self._in_units(g, check_kernel_matrix(kernel(self._rows), kernel, position))

    def plain_coefficients(self, g: int, coefficients: Floats) -> tuple[Floats, float]:
        """Coefficients of k(x_i, .) and a constant that express a sum of (k - means) / scale."""
        unit = self.units[g]
        coefficients = coefficients / unit.scale
        if unit.means is None:
            return coefficients, 0.0
        total = float(coefficients.sum())
        # The means are sums of kernel values themselves: they go into coefficients and a constant.
        constant = total * unit.grand_mean - float(coefficients @ unit.means)
        return coefficients - total * self._shares, constant


#: Rows on which a kernel that is not known to be positive is tested.
_N_TESTED = 1000


def make_kernels(specs: Sequence[Any], n_features: int, *, normalise: bool) -> list[ViewKernel]:
    """Kernels from names, `Kernel` objects, callables, or dictionaries.

    A dictionary holds the arguments of `handful.kernels.make_kernel` and optionally
    ``columns``, the columns of X that the kernel uses.

    Examples
    --------
    >>> specs = ["linear", {"kernel": "rbf", "gamma": 0.5, "columns": [0, 2]}]
    >>> [k.kernel.name for k in make_kernels(specs, 3, normalise=True)]
    ['linear', 'rbf']
    """
    if isinstance(specs, (str, Mapping, Kernel)) or not isinstance(specs, Sequence) or not specs:
        raise ValueError(
            f"`kernels` must be a list of at least one kernel, got {specs!r}. "
            "Write ['linear', {'kernel': 'rbf', 'gamma': 0.5}]."
        )
    return [_make_one(spec, n_features, normalise) for spec in specs]


def _make_one(spec: Any, n_features: int, normalise: bool) -> ViewKernel:
    options = dict(spec) if isinstance(spec, Mapping) else {"kernel": spec}
    if "kernel" not in options:
        raise ValueError(f"`kernels` has an entry without 'kernel': {spec!r}.")
    columns = options.pop("columns", None)
    if columns is not None:
        columns = tuple(int(j) for j in columns)
        if not columns or min(columns) < 0 or max(columns) >= n_features:
            raise ValueError(
                f"`columns` of a kernel must be in [0, {n_features}), got {list(columns)}."
            )
    n_seen = n_features if columns is None else len(columns)
    kernel = make_kernel(options.pop("kernel"), n_features=n_seen, **options)
    if kernel.name == "precomputed":
        raise ValueError(
            "`kernels` must be computed from X, got 'precomputed'. Pass a callable "
            "`function(X, Z)` that gives your kernel matrix."
        )
    return ViewKernel(kernel, columns, normalise)


def check_kernel_matrix(K: Floats, kernel: ViewKernel, position: int) -> Floats:
    """Return K made symmetric; refuse NaN, wrong shapes and indefinite matrices."""
    name = f"kernel {position} ({kernel.kernel.name})"
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} must give a square matrix on the training data, got {K.shape}.")
    if not np.all(np.isfinite(K)):
        raise ValueError(f"{name} must give finite values, got NaN or infinity. Rescale X first.")
    scale = max(1.0, float(np.abs(K).max()))
    if float(np.abs(K - K.T).max()) > 1e-8 * scale:
        raise ValueError(f"{name} must be symmetric. Average it with its transpose.")
    if not _is_positive_by_construction(kernel.kernel):
        # A part of a positive semi-definite matrix is one, too: a negative eigenvalue here is a
        # proof.
        part = K[:_N_TESTED, :_N_TESTED]
        lowest = float(np.linalg.eigvalsh(0.5 * (part + part.T))[0])
        if lowest < -1e-8 * scale * part.shape[0]:
            raise ValueError(
                f"{name} must be positive semi-definite, got the eigenvalue {lowest:.3g}. "
                "Use a Mercer kernel, or square the matrix."
            )
    return 0.5 * (K + K.T)


def _is_positive_by_construction(kernel: Kernel) -> bool:
    return kernel.name in ("linear", "rbf") or (kernel.name == "poly" and kernel.coef0 >= 0.0)


@dataclass(frozen=True, eq=False)
class KernelMember:
    """f(x) = sum_i coefficients_i k(x_i, x) over the examples ``indices``, of norm one."""

    kernel: int
    indices: NDArray[np.int64]
    coefficients: Floats


class KernelBalls(ColumnFamily):
    """Functions of norm at most one in the space of one of several kernels.

    The best member of kernel t for given scores is sum_i scores_i k_t(x_i, .) / N_t with
    N_t = sqrt(scores' K_t scores), and its edge is N_t. The matrices K_t must be positive
    semi-definite.
    """

    is_exact = True

    def __init__(self, matrices: Sequence[Floats]) -> None:
        self._matrices = list(matrices)

    def edges(self, scores: Floats) -> Floats:
        """N_t of every kernel."""
        return np.array([self._image(t, scores)[1] for t in range(len(self._matrices))])

    def _image(self, t: int, scores: Floats) -> tuple[Floats, float]:
        used = np.flatnonzero(scores)
        K = self._matrices[t]
        # Few scores that are not zero need few rows only.
        image = K @ scores if 2 * used.size > scores.size else K[used].T @ scores[used]
        return image, float(np.sqrt(max(0.0, float(scores @ image))))

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        """The best member of each of the kernels with the largest N_t; none if N_t = 0."""
        images = [self._image(t, scores) for t in range(len(self._matrices))]
        norms = np.array([norm for _, norm in images])
        used = np.flatnonzero(scores)
        return [
            WeakColumn(
                KernelMember(t, used, scores[used] / norms[t]),
                images[t][0] / norms[t],
                float(norms[t]),
            )
            for t in ranked(norms, scores, n_columns)
            if norms[t] > 0.0
        ]
