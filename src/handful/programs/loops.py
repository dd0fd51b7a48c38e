"""Compiled passes over the examples for the structured interior point.

Rows of ``state``: a, C - a, their multipliers, p, its multiplier (see `interior`).
Rows of ``step``: the directions of a, its two multipliers, p, its multiplier.
``upper`` says whether a is bounded above (soft margin), ``capped`` whether p exists (h is priced).
"""

from __future__ import annotations

from handful.compiled import njit

_HUGE = 1e300  # a finite stand-in for infinity: products with zero stay zero


@njit(cache=True, nogil=True)
def measure(state, g, upper, capped):  # type: ignore[no-untyped-def]
    """Sum of slacks, largest margin, sum of a, sum of p, total complementarity."""
    hinge, top, sum_a, sum_p, products = 0.0, -_HUGE, 0.0, 0.0, 0.0
    for i in range(g.size):
        # Slacks follow from the margins; they are not variables.
        if g[i] < 1.0:
            hinge += 1.0 - g[i]
        top = max(top, g[i])
        sum_a += state[0, i]
        products += state[0, i] * state[2, i]
        if upper:
            products += state[1, i] * state[3, i]
        if capped:
            sum_p += state[4, i]
            products += state[4, i] * state[5, i]
    return hinge, top, sum_a, sum_p, products


@njit(cache=True, nogil=True)
def weigh(state, upper, capped, weights):  # type: ignore[no-untyped-def]
    """Scaling of a and p into weights[0:2], root of their sum into weights[2]; sum for p."""
    total = 0.0
    for i in range(state.shape[1]):
        # An infinite bound has no multiplier and no part in the scaling.
        ratio = state[2, i] / state[0, i]
        if upper:
            ratio += state[3, i] / state[1, i]
        weights[0, i] = 1.0 / ratio
        weights[1, i] = state[4, i] / state[5, i] if capped else 0.0
        weights[2, i] = (weights[0, i] + weights[1, i]) ** 0.5
        total += weights[1, i]
    return total


@njit(cache=True, nogil=True)
def aim(state, step, g, h, mu, weights, aims):  # type: ignore[no-untyped-def]
    """Right-hand sides: aims[0:2] for a and p, aims[2] their weighted difference.

    Negative mu is the predictor (no centring, no second-order correction). aims[3:6] keep the
    corrected products. Returns the weighted sum for p.
    """
    total = 0.0
    for i in range(g.size):
        to_a, to_p = 1.0 - g[i], g[i] - h
        if mu >= 0.0:
            # Mehrotra's second-order terms, from the predictor's own step.
            aims[3, i] = mu - step[0, i] * step[1, i]
            # C - a falls if a rises: hence the sign.
            aims[4, i] = mu + step[0, i] * step[2, i]
            aims[5, i] = mu - step[3, i] * step[4, i]
            to_a += aims[3, i] / state[0, i] - aims[4, i] / state[1, i]
            to_p += aims[5, i] / state[4, i]
        else:
            aims[3, i] = aims[4, i] = aims[5, i] = 0.0
        aims[0, i], aims[1, i] = to_a, to_p
        aims[2, i] = weights[0, i] * to_a - weights[1, i] * to_p
        total += weights[1, i] * to_p
    return total


@njit(cache=True, nogil=True)
def turn(state, step, aims, weights, dg, dh, upper, capped):  # type: ignore[no-untyped-def]
    """Fill ``step`` and return the longest primal and dual steps that stay positive."""
    primal, dual = _HUGE, _HUGE
    for i in range(dg.size):
        a, v, zl, zu = state[0, i], state[1, i], state[2, i], state[3, i]
        da = weights[0, i] * (aims[0, i] - dg[i])
        dl = (aims[3, i] - zl * da) / a - zl
        step[0, i], step[1, i] = da, dl
        if da < 0.0:
            primal = min(primal, -a / da)
        if dl < 0.0:
            dual = min(dual, -zl / dl)
        if upper:
            du = (aims[4, i] + zu * da) / v - zu
            step[2, i] = du
            if da > 0.0:
                primal = min(primal, v / da)
            if du < 0.0:
                dual = min(dual, -zu / du)
        if capped:
            p, z = state[4, i], state[5, i]
            dp = weights[1, i] * (aims[1, i] - dh + dg[i])
            dz = (aims[5, i] - z * dp) / p - z
            step[3, i], step[4, i] = dp, dz
            if dp < 0.0:
                primal = min(primal, -p / dp)
            if dz < 0.0:
                dual = min(dual, -z / dz)
    return primal, dual


@njit(cache=True, nogil=True)
def products_after(state, step, primal, dual, upper, capped):  # type: ignore[no-untyped-def]
    """Total complementarity after a step."""
    total = 0.0
    for i in range(state.shape[1]):
        da = primal * step[0, i]
        total += (state[0, i] + da) * (state[2, i] + dual * step[1, i])
        if upper:
            total += (state[1, i] - da) * (state[3, i] + dual * step[2, i])
        if capped:
            total += (state[4, i] + primal * step[3, i]) * (state[5, i] + dual * step[4, i])
    return total


@njit(cache=True, nogil=True)
def advance(state, step, primal, dual, upper, capped):  # type: ignore[no-untyped-def]
    """Take the step in place; every value stays above a tiny positive number."""
    # A step to the boundary may round to zero, by which the next iteration would divide.
    tiny = 1e-200
    for i in range(state.shape[1]):
        da = primal * step[0, i]
        state[0, i] = max(state[0, i] + da, tiny)
        state[2, i] = max(state[2, i] + dual * step[1, i], tiny)
        if upper:
            state[1, i] = max(state[1, i] - da, tiny)
            state[3, i] = max(state[3, i] + dual * step[2, i], tiny)
        if capped:
            state[4, i] = max(state[4, i] + primal * step[3, i], tiny)
            state[5, i] = max(state[5, i] + dual * step[4, i], tiny)
