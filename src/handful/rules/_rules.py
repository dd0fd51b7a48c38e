"""What a rule is: a frozen record that covers rows, measures distances to its boundary and reads.

A rule *covers* a row where its value lies on the stated side of its threshold. In a conjunction
covered rows are called negative, in a disjunction positive. A condition on a missing value is not
met: neither the rule's own, nor its opposite, which is what a conjunction asks for. Values
within ``tolerance`` of the threshold are on neither strict side, so that rows equal to the
threshold example are treated alike in training, rebuilding and prediction whatever the order of
floating-point operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from handful.kernels import Kernel

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LINEAR = Kernel("linear")
SIDES = ("below", "above", "equal", "unequal")
METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
_RELATIVE = 1e-10
_TINY = float(np.finfo(np.float64).tiny)
_HUGE = float(np.finfo(np.float64).max)
_WORDS = {"below": "<", "above": ">", "equal": "=", "unequal": "≠"}


class AbstractRule(ABC):
    """Interface of all rules; the leaves are frozen dataclasses."""

    side: str

    @property
    @abstractmethod
    def cut(self) -> float:
        """The threshold on ``values``."""

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Half-width of what counts as equal to the threshold."""

    @property
    @abstractmethod
    def examples(self) -> tuple[int, ...]:
        """Indices of the training examples the rule is made of."""

    @abstractmethod
    def values(self, X: Floats) -> Floats:
        """The number that is compared with ``cut``, for each row."""

    @abstractmethod
    def unit(self) -> float:
        """Length of the boundary's normal: distances are (value - cut) / unit."""

    @abstractmethod
    def describe(self, names: Sequence[str] | None = None) -> str:
        """The condition under which a row is covered, in the user's feature names."""

    def covers(self, X: Floats, *, with_missing: bool = False) -> Mask:
        """Which rows lie on the rule's side.

        A missing value lies on no side, and neither on the other one. A conjunction asks for the
        other side, so a missing value does not meet it: ``with_missing`` counts it as covered.
        """
        return self._is_covered(self.values(X), with_missing)

    def is_missing(self, X: Floats) -> Mask:
        """Which rows lack a value that the rule looks at."""
        return np.isnan(self.values(X))

    def _is_covered(self, v: Floats, with_missing: bool) -> Mask:
        if self.side == "below":
            covered = v < self.cut - self.tolerance
        elif self.side == "above":
            covered = v > self.cut + self.tolerance
        else:
            is_equal = np.abs(v - self.cut) <= self.tolerance
            covered = is_equal if self.side == "equal" else ~is_equal & ~np.isnan(v)
        return np.asarray(covered | np.isnan(v) if with_missing else covered)

    def score(self, X: Floats, *, with_missing: bool = False) -> Floats:
        """Signed distance to the boundary: negative exactly where the rule covers."""
        v = self.values(X)
        covered = self._is_covered(v, with_missing)
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(v - self.cut) / max(self.unit(), _TINY)
        distance = np.clip(np.where(np.isnan(distance), 0.0, distance), _TINY, _HUGE)
        return np.where(covered, -distance, distance)


def _name(names: Sequence[str] | None, j: int) -> str:
    return names[j] if names is not None else f"x[{j}]"


@dataclass(frozen=True)
class Stump(AbstractRule):
    """Covers where one feature lies on one side of a value (or equals it, for categories).

    Examples
    --------
    >>> import numpy as np
    >>> rule = Stump(feature=1, threshold=2.0, side="above")
    >>> rule.covers(np.array([[0.0, 2.0], [0.0, 3.0], [0.0, np.nan]]))
    array([False,  True, False])
    >>> rule.describe(["age", "nodes"])
    'nodes > 2'
    """

    feature: int
    threshold: float
    side: str
    example: int | None = None
    category: str | None = None

    @property
    def cut(self) -> float:
        """The value of the threshold example."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Zero: values of one feature are compared as they are."""
        return 0.0

    @property
    def examples(self) -> tuple[int, ...]:
        """The threshold example, where there is one."""
        return () if self.example is None else (self.example,)

    def values(self, X: Floats) -> Floats:
        """The feature."""
        return np.asarray(X[:, self.feature], dtype=np.float64)

    def unit(self) -> float:
        """One: distances are in the units of the feature."""
        return 1.0

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``nodes > 2``."""
        value = self.category if self.category is not None else f"{self.threshold:.6g}"
        return f"{_name(names, self.feature)} {_WORDS[self.side]} {value}"


def pair_tolerance(k_aa: Any, k_bb: Any, k_ab: Any) -> Any:
    """Tolerance of a direction between two examples, from their own kernel values; of many too."""
    return _RELATIVE * np.maximum(np.maximum(np.abs(k_aa), np.abs(k_bb)), np.abs(k_ab))


def kernel_rows(kernel: Kernel, points: Floats, X: Floats) -> Floats:
    """Kernel values of ``points`` (rows) against X (columns), without cancellation."""
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * cdist(points, X, "sqeuclidean")))
    if kernel.name == "linear":
        return inner_products(points, X)
    if kernel.name == "poly":
        products = kernel.gamma * inner_products(points, X) + kernel.coef0
        return np.asarray(products**kernel.degree)
    return kernel(points, X)


def inner_products(points: Floats, X: Floats) -> Floats:
    """Inner products of ``points`` (rows) with X (columns), each summed in the same order.

    A matrix product may round a row differently in other company. Here a value depends on its
    two vectors alone, so that training, rebuilding, prediction and every way of cutting the
    data into chunks see the same number.

    Examples
    --------
    >>> import numpy as np
    >>> inner_products(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    from handful.rules.search import _loops

    out = np.zeros((points.shape[0], X.shape[0]))
    _loops.add_products(
        np.ascontiguousarray(points, dtype=np.float64),
        np.ascontiguousarray(X.T, dtype=np.float64),
        out,
    )
    return out


def without_unweighted(X: Floats, weights: Floats) -> Floats:
    """X with zeros for missing values that have no weight: no sentence names their columns.

    Examples
    --------
    >>> import numpy as np
    >>> without_unweighted(np.array([[np.nan, np.nan]]), np.array([0.0, 2.0]))
    array([[ 0., nan]])
    """
    fill = np.isnan(X) & (np.asarray(weights) == 0.0)
    return np.where(fill, 0.0, X) if fill.any() else X


class _PairRule(AbstractRule):
    """Shared by half-spaces whose direction is the difference of two examples."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    kernel: Kernel

    def _gram(self) -> Floats:
        pair = np.array([self.a, self.b])
        if self.kernel.name == "precomputed":
            return pair[:, list(self.examples[:2])]
        return kernel_rows(self.kernel, pair, pair)

    @property
    def tolerance(self) -> float:
        """Relative to the kernel values of the two examples."""
        K = self._gram()
        return float(pair_tolerance(K[0, 0], K[1, 1], K[0, 1]))

    def values(self, X: Floats) -> Floats:
        """k(a, x) - k(b, x)."""
        if self.kernel.name == "precomputed":
            return np.asarray(X[:, self.examples[0]] - X[:, self.examples[1]])
        X = np.asarray(X, dtype=np.float64)
        if self.kernel.name == "linear":
            X = without_unweighted(X, np.subtract(self.a, self.b))
        K = kernel_rows(self.kernel, np.array([self.a, self.b]), X)
        return np.asarray(K[0] - K[1])

    def unit(self) -> float:
        """Distance of the two examples in feature space."""
        K = self._gram()
        return float(np.sqrt(max(K[0, 0] + K[1, 1] - 2.0 * K[0, 1], 0.0)))

    def _direction(self, names: Sequence[str] | None) -> str:
        if self.kernel.name != "linear":
            return f"{self.kernel.name}-similarity to a minus to b"
        weights = np.subtract(self.a, self.b)
        return linear_text(weights, names)


def linear_text(weights: Floats, names: Sequence[str] | None, limit: int = 8) -> str:
    """A weighted sum with the largest weights first named; small ones are counted."""
    order = np.argsort(-np.abs(weights), kind="stable")
    if np.count_nonzero(weights) <= limit + 2:  # one or two are no longer than saying so
        limit += 2
    shown = [j for j in order[:limit] if weights[j] != 0.0]
    parts = [f"{weights[j]:+.4g}·{_name(names, int(j))}" for j in sorted(shown)]
    more = int(np.count_nonzero(weights)) - len(shown)
    return " ".join(parts) + (f" + {more} smaller terms" if more else "")


@dataclass(frozen=True)
class HalfSpace(_PairRule):
    """Covers one side of the hyperplane through c, normal to the line from b to a.

    Examples
    --------
    >>> import numpy as np
    >>> rule = HalfSpace((1.0, 0.0), (0.0, 0.0), threshold=0.5, side="below")
    >>> rule.covers(np.array([[0.0, 3.0], [0.5, 0.0]]))
    array([ True, False])
    """

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
        return f"{self._direction(names)} {_WORDS[self.side]} {self.threshold:.6g}"


@dataclass(frozen=True)
class TwoPointHalfSpace(_PairRule):
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
        return f"{self._direction(names)} {_WORDS[self.side]} {self.cut:.6g}"


@dataclass(frozen=True)
class LinearRule(AbstractRule):
    """Covers one side of a hyperplane whose weights came from a pool of examples.

    Examples
    --------
    >>> import numpy as np
    >>> rule = LinearRule((1.0, -1.0), threshold=0.0, side="above")
    >>> rule.covers(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([ True, False])
    """

    weights: tuple[float, ...]
    threshold: float
    side: str
    origin: str = "pool"
    tol: float = 0.0

    @property
    def cut(self) -> float:
        """The threshold on the weighted sum."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Set when the rule is made, from the size of the values on the pool."""
        return self.tol

    @property
    def examples(self) -> tuple[int, ...]:
        """None of its own: the pool stands for it."""
        return ()

    def values(self, X: Floats) -> Floats:
        """The weighted sum of the features."""
        weights = np.array([self.weights])
        X = without_unweighted(np.asarray(X, dtype=np.float64), weights)
        return np.asarray(inner_products(weights, X)[0])

    def unit(self) -> float:
        """Length of the weight vector."""
        largest = max((abs(w) for w in self.weights), default=0.0)
        if largest == 0.0:
            return 0.0
        return largest * float(np.linalg.norm(np.array(self.weights) / largest))

    def describe(self, names: Sequence[str] | None = None) -> str:
        """For example ``+0.8·glucose +0.3·bmi > 2.1``."""
        text = linear_text(np.array(self.weights), names)
        return f"{text} {_WORDS[self.side]} {self.threshold:.6g}"


def ball_tolerance(radius: Any) -> Any:
    """Tolerance of a distance; of many too."""
    return _RELATIVE * radius


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
            f"{_name(names, j)} {value:.4g}" for j, value in enumerate(self.center[:6])
        )
        more = ", …" if len(self.center) > 6 else ""
        return f"{self._distance()} to ({shown}{more}) {_WORDS[self.side]} {self.radius:.6g}"

    def _distance(self) -> str:
        """What kind of distance it is, where it is not the usual one."""
        if self.kernel is not None:
            return f"{self.kernel.name}-distance"
        usual = self.metric == "euclidean"
        return ("" if usual else f"{self.metric} ") + ("scaled " if self.scale else "") + "distance"
