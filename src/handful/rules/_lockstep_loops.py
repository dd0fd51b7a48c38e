"""Compiled loops of the lock-step engine: sort each pair once, advance all machines together.

The words are those of the histogram engine's loops. Machines sit side by side in lanes. The worth
of a column is zero where a machine does not see it, so one sorted order serves all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from handful.rules._exact_loops import Best, Case, beats, search_pair, shell_sort

N_LANES = 32  # machines that walk together


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

    worth: np.ndarray  # (n_chunks, n_rows, N_LANES) int32, scaled
    is_seen: np.ndarray  # (n_chunks, n_rows) uint8: some machine of the chunk sees the row
    scale: np.ndarray  # (n_machines,)
    weight: np.ndarray  # (n_machines, n_rows) int64, zero where not live
    is_there: np.ndarray  # (n_machines, n_other) bool: the fold has this row
    kept: np.ndarray  # (n_machines, n_kept) rows, filled up by repetition; may be empty
    n_kept: np.ndarray  # (n_machines,)
    penalty: np.ndarray  # (n_machines,)
    names: np.ndarray  # (n_machines, n_rows) what the machine's fold calls each row
    is_mirrored: bool


@njit(cache=True, nogil=True)
def _bucket_sort(values, index, n, low, high, spare_values, spare_index, starts):  # type: ignore[no-untyped-def]
    """Sort the first n of both by value: buckets first, then each bucket."""
    n_buckets = starts.shape[0] - 1
    scale = (n_buckets - 1) / (high - low) if high > low else 0.0
    starts[:] = 0
    for i in range(n):
        starts[np.int64((values[i] - low) * scale) + 1] += 1
    for b in range(1, n_buckets):
        starts[b + 1] += starts[b]
    for i in range(n):
        b = np.int64((values[i] - low) * scale)
        spare_values[starts[b]] = values[i]
        spare_index[starts[b]] = index[i]
        starts[b] += 1
    first = 0
    for b in range(n_buckets):
        last = starts[b]
        if last - first > 1:
            shell_sort(spare_values[first:last], spare_index[first:last], last - first)
        first = last
    values[:n] = spare_values[:n]
    index[:n] = spare_index[:n]


@njit(cache=True, nogil=True)
def _write_ties_apart(values, index, n, n_same, tol, rows):  # type: ignore[no-untyped-def]
    """Write sorted rows, of tied rows the own class first; is some tie not transitive?"""
    is_tangled = False
    first = 0
    while first < n:
        last = first + 1
        while last < n and not values[last - 1] < values[last] - tol:
            last += 1
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
    end = 0
    for p in range(n_pairs):
        o, t = owns[p // n_other], p % n_other
        own, other, tol = pairs.own[o], pairs.other[t], pairs.tols[o, t]
        cap = own[o] - other[o]
        n, low, high = 0, np.inf, -np.inf
        for x in range(n_rows):
            u = own[x] - other[x]
            values[n], index[n] = u, x
            if u - tol <= cap:
                n += 1
                low, high = min(low, u), max(high, u)
        _bucket_sort(values, index, n, low, high, spare_values, spare_index, starts)
        is_tangled[p] = _write_ties_apart(values, index, n, n_same, tol, rows[end : end + n])
        end += n
        ends[p] = end
    return Orders(owns, ends, rows[:end].copy(), is_tangled)


@njit(cache=True, nogil=True)
def _walk_lanes(rows, n, n_same, worth, total, best):  # type: ignore[no-untyped-def]
    """Largest worth of a threshold, for each lane; ``total`` is what lies below."""
    for s in range(N_LANES):
        total[s] = 0
        best[s] = 0
    was_same = True
    for i in range(n):
        gain = worth[rows[i]]
        if rows[i] >= n_same:
            was_same = False
        elif not was_same:
            was_same = True
            for s in range(N_LANES):
                best[s] = max(best[s], total[s])
        for s in range(N_LANES):
            total[s] += gain[s]


@njit(cache=True, nogil=True)
def _improve(machines, s, pair, u, tol, members, values, counts):  # type: ignore[no-untyped-def]
    """Search the pair (own, other) exactly for machine s and keep the better half-space."""
    o, t = pair
    n_same = machines.worth.shape[1] - machines.is_there.shape[1]
    if machines.weight[s, o] == 0 or not machines.is_there[s, t]:
        return False
    names = machines.names[s]
    a, b = (n_same + t, o) if machines.is_mirrored else (o, n_same + t)
    rank = (names[a] << 31) + names[b]
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
    n_chunks, n_rows, _ = machines.worth.shape
    n_machines = values.shape[0]
    total, best = np.zeros(N_LANES, np.int32), np.zeros(N_LANES, np.int32)
    seen, members = np.empty(n_rows, np.uint16), np.empty(n_rows, np.int64)
    floors = np.full(n_chunks * N_LANES, np.int32(2**31 - 1))
    for s in range(n_machines):
        floors[s] = np.floor(machines.scale[s] * values[s]) - 1.0
    start = 0
    for p in range(orders.ends.shape[0]):
        o, t = orders.owns[p // n_other], p % n_other
        rows = orders.rows[start : orders.ends[p]]
        start = orders.ends[p]
        for chunk in range(n_chunks):
            is_seen = machines.is_seen[chunk]
            n = 0
            for x in rows:
                seen[n] = x
                n += is_seen[x]
            _walk_lanes(seen, n, n_same, machines.worth[chunk], total, best)
            for s in range(N_LANES):
                m = chunk * N_LANES + s
                if (best[s] >= floors[m] or orders.is_tangled[p]) and m < n_machines:
                    u = pairs.own[o] - pairs.other[t]
                    tol = pairs.tols[o, t]
                    if _improve(machines, m, (o, t), u, tol, members, values, counts):
                        floors[m] = np.floor(machines.scale[m] * values[m]) - 1.0
