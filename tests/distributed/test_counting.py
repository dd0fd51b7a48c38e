"""Counts over chunks are the counts in memory."""

from __future__ import annotations

import dask
import numpy as np
import pytest

from handful.covering.codes import make_table
from handful.distributed import chunk_rows, read_chunks, watch_passes
from handful.rules import FAMILIES, Geometry, collapse_rows, grow
from handful.rules.search.greedy import LocalCounter
from handful.rules.search.source_counter import Histograms, SourceCounter
from tests.distributed.conftest import cut, random_sizes

pytestmark = pytest.mark.usefixtures("plain")

GEOMETRY = Geometry()


def setting(rng, n=80):
    X = rng.integers(0, 6, (n, 3)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=n) > 5, 1, -1)
    rows = collapse_rows(X, y)
    pool = np.sort(rng.choice(n, 10, replace=False))
    tables = [make_table(family, rows, pool, GEOMETRY) for family in FAMILIES.values()]
    sizes = random_sizes(rng, n)
    return rows, pool, tables, read_chunks(cut(X, sizes), cut(y, sizes))


def random_paths(rng, tables, length):
    """Rules as a path would choose them, whatever their use."""
    path = []
    for _ in range(length):
        k = int(rng.integers(len(tables)))
        t = int(rng.integers(tables[k].n_directions))
        j = int(rng.integers(max(1, tables[k].n_thresholds[t])))
        path.append((k, t, j, int(rng.integers(2))))
    return path


@pytest.mark.parametrize("cache", [0, 2**30])
@pytest.mark.parametrize("block_bytes", [1, 2**25])
def test_every_round_agrees_with_memory(rng, cache, block_bytes, monkeypatch):
    monkeypatch.setattr(chunk_rows, "_BLOCK_BYTES", block_bytes)
    rows, pool, tables, chunks = setting(rng)
    for without in (None, pool):
        weight = rows.weight.copy()
        if without is not None:
            weight -= np.bincount(rows.row_of[without], minlength=len(weight))
        with dask.config.set({"handful.cache-bytes": cache}):
            there = SourceCounter(chunks, tables, 1, without)
        here = LocalCounter(tables, rows, weight)
        chosen = [random_paths(rng, tables, length) for length in (1, 3, 3)]
        chosen.append(chosen[-1][:2])
        states = [(_copies(here.start()), []), (_copies(there.start()), [])]
        _assert_equal(states[0][0], states[1][0])
        results = []
        for counter, (start, _) in zip((here, there), states, strict=True):
            counts = [_copies(start) for _ in chosen]
            grow(counter, [_path(p, c) for p, c in zip(chosen, counts, strict=True)])
            results.append(counts)
        for a, b in zip(*results, strict=True):
            _assert_equal(a, b)


def _copies(pairs):
    return [(a.copy(), b.copy()) for a, b in pairs]


def _path(rules, counts):
    for rule in rules:
        yield rule, counts


def _assert_equal(left, right):
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])


def test_equal_requests_are_counted_once(rng):
    _, _, tables, chunks = setting(rng)
    counter = SourceCounter(chunks, tables[:1], 1, None)
    rule = (0, 0, 0, 0)
    counts = [_copies(counter.start()) for _ in range(5)]
    with watch_passes() as passes:
        grow(counter, [_path([rule], c) for c in counts])
    assert [p.n_requests for p in passes] == [1]
    assert passes[0].n_chunks == len(chunks.parts)


def test_counts_widen_when_the_rows_are_many():
    many = np.array([[2**31 - 1]], dtype=np.int32)
    found = Histograms(2**31 - 1, [[many]]) + Histograms(2**31 - 1, [[many]])
    assert found.n_rows == 2**32 - 2
    assert found.counts[0][0].dtype == np.int64
    assert found.counts[0][0].item() == 2**32 - 2
    few = Histograms(5, [[many // 2**30]]) + Histograms(6, [[many // 2**30]])
    assert few.n_rows == 11
    assert few.counts[0][0].dtype == np.int32


def test_a_chunk_that_overflows_is_named(rng):
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    rows = collapse_rows(X, y)
    table = make_table(FAMILIES["half-spaces"], rows, np.arange(10), GEOMETRY)
    X[25] = 1e308
    chunks = read_chunks(cut(X, [20, 10]), cut(y, [20, 10]))
    with pytest.raises(ValueError, match="chunk 1: `kernel` or `metric` gives values that are"):
        SourceCounter(chunks, [table], 1, None).start()
