"""Compiled loops of the score card: logistic loss of real weights and of integer points.

Items are rows of a byte matrix (n_items, n_samples), 1 where the item's condition is met. ``y``
is 1 for the second class; ``weight`` says how much an example counts.

Arrays are filled element by element: a whole-array assignment brings numba's shape errors with
it, whose text formatting takes longer to compile than all of these loops together.
"""

from __future__ import annotations

import math

import numpy as np

from handful._compiled import njit

CURVE_RIDGE = 1e-3  # on the scale of the curve over totals: finite where totals separate


@njit(cache=True, nogil=True)
def solve_small(H, g, k):
    """Solve the leading k x k positive definite system in place by Cholesky; g becomes x."""
    for i in range(k):
        for j in range(i + 1):
            s = H[i, j]
            for t in range(j):
                s -= H[i, t] * H[j, t]
            if i == j:
                # Two items met by the same rows make the matrix singular; the floor shares their
                # weight.
                H[i, i] = math.sqrt(max(s, 1e-12))
            else:
                H[i, j] = s / H[j, j]
    for i in range(k):
        s = g[i]
        for t in range(i):
            s -= H[i, t] * g[t]
        g[i] = s / H[i, i]
    for i in range(k - 1, -1, -1):
        s = g[i]
        for t in range(i + 1, k):
            s -= H[t, i] * g[t]
        g[i] = s / H[i, i]


@njit(cache=True, nogil=True)
def log_loss_sum(eta, y, weight):
    """Sum of weight * log(1 + exp(-sign * eta))."""
    total = 0.0
    for i in range(len(y)):
        z = eta[i] if y[i] > 0.5 else -eta[i]
        # The exponent is never positive: nothing overflows.
        if z > 0.0:
            total += weight[i] * math.log1p(math.exp(-z))
        else:
            total += weight[i] * (math.log1p(math.exp(z)) - z)
    return total


@njit(cache=True, nogil=True)
def fit_support(items, support, k, y, weight, ridge, beta, n_steps):
    """Newton's method for the weights of k items and an intercept (last); gives the loss.

    ``beta`` holds the start and receives the solution; the ridge keeps separable data finite.
    """
    n = len(y)
    H = np.empty((k + 1, k + 1))
    g = np.empty(k + 1)
    eta = np.empty(n)
    best = np.inf
    for step in range(n_steps):
        for i in range(n):
            eta[i] = beta[k]
        for a in range(k):
            row = items[support[a]]
            for i in range(n):
                if row[i]:
                    eta[i] += beta[a]
        loss = log_loss_sum(eta, y, weight)
        for a in range(k):
            loss += 0.5 * ridge * beta[a] * beta[a]
        if step > 0 and loss > best - 1e-6 * (1.0 + best):
            return min(loss, best)
        best = min(loss, best)
        for a in range(k + 1):
            g[a] = 0.0
            for b in range(k + 1):
                H[a, b] = 0.0
        for i in range(n):
            p = 1.0 / (1.0 + math.exp(-max(min(eta[i], 30.0), -30.0)))
            r = weight[i] * (y[i] - p)
            # Rows that are surely right have no curvature left; all of them together must leave
            # some.
            h = max(weight[i] * p * (1.0 - p), 1e-9)
            g[k] += r
            H[k, k] += h
            for a in range(k):
                if items[support[a], i]:
                    g[a] += r
                    H[k, a] += h
                    for b in range(a + 1):
                        if items[support[b], i]:
                            H[a, b] += h
        for a in range(k):
            g[a] -= ridge * beta[a]
            H[a, a] += ridge
        solve_small(H, g, k + 1)
        size = 0.0
        for a in range(k + 1):
            size = max(size, abs(g[a]))
        # Far from the optimum a full Newton step overshoots; four units of log odds are far.
        shrink = min(1.0, 4.0 / size) if size > 0.0 else 1.0
        for a in range(k + 1):
            beta[a] += shrink * g[a]
    return best


@njit(cache=True, nogil=True)
def item_gains(items, eta, y, weight, ridge, gains):
    """Approximate fall of the loss for each item alone, by one Newton step with an intercept."""
    n = len(y)
    r = np.empty(n)
    h = np.empty(n)
    sum_r = 0.0
    sum_h = 0.0
    for i in range(n):
        p = 1.0 / (1.0 + math.exp(-max(min(eta[i], 30.0), -30.0)))
        r[i] = weight[i] * (y[i] - p)
        h[i] = weight[i] * p * (1.0 - p)
        sum_r += r[i]
        sum_h += h[i]
    for j in range(items.shape[0]):
        a = 0.0
        b = 0.0
        row = items[j]
        for i in range(n):
            a += row[i] * r[i]
            b += row[i] * h[i]
        # The intercept moves along with the item: its part of slope and curvature is taken off.
        slope = a - sum_r * b / max(sum_h, 1e-12)
        bend = b - b * b / max(sum_h, 1e-12) + ridge
        # Signed, so that items with the wrong direction can be left out by the caller.
        gains[j] = slope * abs(slope) / bend if bend > 1e-9 else 0.0


@njit(cache=True, nogil=True)
def fit_totals(positives, negatives, low, start, out, tol, n_steps):
    """Best scale >= 0 and offset of a logistic curve over totals; gives the loss.

    ``positives[t]`` and ``negatives[t]`` are weights of rows with total ``low + t``; ``start``
    and ``out`` hold (scale, offset).
    """
    s, b = start[0], start[1]
    best = np.inf
    for step in range(n_steps):
        loss = 0.5 * CURVE_RIDGE * s * s
        g0 = 0.0
        g1 = -CURVE_RIDGE * s
        # Without a row the system would be singular; the hair moves no digit of the solution.
        h00 = 1e-9
        h01 = 0.0
        h11 = CURVE_RIDGE
        for t in range(len(positives)):
            w = positives[t] + negatives[t]
            if w == 0.0:
                continue
            x = low + t
            z = b + s * x
            z = max(min(z, 30.0), -30.0)
            e = math.exp(-abs(z))
            soft = math.log1p(e)
            loss += positives[t] * (soft + max(-z, 0.0)) + negatives[t] * (soft + max(z, 0.0))
            p = 1.0 / (1.0 + e) if z >= 0.0 else e / (1.0 + e)
            r = positives[t] - w * p
            h = w * p * (1.0 - p)
            g0 += r
            g1 += r * x
            h00 += h
            h01 += h * x
            h11 += h * x * x
        if loss < best:
            out[0], out[1] = s, b
        if step > 0 and loss > best - tol * (1.0 + best):
            return min(loss, best)
        best = min(loss, best)
        determinant = h00 * h11 - h01 * h01
        if determinant <= 1e-12:
            return best
        ds = (h00 * g1 - h01 * g0) / determinant
        db = (h11 * g0 - h01 * g1) / determinant
        size = max(abs(ds), abs(db) * 0.2)
        shrink = min(1.0, 2.0 / size) if size > 0.0 else 1.0
        # More points never mean a lower chance: the scale of the curve may vanish, not turn.
        s = max(s + shrink * ds, 0.0)
        b += shrink * db
    return best


@njit(cache=True, nogil=True)
def histogram_loss(totals, extra, factor, y, weight, low, high, start, out, bins):
    """Loss of the totals ``totals + factor * extra`` with their best scale and offset."""
    span = high - low + 1
    for t in range(span):
        bins[0, t] = 0.0
        bins[1, t] = 0.0
    for i in range(len(totals)):
        t = totals[i] + factor * extra[i] - low
        if y[i] > 0.5:
            bins[0, t] += weight[i]
        else:
            bins[1, t] += weight[i]
    return fit_totals(bins[0, :span], bins[1, :span], low, start, out, 1e-7, 12)


@njit(cache=True, nogil=True)
def improve_points(
    items, support, points, k, y, weight, max_points, direction, neighbours, start, n_sweeps
):
    """Change points, move cuts and exchange items while the loss falls; gives the loss.

    ``neighbours`` lists, for each item, those that may take its place (-1 ends a row).
    ``direction[j]`` is the sign that points of item j must have, 0 for any.
    """
    n = len(y)
    # Totals stay within k times the largest points; the histogram is wide enough for an item more
    # on either side.
    reach = 2 * max_points * k + 2 * max_points
    bins = np.zeros((2, 2 * reach + 1))
    totals = np.zeros(n, dtype=np.int64)
    for a in range(k):
        for i in range(n):
            totals[i] += points[a] * items[support[a], i]
    zero = np.zeros(n, dtype=np.uint8)
    out = np.empty(2)
    best = histogram_loss(totals, zero, 0, y, weight, -reach, reach, start, out, bins)
    start[0], start[1] = out[0], out[1]
    for _ in range(n_sweeps):
        before = best
        for a in range(k):
            old_item, old_points = support[a], points[a]
            for i in range(n):
                totals[i] -= old_points * items[old_item, i]
            best_item, best_points = old_item, old_points
            row = 0
            item = old_item
            while item >= 0:
                is_taken = False
                for b in range(k):
                    if b != a and support[b] == item:
                        is_taken = True
                if not is_taken:
                    low, high = -max_points, max_points
                    if item != old_item:
                        # Another item starts from nearly the points of the one it replaces: all
                        # values for all items would cost most of the time.
                        low = max(low, old_points - 1)
                        high = min(high, old_points + 1)
                    for value in range(low, high + 1):
                        if direction[item] * value < 0:
                            continue
                        loss = histogram_loss(
                            totals, items[item], value, y, weight, -reach, reach, start, out, bins
                        )
                        # By more than the rounding of the curve's own fit, or sweeps would cycle
                        # between equal cards.
                        if loss < best - 1e-7 * (1.0 + abs(best)):
                            best, best_item, best_points = loss, item, value
                            start[0], start[1] = out[0], out[1]
                item = neighbours[old_item, row] if row < neighbours.shape[1] else -1
                row += 1
            support[a], points[a] = best_item, best_points
            for i in range(n):
                totals[i] += best_points * items[best_item, i]
        if best > before - 1e-6 * (1.0 + abs(before)):
            break
    histogram_loss(totals, zero, 0, y, weight, -reach, reach, start, out, bins)
    start[0], start[1] = out[0], out[1]
    return fit_totals(bins[0], bins[1], -reach, start, start, 0.0, 60)
