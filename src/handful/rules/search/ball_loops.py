"""Compiled loop of the ball engine: an upper bound on the worth of every ball around a centre.

Squared distances are cut into bins by the leading bits of their single-precision form, which is a
logarithm that costs nothing. Per bin, the other class up to and with the bin against the own class
before it bounds every threshold inside the bin.
"""

from __future__ import annotations

import numpy as np

from handful.compiled import njit

MANTISSA = 9  # leading bits of the mantissa: 512 bins an octave
N_BINS = 12 << MANTISSA  # twelve octaves below the largest distance
SHIFT = 23 - MANTISSA
RELATIVE = np.float32(2.0**-20)  # rounding of a single-precision value, with room


@njit(cache=True, nogil=True)
def _bin(values, factor, move, base, codes, work):
    """Bins of ``factor * values + move``; all values far below the largest share bin 0."""
    n = values.shape[0]
    moved, bits = work[:n], work[:n].view(np.int32)
    for x in range(n):
        moved[x] = max(factor * values[x] + move, np.float32(0.0))
    for x in range(n):
        codes[x] = np.uint16(max((bits[x] >> SHIFT) - base, 0))


@njit(cache=True, nogil=True)
def bound_balls(values, n_same, weight, limits, slacks, is_inside, penalties, top, bounds):
    """Fill ``bounds[p, c]`` for the centres c of ``values``, one row of distances each.

    The first ``n_same`` columns are of the own class, the others of the class to cover. A threshold
    must not lie beyond ``limits[c]`` (above it for a ball that covers its inside, else below it).
    Values are wrong by less than ``slacks[c]`` and their rounding; the own class is moved by as
    much twice, so that no bin promises too little. ``top`` is not below any
    value, and ``weight`` counts repetitions.
    """
    n_columns = values.shape[1]
    codes = np.empty(n_columns, np.uint16)
    work = np.empty(n_columns, np.float32)
    same = np.empty(N_BINS, np.int64)
    other = np.empty(N_BINS, np.int64)
    ends = np.empty(2, np.float32)
    marks = np.empty(2, np.uint16)
    work[0] = top
    base = np.int32((work[:1].view(np.int32)[0] >> SHIFT) - N_BINS + 2)
    for c in range(values.shape[0]):
        same[:] = 0
        other[:] = 0
        sign = np.float32(1.0) if is_inside[c] else np.float32(-1.0)
        move = np.float32(2.0) * sign * slacks[c]
        factor = np.float32(1.0) + np.float32(2.0) * sign * RELATIVE
        _bin(values[c, :n_same], factor, move, base, codes[:n_same], work)
        _bin(values[c, n_same:], np.float32(1.0), np.float32(0.0), base, codes[n_same:], work)
        for x in range(n_same):
            same[min(codes[x], N_BINS - 1)] += weight[x]
        for x in range(n_same, n_columns):
            other[min(codes[x], N_BINS - 1)] += weight[x]
        ends[0] = min(limits[c], top)
        _bin(ends[:1], factor, move, base, marks[:1], work)
        last = np.int64(min(marks[0], N_BINS - 1))
        for p in range(penalties.shape[0]):
            bounds[p, c] = _best_bin(same, other, penalties[p], is_inside[c], last)


@njit(cache=True, nogil=True)
def _best_bin(same, other, penalty, is_inside, last):
    """Largest worth that any bin up to ``last`` can promise."""
    step = 1 if is_inside else -1
    b = 0 if is_inside else N_BINS - 1
    n_other, n_same, best = 0, 0, 0.0
    for _ in range(N_BINS):
        n_other += other[b]
        if n_same == 0:
            best = max(best, float(n_other))
        else:
            best = max(best, n_other - penalty * n_same)
        if b == last:
            break
        n_same += same[b]
        b += step
    return best
