"""Compiled search for the best decision stump of each feature over presorted columns."""

from __future__ import annotations

import numpy as np

from handful._compiled import njit


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
        Values that differ by no more are tied; ties go to the lowest cut, then to sign +1.

    Returns
    -------
    index : (n_features,) int64
        Twice the cut, plus one for sign -1; -1 where the feature has no cut.
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
            plus = 2.0 * left - prices[c, 0]
            minus = -2.0 * left - prices[c, 1]
            if plus > plus_best + tol:
                plus_best, plus_at = plus, c
            if minus > minus_best + tol:
                minus_best, minus_at = minus, c
        total = left
        for i in range(k, counts[j]):
            total += scores[row[i]]
        plus_best -= total
        minus_best += total
        is_tied = abs(minus_best - plus_best) <= tol
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
        if weights[i] == 0.0:
            continue
        score = constant
        for j in range(codes.shape[0]):
            score += levels[j, codes[j, i]]
        label = 1 if is_positive[i] else 0
        exponent = (-score if is_positive[i] else score) - log_total
        quanta = np.int64(np.rint(min(weights[i] * np.exp(exponent), 1.0) * unit))
        for j in range(codes.shape[0]):
            out[label, j, codes[j, i]] += quanta
