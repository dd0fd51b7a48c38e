"""Half-spaces of two examples, the threshold at a dyadic fraction between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Message, two_point_message
from handful.kernels import Kernel
from handful.models import Condition, Op
from handful.rules.directions import LINEAR, check_pairs, pair_value, pairs_of
from handful.rules.family import KIND_SIGNS, CodedPath, Family, Geometry, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import ABOVE, BELOW, SIDE_OPS, Encoder, Table


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
    pairs = pairs_of(rows, pool, kernel)
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
        TWO_POINTS,
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
    check_pairs(y, pairs, np.zeros(len(y), dtype=bool))
    names, op = names_of(X, indices), SIDE_OPS[BELOW if KIND_SIGNS[kind] > 0 else ABOVE]
    return tuple(
        two_point_cover(X[a], X[b], fraction, op, kernel, (names[a], names[b]))
        for (a, b), fraction in zip(pairs, fractions, strict=True)
    )


class TwoPoints(Family):
    """Two examples give the direction, a dyadic fraction between them the threshold."""

    name = "two-point"
    proposed_as = "half-spaces"
    pool_sizes = (40,)

    def n_directions(self, pool_size: int, n_features: int) -> int:
        """One a pair, at most."""
        return (pool_size // 2 + 1) ** 2

    def table(self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1) -> Table:
        """Thresholds at dyadic fractions."""
        return two_point_table(rows, pool, geometry.kernel, n_threads=n_threads)

    def make_rule(
        self, table: Table, rows: Rows, t: int, j: int, side: int, example: int
    ) -> Condition:
        """The side of the plane at the fraction."""
        assert table.kernel is not None
        a, b = (int(table.pool[position[t]]) for position in (table.first, table.second))
        first, second = (rows.X[rows.row_of[e]] for e in (a, b))
        fraction = dyadic_fraction(table, j)
        return two_point_cover(first, second, fraction, SIDE_OPS[side], table.kernel, (a, b))

    def empty_message(self) -> Message:
        """No rule."""
        return two_point_message(0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        """Who is paired with whom, and the fraction of each."""
        assert path.table.levels is not None
        levels = [int(path.table.levels[s.j]) for s in path.steps]
        n_firsts, n_seconds = len(path.firsts), len(path.seconds)
        return two_point_message(len(path.steps), n_firsts, n_seconds, levels=levels)

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        """Thresholds between the two examples."""
        assert path.table.kernel is not None
        X, y = path.kept_rows
        fractions = [dyadic_fraction(path.table, s.j) for s in path.steps]
        return rebuild_two_points(
            X, y, path.pairs, fractions, path.kind, kernel=path.table.kernel, indices=path.kept
        )

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Two examples, a side and a fraction."""
        assert table.levels is not None
        level = int(table.levels[j])
        theta = math.log(level * (level + 1.0)) + (level - 1.0) * math.log(2.0)
        return math.log(2.0 * n_kept**2) + theta


TWO_POINTS = register_family(TwoPoints())
