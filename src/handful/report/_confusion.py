"""Right and wrong: the confusion table with certified limits."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Ints
from handful.bounds import Certificate, confidence_text, percent_text

MAX_CLASSES = 30  # a larger table does not fit a page
# Bounds that count errors outside the kept examples.
COUNTING_BOUNDS = ("compression", "compression-closed-form", "compression-kl", "cost", "pool")


def read_confusion(
    machine: Any,
    certificate: Certificate,
    labels: NDArray[Any] | None,
    predicted: NDArray[Any] | None,
) -> dict[str, Any] | None:
    if labels is None or predicted is None or len(machine.classes_) > MAX_CLASSES:
        return None
    counted = np.ones(len(labels), dtype=bool)
    counted[getattr(machine, "held_back_", machine.compression_set_)] = False
    classes = machine.classes_
    all_counts = _count(classes, labels, predicted)
    counts = _count(classes, labels[counted], predicted[counted])
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
        "n_counted": int(counted.sum()),
        "n_all": len(labels),
        "confidence": confidence_text(certificate.delta),
        "together": _together(certificate.delta),
    }


def _together(delta: float) -> str:
    """When the headline and both pairs of limits hold all at once."""
    if 3.0 * delta >= 1.0:
        return "the headline and both pairs are not certified to hold all at once"
    joint = confidence_text(float(3 * Decimal(repr(delta))))
    return f"the headline and both pairs hold all at once with {joint} confidence"


def _rates(machine: Any, certificate: Certificate) -> tuple[tuple[str, float], ...]:
    """Rates of the certificate, or of the plain bound where it bounds a cost."""
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


def _count(classes: NDArray[Any], labels: NDArray[Any], predicted: NDArray[Any]) -> Ints:
    place = {label: k for k, label in enumerate(classes.tolist())}  # in any order
    rows = np.array([place[label] for label in labels.tolist()], dtype=np.int64)
    columns = np.array([place[label] for label in predicted.tolist()], dtype=np.int64)
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def _depth(counts: Ints, i: int, j: int) -> int:
    """Depth of a cell's colour, 0 to 4, by its share of the row."""
    share = counts[i, j] / max(1, counts[i].sum())
    return math.ceil(4 * share)
