"""Slow twin of the exact half-space search: every triple by its definition."""

from __future__ import annotations

import numpy as np


def covered_by(K, a, b, c, kind):
    """Rows that the half-space (a, b, c) covers."""
    tol = 1e-10 * max(abs(K[a, a]), abs(K[a, b]), abs(K[b, b]))
    v = K[a] - K[b]
    return v < v[c] - tol if kind == "conjunction" else v > v[c] + tol


def greedy_path(
    K, y, kind, penalty, max_rules, stop_on_nonpositive=True, weights=None, active=None
):
    """List of (a, b, c, |Q|, |R|), ties to the first in the order a, b, ascending v(c), c."""
    w = np.ones(len(y), int) if weights is None else np.array(weights)
    w = w if active is None else w * np.array(active)
    positive, negative = np.flatnonzero((y > 0) & (w > 0)), np.flatnonzero((y < 0) & (w > 0))
    is_same = (y > 0) if kind == "conjunction" else (y < 0)
    live, kept, path = w > 0, [], []
    while len(path) < max_rules and (live & ~is_same).any():
        best = (-np.inf, -1)
        for a in positive:
            for b in negative:
                own = a if kind == "conjunction" else b
                if not live[own]:
                    continue
                thresholds = np.flatnonzero(live & is_same)
                v = (K[a] - K[b])[thresholds]
                for c in thresholds[np.lexsort((thresholds, v))]:
                    bad = covered_by(K, a, b, c, kind)
                    if bad[[own, *kept]].any():
                        continue
                    q, r = (int(w[bad & live & side].sum()) for side in (~is_same, is_same))
                    if np.isinf(penalty) and r > 0:
                        continue
                    value = round((q - penalty * r) * 2**24) if r > 0 else q * 2**24
                    if (value, q) > best[:2]:
                        best = (value, q, r, int(a), int(b), int(c), bad)
        if best[1] <= 0 or (stop_on_nonpositive and best[0] <= 0):
            break
        _, q, r, a, b, c, bad = best
        path.append((a, b, c, q, r))
        live = live & ~bad
        kept += [a if kind == "conjunction" else b, c]
    return path
