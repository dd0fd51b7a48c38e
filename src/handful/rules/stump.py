"""Stumps: one feature on one side of a value, or equal to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Message, stump_message
from handful.rules.family import CodedPath, Family, Geometry, names_of, register_family
from handful.rules.fields import Reader, read_float, read_index, read_indices, read_side
from handful.rules.formulas import Dialect
from handful.rules.rows import Rows
from handful.rules.rule import BESIDE, AbstractRule, Categories, feature_name, register_rule
from handful.rules.sets import RuleSet
from handful.rules.table import (
    ABOVE,
    BELOW,
    EQUAL,
    SIDE_NAMES,
    UNEQUAL,
    WITH_MISSING,
    Encoder,
    Table,
    distinct_thresholds,
    pad_thresholds,
)


@register_rule("stump")
@dataclass(frozen=True)
class Stump(AbstractRule):
    """Covers where one feature lies on one side of a value (or equals it, for categories).

    Examples
    --------
    >>> import numpy as np
    >>> rule = Stump(feature=1, threshold=2.0, side="above")
    >>> rule.covers(np.array([[0.0, 2.0], [0.0, 3.0], [0.0, np.nan]]))
    array([False,  True, False])
    >>> rule.describe(["age", "nodes"])
    'nodes > 2'
    """

    fields: ClassVar[Mapping[str, Reader]] = {
        "feature": read_index,
        "threshold": read_float,
        "side": read_side,
        "indices": read_indices(1, 2),
    }
    feature: int
    threshold: float
    side: str
    indices: tuple[int, ...] = ()

    @property
    def cut(self) -> float:
        """The value of the threshold example."""
        return self.threshold

    @property
    def tolerance(self) -> float:
        """Zero: values of one feature are compared as they are."""
        return 0.0

    @property
    def roles(self) -> tuple[str, ...]:
        """The threshold, or what lies on either side of it."""
        return ("threshold",) if len(self.indices) == 1 else BESIDE

    def values(self, X: Floats) -> Floats:
        """The feature."""
        return np.asarray(X[:, self.feature], dtype=np.float64)

    def unit(self) -> float:
        """One: distances are in the units of the feature."""
        return 1.0

    def describe(
        self,
        names: Sequence[str] | None = None,
        *,
        words: Categories | None = None,
        opposite: bool = False,
    ) -> str:
        """For example ``nodes > 2``, ``site = Aachen``, or ``stage > II``."""
        known = None if words is None else words[self.feature]
        value = f"{self.threshold:.6g}" if known is None else known[self._place(len(known))]
        return f"{feature_name(names, self.feature)} {self.mark(opposite)} {value}"

    def _place(self, n_words: int) -> int:
        """Of words, the one that is compared: beside a threshold that lies between two."""
        side = math.ceil if self.side == "below" else math.floor
        return min(max(side(self.threshold), 0), n_words - 1)

    def placed_at(self, X: Floats) -> Stump:
        """The threshold is the example's value."""
        return replace(self, threshold=float(self.values(X)[0]))

    def used_features(self, n_features: int) -> set[int]:
        """The feature."""
        return {self.feature}

    def feature_weights(self, spread: Floats) -> Floats:
        """All of it on the feature."""
        return np.asarray(np.arange(len(spread)) == self.feature, dtype=np.float64)

    def value_formula(self, dialect: Dialect) -> str:
        """The column; only between 0 and 1 may it hold True and False."""
        make = dialect.operand if 0.0 <= self.threshold <= 1.0 else dialect.column
        return make(self.feature)

    def condition_formula(
        self, dialect: Dialect, words: Sequence[Any] | None, *, opposite: bool = False
    ) -> str:
        """A comparison, or an equality for categories."""
        if self.side not in ("equal", "unequal"):
            return super().condition_formula(dialect, words, opposite=opposite)
        is_equal = (self.side == "equal") != opposite
        if words is not None:
            return dialect.word(self.feature, words[int(self.threshold)], is_equal)
        mark = dialect.equal if is_equal else dialect.unequal
        compared = f"{dialect.column(self.feature)} {mark} {dialect.number(self.threshold)}"
        known = dialect.is_known(self.feature)
        return f"({known} {dialect.both} {compared})" if known else compared


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
    stumps: Sequence[tuple[int, str, int]],
    kind: str,
    indices: Sequence[int] | None = None,
) -> RuleSet:
    """Stumps from (feature, side, position of the threshold example) triples.

    Parameters
    ----------
    X : array (n_kept, n_features)
        The kept examples.
    stumps : sequence of (int, str, int)
        The message.
    kind : {"conjunction", "disjunction"}
    indices : sequence of int, optional
        Names of the kept examples, written into the rules; their positions by default.

    Examples
    --------
    >>> import numpy as np
    >>> machine = rebuild_stumps(np.array([[0.0, 5.0]]), [(1, "above", 0)], "conjunction")
    >>> machine.describe()
    ['x1 > 5 or missing']
    """
    names = names_of(X, indices)
    rules = tuple(
        Stump(feature, float(X[which, feature]), side, (names[which],))
        for feature, side, which in stumps
    )
    return RuleSet(rules, kind)


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

    def make_rule(self, table: Table, rows: Rows, t: int, j: int, side: int, example: int) -> Stump:
        """The feature at the threshold."""
        return Stump(t, float(table.thresholds[t, j]), SIDE_NAMES[side], (example,))

    def empty_message(self) -> Message:
        """No rule."""
        return stump_message(0, 0, 1)

    def message(self, path: CodedPath) -> Message:
        """Feature, direction and example of each rule."""
        return stump_message(len(path.steps), len(path.members), path.rows.X.shape[1])

    def rebuild(self, path: CodedPath) -> tuple[AbstractRule, ...]:
        """Values of the kept examples."""
        X, _ = path.kept_rows
        stumps = [
            (s.t, SIDE_NAMES[s.side], path.kept.index(path.example_of[s.member]))
            for s in path.steps
        ]
        return rebuild_stumps(X, stumps, path.kind, path.kept).rules

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Feature, direction, example."""
        return math.log(2.0 * n_features * n_kept)


STUMPS = register_family(Stumps())
