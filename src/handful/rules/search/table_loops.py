"""Compiled loops of the counting engine.

Every candidate direction ("projection") t has sorted thresholds. The position of a row's value
among them is a small integer code, computed once:

    code 2j      strictly between thresholds j - 1 and j
    code 2j + 1  equal to threshold j (within the tolerance)

so that "below threshold j" is code <= 2j and "above" is code >= 2j + 2. The last code means
missing: it belongs to no side, and to every side that has WITH_MISSING added. A greedy step then
needs only histograms of codes over the live rows of each class, which add up over blocks of rows
and can be updated by the rows removed.
"""

from __future__ import annotations

import numpy as np

from handful.compiled import njit

# As in rules.table: compiled code reads constants of its own module.
BELOW, ABOVE, EQUAL, UNEQUAL = 0, 1, 2, 3
WITH_MISSING = 4  # added to a side; beyond all four sides
NO_RULE = -1  # no projection has this index

# For loops called by other loops only: without a door for Python they compile faster.
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inner
def _bucket(v, low_end, scale, n_buckets):
    """Place of v on an even grid; it never falls as v grows."""
    if scale == 0.0:
        return 0
    x = (v - low_end) * scale
    if x <= 0.0:
        return 0
    return n_buckets - 1 if x >= n_buckets - 1 else int(x)


@inner
def _fill_buckets(cuts, n_cuts, first_in):
    """First cut of every bucket of an even grid over the sorted cuts; returns the grid."""
    n_buckets = first_in.shape[0] - 1
    low_end = cuts[0] if n_cuts else 0.0
    width = cuts[n_cuts - 1] - low_end if n_cuts else 0.0
    scale = (n_buckets - 1) / width if width > 0.0 else 0.0
    # Cuts so close that their width is denormal: one bucket, searched by halving.
    if not np.isfinite(scale):
        scale = 0.0
    b = 0
    for j in range(n_cuts):
        place = _bucket(cuts[j], low_end, scale, n_buckets)
        while b <= place:
            first_in[b] = j
            b += 1
    while b <= n_buckets:
        first_in[b] = n_cuts
        b += 1
    return low_end, scale


@njit(cache=True, nogil=True)
def encode(values, first, second, thresholds, n_thresholds, tolerances, start, stop, codes):
    """Codes of rows of ``values[first[t]] - values[second[t]]`` for t in [start, stop)."""
    n_rows = values.shape[1]
    missing = 2 * thresholds.shape[1] + 1
    n_buckets = 4 * thresholds.shape[1]
    raised = np.empty(thresholds.shape[1], np.float64)
    first_in = np.empty(n_buckets + 1, np.int64)
    for t in range(start, stop):
        cuts = thresholds[t]
        n_cuts = n_thresholds[t]
        tol = tolerances[t]
        for j in range(n_cuts):
            # The upper end of what counts as equal; computed once so that every row compares with
            # the same float.
            raised[j] = cuts[j] + tol
        low_end, scale = _fill_buckets(raised, n_cuts, first_in)
        row, minus = values[first[t]], values[max(second[t], 0)]
        is_pair = second[t] >= 0
        for i in range(n_rows):
            v = row[i] - minus[i] if is_pair else row[i]
            if np.isnan(v):
                codes[t, i] = missing
                continue
            b = _bucket(v, low_end, scale, n_buckets)
            low, high = first_in[b], first_in[b + 1]  # how many raised cuts lie below v
            while low < high:
                middle = (low + high) >> 1
                if raised[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            code = 2 * low
            # Not above any raised cut further down, so it can only equal this one.
            if low < n_cuts and v >= cuts[low] - tol:
                code += 1
            codes[t, i] = code


@njit(cache=True, nogil=True)
def add_products(points, columns, out):
    """Add ``points @ columns`` to ``out``, feature after feature for every element."""
    n_rows = columns.shape[1]
    # Blocks of rows stay in the cache; within an element features are added in order, so the sums
    # are those of every other block size, bit for bit.
    for start in range(0, n_rows, 1024):
        stop = min(start + 1024, n_rows)
        for p in range(points.shape[0]):
            for j in range(points.shape[1]):
                factor = points[p, j]
                for i in range(start, stop):
                    out[p, i] += factor * columns[j, i]


@njit(cache=True, nogil=True)
def add_rows(codes, rows, weights, start, stop, histogram):
    """Add ``weights[i]`` (negative to remove) of each row i of ``rows`` to the histograms."""
    for t in range(start, stop):
        for k in range(rows.shape[0]):
            i = rows[k]
            histogram[t, codes[t, i]] += weights[i]


@inner
def _side_count(cumulative, histogram, j, side, n_codes):
    """Weight on one side of threshold j; ``cumulative[c]`` is the weight of codes <= c."""
    # Without the last code: what is missing lies on no side.
    total = cumulative[n_codes - 2]
    missing = 0
    if side >= WITH_MISSING:
        missing = histogram[n_codes - 1]
        side = side - WITH_MISSING
    if side == BELOW:
        return missing + cumulative[2 * j]
    if side == ABOVE:
        return missing + total - cumulative[2 * j + 1]
    if side == EQUAL:
        return missing + histogram[2 * j + 1]
    return missing + total - histogram[2 * j + 1]


@inner
def _accumulate(histogram, cumulative):
    running = 0
    for c in range(histogram.shape[0]):
        running += histogram[c]
        cumulative[c] = running


@inner
def _usefulness(n_other, n_same, penalty):
    """n_other - penalty * n_same; an infinite penalty allows no error and costs nothing else."""
    # Infinity times zero would be NaN.
    if n_same == 0:
        return float(n_other)
    return n_other - penalty * n_same


@inner
def _is_better(usefulness, n_new, n_other, best):
    """Larger usefulness, then fewer new examples, then larger cover; ties keep the first."""
    if usefulness != best[0]:
        return usefulness > best[0]
    if n_new != best[1]:
        return n_new < best[1]
    return n_other > best[2]


@njit(cache=True, nogil=True)
def best_free_rule(same, other, n_thresholds, sides, is_open, costs, penalty, start, stop):
    """Best (t, j, side) if every threshold is allowed; costs[t, j] breaks ties (new points).

    ``sides`` is an array of (t, side) rows; ``is_open[t]`` excludes projections already used.
    Returns (usefulness, n_other, n_same, t, j, side) with t = NO_RULE if nothing is covered.
    """
    n_codes = same.shape[1]
    cumulative_same = np.empty(n_codes, np.int64)
    cumulative_other = np.empty(n_codes, np.int64)
    best = (-np.inf, 1 << 60, 0)
    result = (-np.inf, 0, 0, NO_RULE, 0, 0)
    last = -1
    for k in range(start, stop):
        t, side = sides[k, 0], sides[k, 1]
        if not is_open[t]:
            continue
        if t != last:
            _accumulate(same[t], cumulative_same)
            _accumulate(other[t], cumulative_other)
            last = t
        for j in range(n_thresholds[t]):
            n_other = _side_count(cumulative_other, other[t], j, side, n_codes)
            if n_other == 0:
                continue
            n_same = _side_count(cumulative_same, same[t], j, side, n_codes)
            usefulness = _usefulness(n_other, n_same, penalty)
            if usefulness == -np.inf:
                continue
            if _is_better(usefulness, costs[t, j], n_other, best):
                best = (usefulness, costs[t, j], n_other)
                result = (usefulness, n_other, n_same, t, j, side)
    return result


@inner
def _limits(codes, t, side, kept, own):
    """Thresholds j that keep the rows ``kept`` and ``own`` uncovered: low <= j <= high."""
    low, high = 0, 1 << 60
    for k in range(kept.shape[0] + 1):
        if k == kept.shape[0]:
            # Stumps have no example of their own that could be covered.
            if own < 0:
                break
            code = np.int64(codes[t, own])
        else:
            code = np.int64(codes[t, kept[k]])
        if side == BELOW:
            # Uncovered below threshold j means code > 2j.
            high = min(high, (code - 1) >> 1)
        else:
            # Uncovered above it means code < 2j + 2.
            low = max(low, code >> 1)
    return low, high


@inner
def _n_new_owners(owners, t, is_kept):
    """How many rows that give direction t are not in the compression set yet."""
    n_new = 0
    for s in range(2):
        if owners[t, s] >= 0 and not is_kept[owners[t, s]]:
            n_new += 1
    return n_new


@njit(cache=True, nogil=True)
def best_member_rule(
    codes, same, other, sides, own, owners, is_live, is_kept, members, kept, penalty, start, stop
):
    """Best (t, j, side, member): the threshold is a live member of the class not to be covered.

    ``own[t]`` is the row that must stay uncovered by its own rule (-1: none), ``owners[t]`` the
    rows that give the direction (for counting new examples), ``kept`` the rows of the same
    class already in the compression set.
    """
    n_codes = same.shape[1]
    cumulative_same = np.empty(n_codes, np.int64)
    cumulative_other = np.empty(n_codes, np.int64)
    best = (-np.inf, 1 << 60, 0)
    result = (-np.inf, 0, 0, NO_RULE, 0, 0, 0)
    for k in range(start, stop):
        t, side = sides[k, 0], sides[k, 1]
        # A centre that is covered already cannot stay uncovered by its own ball.
        if own[t] >= 0 and not is_live[own[t]]:
            continue
        _accumulate(same[t], cumulative_same)
        _accumulate(other[t], cumulative_other)
        low, high = _limits(codes, t, side, kept, own[t])
        n_owners = _n_new_owners(owners, t, is_kept)
        for q in range(members.shape[0]):
            row = members[q]
            if not is_live[row]:
                continue
            # A member lies on its own threshold: its code is 2j + 1.
            j = (np.int64(codes[t, row]) - 1) >> 1
            if j < low or j > high:
                continue
            n_other = _side_count(cumulative_other, other[t], j, side, n_codes)
            if n_other == 0:
                continue
            n_same = _side_count(cumulative_same, same[t], j, side, n_codes)
            usefulness = _usefulness(n_other, n_same, penalty)
            if usefulness == -np.inf:
                continue
            is_named = is_kept[row] or row == owners[t, 0] or row == owners[t, 1]
            n_new = n_owners + int(not is_named)
            if _is_better(usefulness, n_new, n_other, best):
                best = (usefulness, n_new, n_other)
                result = (usefulness, n_other, n_same, t, j, side, row)
    return result


@njit(cache=True, nogil=True)
def count_usefulness(same, other, n_thresholds, sides, offset, n_levels):
    """How many candidates have each (integer) usefulness other - same; index = value + offset."""
    n_codes = same.shape[1]
    cumulative_same = np.empty(n_codes, np.int64)
    cumulative_other = np.empty(n_codes, np.int64)
    levels = np.zeros(n_levels, np.int64)
    last = -1
    for k in range(sides.shape[0]):
        t, side = sides[k, 0], sides[k, 1]
        if t != last:
            _accumulate(same[t], cumulative_same)
            _accumulate(other[t], cumulative_other)
            last = t
        for j in range(n_thresholds[t]):
            gain = _side_count(cumulative_other, other[t], j, side, n_codes)
            loss = _side_count(cumulative_same, same[t], j, side, n_codes)
            levels[gain - loss + offset] += 1
    return levels


@njit(cache=True, nogil=True)
def best_coded_rule(
    same, other, pool_same, pool_other, n_thresholds, sides, level_nats, offset, penalty, exchange
):
    """Best (t, j, side) by usefulness - exchange * nats, nats read off the pool's usefulness.

    Returns (score, usefulness, nats, t, j, side); usefulness must be positive.
    """
    n_codes = same.shape[1]
    a, b = np.empty(n_codes, np.int64), np.empty(n_codes, np.int64)
    c, d = np.empty(n_codes, np.int64), np.empty(n_codes, np.int64)
    result = (-np.inf, 0.0, 0.0, NO_RULE, 0, 0)
    last = -1
    for k in range(sides.shape[0]):
        t, side = sides[k, 0], sides[k, 1]
        if t != last:
            _accumulate(same[t], a)
            _accumulate(other[t], b)
            _accumulate(pool_same[t], c)
            _accumulate(pool_other[t], d)
            last = t
        for j in range(n_thresholds[t]):
            n_other = _side_count(b, other[t], j, side, n_codes)
            n_same = _side_count(a, same[t], j, side, n_codes)
            usefulness = _usefulness(n_other, n_same, penalty)
            # Nats only take away: what is not better without them is not better with them.
            if usefulness <= 0 or usefulness <= result[0]:
                continue
            gain = _side_count(d, pool_other[t], j, side, n_codes)
            loss = _side_count(c, pool_same[t], j, side, n_codes)
            nats = level_nats[gain - loss + offset]
            score = usefulness - exchange * nats
            if score > result[0]:
                result = (score, usefulness, nats, t, j, side)
    return result
