"""Greedy covers by the best of all balls: bound every centre cheaply, search few exactly.

The counting engine (`Sweep`) needs codes of all rows for all centres, which is quadratic in memory.
Here distances are made block by block in single precision, every centre gets an upper bound on its
worth, and only centres whose bound reaches the best worth found are searched by `Sweep`. Both
engines find the same balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.models import distances
from handful.rules.ball import BALLS
from handful.rules.search.greedy import Step, Sweep, SweepOptions
from handful.rules.search_rows import Rows
from handful.rules.table import (
    CandidateTable,
    Geometry,
    check_finite,
    covered_rows,
    run_blocks,
)

_BLOCK_VALUES = 200_000  # distances held at once; they should stay in the cache
_N_SEARCHED = 16  # centres searched together
_N_SEEDS = 8  # exact first: a good value early lets bounds drop most centres
_TINY = 1e-300  # in place of a zero that is divided by


@dataclass
class _State:
    """Machines with the same rules so far; they differ in the penalty."""

    penalties: list[float]
    live: Mask
    kept: Mask
    used: set[int] = field(default_factory=set)
    steps: list[tuple[int, Step]] = field(default_factory=list)  # (centre, step)


class BallSweep:
    """Greedy covers of one kind by balls around any example, thresholds at any example.

    ``pool`` are the examples that may be centres and thresholds, one a distinct row; ``sign`` is +1
    for a conjunction, whose rules must not cover positives, and -1 for a disjunction.
    """

    def __init__(
        self, rows: Rows, pool: Ints, sign: int, options: SweepOptions, geometry: Geometry
    ) -> None:
        self.rows, self.pool, self.sign, self.options = rows, pool, sign, options
        self.geometry = geometry
        self.is_same = rows.y == sign
        self.sketch = _Sketch(rows.X, geometry)
        self.pool_rows = rows.row_of[pool]

    def paths(self, penalties: Sequence[float]) -> tuple[CandidateTable, list[tuple[Step, ...]]]:
        """A table of the chosen centres, and the path of each penalty over it."""
        n = self.rows.X.shape[0]
        # Penalties start together, and part where their best balls differ.
        root = _State(list(penalties), np.ones(n, dtype=bool), np.zeros(n, dtype=bool))
        waiting, ended = [root], []
        while waiting:
            state = waiting.pop()
            if len(state.steps) >= self.options.max_rules or not self._targets(state).any():
                ended.append(state)
                continue
            for step, some in self._round(state):
                (ended if step is None else waiting).append(self._advance(state, step, some))
        centers = sorted({c for state in ended for c, _ in state.steps})
        table = self._table(np.array(centers, dtype=np.int64))
        at = {c: t for t, c in enumerate(centers)}
        found = {
            penalty: tuple(replace(step, t=at[c]) for c, step in state.steps)
            for state in ended
            for penalty in state.penalties
        }
        return table, [found[penalty] for penalty in penalties]

    def _targets(self, state: _State) -> Mask:
        return np.asarray(state.live & ~self.is_same)

    def _table(self, centers: Ints) -> CandidateTable:
        """Codes of all rows around some centres (positions in the pool)."""
        return BALLS.table(self.rows, self.pool, self.geometry, centers=centers)

    def _advance(
        self, state: _State, found: tuple[int, Step] | None, penalties: list[float]
    ) -> _State:
        if found is None:
            return replace(state, penalties=penalties)
        center, step = found
        covered = covered_rows(self._table(np.array([center])), 0, step.j, step.side)
        kept = state.kept.copy()
        kept[[self.pool_rows[center], step.member]] = True
        return _State(
            penalties,
            state.live & ~covered,
            kept,
            state.used | {center},
            [*state.steps, found],
        )

    def _round(self, state: _State) -> Iterable[tuple[tuple[int, Step] | None, list[float]]]:
        """The next ball for each penalty; penalties that agree stay together."""
        is_open = state.live[self.pool_rows] | ~self.is_same[self.pool_rows]
        is_open[list(state.used)] = False
        centers = np.flatnonzero(is_open)
        groups: dict[tuple[int, Step] | None, list[float]] = {}
        if centers.size == 0 or not (state.live & self.is_same).any():
            return [(None, state.penalties)]
        bounds = self._bounds(state, centers)
        for penalty, bound in zip(state.penalties, bounds, strict=True):
            groups.setdefault(self._search(state, centers, bound, penalty), []).append(penalty)
        return groups.items()

    def _bounds(self, state: _State, centers: Ints) -> Floats:
        from handful.rules.search.ball_loops import bound_balls

        own = np.flatnonzero(state.live & self.is_same)
        columns = np.concatenate([own, np.flatnonzero(self._targets(state))])
        weight = self.rows.searched()[columns]
        must_stay = np.flatnonzero(state.kept & self.is_same)
        penalties = np.array(state.penalties, dtype=np.float64)
        bounds = np.empty((len(penalties), len(centers)))
        to_columns, to_kept = self.sketch.to(columns), self.sketch.to(must_stay)

        def work(start: int, stop: int) -> None:
            size = max(1, _BLOCK_VALUES // len(columns))
            for i in range(start, stop, size):
                some = self.pool_rows[centers[i : min(i + size, stop)]]
                is_inside = ~self.is_same[some]
                values, slacks = to_columns(some)
                limits = np.where(is_inside, np.inf, 0.0).astype(np.float32)
                if must_stay.size:
                    kept, _ = to_kept(some)
                    limits = np.where(is_inside, kept.min(axis=1), kept.max(axis=1))
                top = np.float32(max(float(values.max()), 1e-30) * 1.001)
                out = bounds[:, i : i + len(some)]
                bound_balls(
                    values, len(own), weight, limits, slacks, is_inside, penalties, top, out
                )

        run_blocks(work, len(centers), len(centers) * len(columns), self.options.n_threads)
        return bounds

    def _search(
        self, state: _State, centers: Ints, bound: Floats, penalty: float
    ) -> tuple[int, Step] | None:
        """The best ball: centres by falling bound, until no bound reaches the best worth."""
        order = np.argsort(-bound, kind="stable")
        best: tuple[float, int, int, int] | None = None
        found: tuple[int, Step] | None = None
        size, start = _N_SEEDS, 0
        while start < len(order):
            batch = order[start : start + size]
            batch = np.sort(batch[bound[batch] >= (best[0] if best else -np.inf)])
            # Bounds fall along the order: no later centre can reach the best either.
            if batch.size == 0:
                break
            step, usefulness, n_new = self._best_of(state, centers[batch], penalty)
            if step is not None:
                center = int(centers[batch][step.t])
                # Ties go to fewer new examples, then to more covered rows, then to the earlier
                # centre.
                key = (usefulness, -n_new, step.n_other, -center)
                if best is None or key > best:
                    best, found = key, (center, replace(step, t=0))
            start, size = start + size, _N_SEARCHED
        if found is None or best is None:
            return None
        return None if self.options.stop_on_nonpositive and best[0] <= 0 else found

    def _best_of(
        self, state: _State, centers: Ints, penalty: float
    ) -> tuple[Step | None, float, int]:
        """Best ball around a few centres, by the counting engine."""
        weight = np.where(state.live, self.rows.searched(), 0)
        sweep = Sweep(self._table(centers), self.rows, self.sign, self.options, weight=weight)
        step, usefulness = sweep.best_step(state.live, state.kept, penalty)
        if step is None:
            return None, usefulness, 0
        examples = {int(self.pool_rows[centers[step.t]]), step.member}
        counted = examples if self.options.prefer_kept else set()
        return step, usefulness, sum(not state.kept[row] for row in counted)


class _Sketch:
    """Distances in single precision, squared if that is cheaper, and how wrong they may be."""

    def __init__(self, X: Floats, geometry: Geometry) -> None:
        self.X, self.how = X, {"metric": geometry.metric, "kernel": geometry.ball_kernel}
        self.is_squared = geometry.ball_kernel is None and geometry.metric == "euclidean"
        if self.is_squared:
            centred = X - X.mean(axis=0)
            size = float(np.abs(centred).max())
            self.points = (centred / max(size, _TINY)).astype(np.float32)
            self.norms = np.square(self.points).sum(axis=1)
            self.reach = np.sqrt(self.norms.max())
            # far outliers would drown the others in the rounding of a product
            self.is_squared = bool(np.median(self.norms) > 0.01 * self.reach**2)
        if not self.is_squared:
            self.size = max(2.0 * float(self._exact(np.array([0]), X).max()), _TINY)

    def _exact(self, rows: Ints, X: Floats) -> Floats:
        return distances(self.X[rows], X, **self.how)  # type: ignore[arg-type]

    def to(self, columns: Ints) -> Callable[[Ints], tuple[Any, Any]]:
        """A function of rows: their values at the columns, and the largest error of each row."""
        if not self.is_squared:
            X = self.X[columns]

            def slow(rows: Ints) -> tuple[Any, Any]:
                values = (self._exact(rows, X) / self.size).astype(np.float32)
                return values, np.float32(1e-9) * values.max(axis=1)

            return slow
        ones = np.ones((len(columns), 1), np.float32)
        # one product gives |c|^2 - 2 c x + |x|^2
        right = np.hstack([self.points[columns] * np.float32(-2.0), ones, ones]).T
        right[-1] = self.norms[columns]
        right = np.ascontiguousarray(right)
        unit = np.float32((self.points.shape[1] + 16) * 2.0**-22)

        def fast(rows: Ints) -> tuple[Any, Any]:
            norms = self.norms[rows][:, None]
            left = np.hstack([self.points[rows], norms, np.ones_like(norms)])
            # The flag of an invalid operation was seen once for finite inputs, probably raised by
            # padding inside the product; the values themselves are checked.
            with np.errstate(invalid="ignore"):
                values = left @ right
            check_finite(values)
            return values, unit * np.square(np.sqrt(norms[:, 0]) + self.reach)

        return fast
