"""A menu over chunks: its pool is brought here, everything else is counted where it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Ints
from handful.candidates import Tallies, take_rows
from handful.certified import CertifiedClassifier, FeatureCounting
from handful.distributed._chunks import in_chunk
from handful.distributed._order import first_rows
from handful.distributed._reading import Looked, look_at_blocks
from handful.distributed.cluster import compute, measured, require_dask
from handful.tables import caution_of_draw


def fit_certified(machine: CertifiedClassifier, X: Any, y: Any, classes: Any) -> Any:
    """Fit a menu to chunks."""
    looked = look_at_blocks(X, y, classes=classes, random_state=machine.random_state)
    return machine.fit_rows(RawChunks(looked))


@dataclass(frozen=True)
class RawChunks:
    """Chunks of rows as they are, with what the first look at them found."""

    looked: Looked
    held: dict[str, Ints] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Rows of all chunks."""
        return int(self.looked.sizes.sum())

    @property
    def label_counts(self) -> dict[Any, int]:
        """Rows of each label that occurs."""
        counts: Counter[Any] = Counter()
        for chunk in self.looked.found:
            counts.update(dict(zip(chunk.labels.tolist(), chunk.counts.tolist(), strict=True)))
        return dict(sorted(counts.items()))

    @property
    def seed(self) -> int | None:
        """The seed, where there is one."""
        return self.looked.draw.seed

    @property
    def caution(self) -> tuple[str, ...]:
        """What must be said of a digest that cannot draw as chance would."""
        distinct = frozenset().union(*(chunk.distinct for chunk in self.looked.found))
        return caution_of_draw(len(distinct), self.seed)

    def pool(self, n_rows: int) -> tuple[Any, NDArray[Any], Ints]:
        """The first rows of the blind order, in that order."""
        looked = self.looked
        rows = (looked.digests, looked.starts, looked.sizes)
        order, _ = first_rows(*rows, looked.draw, n_rows)
        ordered = np.sort(order)
        take = require_dask().delayed(_take, pure=False)
        wanted = [(k, at) for k, at in enumerate(looked.within(ordered)) if len(at)]
        with measured("pool", len(wanted), 1, ordered.nbytes, 0):
            found = compute([take(looked.blocks[k], at) for k, at in wanted])
        self.held["pool"] = ordered
        place = np.searchsorted(ordered, order)
        labels = np.concatenate([np.asarray(pair[1]) for pair in found])[place]
        return _joined([pair[0] for pair in found], place), labels, order

    def tally(self, counting: FeatureCounting, codes: Mapping[Any, int]) -> Tallies:
        """One pass over the chunks."""
        delayed, looked = require_dask().delayed, self.looked
        shared = delayed((counting, dict(codes)), pure=False, traverse=False)
        count = delayed(_count, pure=False)
        within = looked.within(self.held["pool"])
        tasks = [
            count(k, looked.blocks[k], at, shared)
            for k, at in enumerate(within)
            if looked.sizes[k] > 0
        ]
        with measured("count", len(tasks), 1):
            first, *others = compute(tasks)
        return sum(others, start=first)


def _take(block: tuple[Any, Any], at: Ints) -> tuple[Any, Any]:
    rows, labels = block
    some = rows.iloc[at] if hasattr(rows, "iloc") else np.asarray(rows)[at]
    return some, np.asarray(labels)[at]


def _joined(parts: Sequence[Any], place: Ints) -> Any:
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts, ignore_index=True).iloc[place].reset_index(drop=True)
    return np.concatenate(parts)[place]


def _count(
    k: int, block: tuple[Any, Any], held: Ints, shared: tuple[FeatureCounting, Mapping[Any, int]]
) -> Tallies:
    """Counts of the rows of one chunk that are not held back."""
    rows, labels = block
    counting, place = shared
    values = np.asarray(labels)
    words, codes = np.unique(values, return_inverse=True)
    unknown = [word for word in words.tolist() if word not in place]
    if unknown:
        raise ValueError(
            f"chunk {k} changed between two looks at it: it has the label {unknown[0]!r}. Its "
            "source must give the same rows each time; use `persist()` where it does not."
        )
    y = np.array([place[word] for word in words.tolist()], dtype=np.int64)[codes]
    counted = np.setdiff1d(np.arange(len(y)), held, assume_unique=True)
    table = rows if hasattr(rows, "iloc") else np.asarray(rows, dtype=np.float64)
    found: Tallies = in_chunk(k, lambda: counting(take_rows(table, counted), y[counted]))
    return found
