"""Stumps: one feature on one side of a value, or equal to it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import Message, stump_message
from handful.models import Condition, Op
from handful.rules.family import CodedPath, Family, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import (
    ABOVE,
    BELOW,
    EQUAL,
    SIDE_OPS,
    UNEQUAL,
    WITH_MISSING,
    CandidateTable,
    CodedRule,
    Encoder,
    Geometry,
    known_values,
    pad_thresholds,
)


def feature_values(X: Floats) -> Floats:
    """Every feature, as a row."""
    return np.ascontiguousarray(X.T)


def rebuild_stumps(
    X: Floats,
    stumps: Sequence[tuple[int, Op, int]],
    indices: Sequence[int] | None = None,
) -> tuple[Condition, ...]:
    """Stumps from (feature, comparison, position of the threshold example) triples, the message.

    ``X`` are the kept examples, ``indices`` their names in the rules; by default, their positions.

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


class StumpFamily(Family):
    """One example serves a rule: a rule is a feature, a direction and the example's value."""

    name = "stumps"
    proposed_as = "stumps"
    pool_sizes = (40, 160)
    takes_words = True
    once_a_direction = False
    names_threshold = True

    def n_directions(self, pool_size: int, n_features: int) -> int:
        return n_features

    def table(
        self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1
    ) -> CandidateTable:
        values = feature_values(rows.X[rows.row_of[pool]])
        encoder = Encoder.of_sources(feature_values, pad_thresholds(known_values(values)))
        return CandidateTable.of(self, rows, pool, encoder, n_threads=n_threads)

    def sides(self, table: CandidateTable, rows: Rows, sign: int) -> Ints:
        # Only stumps meet missing values, and in a conjunction their rules take them.
        t = np.arange(table.n_directions)
        numeric = np.array([[BELOW, ABOVE], [EQUAL, UNEQUAL]])[rows.is_categorical.astype(int)]
        more = WITH_MISSING if sign > 0 else 0
        return np.column_stack([np.repeat(t, 2), numeric.ravel() + more])

    def both_sides(self, table: CandidateTable, rows: Rows) -> Ints:
        return self.sides(table, rows, -1)

    def make_rule(self, table: CandidateTable, rows: Rows, rule: CodedRule) -> Condition:
        cut = float(table.thresholds[rule.t, rule.j])
        return Condition.on(rule.t, SIDE_OPS[rule.side], cut, (rule.member,))

    def empty_message(self) -> Message:
        return stump_message(0, 0, 1)

    def message(self, path: CodedPath) -> Message:
        return stump_message(len(path.rules), len(path.members), path.rows.X.shape[1])

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        X, _ = path.kept_rows
        stumps = [(r.t, SIDE_OPS[r.side], path.kept.index(r.member)) for r in path.rules]
        return rebuild_stumps(X, stumps, path.kept)

    def rule_nats(self, table: CandidateTable, j: int, n_kept: int, n_features: int) -> float:
        # feature, direction, example
        return math.log(2.0 * n_features * n_kept)


STUMPS = register_family(StumpFamily())
