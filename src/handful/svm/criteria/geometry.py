"""What a machine looks like in feature space: computed once, read by every criterion.

`KernelGeometry` holds what depends on the kernel alone (and is shared by all C), and
`Geometry` what depends on one machine. Both compute lazily and keep what they computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from handful._types import Floats
from handful.svm._model import SVMModel
from handful.svm.criteria.enclosing_ball import enclosing_ball
from handful.svm.criteria.span import FreeFactor, factorise_free

Indices = NDArray[np.intp]

_INSIDE = 1.0 - 1e-6  # on the border up to rounding counts as outside
_IN_SPAN = 1e-8  # of its norm: what is left of a vector that lies in the span
_RCOND = 1e-10  # of the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues in falling order, none negative, and eigenvectors of a kernel matrix."""

    members: Indices
    values: Floats
    vectors: Floats


def _spectrum(K: Floats, members: Indices) -> Spectrum:
    block = K if members.size == K.shape[0] else K[np.ix_(members, members)]
    values, vectors = eigh(block, check_finite=False, driver="evd")
    return Spectrum(members, np.maximum(values[::-1], 0.0), vectors[:, ::-1])


def cell_bits(widths: Floats) -> Floats:
    """Sum over the last axis of log2 max(1, ceil(width)): bits of a position in a box of cells."""
    return np.log2(np.maximum(1.0, np.ceil(widths - 1e-12))).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class KernelGeometry:
    """The training points in the feature space of one kernel.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix in the coordinates in which the machines are looked at: centred for
        machines with a bias or with centring.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-2.0, 0.0, 2.0])
    >>> geometry = KernelGeometry(np.outer(x, x))
    >>> geometry.radius, round(geometry.enclosing_radius, 6)
    (2.0, 2.0)
    """

    K: Floats
    _spans: dict[bytes, Spectrum] = field(default_factory=dict, repr=False)
    _factors: dict[bytes, FreeFactor] = field(default_factory=dict, repr=False)

    @property
    def n_samples(self) -> int:
        """Number of training points."""
        return self.K.shape[0]

    @cached_property
    def norms(self) -> Floats:
        """Norms of the training points."""
        return np.sqrt(np.maximum(np.diagonal(self.K), 0.0))

    @property
    def radius(self) -> float:
        """Largest norm of a training point."""
        return float(self.norms.max())

    @cached_property
    def enclosing_radius(self) -> float:
        """Radius of the smallest ball around the training points, wherever its centre."""
        return enclosing_ball(self.K)[0]

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and eigenvectors of K."""
        return _spectrum(self.K, np.arange(self.n_samples))

    @cached_property
    def eigenvalues(self) -> Floats:
        """Eigenvalues of K in falling order, negative ones set to zero."""
        if "spectrum" in self.__dict__:
            return self.spectrum.values
        # without vectors it takes a third of the time
        return np.maximum(eigh(self.K, eigvals_only=True, check_finite=False)[::-1], 0.0)

    @cached_property
    def largest_loadings(self) -> Floats:
        """Largest squared entry of each eigenvector."""
        return np.square(self.spectrum.vectors).max(axis=0)

    def span_spectrum(self, support: Indices) -> Spectrum:
        """Spectrum of K on all points in the span of the support vectors (K_SV)."""
        key = support.tobytes()
        if key not in self._spans:
            self._spans[key] = self._make_span(support)
        return self._spans[key]

    def free_factor(self, free: Indices) -> FreeFactor:
        """Factorisation of K on the support vectors between their bounds."""
        key = free.tobytes()
        if key not in self._factors:
            self._factors[key] = factorise_free(self.K, free)
        return self._factors[key]

    def _make_span(self, support: Indices) -> Spectrum:
        m = self.n_samples
        if support.size in (0, m):
            return _spectrum(self.K, support) if support.size == 0 else self.spectrum
        own = _spectrum(self.K, support)
        others = np.setdiff1d(np.arange(m), support, assume_unique=True)
        usable = own.values > _RCOND * own.values[0]
        images = own.vectors[:, usable].T @ self.K[np.ix_(support, others)]
        explained = (images**2 / own.values[usable, None]).sum(axis=0)
        diagonal = np.diagonal(self.K)[others]
        inside = others[diagonal - explained <= _IN_SPAN * diagonal]
        if inside.size == 0:
            return own
        return _spectrum(self.K, np.sort(np.concatenate([support, inside])))


@dataclass(frozen=True, eq=False)
class Geometry:
    """One machine in feature space.

    Parameters
    ----------
    model : SVMModel
    points : KernelGeometry
        Of the machine's kernel; share it between the machines of one kernel.
    """

    model: SVMModel
    points: KernelGeometry

    @property
    def n_samples(self) -> int:
        """Number m of training points."""
        return self.model.n_samples

    @cached_property
    def norm2(self) -> float:
        """Squared norm of w."""
        coef = self.model.coef
        return max(0.0, float(coef @ (self.model.f - self.model.bias)))

    @property
    def norm(self) -> float:
        """Norm of w."""
        return float(np.sqrt(self.norm2))

    @property
    def is_trivial(self) -> bool:
        """Whether w = 0, so that there is no direction to speak of."""
        return self.norm2 <= 0.0

    @property
    def margin(self) -> float:
        """Geometric margin, 1 / |w|."""
        return np.inf if self.is_trivial else 1.0 / self.norm

    @property
    def radius(self) -> float:
        """Largest norm of a training point."""
        return self.points.radius

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return self.model.support.size

    @property
    def empirical_risk(self) -> float:
        """Share of training points with y f <= 0."""
        return float(np.mean(self.model.margins <= 0.0))

    @cached_property
    def radius_margin(self) -> float:
        """R^2 / rho^2."""
        return self.radius**2 * self.norm2

    @cached_property
    def direction_scores(self) -> Floats:
        """Inner products of w with the points in these coordinates: scores without the bias.

        The codes tell a direction through the origin; a bias is not told, so it cannot be used.
        """
        f = self.model.f
        return f - f.mean() if self.model.fit_intercept else f

    def is_rotatable(self, region: str = "cone") -> NDArray[np.bool_]:
        """Which points change sides when the hyperplane is turned within its margin.

        "cone" is exact, |w.x| / |w| < rho |x| / R; "slab", |w.x| < 1, holds the cone. Points on
        the border, as support vectors are, count as outside.
        """
        if region not in ("cone", "slab"):
            raise ValueError(f"`region` must be 'cone' or 'slab', got {region!r}.")
        if region == "slab":
            return np.abs(self.direction_scores) < _INSIDE
        if self.radius == 0.0:
            return np.ones(self.n_samples, dtype=bool)
        return np.abs(self.direction_scores) < _INSIDE * self.points.norms / self.radius

    def rotation_counts(self, region: str = "cone") -> tuple[int, int]:
        """Points inside the rotation region, and misclassified points outside it."""
        inside = self.is_rotatable(region)
        is_wrong = self.model.y_signed * self.direction_scores <= 0.0
        return int(inside.sum()), int((~inside & is_wrong).sum())

    @property
    def span(self) -> Spectrum:
        """Spectrum of K_SV, the kernel matrix on the span of the support vectors."""
        return self.points.span_spectrum(self.model.support)

    @cached_property
    def projection_loss(self) -> Floats:
        """c_P for d_P = 0..: distance of R w / |w| from its kernel PCA projection, over rho.

        Entry d is for the projection on the d leading components of K_SV.
        """
        span = self.span
        weights = (span.vectors.T @ self.model.coef[span.members]) ** 2
        parts = np.concatenate([[0.0], (span.values * weights)[::-1]])
        tails = np.maximum(np.cumsum(parts)[::-1], 0.0)
        return self.radius * np.sqrt(tails)

    @cached_property
    def projected_bits(self) -> Floats:
        """Bits of a code vector in the projections that lose less than the margin.

        The first entry is for the fewest components; the smallest is the smallest over all.
        """
        loss = self.projection_loss
        widths = 2.0 * np.sqrt(self.span.values) * self.norm
        bits = []
        valid = np.flatnonzero(loss < 1.0)
        for d in valid:
            scaled = widths[:d] / np.sqrt(1.0 - loss[d] ** 2)
            bits.append(float(cell_bits(scaled[: np.searchsorted(-scaled, -1.0)])))
            if d and scaled[-1] <= 1.0:
                # Further components cost nothing and only make the cells larger.
                last = widths / np.sqrt(1.0 - loss[valid[-1]] ** 2)
                bits.append(float(cell_bits(last)))
                break
        return np.array(bits)
