"""What a page tells of training rows: those that make the machine, and right and wrong ones."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Ints
from handful.bounds import Certificate, confidence_text, percent_text
from handful.report.telling_features import (
    column_names,
    cover_of,
    kept_examples,
    numeric_rows,
    telling_order,
)
from handful.tables import is_missing

MAX_ROWS = 500  # a page of more rows is a data file
MAX_COLUMNS = 12  # what fits the width of a page


def read_examples(
    machine: Any, X: Any, labels: NDArray[Any] | None, predicted: NDArray[Any] | None
) -> dict[str, Any] | None:
    """Rows of the kept examples; None if the machine does not say which they are."""
    kept = kept_examples(machine)
    if labels is None or predicted is None or kept.size == 0:
        return None
    roles = example_roles(machine)
    kept = np.array(sorted(kept, key=lambda e: (int(e) not in roles, int(e))))
    columns = used_columns(machine, X, labels)
    rest = ["pool"] if roles or cover_of(machine) is not None else []
    names = column_names(machine, machine.n_features_in_)
    table = _Cells(X)
    return {
        "columns": [names[j] for j in columns],
        "n_hidden_columns": len(names) - len(columns),
        "n_held_back": len(getattr(machine, "held_back_", kept)),
        "n_kept": len(kept),
        "n_hidden": max(0, len(kept) - MAX_ROWS),
        "has_roles": bool(roles),
        "is_pool": bool(len(kept) > len(roles)) and cover_of(machine) is not None,
        "rows": [
            {
                "number": int(e) + 1,  # as `handful predict` counts
                "role": ", ".join(roles.get(int(e), rest)),
                "label": str(labels[e]),
                "is_right": bool(labels[e] == predicted[e]),
                "predicted": str(predicted[e]),
                "cells": [table.cell(int(e), j) for j in columns],
            }
            for e in kept[:MAX_ROWS]
        ],
    }


def example_roles(machine: Any) -> dict[int, list[str]]:
    """Roles of the examples in the rules: index -> words."""
    roles: dict[int, list[str]] = {}
    cover = cover_of(machine)
    if cover is None:
        return roles
    many = len(machine.classes_) > 2
    for label, part in cover.labelled:
        for i, condition in enumerate(part.machine.conditions):
            where = f"rule {i + 1}" + (f" of {label}" if many else "")
            for word, example in zip(condition.roles, condition.examples, strict=False):
                roles.setdefault(int(example), []).append(f"{word} of {where}")
    return roles


def used_columns(machine: Any, X: Any, labels: NDArray[Any]) -> list[int]:
    """Features that the rules look at, or those that tell most, in the order of the data."""
    cover = cover_of(machine)
    if cover is not None:
        sources = cover.fitted.columns.sources
        return sorted({sources[j] for j in cover.fitted.machine.features})
    if machine.n_features_in_ <= MAX_COLUMNS:
        return list(range(machine.n_features_in_))
    try:
        rows, codes = numeric_rows(machine, X, labels)
        order = telling_order(machine, rows, codes)
    except (ValueError, TypeError):
        order = list(range(machine.n_features_in_))
    return sorted(order[:MAX_COLUMNS])


class _Cells:
    """Cells of whatever was given as X, as text and as a number to sort by."""

    def __init__(self, X: Any) -> None:
        self.frame = X if hasattr(X, "columns") else None
        self.rows = None if self.frame is not None else np.asarray(X)

    def cell(self, i: int, j: int) -> dict[str, Any]:
        if self.rows is not None:
            value = self.rows[i, j]
        elif hasattr(self.frame, "iloc"):
            value = self.frame.iloc[i, j]  # type: ignore[union-attr]
        else:
            value = self.frame[i, j]  # type: ignore[index]
        return as_cell(value)


def as_cell(value: Any) -> dict[str, Any]:
    """Text of a value, and the number to sort by if it is one."""
    if isinstance(value, (bool, np.bool_)):
        return {"text": str(bool(value)), "number": None}
    if isinstance(value, (int, float, np.integer, np.floating)):
        number = float(value)
        if np.isnan(number):
            return {"text": "–", "number": None}
        return {"text": f"{number:.6g}", "number": repr(number)}
    if is_missing(value):
        return {"text": "–", "number": None}
    return {"text": str(value), "number": None}


# -- right and wrong -----------------------------------------------------------------------------

MAX_CLASSES = 30  # a larger table does not fit a page
# Bounds that count errors outside the kept examples.
COUNTING_BOUNDS = ("compression", "compression-closed-form", "compression-kl", "cost", "pool")


def read_confusion(
    machine: Any,
    certificate: Certificate,
    labels: NDArray[Any] | None,
    predicted: NDArray[Any] | None,
) -> dict[str, Any] | None:
    """The confusion table with certified limits; None if there is none to show."""
    found = _counts(machine, labels, predicted)
    if found is None or len(machine.classes_) > MAX_CLASSES:
        return None
    (counts, all_counts), classes = found, machine.labels_
    rates = dict(_rates(machine, certificate))
    given = ("false_positive_given_negative", "false_negative_given_positive")
    names = given if len(classes) == 2 else ("",) * len(classes)
    limits = [percent_text(rates[name]) if name in rates else None for name in names]
    return {
        "classes": [str(label) for label in classes],
        "rows": [
            {
                "label": str(label),
                "cells": [
                    {
                        "n": int(all_counts[i, j]),
                        "counted": int(counts[i, j]),
                        "is_right": i == j,
                        "depth": _depth(all_counts, i, j),
                    }
                    for j in range(len(classes))
                ],
                "n": int(all_counts[i].sum()),
                "limit": limits[i],
            }
            for i, label in enumerate(classes)
        ],
        "has_counted": certificate.bound in COUNTING_BOUNDS,
        "has_limits": any(limit is not None for limit in limits),
        "joint": _joint(classes, rates),
        "n_counted": int(counts.sum()),
        "n_all": int(all_counts.sum()),
        "confidence": confidence_text(certificate.delta),
        "together": _together(certificate.delta),
    }


def _counts(
    machine: Any, labels: NDArray[Any] | None, predicted: NDArray[Any] | None
) -> tuple[Ints, Ints] | None:
    """Rows by class and label, those that are counted and all: as a menu counted them, or anew."""
    if labels is None or predicted is None:
        candidate = getattr(machine, "candidate_", None)
        return None if candidate is None else candidate.counts.confusion()
    is_counted = np.ones(len(labels), dtype=bool)
    # Held-back rows made the machine: their errors are no evidence, and stand in the other table.
    is_counted[getattr(machine, "held_back_", machine.compression_set_)] = False
    classes = machine.labels_
    counts = count_pairs(classes, labels[is_counted], predicted[is_counted])
    return counts, count_pairs(classes, labels, predicted)


def _together(delta: float) -> str:
    """When the headline and both pairs of limits hold all at once."""
    if 3.0 * delta >= 1.0:
        return "the headline and both pairs are not certified to hold all at once"
    # Union bound over three statements, in decimals: 3 * 0.05 is 0.15 exactly.
    joint = confidence_text(float(3 * Decimal(repr(delta))))
    return f"the headline and both pairs hold all at once with {joint} confidence"


def _rates(machine: Any, certificate: Certificate) -> tuple[tuple[str, float], ...]:
    """Rates of the certificate, or of the plain bound if it bounds a cost."""
    if certificate.bound != "cost":
        return certificate.rates
    other: Certificate = machine.certify(certificate.delta, bound="compression")
    return other.rates


def _joint(classes: NDArray[Any], rates: dict[str, float]) -> list[str]:
    words = {
        "false_positive": f"is {classes[0]} and called {classes[1]}",
        "false_negative": f"is {classes[1]} and called {classes[0]}",
    }
    return [
        f"The probability that a new case {words[name]} is at most {percent_text(rates[name])}."
        for name in words
        if name in rates
    ]


def count_pairs(classes: NDArray[Any], labels: NDArray[Any], predicted: NDArray[Any]) -> Ints:
    """How often each true class (a row) got each label (a column)."""
    place = {label: k for k, label in enumerate(classes.tolist())}  # in any order
    rows = np.array([place[label] for label in labels.tolist()], dtype=np.int64)
    columns = np.array([place[label] for label in predicted.tolist()], dtype=np.int64)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def _depth(counts: Ints, i: int, j: int) -> int:
    """Depth of a cell's colour, 0 to 4, by its share of the row."""
    share = counts[i, j] / max(1, counts[i].sum())
    # Rounded up: a single case is not left without a colour.
    return math.ceil(4 * share)
