"""What a model file computes: one function for each form, one for each kind of value.

To add a form: a function of its part of the document and of encoded rows, marked with `form`. It
gives one sum for two classes, and one a class for more. The largest sum, or the sign, is the label.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from handful.verify.audit import Document, Floats, Ints, Mask

LINEAR = {"name": "linear", "gamma": 1.0, "degree": 3, "coef0": 0.0}
RELATIVE = 1e-10  # values this close to a threshold lie on it, as the guide to model files says
_SMALLEST, _LARGEST = 2.0**-1022, float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Beside:
    """What a form may need beside encoded rows: estimators of other libraries, rows as a table."""

    estimators: Sequence[Any] = ()
    rows: Any = None


class ClassSums(NamedTuple):
    """One column for two classes, one a class for more; sums within ``slack`` are equal."""

    values: Floats
    slack: Floats | float = 0.0


FormFunction = Callable[[Document, Floats, Beside], ClassSums]
FORMS: dict[str, FormFunction] = {}


def form(name: str) -> Callable[[FormFunction], FormFunction]:
    """Say that a function evaluates the form of this name."""

    def keep(function: FormFunction) -> FormFunction:
        FORMS[name] = function
        return function

    return keep


def sums_of(machine: Document, X: Floats, beside: Beside | None = None) -> ClassSums:
    """What a machine adds up for encoded rows."""
    if machine["machine"] not in FORMS:
        raise ValueError(f"there is no machine of kind {machine['machine']!r}")
    return FORMS[machine["machine"]](machine, X, beside or Beside())


def labels_of(machine: Document, X: Floats, beside: Beside | None = None) -> Ints:
    """Positions of the classes that a machine gives to encoded rows."""
    values, slack = sums_of(machine, X, beside)
    if values.shape[1] == 1:
        return np.asarray(values[:, 0] > slack, dtype=np.int64)
    lowest = values.max(axis=1) - slack
    return np.asarray(np.argmax(values >= lowest[:, None], axis=1), dtype=np.int64)


def has_classes(machine: Document, n_classes: int) -> bool:
    """Whether a machine, and every one that it is made of, is for so many classes."""
    inner = [*machine.get("members", ()), *([machine["base"]] if "base" in machine else ())]
    n_inner = 2 if machine["machine"] == "one against the rest" else n_classes
    said = machine.get("n_classes", n_classes)
    is_own = type(said) is int and said == n_classes
    return is_own and all(has_classes(member, n_inner) for member in inner)


def measures_of(machine: Document, X: Floats) -> list[Floats]:
    """Whatever a machine compares with zero, and what a card makes of its points; cuts are none."""
    kind = machine["machine"]
    if kind == "thresholded":
        return [values - machine["threshold"] for values in measures_of(machine["base"], X)]
    if kind == "vote":
        return [values for member in machine["members"] for values in measures_of(member, X)]
    if kind == "score card":
        return [machine["scale"] * _points(machine, X) + machine["offset"]]
    if "rules" in machine:
        parts = [part for rule in machine["rules"] for part in rule["conditions"]]
        parts = [part for part in parts if part["value"]["kind"] != "feature"]
        return [value_of(part["value"], X) - part["cut"] for part in parts]
    return [] if kind in ("constant", "foreign") else list(sums_of(machine, X).values.T)


def _as_sums(labels: Any, n_classes: int) -> ClassSums:
    """Labels as sums that say them."""
    labels = np.asarray(labels, dtype=np.int64)
    if not bool(((labels >= 0) & (labels < n_classes)).all()):
        raise ValueError("a label that is none of the classes")
    if n_classes <= 2:  # a pool of one class knows no other
        return ClassSums(2.0 * labels[:, None] - 1.0)
    return ClassSums((labels[:, None] == np.arange(n_classes)).astype(float))


# -- values and conditions ---------------------------------------------------------------------


def kernel_values(kernel: Document, point: Floats, X: Floats) -> Floats:
    """k(point, x) for the rows x of X."""
    name = kernel["name"]
    if name == "rbf":
        squares = np.zeros(X.shape[0])
        for j in range(X.shape[1]):
            # Differences first: |x|^2 + |z|^2 - 2 x.z loses digits if rows are close.
            squares += (X[:, j] - point[j]) ** 2
        return np.asarray(np.exp(-kernel["gamma"] * squares))
    if name not in ("linear", "poly"):
        raise ValueError(f"kernel {name!r} cannot be evaluated from a file")
    products = X @ point
    if name == "linear":
        return np.asarray(products)
    return np.asarray((kernel["gamma"] * products + kernel["coef0"]) ** kernel["degree"])


def kernel_matrix(kernel: Document, A: Floats, B: Floats) -> Floats:
    """K of shape (len(A), len(B))."""
    if not len(B):
        return np.zeros((len(A), 0))
    return np.column_stack([kernel_values(kernel, b, A) for b in B])


def own_values(kernel: Document, X: Floats) -> Floats:
    """k(x, x) for the rows x of X."""
    return np.array([kernel_values(kernel, row, row[None, :])[0] for row in X])


def _full(X: Floats, fill: Any) -> Floats:
    return np.where(np.isnan(X), np.array(fill, dtype=float), X) if fill else X


def weighted_sum(weights: Sequence[float], X: Floats) -> Floats:
    """Products added in the order of the features; those without a weight are not looked at."""
    total = np.zeros(len(X))
    for j, weight in enumerate(weights):
        if weight:
            total = total + X[:, j] * weight
    return total


def value_of(value: Document, X: Floats) -> Floats:
    """What a condition compares with its cut, for each row."""
    if value["kind"] not in VALUES:
        raise ValueError(f"a condition on a value of the kind {value['kind']!r}")
    return VALUES[value["kind"]](value, X)


def _feature(value: Document, X: Floats) -> Floats:
    return np.asarray(X[:, value["feature"]])


def _sum(value: Document, X: Floats) -> Floats:
    return weighted_sum(value["weights"], _full(X, value["fill"]))


def _distance(value: Document, X: Floats) -> Floats:
    center, kernel = np.array(value["center"], dtype=float), value["kernel"]
    if kernel is not None:
        # A sum of three roundings may fall below zero if the distance is zero.
        squares = own_values(kernel, X) + own_values(kernel, center[None, :])[0]
        squares = squares - 2.0 * kernel_values(kernel, center, X)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
    scale = 1.0 if value["scale"] is None else np.array(value["scale"], dtype=float)
    if value["fill"] is not None:
        gaps = (_full(X, value["fill"]) - center) / scale
        return np.asarray(np.sqrt((gaps * gaps).sum(axis=1)))
    # Divided before subtracting, as the library does: the last bits then are the same.
    gaps = np.abs(X / scale - center / scale)
    if value["metric"] == "euclidean":
        return np.asarray(np.sqrt((gaps**2).sum(axis=1)))
    return np.asarray(gaps.sum(axis=1) if value["metric"] == "manhattan" else gaps.max(axis=1))


def _difference(value: Document, X: Floats) -> Floats:
    a, b = np.array(value["a"], dtype=float), np.array(value["b"], dtype=float)
    return kernel_values(value["kernel"], a, X) - kernel_values(value["kernel"], b, X)


VALUES: dict[str, Callable[[Document, Floats], Floats]] = {
    "feature": _feature,
    "sum": _sum,
    "distance": _distance,
    "kernel difference": _difference,
}


def answers(values: Floats, op: str, cut: float, tol: float = 0.0) -> Mask:
    """Which values compare with a cut; a missing one does not, whatever is asked."""
    if op in ("<", ">="):
        return np.asarray(values < cut - tol if op == "<" else values >= cut - tol)
    if op in (">", "<="):
        return np.asarray(values > cut + tol if op == ">" else values <= cut + tol)
    # NaN compares as false: a missing value is not equal; below it is kept from being unequal.
    is_equal = np.abs(values - cut) <= tol
    if op == "=":
        return np.asarray(is_equal)
    if op != "≠":
        raise ValueError(f"there is no comparison {op!r}")
    return np.asarray(~(is_equal | np.isnan(values)))


def is_met(condition: Document, X: Floats) -> Mask:
    """Which rows meet a condition."""
    values = value_of(condition["value"], X)
    return answers(values, condition["op"], condition["cut"], condition["tol"])


def pair_gram(kernel: Document, a: Floats, b: Floats) -> tuple[float, float, float]:
    """k(a, a), k(b, b) and k(a, b)."""
    if kernel["name"] == "linear":  # columns in which they agree are not looked at
        a, b = a[a != b], b[a != b]
    K = kernel_matrix(kernel, np.array([a, b]), np.array([a, b]))
    return float(K[0, 0]), float(K[1, 1]), float(K[0, 1])


def _unit(value: Document) -> float:
    """Length of the normal of a boundary: distances are differences of values by it."""
    if value["kind"] == "sum":
        return float(np.hypot.reduce(np.array(value["weights"], dtype=float)))
    if value["kind"] != "kernel difference":
        return 1.0
    a, b = np.array(value["a"], dtype=float), np.array(value["b"], dtype=float)
    k_aa, k_bb, k_ab = pair_gram(value["kernel"], a, b)
    return float(np.sqrt(max(k_aa + k_bb - 2.0 * k_ab, 0.0)))


def _distance_to(condition: Document, X: Floats) -> Floats:
    """Distance of each row to the boundary of a condition, positive if the row meets it."""
    values, op = value_of(condition["value"], X), condition["op"]
    gap = np.abs(values - condition["cut"]) / max(_unit(condition["value"]), _SMALLEST)
    if op in ("=", "≠"):  # words are at no distance but one
        gap = np.where(np.isnan(values), 0.0, 1.0)
    # Scores are never zero: their sign is the label, on the boundary too.
    gap = np.clip(np.where(np.isnan(gap), 0.0, gap), _SMALLEST, _LARGEST)
    return np.where(answers(values, op, condition["cut"], condition["tol"]), gap, -gap)


# -- forms of labels ---------------------------------------------------------------------------


@form("constant")
def _constant(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    return _as_sums(np.full(len(X), machine["label"]), machine["n_classes"])


def _fired(rules: Sequence[Document], X: Floats) -> Ints:
    """Position of the first rule that fires for each row; the number of rules if none does."""
    out = np.full(len(X), len(rules), dtype=np.int64)
    for i, rule in reversed(list(enumerate(rules))):
        fires = np.ones(len(X), dtype=bool)
        for condition in rule["conditions"]:
            fires &= is_met(condition, X)
        out[fires] = i
    return out


def _first_labels(machine: Document, X: Floats) -> Ints:
    outputs = np.array([*(rule["label"] for rule in machine["rules"]), machine["default"]])
    return np.asarray(outputs[_fired(machine["rules"], X)])


@form("rules")
def _rules(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    return _as_sums(_first_labels(machine, X), machine["n_classes"])


def _rule_distances(machine: Document, X: Floats) -> list[Floats]:
    return [
        np.min([_distance_to(condition, X) for condition in rule["conditions"]], axis=0)
        for rule in machine["rules"]
    ]


@form("rule set")
def _rule_set(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    if not machine["rules"]:
        return _as_sums(np.full(len(X), machine["default"]), 2)
    best = np.max(_rule_distances(machine, X), axis=0)
    return ClassSums((best if machine["rules"][0]["label"] else -best)[:, None])


@form("rule list")
def _rule_list(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    signs, fired = _as_sums(_first_labels(machine, X), 2).values, _fired(machine["rules"], X)
    nearest = np.full(len(X), np.inf)
    for i, distance in enumerate(_rule_distances(machine, X)):
        nearest = np.where(fired >= i, np.minimum(nearest, np.abs(distance)), nearest)
    return ClassSums(signs * nearest[:, None] if machine["rules"] else signs)


@form("one against the rest")
def _one_against_the_rest(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    return ClassSums(np.column_stack([sums_of(m, X).values[:, 0] for m in machine["members"]]))


def _points(card: Document, X: Floats) -> Floats:
    return sum((i["points"] * is_met(i, X) for i in card["items"]), np.zeros(len(X)))


@form("score card")
def _card(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    return ClassSums((_points(machine, X) - (machine["threshold"] - 0.5))[:, None])


@form("vote")
def _vote(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    """Most votes; the earliest member decides if votes are equal."""
    votes = np.zeros((len(X), machine["n_classes"]))
    for k, member in enumerate(machine["members"]):
        votes[np.arange(len(X)), labels_of(member, X, beside)] += 1.0 + 0.5 ** (k + 20)
    return _as_sums(np.argmax(votes, axis=1), machine["n_classes"])


@form("thresholded")
def _thresholded(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    values, slack = sums_of(machine["base"], X, beside)
    return ClassSums(values - machine["threshold"], slack)


@form("foreign")
def _foreign(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    """What an estimator of another library says; its labels are positions already."""
    filled = _full(X, machine["fill"]) if machine["takes"] == "filled" else None
    rows = {"table": beside.rows, "encoded": X, "filled": filled}[machine["takes"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a file may ask for rows that an estimator wonders about
        labels = beside.estimators[machine["place"]].predict(rows)
    return _as_sums(labels, machine["n_classes"])


# -- forms that add up -------------------------------------------------------------------------


@form("linear")
def _linear(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    full = _full(X, machine["fill"])
    pairs = zip(machine["weights"], machine["intercepts"], strict=True)
    return ClassSums(np.column_stack([weighted_sum(w, full) + b for w, b in pairs]))


@form("additive")
def _additive(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    out = np.tile(np.array(machine["intercepts"], dtype=float), (len(X), 1))
    for curve in machine["curves"]:
        x = X[:, curve["feature"]]
        step = np.searchsorted(np.array(curve["cuts"], dtype=float), x, side="right")
        values = np.array(curve["values"], dtype=float).T[step]
        out += np.where(np.isnan(x)[:, None], np.array(curve["missing"], dtype=float), values)
    return ClassSums(out)


@form("votes")
def _votes(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    columns = []
    for vote in machine["votes"]:
        total = np.full(len(X), float(vote["constant"]))
        parts = (vote["features"], vote["thresholds"], vote["weights"])
        for feature, threshold, weight in zip(*parts, strict=True):
            column = X[:, feature]
            total += weight * ((column <= threshold).astype(float) - (column > threshold))
        columns.append(total)
    return ClassSums(np.column_stack(columns))


def _norms(part: Document, rows: Floats) -> Floats:
    """1 / sqrt(k(x, x)) if a kernel is normalised, and 0 if that is 0."""
    if not part["is_normalised"]:
        return np.ones(len(rows))
    own = own_values(part["kernel"], rows)
    is_positive = own > 0.0
    return np.where(is_positive, 1.0 / np.sqrt(np.where(is_positive, own, 1.0)), 0.0)


def scaled(part: Document, X: Floats) -> Floats:
    """Rows in the units in which a kernel reads them."""
    X = X if part["center"] is None else X - np.array(part["center"], dtype=float)
    return X if part["scale"] is None else X / np.array(part["scale"], dtype=float)


def part_sums(part: Document, X: Floats, n_sums: int) -> tuple[Floats, Floats]:
    """Coefficients times kernel values of a part, and the same of absolute values."""
    rows = X if part["columns"] is None else X[:, part["columns"]]
    rows = scaled(part, _full(rows, part["fill"]))
    centers = np.array(part["centers"], dtype=float).reshape(len(part["centers"]), rows.shape[1])
    centers = scaled(part, centers)
    coefficients = np.array(part["coefficients"], dtype=float).reshape(len(centers), n_sums)
    sums, sizes = np.zeros((len(X), n_sums)), np.zeros((len(X), n_sums))
    own, norms = _norms(part, rows), _norms(part, centers)
    for center, weights, norm in zip(centers, coefficients, norms, strict=True):
        values = (kernel_values(part["kernel"], center, rows) * own * norm)[:, None] * weights
        sums, sizes = sums + values, sizes + np.abs(values)
    return sums, sizes


@form("kernels")
def _kernels(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    out = np.tile(np.array(machine["intercepts"], dtype=float), (len(X), 1))
    size = np.abs(out)
    for part in machine["parts"]:
        sums, sizes = part_sums(part, X, out.shape[1])
        out, size = out + sums, size + sizes
    return ClassSums(out, machine["tie"] * size.max(axis=1))


def scorer_values(machine: Document, X: Floats) -> Floats:
    """One column for each scorer of a nonconformity form."""
    return np.column_stack([sums_of(scorer, X).values[:, 0] for scorer in machine["scorers"]])


@form("nonconformity")
def _nonconformity(machine: Document, X: Floats, beside: Beside) -> ClassSums:
    """Plus or minus one for the label that the rule of the machine picks, case by case."""
    return ClassSums(np.array([[_picked(machine, row)] for row in scorer_values(machine, X)]))


def _picked(machine: Document, values: Floats) -> float:
    signs = [1 if value > 0.0 else -1 for value in values]
    if machine["rule"] == "largest-margin":
        return float(signs[int(np.argmax(np.abs(values)))])
    counts = []
    for k, value in enumerate(values):
        slack = machine["tolerances"][k]
        counts.append(sum(score <= -abs(value) + slack for score in machine["validation"][k]))
    tied = [k for k, count in enumerate(counts) if count == min(counts)]
    balance = sum(signs[k] for k in tied) if machine["rule"] == "vote" else 0
    if balance:
        tied = [k for k in tied if signs[k] == (1 if balance > 0 else -1)]
    return float(signs[min(tied, key=lambda k: (machine["n_errors"][k], k))])
