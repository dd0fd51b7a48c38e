"""Counting over chunks: the compiled engine of `handful.rules` on each, sums of integers between.

A round asks for the rows that the last rule of each path is the first to cover. What a chunk
answers is a function of the chunk and of the rules alone, so a chunk that is lost with its worker
is simply counted again, and integer sums do not depend on how the rows are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._progress import report_progress
from handful._types import Floats, Ints
from handful.distributed.chunk_rows import ChunkRows as Chunks
from handful.distributed.chunk_rows import in_chunk
from handful.distributed.cluster import (
    cache_bytes,
    compute,
    measured,
    persist,
    reduced,
    require_dask,
)
from handful.rules import Table
from handful.rules.table import Encoder, Pair, covered_codes

Codes = NDArray[np.uint16]
Rule = tuple[int, int, int, int]

_BLOCK_BYTES = 32 * 2**20  # codes of the rows that are encoded at a time


@dataclass(frozen=True)
class Job:
    """What a round asks of every chunk: for each request, the rows its last rule covers first.

    A request without rules asks for all rows.
    """

    encoders: tuple[Encoder, ...]
    positive: int
    requests: tuple[tuple[Rule, ...], ...]


#: Rows behind it, and for each request and table the histograms of negatives and positives.
Tally = tuple[int, list[list[NDArray[Any]]]]


#: Codes of one chunk for every table, and its label codes.
Encoded = tuple[list[Codes], NDArray[Any]]


def encode_chunk(k: int, part: tuple[Floats, Ints], encoders: Sequence[Encoder]) -> Encoded:
    """Codes of one chunk for every table; with its labels they are all that rounds need."""
    return in_chunk(k, lambda: [encoder(part[0]) for encoder in encoders]), part[1]


def count_encoded(encoded: Encoded, without: Ints, job: Job) -> Tally:
    """Histograms of one chunk whose codes were kept."""
    codes, labels = encoded
    out = [[_empty(encoder) for encoder in job.encoders] for _ in job.requests]
    _count_block(codes, labels == job.positive, _is_counted(len(labels), without), job, out)
    return _tally(out, len(labels))


def count_chunk(k: int, part: tuple[Floats, Ints], without: Ints, job: Job) -> Tally:
    """Histograms of one chunk; its rows are encoded some at a time and forgotten."""
    X, labels = part
    is_counted = _is_counted(len(labels), without)
    out = [[_empty(encoder) for encoder in job.encoders] for _ in job.requests]
    step = _block_rows(job.encoders, X.shape[1])
    for start in range(0, len(labels), step):
        block = slice(start, start + step)
        codes, its_labels = encode_chunk(k, (X[block], labels[block]), job.encoders)
        _count_block(codes, its_labels == job.positive, is_counted[block], job, out)
    return _tally(out, len(labels))


def _is_counted(n_rows: int, without: Ints) -> NDArray[np.bool_]:
    is_counted = np.ones(n_rows, dtype=bool)
    is_counted[without] = False
    return is_counted


def _tally(out: list[list[Ints]], n_rows: int) -> Tally:
    return n_rows, [[_narrow(array, n_rows) for array in arrays] for arrays in out]


def _empty(encoder: Encoder) -> Ints:
    return np.zeros((2, len(encoder.first), encoder.n_codes), dtype=np.int64)


def _block_rows(encoders: Sequence[Encoder], n_features: int) -> int:
    bytes_a_row = 8 * n_features + sum(2 * len(e.first) for e in encoders)
    return max(256, _BLOCK_BYTES // bytes_a_row)


def _narrow(array: Ints, n_rows: int) -> NDArray[Any]:
    """Four bytes a count where the rows are few enough."""
    return array.astype(np.int32) if n_rows < 2**31 else array


def _count_block(
    codes: Sequence[Codes],
    is_positive: NDArray[np.bool_],
    is_counted: NDArray[np.bool_],
    job: Job,
    out: list[list[Ints]],
) -> None:
    from handful.rules.search import table_loops

    ones = np.ones(len(is_positive), dtype=np.int64)
    masks: dict[Rule, NDArray[np.bool_]] = {}
    for request, arrays in zip(job.requests, out, strict=True):
        gone = is_counted.copy()
        for rule in request:
            if rule not in masks:
                table, t, j, side = rule
                masks[rule] = covered_codes(codes[table][t], j, side, job.encoders[table].n_codes)
            gone &= masks[rule] if rule is request[-1] else ~masks[rule]
        chosen = [np.flatnonzero(gone & ~is_positive), np.flatnonzero(gone & is_positive)]
        for array, code in zip(arrays, codes, strict=True):
            for label in (0, 1):
                table_loops.add_rows(code, chosen[label], ones, 0, len(code), array[label])


def add_tallies(tallies: Sequence[Tally]) -> Tally:
    """The sum of some tallies."""
    n_rows = sum(tally[0] for tally in tallies)
    sums = [
        [
            _narrow(np.sum(arrays, axis=0, dtype=np.int64), n_rows)
            for arrays in zip(*lists, strict=True)
        ]
        for lists in zip(*(tally[1] for tally in tallies), strict=True)
    ]
    return n_rows, sums


class ChunkCounter:
    """Serves greedy paths with counts over chunks: all paths advance by one rule in one pass.

    Parameters
    ----------
    chunks : Chunks
    tables : sequence of Table
        Tables over the candidate examples; only their encoders travel.
    positive : int
        Code of the class that counts as positive.
    without : int array, optional
        Examples that are not counted.
    """

    n_at_once = None  # all paths, so that a rule of each costs one pass over the chunks

    def __init__(
        self, chunks: Chunks, tables: Sequence[Table], positive: int, without: Ints | None
    ) -> None:
        self.chunks, self.positive = chunks, positive
        self.encoders = tuple(t.encoder for t in tables if t.encoder is not None)
        self._without = chunks.within(np.sort(without)) if without is not None else None
        self._start: list[Pair] | None = None
        self._encoded = self._kept()

    def _kept(self) -> list[Any] | None:
        """Delayed codes of the chunks, kept on the workers, where there is room for them."""
        bytes_a_row = 1 + sum(2 * len(encoder.first) for encoder in self.encoders)
        if bytes_a_row * self.chunks.n_samples > cache_bytes() // 2:
            return None
        delayed = require_dask().delayed
        shared = delayed(self.encoders, pure=False, traverse=False)
        encode = delayed(encode_chunk, pure=False)
        return persist([encode(k, part, shared) for k, part in enumerate(self.chunks.parts)])

    def start(self) -> list[Pair]:
        """Histograms of all rows."""
        if self._start is None:
            (counts,) = self._count([()])
            self._start = [(array[0], array[1]) for array in counts]
        return self._start

    def remove(self, asked: Sequence[tuple[tuple[Rule, ...], Sequence[Pair]]]) -> None:
        """Take the rows of every request out of its counts, in one pass; equal ones are one."""
        requests = list(dict.fromkeys(rules for rules, _ in asked))
        removed = dict(zip(requests, self._count(requests), strict=True))
        for rules, pairs in asked:
            for pair, array in zip(pairs, removed[rules], strict=True):
                for count, gone in zip(pair, array, strict=True):
                    np.subtract(count, gone, out=count)

    def _count(self, requests: Sequence[tuple[Rule, ...]]) -> list[list[Ints]]:
        delayed = require_dask().delayed
        job = Job(self.encoders, self.positive, tuple(requests))
        shared = delayed(job, pure=False, traverse=False)
        parts = self.chunks.parts
        without = self._without or [np.zeros(0, dtype=np.int64)] * len(parts)
        if self._encoded is None:
            count = delayed(count_chunk, pure=False)
            tasks = [count(k, parts[k], without[k], shared) for k in range(len(parts))]
        else:
            count = delayed(count_encoded, pure=False)
            tasks = [count(self._encoded[k], without[k], shared) for k in range(len(parts))]
        n_rules = max(len(request) for request in requests)
        report_progress(
            f"{self.chunks.n_samples} rows in {len(self.chunks.parts)} chunks, rule {n_rules + 1}"
        )
        with measured(
            f"rule {n_rules}", len(self.chunks.parts), len(requests), *self._traffic(job)
        ):
            ((_, sums),) = compute([reduced(tasks, add_tallies)])
        return [[array.astype(np.int64) for array in arrays] for arrays in sums]

    @staticmethod
    def _traffic(job: Job) -> tuple[int, int]:
        """Bytes of what a pass sends to a worker, and of what a chunk sends back."""
        down = sum(e.thresholds.nbytes + e.first.nbytes * 4 for e in job.encoders)
        up = 4 * sum(2 * len(e.first) * e.n_codes for e in job.encoders) * len(job.requests)
        return down + 32 * sum(len(r) for r in job.requests), up
