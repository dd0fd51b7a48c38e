"""Covering machines on chunks: the same search and the same certificates as in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats, Ints
from handful.covering.classifier import CoveringClassifier
from handful.distributed._chunks import Chunks
from handful.distributed._reading import read_chunks
from handful.distributed._rows import ChunkedRows
from handful.rules import RuleList, RuleSet


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
    chunks = read_chunks(X, y, classes=classes, may_miss=may_miss, random_state=given.random_state)
    remember_inputs(machine, chunks)
    given._columns = chunks.columns
    settings = machine._read_settings(chunks.n_features, chunks.has_missing)
    machine._learn_machines(lambda positive: ChunkedRows.of(chunks, positive), settings, chunks)
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
    """Errors of the whole machine and covers of its rules; counted already for two classes."""
    parts = machine._learned
    machine._n_covered = [chunks.covers.get(part.machine.rules) for part in parts]
    n_wrong = parts[0].chosen.n_training_errors
    if len(parts) > 1 or machine._n_covered[0] is None:
        machines = [part.machine for part in parts]
        job = _Finish(machine._predict_codes, machines)
        found = chunks.total(job, "errors and covers").tolist()
        n_wrong, covers = found[0], iter(found[1:])
        machine._n_covered = [[next(covers) for _ in part.machine.rules] for part in parts]
    X, codes = chunks.hold(machine.compression_set_)
    kept_wrong = int((machine._predict_codes(X) != codes).sum()) if len(X) else 0
    kept = zip(machine.compression_set_.tolist(), X, codes.tolist(), strict=True)
    machine._kept = {i: (row, code) for i, row, code in kept}
    machine._store(*chunks.hold(chunks.shown), chunks.n_samples, n_wrong, kept_wrong)


@dataclass(frozen=True)
class _Finish:
    """Errors of a chunk, and how many of its rows each rule covers."""

    predict: Callable[[Floats], Ints]
    machines: Sequence[RuleSet | RuleList]

    def __call__(self, X: Floats, codes: Ints) -> Ints:
        covers = [int(m.covers(rule, X).sum()) for m in self.machines for rule in m.rules]
        return np.array([int((self.predict(X) != codes).sum()), *covers], dtype=np.int64)
