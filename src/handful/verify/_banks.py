"""Sums of kernels and nonconformity, evaluated again from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._geometry import kernel_values

Floats = NDArray[np.float64]


def bank_values(parts: Sequence[Mapping[str, Any]], X: Floats) -> Floats:
    """Values of the rows under each part, one column a part."""
    columns = [_part_values(part, X) for part in parts]
    return np.column_stack(columns) if columns else np.zeros((len(X), 0))


def _part_values(part: Mapping[str, Any], X: Floats) -> Floats:
    rows = X if part["columns"] is None else X[:, part["columns"]]
    total = np.zeros(len(X))
    for point, weight in zip(part["points"], part["coefficients"], strict=True):
        at = np.array(point, dtype=float)
        values = weight * kernel_values(part["kernel"], at, rows)
        if part["is_normalised"]:
            own = float(kernel_values(part["kernel"], at, at[None, :])[0])
            values = values / np.sqrt(own) if own > 0.0 else np.zeros(len(X))
        total += values
    if not part["is_normalised"]:
        return total
    own_rows = np.array([kernel_values(part["kernel"], row, row[None, :])[0] for row in rows])
    is_positive = own_rows > 0.0
    return np.where(is_positive, total / np.sqrt(np.where(is_positive, own_rows, 1.0)), 0.0)


def nonconformity_values(machine: Mapping[str, Any], X: Floats) -> Floats:
    """Plus or minus one for the label that the rule of the machine picks, case by case."""
    values = bank_values(machine["parts"], X) + np.array(machine["intercepts"], dtype=float)
    return np.array([_label(machine, row) for row in values])


def _label(machine: Mapping[str, Any], values: Floats) -> float:
    signs = [1 if value > 0.0 else -1 for value in values]
    if machine["rule"] == "largest-margin":
        return float(signs[int(np.argmax(np.abs(values)))])
    counts = []
    for k, value in enumerate(values):
        slack = machine["tolerances"][k]
        counts.append(sum(score <= -abs(value) + slack for score in machine["validation"][k]))
    tied = [k for k, count in enumerate(counts) if count == min(counts)]
    if machine["rule"] == "vote":
        balance = sum(signs[k] for k in tied)
        if balance:
            tied = [k for k in tied if signs[k] == (1 if balance > 0 else -1)]
    best = min(tied, key=lambda k: (machine["n_errors"][k], k))
    return float(signs[best])
