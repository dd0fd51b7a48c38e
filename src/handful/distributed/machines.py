"""Machines on Dask inputs: fits, lazy predictions, and errors counted chunk by chunk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handful.distributed.chunk_reading import delayed_blocks, read_chunks
from handful.distributed.chunk_rows import in_chunk
from handful.distributed.cluster import compute, measured, require_dask


def fit(machine: Any, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> Any:
    """Fit a machine to a Dask array or data frame; ``machine.fit(X, y)`` calls this.

    Parameters
    ----------
    machine : CertifiedClassifier, covering machine, AdaBoost or kernel matching pursuit
        ``candidates`` of a covering machine must name a pool ("auto" or a number).
    X : dask array or dask data frame
        Cut into chunks of rows; it need not fit into memory. It is read several times, so its
        source must give the same rows each time.
    y : dask array or series
        Cut like X.
    classes : array-like, optional
        The labels that may occur. A chunk with another label is an error that names the chunk;
        without ``classes`` every label that is found is a class (of a `CertifiedClassifier`, every
        label of its pool).
    sample_weight : None
        Not accepted: repeat the rows.

    Returns
    -------
    machine
        Fitted, and equal to what a fit in memory gives for the same ``random_state``; a matching
        pursuit, whose sums are not whole numbers, up to rounding.

    Examples
    --------
    >>> import dask.array as da
    >>> from handful import SetCoveringMachine, load_dataset
    >>> from handful.distributed import fit
    >>> data = load_dataset("breastw")
    >>> X, y = da.from_array(data.X, chunks=(100, -1)), da.from_array(data.y, chunks=100)
    >>> there = fit(SetCoveringMachine("stumps", candidates=40, random_state=0), X, y)
    >>> here = SetCoveringMachine("stumps", candidates=40, random_state=0).fit(data.X, data.y)
    >>> there.certificate_ == here.certificate_
    True
    """
    if sample_weight is not None:
        raise ValueError(
            "`sample_weight` is not accepted with Dask inputs. Repeat the rows instead."
        )
    needs = machine.row_needs()
    if classes is not None:
        needs = replace(needs, classes=classes)
    return machine.fit_rows(read_chunks(X, y, needs, random_state=machine.random_state))


def map_rows(machine: Any, method: str, X: Any) -> Any:
    """A method of a fitted machine on every chunk of X, as a lazy Dask collection.

    Parameters
    ----------
    machine : estimator
    method : str
        "predict", "decision_function", "predict_proba" or "reasons".
    X : dask array or dask data frame

    Returns
    -------
    dask array, or a dask series (a data frame if there are several columns) for a frame
    """
    light = machine.without_data()
    n_features = int(machine.n_features_in_)
    if hasattr(X, "columns"):
        meta = _framed(light, method, X._meta_nonempty).iloc[:0]
        return X.map_partitions(_framed_part, light, method, meta=meta)
    if X.ndim != 2 or (X.shape[1] != n_features):
        raise ValueError(
            f"X has {X.shape[1] if X.ndim == 2 else X.ndim} features, but "
            f"{type(machine).__name__} is expecting {n_features} features as input."
        )
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    # Dask must know the shape of an answer before it asks: a row of zeros gives one.
    meta = np.asarray(getattr(light, method)(np.zeros((1, n_features))))
    if meta.ndim == 1:
        return X.map_blocks(
            _array_part, light, method, drop_axis=1, dtype=meta.dtype, meta=meta[:0]
        )
    return X.map_blocks(
        _array_part,
        light,
        method,
        chunks=(X.chunks[0], (meta.shape[1],)),
        dtype=meta.dtype,
        meta=meta[:0],
    )


def _array_part(block: Any, machine: Any, method: str, block_info: Any = None) -> Any:
    if len(block) == 0:
        return np.asarray(getattr(machine, method)(np.zeros((1, machine.n_features_in_))))[:0]
    k = block_info[0]["chunk-location"][0] if block_info else 0
    return in_chunk(k, lambda: getattr(machine, method)(np.asarray(block)))


def _framed(machine: Any, method: str, part: Any) -> Any:
    import pandas as pd

    values = np.asarray(getattr(machine, method)(part))
    if values.ndim == 1:
        return pd.Series(values, index=part.index, name=method)
    return pd.DataFrame(values, index=part.index, columns=[str(c) for c in machine.classes_])


def _framed_part(
    part: Any, machine: Any, method: str, partition_info: dict[str, int] | None = None
) -> Any:
    if len(part) == 0:
        return _framed(machine, method, _one_row(part)).iloc[:0]
    k = partition_info["number"] if partition_info else 0
    return in_chunk(k, lambda: _framed(machine, method, part))


def _one_row(part: Any) -> Any:
    return part.reindex([0]).fillna(0)


def count_wrong(machine: Any, X: Any, y: Any) -> tuple[int, int]:
    """Number of examples in a Dask input, and how many of them a machine gets wrong.

    A label that the machine does not know counts as wrong.
    """
    blocks, _, width = delayed_blocks(X, y)
    if width != machine.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {type(machine).__name__} is expecting "
            f"{machine.n_features_in_} features as input."
        )
    delayed = require_dask().delayed
    shared = delayed(machine.without_data(), pure=False, traverse=False)
    count = delayed(_wrong, pure=False)
    with measured("errors", len(blocks), 1):
        found = compute([count(k, block, shared) for k, block in enumerate(blocks)])
    return sum(n for n, _ in found), sum(wrong for _, wrong in found)


def count_seen(machine: Any, X: Any, y: Any) -> int:
    """How many examples of a Dask input equal a row that the machine remembers from training."""
    blocks, _, _ = delayed_blocks(X, y)
    delayed = require_dask().delayed
    shared = delayed(machine, pure=False, traverse=False)
    with measured("seen rows", len(blocks), 1):
        return sum(compute([delayed(_seen, pure=False)(block, shared) for block in blocks]))


def _seen(pair: tuple[Any, Any], machine: Any) -> int:
    return int(machine.count_seen(*pair)) if len(pair[0]) else 0


def _wrong(k: int, pair: tuple[Any, Any], machine: Any) -> tuple[int, int]:
    block, labels = pair
    if len(block) == 0:
        return 0, 0
    predicted = in_chunk(k, lambda: machine.predict(block))
    y = np.asarray(labels)
    if len(y) != len(predicted):
        raise ValueError(f"chunk {k} has {len(predicted)} rows and {len(y)} labels.")
    # Compared as labels: one that the machine does not know is never equal, hence wrong.
    return len(y), int((predicted != y).sum())
