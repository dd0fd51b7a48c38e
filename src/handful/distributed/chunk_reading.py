"""Dask arrays and data frames as checked chunks of rows.

The data are looked at once before anything is learned: sizes, labels, missing values. What is
wrong with a chunk is said with the number of the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.chunks import is_chunked
from handful.distributed.chunk_rows import ChunkRows, ChunkScan, ChunkSummary
from handful.distributed.cluster import cache_bytes, compute, measured, persist, require_dask
from handful.distributed.order import block_digests, digest_parts
from handful.tables import (
    Columns,
    Draw,
    RowDigests,
    RowNeeds,
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


def read_chunks(
    X: Any, y: Any, needs: RowNeeds | None = None, *, random_state: Any = None
) -> ChunkRows:
    """Look at every chunk once, check it, and prepare the chunks for learning.

    Parameters
    ----------
    X : dask array or dask data frame
    y : dask array or series
        Cut into the same chunks as X.
    needs : RowNeeds, optional
        How the rows are read.
    random_state : None, int, RandomState, Generator or RowDigests
        What decides the order of the rows.
    """
    needs = needs or RowNeeds()
    if needs.is_numeric and not isinstance(random_state, RowDigests):
        random_state = _numeric_digests(X, y, random_state)
    scan = scan_chunks(X, y, needs, random_state)
    columns = None
    if scan.names is not None and needs.may_name and not needs.is_table:
        columns = _columns(scan.found, scan.names)
    delayed = require_dask().delayed
    prepare = delayed(_prepare, pure=False)
    known, places = scan.classes, np.arange(len(scan.classes))
    if needs.class_order is not None:
        # Codes follow the order of the classes that is wanted; labels are found in sorted order.
        places = np.argsort(np.asarray(needs.class_order, dtype=known.dtype))
    shared = delayed((columns, known, places, needs.is_table), pure=False, traverse=False)
    parts = [
        prepare(k, block, shared, int(n))
        for k, (block, n) in enumerate(zip(scan.blocks, scan.sizes, strict=True))
    ]
    n_bytes = int(scan.sizes.sum()) * (8 * scan.width + 8)
    is_numbers = not needs.is_table or scan.names is None
    if is_numbers and n_bytes <= cache_bytes() // 2:
        parts = persist(parts)
    return ChunkRows(
        parts=parts,
        scan=scan,
        classes=known[np.argsort(places)],
        columns=columns,
        names=scan.names,
        is_table=needs.is_table,
        target=_name_of(y, scan.names),
    )


def _name_of(y: Any, names: Sequence[str] | None) -> str:
    """Name of a series of labels; y if it has none, or if a column has the same."""
    name = getattr(y, "name", None) if hasattr(y, "to_frame") else None
    return "y" if name is None or str(name) in (names or ()) else str(name)


def scan_chunks(X: Any, y: Any, needs: RowNeeds, random_state: Any) -> ChunkScan:
    """Look at every chunk once and check it; parameters as in `read_chunks`."""
    blocks, names, width = delayed_blocks(X, y)
    look = require_dask().delayed(_look, pure=False)
    digests, covered = _digests_of(blocks, column_names(X), random_state)
    with measured("look", len(blocks), 1, 0, 200):
        pairs = zip(blocks, digests, strict=True)
        found = compute([look(block, width, needs, d) for block, d in pairs])
    known = None if needs.classes is None else np.unique(np.asarray(needs.classes))
    _check(found, known, needs.may_miss)
    if known is None:
        known = np.unique(np.concatenate([s.labels for s in found]))
    sums = [s.digest_sum for s in found if s.digest_sum is not None]
    # Sums modulo 2^64 have no order: the digest does not depend on how the table is cut.
    total = np.asarray(np.sum(sums, axis=0, dtype=np.uint64))
    sizes = np.array([s.n_rows for s in found], dtype=np.int64)
    draw = Draw(digest_of_sum(total), seed_of(random_state), covered)
    return ChunkScan(blocks, digests, found, names, width, sizes, known, draw)


def chunk_digests(X: Any, y: Any, *, seed: int | None = None) -> RowDigests:
    """Digests of the rows of Dask inputs, to be given as ``random_state``.

    Parameters
    ----------
    X : dask array or dask data frame
        With all columns of the table, also those that are not used.
    y : dask array or series
        Cut like X.
    seed : int, optional
        A whole number in place of the digest of the table.

    Examples
    --------
    >>> import dask.array as da
    >>> chunk_digests(da.zeros((4, 2), chunks=(2, 2)), da.zeros(4, chunks=2))
    RowDigests(2 parts)
    """
    blocks, _, _ = delayed_blocks(X, y)
    return RowDigests(digest_parts(blocks), column_names(X), seed)


def _numeric_digests(X: Any, y: Any, seed: Any) -> RowDigests:
    """Digests of the rows with targets that are numbers in a column, as in memory."""
    digest = require_dask().delayed(_numeric_block, pure=False)
    blocks, _, _ = delayed_blocks(X, y)
    return RowDigests([digest(block) for block in blocks], column_names(X), seed_of(seed))


def _numeric_block(block: tuple[Any, Any]) -> Any:
    targets = np.asarray(block[1], dtype=np.float64)
    return block_digests((block[0], targets.reshape(len(targets), -1)))


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
    if not is_chunked(y):
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


def _look(pair: tuple[Any, Any], width: int, needs: RowNeeds, digests: Any) -> ChunkSummary:
    """Size, labels and oddities of one chunk."""
    block, y = pair[0], np.asarray(pair[1])
    empty = np.zeros(0, dtype=np.int64)
    nothing = ChunkSummary(len(block), len(y), empty, empty, False, False, 0.0)
    if np.ndim(block) != 2 or block.shape[1] != width:
        found = block.shape[1] if np.ndim(block) == 2 else np.ndim(block)
        return replace(nothing, problem=f"has {found} columns, and `X` has {width}")
    if _has_missing_label(y):
        return replace(nothing, problem="has missing labels. Remove those rows")
    parts = None
    if needs.is_table and hasattr(block, "dtypes"):  # cells are read when the pool is known
        block = block.iloc[:, :0]
    elif needs.may_name and hasattr(block, "dtypes"):
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


def _columns(found: Sequence[ChunkSummary], names: Sequence[str]) -> Columns | None:
    """Columns with their words, from all chunks; None if all are numbers."""
    usable = [s.parts for s in found if s.parts is not None]
    named = enumerate(names)
    columns = tuple(typed_column(name, [parts[j] for parts in usable]) for j, name in named)
    return Columns(columns) if any(column.kind for column in columns) else None


def _check(found: Sequence[ChunkSummary], known: Labels | None, may_miss: bool) -> None:
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
    k: int, pair: tuple[Any, Any], shared: tuple[Columns | None, Labels, Ints, bool], n_rows: int
) -> tuple[Any, Ints]:
    """Rows and codes of the labels of a chunk that was looked at before."""
    (block, labels), (columns, classes, places, is_table) = pair, shared
    X = block if is_table and hasattr(block, "iloc") else None
    if X is None:
        X = as_floats(block) if columns is None else columns.encode(block)
    y = np.asarray(labels)
    # An unknown label gets some code here; the comparison below finds it.
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.int64)
    if len(X) != n_rows or len(y) != n_rows or not np.array_equal(classes[codes], y):
        raise ValueError(
            f"chunk {k} changed between two looks at it. Its source must give the same rows each "
            "time; use `persist()` if it does not."
        )
    codes = places[codes]
    return X, codes.astype(np.uint8) if len(classes) <= 256 else codes
