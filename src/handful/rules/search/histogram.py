"""The histogram engine: one greedy round of one machine over all half-spaces.

The records that the engines of half-spaces share (`Problem`, `State`) stand first.

Every pair gets an upper bound on its worth from a coarse histogram in single precision. Then pairs
are searched exactly, the most promising first, until no bound reaches the best worth found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints, Mask
from handful.rules.half_spaces import pair_tolerance

if TYPE_CHECKING:
    from handful.rules.search.exact_loops import Best, Bins, Case, Live, Sketch

Map = Callable[..., Iterable[Any]]  # map, or that of a thread pool

_SCALED_LIMIT = 2.0**30  # scaled sums stay below 2^31 in 32 bits
_TINY = float(np.finfo(np.float64).tiny)
MANY = 2**40  # beside a worth of 0 it wins every tie: only a positive worth comes before it
_BLOCK = 256  # pairs a thread takes at once: the best value is shared between blocks
_N_SEEDS = 16  # exact first: a good value early lets bounds drop most pairs


@dataclass(frozen=True)
class HalfSpaceStep:
    """One greedy step: the half-space of examples a (positive), b (negative) and c (threshold).

    ``n_other`` and ``n_same`` are the weights of the live examples that it covers: of the other
    class (the gain, ``|Q|``), and of the machine's own class (errors, ``|R|``).
    """

    a: int
    b: int
    c: int
    n_other: int
    n_same: int


@dataclass(frozen=True)
class Problem:
    """Distinct rows, and for each fold how often each of them occurs and what it is called."""

    K: Floats
    is_own: Mask  # of the class the machine keeps
    is_mirrored: bool  # a disjunction: the own class is the negative one
    weights: Ints  # (n_folds, n_rows), zero if the row does not occur
    names: Ints  # (n_folds, n_rows) lowest original index
    stop_on_nonpositive: bool
    max_rules: int

    def tolerances(self, own: Ints, other: Ints) -> Floats:
        """Tolerance of every pair."""
        diagonal = np.diag(self.K)
        cross = self.K[np.ix_(other, own)].T if self.is_mirrored else self.K[np.ix_(own, other)]
        return np.ascontiguousarray(
            pair_tolerance(diagonal[own][:, None], diagonal[other][None, :], cross)
        )


@dataclass
class State:
    """A machine that is being built: one penalty on one fold."""

    penalty: float
    fold: int
    weight: Ints
    is_live: Mask
    steps: list[HalfSpaceStep] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    is_done: bool = False

    def advance(
        self, problem: Problem, n_other: int, n_same: int, own: int, other: int, c: int
    ) -> None:
        """Add the half-space and remove what it covers; one without cover ends the path."""
        if n_other == 0 or c < 0:
            self.is_done = True
            return
        K, names = problem.K, problem.names[self.fold]
        a, b = (other, own) if problem.is_mirrored else (own, other)
        u = K[own] - K[other]
        self.is_live &= ~(u < u[c] - pair_tolerance(K[a, a], K[b, b], K[a, b]))
        self.kept = sorted({*self.kept, own, c})
        self.steps.append(
            HalfSpaceStep(int(names[a]), int(names[b]), int(names[c]), int(n_other), int(n_same))
        )
        self.is_done = (
            len(self.steps) >= problem.max_rules or not (self.is_live & ~problem.is_own).any()
        )


def histogram_round(problem: Problem, state: State, run: Map, n_threads: int) -> None:
    """Find the best half-space and advance the state by it."""
    names = problem.names[state.fold]
    is_there = state.weight > 0
    own = _by_name(np.flatnonzero(problem.is_own & state.is_live), names)
    other = _by_name(np.flatnonzero(~problem.is_own & is_there), names)
    targets = np.flatnonzero(~problem.is_own & state.is_live)
    if len(own) == 0 or len(targets) == 0:
        state.is_done = True
        return
    columns = np.concatenate([own, targets])
    best = _best_half_space(problem, state, own, other, columns, run, n_threads)
    c = int(columns[best.c]) if best.c >= 0 else -1
    pair = int(own[best.own]), int(other[best.other])
    state.advance(problem, best.n_other, best.n_same, *pair, c)


def _by_name(rows: Ints, names: Ints) -> Ints:
    return rows[np.argsort(names[rows], kind="stable")]


def _best_half_space(
    problem: Problem, state: State, own: Ints, other: Ints, columns: Ints, run: Map, n_threads: int
) -> Best:
    from handful.rules.search.exact_loops import Best, Case, Live, bound_block, search_pairs

    position = np.full(len(problem.is_own), -1)
    position[columns] = np.arange(len(columns))
    kept = position[np.array(state.kept, dtype=np.int64)]
    case = Case(state.weight[columns], len(own), kept, state.penalty, problem.is_mirrored)
    live = Live(
        problem.K[np.ix_(own, columns)],
        problem.K[np.ix_(other, columns)],
        problem.tolerances(own, other),
        case,
    )
    best = Best(0.0, MANY if problem.stop_on_nonpositive else 0, 0, -1, 0, 0, -1)
    sketch, scale = sketch_of(live)
    some_own, some_other = _evenly(len(own)), _evenly(len(other))
    seeds = (some_own[:, None] * len(other) + some_other).ravel()
    best = search_pairs(live, seeds, best)
    bins = _choose_bins(live, sketch, some_own, some_other, best.value)
    bounds = np.empty(live.tols.shape, np.int32)
    edges = np.linspace(0, len(other), 4 * n_threads + 1).astype(np.int64)
    blocks = range(len(edges) - 1)
    list(run(lambda i: bound_block(sketch, bins, edges[i], edges[i + 1], bounds), blocks))
    best = _search_survivors(live, bounds, scale, best, run, n_threads)
    return best if best.c >= 0 else best._replace(n_other=0)


def _evenly(n: int) -> Ints:
    """At most sixteen of n numbers, evenly spread."""
    return np.unique(np.linspace(0, n - 1, _N_SEEDS).astype(np.int64))


def sketch_of(live: Live) -> tuple[Sketch, float]:
    """Single precision rows centred by column, which no projection notices, and unit scale."""
    from handful.rules.search.exact_loops import Sketch

    worth, scale = scaled_worth(live.case)
    n_same = len(live.own)
    centre = np.median(live.own[_evenly(n_same)], axis=0)
    size = max(_reach(live.own, centre), _reach(live.other, centre), live.tols.max(), _TINY)
    own, other = _single(live.own, centre, size), _single(live.other, centre, size)
    typical = _typical_columns(own, other, live.case.penalty)
    mean_own, mean_other = own[:, typical].mean(axis=1), other[:, typical].mean(axis=1)
    from_own = own[:, typical] - mean_own[:, None]
    from_other = other[:, typical] - mean_other[:, None]
    spread = from_own @ from_other.T
    spread *= np.float32(-2.0)
    spread += np.square(from_own).sum(axis=1)[:, None]
    spread += np.square(from_other).sum(axis=1)
    np.sqrt(np.maximum(spread, 0.0, out=spread) / np.float32(len(typical)), out=spread)
    sketch = Sketch(
        own=own,
        other=other,
        tols=(live.tols / size).astype(np.float32),
        worth=worth,
        kept=live.case.kept,
        reach_own=np.abs(own).max(axis=1),
        reach_other=np.abs(other).max(axis=1),
        mean_own=mean_own,
        mean_other=mean_other,
        spread=spread,
        own_at=np.arange(n_same),
        n_same=n_same,
    )
    return sketch, scale


def _reach(rows: Floats, centre: Floats) -> float:
    """Largest absolute value after centring."""
    return max(float(np.abs(part - centre).max()) for part in _parts(rows))


def _single(rows: Floats, centre: Floats, size: float) -> NDArray[np.float32]:
    """Centred and scaled rows in single precision, without large intermediates."""
    out = np.empty(rows.shape, np.float32)
    for part, into in zip(_parts(rows), _parts(out), strict=True):
        into[:] = (part - centre) / size
    return out


def _parts(rows: Any) -> list[Any]:
    return [rows[i : i + 256] for i in range(0, len(rows), 256)]


def _choose_bins(live: Live, sketch: Sketch, own: Ints, other: Ints, value: float) -> Bins:
    """The bins that give the lowest bounds on a few pairs; only the speed depends on it.

    A threshold worth ``value`` covers so many of the other class that it lies above the floor, and
    so few of the own class that it lies below the ceiling, for most pairs.
    """
    from handful.rules.search.exact_loops import N_BINS, Bins, bound_block

    few = sketch._replace(
        own=sketch.own[own],
        other=sketch.other[other],
        own_at=own,
        tols=sketch.tols[np.ix_(own, other)],
        spread=sketch.spread[np.ix_(own, other)],
        reach_own=sketch.reach_own[own],
        reach_other=sketch.reach_other[other],
        mean_own=sketch.mean_own[own],
        mean_other=sketch.mean_other[other],
    )
    n = sketch.n_same
    middle = few.mean_own[:, None, None] - few.mean_other[:, None]
    spread = np.maximum(few.spread, np.float32(1e-20))[:, :, None]
    z = (few.own[:, None] - few.other - middle) / spread
    targets = live.case.weight[n:]
    j = min(int(value / 2.0 / targets.mean()), len(targets) - 1)
    floors = np.partition(z[:, :, n:], j, axis=2)[:, :, j]
    k = int(min((targets.sum() - value) / live.case.penalty, n - 1.0))
    ceiling = np.float32(np.partition(z[:, :, :n], k, axis=2)[:, :, k].max())
    bounds = np.empty(few.tols.shape, np.int32)
    scores = {}
    for floor in np.quantile(floors, [0.05, 0.3]):
        for octaves in (1, 2, 4, 8):
            depth = max(ceiling - floor, 0.125)
            unit = np.float32(depth / (2**octaves - 1))
            bins = Bins(ceiling, unit, np.float32(N_BINS / octaves / 2**23))
            bound_block(few, bins, 0, len(other), bounds)
            scores[bins] = float(bounds.mean())
    return min(scores, key=lambda bins: scores[bins])


def _typical_columns(own: Any, other: Any, penalty: float) -> Ints:
    """Columns without the far ones, which would stretch the bins; all for a large penalty."""
    n = own.shape[1]
    if penalty > 4.0:
        return np.arange(n)
    far = np.abs(own[::7]).max(axis=0) + np.abs(other[::7]).max(axis=0)
    return np.sort(np.argsort(far, kind="stable")[: max(1, int(0.8 * n))])


def scaled_worth(case: Case) -> tuple[Any, float]:
    """Integers not below the true worth of each column times a power of two.

    Columns that must stay uncovered cost more than all others can gain.
    """
    n, weight, kept = case.n_same, case.weight, case.kept
    same, other = float(weight[:n].sum()), float(weight[n:].sum())
    # A penalty above all gains together is as good as infinite: no error is ever worth it.
    penalty = min(case.penalty, other + 1.0, (_SCALED_LIMIT - other) / (same + 1.0))
    ban = min(other + 1.0, (_SCALED_LIMIT - other - penalty * same) / (len(kept) + 1.0))
    sum_of_all = other + penalty * same + ban * len(kept)
    scale = max(1.0, 2.0 ** np.floor(np.log2(_SCALED_LIMIT / max(sum_of_all, 1.0))))
    worth = weight * int(scale)
    # Penalties are rounded down and gains are exact, so that sums are upper bounds.
    worth[:n] = -weight[:n] * int(np.floor(penalty * scale))
    worth[kept] = np.minimum(worth[kept], -int(np.floor(ban * scale)))
    return worth.astype(np.int32), scale


def _search_survivors(
    live: Live, bounds: Any, scale: float, best: Best, run: Map, n_threads: int
) -> Best:
    """Search pairs by falling bound, then by scanning order, until no bound reaches the best."""
    from handful.rules.search.exact_loops import search_pairs

    flat = bounds.ravel()
    pairs = np.flatnonzero(flat >= _least_bound(scale, best))  # few are left to be partitioned
    if len(pairs) > _BLOCK:
        highest = np.argpartition(flat[pairs], len(pairs) - _BLOCK)[len(pairs) - _BLOCK :]
        best = search_pairs(live, np.sort(pairs[highest]), best)
    pairs = _may_beat(live, flat, pairs, scale, best)
    pairs = pairs[np.lexsort((_ranks(live, pairs), -flat[pairs]))]
    for start in range(0, len(pairs), _BLOCK * n_threads):
        block = _may_beat(live, flat, pairs[start : start + _BLOCK * n_threads], scale, best)
        parts = [block[i::n_threads] for i in range(n_threads) if i < len(block)]
        found = run(lambda part, best=best: search_pairs(live, part, best), parts)
        # Ties go to more covered rows, then to the pair that is scanned first: threads decide
        # nothing.
        best = max(found, key=lambda b: (b.value, b.n_other, -b.rank), default=best)
    return best


def _may_beat(live: Live, flat: Any, pairs: Ints, scale: float, best: Best) -> Ints:
    """Pairs whose bound reaches the best; only earlier ones if the best covers all and only it."""
    pairs = pairs[flat[pairs] >= _least_bound(scale, best)]
    if best.n_same == 0 and best.n_other == live.case.weight[len(live.own) :].sum():
        pairs = pairs[_ranks(live, pairs) < best.rank]
    return pairs


def _least_bound(scale: float, best: Best) -> float:
    """The bound below which a pair cannot reach the best."""
    from handful.rules.search.exact_loops import GRID

    return float(np.floor(scale * (best.value - 1.0 / GRID)) - 1.0)


def _ranks(live: Live, pairs: Ints) -> Ints:
    """Place of each pair in the scanning order."""
    n_own, n_other = live.tols.shape
    return pairs % n_other * n_own + pairs // n_other if live.case.is_mirrored else pairs
