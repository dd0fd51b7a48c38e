"""Sparse kernel canonical correlation: examples whose two views agree most, chosen greedily.

With A and B the kernel matrices of the two views, each deflated by its own chosen columns, the
next example is the one with the largest cosine between A_j and B_j. Norms and inner products are
updated by four products with the kernel matrices a round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from handful.arrays import Floats
from handful.pursuit.kernel_columns import Indices, KernelColumns
from handful.pursuit.orthogonal import DEPENDENT, first_best


@dataclass(frozen=True)
class CorrelationChoice:
    """Chosen examples in order, and the cosine each had when it was chosen."""

    centers: Indices
    scores: Floats


class _View:
    """One view: its deflated columns' norms, its own basis, and products with both bases."""

    def __init__(self, columns: KernelColumns, n_centers: int) -> None:
        self.columns = columns
        self.norms = columns.squared_norms()
        self.floors = DEPENDENT * self.norms
        self.basis = np.zeros((columns.n_samples, n_centers))
        self.own = np.zeros((columns.n_samples, n_centers))
        self.other = np.zeros((columns.n_samples, n_centers))

    def direction(self, position: int, width: int) -> Floats | None:
        """Unit vector along the deflated column, or None if nothing is left of it."""
        w = self.columns.column(position)
        basis = self.basis[:, :width]
        # Twice: rounding leaves a little of what the first projection should have removed.
        for _ in range(2):
            w = w - basis @ (basis.T @ w)
        length = float(np.linalg.norm(w))
        return None if length**2 <= self.floors[position] else w / length

    def take(self, width: int, mine: Floats, theirs: Floats) -> None:
        products = self.columns.products(np.column_stack([mine, theirs]))
        self.basis[:, width] = mine
        self.own[:, width], self.other[:, width] = products.T
        self.norms -= products[:, 0] ** 2


def correlation_pursuit(x: KernelColumns, y: KernelColumns, n_centers: int) -> CorrelationChoice:
    """Choose up to ``n_centers`` examples; both views must have all examples as candidates."""
    n_centers = min(n_centers, x.n_samples)
    views = _View(x, n_centers), _View(y, n_centers)
    start = x.inner_products(y)
    is_open = (views[0].norms > 0.0) & (views[1].norms > 0.0)
    centers: list[int] = []
    scores: list[float] = []
    while len(centers) < n_centers and is_open.any():
        width = len(centers)
        cosines = np.full(len(start), -1.0)
        norms = views[0].norms[is_open] * views[1].norms[is_open]
        cosines[is_open] = np.abs(_cross(start, views, width)[is_open]) / np.sqrt(norms)
        best = first_best(cosines)
        # A column of which nothing is left is passed over, not chosen again.
        is_open[best] = False
        p, q = (view.direction(best, width) for view in views)
        if p is None or q is None:
            continue
        centers.append(best)
        scores.append(min(1.0, float(cosines[best])))
        # Each view is deflated by its own column and keeps the products with the other's, too.
        views[0].take(width, p, q)
        views[1].take(width, q, p)
        is_open &= (views[0].norms > views[0].floors) & (views[1].norms > views[1].floors)
    return CorrelationChoice(np.array(centers, dtype=np.intp), np.array(scores))


def _cross(start: Floats, views: tuple[_View, _View], width: int) -> Floats:
    """Inner products of the deflated columns of the two views."""
    x, y = views
    P, Q = x.basis[:, :width], y.basis[:, :width]
    x_on_p, x_on_q = x.own[:, :width], x.other[:, :width]
    y_on_q, y_on_p = y.own[:, :width], y.other[:, :width]
    both = np.einsum("ij,ij->i", x_on_p @ (P.T @ Q), y_on_q)
    return np.asarray(
        start - np.einsum("ij,ij->i", x_on_p, y_on_p) - np.einsum("ij,ij->i", x_on_q, y_on_q) + both
    )


@dataclass(frozen=True)
class CanonicalWeights:
    """Weights on the two views' columns, their means, and the correlations they reach."""

    x_weights: Floats
    y_weights: Floats
    x_mean: Floats
    y_mean: Floats
    correlations: Floats


def canonical_weights(G: Floats, H: Floats, n_components: int, ridge: float) -> CanonicalWeights:
    """Regularised canonical correlation of the columns of G and H.

    Maximises a'Gc'Hc b / n subject to a'(Gc'Gc / n + ridge s I) a = 1, and the same for b. Gc is
    G centred, and s is the mean variance of the view's columns.

    Examples
    --------
    >>> import numpy as np
    >>> G = np.array([[0.0], [1.0], [2.0]])
    >>> round(float(canonical_weights(G, -3.0 * G, 1, 0.0).correlations[0]), 6)
    1.0
    """
    n = len(G)
    x_mean, y_mean = G.mean(axis=0), H.mean(axis=0)
    Gc, Hc = G - x_mean, H - y_mean
    R, T = _whitener(Gc, ridge), _whitener(Hc, ridge)
    middle = solve_triangular(R, Gc.T @ Hc / n, trans="T")
    middle = solve_triangular(T, middle.T, trans="T").T
    U, values, Vt = np.linalg.svd(middle)
    k = min(n_components, len(values))
    # Singular vectors come in pairs of a common sign: the largest entry of the first is positive.
    signs = np.sign(U[np.argmax(np.abs(U[:, :k]), axis=0), np.arange(k)])
    return CanonicalWeights(
        x_weights=solve_triangular(R, U[:, :k] * signs),
        y_weights=solve_triangular(T, Vt[:k].T * signs),
        x_mean=x_mean,
        y_mean=y_mean,
        # A correlation above 1 is rounding.
        correlations=np.minimum(values[:k], 1.0),
    )


def _whitener(centred: Floats, ridge: float) -> Floats:
    """Upper triangular R with R'R = C'C / n + ridge s I (a hair of ridge if it is singular)."""
    n, width = centred.shape
    spread = float(np.mean(centred**2)) or 1.0
    # The root of the penalty as further rows: the product C'C, which loses digits, is never formed.
    penalty = np.sqrt(max(ridge, 1e-10) * spread) * np.eye(width)
    return np.asarray(np.linalg.qr(np.vstack([centred / np.sqrt(n), penalty]), mode="r"))
