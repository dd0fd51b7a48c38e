"""Features of a machine: their names, the rows as numbers, which of them tell most."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints

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
    """What the machine is made of; nothing where it is made of all."""
    if not getattr(machine, "is_made_of_few", hasattr(machine, "compression_set_")):
        return np.zeros(0, dtype=np.int64)
    return np.asarray(machine.compression_set_, dtype=np.int64)


def numeric_rows(machine: Any, X: Any = None, y: Any = None) -> tuple[Floats, Ints]:
    """Training rows as numbers and labels as positions in ``classes_``."""
    if hasattr(machine, "_X"):  # covering machines keep their rows
        return machine._X, machine._label_codes
    if X is None or y is None:
        raise ValueError("`X` and `y` must be the training data for this machine. Pass both.")
    codes = np.searchsorted(machine.classes_, np.asarray(y))
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
            moved[:, j] = np.roll(moved[:, j], len(some) // 2 + 1)
            changes[j] = (_predict(machine, moved) != before).sum()
    return [int(j) for j in np.lexsort((-separation, -weights, -changes))]


def telling_features(machine: Any, rows: Floats, codes: Ints) -> tuple[int, int]:
    """The two features that tell most."""
    order = telling_order(machine, rows, codes)
    return order[0], order[1 % len(order)]


def rule_weights(machine: Any, rows: Floats) -> Floats:
    """How much each feature weighs in the rules; ones where there are no rules to read."""
    learned = getattr(machine, "_learned", None)
    if learned is None:
        return np.ones(rows.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column without any value
        spread = np.nan_to_num(np.nanstd(rows, axis=0), nan=0.0, posinf=0.0)
    weights = np.zeros(rows.shape[1])
    for part in learned:
        for rule in part.machine.rules:
            weights += _rule_weights(rule, spread)
    return weights


def _rule_weights(rule: Any, spread: Floats) -> Floats:
    if hasattr(rule, "feature"):
        return (np.arange(len(spread)) == rule.feature).astype(float)
    if hasattr(rule, "weights"):
        raw = np.abs(np.array(rule.weights)) * spread
    elif hasattr(rule, "a"):
        raw = np.abs(np.subtract(rule.a, rule.b)) * spread
    else:
        raw = spread
    total = float(raw.sum())
    return raw / total if 0.0 < total < np.inf else np.ones(len(spread))


def _separation(rows: Floats, codes: Ints) -> Floats:
    """Largest difference of the mean ranks of two classes, for each feature."""
    ranks = np.argsort(np.argsort(rows, axis=0, kind="stable"), axis=0, kind="stable")
    means = np.array([ranks[codes == k].mean(axis=0) for k in np.unique(codes)])
    return np.asarray(np.ptp(means, axis=0))


def _predict(machine: Any, rows: Floats) -> NDArray[Any]:
    if hasattr(machine, "_predict_codes"):
        return np.asarray(machine._predict_codes(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "X does not have valid feature names"
        return np.asarray(machine.predict(rows))
