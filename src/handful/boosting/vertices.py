"""Vertices of LPBoost: the walk to one, and the proof that the optimum is unique.

The central path ends inside the face of all optimal votes. There every weak learner that any
optimal vote uses has a positive weight. The walk moves along the face until it reaches a vertex,
which has few weak learners. All points of the walk are optimal.

The stable certificate is about *the* optimum. If there are several, the solver's choice may
depend on examples outside the compression set, and the argument fails. So the features have fixed
tiny prices, which make ties exceptional. The vertex that the solver found is polished by linear
algebra and then checked: dual prices strictly inside, no other feature with a reduced cost of
zero, a regular basis. A vertex that passes is the only optimum. Other vertices are not certified.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from handful.arrays import Floats, Mask
from handful.boosting.collection import (
    STRICT,
    Collected,
    capped_quantile,
    feasible,
    follow_path,
    vote_value,
)
from handful.boosting.generation import Restricted
from handful.boosting.weak_learners import FiniteFamily, WeakColumn

#: Margins this close to rho count as reached. A larger compression set loosens the certificate.
_COUNTED_UP_TO = 1e-7
#: Largest condition number of a basis that counts as regular.
_CONDITION = 1e8


@dataclass(frozen=True, eq=False)
class Vertex:
    """The unique optimum of LPBoost with fixed features."""

    columns: list[WeakColumn]
    weights: Floats  # positive; they sum to 1
    rho: float  # the smallest margin that is optimal with these weights
    is_compressed: Mask  # examples with y f <= rho, up to a tolerance: the compression set


class NotUniqueError(Exception):
    """The optimum could not be proved unique; the text gives the reason."""


def _refuse_if(is_broken: bool | np.bool_, reason: str) -> None:
    if is_broken:
        raise NotUniqueError(reason)


def unique_optimum(
    family: FiniteFamily, y_signed: Floats, caps: Floats, restricted: Restricted
) -> Vertex:
    """The polished optimum; raises `NotUniqueError` if it cannot be proved unique.

    By complementary slackness with one optimal u, every optimal vote uses only the features
    whose dual constraint is tight, and has margin rho at every example with 0 < u_i < cap_i.
    If these equations are regular, they have one solution.
    """
    u = restricted.u
    is_capped = u >= caps - STRICT
    inside = np.flatnonzero((u > STRICT) & ~is_capped)
    scores = u * y_signed
    tight = np.flatnonzero(family.all_values(scores) > restricted.beta - STRICT)
    # A regular system has as many equations as unknowns.
    is_square = inside.size == tight.size or (inside.size == 0 and tight.size == 1)
    _refuse_if(not is_square, "its dual is degenerate")
    columns = [family.column_at(int(j), scores) for j in tight]
    signed = y_signed[:, None] * np.column_stack([c.values for c in columns])
    basis = _basis(signed[inside])
    weights: Floats = np.ones(1)
    if inside.size:
        _refuse_if(np.linalg.cond(basis) > _CONDITION, "its basis is nearly singular")
        weights = np.asarray(np.linalg.solve(basis, _unit(basis))[:-1], dtype=np.float64)
    prices = np.array([c.price for c in columns])
    u, beta = _polished_dual(signed, inside, np.where(is_capped, caps, 0.0), prices, basis)
    margins = signed @ weights
    rho = capped_quantile(margins, caps)
    # A vote may have weights of zero and still be unique. A dual weight at its bound is refused.
    is_degenerate = weights.min() < -STRICT or not _is_inside(u[inside], caps[inside])
    _refuse_if(is_degenerate, "its vertex is degenerate")
    is_broken = _breaks_slackness(margins, rho, is_capped, inside)
    _refuse_if(is_broken, "the solver's vertex is not optimal")
    # Tight features again, by the polished weights: the solver's may be tight by rounding only.
    again = np.flatnonzero(family.all_values(u * y_signed) > beta - STRICT)
    is_same = np.array_equal(again, tight)
    _refuse_if(not is_same, "other features are nearly as good as the chosen ones")
    kept = np.flatnonzero(weights > STRICT)
    return Vertex([columns[j] for j in kept], weights[kept], rho, margins <= rho + _COUNTED_UP_TO)


def _breaks_slackness(
    margins: Floats, rho: float, is_capped: np.ndarray, inside: np.ndarray
) -> bool:
    """Whether an example with u = cap lies above rho, or one with u < cap below it."""
    above = margins[is_capped].max(initial=-np.inf) > rho + STRICT
    below = margins[~is_capped].min(initial=np.inf) < rho - STRICT
    return bool(above or below or np.any(np.abs(margins[inside] - rho) > STRICT))


def _basis(signed: Floats) -> Floats:
    """Rows y_i h(x_i) a - rho = 0 of the examples inside, and sum a = 1."""
    n_inside, n_used = signed.shape
    basis = np.zeros((n_inside + 1, n_used + 1))
    basis[:-1, :-1], basis[:-1, -1], basis[-1, :-1] = signed, -1.0, 1.0
    return basis


def _unit(basis: Floats) -> Floats:
    right = np.zeros(basis.shape[0])
    right[-1] = 1.0
    return right


def _polished_dual(
    signed: Floats, inside: np.ndarray, u_fixed: Floats, prices: Floats, basis: Floats
) -> tuple[Floats, float]:
    """Weights u and value beta from the equations of the basis; ``u_fixed`` holds u at bounds.

    The transposed system: sum_i u_i y_i h_j(x_i) - beta = price_j, and sum_i u_i = 1.
    """
    edges = u_fixed @ signed
    if inside.size == 0:
        return u_fixed, float(edges[0] - prices[0])
    right = np.append(prices - edges, -(1.0 - u_fixed.sum()))
    # basis.T has the columns (u_inside, -beta): its last row reads -sum u_inside.
    solution = np.linalg.solve(basis.T, right)
    u = u_fixed.copy()
    u[inside] = solution[:-1]
    return u, -float(solution[-1])


def _is_inside(u: Floats, caps: Floats) -> bool:
    return bool(np.all(u > STRICT) and np.all(u < caps - STRICT))


#: Gap of the last program at which its face is read off.
_END = 1e-10
#: Entries below this, relative to the largest, are rounding.
_RANK = 1e-9


def walk_to_vertex(collected: Collected, y_signed: Floats, caps: Floats) -> Restricted | None:
    """A vertex of the optimal face of the last program, or None if the walk fails.

    At the end of the path, examples with 0 < u < cap have margin rho, and columns whose weight
    exceeds their slack may have weight at the vertex. The value is computed from the weights; the
    caller compares it with the upper bound.
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
