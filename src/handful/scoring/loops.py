"""Compiled loops of the score card: logistic loss of real weights and of integer points.

Items are rows of a byte matrix (n_items, n_samples), 1 if the row meets the item's condition.
``y`` is 1 for the second class; ``weight`` is the weight of an example.

Arrays are filled element by element. A whole-array assignment would include numba's shape errors,
whose text formatting takes longer to compile than all of these loops together. Whole numbers are
given to another loop as ``np.int64``: numba compiles a loop anew for each literal.
"""

from __future__ import annotations

import math

import numpy as np

from handful.compiled import njit

_MAX_DENSE = 10  # up to this many items there is a place for each of the 2^k answers
CURVE_RIDGE = 1e-3  # on the scale of the curve over totals: finite if totals separate the classes


@njit(cache=True, nogil=True)
def solve_small(H, g, k):
    """Solve the leading k x k positive definite system in place by Cholesky; g becomes x."""
    for i in range(k):
        for j in range(i + 1):
            s = H[i, j]
            for t in range(j):
                s -= H[i, t] * H[j, t]
            if i == j:
                # Two items that the same rows meet make the matrix singular; the floor shares
                # their weight.
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
def patterns(items, support, k, y, weight):
    """Groups of rows with equal answers to k items: the answers, and the weights of both classes.

    Bit a of an answer is item a. With more than ten items hardly two rows are equal, and each row
    is its own group.
    """
    n = len(y)
    n_places = 1 << k if k <= _MAX_DENSE else n
    codes = np.empty(n_places, dtype=np.int64)
    found = np.zeros((2, n_places))
    for i in range(n):
        code = np.int64(0)
        for a in range(k):
            code |= np.int64(items[support[a], i]) << a
        place = code if k <= _MAX_DENSE else i
        codes[place] = code
        found[0 if y[i] > 0.5 else 1, place] += weight[i]
    n_found = 0
    for place in range(n_places):
        if found[0, place] + found[1, place] > 0.0:
            codes[n_found] = codes[place]
            found[0, n_found] = found[0, place]
            found[1, n_found] = found[1, place]
            n_found += 1
    return codes[:n_found], found[0, :n_found], found[1, :n_found]


@njit(cache=True, nogil=True)
def pattern_loss(codes, positives, negatives, k, beta, eta):
    """Log loss of all patterns; ``eta`` receives their scores."""
    total = 0.0
    for r in range(len(codes)):
        z = beta[k]
        for a in range(k):
            if (codes[r] >> a) & 1:
                z += beta[a]
        eta[r] = z
        # The exponent is never positive, so exp cannot overflow.
        soft = math.log1p(math.exp(-abs(z)))
        total += positives[r] * (soft + max(-z, 0.0)) + negatives[r] * (soft + max(z, 0.0))
    return total


@njit(cache=True, nogil=True)
def newton_system(codes, positives, negatives, k, eta, H, g):
    """Gradient and Hessian of the log loss in the weights of k items and an intercept (last)."""
    for a in range(k + 1):
        g[a] = 0.0
        for b in range(k + 1):
            H[a, b] = 0.0
    for r in range(len(codes)):
        w = positives[r] + negatives[r]
        p = 1.0 / (1.0 + math.exp(-max(min(eta[r], 30.0), -30.0)))
        slope = positives[r] - w * p
        # Rows with a probability near 0 or 1 have no curvature; the floor leaves some.
        h = w * max(p * (1.0 - p), 1e-9)
        g[k] += slope
        H[k, k] += h
        for a in range(k):
            if (codes[r] >> a) & 1:
                g[a] += slope
                H[k, a] += h
                for b in range(a + 1):
                    if (codes[r] >> b) & 1:
                        H[a, b] += h


@njit(cache=True, nogil=True)
def fit_support(items, support, k, y, weight, ridge, beta, n_steps):
    """Newton's method for the weights of k items and an intercept (last); gives the loss.

    ``beta`` holds the start and receives the solution. The ridge keeps weights of separable data
    finite. Rows with equal answers are grouped: k items have 2^k answers for any number of rows.
    """
    codes, positives, negatives = patterns(items, support, k, y, weight)
    H = np.empty((k + 1, k + 1))
    g = np.empty(k + 1)
    eta = np.empty(len(codes))
    best = np.inf
    for step in range(n_steps):
        loss = pattern_loss(codes, positives, negatives, k, beta, eta)
        for a in range(k):
            loss += 0.5 * ridge * beta[a] * beta[a]
        if step > 0 and loss > best - 1e-6 * (1.0 + best):
            return min(loss, best)
        best = min(loss, best)
        newton_system(codes, positives, negatives, k, eta, H, g)
        for a in range(k):
            g[a] -= ridge * beta[a]
            H[a, a] += ridge
        solve_small(H, g, k + 1)
        size = 0.0
        for a in range(k + 1):
            size = max(size, abs(g[a]))
        # Far from the optimum a full Newton step overshoots: limit it to four units of log odds.
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
        # The intercept moves with the item: subtract its part of slope and curvature.
        slope = a - sum_r * b / max(sum_h, 1e-12)
        bend = b - b * b / max(sum_h, 1e-12) + ridge
        # Signed, so that items with the wrong direction can be left out by the caller.
        gains[j] = slope * abs(slope) / bend if bend > 1e-9 else 0.0


@njit(cache=True, nogil=True)
def fit_totals(positives, negatives, low, start, out, tol, n_steps, enough):
    """Best scale >= 0 and offset of a logistic curve over totals; gives the loss.

    ``positives[t]`` and ``negatives[t]`` are weights of rows with total ``low + t``; ``start``
    and ``out`` hold (scale, offset). The fit ends early if twice the predicted fall of the loss
    would not bring it below ``enough``.
    """
    s, b = start[0], start[1]
    best = np.inf
    for step in range(n_steps):
        loss = 0.5 * CURVE_RIDGE * s * s
        g0 = 0.0
        g1 = -CURVE_RIDGE * s
        # Without rows the system would be singular; this changes no digit of the solution.
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
        if loss - (ds * g1 + db * g0) > enough:
            return best
        size = max(abs(ds), abs(db) * 0.2)
        shrink = min(1.0, 2.0 / size) if size > 0.0 else 1.0
        # More points never mean a lower probability: the scale may be 0 but not negative.
        s = max(s + shrink * ds, 0.0)
        b += shrink * db
    return best


@njit(cache=True, nogil=True)
def rounding_losses(items, support, k, y, weight, drafts, curves, losses):
    """Loss of several integer points of one support, ``drafts`` of shape (n_drafts, k).

    ``curves`` holds the starts and receives the best curves.
    """
    codes, positives, negatives = patterns(items, support, k, y, weight)
    for d in range(len(drafts)):
        low, high = np.int64(0), np.int64(0)
        for a in range(k):
            low += min(drafts[d, a], 0)
            high += max(drafts[d, a], 0)
        bins = np.zeros((2, high - low + 1))
        for r in range(len(codes)):
            total = -low
            for a in range(k):
                if (codes[r] >> a) & 1:
                    total += drafts[d, a]
            bins[0, total] += positives[r]
            bins[1, total] += negatives[r]
        losses[d] = fit_totals(
            bins[0], bins[1], low, curves[d], curves[d], 1e-9, np.int64(60), np.inf
        )


@njit(cache=True, nogil=True)
def split_totals(totals, item, y, weight, low, n_bins, split):
    """Weights by total and class: of the rows that do not meet the item, then of those that do."""
    for row in range(4):
        for t in range(n_bins):
            split[row, t] = 0.0
    for i in range(len(totals)):
        row = 2 * item[i] if y[i] > 0.5 else 2 * item[i] + 1
        split[row, totals[i] - low] += weight[i]


@njit(cache=True, nogil=True)
def moved_loss(split, n_bins, low, points, start, out, bins, enough):
    """Loss if rows that meet the item get ``points``, with the best scale and offset."""
    unmet, met = max(-points, 0), max(points, 0)
    n_moved = n_bins + unmet + met
    for t in range(n_moved):
        bins[0, t] = 0.0
        bins[1, t] = 0.0
    for t in range(n_bins):
        bins[0, t + unmet] += split[0, t]
        bins[1, t + unmet] += split[1, t]
        bins[0, t + met] += split[2, t]
        bins[1, t + met] += split[3, t]
    low -= unmet
    return fit_totals(
        bins[0, :n_moved], bins[1, :n_moved], low, start, out, 1e-7, np.int64(12), enough
    )


@njit(cache=True, nogil=True)
def add_points(totals, item, points):
    """Add the points of an item; gives the smallest and the largest total."""
    low, high = np.int64(2**62), np.int64(-(2**62))
    for i in range(len(totals)):
        totals[i] += points * item[i]
        low = min(low, totals[i])
        high = max(high, totals[i])
    return low, high


@njit(cache=True, nogil=True)
def _is_taken(support, k, a, item):
    """Whether an entry of the support other than a is this item."""
    is_taken = False
    for b in range(k):
        is_taken |= b != a and support[b] == item
    return is_taken


@njit(cache=True, nogil=True)
def improve_points(
    items, support, points, k, y, weight, max_points, direction, neighbours, start, n_sweeps
):
    """Change points, move cuts and exchange items while the loss falls; gives the loss.

    ``neighbours`` lists, for each item, those that may replace it (-1 ends a row).
    ``direction[j]`` is the required sign of the points of item j, 0 for any.
    """
    n = len(y)
    # Totals are within k times the largest points on either side, and one more item is tried.
    room = 2 * max_points * (k + 1) + 1
    split = np.zeros((4, room))
    bins = np.zeros((2, room + max_points))
    totals = np.zeros(n, dtype=np.int64)
    low, high = np.int64(0), np.int64(0)
    for a in range(k):
        low, high = add_points(totals, items[support[a]], points[a])
    nothing = np.zeros(n, dtype=np.uint8)
    out = np.empty(2)
    split_totals(totals, nothing, y, weight, low, high - low + 1, split)
    best = moved_loss(split, high - low + 1, low, 0, start, out, bins, np.inf)
    start[0], start[1] = out[0], out[1]
    for _ in range(n_sweeps):
        before = best
        for a in range(k):
            old_item, old_points = support[a], points[a]
            low, high = add_points(totals, items[old_item], -old_points)
            best_item, best_points = old_item, old_points
            row = 0
            item = old_item
            while item >= 0:
                if not _is_taken(support, k, a, item):
                    split_totals(totals, items[item], y, weight, low, high - low + 1, split)
                    first, last = -max_points, max_points
                    if item != old_item:
                        # Another item gets about the points of the item that it replaces: all
                        # values for all items would take most of the time.
                        first = max(first, old_points - 1)
                        last = min(last, old_points + 1)
                    for value in range(first, last + 1):
                        if direction[item] * value < 0:
                            continue
                        loss = moved_loss(split, high - low + 1, low, value, start, out, bins, best)
                        # Better by more than the rounding of the fitted curve; otherwise sweeps
                        # could cycle between equal cards.
                        if loss < best - 1e-7 * (1.0 + abs(best)):
                            best, best_item, best_points = loss, item, value
                            start[0], start[1] = out[0], out[1]
                item = neighbours[old_item, row] if row < neighbours.shape[1] else -1
                row += 1
            support[a], points[a] = best_item, best_points
            low, high = add_points(totals, items[best_item], best_points)
        if best > before - 1e-6 * (1.0 + abs(before)):
            break
    split_totals(totals, nothing, y, weight, low, high - low + 1, split)
    n_bins = high - low + 1
    return fit_totals(
        split[0, :n_bins], split[1, :n_bins], low, start, start, 0.0, np.int64(60), np.inf
    )
