"""Covering machines on chunks: the same search and the same certificates as in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.covering._base import CoveringClassifier
from handful.distributed._chunks import Chunks, read_chunks
from handful.distributed._rows import ChunkedRows
from handful.rules import AbstractRule

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


_SHOWN = 2000  # evenly spaced rows that are kept for displays


def fit_covering(machine: CoveringClassifier, X: Any, y: Any, classes: Any) -> CoveringClassifier:
    """Fit a covering machine to chunks."""
    given: Any = machine
    if given.candidates is None:
        raise ValueError(
            "`candidates` must be 'auto' or a pool size for Dask inputs, got None. Rules of all "
            "examples need them in memory; use for example candidates=160."
        )
    if given.kernel == "precomputed":
        raise ValueError(
            "`kernel` = 'precomputed' does not go with Dask inputs. Pass the features and a "
            "named kernel."
        )
    may_miss = given.rules == "auto" or given.rules == "stumps"
    chunks = read_chunks(X, y, classes=classes, may_miss=may_miss)
    remember_inputs(machine, chunks)
    given._columns = chunks.columns
    settings = machine._read_settings(chunks.n_features, chunks.has_missing)
    machine._learn_machines(lambda positive: ChunkedRows.of(chunks, positive), settings)
    _finish(machine, chunks)
    return machine


def remember_inputs(machine: Any, chunks: Chunks) -> None:
    """What a fit in memory would have written about the inputs."""
    machine.classes_ = chunks.classes
    machine.n_features_in_ = chunks.n_features
    if chunks.names is not None:
        machine.feature_names_in_ = np.array(chunks.names, dtype=object)
    elif hasattr(machine, "feature_names_in_"):
        del machine.feature_names_in_


def _finish(machine: Any, chunks: Chunks) -> None:
    """Errors of the whole machine and covers of its rules, in one pass."""
    rules = [rule for part in machine._learned for rule in part.machine.rules]
    found = chunks.total(_Finish(machine._predict_codes, rules), "errors and covers")
    covers = iter(found[1:].tolist())
    machine._n_covered = [[next(covers) for _ in p.machine.rules] for p in machine._learned]
    kept, n = machine.compression_set_, chunks.n_samples
    shown = np.unique(np.linspace(0, n - 1, min(n, _SHOWN)).astype(np.int64))
    examples = np.union1d(kept, shown)
    X, codes = chunks.take(examples)
    wrong = machine._predict_codes(X) != codes
    at = np.searchsorted(examples, shown)
    kept_wrong = int(wrong[np.searchsorted(examples, kept)].sum())
    machine._store(X[at], codes[at], n, int(found[0]), kept_wrong)


@dataclass(frozen=True)
class _Finish:
    """Errors of a chunk, and how many of its rows each rule covers."""

    predict: Callable[[Floats], Ints]
    rules: Sequence[AbstractRule]

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        covers = [int(rule.covers(X).sum()) for rule in self.rules]
        return np.array([int((self.predict(X) != codes).sum()), *covers], dtype=np.int64)
