"""Balls around an example, the radius given by another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.bounds import Message, ball_message
from handful.kernels import Kernel
from handful.models import Condition, Distance, Metric, Op, as_floats, distances
from handful.rules.family import KIND_SIGNS, CodedPath, Family, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import (
    ABOVE,
    BELOW,
    RELATIVE_TOLERANCE,
    SIDE_OPS,
    CandidateTable,
    CodedRule,
    Encoder,
    Geometry,
    check_finite,
    threshold_rows,
)


def ball_tolerance(radius: Any) -> Any:
    """Tolerance of a distance, or of many."""
    return RELATIVE_TOLERANCE * radius


def ball_cover(
    center: Floats,
    radius: float,
    op: Op,
    *,
    metric: str = "euclidean",
    scale: Floats | None = None,
    kernel: Kernel | None = None,
    examples: tuple[int, ...] = (),
) -> Condition:
    """The outside (">") or the inside ("<") of a ball around an example."""
    scales = None if scale is None else as_floats(scale)
    value = Distance(as_floats(center), cast(Metric, metric), scales, kernel)
    return Condition(value, op, radius, float(ball_tolerance(radius)), examples)


def _distances(points: Floats, geometry: Geometry, X: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        values = distances(points, X, metric=geometry.metric, kernel=geometry.ball_kernel)
    check_finite(values)
    return values


def rebuild_balls(
    X: Floats,
    y: Ints,
    is_border: Mask,
    kind: str,
    *,
    geometry: Geometry | None = None,
    indices: Sequence[int] | None = None,
) -> tuple[Condition, ...]:
    """Balls from the kept examples and which of them are borders only.

    Every other kept example is a centre. With B the kept examples of the class that must not be
    covered (positives in a conjunction), a centre in B gets the largest distance to B as its
    radius and covers what is outside; a centre of the other class gets the smallest distance to
    B and covers what is inside.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [2.0], [3.0]]), np.array([1, 1, -1])
    >>> covers = rebuild_balls(X, y, np.array([False, True, False]), "conjunction")
    >>> [(cover.value.center, cover.op, cover.cut) for cover in covers]
    [((0.0,), '>', 2.0), ((3.0,), '<', 1.0)]
    """
    names, sign, how = names_of(X, indices), KIND_SIGNS[kind], geometry or Geometry()
    members = np.flatnonzero(y == sign)
    if len(members) == 0 or is_border[y != sign].any():
        raise ValueError(
            "`is_border` must mark examples of the class that is not covered, and one such "
            "example must be kept. Radii cannot be rebuilt otherwise."
        )
    covers = []
    for i in np.flatnonzero(~is_border):
        is_same = y[i] == sign
        radii = distances(X[[i]], X[members], metric=how.metric, kernel=how.ball_kernel)[0]
        # No kept example of the class that must not be covered is covered: radii need no message.
        at = int(np.argmax(radii) if is_same else np.argmin(radii))
        covers.append(
            ball_cover(
                X[i],
                float(radii[at]),
                ">" if is_same else "<",
                metric=how.metric,
                kernel=how.ball_kernel,
                examples=(names[i], names[members[at]]),
            )
        )
    return tuple(covers)


class BallFamily(Family):
    """A centre, and a border example of the class that must not be covered."""

    name = "balls"
    proposed_as = "balls"
    has_members = True

    def n_directions(self, pool_size: int, n_features: int) -> int:
        return pool_size

    def table(
        self,
        rows: Rows,
        pool: Ints,
        geometry: Geometry,
        *,
        n_threads: int = 1,
        centers: Ints | None = None,
    ) -> CandidateTable:
        """One direction a centre, radii at the distances of the pool's examples.

        ``centers`` are positions in the pool; by default, all.
        """
        pool_rows = rows.row_of[pool]
        first = np.arange(len(pool)) if centers is None else centers
        values = partial(_distances, rows.X[pool_rows[first]], geometry)
        at_pool = values(rows.X[pool_rows])
        tolerances = ball_tolerance(at_pool.max(axis=1))
        encoder = Encoder.of_sources(values, threshold_rows(at_pool, tolerances), tolerances)
        return CandidateTable.of(
            self, rows, pool, encoder, first=first, geometry=geometry, n_threads=n_threads
        )

    def sides(self, table: CandidateTable, rows: Rows, sign: int) -> Ints:
        # Outside of centres that must not be covered, inside of the others.
        t = np.arange(table.n_directions)
        is_same = rows.y[table.pool_rows[table.first]] == sign
        return np.column_stack([t, np.where(is_same, ABOVE, BELOW)])

    def make_rule(self, table: CandidateTable, rows: Rows, rule: CodedRule) -> Condition:
        return ball_cover(
            rows.X[rows.row_of[rule.first]],
            float(table.thresholds[rule.t, rule.j]),
            SIDE_OPS[rule.side],
            metric=table.geometry.metric,
            kernel=table.geometry.ball_kernel,
            examples=(rule.first, rule.member),
        )

    def placed_at(self, cover: Condition, X: Floats) -> Condition:
        placed = super().placed_at(cover, X)
        return replace(placed, tol=float(ball_tolerance(placed.cut)))

    def empty_message(self) -> Message:
        return ball_message(0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        # Labels of kept examples are visible: only borders of one class are told from centres.
        y, row_of = path.rows.y, path.rows.row_of
        same = {e for e in path.firsts if y[row_of[e]] == path.sign}
        return ball_message(len(same), len(path.firsts - same), len(path.members - same))

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        X, y = path.kept_rows
        covers = rebuild_balls(
            X,
            y,
            np.array(path.is_threshold_only),
            path.kind,
            geometry=path.geometry,
            indices=path.kept,
        )
        by_center = {cover.examples[0]: cover for cover in covers}
        return tuple(by_center[rule.first] for rule in path.rules)

    def rule_nats(self, table: CandidateTable, j: int, n_kept: int, n_features: int) -> float:
        # centre, border, side
        # Both examples are named among the kept ones, each equally likely beforehand.
        return math.log(2.0) + 2 * math.log(n_kept)


BALLS = register_family(BallFamily())
