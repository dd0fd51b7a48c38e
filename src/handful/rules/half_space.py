"""Half-spaces of three examples: two give the direction, one the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handful._types import Floats, Ints, Mask
from handful.bounds import Message, half_space_message
from handful.kernels import Kernel
from handful.models import Condition
from handful.rules.directions import LINEAR, check_pairs, pair_value, pairs_of
from handful.rules.family import KIND_SIGNS, CodedPath, Family, Geometry, names_of, register_family
from handful.rules.search_rows import Rows
from handful.rules.table import SIDE_OPS, Encoder, Table, threshold_rows


def half_space_table(rows: Rows, pool: Ints, kernel: Kernel, *, n_threads: int = 1) -> Table:
    """Half-spaces of three examples: a direction a (positive, negative) pair of the pool."""
    pairs = pairs_of(rows, pool, kernel)
    thresholds, n_thresholds = threshold_rows(pairs.at_pool, pairs.tolerances)
    encoder = Encoder(
        pairs.values, pairs.first, pairs.second, thresholds, n_thresholds, pairs.tolerances
    )
    return Table(
        HALF_SPACES,
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
    """Half-spaces from the kept examples, which are thresholds only, and who is paired with whom.

    Parameters
    ----------
    X : array (n_kept, n_features)
        The kept examples; rows of the kernel matrix where the kernel is precomputed.
    y : array (n_kept,)
        Their labels.
    is_threshold : bool array (n_kept,)
        Examples that give no direction. The others of the uncovered class are thresholds too.
    pairs : sequence of (int, int)
        Positions of the positive and the negative example of each rule.
    kind : {"conjunction", "disjunction"}
    kernel : Kernel
    indices : sequence of int
        Names of the kept examples; columns of the kernel matrix where it is precomputed.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[3.0], [2.0], [0.0]]), np.array([1, 1, -1])
    >>> is_threshold = np.array([False, True, False])
    >>> (cover,) = rebuild_half_spaces(X, y, is_threshold, [(0, 2)], "conjunction")
    >>> cover.value.weights, cover.op, cover.cut
    ((3.0,), '<', 6.0)
    """
    check_pairs(y, pairs, is_threshold)
    names, sign = names_of(X, indices), KIND_SIGNS[kind]
    members = np.flatnonzero(y == sign)
    covers = []
    for a, b in pairs:
        value, tol = pair_value(X[a], X[b], kernel, (names[a], names[b]))
        values = value.of(X[members])
        at = int(np.argmin(values) if sign > 0 else np.argmax(values))
        triple = (names[a], names[b], names[members[at]])
        covers.append(Condition(value, "<" if sign > 0 else ">", float(values[at]), tol, triple))
    return tuple(covers)


class HalfSpaces(Family):
    """A positive and a negative example give the direction, a third the threshold."""

    name = "half-spaces"
    proposed_as = "half-spaces"
    has_members = True

    def n_directions(self, pool_size: int, n_features: int) -> int:
        """One a pair, at most."""
        return (pool_size // 2 + 1) ** 2

    def table(self, rows: Rows, pool: Ints, geometry: Geometry, *, n_threads: int = 1) -> Table:
        """Thresholds at the values of the pool's examples."""
        return half_space_table(rows, pool, geometry.kernel, n_threads=n_threads)

    def make_rule(
        self, table: Table, rows: Rows, t: int, j: int, side: int, example: int
    ) -> Condition:
        """The side of the plane through the threshold example."""
        assert table.kernel is not None
        a, b = (int(table.pool[position[t]]) for position in (table.first, table.second))
        first, second = (rows.X[rows.row_of[e]] for e in (a, b))
        value, tol = pair_value(first, second, table.kernel, (a, b))
        cut = float(table.thresholds[t, j])
        return Condition(value, SIDE_OPS[side], cut, tol, (a, b, example))

    def empty_message(self) -> Message:
        """No rule."""
        return half_space_message(0, 0, 0, 0)

    def message(self, path: CodedPath) -> Message:
        """Who is paired with whom, and which examples give thresholds only."""
        directions = path.firsts if path.kind == "conjunction" else path.seconds
        n_c = len(path.members - directions)
        return half_space_message(
            len(path.steps), len(path.firsts), len(path.seconds), n_c, kind=path.kind
        )

    def rebuild(self, path: CodedPath) -> tuple[Condition, ...]:
        """Thresholds at the outermost kept example of the class that must not be covered."""
        assert path.table.kernel is not None
        X, y = path.kept_rows
        return rebuild_half_spaces(
            X,
            y,
            np.array(path.is_threshold_only),
            path.pairs,
            path.kind,
            kernel=path.table.kernel,
            indices=path.kept,
        )

    def rule_nats(self, table: Table, j: int, n_kept: int, n_features: int) -> float:
        """Three examples and a side."""
        return math.log(2.0) + 3 * math.log(n_kept)


HALF_SPACES = register_family(HalfSpaces())
