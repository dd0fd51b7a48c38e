"""Machines that are not made of rules: kernel expansions, votes of stumps, linear scores.

Each is a frozen record of numbers with `scores`, which gives a value and the size of its rounding
error for every row; `predict` of the model compares them as the estimators do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful._types import Floats
from handful.fitted import steady_product
from handful.io._banks import (
    BANK_FIELDS,
    SUM_FIELDS,
    KernelSum,
    Nonconformity,
    part_to_dict,
    read_ints,
    read_points,
)
from handful.io._banks import is_whole as bank_is_whole
from handful.io._plain import Plain
from handful.kernels import Kernel
from handful.rules import AbstractRule, RuleList, RuleSet
from handful.rules.fields import (
    fail,
    read_float,
    read_floats,
    read_kernel,
    read_size,
)


@dataclass(frozen=True)
class KernelExpansion(Plain):
    """sum_j a_j k(z_j, (x - center) / scale) + b, with ``tie`` times its size as zero."""

    kernel: Kernel
    points: tuple[tuple[float, ...], ...]
    coefficients: tuple[float, ...]
    intercept: float
    center: tuple[float, ...] | None = None
    scale: tuple[float, ...] | None = None
    tie: float = 0.0

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """Values of the expansion."""
        if self.center is not None:
            X = X - np.array(self.center)
        if self.scale is not None:
            X = X / np.array(self.scale)
        values, sizes = np.full(len(X), self.intercept), np.full(len(X), abs(self.intercept))
        if self.points:
            points, weights = np.array(self.points), np.array(self.coefficients)
            step = max(1, 2**22 // len(points))
            for start in range(0, len(X), step):
                K = self.kernel(X[start : start + step], points)
                values[start : start + step] += K @ weights
                sizes[start : start + step] += np.abs(K) @ np.abs(weights)
        return values, self.tie * sizes


@dataclass(frozen=True)
class StumpVotes(Plain):
    """constant + sum_j w_j s_j(x): s_j is 1 up to its threshold, -1 above, 0 where missing."""

    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    weights: tuple[float, ...]
    constant: float = 0.0

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """The votes, feature by feature."""
        total = np.full(len(X), self.constant)
        for feature in sorted(set(self.features)):
            mine = [i for i, other in enumerate(self.features) if other == feature]
            mine.sort(key=lambda i: (self.thresholds[i], self.weights[i]))
            cuts = np.array([self.thresholds[i] for i in mine])
            passed = np.concatenate([[0.0], np.cumsum([self.weights[i] for i in mine])])
            levels = passed[-1] - 2.0 * passed
            column = X[:, feature]
            step = levels[np.searchsorted(cuts, column, side="left")]
            total += np.where(np.isnan(column), 0.0, step)
        return total, np.zeros(len(X))


@dataclass(frozen=True)
class LinearScore(Plain):
    """w.x + b."""

    weights: tuple[float, ...]
    intercept: float

    def scores(self, X: Floats) -> tuple[Floats, Floats]:
        """The weighted sum, over the features that have a weight, in their order."""
        total = steady_product(X, np.array(self.weights))[:, 0]
        return total + self.intercept, np.zeros(len(X))


ScoreMachine = KernelExpansion | StumpVotes | LinearScore | KernelSum | Nonconformity

#: Linear kernels of other machines are sums over examples, which round in another way than weights.
WITHOUT_ROWS = (
    "a machine that is written without: votes of stumps, or kernel='linear' of a "
    "SupportVectorMachine, KernelPerceptron or LinearProgrammingMachine, whose predictions are "
    "computed from weights"
)


def n_training_rows(machines: Sequence[Any]) -> int:
    """How many different training rows some machines hold; those with rules hold them there.

    Examples
    --------
    >>> kernel = Kernel("rbf")
    >>> machine = KernelExpansion(kernel, ((0.0,), (1.0,)), (1.0, -1.0), 0.0)
    >>> n_training_rows([machine, machine]), n_training_rows([LinearScore((1.0,), 0.0)])
    (2, 0)
    """
    rules = sum(rule.n_training_rows for machine in machines for rule in machine.rules)
    holders: list[Any] = []
    for machine in machines:
        holders += machine.parts if isinstance(machine, (KernelSum, Nonconformity)) else [machine]
    rows = {
        (getattr(holder, "columns", None), point)
        for holder in holders
        for point in getattr(holder, "points", ())
    }
    return rules + len(rows)


def used_by(part: Any, n_features: int) -> set[int]:
    """Features that a rule or a machine looks at; of a machine made of rules, ask its rules."""
    if isinstance(part, (RuleSet, RuleList)):
        return set()  # without rules, a constant
    if isinstance(part, AbstractRule):
        return part.used_features(n_features)
    if isinstance(part, StumpVotes):
        return set(part.features)
    if isinstance(part, (KernelSum, Nonconformity)):
        seen = [range(n_features) if p.columns is None else p.columns for p in part.parts]
        return set().union(*seen)
    if isinstance(part, LinearScore):
        return {int(j) for j in np.flatnonzero(np.asarray(part.weights))}
    return set(range(n_features))


def _read_optional(value: Any, where: str) -> tuple[float, ...] | None:
    return None if value is None else read_floats(value, where)


def _read_tie(value: Any, where: str) -> float:
    found = read_size(value, where)
    if found > 1e-6:
        raise fail(where, "a rounding error of at most 1e-6", value)
    return found


_Reader = Callable[[Any, str], Any]
KINDS: dict[str, tuple[type[ScoreMachine], dict[str, _Reader]]] = {
    "expansion": (
        KernelExpansion,
        {
            "kernel": read_kernel,
            "points": read_points,
            "coefficients": read_floats,
            "intercept": read_float,
            "center": _read_optional,
            "scale": _read_optional,
            "tie": _read_tie,
        },
    ),
    "votes": (
        StumpVotes,
        {
            "features": read_ints,
            "thresholds": read_floats,
            "weights": read_floats,
            "constant": read_float,
        },
    ),
    "linear": (LinearScore, {"weights": read_floats, "intercept": read_float}),
    "kernels": (KernelSum, dict(SUM_FIELDS)),
    "nonconformity": (Nonconformity, dict(BANK_FIELDS)),
}


def score_to_dict(machine: ScoreMachine) -> dict[str, Any]:
    """Plain data of a machine without rules."""
    kind = next(name for name, (cls, _) in KINDS.items() if type(machine) is cls)
    out: dict[str, Any] = {"kind": kind}
    for field in KINDS[kind][1]:
        value = getattr(machine, field)
        if isinstance(value, Kernel):
            value = value.to_dict()
        elif field == "parts":
            value = [part_to_dict(part) for part in value]
        elif field in ("points", "validation"):
            value = [list(point) for point in value]
        out[field] = list(value) if isinstance(value, tuple) else value
    return out


def score_from_dict(data: Mapping[str, Any], where: str, n_features: int) -> ScoreMachine:
    """The machine that `score_to_dict` described."""
    cls, fields = KINDS[data["kind"]]
    if set(data) != {"kind", *fields}:
        raise fail(where, f"a machine with the fields {sorted(fields)}", sorted(map(str, data)))
    machine = cls(**{f: read(data[f], f"{where}.{f}") for f, read in fields.items()})
    _check_sizes(machine, where, n_features)
    return machine


def _check_sizes(machine: ScoreMachine, where: str, n_features: int) -> None:
    if isinstance(machine, (KernelSum, Nonconformity)):
        is_whole = bank_is_whole(machine, n_features)
    elif isinstance(machine, KernelExpansion):
        widths = {len(point) for point in machine.points}
        widths |= {len(v) for v in (machine.center, machine.scale) if v is not None}
        is_whole = widths <= {n_features} and len(machine.coefficients) == len(machine.points)
        is_whole = is_whole and all(part > 0.0 for part in machine.scale or ())
    elif isinstance(machine, StumpVotes):
        lengths = {len(machine.features), len(machine.thresholds), len(machine.weights)}
        is_whole = len(lengths) == 1 and all(0 <= j < n_features for j in machine.features)
    else:
        is_whole = len(machine.weights) == n_features
    if not is_whole:
        raise fail(where, f"a machine on {n_features} features, its lists of equal lengths", "")
