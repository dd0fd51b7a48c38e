"""Candidate tables: directions, thresholds and the codes of all rows, for the counting engine.

A table is built once for a set of candidate examples (a pool, or all examples) and serves all
kinds, penalties and sizes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.kernels import Kernel
from handful.models import Op

if TYPE_CHECKING:
    from handful.rules.family import Family
    from handful.rules.search_rows import Rows

Codes = NDArray[np.uint16]
#: Histograms of the negatives and the positives by direction and code.
Pair = tuple[Ints, Ints]
#: Table, direction, threshold and side of a rule.
RuleName = tuple[int, int, int, int]
#: A rule that was just chosen, and the histograms, one pair a table, out of which the rows that it
#: covers first are to be taken.
Round = tuple[RuleName, Sequence[Pair]]

LINEAR = Kernel("linear")
RELATIVE_TOLERANCE = 1e-10  # values of equal rows may differ in their last bits
BELOW, ABOVE, EQUAL, UNEQUAL = 0, 1, 2, 3  # indices into masks of sides; the order is that of files
WITH_MISSING = 4  # added to a side: missing values lie on it, as a conjunction needs
SIDE_OPS: tuple[Op, ...] = ("<", ">", "=", "≠") * 2
_PARALLEL = 20_000_000  # codes from which threads pay


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Kernel of half-spaces; metric or kernel of balls."""

    kernel: Kernel = LINEAR
    metric: str = "euclidean"
    ball_kernel: Kernel | None = None


class Counter(Protocol):
    """Counts rows by code for greedy paths, in memory or over a `RowSource`."""

    @property
    def n_at_once(self) -> int | None:
        """How many paths are served together; None for all."""

    def start(self) -> list[Pair]:
        """Histograms of all rows that count, one pair a table; they must not be changed."""

    def remove(self, asked: Sequence[tuple[tuple[RuleName, ...], Sequence[Pair]]]) -> None:
        """For each path, take the rows that its last rule is the first to cover out of counts."""


@dataclass(frozen=True)
class Encoder:
    """How any rows become codes: it depends on the pool alone, and each row on itself alone.

    ``values(X)`` has one row a source; direction t is source ``first[t]`` minus ``second[t]``, or
    source ``first[t]`` if ``second[t]`` is -1.
    """

    values: Callable[[Floats], Floats]
    first: Ints
    second: Ints
    thresholds: Floats
    n_thresholds: Ints
    tolerances: Floats

    @classmethod
    def of_sources(
        cls,
        values: Callable[[Floats], Floats],
        cuts: tuple[Floats, Ints],
        tolerances: Floats | None = None,
    ) -> Encoder:
        """One direction a source; ``cuts`` are padded thresholds and their number."""
        first = np.arange(len(cuts[1]))
        tolerances = np.zeros(len(first)) if tolerances is None else tolerances
        return cls(values, first, np.full(first.shape, -1), *cuts, tolerances)

    @property
    def n_codes(self) -> int:
        """Number of codes, the one for missing values included."""
        # Between, below and above k thresholds: k + 1 even codes; on one: k odd codes; missing:
        # one.
        return 2 * int(self.thresholds.shape[1]) + 2

    def __call__(self, X: Floats, n_threads: int = 1) -> Codes:
        """Codes of the rows of X, one row a direction."""
        return self.coded(self.values(X), n_threads)

    def coded(self, values: Floats, n_threads: int = 1) -> Codes:
        """Codes of rows whose values are known."""
        from handful.rules.search import table_loops

        if self.n_codes > np.iinfo(np.uint16).max:
            raise ValueError(
                f"`candidates` gives {self.thresholds.shape[1]} thresholds a feature, more than "
                "32766. Use a pool, for example candidates=160."
            )
        codes = np.empty((len(self.first), values.shape[1]), dtype=np.uint16)

        def work(start: int, stop: int) -> None:
            table_loops.encode(
                values,
                self.first,
                self.second,
                self.thresholds,
                self.n_thresholds,
                self.tolerances,
                start,
                stop,
                codes,
            )

        run_blocks(work, len(self.first), codes.size, n_threads)
        return codes


@dataclass(frozen=True)
class CodeTable:
    """Codes of rows, one row a direction, and the encoder that gave them."""

    codes: Codes
    encoder: Encoder

    @property
    def thresholds(self) -> Floats:
        """Thresholds of each direction, padded by infinity."""
        return self.encoder.thresholds

    @property
    def n_thresholds(self) -> Ints:
        """How many thresholds each direction has."""
        return self.encoder.n_thresholds

    @property
    def n_directions(self) -> int:
        """Number of directions T."""
        return int(self.codes.shape[0])

    @property
    def n_codes(self) -> int:
        """Number of codes, the one for missing values included."""
        return self.encoder.n_codes


@dataclass(frozen=True)
class CodedRule:
    """A rule by the original indices of its examples; -1 if there is none.

    ``first`` and ``second`` give the direction, ``member`` the threshold. ``t``, ``j`` and ``side``
    are its place in a table, if it comes from one.
    """

    first: int
    second: int
    member: int
    t: int = -1
    j: int = -1
    side: int = -1

    @property
    def examples(self) -> set[int]:
        """All of its examples."""
        return {e for e in (self.first, self.second, self.member) if e >= 0}


@dataclass(frozen=True)
class CandidateTable(CodeTable):
    """Codes of all rows for the candidates of one family.

    ``first`` and ``second`` are the positions in ``pool`` of the examples that give direction t;
    -1 if there is none.
    """

    family: Family
    pool: Ints
    pool_rows: Ints
    first: Ints
    second: Ints
    geometry: Geometry = field(default_factory=Geometry)

    @classmethod
    def of(
        cls,
        family: Family,
        rows: Rows,
        pool: Ints,
        encoder: Encoder,
        *,
        first: Ints | None = None,
        second: Ints | None = None,
        geometry: Geometry | None = None,
        n_threads: int = 1,
    ) -> CandidateTable:
        """The table of all rows; directions without examples are the default."""
        none = np.full(encoder.first.shape, -1)
        return cls(
            encoder(rows.X, n_threads),
            encoder,
            family,
            pool,
            rows.row_of[pool],
            none if first is None else first,
            none if second is None else second,
            geometry or Geometry(),
        )

    @cached_property
    def example_of(self) -> dict[int, int]:
        """The first example of the pool for each of its rows."""
        return dict(zip(self.pool_rows[::-1].tolist(), self.pool[::-1].tolist(), strict=True))

    def coded(self, t: int, j: int, side: int, member: int = -1) -> CodedRule:
        """A rule of the table; ``member`` is the row of its threshold example."""
        first, second = (
            int(self.pool[at[t]]) if at[t] >= 0 else -1 for at in (self.first, self.second)
        )
        return CodedRule(first, second, self.example_of.get(member, -1), t, j, side)


def run_blocks(work: Callable[[int, int], object], n: int, size: int, n_threads: int) -> None:
    """Call ``work(start, stop)`` over [0, n), on threads if the size pays for them."""
    if n_threads == 1 or size < _PARALLEL or n < 2:
        work(0, n)
        return
    edges = np.linspace(0, n, min(n, 4 * n_threads) + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as executor:
        list(executor.map(work, edges[:-1], edges[1:]))


def n_threads_of(n_jobs: int | None) -> int:
    """Number of threads meant by scikit-learn's ``n_jobs``."""
    if n_jobs is None:
        return 1
    return max(1, (os.cpu_count() or 1) + 1 + n_jobs) if n_jobs < 0 else n_jobs


def known_values(values: Floats) -> list[Floats]:
    """The distinct values of each row in order, without missing ones.

    Examples
    --------
    >>> known_values(np.array([[2.0, 1.0, 2.0, np.nan]]))
    [array([1., 2.])]
    """
    return [np.unique(row[~np.isnan(row)]) for row in values]


def threshold_rows(values: Floats, tolerances: Floats) -> tuple[Floats, Ints]:
    """Distinct thresholds of every row of finite values, padded by infinity, and their number.

    Thresholds are more than two tolerances apart: a value equals one of them at most.
    """
    ordered = np.sort(values, axis=1)
    keep = np.ones(ordered.shape, dtype=bool)
    # Compared with the neighbour, kept or not: a run of close values has one threshold, its first.
    keep[:, 1:] = np.diff(ordered, axis=1) > 2.0 * tolerances[:, None]
    n_thresholds = keep.sum(axis=1)
    padded = np.full((len(values), max(1, int(n_thresholds.max(initial=1)))), np.inf)
    row, place = np.nonzero(keep)[0], (np.cumsum(keep, axis=1) - 1)[keep]
    padded[row, place] = ordered[keep]
    return padded, n_thresholds


def pad_thresholds(lists: Sequence[Floats]) -> tuple[Floats, Ints]:
    """Lists of thresholds as rows, padded by infinity, and their number."""
    n_thresholds = np.array([len(cuts) for cuts in lists], dtype=np.int64)
    padded = np.full((len(lists), max(1, int(n_thresholds.max(initial=1)))), np.inf)
    for t, cuts in enumerate(lists):
        padded[t, : len(cuts)] = cuts
    return padded, n_thresholds


def check_finite(values: Floats) -> None:
    """Refuse kernel values or distances that overflow."""
    if not np.isfinite(values).all():
        raise ValueError(
            "`kernel` or `metric` gives values that are not finite on these examples. "
            "Scale the columns by factors fixed beforehand, or set rules='stumps'."
        )


def covered_rows(table: CodeTable, t: int, j: int, side: int) -> Mask:
    """Rows on one side of threshold j of direction t."""
    return covered_codes(table.codes[t], j, side, table.n_codes)


def covered_codes(codes: Codes, j: int, side: int, n_codes: int) -> Mask:
    """Codes on one side of threshold j."""
    missing = n_codes - 1
    if side >= WITH_MISSING:
        covered = covered_codes(codes, j, side - WITH_MISSING, n_codes)
        return np.asarray(covered | (codes == missing))
    if side == BELOW:
        return np.asarray(codes <= 2 * j)
    if side == ABOVE:
        return np.asarray((codes >= 2 * j + 2) & (codes != missing))
    if side == EQUAL:
        return np.asarray(codes == 2 * j + 1)
    return np.asarray((codes != 2 * j + 1) & (codes != missing))
