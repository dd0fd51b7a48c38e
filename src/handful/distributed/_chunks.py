"""Rows in chunks: some of them taken, whole numbers added up over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.distributed._order import first_rows
from handful.distributed.cluster import compute, measured, require_dask
from handful.tables import Columns, Draw

Labels = NDArray[Any]

_SHOWN = 2000  # rows by which a table is known again


@dataclass(frozen=True)
class Chunks:
    """Rows in chunks: each part is a delayed pair (features, codes of the labels).

    Attributes
    ----------
    parts : list of Delayed
    sizes : int array
    classes : array
    class_counts : int array
    n_features : int
    names : list of str or None
    columns : Columns or None
        How words are read.
    has_missing : bool
    largest : float
        Largest absolute value, NaN where a value is missing.
    digests : list of Delayed
        Digests of the rows of each chunk.
    draw : Draw
        What decides their order.
    held : dict
        Examples that were taken before, with their features and label codes.
    """

    parts: list[Any]
    sizes: Ints
    classes: Labels
    class_counts: Ints
    n_features: int
    names: list[str] | None
    columns: Columns | None
    has_missing: bool
    largest: float
    digests: list[Any]
    draw: Draw
    held: dict[str, Any] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def starts(self) -> Ints:
        """Index of the first row of each chunk."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def first(self, n_needed: int) -> Ints:
        """The first rows of the blind order, in that order; found once."""
        if self.held.get("n_needed") != n_needed:
            rows = (self.digests, self.starts, self.sizes)
            order, digests = first_rows(*rows, self.draw, n_needed)
            self.held.update(n_needed=n_needed, order=order, digests=digests)
        return np.asarray(self.held["order"])

    @property
    def order(self) -> Ints:
        """As far as it was needed."""
        return np.asarray(self.held["order"])

    def within(self, examples: Ints) -> list[Ints]:
        """For each chunk, the positions in it of those examples (sorted) that it holds."""
        ends = np.searchsorted(examples, np.cumsum(self.sizes))
        begins = np.concatenate([[0], ends[:-1]])
        return [
            examples[a:b] - start for a, b, start in zip(begins, ends, self.starts, strict=True)
        ]

    @property
    def shown(self) -> Ints:
        """Evenly spaced examples, by which a table is known again."""
        n = self.n_samples
        return np.unique(np.linspace(0, n - 1, min(n, _SHOWN)).astype(np.int64))

    def hold(self, examples: Ints) -> tuple[Floats, Ints]:
        """`take` that reads the chunks once, also for examples that are asked for later."""
        known = self.held.get("examples", np.zeros(0, dtype=np.int64))
        if not np.isin(examples, known, assume_unique=True).all():
            known = np.union1d(examples, self.shown)
            self.held.update(examples=known, rows=self.take(known))
        X, codes = self.held["rows"]
        at = np.searchsorted(known, examples)
        return X[at], codes[at]

    def take(self, examples: Ints) -> tuple[Floats, Ints]:
        """Features and label codes of sorted examples."""
        delayed = require_dask().delayed
        wanted = [(k, at) for k, at in enumerate(self.within(examples)) if len(at)]
        with measured("take", len(wanted), 1, examples.nbytes, 8 * self.n_features):
            found = compute([delayed(_take, pure=False)(self.parts[k], at) for k, at in wanted])
        X = np.concatenate([pair[0] for pair in found])
        return X, np.concatenate([pair[1] for pair in found])

    def digests_of(self, examples: Ints) -> NDArray[np.uint8]:
        """Digests of examples among the first of the blind order."""
        at = {int(example): place for place, example in enumerate(self.order)}
        places = [at[int(example)] for example in examples]
        return np.asarray(self.held["digests"][np.array(places, dtype=np.int64)])

    def total(self, count: Callable[[Floats, Ints], Ints], name: str) -> Ints:
        """Sum over the chunks of an integer array that ``count(X, codes)`` gives."""
        delayed = require_dask().delayed
        shared = delayed(count, pure=False, traverse=False)
        tasks = [delayed(_call, pure=False)(shared, k, part) for k, part in enumerate(self.parts)]
        with measured(name, len(tasks), 1):
            parts = compute(tasks)
        return np.sum(parts, axis=0, dtype=np.int64)


def _take(part: tuple[Floats, Ints], at: Ints) -> tuple[Floats, Ints]:
    return part[0][at], part[1][at]


def _call(count: Callable[[Floats, Ints], Ints], k: int, part: tuple[Floats, Ints]) -> Ints:
    return in_chunk(k, lambda: count(*part))


def in_chunk(k: int, work: Callable[[], Any]) -> Any:
    """Run the work of chunk k; a bad value is reported with the number of the chunk."""
    try:
        return work()
    except ValueError as error:
        raise ValueError(f"chunk {k}: {error}") from error
