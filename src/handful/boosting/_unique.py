"""Is the optimum of LPBoost unique? The question behind its stable certificate.

The stable certificate speaks of *the* optimum. Where several exist, a solver's choice among
them may depend on examples that do not matter, and the argument breaks. So the features carry
fixed tiny prices, which make ties exceptional, and the vertex that the solver found is polished
by linear algebra and then checked: dual prices strictly inside, no other feature with a reduced
cost of zero, a regular basis. What passes is the only optimum; what does not is not certified.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful._types import Floats
from handful.boosting._columns import Column, FiniteFamily
from handful.boosting._generation import Restricted

#: Slack that separates "strictly inside" from "at the bound" after polishing.
STRICT = 1e-9
#: Margins this close to rho count as reached: one example too many is on the safe side.
_COUNTED_UP_TO = 1e-7
#: Largest condition number of a basis that counts as regular.
_CONDITION = 1e8


@dataclass(frozen=True, eq=False)
class Vertex:
    """The unique optimum of LPBoost with fixed features.

    Attributes
    ----------
    columns : list of Column
    weights : ndarray
        Positive weights of the columns; they sum to 1.
    rho : float
        The margin: the smallest one that is optimal with these weights.
    is_compressed : ndarray of bool
        Examples with y f <= rho (counted with a tolerance): the compression set.
    """

    columns: list[Column]
    weights: Floats
    rho: float
    is_compressed: np.ndarray


def unique_optimum(
    family: FiniteFamily, y_signed: Floats, caps: Floats, restricted: Restricted
) -> Vertex | str:
    """The polished optimum if it is proved unique, otherwise the reason why it is not.

    By complementary slackness with one optimal u, every optimal vote uses only the features
    whose dual constraint is tight and has margin rho at every example with 0 < u_i < cap_i.
    Where these equations are regular they have one solution, whatever its zeros.
    """
    u = restricted.u
    is_capped = u >= caps - STRICT
    inside = np.flatnonzero((u > STRICT) & ~is_capped)
    scores = u * y_signed
    tight = np.flatnonzero(family.all_values(scores) > restricted.beta - STRICT)
    # As many equations as unknowns, or uniqueness cannot be read off them.
    if inside.size != tight.size and not (inside.size == 0 and tight.size == 1):
        return "its dual is degenerate"
    columns = [family.column_at(int(j), scores) for j in tight]
    signed = y_signed[:, None] * np.column_stack([c.values for c in columns])
    basis = _basis(signed[inside])
    if inside.size and np.linalg.cond(basis) > _CONDITION:
        return "its basis is nearly singular"
    weights: Floats = np.ones(1)
    if inside.size:
        weights = np.asarray(np.linalg.solve(basis, _unit(basis))[:-1], dtype=np.float64)
    prices = np.array([c.price for c in columns])
    u, beta = _polished_dual(signed, inside, np.where(is_capped, caps, 0.0), prices, basis)
    margins = signed @ weights
    rho = capped_quantile(margins, caps)
    # Weights of zero are fine, the vote is unique all the same; weights at a bound of the dual are
    # not.
    if weights.min() < -STRICT or not _is_inside(u[inside], caps[inside]):
        return "its vertex is degenerate"
    if _breaks_slackness(margins, rho, is_capped, inside):
        return "the solver's vertex is not optimal"
    # With the polished weights, not the solver's: features that are tight by its rounding only
    # would leave.
    again = np.flatnonzero(family.all_values(u * y_signed) > beta - STRICT)
    if not np.array_equal(again, tight):
        return "other features are nearly as good as the chosen ones"
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
    """Weights u and value beta from the equations of the basis, given u at its bounds elsewhere.

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


def capped_quantile(margins: Floats, caps: Floats) -> float:
    """Smallest rho that maximises rho - sum_i cap_i (rho - margin_i)_+.

    Examples
    --------
    >>> import numpy as np
    >>> capped_quantile(np.array([0.3, -0.1, 0.8, 0.5]), np.full(4, 0.5))
    0.3
    """
    order = np.argsort(margins, kind="stable")
    # Caps that sum to one but for rounding have reached it: a smaller rho counts more examples.
    reached = np.cumsum(caps[order]) >= 1.0 - STRICT
    return float(margins[order[int(np.argmax(reached))]])
