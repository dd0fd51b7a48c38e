"""Counting by sums over rows: the compiled loops on each chunk, sums of whole numbers between.

A round asks for the rows that the last rule of each path is the first to cover. The answer of a
chunk is a function of the chunk and of the rules alone. So a chunk that is lost with its worker is
counted again, and sums of whole numbers do not depend on how the rows are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.progress import report_progress
from handful.rules.table import Codes, CodeTable, Counter, Encoder, Pair, RuleName, covered_codes
from handful.tables import RowSource

#: Codes of some rows for every table, and which rows are positive.
Encoded = tuple[list[Codes], Mask]


@dataclass(frozen=True)
class EncodedRows:
    """A job: the codes of rows for every table; with their labels they are all that rounds need."""

    encoders: tuple[Encoder, ...]
    positive: int

    def __call__(self, X: Floats, codes: Ints) -> Encoded:
        return [encoder(X) for encoder in self.encoders], codes == self.positive


@dataclass(frozen=True, eq=False)
class Histograms:
    """For each request and table, the histograms of negatives and positives among some rows."""

    n_rows: int
    counts: list[list[NDArray[Any]]]

    def __add__(self, other: Histograms) -> Histograms:
        n_rows = self.n_rows + other.n_rows
        pairs = zip(self.counts, other.counts, strict=True)
        return Histograms(
            n_rows,
            [
                [narrow(a.astype(np.int64) + b, n_rows) for a, b in zip(one, two, strict=True)]
                for one, two in pairs
            ],
        )


def narrow(counts: Ints, n_rows: int) -> NDArray[Any]:
    """Four bytes a count if the rows are few enough: counts travel in every round."""
    return counts.astype(np.int32) if n_rows < 2**31 else counts


@dataclass(frozen=True)
class CoverCounts:
    """A job: for each request, histograms of the rows that its last rule covers first.

    A request without rules asks for all rows.
    """

    encoders: tuple[Encoder, ...]
    requests: tuple[tuple[RuleName, ...], ...]

    def __call__(self, encoded: Encoded) -> Histograms:
        from handful.rules.search import table_loops

        codes, is_positive = encoded
        ones = np.ones(len(is_positive), dtype=np.int64)
        masks: dict[RuleName, Mask] = {}
        out = []
        for request in self.requests:
            gone = np.ones(len(is_positive), dtype=bool)
            for rule in request:
                if rule not in masks:
                    table, t, j, side = rule
                    n_codes = self.encoders[table].n_codes
                    masks[rule] = covered_codes(codes[table][t], j, side, n_codes)
                # Covered by the last rule and by none before it: each row leaves the histograms
                # once.
                gone &= masks[rule] if rule is request[-1] else ~masks[rule]
            chosen = [np.flatnonzero(gone & ~is_positive), np.flatnonzero(gone & is_positive)]
            arrays = []
            for encoder, code in zip(self.encoders, codes, strict=True):
                array = np.zeros((2, len(encoder.first), encoder.n_codes), dtype=np.int64)
                for label in (0, 1):
                    table_loops.add_rows(code, chosen[label], ones, 0, len(code), array[label])
                arrays.append(narrow(array, len(is_positive)))
            out.append(arrays)
        return Histograms(len(is_positive), out)

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of the question, and of the answer of one chunk."""
        down = sum(e.thresholds.nbytes + e.first.nbytes * 4 for e in self.encoders)
        up = 4 * sum(2 * len(e.first) * e.n_codes for e in self.encoders) * len(self.requests)
        return down + 32 * sum(len(request) for request in self.requests), up


class SourceCounter(Counter):
    """Serves greedy paths with counts over a `RowSource`: all paths advance by one rule in a pass.

    ``tables`` are those of the candidate examples; only their encoders travel. ``positive`` is the
    code of the positive class, ``without`` are positions of rows that are not counted.
    """

    n_at_once = None  # all paths, so that a rule of each costs one pass over the rows

    def __init__(
        self,
        source: RowSource,
        tables: Sequence[CodeTable],
        positive: int,
        without: Ints | None = None,
    ) -> None:
        self.n_samples = source.n_samples
        self.encoders = tuple(table.encoder for table in tables)
        bytes_a_row = 1 + sum(2 * len(encoder.first) for encoder in self.encoders)
        job = EncodedRows(self.encoders, positive)
        self._encoded = source.mapped(job, bytes_a_row, without=without)
        self._start: list[Pair] | None = None

    def start(self) -> list[Pair]:
        if self._start is None:
            (counts,) = self._count([()])
            self._start = [(array[0], array[1]) for array in counts]
        return self._start

    def remove(self, asked: Sequence[tuple[tuple[RuleName, ...], Sequence[Pair]]]) -> None:
        # one pass for all requests; equal ones are one
        requests = list(dict.fromkeys(rules for rules, _ in asked))
        removed = dict(zip(requests, self._count(requests), strict=True))
        for rules, pairs in asked:
            for pair, array in zip(pairs, removed[rules], strict=True):
                for count, gone in zip(pair, array, strict=True):
                    np.subtract(count, gone, out=count)

    def _count(self, requests: Sequence[tuple[RuleName, ...]]) -> list[list[Ints]]:
        n_rules = max(len(request) for request in requests)
        report_progress(f"{self.n_samples} rows, rule {n_rules + 1}")
        job = CoverCounts(self.encoders, tuple(requests))
        found = self._encoded.fold(job, f"rule {n_rules}", len(requests))
        return [[array.astype(np.int64) for array in arrays] for arrays in found.counts]
