"""Columns for LPBoost, collected with interior points: a stabilised column generation.

A vertex of the restricted dual puts all weight on few examples and changes much from round to
round. If the margin is near zero, this costs hundreds of rounds. A point of the central path
moves little when a column joins, and the column found there improves the bound much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from handful.arrays import Floats
from handful.boosting.generation import Iteration, Restricted
from handful.boosting.weak_learners import ColumnFamily, WeakColumn

#: Slack that separates "strictly inside" from "at the bound" after polishing.
STRICT = 1e-9
#: Share of the way to the boundary that a step may go.
_STEP = 0.95
_MOST_STEPS = 60  # the caller proves the gap that was reached
#: Distance from the boundary at which a new point starts.
_ROOM = 0.1


@dataclass(frozen=True, eq=False)
class CentralPoint:
    """A positive point of the pair of programs (`DualMaster` shows their blocks), or a direction.

    ``above`` and ``below`` are two positive numbers for each example; their difference is
    y f - rho.
    """

    u: Floats  # weights of the examples, 0 < u < cap
    beta: float
    slack: Floats  # price + beta - edge of each column
    a: Floats  # weights of the columns
    rho: float
    above: Floats
    below: Floats

    def products(self, caps: Floats) -> _Products:
        """The complementary products: zero at an optimum, and equal to each other on the path."""
        return _Products(self.slack * self.a, self.u * self.above, (caps - self.u) * self.below)

    def moved(self, step: CentralPoint, length: float) -> CentralPoint:
        """The point plus ``length`` times ``step``."""
        parts = vars(self).items()
        return CentralPoint(**{name: at + length * getattr(step, name) for name, at in parts})

    def longest(self, step: CentralPoint, caps: Floats, share: float) -> float:
        """Length of ``step`` that goes ``share`` of the way to the boundary, at most 1."""
        ratios = [-step.u / self.u, step.u / (caps - self.u)]
        for name in ("slack", "a", "above", "below"):
            ratios.append(-getattr(step, name) / getattr(self, name))
        steepest = max(float(np.max(ratio)) for ratio in ratios)
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
    """Residuals of the equations of the dual (edges, sum_u) and of the primal (margins, sum_a)."""

    edges: Floats
    sum_u: float
    margins: Floats
    sum_a: float

    def worst(self) -> float:
        largest = max(float(np.abs(self.edges).max()), float(np.abs(self.margins).max()))
        return max(largest, abs(self.sum_u), abs(self.sum_a))


def first_point(signed: Floats, caps: Floats, prices: Floats) -> CentralPoint:
    """A positive point: u in proportion to the caps, equal weights of the columns.

    ``signed`` holds y_i h_j(x_i), of shape (n_samples, n_columns).
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
    return CentralPoint(u, beta, beta - edges, a, rho, above, below)


def wider_point(point: CentralPoint, signed: Floats, caps: Floats, prices: Floats) -> CentralPoint:
    """The point with weights for new columns, which stand after the old ones in ``signed``.

    The weights put the new columns on the central path of the old point.
    """
    n_old = point.a.size
    edges = point.u @ signed - prices
    beta = max(point.beta, float(edges.max()) + 1e-3)
    slack = np.maximum(beta - edges, 1e-6)
    path = max(point.products(caps).mean(), 1e-7)
    a = np.append(point.a, path / slack[n_old:])
    return CentralPoint(point.u, beta, slack, a, point.rho, point.above, point.below)


def follow_path(
    signed: Floats, caps: Floats, prices: Floats, point: CentralPoint, tol: float
) -> CentralPoint:
    """Follow the central path until gap and residuals of the restricted program are below ``tol``.

    Mehrotra's predictor and corrector. It stops early if rounding ends the progress; the caller
    proves the gap that was reached.
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


def _residuals(signed: Floats, prices: Floats, point: CentralPoint) -> _Residuals:
    return _Residuals(
        point.u @ signed - point.beta + point.slack - prices,
        float(point.u.sum()) - 1.0,
        signed @ point.a - point.rho - point.above + point.below,
        float(point.a.sum()) - 1.0,
    )


class _System:
    """Newton's equations at a point, reduced to one matrix with a row for each column.

    With theta = above / u + below / (cap - u) and G the signed columns, the step of the weights
    solves (G' theta^-1 G + diag(slack / a)) da = right + g drho - dbeta, with g = G' theta^-1 1.
    Two equations for drho and dbeta keep both sums at one.
    """

    def __init__(self, signed: Floats, caps: Floats, point: CentralPoint) -> None:
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

    def direction(self, missing: _Residuals, products: _Products) -> CentralPoint:
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
        return CentralPoint(
            d_u,
            float(d_beta),
            (-products.columns - p.slack * d_a) / p.a,
            d_a,
            float(d_rho),
            (-products.lower - p.above * d_u) / p.u,
            (-products.upper + p.below * d_u) / self._room,
        )


#: Columns of one search.
N_ASKED = 64
#: A column leaves the program if its weight is below this share of its slack; at most once.
_IDLE = 0.01
#: No column leaves while there are no more than this.
_N_KEPT = 60
#: Share of the gap to which the restricted program is solved before the next search.
_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Collected:
    """Result of `collect_columns`.

    ``restricted`` is the best vote of ``columns``, with the distribution over the examples that
    proves ``upper``; it is None if no column had a positive edge. ``point`` is the last point of
    the path, over ``last_columns``.
    """

    columns: list[WeakColumn]
    restricted: Restricted | None
    upper: float  # certified: the optimum is at most this
    last_columns: list[WeakColumn]
    point: CentralPoint | None
    history: list[Iteration]

    @property
    def gap(self) -> float:
        """Upper bound minus the value of the vote."""
        value = 0.0 if self.restricted is None else self.restricted.beta
        return max(0.0, self.upper - max(0.0, value))


def collect_columns(
    family: ColumnFamily,
    y_signed: Floats,
    caps: Floats,
    *,
    tol: float,
    max_iter: int,
    start: Sequence[WeakColumn] = (),
) -> Collected:
    """Column generation with centred restricted solutions, until the certified gap is ``tol``.

    The search of the family must be exact, because the best edge is the upper bound. The caps
    must sum to more than 1, otherwise there is no interior. ``start`` holds columns of an earlier
    program on the same examples.
    """
    state = _Collection(y_signed, caps, start)
    history: list[Iteration] = []
    while len(history) < max_iter:
        found = family.best(state.query * y_signed, N_ASKED)
        if not found:
            return Collected([], None, 0.0, [], None, history)
        # Certified by the exact search of the family: no column has a larger edge at this
        # distribution.
        if found[0].value < state.upper:
            state.upper, state.best_u = found[0].value, state.query
        gap = state.upper - state.lower
        record = Iteration(len(history) + 1, found[0].value, state.lower, gap, len(state.columns))
        history.append(record)
        if gap <= tol or not state.improve(found, tol):
            break
    best = state.best
    if best is not None:
        best = replace(best, u=state.best_u)
    return Collected(state.best_columns, best, state.upper, state.columns, state.point, history)


class _Collection:
    """The restricted program between two searches: columns, point of the path, bounds."""

    def __init__(self, y_signed: Floats, caps: Floats, start: Sequence[WeakColumn]) -> None:
        self._y, self._caps = y_signed, caps
        self.columns: list[WeakColumn] = []
        self.point: CentralPoint | None = None
        self.best: Restricted | None = None
        self.best_columns: list[WeakColumn] = []
        self.lower, self.upper = 0.0, np.inf
        self.query = self.best_u = caps / caps.sum()
        self._signed = np.zeros((y_signed.size, 0))
        self._known: dict[object, int] = {}
        self._tol = 0.01
        self._append(list(start))

    @property
    def _prices(self) -> Floats:
        return np.array([c.price for c in self.columns])

    def improve(self, found: list[WeakColumn], tol: float) -> bool:
        """Add the columns that violate the dual and solve again; False if nothing is left to do."""
        present = {c.key for c in self.columns}
        new = [c for c in found if c.key not in present and c.value > self.lower]
        gap = self.upper - self.lower
        self._tol = max(0.3 * tol, min(0.01, _SHARE * gap)) if new else 0.1 * self._tol
        if not (new or self.columns) or self._tol < 1e-13:
            return False
        self._drop_idle()
        self._append(new)
        prices = self._prices
        if self.point is None:
            point = first_point(self._signed, self._caps, prices)
        else:
            point = wider_point(self.point, self._signed, self._caps, prices)
        with np.errstate(all="ignore"):
            self.point = follow_path(self._signed, self._caps, prices, point, self._tol)
        self._record(self.point, prices)
        return True

    def _append(self, new: list[WeakColumn]) -> None:
        if new:
            block = self._y[:, None] * np.column_stack([c.values for c in new])
            self._signed = np.hstack([self._signed, block])
            self.columns += new
        for column in new:
            self._known[column.key] = self._known.get(column.key, 0) + 1

    def _drop_idle(self) -> None:
        """Drop columns with little weight; a column that joins a second time stays."""
        if self.point is None or self.point.a.size <= _N_KEPT:
            return
        # A column may leave once only, or the loop could go round for ever.
        is_new = np.array([self._known[c.key] < 2 for c in self.columns])
        kept = np.flatnonzero((self.point.a > _IDLE * self.point.slack) | ~is_new)
        self.point = replace(self.point, a=self.point.a[kept], slack=self.point.slack[kept])
        self._signed = self._signed[:, kept]
        self.columns = [self.columns[int(j)] for j in kept]

    def _record(self, point: CentralPoint, prices: Floats) -> None:
        """Keep the vote if its value, a lower bound, is the best; search next at its u."""
        weights = point.a / point.a.sum()
        # Any vote has a value, and the optimum is at least that: a lower bound.
        value = vote_value(self._signed @ weights, self._caps) - float(prices @ weights)
        self.query = feasible(point.u, self._caps)
        if self.best is None or value > self.best.beta:
            self.best = Restricted(self.query, value, weights)
            self.best_columns = list(self.columns)
            self.lower = max(self.lower, value)


def feasible(u: Floats, caps: Floats) -> Floats:
    """A distribution below the caps near u: what is missing is added in proportion to the room.

    Examples
    --------
    >>> import numpy as np
    >>> feasible(np.array([0.6, 0.2]), np.array([0.5, 1.0])).tolist()
    [0.5, 0.5]
    """
    u = np.clip(u, 0.0, caps)
    total = float(u.sum())
    if total >= 1.0:
        return u / total
    room = caps - u
    return u + (1.0 - total) * room / float(room.sum())


def capped_quantile(margins: Floats, caps: Floats) -> float:
    """Smallest rho that maximises rho - sum_i cap_i (rho - margin_i)_+.

    Examples
    --------
    >>> import numpy as np
    >>> capped_quantile(np.array([0.3, -0.1, 0.8, 0.5]), np.full(4, 0.5))
    0.3
    """
    order = np.argsort(margins, kind="stable")
    # Caps that sum to one up to rounding have reached it.
    reached = np.cumsum(caps[order]) >= 1.0 - STRICT
    return float(margins[order[int(np.argmax(reached))]])


def vote_value(margins: Floats, caps: Floats) -> float:
    """Maximum over rho of rho - sum_i cap_i (rho - margin_i)_+.

    Examples
    --------
    >>> import numpy as np
    >>> round(vote_value(np.array([0.3, -0.1, 0.8, 0.5]), np.full(4, 0.5)), 9)
    0.1
    """
    rho = capped_quantile(margins, caps)
    return rho - float(caps @ np.maximum(0.0, rho - margins))
