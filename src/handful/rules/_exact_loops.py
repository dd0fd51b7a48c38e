"""Compiled search of one greedy round over all half-spaces of one machine."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_threshold(u, weight, n_same, tol, cap, penalty, first_is_high):  # type: ignore[no-untyped-def]
    """The best threshold example of one projection, by sorting it.

    Parameters
    ----------
    u : (n_live,) float64
        The projection of the live examples; the ``n_same`` of the machine's own class come first.
    weight : (n_live,) int64
    n_same : int
    tol : float
        Example x is covered by threshold example c if ``u[x] < u[c] - tol``.
    cap : float
        ``u[c] - tol`` must not exceed it.
    penalty : float
        May be infinite: then no example of the own class may be covered.
    first_is_high : bool
        Of thresholds that are equally useful the highest comes first, not the lowest.

    Returns
    -------
    usefulness, n_other, n_same_covered, c
    """
    order = np.argsort(u, kind="mergesort")
    best_u, best_q, best_r, best_c = -np.inf, 0, 0, -1
    q = r = j = 0
    for i in range(order.shape[0]):
        c = order[i]
        if c >= n_same:
            continue
        threshold = u[c] - tol
        if threshold > cap:
            break
        while u[order[j]] < threshold:
            x = order[j]
            if x < n_same:
                r += weight[x]
            else:
                q += weight[x]
            j += 1
        if r > 0 and penalty == np.inf:
            break
        value = float(q)
        if r > 0:
            value -= penalty * r
        if value > best_u or (value == best_u and q > best_q):
            best_u, best_q, best_r, best_c = value, q, r, c
        elif first_is_high and value == best_u and q == best_q and u[c] > u[best_c]:
            best_r, best_c = r, c
    return best_u, best_q, best_r, best_c


@njit(cache=True, nogil=True)
def search_block(first, second, is_first_own, weight, n_same, own_at, tols, kept, penalty, rows):  # type: ignore[no-untyped-def]
    """The best half-space with first example in ``rows`` and any second example.

    ``first`` and ``second`` hold kernel rows over the live columns, in scanning order.
    ``own_at`` gives the live column of each row of the own class, ``kept`` the live columns of the
    compression set that must stay uncovered, ``tols`` the tolerance of each pair.
    Returns usefulness, counts and the positions (first, second, live column of c).
    """
    best = (-np.inf, 0, 0, -1, -1, -1)
    for i in range(rows[0], rows[1]):
        for j in range(second.shape[0]):
            if is_first_own:
                u = first[i] - second[j]
                cap = u[own_at[i]]
            else:
                u = second[j] - first[i]
                cap = u[own_at[j]]
            for x in kept:
                cap = min(cap, u[x])
            value, q, r, c = best_threshold(
                u, weight, n_same, tols[i, j], cap, penalty, not is_first_own
            )
            if value > best[0] or (value == best[0] and q > best[1]):
                best = (value, q, r, i, j, c)
    return best
