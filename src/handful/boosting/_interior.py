"""The restricted program of LPBoost solved from the inside: a centred answer, few rounds.

A vertex of the restricted dual puts all weight on few examples and jumps about from round to
round; where the margin is near zero, hundreds of rounds are lost that way. A point of the central
path moves little when a column joins, and the column found at it cuts deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from handful._types import Floats

#: Share of the way to the boundary that a step may go.
_STEP = 0.95
_MOST_STEPS = 60  # an end to the loop; whoever calls proves what was reached
#: Distance from the boundary at which a new point starts.
_ROOM = 0.1


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """A positive point of the pair of programs (`DualMaster` shows their blocks), or a direction.

    Attributes
    ----------
    u : ndarray of shape (n_samples,)
        Weights of the examples, 0 < u < cap.
    beta : float
    slack : ndarray of shape (n_columns,)
        price + beta - edge of each column.
    a : ndarray of shape (n_columns,)
        Weights of the columns.
    rho : float
    above, below : ndarray of shape (n_samples,)
        Two positive numbers whose difference is y f - rho.
    """

    u: Floats
    beta: float
    slack: Floats
    a: Floats
    rho: float
    above: Floats
    below: Floats

    def products(self, caps: Floats) -> _Products:
        """The complementary products, which are zero at an optimum and equal on the path."""
        return _Products(self.slack * self.a, self.u * self.above, (caps - self.u) * self.below)

    def moved(self, step: InteriorPoint, length: float) -> InteriorPoint:
        """The point plus ``length`` times ``step``."""
        return InteriorPoint(
            self.u + length * step.u,
            self.beta + length * step.beta,
            self.slack + length * step.slack,
            self.a + length * step.a,
            self.rho + length * step.rho,
            self.above + length * step.above,
            self.below + length * step.below,
        )

    def longest(self, step: InteriorPoint, caps: Floats, share: float) -> float:
        """Length of ``step`` that goes ``share`` of the way to the boundary, at most 1."""
        steepest = max(
            float(np.max(-step.u / self.u)),
            float(np.max(step.u / (caps - self.u))),
            float(np.max(-step.slack / self.slack)),
            float(np.max(-step.a / self.a)),
            float(np.max(-step.above / self.above)),
            float(np.max(-step.below / self.below)),
        )
        return 1.0 if steepest <= share else share / steepest


class _Products(NamedTuple):
    columns: Floats
    lower: Floats
    upper: Floats

    def total(self) -> float:
        return float(self.columns.sum() + self.lower.sum() + self.upper.sum())

    def mean(self) -> float:
        return self.total() / sum(part.size for part in self)


class _Residuals(NamedTuple):
    """What is missing in the equations of the dual (edges, sum) and of the primal."""

    edges: Floats
    sum_u: float
    margins: Floats
    sum_a: float

    def worst(self) -> float:
        largest = max(float(np.abs(self.edges).max()), float(np.abs(self.margins).max()))
        return max(largest, abs(self.sum_u), abs(self.sum_a))


def first_point(signed: Floats, caps: Floats, prices: Floats) -> InteriorPoint:
    """A positive point: u in proportion to the caps, equal weights of the columns.

    Parameters
    ----------
    signed : ndarray of shape (n_samples, n_columns)
        y_i h_j(x_i).
    caps : ndarray of shape (n_samples,)
    prices : ndarray of shape (n_columns,)
    """
    n_columns = signed.shape[1]
    u = caps / max(float(caps.sum()), 1.001)
    edges = u @ signed - prices
    beta = float(edges.max()) + _ROOM
    a = np.full(n_columns, 1.0 / n_columns)
    margins = signed @ a
    rho = float(np.median(margins))
    above = np.maximum(margins - rho, 0.0) + _ROOM
    below = np.maximum(rho - margins, 0.0) + _ROOM
    return InteriorPoint(u, beta, beta - edges, a, rho, above, below)


def wider_point(
    point: InteriorPoint, signed: Floats, caps: Floats, prices: Floats
) -> InteriorPoint:
    """The point of a program as a positive point of the same program with more columns at its end.

    The new columns get weights that put them on the central path of the old point.
    """
    n_old = point.a.size
    edges = point.u @ signed - prices
    beta = max(point.beta, float(edges.max()) + 1e-3)
    slack = np.maximum(beta - edges, 1e-6)
    path = max(point.products(caps).mean(), 1e-7)
    a = np.append(point.a, path / slack[n_old:])
    return InteriorPoint(point.u, beta, slack, a, point.rho, point.above, point.below)


def follow_path(
    signed: Floats, caps: Floats, prices: Floats, point: InteriorPoint, tol: float
) -> InteriorPoint:
    """Follow the central path until gap and residuals of the restricted program are below ``tol``.

    Mehrotra's predictor and corrector. It stops early where rounding ends progress: whoever
    calls proves what was reached.
    """
    for _ in range(_MOST_STEPS):
        products = point.products(caps)
        residuals = _residuals(signed, prices, point)
        if products.total() <= tol and residuals.worst() <= tol:
            break
        try:
            system = _System(signed, caps, point)
            probe = system.direction(residuals, products)
            reach = point.longest(probe, caps, 1.0)
            target = products.mean() * ((1.0 - reach) ** 3 if reach > 0.1 else 0.9)
            wanted = _Products(
                products.columns - target + probe.slack * probe.a,
                products.lower - target + probe.u * probe.above,
                products.upper - target - probe.u * probe.below,
            )
            step = system.direction(residuals, wanted)
        except LinAlgError:
            break
        moved = point.moved(step, point.longest(step, caps, _STEP))
        if not np.isfinite(moved.beta):
            break
        point = moved
    return point


def _residuals(signed: Floats, prices: Floats, point: InteriorPoint) -> _Residuals:
    return _Residuals(
        point.u @ signed - point.beta + point.slack - prices,
        float(point.u.sum()) - 1.0,
        signed @ point.a - point.rho - point.above + point.below,
        float(point.a.sum()) - 1.0,
    )


class _System:
    """Newton's equations at a point, reduced to one matrix with a row for each column.

    With theta = above / u + below / (cap - u) and G the signed columns, the step of the weights
    solves (G' theta^-1 G + diag(slack / a)) da = right + g drho - dbeta, where g = G' theta^-1 1;
    two equations for drho and dbeta say that both sums stay one.
    """

    def __init__(self, signed: Floats, caps: Floats, point: InteriorPoint) -> None:
        self._signed, self._room, self._point = signed, caps - point.u, point
        self._inverse = 1.0 / (point.above / point.u + point.below / self._room)
        scaled = signed * self._inverse[:, None]
        matrix = signed.T @ scaled
        matrix[np.diag_indices_from(matrix)] += point.slack / point.a
        self._factor = cho_factor(matrix, lower=True, check_finite=False)
        self._g = scaled.sum(axis=0)
        both = np.column_stack([self._g, np.ones(point.a.size)])
        self._by_rho, self._by_beta = self._solve(both).T
        self._sums = np.array(
            [
                [self._by_rho.sum(), -self._by_beta.sum()],
                [self._inverse.sum() - self._g @ self._by_rho, self._g @ self._by_beta],
            ]
        )

    def _solve(self, right: Floats) -> Floats:
        return np.asarray(cho_solve(self._factor, right, check_finite=False))

    def direction(self, missing: _Residuals, products: _Products) -> InteriorPoint:
        """The step that removes residuals and products to first order."""
        p = self._point
        pull = -missing.margins - products.lower / p.u + products.upper / self._room
        right = self._signed.T @ (self._inverse * pull) - products.columns / p.a + missing.edges
        plain = self._solve(right)
        sums = np.array(
            [
                -missing.sum_a - plain.sum(),
                -missing.sum_u - self._inverse @ pull + self._g @ plain,
            ]
        )
        d_rho, d_beta = np.linalg.solve(self._sums, sums)
        d_a = plain + self._by_rho * d_rho - self._by_beta * d_beta
        d_u = self._inverse * (pull - self._signed @ d_a + d_rho)
        return InteriorPoint(
            d_u,
            float(d_beta),
            (-products.columns - p.slack * d_a) / p.a,
            d_a,
            float(d_rho),
            (-products.lower - p.above * d_u) / p.u,
            (-products.upper + p.below * d_u) / self._room,
        )
