"""Kernel matching pursuit on chunks: one pass for all inner products, one for the errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handful._types import Floats, Ints
from handful.distributed._chunks import Chunks, in_chunk
from handful.distributed._covering import remember_inputs
from handful.distributed._order import block_digests
from handful.distributed._reading import delayed_blocks, read_chunks
from handful.distributed.cluster import compute, measured, reduced, require_dask
from handful.pursuit import KernelMatchingPursuitClassifier
from handful.pursuit.gram import Job
from handful.tables import RowDigests, column_names, seed_of


def fit_pursuit(machine: Any, X: Any, y: Any, classes: Any) -> Any:
    """Fit a pursuit to chunks; regressors take one output."""
    given = machine.random_state
    is_classifier = isinstance(machine, KernelMatchingPursuitClassifier)
    if not is_classifier and not isinstance(given, RowDigests):
        given = _numeric_digests(X, y, given)
    chunks = read_chunks(X, y, classes=classes, may_miss=False, may_name=False, random_state=given)
    source = ChunkedPursuitRows(chunks)
    remember_inputs(machine, chunks)
    rows, codes = chunks.hold(chunks.shown)  # a sample tells a table that was trained on
    machine._remember(rows, chunks.classes[codes], chunks.n_samples)
    if not is_classifier:
        del machine.classes_
    return machine.fit_rows(source)


def _numeric_digests(X: Any, y: Any, seed: Any) -> RowDigests:
    """Digests of the rows with targets that are numbers in a column, as in memory."""
    digest = require_dask().delayed(_numeric_block, pure=False)
    blocks, _, _ = delayed_blocks(X, y)
    return RowDigests([digest(block) for block in blocks], column_names(X), seed_of(seed))


def _numeric_block(block: tuple[Any, Any]) -> Any:
    targets = np.asarray(block[1], dtype=np.float64)
    return block_digests((block[0], targets.reshape(len(targets), -1)))


class ChunkedPursuitRows:
    """Chunks as a pursuit asks for them."""

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks
        self.n_samples, self.n_features = chunks.n_samples, chunks.n_features
        self.classes, self.draw = chunks.classes, chunks.draw

    def positions(self, n_rows: int) -> Ints:
        """Positions of the first rows of the blind order."""
        return self.chunks.first(n_rows)

    def first(self, n_rows: int) -> tuple[Ints, Floats, Ints]:
        """Positions, features and codes of the first rows of the blind order."""
        order = self.positions(n_rows)
        ordered = np.sort(order)
        X, codes = self.chunks.take(ordered)
        place = np.searchsorted(ordered, order)
        return order, X[place], codes[place]

    def total(self, job: Job, name: str, *, only: Ints | None = None) -> list[Floats]:
        """Sums over the chunks, of these rows (sorted) or of all."""
        parts = self._wanted(only)
        delayed = require_dask().delayed
        shared = delayed(job, pure=False, traverse=False)
        call = delayed(_call, pure=False)
        tasks = [call(k, part, at, shared) for k, part, at in parts]
        with measured(name, len(tasks), 1):
            (found,) = compute([reduced(tasks, _added)])
        return list(found)

    def each(self, job: Job, name: str, *, without: Ints) -> Floats:
        """What the job gives for all rows but these (sorted), joined."""
        delayed = require_dask().delayed
        shared = delayed(job, pure=False, traverse=False)
        call = delayed(_call, pure=False)
        left = [
            np.setdiff1d(np.arange(n), at, assume_unique=True)
            for n, at in zip(self.chunks.sizes, self.chunks.within(without), strict=True)
        ]
        tasks = [call(k, part, at, shared) for k, (part, at) in enumerate(self._zip(left))]
        with measured(name, len(tasks), 1):
            return np.concatenate(compute(tasks))

    def _wanted(self, only: Ints | None) -> list[tuple[int, Any, Ints | None]]:
        if only is None:
            return [(k, part, None) for k, part in enumerate(self.chunks.parts)]
        within = self.chunks.within(only)
        return [(k, part, at) for k, (part, at) in enumerate(self._zip(within)) if len(at)]

    def _zip(self, places: Sequence[Ints]) -> Any:
        return zip(self.chunks.parts, places, strict=True)


def _call(k: int, part: tuple[Floats, Ints], at: Ints | None, job: Job) -> Any:
    X, codes = part if at is None else (part[0][at], part[1][at])
    return in_chunk(k, lambda: job(X, codes))


def _added(parts: Sequence[list[Floats]]) -> list[Floats]:
    return [np.sum(values, axis=0) for values in zip(*parts, strict=True)]
