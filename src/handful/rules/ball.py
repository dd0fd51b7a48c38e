"""Balls around an example, the radius given by another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from handful._codec import ModelFileError
from handful._types import Floats, Ints, Mask
from handful.bounds import Message, ball_message
from handful.kernels import Kernel
from handful.rules.directions import kernel_rows
from handful.rules.family import KIND_SIGNS, CodedPath, Family, Geometry, names_of, register_family
from handful.rules.fields import (
    Reader,
    optional,
    read_floats,
    read_indices,
    read_kernel,
    read_ordered_side,
    read_scale,
    read_size,
    read_text,
)
from handful.rules.formulas import (
    Dialect,
    gaps_of,
    kernel_formula,
    own_kernel_formula,
    sum_of,
    sum_of_squares,
)
from handful.rules.rows import Rows
from handful.rules.rule import (
    RELATIVE_TOLERANCE,
    AbstractRule,
    Categories,
    feature_name,
    register_rule,
)
from handful.rules.sets import RuleSet
from handful.rules.table import (
    ABOVE,
    BELOW,
    SIDE_NAMES,
    Encoder,
    Table,
    check_finite,
    threshold_rows,
)

METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


def ball_tolerance(radius: Any) -> Any:
    """Tolerance of a distance; of many too."""
    return RELATIVE_TOLERANCE * radius


def ball_distances(
    points: Floats,
    X: Floats,
    *,
    metric: str = "euclidean",
    scale: tuple[float, ...] | None = None,
    kernel: Kernel | None = None,
) -> Floats:
    """Distances of ``points`` (rows) to X (columns) in a metric, or induced by a kernel."""
    if kernel is not None:
        diagonal = kernel.diagonal(points)[:, None] + kernel.diagonal(X)[None, :]
        return np.sqrt(np.maximum(diagonal - 2.0 * kernel_rows(kernel, points, X), 0.0))
    if scale is not None:
        points, X = points / np.array(scale), X / np.array(scale)
    distances = np.asarray(cdist(points, X, METRICS[metric]))
    if metric == "chebyshev":  # the largest of some numbers and a missing one is not known
        distances[:, np.isnan(X).any(axis=1)] = np.nan
    return distances


def _read_metric(value: Any, where: str) -> str:
    return read_text(value, where, tuple(METRICS))


@register_rule("ball")
@dataclass(frozen=True)
class Ball(AbstractRule):
    """Covers what lies outside ("above") or inside ("below") a ball around an example.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Ball(center=(0.0, 0.0), radius=1.0, side="above")
    >>> rule.covers(np.array([[0.6, 0.8], [1.0, 1.0]]))
    array([False,  True])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "center": read_floats,
        "radius": read_size,
        "side": read_ordered_side,
        "metric": _read_metric,
        "scale": optional(read_scale),
        "kernel": optional(read_kernel),
        "indices": read_indices(2, 3),
    }
    center: tuple[float, ...]
    radius: float
    side: str
    metric: str = "euclidean"
    scale: tuple[float, ...] | None = None
    kernel: Kernel | None = None
    indices: tuple[int, ...] = ()

    @property
    def cut(self) -> float:
        """The radius."""
        return self.radius

    @property
    def tolerance(self) -> float:
        """Relative to the radius."""
        return float(ball_tolerance(self.radius))

    @property
    def roles(self) -> tuple[str, ...]:
        """The centre and the border, or what lies on either side of the border."""
        return ("centre", "border") if len(self.indices) == 2 else ("centre", "inside", "outside")

    def values(self, X: Floats) -> Floats:
        """Distance to the centre."""
        distances = ball_distances(
            np.array([self.center]),
            np.asarray(X, dtype=np.float64),
            metric=self.metric,
            scale=self.scale,
            kernel=self.kernel,
        )
        return np.asarray(distances[0])

    def unit(self) -> float:
        """One: distances are distances."""
        return 1.0

    def describe(
        self,
        names: Sequence[str] | None = None,
        *,
        words: Categories | None = None,
        opposite: bool = False,
    ) -> str:
        """For example ``distance to kept example 17 > 2.5``: an example by number, not its row.

        A centre that is no example is shown, as in ``distance to (age 3, nodes 1) > 2.5``.
        """
        if self.indices:
            center = f"kept example {self.indices[0] + 1}"
        else:
            values = enumerate(self.center[:6])
            shown = ", ".join(f"{feature_name(names, j)} {value:.4g}" for j, value in values)
            center = f"({shown}{', …' if len(self.center) > 6 else ''})"
        return f"{self._distance()} to {center} {self.mark(opposite)} {self.radius:.6g}"

    def _distance(self) -> str:
        """What kind of distance it is, where it is not the usual one."""
        if self.kernel is not None:
            return f"{self.kernel.name}-distance"
        usual = self.metric == "euclidean"
        return ("" if usual else f"{self.metric} ") + ("scaled " if self.scale else "") + "distance"

    def placed_at(self, X: Floats) -> Ball:
        """The radius is the distance of the example."""
        return replace(self, radius=float(self.values(X)[0]))

    @property
    def n_training_rows(self) -> int:
        """The centre."""
        return 1

    def value_formula(self, dialect: Dialect) -> str:
        """The distance to the centre."""
        if self.kernel is not None:
            own = dialect.number(float(self.kernel.diagonal(np.array([self.center]))[0]))
            between = kernel_formula(self.kernel, self.center, dialect)
            squares = f"({own_kernel_formula(self.kernel, len(self.center), dialect)} + {own}"
            return f"{dialect.root}({dialect.absolute}({squares} - 2.0 * {between})))"
        gaps = gaps_of(self.center, dialect, self.scale)
        if self.metric == "euclidean":
            return f"{dialect.root}({sum_of_squares(gaps)})"
        sizes = [f"{dialect.absolute}({gap})" for gap in gaps]
        if self.metric == "manhattan":
            return sum_of(sizes)
        raise ModelFileError("balls in the largest coordinate have no single formula.")

    def condition_formula(
        self, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
    ) -> str:
        """A comparison; for the largest coordinate, of every one."""
        if self.metric != "chebyshev" or self.kernel is not None:
            return super().condition_formula(dialect, words, opposite=opposite)
        gaps = gaps_of(self.center, dialect, self.scale)
        sizes = [f"{dialect.absolute}({gap})" for gap in gaps]
        mark, cut = self.comparison(dialect, opposite)
        compared = [f"{size} {mark} {cut}" for size in sizes]
        if mark in ("<", "<="):  # every coordinate within the radius
            return "(" + f" {dialect.both} ".join(compared) + ")"
        some = f" {dialect.either} ".join(compared)  # some beyond it, and none missing
        return f"(({some}) {dialect.both} {sum_of(sizes)} >= {dialect.number(0.0)})"


def distance_values(points: Floats, metric: str, kernel: Kernel | None, X: Floats) -> Floats:
    """Distances of the points to the rows of X."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = ball_distances(points, X, metric=metric, kernel=kernel)
    check_finite(values)
    return values


def ball_table(
    rows: Rows,
    pool: Ints,
    *,
    metric: str = "euclidean",
    kernel: Kernel | None = None,
    n_threads: int = 1,
    centers: Ints | None = None,
) -> Table:
    """Balls: one direction a centre, thresholds at the distances of the pool's examples.

    ``centers`` are positions in the pool, all where left out.
    """
    pool_rows = rows.row_of[pool]
    first = np.arange(len(pool)) if centers is None else centers
    values = partial(distance_values, rows.X[pool_rows[first]], metric, kernel)
    at_pool = values(rows.X[pool_rows])
    tolerances = ball_tolerance(at_pool.max(axis=1))
    thresholds, n_thresholds = threshold_rows(at_pool, tolerances)
    t, none = np.arange(len(first)), np.full(first.shape, -1)
    encoder = Encoder(values, t, none, thresholds, n_thresholds, tolerances)
    return Table(
        BALLS,
        pool,
        pool_rows,
        encoder(rows.X, n_threads),
        thresholds,
        n_thresholds,
        first,
        none,
        metric=metric,
        kernel=kernel,
        encoder=encoder,
    )


def rebuild_balls(
    X: Floats,
    y: Ints,
    is_border: Mask,
    kind: str,
    *,
    metric: str = "euclidean",
    kernel: Kernel | None = None,
    indices: Sequence[int] | None = None,
) -> RuleSet:
    """Balls from the kept examples and which of them are borders only.

    Every other kept example is a centre. With B the kept examples of the class that must not be
    covered (positives in a conjunction), a centre in B gets the largest distance to B as its
    radius and covers what is outside; a centre of the other class gets the smallest distance to
    B and covers what is inside.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [2.0], [3.0]]), np.array([1, 1, -1])
    >>> machine = rebuild_balls(X, y, np.array([False, True, False]), "conjunction")
    >>> [(rule.center, rule.radius, rule.side) for rule in machine.rules]
    [((0.0,), 2.0, 'above'), ((3.0,), 1.0, 'below')]
    """
    names, sign = names_of(X, indices), KIND_SIGNS[kind]
    members = np.flatnonzero(y == sign)
    if len(members) == 0 or is_border[y != sign].any():
        raise ValueError(
            "`is_border` must mark examples of the class that is not covered, and one such "
            "example must be kept. Radii cannot be rebuilt otherwise."
        )
    rules = []
    for i in np.flatnonzero(~is_border):
        is_same = y[i] == sign
        side = "above" if is_same else "below"
        ball = Ball(tuple(X[i].tolist()), 0.0, side, metric=metric, kernel=kernel)
        distances = ball.values(X[members])
        at = int(np.argmax(distances) if is_same else np.argmin(distances))
        pair = (names[i], names[members[at]])
        rules.append(replace(ball, radius=float(distances[at]), indices=pair))
    return RuleSet(tuple(rules), kind)


class Balls(Family):
    """A centre, and a border example of the class that must not be covered."""

    name = "balls"
    proposed_as = "balls"
    has_members = True

    def n_directions(self, pool_size: int, n_features: int) -> int:
        """One a centre."""
        return pool_size

    def table(self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1) -> Table:
        """Radii at the distances of the pool's examples."""
        return ball_table(
            rows, pool, metric=geometry.metric, kernel=geometry.ball_kernel, n_threads=n_threads
        )

    def sides(self, table: Table, rows: Rows, sign: int) -> Ints:
        """Outside of centres that must not be covered, inside of the others."""
        t = np.arange(table.n_directions)
        is_same = rows.y[table.pool_rows[table.first]] == sign
        return np.column_stack([t, np.where(is_same, ABOVE, BELOW)])

    def make_rule(self, table: Table, rows: Rows, t: int, j: int, side: int, example: int) -> Ball:
        """The ball around the centre, up to the border example."""
        center = int(table.pool[table.first[t]])
        return Ball(
            tuple(rows.X[rows.row_of[center]].tolist()),
            float(table.thresholds[t, j]),
            SIDE_NAMES[side],
            metric=table.metric,
            kernel=table.kernel,
            indices=(center, example),
        )

    def empty_message(self) -> Message:
        """No rule."""
        return ball_message(0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        """Which of the kept examples are borders only."""
        y, row_of = path.rows.y, path.rows.row_of
        same = {e for e in path.firsts if y[row_of[e]] == path.sign}
        return ball_message(len(same), len(path.firsts - same), len(path.members - same))

    def rebuild(self, path: CodedPath) -> tuple[AbstractRule, ...]:
        """Radii from the kept examples of the class that must not be covered."""
        X, y = path.kept_rows
        machine = rebuild_balls(
            X,
            y,
            np.array(path.is_threshold_only),
            path.kind,
            metric=path.table.metric,
            kernel=path.table.kernel,
            indices=path.kept,
        )
        by_center = {rule.examples[0]: rule for rule in machine.rules}
        table = path.table
        return tuple(by_center[int(table.pool[table.first[s.t]])] for s in path.steps)

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Centre, border, side."""
        return math.log(2.0) + 2 * math.log(n_kept)


BALLS = register_family(Balls())
