"""Compiled loops of the lock-step engine: sort each pair once, advance all machines together.

The words are those of the histogram engine's loops. Machines sit side by side in lanes. The worth
of a column is zero if a machine does not see it, so one sorted order serves all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from handful.compiled import njit
from handful.rules.search.exact_loops import (
    GRID,
    Best,
    Case,
    beats,
    inner,
    search_pair,
    shell_sort,
)

MAX_LANES = 64  # machines that walk together


class Pairs(NamedTuple):
    """Kernel rows of all candidates over all rows, own class first."""

    own: np.ndarray  # (n_same, n_rows)
    other: np.ndarray  # (n_other, n_rows)
    tols: np.ndarray  # (n_same, n_other)


class Orders(NamedTuple):
    """Sorted rows of a block of pairs: all with own example in ``owns``, other-minor."""

    owns: np.ndarray
    ends: np.ndarray  # (n_pairs,) where each pair's rows end in ``rows``
    rows: np.ndarray  # uint16, ascending projection, of tied rows the own class first
    is_tangled: np.ndarray  # (n_pairs,) ties that are not transitive: bounds would not hold


class Machines(NamedTuple):
    """All machines of a round."""

    worth: np.ndarray  # (n_chunks, n_rows + 1, n_lanes) int32, scaled; the last row is zero
    is_seen: np.ndarray  # (n_chunks, n_rows) uint8: some machine of the chunk sees the row
    scale: np.ndarray  # (n_machines,)
    is_ordinal: np.ndarray  # (n_machines,) bool: scaled worths order half-spaces as `beats` does
    most: np.ndarray  # (n_machines,) weight of the live rows of the other class
    weight: np.ndarray  # (n_machines, n_rows) int64, zero if not live
    is_there: np.ndarray  # (n_machines, n_other) bool: the fold has this row
    kept: np.ndarray  # (n_machines, n_kept) rows, filled up by repetition; may be empty
    n_kept: np.ndarray  # (n_machines,)
    penalty: np.ndarray  # (n_machines,)
    names: np.ndarray  # (n_machines, n_rows) what the machine's fold calls each row
    is_mirrored: bool


@inner
def _bucket_sort(values, index, n, low, high, spare_values, spare_index, starts):  # type: ignore[no-untyped-def]
    """Sort the first n of both by value: buckets first, then each bucket."""
    n_buckets = starts.shape[0] - 1
    scale = (n_buckets - 1.0) / (high - low) if high > low else 0.0
    starts[:] = 0
    for i in range(n):
        starts[int((values[i] - low) * scale) + 1] += 1
    for b in range(1, n_buckets):
        starts[b + 1] += starts[b]
    for i in range(n):
        b = int((values[i] - low) * scale)
        spare_values[starts[b]] = values[i]
        spare_index[starts[b]] = index[i]
        starts[b] += 1
    first = 0
    for b in range(n_buckets):
        last = starts[b]
        if last - first > 1:
            shell_sort(spare_values[first:last], spare_index[first:last], last - first)
        first = last
    for i in range(n):  # not by slices, which take seconds to compile
        values[i], index[i] = spare_values[i], spare_index[i]


@inner
def _write_ties_apart(values, index, n, n_same, tol, rows):  # type: ignore[no-untyped-def]
    """Write sorted rows, of tied rows the own class first; is some tie not transitive?"""
    is_tangled = False
    first = 0
    while first < n:
        last = first + 1
        # Neighbours within the tolerance are tied; a chain of ties may be wider than the tolerance.
        while last < n and not values[last - 1] < values[last] - tol:
            last += 1
        # Then no single order is right for all thresholds of the chain, and the pair is searched
        # exactly.
        is_tangled |= values[first] < values[last - 1] - tol
        k = first
        for i in range(first, last):
            if index[i] < n_same:
                rows[k] = index[i]
                k += 1
        for i in range(first, last):
            if index[i] >= n_same:
                rows[k] = index[i]
                k += 1
        first = last
    return is_tangled


@njit(cache=True, nogil=True)
def sort_block(pairs, owns):  # type: ignore[no-untyped-def]
    """Orders of the rows that some threshold of the pair may cover or be."""
    n_same, n_other = pairs.tols.shape
    n_rows = pairs.own.shape[1]
    values, spare_values = np.empty(n_rows), np.empty(n_rows)
    index, spare_index = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    starts = np.empty(2 * n_rows + 1, np.int64)
    n_pairs = owns.shape[0] * n_other
    ends = np.empty(n_pairs, np.int64)
    is_tangled = np.zeros(n_pairs, np.bool_)
    rows = np.empty(n_pairs * n_rows, np.uint16)
    end = np.int64(0)
    for p in range(n_pairs):
        o, t = owns[p // n_other], p % n_other
        own, other, tol = pairs.own[o], pairs.other[t], pairs.tols[o, t]
        cap = own[o] - other[o]
        n, low, high = np.int64(0), np.inf, -np.inf
        for x in range(n_rows):
            u = own[x] - other[x]
            values[n], index[n] = u, x
            # Rows above the own example can neither be covered nor be thresholds: they are
            # overwritten.
            if u - tol <= cap:
                n += 1
                low, high = min(low, u), max(high, u)
        _bucket_sort(values, index, n, low, high, spare_values, spare_index, starts)
        is_tangled[p] = _write_ties_apart(values, index, n, n_same, tol, rows[end : end + n])
        end += n
        ends[p] = end
    return Orders(owns, ends, rows[:end].copy(), is_tangled)


@inner
def _plan(rows, is_seen, n_same, plan):  # type: ignore[no-untyped-def]
    """Rows to be added in groups of four, so that thresholds lie between groups only.

    A threshold may pay only at an own row that follows another one. Groups are filled up with a row
    without worth. Returns where the last threshold lies.
    """
    filler = is_seen.shape[0]
    n = end = 0
    was_same = True
    for x in rows:
        # Covered or outside the fold for all machines of the chunk.
        if is_seen[x] == 0:
            continue
        if x >= n_same:
            was_same = False
        elif not was_same:
            was_same = True
            while n % 4 > 0:
                plan[n] = filler
                n += 1
            end = n
        plan[n] = x
        n += 1
    return end


@inner
def _walk_lanes(plan, n, worth, total, best):  # type: ignore[no-untyped-def]
    """Largest worth of a threshold, for each lane."""
    total[:] = 0
    best[:] = 0
    for i in range(0, n, 4):
        w0, w1, w2, w3 = (
            worth[plan[i]],
            worth[plan[i + 1]],
            worth[plan[i + 2]],
            worth[plan[i + 3]],
        )
        for s in range(total.shape[0]):
            t = np.int32(total[s] + w0[s] + w1[s] + w2[s] + w3[s])
            total[s] = t
            best[s] = max(best[s], t)


@inner
def _floor(machines, m, value, n_other):  # type: ignore[no-untyped-def]
    """The scaled worth that only a better half-space, or a tied one, exceeds or reaches."""
    if machines.is_ordinal[m]:
        return np.int32(machines.scale[m] * value + min(n_other, machines.most[m]))
    # Scaled worths are rounded: one step lower lets every half-space that might be better pass.
    return np.int32(np.floor(machines.scale[m] * (value - 1.0 / GRID)) - 1.0)


@inner
def _rank(machines, m, o, t):  # type: ignore[no-untyped-def]
    """Place of a pair in the scanning order of machine m."""
    names = machines.names[m]
    own, other = names[o], names[machines.weight.shape[1] - machines.is_there.shape[1] + t]
    return (other << 31) + own if machines.is_mirrored else (own << 31) + other


@inner
def _improve(machines, s, pair, u, tol, members, values, counts):  # type: ignore[no-untyped-def]
    """Search the pair (own, other) exactly for machine s and keep the better half-space."""
    o, t = pair
    n_same = machines.weight.shape[1] - machines.is_there.shape[1]
    if machines.weight[s, o] == 0 or not machines.is_there[s, t]:
        return False
    rank = _rank(machines, s, o, t)
    old = counts[s]
    best = Best(values[s], old[0], old[1], old[2], old[3], old[4], old[5])
    kept = machines.kept[s, : machines.n_kept[s]]
    case = Case(machines.weight[s], n_same, kept, machines.penalty[s], machines.is_mirrored)
    value, q, r, c = search_pair(u, o, case, tol, rank, best, members)
    if c < 0 or not beats(value, q, rank, best):
        return False
    values[s] = value
    old[0], old[1], old[2], old[3], old[4], old[5] = q, r, rank, o, t, c
    return True


@njit(cache=True, nogil=True)
def walk_block(pairs, orders, machines, values, counts):  # type: ignore[no-untyped-def]
    """Update each machine's best half-space, in place, with the pairs of a block.

    ``values`` (n_machines,) is the worth, ``counts`` (n_machines, 6) the other fields of `Best`.
    """
    n_same, n_other = pairs.tols.shape
    n_chunks, n_rows = machines.is_seen.shape
    n_lanes, n_machines = machines.worth.shape[2], values.shape[0]
    total, best = np.zeros(n_lanes, np.int32), np.zeros(n_lanes, np.int32)
    plan, members = np.empty(4 * n_rows + 4, np.uint16), np.empty(n_rows, np.int64)
    floors = np.full(n_chunks * n_lanes, np.int32(2**31 - 1))
    for m in range(n_machines):
        floors[m] = _floor(machines, m, values[m], counts[m, 0])
    start = 0
    for p in range(orders.ends.shape[0]):
        o, t = orders.owns[p // n_other], p % n_other
        rows = orders.rows[start : orders.ends[p]]
        start = orders.ends[p]
        for chunk in range(n_chunks):
            n = _plan(rows, machines.is_seen[chunk], n_same, plan)
            _walk_lanes(plan, n, machines.worth[chunk], total, best)
            for m in range(chunk * n_lanes, min(n_machines, (chunk + 1) * n_lanes)):
                found = best[m - chunk * n_lanes]
                # Of tied half-spaces the first in scanning order wins, so a later one need not be
                # looked at.
                is_tied = found == floors[m] and machines.is_ordinal[m]
                is_late = is_tied and _rank(machines, m, o, t) > counts[m, 2]
                if (found < floors[m] or is_late) and not orders.is_tangled[p]:
                    continue
                u = pairs.own[o] - pairs.other[t]
                if _improve(machines, m, (o, t), u, pairs.tols[o, t], members, values, counts):
                    floors[m] = _floor(machines, m, values[m], counts[m, 0])
