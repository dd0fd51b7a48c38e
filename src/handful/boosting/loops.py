"""Compiled search for the best decision stump of each feature over presorted columns."""

from __future__ import annotations

import numpy as np

from handful.compiled import njit


@njit(cache=True, nogil=True, fastmath=False)
def best_cuts(order, counts, offsets, positions, prices, scores, tol):
    """For each feature the cut and sign with the largest ``sign * (left - right) - price``.

    Parameters
    ----------
    order : (n_features, n_samples) int32
        Row numbers by increasing value; the first ``counts[j]`` of row j are not missing.
    counts : (n_features,) int64
    offsets : (n_features + 1,) int64
        The cuts of feature j are ``offsets[j]:offsets[j + 1]``.
    positions : (n_cuts,) int64
        Number of examples left of the cut, not decreasing within a feature.
    prices : (n_cuts, 2) float64
        What a cut costs with sign +1 and with sign -1.
    scores : (n_samples,) float64
        Left and right are sums of these.
    tol : float
        Values that differ by no more than this are tied. Ties go to the lowest cut, then to +1.

    Returns
    -------
    index : (n_features,) int64
        Twice the cut, plus one for sign -1; -1 if the feature has no cut.
    value : (n_features,) float64
    """
    n_features = counts.shape[0]
    index = np.full(n_features, -1, dtype=np.int64)
    value = np.full(n_features, -np.inf)
    for j in range(n_features):
        row = order[j]
        left = 0.0
        k = 0
        plus_best, plus_at, minus_best, minus_at = -np.inf, -1, -np.inf, -1
        for c in range(offsets[j], offsets[j + 1]):
            for i in range(k, positions[c]):
                left += scores[row[i]]
            k = positions[c]
            # left - right = 2 left - total; the total is the same for all cuts, subtracted below.
            plus = 2.0 * left - prices[c, 0]
            minus = -2.0 * left - prices[c, 1]
            # Better by more than the tolerance, so that another order of the rows moves no cut.
            if plus > plus_best + tol:
                plus_best, plus_at = plus, c
            if minus > minus_best + tol:
                minus_best, minus_at = minus, c
        # Add the examples right of the last cut to the total; missing values are on neither side.
        total = left
        for i in range(k, counts[j]):
            total += scores[row[i]]
        plus_best -= total
        minus_best += total
        is_tied = abs(minus_best - plus_best) <= tol
        # With equal values the lower cut wins; with equal cuts sign +1 wins.
        if minus_best > plus_best + tol or (is_tied and minus_at < plus_at):
            index[j], value[j] = 2 * minus_at + 1, minus_best
        elif plus_at >= 0:
            index[j], value[j] = 2 * plus_at, plus_best
    return index, value


@njit(cache=True, nogil=True, fastmath=False)
def add_quanta(codes, is_positive, weights, levels, constant, log_total, bits, out):
    """Add the weight of every row, in quanta of 2^-bits, to the histograms of its class.

    Parameters
    ----------
    codes : (n_features, n_samples) uint16
    is_positive : (n_samples,) bool
    weights : (n_samples,) float64
    levels : (n_features, n_codes) float64
        Score of a row: the sum of the levels of its bins, feature by feature, and ``constant``.
    log_total : float
        Weights are shares of exp(log_total).
    out : (2, n_features, n_codes) int64
    """
    unit = 2.0**bits
    for i in range(codes.shape[1]):
        # An example of weight zero does not count, even if exp would overflow.
        if weights[i] == 0.0:
            continue
        score = constant
        for j in range(codes.shape[0]):
            score += levels[j, codes[j, i]]
        label = 1 if is_positive[i] else 0
        exponent = (-score if is_positive[i] else score) - log_total
        # A share is at most 1. The limit keeps rounding of the exponent within 64 bits.
        quanta = np.int64(np.rint(min(weights[i] * np.exp(exponent), 1.0) * unit))
        for j in range(codes.shape[0]):
            out[label, j, codes[j, i]] += quanta


@njit(cache=True, nogil=True, fastmath=False)
def _extremes(caps, u, gradient):
    """The example with the lowest gradient that has room, its gradient, and the highest one."""
    i, low, high = -1, np.inf, -np.inf
    for k in range(u.shape[0]):
        if u[k] < caps[k] and gradient[k] < low:
            i, low = k, gradient[k]
        if u[k] > 0.0 and gradient[k] > high:
            high = gradient[k]
    return i, low, high


@njit(cache=True, nogil=True, fastmath=False)
def descend_pairs(Q, caps, u, gradient, tol, max_steps):
    """Minimise u'Qu / 2 over distributions u <= caps, two examples at a time, in place.

    Each step moves weight to the example with the lowest gradient, from the example with which
    the value falls most. Ties go to the lowest index.

    Parameters
    ----------
    Q : (n, n) float64
        Symmetric, positive semi-definite.
    caps, u : (n,) float64
        ``u`` is feasible and is changed.
    gradient : (n,) float64
        Q @ u, kept up to date.
    tol : float
        Stop when no pair differs by more in gradient.
    max_steps : int

    Returns
    -------
    n_steps : int
    """
    n = u.shape[0]
    for step in range(max_steps):
        i, low, high = _extremes(caps, u, gradient)
        if i < 0 or high - low <= tol:
            return step
        j, most, bend = -1, -1.0, 1.0
        for k in range(n):
            if u[k] > 0.0 and gradient[k] > low:
                fall = gradient[k] - low
                curvature = max(Q[i, i] + Q[k, k] - 2.0 * Q[i, k], 1e-12)
                # Compared without dividing: a quotient would be formed for every example.
                if fall * fall > most * curvature:
                    j, most, bend = k, fall * fall / curvature, curvature
        room = caps[i] - u[i]
        moved = min((gradient[j] - low) / bend, room, u[j])
        # Set the bound itself: rounding must not leave room that would be chosen again.
        u[i] = caps[i] if moved == room else u[i] + moved
        u[j] = 0.0 if moved == u[j] else u[j] - moved
        for k in range(n):
            gradient[k] += moved * (Q[i, k] - Q[j, k])
    return max_steps
