"""Score cards a second time: every assignment of points to few items, losses by plain sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import minimize


def log_loss(scores, y, weight):
    """Weighted sum of log(1 + exp(-+score)), one row at a time."""
    total = 0.0
    for score, label, w in zip(scores, y, weight, strict=True):
        z = score if label > 0.5 else -score
        total += w * (math.log1p(math.exp(-z)) if z > -30 else -z)
    return total


def curve_loss(totals, y, weight):
    """Smallest loss of offset + scale * total with scale >= 0, by a general optimiser."""
    best = math.inf
    for start in ((0.0, 0.1), (0.0, 1.0), (-1.0, 0.5)):
        found = minimize(
            lambda p: log_loss(p[0] + max(p[1], 0.0) * totals, y, weight),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 4000},
        )
        best = min(best, float(found.fun))
    return best


def best_points(is_met, y, weight, max_points):
    """Smallest loss over all integer points of all items."""
    values = range(-max_points, max_points + 1)
    best = math.inf
    for points in itertools.product(values, repeat=len(is_met)):
        totals = np.array(points) @ is_met
        best = min(best, curve_loss(totals, y, weight))
    return best
