"""The handful of examples that make the machine, as rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.report._features import (
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
    """Rows of the kept examples; None where the machine does not say which they are."""
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
    """What each example does in the rules: index -> words."""
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
    """Text of a value, and the number to sort by where it is one."""
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
