"""Dask arrays and data frames as checked chunks of rows.

The data are looked at once before anything is learned: sizes, labels, missing values. What is
wrong with a chunk is said with the number of the chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.covering._inputs import Columns, column_parts, merged_categories
from handful.distributed._cluster import cache_bytes, compute, measured, persist, require_dask
from handful.rules import AbstractRule

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[Any]

_SHOWN = 2000  # rows that are kept for displays


@dataclass(frozen=True)
class Summary:
    """What the first look at a chunk found."""

    n_rows: int
    n_labels: int
    width: int
    labels: Labels
    counts: Ints
    has_missing: bool
    has_infinity: bool
    largest: float
    parts: tuple[Any, ...] | None = None
    problem: str | None = None


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
    covers : dict
        How many rows each rule of a machine covers, for machines that were counted.
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
    covers: dict[tuple[AbstractRule, ...], list[int]] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def starts(self) -> Ints:
        """Index of the first row of each chunk."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def within(self, examples: Ints) -> list[Ints]:
        """For each chunk, the positions in it of those examples (sorted) that it holds."""
        ends = np.searchsorted(examples, np.cumsum(self.sizes))
        begins = np.concatenate([[0], ends[:-1]])
        return [
            examples[a:b] - start for a, b, start in zip(begins, ends, self.starts, strict=True)
        ]

    @property
    def shown(self) -> Ints:
        """Evenly spaced examples that a machine keeps for its displays."""
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


# -- reading ------------------------------------------------------------------------------------


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def read_chunks(
    X: Any, y: Any, *, classes: Any = None, may_miss: bool = True, may_name: bool = True
) -> Chunks:
    """Look at every chunk once, check it, and prepare the chunks for learning.

    Parameters
    ----------
    X : dask array or dask data frame
    y : dask array or series
        Cut into the same chunks as X.
    classes : array-like, optional
        The labels that may occur; all that are found by default.
    may_miss : bool
        Whether missing values are allowed.
    may_name : bool
        Whether columns of words are allowed.
    """
    blocks, labels, names, width = _blocks(X, y)
    delayed = require_dask().delayed
    look = delayed(_look, pure=False)
    with measured("look", len(blocks), 1, 0, 200):
        found = compute([look(a, b, width, may_name) for a, b in zip(blocks, labels, strict=True)])
    columns = _columns(found, names) if names is not None and may_name else None
    known = None if classes is None else np.unique(np.asarray(classes))
    _check(found, width, known, may_miss)
    known = np.unique(np.concatenate([s.labels for s in found])) if known is None else known
    sizes = np.array([s.n_rows for s in found], dtype=np.int64)
    prepare = delayed(_prepare, pure=False)
    shared = delayed((columns, known), pure=False, traverse=False)
    parts = [
        prepare(k, a, b, shared, int(n))
        for k, (a, b, n) in enumerate(zip(blocks, labels, sizes, strict=True))
    ]
    if int(sizes.sum()) * (8 * width + 8) <= cache_bytes() // 2:
        parts = persist(parts)
    counts = np.zeros(len(known), dtype=np.int64)
    for s in found:
        np.add.at(counts, np.searchsorted(known, s.labels), s.counts)
    has_missing = any(s.has_missing for s in found)
    largest = float("nan") if has_missing else max(s.largest for s in found)
    return Chunks(parts, sizes, known, counts, width, names, columns, has_missing, largest)


def _blocks(X: Any, y: Any) -> tuple[list[Any], list[Any], list[str] | None, int]:
    """Delayed blocks of X and y, names of the columns, number of columns."""
    names = None
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
        width = len(names)
        blocks = list(X.to_delayed())
    else:
        if X.ndim != 2:
            raise ValueError(f"`X` must have two dimensions, got {X.ndim}. Use X.reshape(-1, 1).")
        width = int(X.shape[1])
        blocks = list((X.rechunk({1: -1}) if X.numblocks[1] > 1 else X).to_delayed().ravel())
    if not is_dask(y):
        raise TypeError(
            f"`y` must be a Dask array or series, cut like `X`, got {type(y).__name__}. "
            "Use dask.array.from_array(y, chunks=X.chunks[0])."
        )
    if not hasattr(X, "columns") and hasattr(y, "rechunk"):
        if y.ndim != 1:
            raise ValueError(f"`y` must have one dimension, got {y.ndim}. Use y.ravel().")
        known = np.isfinite([*X.chunks[0], *y.chunks[0]]).all()
        if known and sum(X.chunks[0]) == sum(y.chunks[0]):
            y = y.rechunk((X.chunks[0],))
    labels = list(np.ravel(y.to_delayed()))
    if len(labels) != len(blocks):
        raise ValueError(
            f"`y` must be cut like `X`, got {len(labels)} chunks of labels for {len(blocks)} "
            "chunks of rows. Use the same partitions for both."
        )
    return blocks, labels, names, width


def _look(block: Any, labels: Any, width: int, may_name: bool) -> Summary:
    """Size, labels and oddities of one chunk."""
    empty = np.zeros(0, dtype=np.int64)
    y = np.asarray(labels)
    nothing = Summary(len(block), len(y), 0, empty, empty, False, False, 0.0)
    if np.ndim(block) != 2 or block.shape[1] != width:
        found = block.shape[1] if np.ndim(block) == 2 else np.ndim(block)
        return replace(nothing, problem=f"has {found} columns, and `X` has {width}")
    if _has_missing_label(y):
        return replace(nothing, problem="has missing labels. Remove those rows")
    parts = None
    if may_name and hasattr(block, "dtypes"):
        parts = tuple(column_parts(block, j) for j in range(width))
    try:
        values, counts = np.unique(y, return_counts=True)
        if parts is not None and any(words for _, _, words in parts):
            return replace(nothing, labels=values, counts=counts, parts=parts, largest=np.inf)
        X = as_floats(block)
    except (TypeError, ValueError) as error:
        return replace(nothing, problem=f"cannot be read as numbers: {error}")
    is_missing = np.isnan(X)
    return replace(
        nothing,
        width=width,
        labels=values,
        counts=counts,
        has_missing=bool(is_missing.any()),
        has_infinity=bool(np.isinf(X).any()),
        largest=float(np.abs(X[~is_missing]).max(initial=0.0)),
        parts=parts,
    )


def _has_missing_label(y: Labels) -> bool:
    if y.dtype.kind == "f":
        return bool(np.isnan(y).any())
    return y.dtype.kind == "O" and any(v is None or v != v for v in y)


def as_floats(block: Any) -> Floats:
    """A block of rows as a contiguous float matrix."""
    if hasattr(block, "to_numpy"):
        block = block.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.ascontiguousarray(block, dtype=np.float64)


def _columns(found: Sequence[Summary], names: Sequence[str]) -> Columns | None:
    """How words are read, from all chunks."""
    usable = [s.parts for s in found if s.parts is not None]
    categories = tuple(
        merged_categories(name, [parts[j] for parts in usable]) for j, name in enumerate(names)
    )
    return Columns(categories) if any(c is not None for c in categories) else None


def _check(found: Sequence[Summary], width: int, known: Labels | None, may_miss: bool) -> None:
    """Raise for the first chunk that cannot be used, naming it and its rows."""
    start = 0
    for k, s in enumerate(found):
        where = f"chunk {k} (from row {start})"
        if s.problem is not None:
            raise ValueError(f"{where} {s.problem}. Every chunk must have the same columns.")
        if s.n_labels != s.n_rows:
            raise ValueError(
                f"{where} has {s.n_rows} rows and {s.n_labels} labels. Cut `X` and `y` alike."
            )
        if s.has_infinity:
            raise ValueError(f"{where}: Input X contains infinity. Replace or remove it.")
        if s.has_missing and not may_miss:
            raise ValueError(
                f"{where}: Input X contains NaN, which only stumps can use. Set rules='stumps', "
                "or impute with values fixed beforehand."
            )
        new = [] if known is None else [v for v in s.labels.tolist() if v not in known.tolist()]
        if new:
            raise ValueError(
                f"{where} has the label {new[0]!r}, which is none of `classes`. Correct the "
                "label, or add it to `classes`."
            )
        start += s.n_rows
    if start == 0:
        raise ValueError("`X` has no rows: found 0 sample(s). At least two classes are needed.")


def _prepare(
    k: int, block: Any, labels: Any, shared: tuple[Columns | None, Labels], n_rows: int
) -> tuple[Floats, Ints]:
    """Features and label codes of a chunk that was looked at before."""
    columns, classes = shared
    X = as_floats(block) if columns is None else columns.encode(block)
    y = np.asarray(labels)
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.int64)
    if len(X) != n_rows or len(y) != n_rows or not np.array_equal(classes[codes], y):
        raise ValueError(
            f"chunk {k} changed between two looks at it. Its source must give the same rows each "
            "time; use `persist()` where it does not."
        )
    return X, codes
