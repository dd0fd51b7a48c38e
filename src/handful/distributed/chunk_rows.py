"""Rows in chunks: some of them are taken into memory, jobs are added up over all of them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.distributed.cluster import (
    cache_bytes,
    compute,
    measured,
    persist,
    reduced,
    require_dask,
)
from handful.distributed.order import first_rows
from handful.tables import (
    Columns,
    Draw,
    Grouping,
    MappedRows,
    RowSource,
    SeenRows,
    TypePart,
    caution_of_draw,
    take_rows,
)
from handful.tables.rows import Job

if TYPE_CHECKING:
    import pandas as pd

Labels = NDArray[Any]

_SHOWN = 2000  # rows by which a table is known again
_BLOCK_BYTES = 32 * 2**20  # of rows that are mapped at a time, if the result is not kept


@dataclass(frozen=True)
class ChunkSummary:
    """Findings of the first look at a chunk: sizes, labels, missing values, digests."""

    n_rows: int
    n_labels: int
    labels: Labels
    counts: Ints
    has_missing: bool
    has_infinity: bool
    largest: float
    digest_sum: NDArray[np.uint64] | None = None
    parts: tuple[TypePart, ...] | None = None
    problem: str | None = None
    distinct: frozenset[bytes] = frozenset()  # digests of some rows: of all, if few are distinct


@dataclass(frozen=True)
class ChunkScan:
    """Chunks as they are, and what the first look at them found.

    ``blocks`` are delayed pairs of rows and labels, ``digests`` those of their rows; ``classes``
    are the sorted labels.
    """

    blocks: list[Any]
    digests: list[Any]
    found: list[ChunkSummary]
    names: list[str] | None
    width: int
    sizes: Ints
    classes: Labels
    draw: Draw


@dataclass(frozen=True, kw_only=True)
class ChunkRows(RowSource):
    """Training rows in chunks: each part is a delayed pair of rows and codes of labels.

    Attributes
    ----------
    parts : list of Delayed
    scan : ChunkScan
        What the first look at the chunks found.
    classes, columns
        As in `handful.tables.RowSource`.
    is_table : bool
        Rows are read as they are given; the machine remembers those that it holds.
    held : dict
        Rows that were taken before, and the part of the blind order that is known.
    """

    parts: list[Any]
    scan: ChunkScan
    classes: Labels
    columns: Columns | None
    names: list[str] | None = None
    weights: Floats | None = None
    is_table: bool = False
    target: str = "y"
    held: dict[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> Ints:
        """Rows of each chunk."""
        return self.scan.sizes

    @property
    def n_samples(self) -> int:
        return int(self.sizes.sum())

    @property
    def n_features(self) -> int:
        return self.scan.width

    @property
    def class_counts(self) -> Ints:
        return self._class_counts

    @cached_property
    def _class_counts(self) -> Ints:
        order = np.argsort(self.classes)
        counts = np.zeros(len(order), dtype=np.int64)
        for chunk in self.scan.found:
            np.add.at(counts, order[np.searchsorted(self.classes, chunk.labels, sorter=order)],
                      chunk.counts)  # fmt: skip
        return counts

    @property
    def has_missing(self) -> bool:
        return any(chunk.has_missing for chunk in self.scan.found)

    @property
    def largest(self) -> float:
        return np.nan if self.has_missing else max(chunk.largest for chunk in self.scan.found)

    @property
    def draw(self) -> Draw:
        return self.scan.draw

    @property
    def starts(self) -> Ints:
        """Position of the first row of each chunk."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @property
    def caution(self) -> tuple[str, ...]:
        distinct = frozenset[bytes]().union(*(chunk.distinct for chunk in self.scan.found))
        return caution_of_draw(len(distinct), self.draw.seed)

    @property
    def groups(self) -> Grouping | None:
        return None  # rows in chunks are independent

    def first(self, n_rows: int) -> Ints:
        """The order is found once for the same number of rows."""
        if self.held.get("n_needed") != n_rows:
            rows = (self.scan.digests, self.starts, self.sizes)
            order, digests = first_rows(*rows, self.draw, n_rows)
            self.held.update(n_needed=n_rows, order=order, digests=digests)
        return self.order

    @property
    def order(self) -> Ints:
        return np.asarray(self.held["order"])

    def within(self, positions: Ints) -> list[Ints]:
        """For each chunk, the places in it of those positions (sorted) that it holds."""
        ends = np.searchsorted(positions, np.cumsum(self.sizes))
        begins = np.concatenate([[0], ends[:-1]])
        pairs = zip(begins, ends, self.starts, strict=True)
        return [positions[a:b] - start for a, b, start in pairs]

    @property
    def shown(self) -> Ints:
        """Evenly spaced positions, by which a table is known again."""
        n = self.n_samples
        n_shown = 0 if self.is_table else min(n, _SHOWN)
        return np.unique(np.linspace(0, n - 1, n_shown).astype(np.int64))

    def hold(self, positions: Ints) -> tuple[Any, Ints]:
        """Chunks are read once for rows that were held before, and for those that are shown."""
        known = self.held.get("positions", np.zeros(0, dtype=np.int64))
        if not np.isin(positions, known, assume_unique=True).all():
            # One pass brings the rows that are asked for and those by which the table is known
            # again.
            known = np.union1d(positions, self.shown)
            self.held.update(positions=known, rows=self.take(known))
        X, codes = self.held["rows"]
        at = np.searchsorted(known, positions)
        return take_rows(X, at), codes[at]

    def take(self, positions: Ints) -> tuple[Any, Ints]:
        """Rows and codes at sorted positions."""
        take = require_dask().delayed(_take, pure=False)
        wanted = [(k, at) for k, at in enumerate(self.within(positions)) if len(at)]
        with measured("take", len(wanted), 1, positions.nbytes, 8 * self.n_features):
            found = compute([take(self.parts[k], at) for k, at in wanted])
        return _joined([rows for rows, _ in found]), np.concatenate([codes for _, codes in found])

    def digests_of(self, positions: Ints) -> NDArray[np.uint8]:
        at = {int(position): place for place, position in enumerate(self.order)}
        places = [at[int(position)] for position in positions]
        return np.asarray(self.held["digests"][np.array(places, dtype=np.int64)])

    def fold(
        self, job: Job, name: str, *, only: Ints | None = None, without: Ints | None = None
    ) -> Any:
        delayed = require_dask().delayed
        shared, call = delayed(job, pure=False, traverse=False), delayed(_call, pure=False)
        tasks = [call(k, part, at, shared) for k, part, at in self._wanted(only, without)]
        return _added(tasks, name, 1, job)

    def mapped(self, job: Job, bytes_a_row: int, *, without: Ints | None = None) -> MappedChunks:
        wanted = self._wanted(None, without)
        # What does not fit is made again in each pass, a block at a time.
        if bytes_a_row * self.n_samples > cache_bytes() // 2:
            step = max(256, _BLOCK_BYTES // (bytes_a_row + 8 * self.n_features))
            return MappedChunks(wanted, job, step)
        delayed = require_dask().delayed
        shared, call = delayed(job, pure=False, traverse=False), delayed(_call, pure=False)
        kept = persist([call(k, part, at, shared) for k, part, at in wanted])
        return MappedChunks([(k, form, None) for k, form in enumerate(kept)])

    def _wanted(self, only: Ints | None, without: Ints | None) -> list[tuple[int, Any, Any]]:
        """Number and part of each chunk, and the places in it that are wanted; None for all."""
        if only is None and without is None:
            return [(k, part, None) for k, part in enumerate(self.parts)]
        if without is not None:
            left = [
                np.setdiff1d(np.arange(n), at, assume_unique=True)
                for n, at in zip(self.sizes, self.within(np.sort(without)), strict=True)
            ]
            return [(k, part, at) for k, (part, at) in enumerate(self._zip(left))]
        within = self.within(np.asarray(only))
        return [(k, part, at) for k, (part, at) in enumerate(self._zip(within)) if len(at)]

    def _zip(self, places: Sequence[Ints]) -> Any:
        return zip(self.parts, places, strict=True)

    def read_by(self, read: Callable[[Any], Any]) -> ChunkRows:
        """Chunks are read when a job looks at them; the order that is known is kept."""
        delayed = require_dask().delayed
        shared, call = delayed(read, pure=False, traverse=False), delayed(_read, pure=False)
        kept = ("n_needed", "order", "digests")
        known: dict[str, Any] = {name: self.held[name] for name in kept if name in self.held}
        parts = [call(k, part, shared) for k, part in enumerate(self.parts)]
        other = replace(self, parts=parts, held=known)
        if "rows" in self.held:
            rows, codes = self.held["rows"]
            other.held.update(positions=self.held["positions"], rows=(read(rows), codes))
        return other

    def seen(self) -> SeenRows:
        """Some rows, evenly spaced: enough to recognise a table that was trained on."""
        X, codes = self.hold(self.shown)
        rows = X if self.columns is None else _in_words(X, self.columns)
        return SeenRows.of(rows, self.classes[codes])


def _in_words(X: Floats, columns: Columns) -> pd.DataFrame:
    """Encoded rows as the table that they were read from."""
    import pandas as pd

    cells: dict[str, Any] = {}
    for values, column in zip(X.T, columns.columns, strict=True):
        words = column.levels
        cells[column.name] = values
        if words:
            cells[column.name] = [None if np.isnan(v) else words[int(v)] for v in values]
    return pd.DataFrame(cells)


@dataclass(frozen=True)
class MappedChunks(MappedRows):
    """Chunks in another form, kept on the workers, or made again in each pass.

    Attributes
    ----------
    parts : list of (int, Delayed, places or None)
        Forms that are kept; if there is a ``job``, the rows from which it makes them.
    job : Job or None
    step : int
        Rows that are mapped at a time, so that a form that is not kept stays small.
    """

    parts: list[tuple[int, Any, Any]]
    job: Job | None = None
    step: int = 0

    def fold(self, job: Callable[[Any], Any], name: str, n_requests: int = 1) -> Any:
        delayed = require_dask().delayed
        shared = delayed((job, self.job, self.step), pure=False, traverse=False)
        count = delayed(_count_form if self.job is None else _map_and_count, pure=False)
        tasks = [count(k, part, at, shared) for k, part, at in self.parts]
        return _added(tasks, name, n_requests, job)


def _added(tasks: Sequence[Any], name: str, n_requests: int, job: Any) -> Any:
    """The sum of all tasks, in one pass; a job may know the bytes that it sends."""
    traffic = getattr(job, "traffic", (0, 0))
    with measured(name, len(tasks), n_requests, *traffic):
        (found,) = compute([reduced(tasks, _total)])
    return found


def _total(parts: Sequence[Any]) -> Any:
    # Always in the order of the chunks: counts do not need it, the last bits of floats do.
    return functools.reduce(operator.add, parts)


def _read(k: int, part: tuple[Any, Ints], read: Callable[[Any], Any]) -> tuple[Any, Ints]:
    return in_chunk(k, lambda: read(part[0])), part[1]


def _take(part: tuple[Any, Ints], at: Ints) -> tuple[Any, Ints]:
    return take_rows(part[0], at), part[1][at]


def _joined(parts: Sequence[Any]) -> Any:
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts, ignore_index=True)
    return np.concatenate(parts)


def _call(k: int, part: tuple[Any, Ints], at: Ints | None, job: Job) -> Any:
    rows, codes = part if at is None else _take(part, at)
    return in_chunk(k, lambda: job(rows, codes))


def _count_form(k: int, form: Any, at: None, shared: tuple[Any, Any, int]) -> Any:
    return in_chunk(k, lambda: shared[0](form))


def _map_and_count(
    k: int, part: tuple[Any, Ints], at: Ints | None, shared: tuple[Any, Job, int]
) -> Any:
    rows, codes = part if at is None else _take(part, at)
    job, make, step = shared
    blocks = [slice(start, start + step) for start in range(0, max(1, len(codes)), step)]
    return in_chunk(
        k, lambda: _total([job(make(take_rows(rows, some), codes[some])) for some in blocks])
    )


def in_chunk(k: int, work: Callable[[], Any]) -> Any:
    """Run the work of chunk k; a bad value is reported with the number of the chunk."""
    try:
        return work()
    except ValueError as error:
        raise ValueError(f"chunk {k}: {error}") from error
