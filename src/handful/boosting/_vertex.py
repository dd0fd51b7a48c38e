"""From the end of the central path to a vertex: as few weak learners as the optimum allows.

The path ends inside the face of all optimal votes, where every weak learner that any of them uses
has weight. Walking along the face until nothing can move any more leaves a vertex. All points of
the walk are optimal, so it only ever makes the vote smaller.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from handful._types import Floats
from handful.boosting._collect import Collected, feasible, vote_value
from handful.boosting._generation import Restricted
from handful.boosting._interior import follow_path

#: Gap of the last program at which its face is read off.
_END = 1e-10
#: Entries below this, relative to the largest, are rounding.
_RANK = 1e-9


def walk_to_vertex(collected: Collected, y_signed: Floats, caps: Floats) -> Restricted | None:
    """A vertex of the optimal face of the last program, or None where the walk fails.

    The path tells which examples have 0 < u < cap, so margin rho, and which columns may have
    weight. The value is computed from the weights themselves; whoever calls compares it with
    the upper bound.
    """
    if collected.point is None:
        return None
    columns = collected.last_columns
    signed = y_signed[:, None] * np.column_stack([c.values for c in columns])
    prices = np.array([c.price for c in columns])
    with np.errstate(all="ignore"):
        point = follow_path(signed, caps, prices, collected.point, _END)
        is_capped = point.u * point.below > (caps - point.u) ** 2
        is_inside = ~is_capped & (point.u**2 > (caps - point.u) * point.above)
        used = np.flatnonzero(point.a > point.slack)
    if used.size == 0 or not np.all(np.isfinite(point.a)):
        return None
    side = np.where(is_inside, 0.0, np.where(is_capped, -1.0, 1.0))
    solution = _walk(signed[:, used], side, np.append(point.a[used], point.rho))
    if solution is None:
        return None
    weights = np.zeros(len(columns))
    weights[used] = np.maximum(0.0, solution[:-1])
    weights /= weights.sum()
    value = vote_value(signed @ weights, caps) - float(prices @ weights)
    return Restricted(feasible(point.u, caps), value, weights)


def _walk(signed: Floats, side: Floats, x: Floats) -> Floats | None:
    """Move x = (weights, rho) along the face until no direction is left.

    ``side`` is 0 for examples whose margin equals rho, 1 above and -1 below it.
    """
    rows = np.column_stack([signed, -np.ones(side.size)])
    sums = np.append(np.ones(x.size - 1), 0.0)
    start = _projected(np.vstack([rows[side == 0.0], sums]), x)
    if start is None:
        return None
    x, free = start
    outer = rows[side != 0.0] * side[side != 0.0, None]
    while free.shape[1]:
        step = free[:, 0]
        limits = np.vstack([np.eye(x.size)[:-1], outer])
        slopes, room = limits @ step, np.maximum(0.0, limits @ x)
        if not np.any(slopes < -_RANK):
            step, slopes = -step, -slopes
        falls = slopes < -_RANK
        if not np.any(falls):
            return None
        lengths = np.where(falls, room / np.where(falls, -slopes, 1.0), np.inf)
        blocking = int(np.argmin(lengths))
        x = x + lengths[blocking] * step
        free = _without(free, limits[blocking])
    return x


def _projected(equations: Floats, x: Floats) -> tuple[Floats, Floats] | None:
    """The nearest x with equations x = (0, ..., 0, 1), and a basis of the directions left."""
    q, r, order = qr(equations.T, pivoting=True)
    size = np.abs(np.diag(r))
    rank = int(np.sum(size > _RANK * size[0]))
    right = np.append(np.zeros(equations.shape[0] - 1), 1.0)
    fixed = np.linalg.solve(r[:rank, :rank].T, right[order[:rank]])
    free = q[:, rank:]
    x = q[:, :rank] @ fixed + free @ (free.T @ x)
    if np.abs(equations @ x - right).max() > 1e-7 or x[:-1].min() < -1e-7:
        return None
    return x, free


def _without(free: Floats, normal: Floats) -> Floats:
    """Basis of the directions of ``free`` orthogonal to ``normal``, by a reflection."""
    v = free.T @ normal
    v = v / np.linalg.norm(v)
    v[0] += 1.0 if v[0] >= 0.0 else -1.0
    reflected = free - np.outer(free @ v, v) * (2.0 / float(v @ v))
    return np.asarray(reflected[:, 1:])
