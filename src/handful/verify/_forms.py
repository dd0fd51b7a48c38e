"""Classifiers of the menu evaluated from their documents, row by row of encoded numbers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Foreign:
    """Estimators of other libraries, and the rows that are to be labelled as a table."""

    estimators: Sequence[Any] = ()
    rows: Any = None


def scores_of(machine: Document, X: Floats) -> Floats:
    """What a machine adds up for the second of two classes; it says that class above 0."""
    if machine["machine"] == "score card":
        return _points(machine, X) - (machine["threshold"] - 0.5)
    (scores,) = _SUMS[machine["machine"]](machine, X)
    return scores


def measures_of(machine: Document, X: Floats) -> list[Floats]:
    """Whatever a machine compares with zero, and what a card makes of its points; cuts are none."""
    kind = machine["machine"]
    if kind == "thresholded":
        return [values - machine["threshold"] for values in measures_of(machine["base"], X)]
    if kind == "vote":
        return [values for member in machine["members"] for values in measures_of(member, X)]
    if kind == "score card":
        return [machine["scale"] * _points(machine, X) + machine["offset"]]
    if kind == "rules":
        parts = [part for rule in machine["rules"] for part in rule["conditions"]]
        parts = [part for part in parts if part["value"]["kind"] != "feature"]
        return [_value(part["value"], X) - part["cut"] for part in parts]
    return _SUMS[kind](machine, X) if kind in _SUMS else []


def _points(card: Document, X: Floats) -> Floats:
    return sum((i["points"] * _is_met(i, X) for i in card["items"]), np.zeros(len(X)))


def labels_of(machine: Document, X: Floats, n_classes: int, foreign: Foreign | None = None) -> Ints:
    """Positions of the classes that a machine gives to encoded rows."""
    kind = machine["machine"]
    if kind == "foreign":
        return _foreign_labels(machine, X, foreign or Foreign())
    if kind == "constant":
        return np.full(len(X), machine["label"])
    if kind == "rules":
        return _first_rule(machine, X)
    if kind == "score card":
        return (_points(machine, X) >= machine["threshold"]).astype(int)
    if kind == "vote":
        return _votes(machine["members"], X, n_classes, foreign)
    shift = 0.0
    if kind == "thresholded":
        machine, shift = machine["base"], machine["threshold"]
        kind = machine["machine"]
    scores = _SUMS[kind](machine, X)
    return (scores[0] > shift).astype(int) if len(scores) == 1 else np.argmax(scores, axis=0)


def _is_met(condition: Document, X: Floats) -> NDArray[np.bool_]:
    values, op = _value(condition["value"], X), condition["op"]
    if op not in ("<", ">=") or condition["tol"] != 0.0 or condition["examples"]:
        raise ValueError("a menu has conditions without tolerance and examples, by < or >=")
    return np.asarray(values >= condition["cut"] if op == ">=" else values < condition["cut"])


def _value(value: Document, X: Floats) -> Floats:
    """What a condition compares with its cut, for each row."""
    kind = value["kind"]
    if kind == "feature":
        return X[:, value["feature"]]
    full = _full(X, value["fill"])
    if kind == "sum":
        return _weighted(value["weights"], full)
    if kind != "distance" or value["metric"] != "euclidean" or value["kernel"] is not None:
        raise ValueError(f"a condition on a value of the kind {kind!r}")
    gaps = (full - np.array(value["center"])) / value["scale"]
    return np.asarray(np.sqrt((gaps * gaps).sum(axis=1)))


def _first_rule(machine: Document, X: Floats) -> Ints:
    out = np.full(len(X), machine["default"])
    is_open = np.ones(len(X), dtype=bool)
    for rule in machine["rules"]:
        fires = is_open.copy()
        for condition in rule["conditions"]:
            fires &= _is_met(condition, X)
        out[fires] = rule["label"]
        is_open &= ~fires
    return out


def _full(X: Floats, fill: Sequence[float]) -> Floats:
    return np.where(np.isnan(X), np.array(fill, dtype=float), X)


def _weighted(weights: Sequence[float], X: Floats) -> Floats:
    total = np.zeros(len(X))
    for j, weight in enumerate(weights):
        if weight != 0.0:
            total = total + X[:, j] * weight
    return total


def _linear(machine: Document, X: Floats) -> list[Floats]:
    full = _full(X, machine["fill"])
    pairs = zip(machine["weights"], machine["intercepts"], strict=True)
    return [_weighted(weights, full) + intercept for weights, intercept in pairs]


def _additive(machine: Document, X: Floats) -> list[Floats]:
    scores = [np.full(len(X), start) for start in machine["intercepts"]]
    for curve in machine["curves"]:
        x = X[:, curve["feature"]]
        step = np.searchsorted(np.array(curve["cuts"], dtype=float), x, side="right")
        for k in range(len(scores)):
            values = np.array(curve["values"][k])[step]
            scores[k] = scores[k] + np.where(np.isnan(x), curve["missing"][k], values)
    return scores


def _kernels(machine: Document, X: Floats) -> list[Floats]:
    scores = [np.full(len(X), start) for start in machine["intercepts"]]
    for part in machine["parts"]:
        scale = np.array(part["scale"] if part["scale"] is not None else 1.0)
        rows = (X if part["fill"] is None else _full(X, part["fill"])) / scale
        if part["kernel"]["name"] != "rbf" or part["center"] is not None or part["columns"]:
            raise ValueError("a menu has Gaussian kernels of all columns alone")
        for center, weights in zip(part["centers"], part["coefficients"], strict=True):
            gaps = rows - np.array(center) / scale
            near = np.exp(-part["kernel"]["gamma"] * (gaps * gaps).sum(axis=1))
            scores = [score + weight * near for score, weight in zip(scores, weights, strict=True)]
    return scores


_SUMS = {"linear": _linear, "additive": _additive, "kernels": _kernels}


def _foreign_labels(machine: Document, X: Floats, foreign: Foreign) -> Ints:
    """What an estimator of another library says; its labels are positions already."""
    rows = {"table": foreign.rows, "encoded": X}.get(machine["takes"])
    rows = _full(X, machine["fill"]) if machine["takes"] == "filled" else rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a file may ask for rows that an estimator wonders about
        return np.asarray(foreign.estimators[machine["place"]].predict(rows), dtype=int)


def _votes(members: Sequence[Document], X: Floats, n_classes: int, foreign: Foreign | None) -> Ints:
    """Most votes; the earliest member decides where votes are equal."""
    labels = [labels_of(member, X, n_classes, foreign) for member in members]
    out = np.empty(len(X), dtype=int)
    for i in range(len(X)):
        votes = np.zeros(n_classes)
        for k, own in enumerate(labels):
            votes[own[i]] += 1.0 + 0.5 ** (k + 20)
        out[i] = int(np.argmax(votes))
    return out
