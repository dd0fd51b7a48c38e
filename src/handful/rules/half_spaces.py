"""Half-spaces between examples: two give the direction, a third or a fraction the threshold.

A kernel value here depends on its two vectors alone, so that training, rebuilding and prediction
see the same number.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from handful.arrays import Floats, Ints, Mask
from handful.bounds import Message, half_space_message, two_point_message
from handful.kernels import Kernel
from handful.models import Condition, KernelDifference, Op, Value, WeightedSum, as_floats
from handful.rules.family import KIND_SIGNS, CodedPath, Family, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import (
    ABOVE,
    BELOW,
    LINEAR,
    RELATIVE_TOLERANCE,
    SIDE_OPS,
    CandidateTable,
    CodedRule,
    Encoder,
    Geometry,
    check_finite,
    threshold_rows,
)

# -- directions ----------------------------------------------------------------------------------


def pair_tolerance(k_aa: Any, k_bb: Any, k_ab: Any) -> Any:
    """The tolerance of a direction, or of many: values that differ by no more are tied.

    It is computed from the two examples alone, so it is the same in training, rebuilding and
    prediction, and it scales with the kernel.
    """
    return RELATIVE_TOLERANCE * np.maximum(np.maximum(np.abs(k_aa), np.abs(k_bb)), np.abs(k_ab))


def kernel_rows(kernel: Kernel, points: Floats, X: Floats) -> Floats:
    """Kernel values of ``points`` (rows) against X (columns), without cancellation."""
    if kernel.name == "rbf":
        return np.asarray(np.exp(-kernel.gamma * cdist(points, X, "sqeuclidean")))
    if kernel.name == "linear":
        return inner_products(points, X)
    if kernel.name == "poly":
        products = kernel.gamma * inner_products(points, X) + kernel.coef0
        return np.asarray(products**kernel.degree)
    return kernel(points, X)


def inner_products(points: Floats, X: Floats) -> Floats:
    """Inner products of ``points`` (rows) with X (columns), each summed in the same order.

    A matrix product may round a row differently in other company.

    Examples
    --------
    >>> import numpy as np
    >>> inner_products(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    from handful.rules.search import table_loops

    out = np.zeros((points.shape[0], X.shape[0]))
    table_loops.add_products(
        np.ascontiguousarray(points, dtype=np.float64),
        np.ascontiguousarray(X.T, dtype=np.float64),
        out,
    )
    return out


def pair_value(a: Floats, b: Floats, kernel: Kernel, names: tuple[int, int]) -> tuple[Value, float]:
    """k(a, x) - k(b, x) as a value of a row x, and its tolerance.

    ``a`` and ``b`` are two examples, or their rows of a kernel matrix, in whose columns ``names``
    their own kernel values stand.
    """
    pair = np.array([a, b])
    if kernel.name == "linear":  # nothing of a column in which they agree
        weights = a - b
        used = np.ascontiguousarray(pair[:, weights != 0.0])
        return WeightedSum(as_floats(weights)), _tolerance(kernel_rows(kernel, used, used))
    if kernel.name == "precomputed":
        gram = pair[:, list(names)]
        own, other = as_floats(gram)
        return KernelDifference(own, other, kernel, names), _tolerance(gram)
    value = KernelDifference(as_floats(a), as_floats(b), kernel)
    return value, _tolerance(kernel_rows(kernel, pair, pair))


def _tolerance(gram: Floats) -> float:
    return float(pair_tolerance(gram[0, 0], gram[1, 1], gram[0, 1]))


def kernel_values(points: Floats, kernel: Kernel, X: Floats) -> Floats:
    """Kernel values of the points and the rows of X; values that overflow are refused."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel_rows(kernel, points, X)
    check_finite(values)
    return values


def _given_values(columns: Ints, X: Floats) -> Floats:
    """Columns of a precomputed kernel matrix."""
    values = np.ascontiguousarray(X[:, columns].T)
    check_finite(values)
    return values


@dataclass(frozen=True)
class PoolPairs:
    """(positive, negative) pairs of a pool: values of any rows, and at the pool, tolerances."""

    values: Callable[[Floats], Floats]
    first: Ints
    second: Ints
    at_pool: Floats
    tolerances: Floats

    @classmethod
    def of(cls, rows: Rows, pool: Ints, kernel: Kernel) -> PoolPairs:
        """All pairs of the pool."""
        pool_rows = rows.row_of[pool]
        points = rows.X[pool_rows]
        if kernel.name == "precomputed":
            values = partial(_given_values, pool)
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
        return cls(values, first, second, at_pool, tolerances)


class PairFamily(Family):
    """Half-spaces whose direction is a positive and a negative example."""

    proposed_as = "half-spaces"

    def n_directions(self, pool_size: int, n_features: int) -> int:
        # Most pairs if half of the pool is positive; rounded up, whatever the labels are.
        return (pool_size // 2 + 1) ** 2

    def table(
        self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1
    ) -> CandidateTable:
        pairs = PoolPairs.of(rows, pool, geometry.kernel)
        encoder = Encoder(
            pairs.values, pairs.first, pairs.second, *self.cuts(pairs), pairs.tolerances
        )
        return CandidateTable.of(
            self,
            rows,
            pool,
            encoder,
            first=pairs.first,
            second=pairs.second,
            geometry=geometry,
            n_threads=n_threads,
        )

    @abstractmethod
    def cuts(self, pairs: PoolPairs) -> tuple[Floats, Ints]:
        """Thresholds of each pair, padded by infinity, and their number."""


def _check_pairs(y: Ints, pairs: Sequence[tuple[int, int]], is_threshold: Mask) -> None:
    """Refuse pairs that are not a positive and a negative example."""
    for a, b in pairs:
        if y[a] != 1 or y[b] != -1 or is_threshold[a] or is_threshold[b]:
            raise ValueError(
                f"`pairs` must name a positive and a negative example that are not marked as "
                f"thresholds, got ({a}, {b})."
            )


# -- a third example gives the threshold ---------------------------------------------------------


def rebuild_half_spaces(
    X: Floats,
    y: Ints,
    is_threshold: Mask,
    pairs: Sequence[tuple[int, int]],
    kind: str,
    *,
    kernel: Kernel = LINEAR,
    indices: Sequence[int] | None = None,
) -> tuple[Condition, ...]:
    """Half-spaces from the kept examples, which of them are thresholds only, and the pairs.

    X and y are the kept examples; with a precomputed kernel, rows of the kernel matrix, whose
    columns ``indices`` names. Of the class that must not be covered, all kept examples are
    thresholds, also those that give a direction: the outermost one counts. ``pairs`` are positions
    of the positive and the negative example of each rule.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[3.0], [2.0], [0.0]]), np.array([1, 1, -1])
    >>> is_threshold = np.array([False, True, False])
    >>> (cover,) = rebuild_half_spaces(X, y, is_threshold, [(0, 2)], "conjunction")
    >>> cover.value.weights, cover.op, cover.cut
    ((3.0,), '<', 6.0)
    """
    _check_pairs(y, pairs, is_threshold)
    names, sign = names_of(X, indices), KIND_SIGNS[kind]
    members = np.flatnonzero(y == sign)
    covers = []
    for a, b in pairs:
        value, tol = pair_value(X[a], X[b], kernel, (names[a], names[b]))
        values = value.of(X[members])
        # The outermost kept example of that class: the message need not say which one serves
        # which pair.
        at = int(np.argmin(values) if sign > 0 else np.argmax(values))
        triple = (names[a], names[b], names[members[at]])
        covers.append(Condition(value, "<" if sign > 0 else ">", float(values[at]), tol, triple))
    return tuple(covers)


class HalfSpaceFamily(PairFamily):
    """A positive and a negative example give the direction, a third the threshold."""

    name = "half-spaces"
    has_members = True

    def cuts(self, pairs: PoolPairs) -> tuple[Floats, Ints]:
        return threshold_rows(pairs.at_pool, pairs.tolerances)

    def make_rule(self, table: CandidateTable, rows: Rows, rule: CodedRule) -> Condition:
        a, b = rule.first, rule.second
        first, second = (rows.X[rows.row_of[e]] for e in (a, b))
        value, tol = pair_value(first, second, table.geometry.kernel, (a, b))
        cut = float(table.thresholds[rule.t, rule.j])
        return Condition(value, SIDE_OPS[rule.side], cut, tol, (a, b, rule.member))

    def empty_message(self) -> Message:
        return half_space_message(0, 0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        # A threshold that also gives a direction is known already.
        directions = path.firsts if path.kind == "conjunction" else path.seconds
        n_c = len(path.members - directions)
        return half_space_message(
            len(path.rules), len(path.firsts), len(path.seconds), n_c, kind=path.kind
        )

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        X, y = path.kept_rows
        return rebuild_half_spaces(
            X,
            y,
            np.array(path.is_threshold_only),
            path.pairs,
            path.kind,
            kernel=path.geometry.kernel,
            indices=path.kept,
        )

    def rule_nats(self, table: CandidateTable, j: int, n_kept: int, n_features: int) -> float:
        # three examples and a side
        return math.log(2.0) + 3 * math.log(n_kept)


HALF_SPACES = register_family(HalfSpaceFamily())

# -- a dyadic fraction between the two examples gives the threshold ------------------------------


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


FRACTIONS, LEVELS = dyadic_fractions()


def dyadic_fraction(j: int) -> tuple[int, int]:
    """(numerator, level) of the j-th fraction."""
    level = int(LEVELS[j])
    return round(float(FRACTIONS[j]) * 2**level), level


def two_point_cover(
    a: Floats,
    b: Floats,
    fraction: tuple[int, int],
    op: Op,
    kernel: Kernel,
    examples: tuple[int, int],
) -> Condition:
    """The side of the plane at the fraction (numerator, level) of the way from b to a."""
    value, tol = pair_value(a, b, kernel, examples)
    at_a, at_b = value.of(np.array([a, b])).tolist()
    numerator, level = fraction
    cut = float(at_b + numerator / 2.0**level * (at_a - at_b))
    return Condition(value, op, cut, tol, examples)


def rebuild_two_points(
    X: Floats,
    y: Ints,
    pairs: Sequence[tuple[int, int]],
    fractions: Sequence[tuple[int, int]],
    kind: str,
    *,
    kernel: Kernel = LINEAR,
    indices: Sequence[int] | None = None,
) -> tuple[Condition, ...]:
    """Half-spaces from pairs of kept examples and the (numerator, level) of each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [0.0]]), np.array([1, -1])
    >>> rebuild_two_points(X, y, [(0, 1)], [(1, 1)], "conjunction")[0].cut
    2.0
    """
    _check_pairs(y, pairs, np.zeros(len(y), dtype=bool))
    names, op = names_of(X, indices), SIDE_OPS[BELOW if KIND_SIGNS[kind] > 0 else ABOVE]
    return tuple(
        two_point_cover(X[a], X[b], fraction, op, kernel, (names[a], names[b]))
        for (a, b), fraction in zip(pairs, fractions, strict=True)
    )


class TwoPointFamily(PairFamily):
    """Two examples give the direction, a dyadic fraction between them the threshold."""

    name = "two-point"
    pool_sizes = (40,)
    levels = LEVELS

    def cuts(self, pairs: PoolPairs) -> tuple[Floats, Ints]:
        t = np.arange(len(pairs.first))
        at_a, at_b = (pairs.at_pool[t, side][:, None] for side in (pairs.first, pairs.second))
        gaps = at_a - at_b
        usable = gaps[:, 0] > 64.0 * pairs.tolerances  # so that the fractions stay apart
        n_thresholds = np.where(usable, len(FRACTIONS), 0).astype(np.int64)
        return at_b + FRACTIONS[None, :] * gaps, n_thresholds

    def make_rule(self, table: CandidateTable, rows: Rows, rule: CodedRule) -> Condition:
        pair = rule.first, rule.second
        first, second = (rows.X[rows.row_of[e]] for e in pair)
        kernel, fraction = table.geometry.kernel, dyadic_fraction(rule.j)
        return two_point_cover(first, second, fraction, SIDE_OPS[rule.side], kernel, pair)

    def empty_message(self) -> Message:
        return two_point_message(0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        levels = [int(LEVELS[rule.j]) for rule in path.rules]
        n_firsts, n_seconds = len(path.firsts), len(path.seconds)
        return two_point_message(len(levels), n_firsts, n_seconds, levels=levels)

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        X, y = path.kept_rows
        fractions = [dyadic_fraction(rule.j) for rule in path.rules]
        kernel = path.geometry.kernel
        return rebuild_two_points(
            X, y, path.pairs, fractions, path.kind, kernel=kernel, indices=path.kept
        )

    def rule_nats(self, table: CandidateTable, j: int, n_kept: int, n_features: int) -> float:
        # Two examples, a side and a fraction: prior 1 / (l (l + 1)) for its level l, then
        # uniform over the 2^(l - 1) odd numerators.
        level = int(LEVELS[j])
        theta = math.log(level * (level + 1.0)) + (level - 1.0) * math.log(2.0)
        return math.log(2.0 * n_kept**2) + theta


TWO_POINTS = register_family(TwoPointFamily())
