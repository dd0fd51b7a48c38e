"""Candidates along the path of a pursuit: every size with its code, its errors and its price."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds import Certificate, Quantity, Term, assume, log_choose
from handful.candidates import (
    Candidate,
    Code,
    Counts,
    GroupLosses,
    certify,
)
from handful.kernels import Kernel
from handful.pursuit.candidate_pool import CandidatePool, is_outside
from handful.pursuit.expansion_codes import (
    CodedExpansion,
    Expansion,
    center_rows,
    chosen_codes,
    decide,
    expansion_of_size,
    quantised_codes,
)
from handful.pursuit.kernel_columns import Indices
from handful.pursuit.orthogonal import PursuitPath
from handful.tables import Grouping

BOUND_OF = {
    "pool": "pool",
    "chosen": "compression",
    "quantised": "compression",
    "least_squares": "matching-pursuit",
}
SELECTION_DELTA = 0.05  # sizes are compared at one confidence, whatever the user certifies at


@dataclass(frozen=True, eq=False, kw_only=True)
class PathPoint(Candidate):
    """One size of a pursuit with one kernel.

    Attributes
    ----------
    kernel_index, size : int
        ``size`` counts choices per pursuit; the expansion may hold fewer or more centres.
    residual : float
        Sum of squared residuals of the least-squares fit on the rows it was fitted on.
    expansion : Expansion
    content : dict
        Numbers that rebuild the expansion from its centres.
    """

    kernel_index: int
    size: int
    residual: float
    expansion: Expansion
    content: dict[str, object] = field(default_factory=dict)

    @property
    def tie_break(self) -> tuple[int, ...]:
        return self.size, self.kernel_index

    def shown(self, risk: float) -> dict[str, Any]:
        return {
            "size": self.size,
            "n_centers": len(self.expansion.centers),
            "residual": self.residual,
            "n_errors": self.counts.n_errors,
            "nats": self.code.nats,
            "certificate": min(risk, 1.0),  # above 1 it says as much as 1
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Settings by which the points of a path are certified, in memory and over chunks.

    ``choice`` are the terms that every message pays: size and kernel.
    """

    coefficients: str
    n_samples: int
    ground: CandidatePool
    ridge: float
    has_intercept: bool
    choice: tuple[Term, ...]

    def n_held(self, centers: Indices) -> int:
        """Examples that are not counted: the pool, or the centres."""
        return len(self.ground.rows) if self.coefficients == "pool" else len(centers)

    @property
    def n_named(self) -> int | None:
        """Among how many examples the bound names the centres; None if that is free."""
        is_named = self.coefficients in ("chosen", "quantised")
        return self.ground.n_named if is_named else None

    def point(
        self,
        kernel_index: int,
        size: int,
        paths: Sequence[PursuitPath],
        coded: CodedExpansion,
        n_errors: int,
    ) -> PathPoint:
        """The candidate of a coded expansion with so many errors among the counted examples."""
        n_held = self.n_held(coded.expansion.centers)
        terms = (*coded.terms, *self.choice)
        return PathPoint(
            code=Code(BOUND_OF[self.coefficients], terms, self.n_named),
            counts=Counts(n_held=n_held, n_counted=self.n_samples - n_held, n_errors=n_errors),
            kernel_index=kernel_index,
            size=size,
            residual=sum(float(p.residual_squares[min(size, p.n_centers)]) for p in paths),
            expansion=coded.expansion,
            content=coded.content,
        )


@dataclass(frozen=True, kw_only=True)
class Task(Plan):
    """A plan with the validated, scaled and encoded data that the points of a path need."""

    X: Floats
    targets: Floats
    labels: Indices


def path_points(
    task: Task, kernel: Kernel, kernel_index: int, paths: Sequence[PursuitPath], sizes: range
) -> list[PathPoint]:
    """The best code of every size, with its errors."""
    points = []
    everyone = np.unique(np.concatenate([path.centers for path in paths]))
    # Kernel values against all centres of the path once; every size takes some of the columns.
    rows = center_rows(kernel, task.X, task.X[everyone], everyone)
    for size in sizes:
        base = expansion_of_size(paths, size, task.ridge)
        K = rows[:, np.searchsorted(everyone, base.centers)]
        is_counted = _is_counted(task, base.centers)
        labels = task.labels[is_counted]
        coded = _best_code(task, base, K[is_counted], K[base.centers], labels)
        is_wrong = decide(*coded.expansion.values(K[is_counted])) != labels
        points.append(task.point(kernel_index, size, paths, coded, int(np.sum(is_wrong))))
    return points


def _best_code(
    task: Task, base: Expansion, K: Floats, K_centers: Floats, labels: Indices
) -> CodedExpansion:
    """The code with the smallest stand-in for the certificate: any way to choose is free."""
    if task.coefficients not in ("chosen", "quantised"):
        return CodedExpansion(base)
    Y, has_intercept = task.targets[base.centers], task.has_intercept
    if task.coefficients == "chosen":
        families = chosen_codes(base.centers, K_centers, Y, has_intercept=has_intercept)
    else:
        families = quantised_codes(base, Y, has_intercept=has_intercept)
    # All codes of one size name equally many centres.
    which = log_choose(task.ground.n_named, len(base.centers))
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
    # Positives at or below the threshold and negatives above it are wrong, for all thresholds at
    # once.
    low = np.searchsorted(positives, -intercepts[:, 0], side="right")
    high = len(negatives) - np.searchsorted(negatives, -intercepts[:, 0], side="right")
    return np.asarray(low + high, dtype=float)


def _is_counted(task: Plan, centers: Indices) -> NDArray[np.bool_]:
    # The pool gives centres and coefficients, or the message gives the coefficients of the centres.
    # Given that, errors on all other examples are binomial. Coefficients of all examples ("least
    # squares") are no such code: the bound of the lectures pays for a class of functions instead.
    left_out = task.ground.rows if task.coefficients == "pool" else centers
    return is_outside(task.n_samples, left_out)


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
    counted_groups, pool_groups : Grouping
        Groups of these rows.
    """

    counted: Floats
    counted_groups: Grouping
    pool: Floats
    pool_groups: Grouping

    def losses(self, epsilon: float) -> GroupLosses:
        """Rows that are off by more than epsilon, group by group."""
        found = GroupLosses.of(self.counted_groups, self.counted > epsilon)
        return replace(found, warm_up=self.pool_groups.means(self.pool > epsilon))

    def certificate(self, epsilon: float, delta: float, n_choices: int, bound: str) -> Certificate:
        """How often a random row of a random new group is off by more than epsilon.

        "betting" bets against the mean loss of each group, "pool" counts one blindly drawn row of
        each group. "auto" takes what the groups of the pool say will be smaller, before any
        counted group is looked at.
        """
        groups = self.losses(epsilon)
        if bound == "auto":
            groups = groups.decided(math.log(n_choices) - math.log(delta))
        else:
            groups = replace(groups, how="betting" if bound == "betting" else "one row")
        counts = Counts(
            n_held=len(self.pool_groups),
            n_counted=len(groups.losses),
            n_errors=groups.n_errors,
            groups=groups,
        )
        found = certify(Code("pool"), counts, delta, n_choices=n_choices)
        words = (*found.assumptions, *assume("blind-pool"))
        if found.bound == "pool":
            words = (*assume("group-rows"), *found.assumptions[1:])
        quantity = Quantity.of("group-off", tolerance=float(epsilon))
        return replace(found, quantity=quantity, assumptions=words)
