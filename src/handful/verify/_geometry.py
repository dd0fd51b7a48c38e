"""What rules compute, written again from their definitions in the model file format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rule = Mapping[str, Any]

LINEAR = {"name": "linear", "gamma": 1.0, "degree": 3, "coef0": 0.0}
RELATIVE = 1e-10  # values this close to a threshold lie on it, as the guide to model files says
_SMALLEST, _LARGEST = 2.0**-1022, float(np.finfo(np.float64).max)


def kernel_values(kernel: Mapping[str, Any], point: Floats, X: Floats) -> Floats:
    """k(point, x) for the rows x of X."""
    name = kernel["name"]
    if name == "rbf":
        squares = np.zeros(X.shape[0])
        for j in range(X.shape[1]):
            # Differences first: |x|^2 + |z|^2 - 2 x.z loses digits where rows are close.
            squares += (X[:, j] - point[j]) ** 2
        return np.asarray(np.exp(-kernel["gamma"] * squares))
    if name not in ("linear", "poly"):
        raise ValueError(f"kernel {name!r} cannot be evaluated from a file")
    products = X @ point
    if name == "linear":
        return np.asarray(products)
    return np.asarray((kernel["gamma"] * products + kernel["coef0"]) ** kernel["degree"])


def _pair(rule: Rule, X: Floats) -> Floats:
    a, b = np.array(rule["a"], dtype=float), np.array(rule["b"], dtype=float)
    if rule["kernel"]["name"] == "linear":
        # Columns in which both agree have no weight; a missing value there does not matter.
        return _weighted_sums(X, a - b)
    return kernel_values(rule["kernel"], a, X) - kernel_values(rule["kernel"], b, X)


def _weighted_sums(X: Floats, weights: Floats) -> Floats:
    """Sums over the features that have a weight: the others are not looked at."""
    used = np.flatnonzero(weights)
    return np.asarray(X[:, used] @ weights[used])


def _gram(rule: Rule) -> tuple[float, float, float]:
    a, b = np.array(rule["a"], dtype=float), np.array(rule["b"], dtype=float)
    if rule["kernel"]["name"] == "linear":  # columns in which they agree are not looked at
        a, b = a[a != b], b[a != b]
    both = np.array([a, b])
    at_a, at_b = kernel_values(rule["kernel"], a, both), kernel_values(rule["kernel"], b, both)
    return float(at_a[0]), float(at_b[1]), float(at_a[1])


def _distances(rule: Rule, X: Floats) -> Floats:
    center = np.array(rule["center"], dtype=float)
    kernel = rule["kernel"]
    if kernel is not None:
        own = np.array([kernel_values(kernel, row, row[None, :])[0] for row in X])
        at_center = kernel_values(kernel, center, center[None, :])[0]
        # A sum of three roundings may fall below zero where the distance is zero.
        squares = own + at_center - 2.0 * kernel_values(kernel, center, X)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
    scale = 1.0 if rule["scale"] is None else np.array(rule["scale"], dtype=float)
    # Divided before subtracting, as the library does: the last bits then are the same.
    gaps = np.abs(X / scale - center / scale)
    if rule["metric"] == "euclidean":
        return np.asarray(np.sqrt((gaps**2).sum(axis=1)))
    return np.asarray(gaps.sum(axis=1) if rule["metric"] == "manhattan" else gaps.max(axis=1))


def rule_values(rule: Rule, X: Floats) -> Floats:
    """The number that a rule compares with its cut, for the rows of X."""
    kind = rule["type"]
    if kind == "stump":
        return np.asarray(X[:, rule["feature"]])
    if kind == "linear":
        return _weighted_sums(X, np.array(rule["weights"], dtype=float))
    return _distances(rule, X) if kind == "ball" else _pair(rule, X)


def rule_cut(rule: Rule) -> float:
    """The number that values are compared with."""
    if rule["type"] == "ball":
        return float(rule["radius"])
    if rule["type"] != "two-point":
        return float(rule["threshold"])
    k_aa, k_bb, k_ab = _gram(rule)
    at_a, at_b = k_aa - k_ab, k_ab - k_bb
    return float(at_b + rule["numerator"] / 2.0 ** rule["level"] * (at_a - at_b))


def rule_tolerance(rule: Rule) -> float:
    """Half-width of what counts as equal to the cut: as the file says, or as it follows."""
    kind = rule["type"]
    if kind == "stump":
        return 0.0
    if "tol" in rule:
        return float(rule["tol"])
    if kind == "ball":
        return RELATIVE * float(rule["radius"])
    return RELATIVE * max(abs(value) for value in _gram(rule))


def rule_unit(rule: Rule) -> float:
    """Length of the normal of the rule's boundary."""
    if rule["type"] in ("stump", "ball"):
        return 1.0
    if rule["type"] == "linear":
        return float(np.hypot.reduce(np.array(rule["weights"], dtype=float)))
    k_aa, k_bb, k_ab = _gram(rule)
    return float(np.sqrt(max(k_aa + k_bb - 2.0 * k_ab, 0.0)))


def on_side(
    values: Floats, cut: float, side: str, tolerance: float, with_missing: bool = False
) -> Mask:
    """Which values lie on a side of a cut; a missing one on none, or on it by a conjunction."""
    if with_missing:
        return on_side(values, cut, side, tolerance) | np.isnan(values)
    if side == "below":
        return np.asarray(values < cut - tolerance)
    if side == "above":
        return np.asarray(values > cut + tolerance)
    # NaN compares as false: a missing value is not equal; below it is kept from being unequal.
    equal = np.abs(values - cut) <= tolerance
    if side == "equal":
        return np.asarray(equal)
    if side != "unequal":
        raise ValueError(f"there is no side {side!r}")
    return np.asarray(~(equal | np.isnan(values)))


def covered(rule: Rule, X: Floats) -> Mask:
    """Which rows a rule covers."""
    return on_side(rule_values(rule, X), rule_cut(rule), rule["side"], rule_tolerance(rule))


def same_covers(rule: Rule, again: Rule, X: Floats) -> bool:
    """Whether a rule and the one computed again cover the same rows of X."""
    with np.errstate(invalid="ignore", over="ignore"):
        return bool((covered(rule, X) == covered(again, X)).all())


def _scores(
    rules: Sequence[Rule], X: Floats, with_missing: bool
) -> tuple[list[Mask], list[Floats]]:
    """Covers and distances to the boundary of each rule."""
    covers, distances = [], []
    for rule in rules:
        values, cut = rule_values(rule, X), rule_cut(rule)
        covers.append(on_side(values, cut, rule["side"], rule_tolerance(rule), with_missing))
        # Scores are never zero: their sign is the label, on the boundary too.
        gap = np.abs(values - cut) / max(rule_unit(rule), _SMALLEST)
        if rule["side"] in ("equal", "unequal"):  # words are at no distance but one
            gap = np.where(np.isnan(values), 0.0, 1.0)
        distances.append(np.clip(np.where(np.isnan(gap), 0.0, gap), _SMALLEST, _LARGEST))
    return covers, distances


def machine_scores(machine: Mapping[str, Any], X: Floats) -> Floats:
    """Signed scores of a set or list of rules; their signs are the labels."""
    rules, kind = machine["rules"], machine["kind"]
    with np.errstate(invalid="ignore", over="ignore"):
        covers, distances = _scores(rules, X, kind == "conjunction")
    if kind == "list":
        return _list_scores(machine, covers, distances, X.shape[0])
    if kind not in ("conjunction", "disjunction"):
        raise ValueError(f"there is no machine of kind {kind!r}")
    sign = 1.0 if kind == "conjunction" else -1.0
    if not rules:
        return np.full(X.shape[0], sign)
    signed = [np.where(c, -d, d) for c, d in zip(covers, distances, strict=True)]
    return sign * np.min(signed, axis=0)


def _list_scores(
    machine: Mapping[str, Any], covers: list[Mask], distances: list[Floats], n: int
) -> Floats:
    label = np.full(n, float(machine["default"]))
    decided = np.zeros(n, dtype=bool)
    nearest = np.full(n, np.inf)
    for cover, distance, output in zip(covers, distances, machine["outputs"], strict=True):
        nearest = np.where(decided, nearest, np.minimum(nearest, distance))
        label = np.where(cover & ~decided, float(output), label)
        decided |= cover
    return label if not covers else label * nearest
