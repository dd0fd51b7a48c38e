"""Slow twin of the exact half-space search: every triple, by its definition, in plain loops."""

from __future__ import annotations

import math


def is_bad(K, a, b, c, x, kind):
    """Does the half-space (a, b, c) cover example x?"""
    tol = 1e-10 * max(abs(K[a][a]), abs(K[a][b]), abs(K[b][b]))
    v_x, v_c = K[a][x] - K[b][x], K[a][c] - K[b][c]
    return v_x < v_c - tol if kind == "conjunction" else v_x > v_c + tol


def greedy_path(
    K, y, kind, penalty, max_rules, stop_on_nonpositive=True, weights=None, active=None
):
    """List of (a, b, c, |Q|, |R|), ties to the first in the order a, b, ascending v(c), c."""
    K = [[float(k) for k in row] for row in K]
    m = len(y)
    w = [1] * m if weights is None else [int(v) for v in weights]
    rows = [i for i in range(m) if w[i] > 0 and (active is None or active[i])]
    positive = [i for i in rows if y[i] > 0]
    negative = [i for i in rows if y[i] < 0]
    same, other = (positive, negative) if kind == "conjunction" else (negative, positive)
    covered, kept, path = set(), set(), []
    while len(path) < max_rules and any(x not in covered for x in other):
        best = None
        for a in positive:
            for b in negative:
                own = a if kind == "conjunction" else b
                if own in covered:
                    continue
                thresholds = sorted(
                    (c for c in same if c not in covered), key=lambda c: (K[a][c] - K[b][c], c)
                )
                for c in thresholds:
                    if any(is_bad(K, a, b, c, x, kind) for x in kept | {own}):
                        continue
                    bad = [x for x in rows if x not in covered and is_bad(K, a, b, c, x, kind)]
                    q = sum(w[x] for x in bad if x in other)
                    r = sum(w[x] for x in bad if x in same)
                    if math.isinf(penalty) and r > 0:
                        continue
                    value = round((q - penalty * r) * 2**24) if r > 0 else q * 2**24
                    if best is None or (value, q) > best[:2]:
                        best = (value, q, r, a, b, c, bad)
        if best is None or best[1] == 0 or (stop_on_nonpositive and best[0] <= 0):
            break
        _, q, r, a, b, c, bad = best
        path.append((a, b, c, q, r))
        covered |= set(bad)
        kept |= {a if kind == "conjunction" else b, c}
    return path
