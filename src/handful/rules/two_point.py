"""Half-spaces of two examples, the threshold at a dyadic fraction between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handful._codec import fail
from handful._types import Floats, Ints
from handful.bounds import Message, two_point_message
from handful.kernels import Kernel
from handful.rules.directions import LINEAR, PairRule, check_pairs, pairs_of
from handful.rules.family import KIND_SIGNS, CodedPath, Family, Geometry, names_of, register_family
from handful.rules.fields import (
    MAX_LEVEL,
    Reader,
    read_floats,
    read_index,
    read_indices,
    read_kernel,
    read_ordered_side,
    read_within,
)
from handful.rules.linear import TWO_ORIGIN, as_weights
from handful.rules.rows import Rows
from handful.rules.rule import AbstractRule, register_rule
from handful.rules.sets import RuleSet
from handful.rules.table import SIDE_NAMES, Encoder, Table


@register_rule("two-point")
@dataclass(frozen=True)
class TwoPointHalfSpace(PairRule):
    """A half-space whose threshold lies at the dyadic fraction j / 2^l between b and a.

    Examples
    --------
    >>> import numpy as np
    >>> rule = TwoPointHalfSpace((2.0,), (0.0,), numerator=1, level=1, side="below")
    >>> rule.covers(np.array([[0.9], [1.1]]))
    array([ True, False])
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "a": read_floats,
        "b": read_floats,
        "numerator": read_index,
        "level": read_within(1, MAX_LEVEL),
        "side": read_ordered_side,
        "kernel": read_kernel,
        "indices": read_indices(2),
    }
    a: tuple[float, ...]
    b: tuple[float, ...]
    numerator: int
    level: int
    side: str
    kernel: Kernel = LINEAR
    indices: tuple[int, ...] = ()

    @property
    def cut(self) -> float:
        """v(b) + fraction (v(a) - v(b))."""
        at_a, at_b = self.values(np.array([self.a, self.b])).tolist()
        return float(at_b + self.numerator / 2.0**self.level * (at_a - at_b))

    @property
    def roles(self) -> tuple[str, ...]:
        """Two give the direction."""
        return ("a", "b")

    def without_rows(self) -> AbstractRule:
        """Weights and threshold, with the same values to the last bit."""
        return self if self.n_training_rows else as_weights(self, TWO_ORIGIN)

    def check(self, where: str) -> None:
        """Refuse fractions that are not in lowest terms between 0 and 1."""
        if not (self.numerator % 2 and self.numerator < 2**self.level):
            raise fail(f"{where}.numerator", "odd and below 2^level", self.numerator)


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
) -> RuleSet:
    """Half-spaces from pairs of kept examples and the (numerator, level) of each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [0.0]]), np.array([1, -1])
    >>> rebuild_two_points(X, y, [(0, 1)], [(1, 1)], "conjunction").rules[0].cut
    2.0
    """
    check_pairs(y, pairs, np.zeros(len(y), dtype=bool))
    names, side = names_of(X, indices), "below" if KIND_SIGNS[kind] > 0 else "above"
    rules = tuple(
        TwoPointHalfSpace(
            tuple(X[a].tolist()),
            tuple(X[b].tolist()),
            numerator,
            level,
            side,
            kernel=kernel,
            indices=(names[a], names[b]),
        )
        for (a, b), (numerator, level) in zip(pairs, fractions, strict=True)
    )
    return RuleSet(rules, kind)


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
    ) -> TwoPointHalfSpace:
        """The side of the plane at the fraction."""
        assert table.kernel is not None
        a, b = (int(table.pool[position[t]]) for position in (table.first, table.second))
        first, second = (tuple(rows.X[rows.row_of[e]].tolist()) for e in (a, b))
        numerator, level = dyadic_fraction(table, j)
        return TwoPointHalfSpace(
            first, second, numerator, level, SIDE_NAMES[side], table.kernel, (a, b)
        )

    def empty_message(self) -> Message:
        """No rule."""
        return two_point_message(0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        """Who is paired with whom, and the fraction of each."""
        assert path.table.levels is not None
        levels = [int(path.table.levels[s.j]) for s in path.steps]
        n_firsts, n_seconds = len(path.firsts), len(path.seconds)
        return two_point_message(len(path.steps), n_firsts, n_seconds, levels=levels)

    def rebuild(self, path: CodedPath) -> tuple[AbstractRule, ...]:
        """Thresholds between the two examples."""
        assert path.table.kernel is not None
        X, y = path.kept_rows
        fractions = [dyadic_fraction(path.table, s.j) for s in path.steps]
        return rebuild_two_points(
            X, y, path.pairs, fractions, path.kind, kernel=path.table.kernel, indices=path.kept
        ).rules

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Two examples, a side and a fraction."""
        assert table.levels is not None
        level = int(table.levels[j])
        theta = math.log(level * (level + 1.0)) + (level - 1.0) * math.log(2.0)
        return math.log(2.0 * n_kept**2) + theta


TWO_POINTS = register_family(TwoPoints())
