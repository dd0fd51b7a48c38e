"""Points of a pursuit's path with errors and price, and certificates of rows and of groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats, Ints
from handful.bounds import (
    Certificate,
    Message,
    Quantity,
    Term,
    assume,
    betting_bound,
    binomial_tail_inverse,
    compression_bound,
    matching_pursuit_bound,
    pool_bound,
    prefers_betting,
)
from handful.kernels import Kernel
from handful.pursuit.expansion_codes import (
    CodedExpansion,
    Expansion,
    center_rows,
    chosen_codes,
    decide,
    expansion_of_size,
    log_binomial,
    quantised_codes,
)
from handful.pursuit.kernel_columns import Indices
from handful.pursuit.orthogonal import PursuitPath
from handful.pursuit.pool import CandidatePool, is_outside

if TYPE_CHECKING:
    import pandas as pd

BOUND_OF = {
    "pool": "pool",
    "chosen": "compression",
    "quantised": "compression",
    "least_squares": "matching-pursuit",
}
SELECTION_DELTA = 0.05  # sizes are compared at one confidence, whatever the user certifies at


@dataclass(frozen=True)
class PathPoint:
    """One size of a pursuit with one kernel.

    Attributes
    ----------
    kernel_index, size : int
        ``size`` counts choices per pursuit; the expansion may hold fewer or more centres.
    residual : float
        Sum of squared residuals of the least-squares fit on the rows it was fitted on.
    coded : CodedExpansion
    message : Message
        What the expansion's code and the choices of size and kernel cost.
    n_errors : int
        Errors on the examples the certificate counts.
    risk : float
        Value of the certificate at delta = 0.05, not cut at 1; selection uses it.
    """

    kernel_index: int
    size: int
    residual: float
    coded: CodedExpansion
    message: Message
    n_errors: int
    risk: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a path is certified by, wherever the rows are.

    ``choice`` are the terms every message pays for: size and kernel.
    """

    coefficients: str
    n_samples: int
    ground: CandidatePool
    ridge: float
    has_intercept: bool
    choice: tuple[Term, ...]

    def certificate(self, point: PathPoint, delta: float, n_choices: int = 1) -> Certificate:
        """The certificate of the bound that holds for these coefficients."""
        return certificate_of(
            self.coefficients, self.counts(point), point.message, delta, n_choices
        )

    def counts(self, point: PathPoint) -> Counts:
        """The numbers a certificate is made of."""
        return Counts(
            n_samples=self.n_samples,
            n_pool=len(self.ground.rows),
            n_named=self.ground.n_named,
            n_compressed=len(point.coded.expansion.centers),
            n_errors=point.n_errors,
        )


@dataclass(frozen=True, kw_only=True)
class Task(Plan):
    """What the points of a path are made from: validated, scaled and encoded data."""

    X: Floats
    targets: Floats
    labels: Indices


@dataclass(frozen=True)
class Counts:
    """The numbers a certificate is made of, beside the message."""

    n_samples: int
    n_pool: int
    n_named: int
    n_compressed: int
    n_errors: int


def certificate_of(
    coefficients: str, counts: Counts, message: Message, delta: float, n_choices: int = 1
) -> Certificate:
    """Dispatch to the bound that holds for a kind of coefficients."""
    if coefficients == "pool":
        return pool_bound(
            counts.n_samples,
            counts.n_pool,
            counts.n_errors,
            message_nats=message,
            delta=delta,
            n_choices=n_choices,
        )
    if coefficients == "least_squares":
        return lectures_certificate(counts, delta, math.log(n_choices) + float(message))
    return compression_bound(
        counts.n_samples,
        counts.n_compressed,
        counts.n_errors,
        message_nats=message,
        size_nats=0.0,
        delta=delta,
        n_choices=n_choices,
        pool_size=counts.n_named if counts.n_named < counts.n_samples else None,
    )


def lectures_certificate(counts: Counts, delta: float, choice_nats: float) -> Certificate:
    """`matching_pursuit_bound` with delta shared among the kernels that were tried."""
    certificate = matching_pursuit_bound(
        counts.n_samples,
        max(1, counts.n_compressed),
        min(counts.n_errors, counts.n_samples - max(1, counts.n_compressed)),
        delta=delta * math.exp(-choice_nats),
    )
    return replace(certificate, delta=delta, n_compressed=counts.n_compressed)


def path_frame(points: Sequence[PathPoint], chosen_size: int) -> pd.DataFrame:
    """One row a point; a certificate above 1 says as much as 1."""
    import pandas as pd

    rows = [
        {
            "size": point.size,
            "n_centers": len(point.coded.expansion.centers),
            "residual": point.residual,
            "n_errors": point.n_errors,
            "nats": float(point.message),
            "certificate": min(point.risk, 1.0),
            "is_chosen": point.size == chosen_size,
        }
        for point in points
    ]
    return pd.DataFrame(rows)


def path_points(
    task: Task, kernel: Kernel, kernel_index: int, paths: Sequence[PursuitPath], sizes: range
) -> list[PathPoint]:
    """The best code of every size, without its exact risk."""
    points = []
    everyone = np.unique(np.concatenate([path.centers for path in paths]))
    rows = center_rows(kernel, task.X, task.X[everyone], everyone)
    for size in sizes:
        base = expansion_of_size(paths, size, task.ridge)
        K = rows[:, np.searchsorted(everyone, base.centers)]
        residual = sum(float(path.residual_squares[min(size, path.n_centers)]) for path in paths)
        is_counted = _is_counted(task, base.centers)
        labels = task.labels[is_counted]
        coded = _best_code(task, base, K[is_counted], K[base.centers], labels)
        wrong = decide(*coded.expansion.values(K[is_counted])) != labels
        message = Message([*coded.message.terms, *task.choice])
        points.append(PathPoint(kernel_index, size, residual, coded, message, int(np.sum(wrong))))
    return points


def _best_code(
    task: Task, base: Expansion, K: Floats, K_centers: Floats, labels: Indices
) -> CodedExpansion:
    """The code with the smallest stand-in for the certificate: any way to choose is free."""
    if task.coefficients not in ("chosen", "quantised"):
        return CodedExpansion(base, Message([]), {})
    Y, has_intercept = task.targets[base.centers], task.has_intercept
    if task.coefficients == "chosen":
        families = chosen_codes(base.centers, K_centers, Y, has_intercept=has_intercept)
    else:
        families = quantised_codes(base, Y, has_intercept=has_intercept)
    which = _which_nats(task, len(base.centers))
    best, best_value = None, math.inf
    for family in families:
        n_errors = _quick_errors(K @ family.coefficients, family.intercepts, labels)
        values = _surrogate(n_errors, len(labels), family.nats + which)
        i = int(np.argmin(values))
        if best is None or values[i] < best_value:
            best, best_value = family.code(i), float(values[i])
    assert best is not None
    return best


def _quick_errors(values: Floats, intercepts: Floats, labels: Indices) -> Floats:
    """Errors for each row of intercepts, up to exact ties."""
    if values.shape[1] > 1:
        return np.array([np.sum(np.argmax(values + b, axis=1) != labels) for b in intercepts])
    positives, negatives = np.sort(values[labels == 1, 0]), np.sort(values[labels == 0, 0])
    low = np.searchsorted(positives, -intercepts[:, 0], side="right")
    high = len(negatives) - np.searchsorted(negatives, -intercepts[:, 0], side="right")
    return np.asarray(low + high, dtype=float)


def with_risks(task: Plan, points: Sequence[PathPoint]) -> list[PathPoint]:
    """The same points with the values of their certificates."""
    if task.coefficients == "least_squares":
        return [replace(point, risk=_raw_lectures_value(task, point)) for point in points]
    centers = [point.coded.expansion.centers for point in points]
    n_counted = [int(np.sum(_is_counted(task, chosen))) for chosen in centers]
    which = np.array([_which_nats(task, len(chosen)) for chosen in centers])
    nats = which + [float(point.message) for point in points] - math.log(SELECTION_DELTA)
    n_errors = np.array([point.n_errors for point in points])
    risks = np.atleast_1d(binomial_tail_inverse(n_errors, np.array(n_counted), -nats))
    return [replace(point, risk=float(risk)) for point, risk in zip(points, risks, strict=True)]


def _raw_lectures_value(task: Plan, point: PathPoint) -> float:
    terms = task.certificate(point, SELECTION_DELTA).terms
    return math.fsum(term.nats for term in terms) if terms else math.inf


def _is_counted(task: Plan, centers: Indices) -> NDArray[np.bool_]:
    left_out = task.ground.rows if task.coefficients == "pool" else centers
    return is_outside(task.n_samples, left_out)


def _which_nats(task: Plan, n_centers: int) -> float:
    if task.coefficients in ("pool", "least_squares"):
        return 0.0
    return log_binomial(task.ground.n_named, n_centers)


def _surrogate(n_errors: Floats, n_counted: int, nats: Floats) -> Floats:
    """A quick stand-in for the certificate, growing with errors and nats."""
    n = max(1, n_counted)
    rates, prices = n_errors / n, nats / n
    return np.asarray(rates + np.sqrt(2.0 * rates * prices) + 2.0 * prices)


@dataclass(frozen=True)
class GroupDeviations:
    """How far off the rows of the counted groups are, and those of the pool's groups.

    Attributes
    ----------
    counted, pool : ndarray
        Absolute deviations; groups in blind order, rows of each in blind order.
    counted_member, pool_member : ndarray of int
        Group of each of these rows, 0, 1, ... in that order.
    """

    counted: Floats
    counted_member: Ints
    pool: Floats
    pool_member: Ints

    def certificate(self, epsilon: float, delta: float, n_choices: int, bound: str) -> Certificate:
        """How often a random row of a random new group is off by more than epsilon.

        The mean loss of each group is bet against ("betting"), or one blindly drawn row of each
        group is counted ("pool"); "auto" takes what the pool's groups say will be smaller, before
        any counted group is looked at.
        """
        losses = _means(self.counted > epsilon, self.counted_member)
        known = _means(self.pool > epsilon, self.pool_member)
        nats = float(np.log(n_choices) - np.log(delta))
        if bound == "auto":
            bound = "betting" if prefers_betting(known, len(losses), nats) else "pool"
        if bound == "betting":
            found = betting_bound(
                losses.tolist(), warm_up=known.tolist(), delta=delta, n_choices=n_choices
            )
            words = (*found.assumptions, *assume("blind-pool"))
        else:
            first = np.unique(self.counted_member, return_index=True)[1]
            n_off = int(np.sum(self.counted[first] > epsilon))
            n_groups = len(losses) + len(known)
            found = pool_bound(n_groups, len(known), n_off, delta=delta, n_choices=n_choices)
            words = (*assume("group-rows"), *found.assumptions[1:])
        quantity = Quantity.of("group-off", tolerance=float(epsilon))
        return replace(found, quantity=quantity, assumptions=words)


def _means(is_off: np.ndarray, member: Ints) -> Floats:
    return np.asarray(np.bincount(member, weights=is_off.astype(float)) / np.bincount(member))


def renumbered(member: Ints) -> Ints:
    """Groups as 0, 1, ... in the order of their first row.

    Examples
    --------
    >>> renumbered(np.array([7, 7, 2, 2, 7])).tolist()
    [0, 0, 1, 1, 0]
    """
    _, first, inverse = np.unique(member, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[inverse.reshape(-1)])
