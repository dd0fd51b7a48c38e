"""The blind order of rows in chunks: the same as in memory.

Every chunk says the digests of its rows, sorted into buckets by their first bytes; a bucket
numbers equal rows through all chunks and gives its rows with the smallest keys. Digests never
meet in one place unless they fit there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Ints
from handful.distributed.cluster import compute, measured, require_dask
from handful.tables import Draw, normal_rows, row_digests

Bytes = NDArray[np.uint8]

_BUCKET_ROWS = 4_000_000  # digests that one worker sorts at once, 32 bytes each
_BYTES_A_ROW = 40  # digest and position


def digest_parts(blocks: Sequence[Any]) -> list[Any]:
    """Delayed digests of delayed blocks."""
    digest = require_dask().delayed(block_digests, pure=False)
    return [digest(block) for block in blocks]


def block_digests(block: tuple[Any, Any]) -> Bytes:
    """Digests of the rows of one chunk; none if rows and labels do not go together."""
    rows, labels = block[0], np.asarray(block[1])
    if len(rows) != len(labels):
        return np.zeros((0, 32), dtype=np.uint8)
    return row_digests(normal_rows(rows), labels)


def first_rows(
    parts: Sequence[Any], starts: Ints, sizes: Ints, draw: Draw, n_needed: int
) -> tuple[Ints, Bytes]:
    """Global positions and digests of the first rows of the blind order."""
    delayed = require_dask().delayed
    n_buckets = max(1, math.ceil(int(sizes.sum()) / _BUCKET_ROWS))
    split = delayed(_split, pure=False, nout=n_buckets)
    merge = delayed(_merge, pure=False)
    cut = [split(part, int(start), n_buckets) for part, start in zip(parts, starts, strict=True)]
    tasks = [merge([piece[b] for piece in cut], draw, n_needed) for b in range(n_buckets)]
    with measured("order", len(parts), 1, 0, _BYTES_A_ROW * int(sizes.max(initial=0))):
        found = compute(tasks)
    keys, places, digests = (np.concatenate(column) for column in zip(*found, strict=True))
    # Keys are compared from their first byte on, as in memory; each bucket gave its smallest ones.
    order = np.lexsort(keys.view(">u8").astype(np.uint64).T[::-1])[:n_needed]
    return np.asarray(places[order]), np.asarray(digests[order])


def _split(digests: Bytes, start: int, n_buckets: int) -> tuple[tuple[Bytes, Ints], ...]:
    """Digests and global positions, by bucket; equal rows fall into the same one."""
    # The first two bytes decide, so that equal rows meet in one bucket and are numbered there.
    bucket = (digests[:, 0].astype(np.int64) * 256 + digests[:, 1]) * n_buckets >> 16
    places = np.arange(start, start + len(digests), dtype=np.int64)
    return tuple((digests[bucket == b], places[bucket == b]) for b in range(n_buckets))


def _merge(
    pieces: Sequence[tuple[Bytes, Ints]], draw: Draw, n_needed: int
) -> tuple[Bytes, Ints, Bytes]:
    """Keys, positions and digests of a bucket's first rows; pieces come in the chunks' order."""
    digests = np.concatenate([piece[0] for piece in pieces])
    places = np.concatenate([piece[1] for piece in pieces])
    order, keys = draw.first(digests, n_needed)
    return keys, places[order], digests[order]
