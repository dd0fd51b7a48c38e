"""Features of a machine: their names, the rows as numbers, which of them tell most."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.covering import CoverFit

MAX_ROWS = 2000  # predictions are made anew for every feature tried
MAX_TRIED = 50  # as above
MAX_COMPARED = 1000  # before any prediction is made: a cheap comparison of classes


def column_names(machine: Any, n_features: int) -> list[str]:
    """The user's names, or x0, x1, …"""
    names = getattr(machine, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(n_features)]
    return [str(name) for name in names]


def kept_examples(machine: Any) -> Ints:
    """Indices of the examples that the machine is made of; none if it is made of all."""
    if not getattr(machine, "is_made_of_few", hasattr(machine, "compression_set_")):
        return np.zeros(0, dtype=np.int64)
    return np.asarray(machine.compression_set_, dtype=np.int64)


def cover_of(machine: Any) -> CoverFit | None:
    """The record of a covering machine; None for other machines."""
    return getattr(machine, "cover_", None)


def encoded_names(machine: Any, n_features: int) -> list[str]:
    """Names of the features that a machine reads, once words are flags."""
    cover = cover_of(machine)
    return column_names(machine, n_features) if cover is None else [*cover.fitted.columns.names]


def numeric_rows(machine: Any, X: Any, y: Any) -> tuple[Floats, Ints]:
    """Rows as numbers and labels as positions in ``classes_``."""
    order = np.argsort(machine.classes_)
    codes = order[np.searchsorted(machine.classes_, np.asarray(y), sorter=order)]
    cover, rows = cover_of(machine), X if hasattr(X, "columns") else np.asarray(X)
    if cover is not None:
        return cover.fitted.rows(rows), codes
    return np.asarray(X, dtype=np.float64), codes


def telling_order(machine: Any, rows: Floats, codes: Ints) -> list[int]:
    """Features by how many predictions change when they are shuffled.

    Ties go to the feature that separates the labels better. Of many features only those that
    weigh most in the rules are tried.
    """
    some = rows[:: max(1, len(rows) // MAX_ROWS)]
    labels = codes[:: max(1, len(rows) // MAX_ROWS)]
    weights = rule_weights(machine, some)
    heavy = np.argsort(-weights, kind="stable")[:MAX_COMPARED]
    separation = np.zeros(rows.shape[1])
    separation[heavy] = _separation(some[:, heavy], labels)
    tried = np.lexsort((-separation, -weights))[:MAX_TRIED]
    before = _predict(machine, some)
    changes = np.zeros(rows.shape[1])
    for j in tried:
        if weights[j] > 0.0:
            moved = some.copy()
            # Moved by half the rows instead of shuffled: the same page comes out each time.
            moved[:, j] = np.roll(moved[:, j], len(some) // 2 + 1)
            changes[j] = (_predict(machine, moved) != before).sum()
    return [int(j) for j in np.lexsort((-separation, -weights, -changes))]


def telling_features(machine: Any, rows: Floats, codes: Ints) -> tuple[int, int]:
    """The two features that tell most."""
    order = telling_order(machine, rows, codes)
    return order[0], order[1 % len(order)]


def rule_weights(machine: Any, rows: Floats) -> Floats:
    """How much each feature weighs in the rules; ones if there are no rules to read."""
    cover = cover_of(machine)
    if cover is None:
        return np.ones(rows.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column without any value
        spread = np.nan_to_num(np.nanstd(rows, axis=0), nan=0.0, posinf=0.0)
    weights = np.zeros(rows.shape[1])
    for condition in (condition for rules in cover.rules for condition in rules):
        weights += _shares(condition.value.feature_weights(spread))
    return weights


def _shares(raw: Floats) -> Floats:
    """Weights divided by their sum; equal weights if the sum is 0 or infinite."""
    total = float(raw.sum())
    return raw / total if 0.0 < total < np.inf else np.ones(len(raw))


def _separation(rows: Floats, codes: Ints) -> Floats:
    """Largest difference of the mean ranks of two classes, for each feature."""
    # Ranks, so that neither units nor outliers of a feature decide.
    ranks = np.argsort(np.argsort(rows, axis=0, kind="stable"), axis=0, kind="stable")
    means = np.array([ranks[codes == k].mean(axis=0) for k in np.unique(codes)])
    return np.asarray(np.ptp(means, axis=0))


def _predict(machine: Any, rows: Floats) -> NDArray[Any]:
    cover = cover_of(machine)
    if cover is not None:
        return cover.fitted.machine.labels(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "X does not have valid feature names"
        return np.asarray(machine.predict(rows))
