"""Items of a score card, and the search for few of them with integer points: arrays in and out.

Items are cuts of features at quantiles, words, missing values. The search has three parts: a
greedy path of real weights, whose steps fit the most promising items exactly; rounding at several
scales; moves of points, cuts and items while the logistic loss falls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.models import Condition, RiskCurve, short

Bytes = NDArray[np.uint8]

_N_NEIGHBOURS = 24  # nearest cuts of the same column that may replace an item


@dataclass(frozen=True)
class Items:
    """Conditions "feature ≥ cut", sorted by feature and cut, and the rows that meet them.

    Attributes
    ----------
    conditions : tuple of Condition
    is_met : ndarray of uint8 (n_items, n_samples)
    neighbours : ndarray of int (n_items, k)
        Other cuts of the same feature, nearest first; -1 after the last.
    is_given : frozenset of int
        Features whose cuts the user gave.
    """

    conditions: tuple[Condition, ...]
    is_met: Bytes
    neighbours: Ints
    is_given: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.conditions)

    @cached_property
    def features(self) -> Ints:
        """The feature of each item."""
        return np.array([c.features[0] for c in self.conditions], dtype=np.int64)


def quantile_cuts(x: Floats, n_cuts: int, weight: Floats | None = None) -> list[float]:
    """At most ``n_cuts`` numbers that split the values into parts of similar size (or weight).

    A cut lies between two neighbouring values and has the fewest digits possible. It is a whole
    number if all values are.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 3.0, np.nan, 10.0]), 3)
    [2.0, 3.0, 6.0]
    """
    is_used = ~np.isnan(x) if weight is None else ~np.isnan(x) & (weight > 0.0)
    used = x[is_used]
    order = np.argsort(used)
    ordered = used[order]
    borders = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if not len(borders):
        return []
    values = ordered[np.concatenate([[0], borders])]
    below, total = borders, len(used)  # weight on the left of each border, and of all rows
    if weight is not None:
        place = np.empty(len(used), dtype=np.int64)
        place[order] = np.searchsorted(borders, np.arange(len(used)), side="right")
        heavy = np.bincount(place, weights=weight[is_used])
        below, total = np.cumsum(heavy)[:-1], heavy.sum()
    chosen: Collection[int] = range(1, len(values))
    if len(borders) > n_cuts:
        wanted = np.arange(1, n_cuts + 1) * total / (n_cuts + 1)
        nearest = np.abs(below[None, :] - wanted[:, None]).argmin(axis=1)
        chosen = {k + 1 for k in nearest.tolist()}
    is_whole = bool((values % 1.0 == 0.0).all())
    pairs = [(float(values[b - 1]), float(values[b])) for b in chosen]
    return sorted({short(0.5 * a + 0.5 * b, a, b, is_whole=is_whole) for a, b in pairs})


def make_items(
    X: Floats,
    *,
    weight: Floats | None = None,
    n_cuts: int = 12,
    cut_points: Mapping[int, Sequence[float]] | None = None,
) -> Items:
    """Items of all features.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)
        Encoded rows; NaN for missing values.
    weight : ndarray, optional
        Weights of the rows for the quantiles.
    n_cuts : int
        Most cuts of a feature.
    cut_points : mapping from feature to cuts, optional
        Cuts that replace the quantiles.

    Examples
    --------
    >>> items = make_items(np.array([[1.0], [2.0], [4.0]]), n_cuts=2)
    >>> [c.cut for c in items.conditions]
    [2.0, 3.0]
    """
    given = cut_points or {}
    conditions = [
        Condition.on(j, ">=", float(cut))
        for j in range(X.shape[1])
        for cut in (sorted(given[j]) if j in given else quantile_cuts(X[:, j], n_cuts, weight))
    ]
    features = np.array([c.features[0] for c in conditions], dtype=np.int64)
    cuts = np.array([c.cut for c in conditions])
    is_met = (X.T[features] >= cuts[:, None]).astype(np.uint8)  # no comparison with NaN is true
    return Items(tuple(conditions), is_met, _neighbours(features), frozenset(given))


def _neighbours(features: Ints) -> Ints:
    """Items of the same feature, nearest first; features are sorted."""
    n = len(features)
    width = min(_N_NEIGHBOURS, max(0, n - 1))
    out = np.full((n, width), -1, dtype=np.int64)
    starts = np.flatnonzero(np.diff(features, prepend=-1))
    sizes = np.diff(starts, append=n)
    for size in np.unique(sizes).tolist():
        place = np.arange(size)
        gap = np.abs(place[None, :] - place[:, None])
        near = np.argsort(gap, axis=1, kind="stable")[:, 1:][:, :width]
        first = starts[sizes == size]
        rows = first[:, None] + place
        out[rows, : near.shape[1]] = first[:, None, None] + near[None, :, :]
    return out


# A ridge on the weights of items (which are 0 or 1), worth three examples. The first cuts then do
# not fit a few rows best, and weights of separable data are finite.
_RIDGE = 3.0
MAX_ITEMS = 60  # answers to the items of a card are the bits of one whole number
_N_TRIED = 6  # items of largest gain that a greedy step fits exactly
_N_STARTS = 3  # roundings that are improved; more roundings lead to the same cards
_N_STEPS = 12  # of Newton's method
_N_SWEEPS = 12  # each moves every item once; the search ends earlier if no item moves
_N_EXCHANGED = 60  # items that may replace any other item


@dataclass(frozen=True)
class Points:
    """Integer points of some items, and the logistic curve over their total.

    ``threshold`` is the smallest total whose probability of the second class reaches one half.
    """

    support: tuple[int, ...]
    points: tuple[int, ...]
    scale: float
    offset: float
    loss: float

    @property
    def threshold(self) -> int:
        """Smallest total with offset + scale * total >= 0; out of reach if there is none."""
        reach = sum(abs(p) for p in self.points) + 1
        if self.scale <= 0.0:
            return -reach if self.offset >= 0.0 else reach
        return int(np.clip(np.ceil(-self.offset / self.scale - 1e-9), -reach, reach))

    @property
    def risk(self) -> RiskCurve | None:
        """The logistic curve over the score: the total less half a point below the threshold.

        None if the points tell nothing.
        """
        if self.scale <= 0.0:
            return None
        return RiskCurve(self.scale, self.offset + self.scale * (self.threshold - 0.5))

    def labels(self, items: Items) -> Ints:
        """Labels 0 and 1 of the rows."""
        return (self.totals(items) >= self.threshold).astype(np.int64)

    def totals(self, items: Items) -> Ints:
        """Total of each row."""
        total = np.zeros(items.is_met.shape[1], dtype=np.int64)
        for item, points in zip(self.support, self.points, strict=True):
            total += points * items.is_met[item].astype(np.int64)
        return total


@dataclass(frozen=True)
class Support:
    """Items with real weights; the last entry of ``beta`` is the intercept."""

    items: tuple[int, ...]
    beta: Floats
    loss: float


@dataclass(frozen=True)
class CardTask:
    """Rows, labels (0 and 1), weights, the required signs of the items, and what must be asked.

    ``asked`` holds groups of items, of each of which one must have points.
    """

    items: Items
    y: Floats
    weight: Floats
    direction: Ints
    max_points: int
    asked: tuple[Ints, ...] = ()


def make_task(
    items: Items,
    y: Floats,
    *,
    weight: Floats | None = None,
    direction: Ints | None = None,
    max_points: int = 5,
    asked: Sequence[Ints] = (),
) -> CardTask:
    """The problem of a card; by default with weights of 1 and without required signs."""
    n = items.is_met.shape[1]
    return CardTask(
        items,
        np.ascontiguousarray(y, dtype=np.float64),
        np.ones(n) if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        np.zeros(len(items), dtype=np.int64) if direction is None else direction,
        max_points,
        tuple(asked),
    )


def support_path(
    task: CardTask, max_items: int, *, banned: Sequence[int] = ()
) -> Iterator[Support]:
    """Supports of 0, 1, 2, ... items, each with its best real weights; first what must be asked."""
    from handful.scoring import loops

    items, y, weight = task.items.is_met, task.y, task.weight
    chosen: list[int] = []
    beta = np.zeros(1)
    loss = loops.fit_support(items, np.empty(0, dtype=np.int64), 0, y, weight, _RIDGE, beta, 12)
    yield Support((), beta.copy(), loss)
    gains = np.empty(len(items))
    is_banned = np.zeros(len(items), dtype=bool)
    is_banned[list(banned)] = True
    while len(chosen) < min(max_items, len(items)):
        eta = beta[-1] + beta[:-1] @ items[chosen] if chosen else np.full(len(y), beta[-1])
        loops.item_gains(items, np.asarray(eta, dtype=np.float64), y, weight, _RIDGE, gains)
        is_wrong = task.direction * np.sign(gains) < 0
        usable = np.where(is_banned | is_wrong, 0.0, np.abs(gains))
        usable[chosen] = 0.0
        missing = [group for group in task.asked if usable[group].any() and not any(
            np.isin(chosen, group))]  # fmt: skip
        if missing:
            usable[np.setdiff1d(np.arange(len(items)), np.concatenate(missing))] = 0.0
        # Round, so that gains which differ by rounding are ties.
        usable = np.round(usable / max(float(usable.max(initial=0.0)), 1e-300), 9)
        best: Support | None = None
        for j in _largest(usable, _N_TRIED):
            found = _try_item(task, chosen, beta, int(j))
            if best is None or found.loss < best.loss - 1e-7 * (1.0 + best.loss):
                best = found
        if best is None or (best.loss > loss - 1e-6 * (1.0 + loss) and not missing):
            return
        chosen, beta, loss = list(best.items), best.beta.copy(), best.loss
        yield best


def _largest(gains: Floats, n: int) -> Ints:
    """Positions of the n largest gains above 0, largest first; of equal gains, the first first."""
    least = np.partition(gains, -n)[-n] if len(gains) > n else 0.0
    places = np.flatnonzero((gains >= least) & (gains > 0.0))
    return places[np.argsort(-gains[places], kind="stable")[:n]]


def _try_item(task: CardTask, chosen: list[int], beta: Floats, j: int) -> Support:
    from handful.scoring import loops

    support = np.array([*chosen, j], dtype=np.int64)
    start = np.concatenate([beta[:-1], [0.0], beta[-1:]])
    k = len(support)
    loss = loops.fit_support(
        task.items.is_met, support, k, task.y, task.weight, _RIDGE, start, _N_STEPS
    )
    return Support(tuple(support.tolist()), start, float(loss))


def round_support(task: CardTask, support: Support) -> Points:
    """The best of several scalings of the real weights, rounded, without moves."""
    return _finished(min(_roundings(task, support), key=lambda draft: draft.loss))


@dataclass(frozen=True)
class Draft:
    """Points of a support; items with 0 points may be exchanged later."""

    support: Ints
    points: Ints
    curve: Floats
    loss: float


def _roundings(task: CardTask, support: Support) -> list[Draft]:
    """Distinct roundings, best first, at scales that make the largest weight 1 to max_points."""
    from handful.scoring import loops

    weights, chosen = support.beta[:-1], np.array(support.items, dtype=np.int64)
    largest = float(np.max(np.abs(weights), initial=0.0)) or 1.0
    ratios = np.linspace(1.0, 2.0 * task.max_points, 4 * task.max_points) / largest
    whole = np.rint(ratios[:, None] * weights)
    every = np.clip(whole, -task.max_points, task.max_points).astype(np.int64)
    every[task.direction[chosen] * every < 0] = 0
    found = {tuple(points): i for i, points in reversed(list(enumerate(every.tolist())))}
    first = sorted(found.values())  # of scales that round to equal points, the smallest
    drafts, losses = every[first], np.empty(len(first))
    curves = np.column_stack([1.0 / ratios[first], np.zeros(len(first))])
    loops.rounding_losses(
        task.items.is_met, chosen, len(chosen), task.y, task.weight, drafts, curves, losses
    )
    order = np.argsort(losses, kind="stable")
    return [Draft(chosen, drafts[i], curves[i], float(losses[i])) for i in order]


def _improved(
    task: CardTask,
    support: Ints,
    points: Ints,
    curve: Floats,
    n_sweeps: int,
    neighbours: Ints | None = None,
) -> Draft:
    from handful.scoring import loops

    support, points, curve = support.copy(), points.copy(), curve.copy()
    loss = loops.improve_points(
        task.items.is_met,
        support,
        points,
        len(support),
        task.y,
        task.weight,
        task.max_points,
        task.direction,
        task.items.neighbours if neighbours is None else neighbours,
        curve,
        n_sweeps,
    )
    return Draft(support, points, curve, float(loss))


def _finished(draft: Draft) -> Points:
    """The points without items of 0 points, most points first."""
    support, points = draft.support, draft.points
    keep = np.flatnonzero(points)
    order = keep[np.lexsort((support[keep], -np.abs(points[keep])))]
    return Points(
        tuple(support[order].tolist()),
        tuple(points[order].tolist()),
        float(draft.curve[0]),
        float(draft.curve[1]),
        draft.loss,
    )


def integer_points(
    task: CardTask,
    support: Support,
    *,
    n_starts: int = _N_STARTS,
    exchange: bool = True,
    banned: Sequence[int] = (),
) -> Points:
    """Round at several scales, improve the best few by moves, and keep the best.

    A move changes the points of an item or its cut. With ``exchange``, the best card then tries
    items of other features in place of its own, except ``banned`` ones.
    """
    starts = _roundings(task, support)[:n_starts]
    improved = [_improved(task, d.support, d.points, d.curve, _N_SWEEPS) for d in starts]
    best = min(improved, key=lambda draft: draft.loss)
    if exchange and len(best.support):
        others = _exchanges(task, banned)
        best = _improved(task, best.support, best.points, best.curve, _N_SWEEPS, others)
    return _finished(_with_asked(task, support, best))


def _with_asked(task: CardTask, support: Support, draft: Draft) -> Draft:
    """One point for an item of each group that must be asked and has none."""
    from handful.scoring import loops

    items, points = draft.support.copy(), draft.points.copy()
    for group in task.asked:
        own = np.flatnonzero(np.isin(items, group))
        first = np.flatnonzero(np.isin(support.items, group))
        if points[own].any() or not len(first):
            continue
        # where the item of the support stood, which may have gone elsewhere without points
        a = int(first[0])
        items[a] = support.items[a]
        points[a] = task.direction[items[a]] or (1 if support.beta[a] > 0.0 else -1)
    if (points == draft.points).all():
        return draft
    curves, losses = draft.curve[None].copy(), np.empty(1)
    loops.rounding_losses(
        task.items.is_met, items, len(items), task.y, task.weight, points[None], curves, losses
    )
    return Draft(items, points, curves[0], float(losses[0]))


def _exchanges(task: CardTask, banned: Sequence[int]) -> Ints:
    """For each item, the cuts of its own feature and the items with the largest gains alone."""
    from handful.scoring import loops

    gains = np.empty(len(task.items))
    rate = float(np.clip(np.average(task.y, weights=task.weight), 1e-6, 1.0 - 1e-6))
    eta = np.full(len(task.y), np.log(rate / (1.0 - rate)))
    loops.item_gains(task.items.is_met, eta, task.y, task.weight, _RIDGE, gains)
    gains[list(banned)] = 0.0
    best = np.argsort(-np.round(np.abs(gains), 9), kind="stable")[:_N_EXCHANGED]
    best = best[np.abs(gains[best]) > 0.0]
    own, features = task.items.neighbours, task.items.features
    out = np.full((len(task.items), len(best) + own.shape[1]), -1, dtype=np.int64)
    out[:, : own.shape[1]] = own
    n_near = np.count_nonzero(own >= 0, axis=1)
    out[np.arange(len(out))[:, None], n_near[:, None] + np.arange(len(best))] = best
    for i in np.flatnonzero(np.isin(features, features[best])):  # no item twice
        far = best[~np.isin(best, own[i]) & (best != i)]
        out[i, n_near[i] :] = -1
        out[i, n_near[i] : n_near[i] + len(far)] = far
    return out
