"""Dask arrays and data frames as checked chunks of rows.

The data are looked at once before anything is learned: sizes, labels, missing values. What is
wrong with a chunk is said with the number of the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._engines import is_elsewhere
from handful._types import Floats, Ints
from handful.distributed._chunks import Chunks
from handful.distributed._order import digest_parts
from handful.distributed.cluster import cache_bytes, compute, measured, persist, require_dask
from handful.tables import (
    Columns,
    Draw,
    RowDigests,
    TypePart,
    column_names,
    digest_of_sum,
    digest_sum,
    is_missing,
    seed_of,
    some_distinct,
    type_part,
    typed_column,
)

Labels = NDArray[Any]


@dataclass(frozen=True)
class Summary:
    """What the first look at a chunk found."""

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
    distinct: frozenset[bytes] = frozenset()  # digests of some rows: all, where few are distinct


def read_chunks(
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    may_miss: bool = True,
    may_name: bool = True,
    random_state: Any = None,
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
    random_state : None, int, RandomState, Generator or RowDigests
        What decides the order of the rows.
    """
    looked = look_at_blocks(
        X, y, classes=classes, may_miss=may_miss, may_name=may_name, random_state=random_state
    )
    found, names, width = looked.found, looked.names, looked.width
    blocks, known, sizes = looked.blocks, looked.classes, looked.sizes
    columns = _columns(found, names) if names is not None and may_name else None
    delayed = require_dask().delayed
    prepare = delayed(_prepare, pure=False)
    shared = delayed((columns, known), pure=False, traverse=False)
    parts = [
        prepare(k, block, shared, int(n))
        for k, (block, n) in enumerate(zip(blocks, sizes, strict=True))
    ]
    if int(sizes.sum()) * (8 * width + 8) <= cache_bytes() // 2:
        parts = persist(parts)
    counts = np.zeros(len(known), dtype=np.int64)
    for s in found:
        np.add.at(counts, np.searchsorted(known, s.labels), s.counts)
    has_missing = any(s.has_missing for s in found)
    largest = float("nan") if has_missing else max(s.largest for s in found)
    return Chunks(
        parts, sizes, known, counts, width, names, columns, has_missing, largest,
        looked.digests, looked.draw,
    )  # fmt: skip


@dataclass(frozen=True)
class Looked:
    """Chunks as they are, and what the first look at them found.

    Attributes
    ----------
    blocks, digests : list of Delayed
        Pairs of rows and labels, and digests of the rows.
    found : list of Summary
    names : list of str or None
    width : int
    sizes : int array
    classes : array
    draw : Draw
    """

    blocks: list[Any]
    digests: list[Any]
    found: list[Summary]
    names: list[str] | None
    width: int
    sizes: Ints
    classes: Labels
    draw: Draw

    @property
    def starts(self) -> Ints:
        """Index of the first row of each chunk."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def within(self, examples: Ints) -> list[Ints]:
        """For each chunk, the positions in it of those examples (sorted) that it holds."""
        ends = np.searchsorted(examples, np.cumsum(self.sizes))
        begins = np.concatenate([[0], ends[:-1]])
        pairs = zip(begins, ends, self.starts, strict=True)
        return [examples[a:b] - start for a, b, start in pairs]


def look_at_blocks(
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    may_miss: bool = True,
    may_name: bool = True,
    random_state: Any = None,
) -> Looked:
    """Look at every chunk once and check it; parameters as in `read_chunks`."""
    blocks, names, width = delayed_blocks(X, y)
    look = require_dask().delayed(_look, pure=False)
    digests, covered = _digests_of(blocks, column_names(X), random_state)
    with measured("look", len(blocks), 1, 0, 200):
        found = compute([look(b, width, may_name, d) for b, d in zip(blocks, digests, strict=True)])
    known = None if classes is None else np.unique(np.asarray(classes))
    _check(found, known, may_miss)
    known = np.unique(np.concatenate([s.labels for s in found])) if known is None else known
    sums = [s.digest_sum for s in found if s.digest_sum is not None]
    total = np.asarray(np.sum(sums, axis=0, dtype=np.uint64))
    sizes = np.array([s.n_rows for s in found], dtype=np.int64)
    draw = Draw(digest_of_sum(total), seed_of(random_state), covered)
    return Looked(blocks, digests, found, names, width, sizes, known, draw)


def _digests_of(
    blocks: Sequence[Any], names: tuple[str, ...] | None, random_state: Any
) -> tuple[list[Any], tuple[str, ...] | None]:
    """Delayed digests of the blocks, or those that were given, and the columns they cover."""
    if not isinstance(random_state, RowDigests):
        return digest_parts(blocks), names
    if len(random_state.digests) != len(blocks):
        raise ValueError(
            f"`random_state` has digests of {len(random_state.digests)} chunks, but X has "
            f"{len(blocks)}. Make them by chunk_digests, from the table that X comes from."
        )
    return list(random_state.digests), random_state.columns


#: A delayed pair (rows, labels), or a pair of delayed ones.
Block = Any


def delayed_blocks(X: Any, y: Any) -> tuple[list[Block], list[str] | None, int]:
    """Delayed pairs of rows and labels, names of the columns, number of columns."""
    if not is_elsewhere(y):
        raise TypeError(
            f"`y` must be a Dask array or series, cut like `X`, got {type(y).__name__}. "
            "Use dask.array.from_array(y, chunks=X.chunks[0])."
        )
    if not hasattr(X, "columns"):
        return _array_blocks(X, y), None, int(X.shape[1])
    names = [str(name) for name in X.columns]
    n_labels = y.npartitions
    if n_labels != X.npartitions:
        raise ValueError(_CUT.format(n_labels, X.npartitions))
    if hasattr(y, "to_frame"):  # rows and labels of one file are read together, once
        import dask.dataframe as dd

        both = dd.map_partitions(
            _beside, X, y, align_dataframes=False, enforce_metadata=False, meta=X._meta
        )
        return list(both.to_delayed()), names, len(names)
    blocks = X.to_delayed(optimize_graph=False)  # optimised reads may join chunks
    return list(zip(blocks, np.ravel(y.to_delayed()), strict=True)), names, len(names)


_CUT = (
    "`y` must be cut like `X`, got {} chunks of labels for {} chunks of rows. Use the same "
    "partitions for both."
)


def _beside(rows: Any, labels: Any) -> tuple[Any, Any]:
    return rows, labels


def _array_blocks(X: Any, y: Any) -> list[Block]:
    if X.ndim != 2:
        raise ValueError(f"`X` must have two dimensions, got {X.ndim}. Use X.reshape(-1, 1).")
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    if not hasattr(y, "rechunk"):  # a series
        labels = np.ravel(y.to_delayed(optimize_graph=False))
        if len(labels) != X.numblocks[0]:
            raise ValueError(_CUT.format(len(labels), X.numblocks[0]))
        return list(zip(X.to_delayed().ravel(), labels, strict=True))
    if y.ndim != 1:
        raise ValueError(f"`y` must have one dimension, got {y.ndim}. Use y.ravel().")
    known = np.isfinite([*X.chunks[0], *y.chunks[0]]).all()
    if known and sum(X.chunks[0]) == sum(y.chunks[0]):
        y = y.rechunk((X.chunks[0],))
    if y.numblocks[0] != X.numblocks[0]:
        raise ValueError(_CUT.format(y.numblocks[0], X.numblocks[0]))
    import dask.array as da

    both = da.blockwise(  # what rows and labels share is computed once
        _beside, "i", X, "ij", y, "i", concatenate=True, align_arrays=False, dtype=object,
        meta=np.zeros(0, dtype=object),
    )  # fmt: skip
    return list(both.to_delayed().ravel())


def _look(pair: tuple[Any, Any], width: int, may_name: bool, digests: Any) -> Summary:
    """Size, labels and oddities of one chunk."""
    block, y = pair[0], np.asarray(pair[1])
    empty = np.zeros(0, dtype=np.int64)
    nothing = Summary(len(block), len(y), empty, empty, False, False, 0.0)
    if np.ndim(block) != 2 or block.shape[1] != width:
        found = block.shape[1] if np.ndim(block) == 2 else np.ndim(block)
        return replace(nothing, problem=f"has {found} columns, and `X` has {width}")
    if _has_missing_label(y):
        return replace(nothing, problem="has missing labels. Remove those rows")
    parts = None
    if may_name and hasattr(block, "dtypes"):
        parts = tuple(type_part(block, j) for j in range(width))
        is_number = [not (part.words or part.scale) for part in parts]
        block = block.iloc[:, np.flatnonzero(is_number)]
    try:
        values, counts = np.unique(y, return_counts=True)
        X = as_floats(block)
    except (TypeError, ValueError) as error:
        return replace(nothing, problem=f"cannot be read as numbers: {error}")
    is_missing = np.isnan(X)
    return replace(
        nothing,
        labels=values,
        counts=counts,
        digest_sum=digest_sum(digests),
        distinct=some_distinct(digests),
        has_missing=bool(is_missing.any()),
        has_infinity=bool(np.isinf(X).any()),
        largest=float(np.abs(X[~is_missing]).max(initial=0.0)),
        parts=parts,
    )


def _has_missing_label(y: Labels) -> bool:
    if y.dtype.kind == "f":
        return bool(np.isnan(y).any())
    return y.dtype.kind == "O" and any(is_missing(v) for v in y)


def as_floats(block: Any) -> Floats:
    """A block of rows as a contiguous float matrix."""
    if hasattr(block, "to_numpy"):
        block = block.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.ascontiguousarray(block, dtype=np.float64)


def _columns(found: Sequence[Summary], names: Sequence[str]) -> Columns | None:
    """How words are read, from all chunks."""
    usable = [s.parts for s in found if s.parts is not None]
    named = enumerate(names)
    columns = tuple(typed_column(name, [parts[j] for parts in usable]) for j, name in named)
    return Columns(columns) if any(column.kind for column in columns) else None


def _check(found: Sequence[Summary], known: Labels | None, may_miss: bool) -> None:
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
    k: int, pair: tuple[Any, Any], shared: tuple[Columns | None, Labels], n_rows: int
) -> tuple[Floats, Ints]:
    """Features and label codes of a chunk that was looked at before."""
    (block, labels), (columns, classes) = pair, shared
    X = as_floats(block) if columns is None else columns.encode(block)
    y = np.asarray(labels)
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.int64)
    if len(X) != n_rows or len(y) != n_rows or not np.array_equal(classes[codes], y):
        raise ValueError(
            f"chunk {k} changed between two looks at it. Its source must give the same rows each "
            "time; use `persist()` where it does not."
        )
    return X, codes.astype(np.uint8) if len(classes) <= 256 else codes
