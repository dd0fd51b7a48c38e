"""Machines made of several kernels or of several machines: kernel sums, nonconformity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.conformal.verdicts import (
    ValidationTable,
    decision_values,
    judge_by_margin,
    judge_by_nonconformity,
)
from handful.io._plain import Plain
from handful.kernels import Kernel
from handful.rules.fields import (
    MAX_VALUES,
    fail,
    read_float,
    read_floats,
    read_index,
    read_kernel,
    read_text,
)

MAX_PARTS = 1000  # a damaged file must not make the reader build more
RULES = ("largest-margin", "validation", "vote")


@dataclass(frozen=True)
class KernelPart:
    """sum_j a_j k(z_j, x) on some columns; k divided by both norms where ``is_normalised``."""

    kernel: Kernel
    columns: tuple[int, ...] | None
    is_normalised: bool
    points: tuple[tuple[float, ...], ...]
    coefficients: tuple[float, ...]

    def values(self, X: Floats) -> Floats:
        """Values of the rows."""
        if not self.points:
            return np.zeros(len(X))
        rows = X if self.columns is None else X[:, list(self.columns)]
        points, weights = np.array(self.points), np.array(self.coefficients)
        values = np.asarray(self.kernel(rows, points) @ (weights * self.scales(points)))
        return values * self.scales(rows)

    def scales(self, rows: Floats) -> Floats:
        """1 / sqrt(k(x, x)) where the kernel is normalised, and 0 where that is 0."""
        if not self.is_normalised or self.kernel.name == "rbf":
            return np.ones(len(rows))
        own = self.kernel.diagonal(rows)
        is_positive = own > 0.0
        return np.where(is_positive, 1.0 / np.sqrt(np.where(is_positive, own, 1.0)), 0.0)


@dataclass(frozen=True)
class KernelSum(Plain):
    """A constant and the parts of several kernels."""

    parts: tuple[KernelPart, ...]
    constant: float

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """The parts added up."""
        total = np.full(len(X), self.constant)
        for part in self.parts:
            total += part.values(X)
        return total, np.zeros(len(X))


@dataclass(frozen=True)
class Nonconformity(Plain):
    """Many scores, of which each case picks one by its validation scores; two classes.

    Attributes
    ----------
    parts : tuple of KernelPart
    intercepts : tuple of float
        One a part.
    validation : tuple of tuple of float
        Scores of the validation examples with their own labels, ascending, one row a part.
    tolerances : tuple of float
    n_errors : tuple of int
        Errors of each part on the validation examples.
    rule : {"vote", "validation", "largest-margin"}
    """

    parts: tuple[KernelPart, ...]
    intercepts: tuple[float, ...]
    validation: tuple[tuple[float, ...], ...]
    tolerances: tuple[float, ...]
    n_errors: tuple[int, ...]
    rule: str

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """The composite score of the second class minus that of the first."""
        values = np.stack(
            [part.values(X) + b for part, b in zip(self.parts, self.intercepts, strict=True)]
        )
        pairs = np.stack([-values, values], axis=2)
        if self.rule == "largest-margin":
            verdict = judge_by_margin(pairs)
        else:
            table = ValidationTable(
                sorted_scores=np.array(self.validation),
                tolerance=np.array(self.tolerances),
                n_errors=np.array(self.n_errors, dtype=np.intp),
            )
            verdict = judge_by_nonconformity(table, pairs, self.rule)
        return decision_values(verdict.scores), np.zeros(len(X))


def part_to_dict(part: KernelPart) -> dict[str, Any]:
    """Plain data of a part."""
    return {
        "kernel": part.kernel.to_dict(),
        "columns": None if part.columns is None else list(part.columns),
        "is_normalised": part.is_normalised,
        "points": [list(point) for point in part.points],
        "coefficients": list(part.coefficients),
    }


def read_part(value: Any, where: str) -> KernelPart:
    """The part that `part_to_dict` described."""
    fields = {"kernel", "columns", "is_normalised", "points", "coefficients"}
    if not isinstance(value, Mapping) or set(value) != fields:
        raise fail(where, f"a part with the fields {sorted(fields)}", value)
    if type(value["is_normalised"]) is not bool:
        raise fail(f"{where}.is_normalised", "true or false", value["is_normalised"])
    columns = value["columns"]
    if columns is not None:
        columns = read_ints(columns, f"{where}.columns")
    part = KernelPart(
        kernel=read_kernel(value["kernel"], f"{where}.kernel"),
        columns=columns,
        is_normalised=value["is_normalised"],
        points=read_points(value["points"], f"{where}.points"),
        coefficients=read_floats(value["coefficients"], f"{where}.coefficients"),
    )
    if len(part.points) != len(part.coefficients):
        raise fail(where, "as many points as coefficients", len(part.points))
    return part


def read_parts(value: Any, where: str) -> tuple[KernelPart, ...]:
    """A list of parts."""
    if not isinstance(value, list) or len(value) > MAX_PARTS:
        raise fail(where, f"a list of at most {MAX_PARTS} parts", value)
    return tuple(read_part(part, f"{where}[{i}]") for i, part in enumerate(value))


def read_points(value: Any, where: str) -> tuple[tuple[float, ...], ...]:
    """A list of points."""
    if not isinstance(value, list):
        raise fail(where, "a list of points", value)
    if sum(len(point) for point in value if isinstance(point, list)) > 10 * MAX_VALUES:
        raise fail(where, f"at most {10 * MAX_VALUES} numbers", len(value))
    return tuple(read_floats(point, f"{where}[{i}]") for i, point in enumerate(value))


def read_ints(value: Any, where: str) -> tuple[int, ...]:
    """A list of whole numbers."""
    if not isinstance(value, list) or len(value) > MAX_VALUES:
        raise fail(where, "a list of whole numbers", value)
    return tuple(read_index(v, where) for v in value)


def read_rule(value: Any, where: str) -> str:
    """How a case picks its machine."""
    return read_text(value, where, RULES)


SUM_FIELDS = {"parts": read_parts, "constant": read_float}
BANK_FIELDS = {
    "parts": read_parts,
    "intercepts": read_floats,
    "validation": read_points,
    "tolerances": read_floats,
    "n_errors": read_ints,
    "rule": read_rule,
}


def is_whole(machine: KernelSum | Nonconformity, n_features: int) -> bool:
    """Whether all sizes fit together."""
    for part in machine.parts:
        columns = range(n_features) if part.columns is None else part.columns
        if any(not 0 <= j < n_features for j in columns):
            return False
        if any(len(point) != len(columns) for point in part.points):
            return False
    if isinstance(machine, KernelSum):
        return True
    n = len(machine.parts)
    lists = (machine.intercepts, machine.validation, machine.tolerances, machine.n_errors)
    widths = {len(row) for row in machine.validation}
    is_sorted = all(list(row) == sorted(row) for row in machine.validation)
    return n > 0 and all(len(x) == n for x in lists) and len(widths) == 1 and is_sorted
