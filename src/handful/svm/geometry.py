"""The geometry of a machine in feature space: computed once, used by every criterion.

`KernelGeometry` depends on the kernel only and is shared by all C. `MachineGeometry` depends on
one machine. `KernelStore` caches both for one training set, within a memory budget. Values are
computed at first access and kept.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.metrics.pairwise import euclidean_distances

from handful.arrays import Floats
from handful.checks import check_choice
from handful.kernels import Kernel, center_kernel
from handful.svm.solver import FLOOR, RIDGE, SMO_STEPS, DualState, newton_steps
from handful.svm.span import FreeFactor, factorise_free
from handful.svm.svm_model import SVMModel


def enclosing_ball(K: Floats, *, tol: float = 1e-8, max_rounds: int = 200) -> tuple[float, Floats]:
    """Radius of the smallest ball that contains all points, and the weights of its centre.

    The centre is sum_i weights_i x_i with weights >= 0 that sum to one. The returned radius is
    the largest distance from that centre, so all points are inside. The squared radius exceeds
    the smallest one by ``tol`` (relative to the mean of the diagonal) at most.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix.
    tol : float
        Largest relative gap of the squared radius.
    max_rounds : int

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 4.0])
    >>> radius, weights = enclosing_ball(np.outer(x, x))
    >>> round(radius, 6)
    2.0
    """
    from handful.svm import loops

    m = K.shape[0]
    diagonal = np.ascontiguousarray(np.diagonal(K))
    scale = max(float(diagonal.mean()), np.finfo(float).tiny)
    doubled = np.ascontiguousarray(2.0 * K)
    start = np.full(m, 1.0 / m)
    state = DualState(
        K=doubled,
        diagonal=2.0 * diagonal,
        y=diagonal,
        u=start,
        errors=doubled @ start - diagonal,
        low=np.zeros(m),
        high=np.full(m, 2.0),
        scale=2.0 * scale,
        has_bias=True,
    )
    violation = 1e-3 * scale
    for _ in range(max_rounds):
        if _ball_gap(state)[0] <= tol * scale:
            break
        box = (doubled, state.diagonal, state.low, state.high)
        loops.smo_pairs(*box, state.u, state.errors, violation, SMO_STEPS, FLOOR * scale)
        newton_steps(state, violation, RIDGE * scale)
        violation = max(0.3 * violation, 1e-14 * scale)
    return float(np.sqrt(max(_ball_gap(state)[1], 0.0))), state.u


def _ball_gap(state: DualState) -> tuple[float, float]:
    """Gap of the squared radius, and a squared radius that contains all points."""
    image = state.errors + state.y
    norm2 = 0.5 * float(state.u @ image)
    # The dual value: no ball around all points has a smaller squared radius.
    inner = float(state.u @ state.y) - norm2
    # The largest squared distance from the centre: k(x, x) - 2 <x, centre> + |centre|^2.
    outer = float(np.max(state.y - image)) + norm2
    return outer - inner, outer


Indices = NDArray[np.intp]

#: Readings of the rotation region, see `MachineGeometry.is_rotatable`.
REGIONS = ("cone", "slab", "margin")
_INSIDE = 1.0 - 1e-6  # points on the border (up to rounding) count as outside
_IN_SPAN = 1e-8  # largest relative squared residual of a point in the span
_RCOND = 1e-10  # times the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues (falling, not negative) and eigenvectors of a kernel matrix."""

    members: Indices
    values: Floats
    vectors: Floats


def _spectrum(K: Floats, members: Indices) -> Spectrum:
    block = K if members.size == K.shape[0] else K[np.ix_(members, members)]
    values, vectors = eigh(block, check_finite=False, driver="evd")
    return Spectrum(members, np.maximum(values[::-1], 0.0), vectors[:, ::-1])


def cell_bits(widths: Floats) -> Floats:
    """Sum over the last axis of log2 max(1, ceil(width)): bits to name a cell of a box."""
    return np.log2(np.maximum(1.0, np.ceil(widths - 1e-12))).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class KernelGeometry:
    """The training points in the feature space of one kernel.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix; centred for machines with a bias or with centring.

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
        """Radius of the smallest ball around the training points, with any centre."""
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
        # Eigenvalues without vectors take a third of the time.
        # A Mercer kernel has no negative eigenvalue: what is below 0 is rounding.
        return np.maximum(eigh(self.K, eigvals_only=True, check_finite=False)[::-1], 0.0)

    @cached_property
    def largest_loadings(self) -> Floats:
        """Largest squared entry of each eigenvector."""
        return np.square(self.spectrum.vectors).max(axis=0)

    def span_spectrum(self, support: Indices) -> Spectrum:
        """Spectrum of K on all training points in the span of the support vectors (K_SV)."""
        key = support.tobytes()
        if key not in self._spans:
            self._spans[key] = self._make_span(support)
        return self._spans[key]

    def free_factor(self, free: Indices) -> FreeFactor:
        """Factorisation of K on the support vectors strictly between their bounds."""
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
        # Squared lengths of the projections of the other points onto the span of the support
        # vectors.
        images = own.vectors[:, usable].T @ self.K[np.ix_(support, others)]
        explained = (images**2 / own.values[usable, None]).sum(axis=0)
        diagonal = np.diagonal(self.K)[others]
        # A point whose projection is as long as itself lies in the span, up to rounding.
        inside = others[diagonal - explained <= _IN_SPAN * diagonal]
        if inside.size == 0:
            return own
        return _spectrum(self.K, np.sort(np.concatenate([support, inside])))


@dataclass(frozen=True, eq=False)
class MachineGeometry:
    """One machine in feature space.

    Parameters
    ----------
    model : SVMModel
    points : KernelGeometry
        Geometry of the kernel; share it between the machines of one kernel.
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
        # |w|^2 = sum_i alpha_i y_i (f(x_i) - bias); rounding may take it below 0.
        return max(0.0, float(coef @ (self.model.f - self.model.bias)))

    @property
    def norm(self) -> float:
        """Norm of w."""
        return float(np.sqrt(self.norm2))

    @property
    def is_trivial(self) -> bool:
        """Whether w = 0, so that the machine has no direction."""
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
        """Inner products of w with the points: scores without the bias.

        The codes describe a direction through the origin. They do not contain a bias, so the bias
        must not be used.
        """
        f = self.model.f
        return f - f.mean() if self.model.fit_intercept else f

    def is_rotatable(self, region: str = "cone") -> NDArray[np.bool_]:
        """Mask of the points that can change sides if the hyperplane turns within its margin.

        "cone" is exact: |w.x| / |w| < rho |x| / R. "slab", |w.x| < 1, contains the cone. "margin"
        keeps the bias: |f(x)| < 1. It is a reading of the paper, whose code sends no bias. Points
        on the border, such as support vectors, count as outside.
        """
        check_choice("region", region, REGIONS)
        if region == "margin":
            return np.abs(self.model.f) < _INSIDE
        if region == "slab":
            return np.abs(self.direction_scores) < _INSIDE
        if self.radius == 0.0:
            return np.ones(self.n_samples, dtype=bool)
        return np.abs(self.direction_scores) < _INSIDE * self.points.norms / self.radius

    def rotation_counts(self, region: str = "cone") -> tuple[int, int]:
        """Numbers of points inside the rotation region, and of errors outside it."""
        inside = self.is_rotatable(region)
        scores = self.model.f if region == "margin" else self.direction_scores
        is_wrong = self.model.y_signed * scores <= 0.0
        return int(inside.sum()), int((~inside & is_wrong).sum())

    @property
    def span(self) -> Spectrum:
        """Spectrum of K_SV, the kernel matrix on the span of the support vectors."""
        return self.points.span_spectrum(self.model.support)

    @cached_property
    def projection_loss(self) -> Floats:
        """c_P for d_P = 0, 1, ...: distance of R w / |w| from its kernel PCA projection, over rho.

        Entry d belongs to the projection on the d leading components of K_SV.
        """
        span = self.span
        weights = (span.vectors.T @ self.model.coef[span.members]) ** 2
        # Summed from the small components: entry d adds up what the first d components leave out.
        parts = np.concatenate([[0.0], (span.values * weights)[::-1]])
        tails = np.maximum(np.cumsum(parts)[::-1], 0.0)
        return self.radius * np.sqrt(tails)

    @cached_property
    def projected_bits(self) -> Floats:
        """Bits of a code vector in the projections that lose less than the margin.

        The first entry belongs to the fewest components. The minimum over the entries is the
        minimum over all projections.
        """
        loss = self.projection_loss
        widths = 2.0 * np.sqrt(self.span.values) * self.norm
        bits = []
        valid = np.flatnonzero(loss < 1.0)
        for d in valid:
            # The projection has used up a part of the margin, so the cells must be finer by this
            # factor.
            scaled = widths[:d] / np.sqrt(1.0 - loss[d] ** 2)
            bits.append(float(cell_bits(scaled[: np.searchsorted(-scaled, -1.0)])))
            if d and scaled[-1] <= 1.0:
                # Further components cost no bits and only make the cells larger.
                last = widths / np.sqrt(1.0 - loss[valid[-1]] ** 2)
                bits.append(float(cell_bits(last)))
                break
        return np.array(bits)


_BUDGET_BYTES = 1 << 28  # 256 MiB of kernel matrices kept between settings


class KernelStore:
    """A cache of kernel matrices and geometries on one training set; least recently used go first.

    Parameters
    ----------
    X : ndarray
        Training points, or the kernel matrix if the kernel is "precomputed".

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import fit_svm_grid
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5], Cs=[1, 10])
    >>> store = KernelStore(X)
    >>> store.geometry(grid[0]).points is store.geometry(grid[1]).points
    True
    """

    def __init__(self, X: Floats) -> None:
        self.X = X
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {"X": self.X}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["X"])  # type: ignore[misc]

    def _get(self, key: tuple[Any, ...], make: Any) -> Any:
        if key not in self._kept:
            self._kept[key] = make()
            # A geometry holds about four matrices: K, its eigenvectors, and those of its spans.
            entry_bytes = 32 * self.X.shape[0] ** 2
            while len(self._kept) > max(1, _BUDGET_BYTES // entry_bytes):
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def kernel_matrix(self, kernel: Kernel) -> Floats:
        """Kernel matrix of the training points; Gaussian kernels share their distances."""

        def make() -> Floats:
            if kernel.name != "rbf":
                return np.ascontiguousarray(kernel(self.X))
            matrix = self._get(("distances",), self._distances) * -kernel.gamma
            return np.asarray(np.exp(matrix, out=matrix))

        return self._get((kernel,), make)

    def _distances(self) -> Floats:
        return np.asarray(euclidean_distances(self.X, self.X, squared=True))

    def training_kernel(self, model: SVMModel) -> Floats:
        """The kernel matrix on which the machine was trained."""
        if not model.center:
            return self.kernel_matrix(model.kernel)
        return self._points(model.kernel, True).K

    def geometry(self, model: SVMModel) -> MachineGeometry:
        """The geometry of a machine; centred for machines with a bias or with centring."""
        return MachineGeometry(
            model, self._points(model.kernel, model.center or model.fit_intercept)
        )

    def _points(self, kernel: Kernel, centered: bool) -> KernelGeometry:
        def make() -> KernelGeometry:
            K = self.kernel_matrix(kernel)
            return KernelGeometry(center_kernel(K) if centered else K)

        return self._get((kernel, centered, "geometry"), make)
