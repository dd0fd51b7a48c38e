"""Compiled loops of the histogram engine: bound every pair cheaply, sort only the survivors.

Words: "own" is the class the machine keeps, "other" the class it must cover; a pair is one example
of each, ``u = K[own] - K[other]`` its projection. Columns are the live examples, own class first,
so that the o-th candidate of the own class is also the o-th column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from handful.compiled import njit

N_BINS = 64  # a histogram of 64 counts stays in the nearest cache
N_LANES = 8  # pairs that share one pass over the columns
FEW = 32  # so few values are sorted at once
GRID = 2.0**24  # worths are rounded to multiples of 1 / GRID
_PAIR_ERROR = np.float32(2.0**-21)  # of a projection in float32, relative to its largest value


# For loops called by other loops only: without a door for Python they compile faster.
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Case(NamedTuple):
    """One greedy round of one machine, as the search for a threshold sees it."""

    weight: np.ndarray  # (n_columns,) int64, zero if not live
    n_same: int  # columns of the own class
    kept: np.ndarray  # columns that must stay uncovered
    penalty: float
    is_mirrored: bool  # a disjunction: other-major scan, highest threshold first


class Live(NamedTuple):
    """The same with the kernel rows of all candidates."""

    own: np.ndarray  # (n_own, n_columns)
    other: np.ndarray  # (n_other, n_columns)
    tols: np.ndarray  # (n_own, n_other)
    case: Case


class Sketch(NamedTuple):
    """The same in single precision, with what is needed to choose a range of bins per pair."""

    own: np.ndarray  # (n_own, n_columns)
    other: np.ndarray
    tols: np.ndarray  # (n_own, n_other)
    worth: np.ndarray  # (n_columns,) int32, scaled: gain if covered, negative for the own class
    kept: np.ndarray
    reach_own: np.ndarray  # largest absolute value of each row
    reach_other: np.ndarray
    mean_own: np.ndarray  # over typical columns
    mean_other: np.ndarray
    spread: np.ndarray  # (n_own, n_other) standard deviation of the projection, same columns
    own_at: np.ndarray  # (n_own,) column of each row of the own class
    n_same: int  # columns of the own class


class Bins(NamedTuple):
    """How projections are cut into bins: they start at ``ceiling`` and count downwards.

    Lengths are in standard deviations. ``2**23 * factor`` equal bins fill the first ``unit``, as
    many the next two units, the next four units, and so on.
    """

    ceiling: np.float32
    unit: np.float32
    factor: np.float32


class Best(NamedTuple):
    """The best half-space so far; ``rank`` is its pair's place in the scanning order."""

    value: float
    n_other: int
    n_same: int
    rank: int
    own: int
    other: int
    c: int


@inner
def _bin_columns(own, other, scale, offset, factor, code, codes):  # type: ignore[no-untyped-def]
    """Code of each column's bin, ``16 * bin + code``; bins count downwards, bin 0 is above all.

    With y = offset - scale * u, bins are linear for y in 1..2 and then widen with each doubling:
    the leading bits of a float are a logarithm that costs nothing.
    """
    # The bits of 1.0f: the first bin begins at y = 1.
    one = np.float32(np.float32(0x3F800000) * factor)
    for x in range(codes.shape[0]):
        y = np.float32(offset - scale * (own[x] - other[x]))
        b = np.int32(np.float32(y.view(np.int32)) * factor - one)
        b = min(max(b, np.int32(-1)), np.int32(N_BINS - 1))
        codes[x] = np.uint16(b * np.int32(16) + code)


@inner
def _bin_pair(sketch, bins, o, t, lane, codes):  # type: ignore[no-untyped-def]
    """Bins of one projection; returns whether thresholds may lie above all of them.

    The own class is moved up by more than the tolerance and all rounding: an example of the own
    class in a bin below that of threshold c (not moved up) is covered by c for sure, and one of the
    other class in a bin above is not.
    """
    own, other = sketch.own[o], sketch.other[t]
    cap = own[sketch.own_at[o]] - other[sketch.own_at[o]]
    for x in sketch.kept:
        cap = min(cap, own[x] - other[x])
    reach = sketch.reach_own[o] + sketch.reach_other[t]
    # Everything is pushed outwards from here on: a bound that is too large costs time, one that is
    # too small costs the optimum.
    error = _PAIR_ERROR * reach + np.float32(2.0) * sketch.tols[o, t]
    spread = sketch.spread[o, t]
    limit = cap + np.float32(2.0) * error
    high = min(limit, sketch.mean_own[o] - sketch.mean_other[t] + bins.ceiling * spread)
    # Not finer than single precision can tell apart, and never zero.
    unit = max(bins.unit * spread, np.float32(1e-5) * reach + np.float32(1e-30))
    scale = np.float32(np.float32(1.0) / unit)
    offset = np.float32(np.float32(1.0) + high * scale)
    rounding = np.float32(1e-6) * (reach * scale + abs(offset))
    lifted = np.float32(offset - np.float32(2.0) * error * scale - rounding)
    n, code, factor = sketch.n_same, np.int32(2 * N_LANES + lane), bins.factor
    same = np.int32(code + N_LANES)
    _bin_columns(own[:n], other[:n], scale, lifted, factor, same, codes[:n])
    _bin_columns(own[n:], other[n:], scale, offset, factor, code, codes[n:])
    return high < limit


@inner
def _fill(codes, worth, histogram):  # type: ignore[no-untyped-def]
    """Add each column's worth to its bin, for eight pairs at once: their stores never collide."""
    c0, c1, c2, c3 = codes[0], codes[1], codes[2], codes[3]
    c4, c5, c6, c7 = codes[4], codes[5], codes[6], codes[7]
    for x in range(worth.shape[0]):
        w = worth[x]
        histogram[c0[x]] += w
        histogram[c1[x]] += w
        histogram[c2[x]] += w
        histogram[c3[x]] += w
        histogram[c4[x]] += w
        histogram[c5[x]] += w
        histogram[c6[x]] += w
        histogram[c7[x]] += w


@inner
def _scan(histogram, is_open, total, best):  # type: ignore[no-untyped-def]
    """Largest worth of a threshold in any bin, for eight pairs at once."""
    step = 2 * N_LANES
    total[:] = 0
    best[:] = 0
    for b in range(N_BINS, 0, -1):
        row = histogram[step * b : step * (b + 1)]
        for lane in range(N_LANES):
            covered = total[lane] + row[lane]
            best[lane] = max(best[lane], covered)
            # Own examples of the same bin are taken off afterwards only: a threshold within the bin
            # may leave them uncovered.
            total[lane] = covered + row[lane + N_LANES]
    for lane in range(N_LANES):
        if is_open[lane]:
            best[lane] = max(best[lane], total[lane] + histogram[lane])


@njit(cache=True, nogil=True)
def bound_block(sketch, bins, start, stop, bounds):  # type: ignore[no-untyped-def]
    """Write upper bounds on the scaled worth of all pairs with other example in start..stop."""
    n_own, n_columns = sketch.own.shape
    codes = np.zeros((N_LANES, n_columns), np.uint16)
    histogram = np.zeros(2 * N_LANES * (N_BINS + 1), np.int32)
    is_open = np.zeros(N_LANES, np.bool_)  # thresholds may lie above all bins
    total, best = np.zeros(N_LANES, np.int32), np.zeros(N_LANES, np.int32)
    # Eight rows of the own class stay in the cache while all of the other class pass.
    for first in range(0, n_own, N_LANES):
        n_lanes = min(N_LANES, n_own - first)
        for t in range(start, stop):
            for lane in range(n_lanes):
                is_open[lane] = _bin_pair(sketch, bins, first + lane, t, lane, codes[lane])
            histogram[:] = 0
            _fill(codes, sketch.worth, histogram)
            _scan(histogram, is_open, total, best)
            for lane in range(n_lanes):
                bounds[first + lane, t] = best[lane]


@inner
def shell_sort(values, index, n):  # type: ignore[no-untyped-def]
    """Sort the first n of both by value, then by index, in place."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            v, x, j = values[i], index[i], i
            while j >= gap and (
                values[j - gap] > v or (values[j - gap] == v and index[j - gap] > x)
            ):
                values[j], index[j] = values[j - gap], index[j - gap]
                j -= gap
            values[j], index[j] = v, x
        gap //= 3


@inner
def worth_of(q, r, penalty):  # type: ignore[no-untyped-def]
    """``q - penalty * r``, rounded so that floating-point noise does not decide between ties."""
    return np.rint((q - penalty * r) * GRID) / GRID if r > 0 else float(q)


@inner
def beats(value, q, rank, best):  # type: ignore[no-untyped-def]
    """Is it better than ``best``? Larger worth, then larger q, then earlier pair."""
    if value != best.value:
        return value > best.value
    return q > best.n_other or (q == best.n_other and rank < best.rank)


@inner
def _zoom(u, members, n, case, shift, bounds, counts, rank, best):  # type: ignore[no-untyped-def]
    """Keep the members that may still matter; ``bounds`` is (low, high, lowest threshold).

    Members below the new range are counted as covered. Returns how many members remain, 0 if no
    threshold can beat ``best``.
    """
    n_same = case.n_same
    low, high = bounds[0], bounds[1]
    scale = N_BINS / (high - low)
    gains = np.zeros(N_BINS + 1, np.int64)
    losses = np.zeros(N_BINS + 1, np.int64)
    for i in range(n):
        x = members[i]
        if x < n_same:
            losses[min(int((u[x] + shift - low) * scale), N_BINS)] += case.weight[x]
        else:
            gains[min(int((u[x] - low) * scale), N_BINS)] += case.weight[x]
    q, r = counts[0], counts[1]
    first = last = -1
    for b in range(N_BINS + 1):
        q += gains[b]
        if beats(worth_of(q, r, case.penalty), q, rank, best):
            first = b if first < 0 else first
            last = b
        r += losses[b]
    if first < 0:
        return 0
    # One bin to spare on each side: places in bins are rounded.
    bounds[0] = max(low, low + (first - 1.0) / scale)
    bounds[1] = min(high, low + (last + 1.5) / scale)
    bounds[2] = max(bounds[2], low + (first - 0.5) / scale)
    k = 0
    for i in range(n):
        x = members[i]
        if u[x] < bounds[0]:
            counts[1 if x < n_same else 0] += case.weight[x]
        elif u[x] <= bounds[1]:
            members[k] = x
            k += 1
    return k


@inner
def _replaces(value, q, threshold, u, found, is_mirrored):  # type: ignore[no-untyped-def]
    """Larger worth, then larger cover.

    Conjunctions keep the lowest of tied thresholds, disjunctions the highest: the mirrored problem
    then has the mirrored answer.
    """
    if value == found[0] and q == found[1]:
        return is_mirrored and found[3] >= 0 and threshold > u[found[3]]
    return value > found[0] or (value == found[0] and q > found[1])


@inner
def _walk(u, members, n, case, tol, cap, lowest, counts):  # type: ignore[no-untyped-def]
    """Try each member of the own class as threshold, in ascending order."""
    n_same = case.n_same
    values = np.empty(n)
    for i in range(n):
        values[i] = u[members[i]]
    shell_sort(values, members, n)
    found = (-np.inf, 0, 0, -1)
    q, r, j = counts[0], counts[1], 0
    for i in range(n):
        c = members[i]
        threshold = values[i] - tol
        if c >= n_same or values[i] < lowest:
            continue
        if threshold > cap:
            break
        while values[j] < threshold:
            if members[j] < n_same:
                r += case.weight[members[j]]
            else:
                q += case.weight[members[j]]
            j += 1
        value = worth_of(q, r, case.penalty)
        if _replaces(value, q, values[i], u, found, case.is_mirrored):
            found = (value, q, r, c)
    return found


@inner
def search_pair(u, own, case, tol, rank, best, members):  # type: ignore[no-untyped-def]
    """Worth, counts and column of the best threshold of projection u, or column -1.

    ``own`` is the column of the pair's example of the own class. Thresholds that cannot beat
    ``best`` may be passed over.
    """
    cap = u[own]
    for x in case.kept:
        cap = min(cap, u[x])
    n = np.int64(0)  # a plain zero would be compiled for by itself
    bounds = np.full(3, -np.inf)
    bounds[0] = np.inf
    for x in range(u.shape[0]):
        if u[x] - tol <= cap and case.weight[x] > 0:
            members[n] = x
            n += 1
            bounds[0] = min(bounds[0], u[x])
            bounds[1] = max(bounds[1], u[x])
    counts = np.zeros(2, np.int64)
    # Own examples are lifted by the tolerance and all rounding: bins never count one as covered
    # that is not.
    shift = 2.0 * tol + 4e-15 * max(abs(bounds[0]), abs(bounds[1]))
    while n > FEW and bounds[1] - bounds[0] > 8.0 * N_BINS * shift:
        before, width = n, bounds[1] - bounds[0]
        n = _zoom(u, members, n, case, shift, bounds, counts, rank, best)
        # Zooming no longer pays: sort what is left.
        if 4 * n > 3 * before and 4.0 * (bounds[1] - bounds[0]) > width:
            break
    return _walk(u, members, n, case, tol, cap, bounds[2], counts)


@njit(cache=True, nogil=True)
def search_pairs(live, pairs, best):  # type: ignore[no-untyped-def]
    """The better of ``best`` and the best half-space of these pairs (own * n_other + other)."""
    n_own, n_other = live.tols.shape
    case = live.case
    members = np.empty(case.weight.shape[0], np.int64)
    for pair in pairs:
        o, t = pair // n_other, pair % n_other
        # Ties go to the pair that a plain double loop meets first, whichever class is its outer
        # one.
        rank = t * n_own + o if case.is_mirrored else pair
        u = live.own[o] - live.other[t]
        value, q, r, c = search_pair(u, o, case, live.tols[o, t], rank, best, members)
        if c >= 0 and beats(value, q, rank, best):
            best = Best(value, q, r, rank, o, t, c)
    return best
