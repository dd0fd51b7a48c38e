"""Stumps: one feature on one side of a value, or equal to it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Message, stump_message
from handful.models import Condition, Op
from handful.rules.family import CodedPath, Family, Geometry, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import (
    ABOVE,
    BELOW,
    EQUAL,
    SIDE_OPS,
    UNEQUAL,
    WITH_MISSING,
    Encoder,
    Table,
    distinct_thresholds,
    pad_thresholds,
)


def feature_values(X: Floats) -> Floats:
    """Every feature, as a row."""
    return np.ascontiguousarray(X.T)


def stump_table(rows: Rows, pool: Ints, *, n_threads: int = 1) -> Table:
    """Stumps: one direction a feature, thresholds at the values of the pool's examples."""
    pool_rows = rows.row_of[pool]
    values = feature_values(rows.X[pool_rows])
    thresholds, n_thresholds = pad_thresholds([distinct_thresholds(v, 0.0) for v in values])
    first = np.arange(values.shape[0])
    none = np.full(first.shape, -1)
    zero = np.zeros(first.shape)
    encoder = Encoder(feature_values, first, none, thresholds, n_thresholds, zero)
    codes = encoder(rows.X, n_threads)
    return Table(
        STUMPS, pool, pool_rows, codes, thresholds, n_thresholds, none, none, encoder=encoder
    )


def rebuild_stumps(
    X: Floats,
    stumps: Sequence[tuple[int, Op, int]],
    indices: Sequence[int] | None = None,
) -> tuple[Condition, ...]:
    """Stumps from (feature, comparison, position of the threshold example) triples.

    Parameters
    ----------
    X : array (n_kept, n_features)
        The kept examples.
    stumps : sequence of (int, str, int)
        The message.
    indices : sequence of int, optional
        Names of the kept examples, written into the rules; their positions by default.

    Examples
    --------
    >>> import numpy as np
    >>> rebuild_stumps(np.array([[0.0, 5.0]]), [(1, ">", 0)]) == (Condition.on(1, ">", 5.0, (0,)),)
    True
    """
    names = names_of(X, indices)
    return tuple(
        Condition.on(feature, op, float(X[which, feature]), (names[which],))
        for feature, op, which in stumps
    )


class Stumps(Family):
    """One example serves a rule: a rule is a feature, a direction and the example's value."""

    name = "stumps"
    proposed_as = "stumps"
    pool_sizes = (40, 160)
    takes_words = True
    once_a_direction = False
    names_threshold = True

    def n_directions(self, pool_size: int, n_features: int) -> int:
        """One a feature."""
        return n_features

    def table(self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1) -> Table:
        """Thresholds at the values of the pool's examples."""
        return stump_table(rows, pool, n_threads=n_threads)

    def sides(self, table: Table, rows: Rows, sign: int) -> Ints:
        """Both; only stumps meet missing values, and in a conjunction their rules take them."""
        t = np.arange(table.n_directions)
        numeric = np.array([[BELOW, ABOVE], [EQUAL, UNEQUAL]])[rows.is_categorical.astype(int)]
        more = WITH_MISSING if sign > 0 else 0
        return np.column_stack([np.repeat(t, 2), numeric.ravel() + more])

    def both_sides(self, table: Table, rows: Rows) -> Ints:
        """The same without missing values."""
        return self.sides(table, rows, -1)

    def make_rule(
        self, table: Table, rows: Rows, t: int, j: int, side: int, example: int
    ) -> Condition:
        """The feature at the threshold."""
        return Condition.on(t, SIDE_OPS[side], float(table.thresholds[t, j]), (example,))

    def empty_message(self) -> Message:
        """No rule."""
        return stump_message(0, 0, 1)

    def message(self, path: CodedPath) -> Message:
        """Feature, direction and example of each rule."""
        return stump_message(len(path.steps), len(path.members), path.rows.X.shape[1])

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        """Values of the kept examples."""
        X, _ = path.kept_rows
        stumps = [
            (s.t, SIDE_OPS[s.side], path.kept.index(path.example_of[s.member])) for s in path.steps
        ]
        return rebuild_stumps(X, stumps, path.kept)

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Feature, direction, example."""
        return math.log(2.0 * n_features * n_kept)


STUMPS = register_family(Stumps())
