"""Compiled loop of the additive form: stagewise logistic stumps on binned features."""

from __future__ import annotations

import math

import numpy as np

from handful.compiled import njit


@njit(cache=True, nogil=True)
def gradients(scores, y, weight, is_on, g, h):
    """Negative slope and bend of the loss for every row and score; rows that are off get 0."""
    n, k = scores.shape
    for i in range(n):
        if not is_on[i]:
            for c in range(k):
                g[i, c] = 0.0
                h[i, c] = 0.0
            continue
        if k == 1:
            p = 1.0 / (1.0 + math.exp(-max(min(scores[i, 0], 30.0), -30.0)))
            g[i, 0] = weight[i] * ((1.0 if y[i] == 1 else 0.0) - p)
            h[i, 0] = weight[i] * p * (1.0 - p)
            continue
        # The largest score is taken off first: exponentials are at most one.
        top = scores[i, 0]
        for c in range(1, k):
            top = max(top, scores[i, c])
        total = 0.0
        for c in range(k):
            total += math.exp(scores[i, c] - top)
        for c in range(k):
            p = math.exp(scores[i, c] - top) / total
            g[i, c] = weight[i] * ((1.0 if y[i] == c else 0.0) - p)
            h[i, c] = weight[i] * p * (1.0 - p)


@njit(cache=True, nogil=True)
def best_stump(bins, n_bins, signs, g, h, c, least, ridge, work, out):
    """Feature and bin of the largest fall of the loss; ``out`` receives both sides' steps.

    A stump splits bins ``<= b`` from the others; ties go to the lowest feature and bin. A feature
    of sign 1 takes no step down, one of sign -1 none up; bin 0, of missing values, is free.
    """
    best_gain, best_j, best_b = 0.0, -1, -1
    d, n = bins.shape
    for j in range(d):
        m = n_bins[j]
        for b in range(m):
            work[0, b] = 0.0
            work[1, b] = 0.0
        row = bins[j]
        for i in range(n):
            b = row[i]
            work[0, b] += g[i, c]
            work[1, b] += h[i, c]
        all_g = 0.0
        all_h = 0.0
        for b in range(m):  # sums up to each bin
            all_g += work[0, b]
            all_h += work[1, b]
            work[0, b] = all_g
            work[1, b] = all_h
        for b in range(m - 1):
            left_g, left_h = work[0, b], work[1, b]
            right_g, right_h = all_g - left_g, all_h - left_h
            # A side of few rows would follow their labels.
            if left_h < least or right_h < least:
                continue
            bend, rest = left_h + ridge, right_h + ridge
            # Most bins are far from the best one, which a product tells without divisions.
            both = left_g**2 * rest + right_g**2 * bend
            if both < best_gain * (bend * rest) * (1.0 - 1e-9):
                continue
            left, right = left_g / bend, right_g / rest
            if b > 0 and signs[j] * (right - left) < 0.0:
                continue
            gain = left_g**2 / bend + right_g**2 / rest
            # By more than rounding, so that ties go to the lowest feature and bin on every machine.
            if gain > best_gain * (1.0 + 1e-12):
                best_gain, best_j, best_b = gain, j, b
                out[0], out[1] = left, right
    return best_j, best_b


@njit(cache=True, nogil=True)
def copy_curves(current, done, curves):
    """Keep the curves of a checkpoint."""
    # element by element: numba takes seconds to compile the assignment of an array
    for j in range(current.shape[0]):
        for t in range(current.shape[1]):
            for c in range(current.shape[2]):
                curves[done, j, t, c] = current[j, t, c]


@njit(cache=True, nogil=True)
def boost(
    bins, n_bins, signs, y, weight, is_on, shrink, least, ridge, checkpoints, scores, curves, kept
):
    """Add stumps; keep scores of all rows and all curves at each checkpoint.

    ``scores`` (n, k) holds the start; ``curves`` is (n_checkpoints, d, largest n_bins, k) and
    ``kept`` (n_checkpoints, n, k). Rows that are off are scored, not learned from.
    """
    n, k = scores.shape
    g = np.empty((n, k))
    h = np.empty((n, k))
    work = np.empty((2, curves.shape[2]))
    out = np.empty(2)
    current = np.zeros(curves.shape[1:])
    done = 0
    for round_number in range(1, checkpoints[-1] + 1):
        gradients(scores, y, weight, is_on, g, h)
        for c in range(k):
            j, b = best_stump(bins, n_bins, signs, g, h, c, least, ridge, work, out)
            if j < 0:
                continue
            # If all rows of a side have one label, the best step is infinite.
            left = shrink * min(max(out[0], -4.0), 4.0)
            right = shrink * min(max(out[1], -4.0), 4.0)
            for t in range(n_bins[j]):
                current[j, t, c] += left if t <= b else right
            row = bins[j]
            for i in range(n):
                scores[i, c] += left if row[i] <= b else right
        if round_number == checkpoints[done]:
            copy_curves(current, done, curves)
            for i in range(n):
                for c in range(k):
                    kept[done, i, c] = scores[i, c]
            done += 1
