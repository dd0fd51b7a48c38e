"""Support vector machines: the exact machine, solved again, and the examples it rests on.

The stable set are the examples with y f(x) <= 1 for the exact machine. It is computed here from
a solution of another solver, polished until its duality gap is rounding, and compared with the
number that the file claims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.verify.arithmetic import root
from handful.verify.audit import Audit, Document, Floats, Mask, is_number
from handful.verify.claims import (
    LANGFORD,
    STABLE,
    STABLE_REFERENCE,
    Claim,
    Key,
    choice_prices,
    confidence,
    kept_prices,
)
from handful.verify.evaluate import LINEAR, kernel_matrix, kernel_values
from handful.verify.evidence import Evidence, kernel_of, sum_views

_FIXED = ("sum-of-slacks", "no-preprocessing")
_MOST_ROWS = 4000  # a dense solve of more takes too long for a check
_FLOOR = 1e-6  # beside the proven reach, for rounding of the values themselves
_WIDEST = 1e149  # norm; numbers beyond its square are refused
_LOOSEST = 1e-3  # accuracy of a machine that is still called an optimum


@dataclass(frozen=True)
class ExactMachine:
    """Values without bias, optimal biases, value of the program and how far all may be off."""

    values: Floats
    low: float
    high: float
    objective: float
    gap: float


@dataclass(frozen=True)
class NormReach:
    """Norm of new points up to which an error of the file's machine means y f(x) <= 1.

    It lies between ``least`` and ``most``; ``excess`` is how far the value of the file's machine
    is above the smallest, relative to it, and ``doubt`` how much of that may be the auditor's own.
    """

    least: float
    most: float
    excess: float
    doubt: float


def solve_exactly(K: Floats, y: Floats, C: float, has_bias: bool) -> ExactMachine:
    """A support vector machine to rounding: a first solution, then its free examples exactly."""
    # Without a bias no library solves this program; with one, any solver will do as a start.
    alpha = _by_steps(K, y, C) if not has_bias else _by_library(K, y, C)
    alpha = _polish(K, y, C, alpha, has_bias)
    values = K @ (alpha * y)
    low, high = best_biases(values, y) if has_bias else (0.0, 0.0)
    bias = (low + high) / 2
    # The value and the gap are computed from the point, whatever found it: a bad start shows as a
    # large gap, not as a wrong verdict.
    norm2 = max(0.0, float((alpha * y) @ values))
    slack = np.maximum(0.0, 1.0 - y * (values + bias))
    dual = float(alpha.sum()) - 0.5 * norm2
    primal = 0.5 * norm2 + C * float(slack.sum())
    if has_bias:  # a constraint that holds to rounding only
        dual -= abs(float(alpha @ y)) * float(np.abs(y - values).max())
    return ExactMachine(values, low, high, dual, max(0.0, primal - dual))


def _by_library(K: Floats, y: Floats, C: float) -> Floats:
    from sklearn.svm import SVC

    machine = SVC(C=C, kernel="precomputed", tol=1e-9, cache_size=500).fit(K, y)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return alpha


def _by_steps(K: Floats, y: Floats, C: float, n_sweeps: int = 2000) -> Floats:
    """One coordinate at a time; without a bias nothing ties them together."""
    alpha, values = np.zeros(len(y)), np.zeros(len(y))
    diagonal = np.maximum(np.diagonal(K), 1e-300)
    for _ in range(n_sweeps):
        largest = 0.0
        for i in range(len(y)):
            new = min(C, max(0.0, alpha[i] + (1.0 - y[i] * values[i]) / diagonal[i]))
            if new != alpha[i]:
                values += (new - alpha[i]) * y[i] * K[i]
                largest, alpha[i] = max(largest, abs(new - alpha[i])), new
        # No coordinate moves any more beyond rounding.
        if largest < 1e-12 * C:
            break
    return alpha


def _polish(K: Floats, y: Floats, C: float, alpha: Floats, has_bias: bool) -> Floats:
    """The examples between the bounds, solved for exactly; kept if they stay between."""
    # Solvers stop close to the bounds; what is that close is at them.
    alpha = np.where(alpha > C * (1 - 1e-9), C, np.where(alpha < C * 1e-9, 0.0, alpha))
    free = np.flatnonzero((alpha > 0.0) & (alpha < C))
    if not free.size:
        return alpha
    bound = np.where(alpha == C, C, 0.0)
    right = y[free] - K[free] @ (bound * y)
    M = K[np.ix_(free, free)]
    if has_bias:
        ones = np.ones((free.size, 1))
        M = np.block([[M, ones], [ones.T, np.zeros((1, 1))]])
        right = np.append(right, -float(bound @ y))
    # Least squares: equal rows make the system singular, and any of its solutions will do.
    found = np.linalg.lstsq(M, right, rcond=None)[0][: free.size] * y[free]
    # The guess of the free set was wrong; the gap then says how far the old point is off.
    if (found < 0.0).any() or (found > C).any():
        return alpha
    better = bound.copy()
    better[free] = found
    return better


def best_biases(values: Floats, y: Floats) -> tuple[float, float]:
    """Smallest and largest b that minimise the sum of max(0, 1 - y (values + b)).

    Examples
    --------
    >>> best_biases(np.array([0.0, 0.0]), np.array([1.0, -1.0]))
    (-1.0, 1.0)
    """
    turns = np.sort(y - values)
    n_positive = (y > 0).sum()
    # the slope grows by one at every turn, from -(number of positives)
    at = int(n_positive)
    low = turns[at - 1] if at > 0 else -np.inf
    high = turns[at] if at < len(turns) else np.inf
    return float(low), float(high)


def svm_claim(evidence: Evidence) -> Claim | None:
    """What the stable (or compression) certificate of a support vector machine must say."""
    audit, p, certificate = evidence.audit, evidence.parameters, evidence.certificate
    views = sum_views(evidence.form)
    C: Any = p.get("C")
    has_bias: Any = p.get("fit_intercept")
    is_usable = is_number(C) and C > 0 and type(has_bias) is bool and p.get("center") is False
    if not audit.check("settings: C, fit_intercept, center", is_usable):
        return None
    _check_machines(evidence, views)
    if evidence.n > _MOST_ROWS or p.get("class_weight", ...) is not None:
        audit.leave(f"the stable set: weights, or more than {_MOST_ROWS} rows, are not solved")
        inside = surely = np.zeros(0, dtype=bool)
        limits = [NormReach(math.inf, math.inf, 0.0, 0.0)]
    else:
        inside, surely, limits = _stable_sets(evidence, views, float(C), has_bias)
    for limit in limits:
        _check_accuracy(audit, p.get("tol"), limit)
    size = _checked_size(audit, certificate["n_compressed"], inside, surely)
    is_bounded = _kernel_of(views[0])["name"] == "rbf"
    extra, n = _limit_words(audit, certificate, limits, is_bounded), evidence.n
    last = confidence(evidence.delta)
    if certificate["bound"] == "compression":
        prices = [*kept_prices(n, size), *choice_prices(audit, certificate, "families"), last]
        words = ("iid", "preprocessing", *_FIXED, *extra)
        return Claim("compression", "tail", prices, words, LANGFORD, n, 0, size, n - size)
    prices = [last, *choice_prices(audit, certificate, "models")]
    words = (*STABLE, *_FIXED, *extra)
    return Claim("stable", "stable", prices, words, STABLE_REFERENCE, n, n_compressed=size)


def _check_machines(evidence: Evidence, views: Sequence[Document]) -> None:
    """Kernels are those of the parameters, points are training rows, named by their indices."""
    audit, kernel = evidence.audit, kernel_of(evidence.parameters, evidence.X.shape[1])
    is_linear = kernel["name"] == "linear"
    kinds = {view["kind"] for view in views}
    if not audit.equal("kinds", sorted(kinds), ["linear" if is_linear else "expansion"]):
        return
    if is_linear:  # weights hold no example
        audit.equal("compression set", evidence.kept, [])
        return
    rows = {tuple(row) for row in evidence.X[evidence.kept].tolist()}
    points = {tuple(point) for view in views for point in view["points"]}
    audit.check("compression set", rows == points, "does not hold the support vectors")
    for k, view in enumerate(views):
        audit.equal(f"machine {k + 1}: kernel", view["kernel"], kernel)
        plain = [view["center"], view["scale"], view["tie"]]
        audit.equal(f"machine {k + 1}: no scale, no tie", plain, [None, None, 0.0])


def _kernel_of(view: Document) -> Document:
    """The kernel of a machine; weights are a sum over examples by the linear one."""
    return LINEAR if view["kind"] == "linear" else view["kernel"]


def _stable_sets(
    evidence: Evidence, views: Sequence[Document], C: float, has_bias: bool
) -> tuple[Mask, Mask, list[NormReach]]:
    """Examples that may be, and that surely are, in the set; how far the machines reach."""
    X = evidence.X
    K = kernel_matrix(_kernel_of(views[0]), X, X)
    norms = np.sqrt(np.maximum(np.diagonal(K), 0.0))
    inside, surely = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=bool)
    limits = []
    for k, view in enumerate(views):
        y = evidence.signs(k, len(views))
        exact = solve_exactly(K, y, C, has_bias)
        # The objective is strongly convex in w: |w - w*|^2 <= 2 gap.
        reach = root(2.0 * exact.gap)
        turns = y - exact.values
        slack = reach * (norms + norms.max() if has_bias else norms) + _FLOOR
        low, high = exact.low, exact.high
        # Both ways: who may be in the set bounds its size from above, who surely is from below.
        inside |= np.where(y > 0, turns >= low - slack, turns <= high + slack)
        surely |= np.where(y > 0, turns >= low + slack, turns <= high - slack)
        limits.append(_reach_of(view, X, y, C, exact, reach * float(norms.max())))
    return inside, surely, limits


def _reach_of(
    machine: Document, X: Floats, y: Floats, C: float, exact: ExactMachine, spread: float
) -> NormReach:
    """How close the file's machine is to the exact one."""
    if machine["kind"] == "linear":  # one point, which is the vector of weights
        points, weights = np.array([machine["weights"]], dtype=float), np.ones(1)
    else:
        points = np.array(machine["points"], dtype=float).reshape(-1, X.shape[1])
        weights = np.array(machine["coefficients"], dtype=float)
    kernel = _kernel_of(machine)
    norm2 = float(weights @ kernel_matrix(kernel, points, points) @ weights)
    values = np.full(len(X), float(machine["intercept"]))
    for point, weight in zip(points, weights, strict=True):
        values += weight * kernel_values(kernel, point, X)
    primal = 0.5 * norm2 + C * float(np.maximum(0.0, 1.0 - y * values).sum())
    excess, unsure = primal - exact.objective, exact.gap + 1e-12 * abs(primal)
    bias = float(machine["intercept"])
    offset = max(0.0, exact.low - bias, bias - exact.high)
    # An error of the file's machine at x means y f(x) <= 1 for the exact one as long as |w - w*|
    # |x| + the difference of the biases is at most 1.
    least = max(0.0, 1.0 - offset - spread) / max(root(2.0 * excess), 1e-300)
    most = max(0.0, 1.0 - offset + spread) / max(root(2.0 * (excess - unsure)), 1e-300)
    size = max(primal, 1e-300)
    return NormReach(least, most, excess / size, unsure / size)


def _checked_size(audit: Audit, claimed: Any, inside: Mask, surely: Mask) -> int:
    """The number of examples in the set, as claimed, if it can be."""
    least, most = int(surely.sum()), int(inside.sum())
    size = claimed if type(claimed) is int else -1
    audit.check("stable set", size >= least, f"the file says {size}, it has at least {least}")
    if least <= size < most:
        audit.leave(f"the stable set: {most - size} examples are too close to its border to tell")
    return max(size, 0)


def _check_accuracy(audit: Audit, tol: Any, limit: NormReach) -> None:
    """The machine is the optimum to the accuracy that it was fitted with."""
    if not is_number(tol) or not 0 < tol <= _LOOSEST:
        audit.leave("the machine itself: it was not fitted to the optimum")
        return
    allowed = 1.01 * tol + 1e-9
    detail = f"it is a part in {1 / max(limit.excess, 1e-300):.2g} above the smallest value"
    audit.check("the machine is the optimum", limit.excess - limit.doubt <= allowed, detail)
    if limit.excess > allowed:  # the smallest value is not known that well
        audit.leave("the machine itself: the program is too badly scaled to be solved here")


def _limit_words(
    audit: Audit, certificate: Document, limits: list[NormReach], is_bounded: bool
) -> tuple[Key, ...]:
    """The assumption on new cases that the accuracy of the file's machine asks for."""
    least, most = min(limit.least for limit in limits), min(limit.most for limit in limits)
    if is_bounded:
        audit.check("errors of the machine enter the set", most >= 1.0, "it is too far off")
        if least < 1.0:
            audit.leave("that errors of the machine enter the set, by the solver's accuracy")
        return ()
    said = [one["values"] for one in certificate["assumptions"] if one["key"] == "norm"]
    is_said = len(said) == 1 and list(said[0]) == ["limit"] and is_number(said[0]["limit"])
    if not audit.check("assumption on new cases", is_said, "is missing"):
        return ()
    square = said[0]["limit"]
    # Squares of a reach that is hardly limited would overflow.
    is_narrow = square >= 0.0 and square <= min(most, _WIDEST) ** 2
    audit.check("assumption on new cases", is_narrow, "is too wide")
    # A smaller limit than the proven one claims less of fewer cases: it is true as well.
    if not square <= min(least, _WIDEST) ** 2:
        audit.leave("how far from the origin new cases may be, by the solver's accuracy")
    return (("norm", said[0]),)
