"""Columns for LPBoost collected with interior points: a stabilised column generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from handful._types import Floats
from handful.boosting._columns import Column, ColumnFamily
from handful.boosting._generation import Iteration, Restricted
from handful.boosting._interior import InteriorPoint, first_point, follow_path, wider_point
from handful.boosting._unique import capped_quantile

#: Columns asked for in one round.
N_ASKED = 64
#: A column whose weight is below this share of its slack leaves the program, once.
_IDLE = 0.01
#: Columns that the program keeps in any case.
_N_KEPT = 60
#: Share of the gap to which the restricted program is solved before the next question.
_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Collected:
    """Result of `collect_columns`.

    Attributes
    ----------
    columns : list of Column
    restricted : Restricted or None
        The best vote of these columns, its value, and the distribution over the examples at
        which the upper bound was found; None where no column had a positive edge.
    upper : float
        Certified: the optimum is at most this.
    last_columns : list of Column
    point : InteriorPoint or None
        The last point of the path, and the columns of its program.
    history : list of Iteration
    """

    columns: list[Column]
    restricted: Restricted | None
    upper: float
    last_columns: list[Column]
    point: InteriorPoint | None
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
    start: Sequence[Column] = (),
    on_iteration: Callable[[Iteration], None] | None = None,
) -> Collected:
    """Column generation with centred restricted solutions, until the certified gap is ``tol``.

    Parameters
    ----------
    family : ColumnFamily
        Its search must be exact: the best edge is the upper bound.
    y_signed, caps : ndarray of shape (n_samples,)
        The caps must sum to more than 1, otherwise there is no inside.
    tol : float
    max_iter : int
        Most questions to the family.
    start : sequence of Column
        Columns to begin with, of an earlier program on the same examples.
    on_iteration : callable, optional
    """
    state = _State(y_signed, caps, start)
    history: list[Iteration] = []
    while len(history) < max_iter:
        found = family.best(state.query * y_signed, N_ASKED)
        if not found:
            return Collected([], None, 0.0, [], None, history)
        if found[0].value < state.upper:
            state.upper, state.best_u = found[0].value, state.query
        gap = state.upper - state.lower
        record = Iteration(len(history) + 1, found[0].value, state.lower, gap, len(state.columns))
        history.append(record)
        if on_iteration is not None:
            on_iteration(record)
        if gap <= tol or not state.improve(found, tol):
            break
    best = state.best
    if best is not None:
        best = replace(best, u=state.best_u)
    return Collected(state.best_columns, best, state.upper, state.columns, state.point, history)


class _State:
    """The restricted program between two questions: columns, point of the path, bounds."""

    def __init__(self, y_signed: Floats, caps: Floats, start: Sequence[Column]) -> None:
        self._y, self._caps = y_signed, caps
        self.columns: list[Column] = []
        self.point: InteriorPoint | None = None
        self.best: Restricted | None = None
        self.best_columns: list[Column] = []
        self.lower, self.upper = 0.0, np.inf
        self.query = self.best_u = caps / caps.sum()
        self._signed = np.zeros((y_signed.size, 0))
        self._known: dict[object, int] = {}
        self._tol = 0.01
        self._append(list(start))

    @property
    def _prices(self) -> Floats:
        return np.array([c.price for c in self.columns])

    def improve(self, found: list[Column], tol: float) -> bool:
        """Add the columns that violate the dual and solve again; False where nothing is left."""
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

    def _append(self, new: list[Column]) -> None:
        if new:
            block = self._y[:, None] * np.column_stack([c.values for c in new])
            self._signed = np.hstack([self._signed, block])
            self.columns += new
        for column in new:
            self._known[column.key] = self._known.get(column.key, 0) + 1

    def _drop_idle(self) -> None:
        """Forget columns without use; one that comes back stays."""
        if self.point is None or self.point.a.size <= _N_KEPT:
            return
        is_new = np.array([self._known[c.key] < 2 for c in self.columns])
        kept = np.flatnonzero((self.point.a > _IDLE * self.point.slack) | ~is_new)
        self.point = replace(self.point, a=self.point.a[kept], slack=self.point.slack[kept])
        self._signed = self._signed[:, kept]
        self.columns = [self.columns[int(j)] for j in kept]

    def _record(self, point: InteriorPoint, prices: Floats) -> None:
        """The value of the vote is a lower bound; the weights of the examples ask next."""
        weights = point.a / point.a.sum()
        value = vote_value(self._signed @ weights, self._caps) - float(prices @ weights)
        self.query = feasible(point.u, self._caps)
        if self.best is None or value > self.best.beta:
            self.best = Restricted(self.query, value, weights)
            self.best_columns = list(self.columns)
            self.lower = max(self.lower, value)


def feasible(u: Floats, caps: Floats) -> Floats:
    """The nearest distribution below the caps, in the sense of filling up in proportion to room.

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
