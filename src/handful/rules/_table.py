"""Candidate tables: directions, thresholds and the codes of all rows, for the counting engine.

A table is built once for a set of candidate examples (a pool, or all examples) and serves all
kinds, penalties and sizes. Rows are distinct (features, label) pairs with integer weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handful.kernels import Kernel
from handful.rules.ball import Ball, ball_distances, ball_tolerance
from handful.rules.directions import kernel_rows, pair_tolerance
from handful.rules.half_space import HalfSpace
from handful.rules.rule import AbstractRule
from handful.rules.stump import Stump
from handful.rules.two_point import TwoPointHalfSpace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Histograms of the negatives and the positives by direction and code.
Pair = tuple[Ints, Ints]
#: (table, direction, threshold, side) of a rule that was just chosen, and the histograms, one
#: pair a table, out of which the rows that it covers first are to be taken.
Round = tuple[tuple[int, int, int, int], Sequence[Pair]]

BELOW, ABOVE, EQUAL, UNEQUAL = 0, 1, 2, 3
WITH_MISSING = 4  # added to a side: missing values lie on it, as a conjunction needs
SIDE_NAMES = ("below", "above", "equal", "unequal") * 2
_PARALLEL = 20_000_000  # codes from which threads pay


class Counter(Protocol):
    """Counts rows by code for greedy paths; rows in memory, or chunks elsewhere."""

    def start(self) -> list[Pair]:
        """Histograms of all rows, one pair a table; they must not be changed."""

    def run(self, paths: Iterable[Iterator[Round]]) -> None:
        """Exhaust every path, taking rows out of the histograms that it yields."""


class Machine(Protocol):
    """Rules that predict signs: a set or a list of them."""

    @property
    def rules(self) -> tuple[AbstractRule, ...]:
        """The rules."""

    def predict(self, X: Floats) -> Ints:
        """Labels in {-1, +1}."""

    def covers(self, rule: AbstractRule, X: Floats) -> Mask:
        """Which rows one of the rules takes."""


@dataclass(frozen=True)
class Rows:
    """Distinct training rows: features, signed labels, repetition counts and provenance.

    Attributes
    ----------
    X : array (n_rows, n_features)
    y : array (n_rows,), in {-1, +1}
    weight : int array (n_rows,)
    row_of : int array (n_samples,)
        Row of each original example.
    is_categorical : bool array (n_features,)
    steering : int array (n_samples,) or None
        What each original example weighs in the search, in parts of `STEERING_UNIT`; it counts
        once all the same.
    """

    X: Floats
    y: Ints
    weight: Ints
    row_of: Ints
    is_categorical: Mask
    steering: Ints | None = None

    @property
    def n_samples(self) -> int:
        """Number of original examples."""
        return int(self.row_of.shape[0])

    @property
    def totals(self) -> dict[int, int]:
        """Number of original examples of each label."""
        return {label: int(self.weight[self.y == label].sum()) for label in (-1, 1)}

    @property
    def largest(self) -> float:
        """Largest absolute value; NaN where a value is missing."""
        return float(np.abs(self.X).max(initial=0.0))

    @property
    def unit(self) -> int:
        """What an example of weight one adds to the counts of a search."""
        return 1 if self.steering is None else STEERING_UNIT

    def searched(self, without: Ints | None = None) -> Ints:
        """What each row weighs in a search, the examples ``without`` left out."""
        if self.steering is None:
            weight, lost = self.weight, None
        else:
            weight = self._sums(np.arange(self.n_samples))
            lost = None if without is None else self._sums(without)
        if without is None:
            return weight
        if lost is None:
            lost = np.bincount(self.row_of[without], minlength=len(weight))
        return np.asarray(weight - lost)

    def _sums(self, examples: Ints) -> Ints:
        assert self.steering is not None
        out = np.zeros(len(self.weight), dtype=np.int64)
        np.add.at(out, self.row_of[examples], self.steering[examples])
        return out

    @property
    def searched_totals(self) -> dict[int, int]:
        """Weight of each label in a search."""
        weight = self.searched() if self.steering is not None else None
        if weight is None:
            return self.totals
        return {label: int(weight[self.y == label].sum()) for label in (-1, 1)}

    def holding(self, n_needed: int) -> Rows:
        """Rows that give the features of the first examples; these ones give them all."""
        return self

    def counter(
        self, tables: Sequence[Table], *, without: Ints | None = None, n_threads: int = 1
    ) -> Counter:
        """What counts the rows by code, the examples ``without`` left out."""
        from handful.rules.search.greedy import LocalCounter

        return LocalCounter(tables, self, self.searched(without), n_threads)

    def n_wrong(self, machine: Machine) -> dict[int, int]:
        """Number of original examples of each label that a machine gets wrong."""
        wrong = machine.predict(self.X) != self.y
        return {label: int(self.weight[wrong & (self.y == label)].sum()) for label in (-1, 1)}


LARGEST_COLLAPSE = 50_000  # more rows than this are not grouped
STEERING_UNIT = 1 << 10


def collapse_rows(
    X: Floats, y: Ints, is_categorical: Mask | None = None, steering: Ints | None = None
) -> Rows:
    """Group equal (features, label) rows; rows are sorted, so their order carries no meaning.

    Examples
    --------
    >>> import numpy as np
    >>> rows = collapse_rows(np.array([[1.0], [0.0], [1.0]]), np.array([1, -1, 1]))
    >>> rows.weight, rows.row_of
    (array([1, 2]), array([1, 0, 1]))
    """
    if is_categorical is None:
        is_categorical = np.zeros(X.shape[1], dtype=bool)
    m = X.shape[0]
    if m > LARGEST_COLLAPSE:
        ones = np.ones(m, np.int64)
        return Rows(X, y.astype(np.int64), ones, np.arange(m), is_categorical, steering)
    both = np.column_stack([X, y])
    _, first, inverse, counts = np.unique(
        both, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return Rows(
        np.ascontiguousarray(X[first]),
        y[first].astype(np.int64),
        counts.astype(np.int64),
        inverse.ravel().astype(np.int64),
        is_categorical,
        steering,
    )


@dataclass(frozen=True)
class Encoder:
    """How any rows become codes: it depends on the pool alone, and each row on itself alone.

    ``values(X)`` has one row a source; direction t is source ``first[t]`` minus ``second[t]``.
    """

    values: Callable[[Floats], Floats]
    first: Ints
    second: Ints
    thresholds: Floats
    n_thresholds: Ints
    tolerances: Floats

    @property
    def n_codes(self) -> int:
        """Number of codes, the one for missing values included."""
        return 2 * int(self.thresholds.shape[1]) + 2

    def __call__(self, X: Floats, n_threads: int = 1) -> NDArray[np.uint16]:
        """Codes of the rows of X, one row a direction."""
        return encode_rows(
            self.values(X),
            self.first,
            self.second,
            self.thresholds,
            self.n_thresholds,
            self.tolerances,
            n_threads,
        )


@dataclass(frozen=True)
class Table:
    """Codes of all rows for the candidates of one family.

    ``first`` and ``second`` are the positions in ``pool`` of the examples that give direction t
    (-1: none); ``levels`` the dyadic level of each threshold of a two-point rule.
    """

    family: str
    pool: Ints
    pool_rows: Ints
    codes: NDArray[np.uint16]
    thresholds: Floats
    n_thresholds: Ints
    first: Ints
    second: Ints
    levels: Ints | None = None
    kernel: Kernel | None = None
    metric: str = "euclidean"
    fractions: Floats | None = None
    encoder: Encoder | None = None

    @property
    def n_directions(self) -> int:
        """Number of directions T."""
        return int(self.codes.shape[0])

    @property
    def n_codes(self) -> int:
        """Number of codes, the one for missing values included."""
        return 2 * int(self.thresholds.shape[1]) + 2


def run_blocks(work: Callable[[int, int], object], n: int, size: int, n_threads: int) -> None:
    """Call ``work(start, stop)`` over [0, n), on threads where the size pays for them."""
    if n_threads == 1 or size < _PARALLEL or n < 2:
        work(0, n)
        return
    edges = np.linspace(0, n, min(n, 4 * n_threads) + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as executor:
        list(executor.map(work, edges[:-1], edges[1:]))


def n_threads_of(n_jobs: int | None) -> int:
    """Number of threads meant by scikit-learn's ``n_jobs``."""
    if n_jobs is None:
        return 1
    return max(1, (os.cpu_count() or 1) + 1 + n_jobs) if n_jobs < 0 else n_jobs


def distinct_thresholds(values: Floats, tolerance: float) -> Floats:
    """Sorted values more than two tolerances apart; missing values left out.

    Examples
    --------
    >>> import numpy as np
    >>> distinct_thresholds(np.array([2.0, 1.0, 2.0, np.nan]), 0.0)
    array([1., 2.])
    """
    ordered = np.sort(values[~np.isnan(values)])
    if ordered.size == 0:
        return ordered
    keep = np.ones(ordered.size, dtype=bool)
    keep[1:] = np.diff(ordered) > 2.0 * tolerance
    return ordered[keep]


def _threshold_rows(values: Floats, tolerances: Floats) -> tuple[Floats, Ints]:
    """Distinct thresholds of every row of finite values, padded by infinity, and their number."""
    ordered = np.sort(values, axis=1)
    keep = np.ones(ordered.shape, dtype=bool)
    keep[:, 1:] = np.diff(ordered, axis=1) > 2.0 * tolerances[:, None]
    n_thresholds = keep.sum(axis=1)
    padded = np.full((len(values), max(1, int(n_thresholds.max(initial=1)))), np.inf)
    row, place = np.nonzero(keep)[0], (np.cumsum(keep, axis=1) - 1)[keep]
    padded[row, place] = ordered[keep]
    return padded, n_thresholds


def _pad(lists: list[Floats]) -> tuple[Floats, Ints]:
    n_thresholds = np.array([len(cuts) for cuts in lists], dtype=np.int64)
    padded = np.full((len(lists), max(1, int(n_thresholds.max(initial=1)))), np.inf)
    for t, cuts in enumerate(lists):
        padded[t, : len(cuts)] = cuts
    return padded, n_thresholds


def encode_rows(
    values: Floats,
    first: Ints,
    second: Ints,
    thresholds: Floats,
    n_thresholds: Ints,
    tolerances: Floats,
    n_threads: int = 1,
) -> NDArray[np.uint16]:
    """Codes of ``values[first] - values[second]`` among the thresholds, all rows at once."""
    from handful.rules.search import _loops

    if 2 * thresholds.shape[1] + 2 > np.iinfo(np.uint16).max:
        raise ValueError(
            f"`candidates` gives {thresholds.shape[1]} thresholds a feature, more than 32766. "
            "Use a pool, for example candidates=160."
        )
    codes = np.empty((len(first), values.shape[1]), dtype=np.uint16)

    def work(start: int, stop: int) -> None:
        _loops.encode(
            values, first, second, thresholds, n_thresholds, tolerances, start, stop, codes
        )

    run_blocks(work, len(first), codes.size, n_threads)
    return codes


def check_finite(values: Floats) -> None:
    """Refuse kernel values or distances that overflow."""
    if not np.isfinite(values).all():
        raise ValueError(
            "`kernel` or `metric` gives values that are not finite on these examples. "
            "Scale the columns by factors fixed beforehand, or set rules='stumps'."
        )


def feature_values(X: Floats) -> Floats:
    """Every feature, as a row."""
    return np.ascontiguousarray(X.T)


def distance_values(points: Floats, metric: str, kernel: Kernel | None, X: Floats) -> Floats:
    """Distances of the points to the rows of X."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = ball_distances(points, X, metric=metric, kernel=kernel)
    check_finite(values)
    return values


def kernel_values(points: Floats, kernel: Kernel, X: Floats) -> Floats:
    """Kernel values of the points and the rows of X."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel_rows(kernel, points, X)
    check_finite(values)
    return values


def given_values(columns: Ints, X: Floats) -> Floats:
    """Columns of a precomputed kernel matrix."""
    values = np.ascontiguousarray(X[:, columns].T)
    check_finite(values)
    return values


def stump_table(rows: Rows, pool: Ints, *, n_threads: int = 1) -> Table:
    """Stumps: one direction a feature, thresholds at the values of the pool's examples."""
    pool_rows = rows.row_of[pool]
    values = feature_values(rows.X[pool_rows])
    thresholds, n_thresholds = _pad([distinct_thresholds(v, 0.0) for v in values])
    first = np.arange(values.shape[0])
    none = np.full(first.shape, -1)
    zero = np.zeros(first.shape)
    encoder = Encoder(feature_values, first, none, thresholds, n_thresholds, zero)
    codes = encoder(rows.X, n_threads)
    return Table(
        "stumps", pool, pool_rows, codes, thresholds, n_thresholds, none, none, encoder=encoder
    )


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
    thresholds, n_thresholds = _threshold_rows(at_pool, tolerances)
    t, none = np.arange(len(first)), np.full(first.shape, -1)
    encoder = Encoder(values, t, none, thresholds, n_thresholds, tolerances)
    return Table(
        "balls",
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


@dataclass(frozen=True)
class _Pairs:
    """(positive, negative) pairs of a pool: values of any rows, and at the pool, tolerances."""

    values: Callable[[Floats], Floats]
    first: Ints
    second: Ints
    at_pool: Floats
    tolerances: Floats


def _pair_parts(rows: Rows, pool: Ints, kernel: Kernel) -> _Pairs:
    pool_rows = rows.row_of[pool]
    points = rows.X[pool_rows]
    if kernel.name == "precomputed":
        values = partial(given_values, pool)
    else:
        values = partial(kernel_values, points, kernel)
    labels = rows.y[pool_rows]
    positive, negative = np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)
    first = np.repeat(positive, len(negative))
    second = np.tile(negative, len(positive))
    gram = values(points)
    at_pool = gram[first] - gram[second]
    diagonal = np.diagonal(gram)
    tolerances = pair_tolerance(diagonal[first], diagonal[second], gram[first, second])
    return _Pairs(values, first, second, at_pool, tolerances)


def half_space_table(rows: Rows, pool: Ints, kernel: Kernel, *, n_threads: int = 1) -> Table:
    """Half-spaces of three examples: a direction a (positive, negative) pair of the pool."""
    pairs = _pair_parts(rows, pool, kernel)
    thresholds, n_thresholds = _threshold_rows(pairs.at_pool, pairs.tolerances)
    encoder = Encoder(
        pairs.values, pairs.first, pairs.second, thresholds, n_thresholds, pairs.tolerances
    )
    return Table(
        "half-spaces",
        pool,
        rows.row_of[pool],
        encoder(rows.X, n_threads),
        thresholds,
        n_thresholds,
        pairs.first,
        pairs.second,
        kernel=kernel,
        encoder=encoder,
    )


def dyadic_fractions(max_level: int = 5) -> tuple[Floats, Ints]:
    """Fractions j / 2^l (j odd) in ascending order, and their levels l.

    Examples
    --------
    >>> dyadic_fractions(2)
    (array([0.25, 0.5 , 0.75]), array([2, 1, 2]))
    """
    pairs = sorted(
        (j / 2.0**level, level) for level in range(1, max_level + 1) for j in range(1, 2**level, 2)
    )
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


def dyadic_fraction(table: Table, j: int) -> tuple[int, int]:
    """(numerator, level) of threshold j of a two-point table."""
    assert table.levels is not None
    assert table.fractions is not None
    level = int(table.levels[j])
    return round(float(table.fractions[j]) * 2**level), level


def two_point_table(rows: Rows, pool: Ints, kernel: Kernel, *, n_threads: int = 1) -> Table:
    """Half-spaces of two examples: thresholds at dyadic fractions between them."""
    pairs = _pair_parts(rows, pool, kernel)
    fractions, levels = dyadic_fractions()
    t = np.arange(len(pairs.first))
    at_a, at_b = pairs.at_pool[t, pairs.first][:, None], pairs.at_pool[t, pairs.second][:, None]
    thresholds = at_b + fractions[None, :] * (at_a - at_b)
    usable = (at_a - at_b)[:, 0] > 64.0 * pairs.tolerances
    n_thresholds = np.where(usable, len(fractions), 0).astype(np.int64)
    encoder = Encoder(
        pairs.values, pairs.first, pairs.second, thresholds, n_thresholds, pairs.tolerances
    )
    return Table(
        "two-point",
        pool,
        rows.row_of[pool],
        encoder(rows.X, n_threads),
        thresholds,
        n_thresholds,
        pairs.first,
        pairs.second,
        levels=levels,
        kernel=kernel,
        fractions=fractions,
        encoder=encoder,
    )


def sides_of(table: Table, rows: Rows, sign: int) -> Ints:
    """(direction, side) pairs that a machine of the given sign (+1 conjunction) may use.

    Only stumps meet missing values; in a conjunction their rules take them.
    """
    t = np.arange(table.n_directions)
    if table.family == "stumps":
        numeric = np.array([[BELOW, ABOVE], [EQUAL, UNEQUAL]])[rows.is_categorical.astype(int)]
        more = WITH_MISSING if sign > 0 else 0
        return np.column_stack([np.repeat(t, 2), numeric.ravel() + more])
    if table.family == "balls":
        is_same = rows.y[table.pool_rows[table.first]] == sign
        return np.column_stack([t, np.where(is_same, ABOVE, BELOW)])
    return np.column_stack([t, np.full(t.shape, BELOW if sign > 0 else ABOVE)])


def covered_rows(table: Table, t: int, j: int, side: int) -> Mask:
    """Rows on one side of threshold j of direction t."""
    return covered_codes(table.codes[t], j, side, table.n_codes)


def covered_codes(codes: NDArray[np.uint16], j: int, side: int, n_codes: int) -> Mask:
    """Codes on one side of threshold j."""
    missing = n_codes - 1
    if side >= WITH_MISSING:
        covered = covered_codes(codes, j, side - WITH_MISSING, n_codes)
        return np.asarray(covered | (codes == missing))
    if side == BELOW:
        return np.asarray(codes <= 2 * j)
    if side == ABOVE:
        return np.asarray((codes >= 2 * j + 2) & (codes != missing))
    if side == EQUAL:
        return np.asarray(codes == 2 * j + 1)
    return np.asarray((codes != 2 * j + 1) & (codes != missing))


def make_rule(
    table: Table, rows: Rows, t: int, j: int, side: int, threshold_example: int
) -> AbstractRule:
    """The rule of direction t and threshold j; ``threshold_example`` is an original index."""
    name = SIDE_NAMES[side]
    if table.family == "stumps":
        return Stump(t, float(table.thresholds[t, j]), name, example=threshold_example)
    first = int(table.pool[table.first[t]])
    point = tuple(rows.X[rows.row_of[first]].tolist())
    cut = float(table.thresholds[t, j])
    if table.family == "balls":
        return Ball(
            point,
            cut,
            name,
            metric=table.metric,
            kernel=table.kernel,
            indices=(first, threshold_example),
        )
    second = int(table.pool[table.second[t]])
    other = tuple(rows.X[rows.row_of[second]].tolist())
    assert table.kernel is not None
    if table.family == "half-spaces":
        triple = (first, second, threshold_example)
        return HalfSpace(point, other, cut, name, kernel=table.kernel, indices=triple)
    numerator, level = dyadic_fraction(table, j)
    return TwoPointHalfSpace(
        point, other, numerator, level, name, kernel=table.kernel, indices=(first, second)
    )
