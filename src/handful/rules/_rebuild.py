"""Machines from nothing but their compression set and message.

Each function gets the kept examples (features, labels) and what the message of the family says,
and computes every threshold from them. A certificate is about the machine that comes out here:
nothing else of the training data can have entered it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handful.kernels import Kernel
from handful.rules._sets import RuleSet
from handful.rules.ball import Ball
from handful.rules.directions import LINEAR
from handful.rules.half_space import HalfSpace
from handful.rules.stump import Stump
from handful.rules.two_point import TwoPointHalfSpace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


ThresholdRule = Stump | Ball | HalfSpace


def place_threshold(rule: ThresholdRule, X: Floats) -> ThresholdRule:
    """The same rule with its threshold at the single example X (one row).

    Examples
    --------
    >>> import numpy as np
    >>> place_threshold(Stump(0, 0.0, "above"), np.array([[3.0]])).cut
    3.0
    """
    value = float(rule.values(X)[0])
    if isinstance(rule, Ball):
        return replace(rule, radius=value)
    return replace(rule, threshold=value)


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
    ['x[1] > 5 or missing']
    """
    names = _names(X, indices)
    rules = tuple(
        Stump(feature, float(X[which, feature]), side, example=names[which])
        for feature, side, which in stumps
    )
    return RuleSet(rules, kind)


def rebuild_balls(
    X: Floats,
    y: Ints,
    is_border: Mask,
    kind: str,
    *,
    metric: str = "euclidean",
    kernel: Kernel | None = None,
    indices: Sequence[int] | None = None,
) -> RuleSet:
    """Balls from the kept examples and which of them are borders only.

    Every other kept example is a centre. With B the kept examples of the class that must not be
    covered (positives in a conjunction), a centre in B gets the largest distance to B as its
    radius and covers what is outside; a centre of the other class gets the smallest distance to
    B and covers what is inside.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [2.0], [3.0]]), np.array([1, 1, -1])
    >>> machine = rebuild_balls(X, y, np.array([False, True, False]), "conjunction")
    >>> [(rule.center, rule.radius, rule.side) for rule in machine.rules]
    [((0.0,), 2.0, 'above'), ((3.0,), 1.0, 'below')]
    """
    names, sign = _names(X, indices), _sign(kind)
    members = np.flatnonzero(y == sign)
    if len(members) == 0 or is_border[y != sign].any():
        raise ValueError(
            "`is_border` must mark examples of the class that is not covered, and one such "
            "example must be kept. Radii cannot be rebuilt otherwise."
        )
    rules = []
    for i in np.flatnonzero(~is_border):
        is_same = y[i] == sign
        side = "above" if is_same else "below"
        ball = Ball(tuple(X[i].tolist()), 0.0, side, metric=metric, kernel=kernel)
        distances = ball.values(X[members])
        at = int(np.argmax(distances) if is_same else np.argmin(distances))
        pair = (names[i], names[members[at]])
        rules.append(replace(ball, radius=float(distances[at]), indices=pair))
    return RuleSet(tuple(rules), kind)


def rebuild_half_spaces(
    X: Floats,
    y: Ints,
    is_threshold: Mask,
    pairs: Sequence[tuple[int, int]],
    kind: str,
    *,
    kernel: Kernel = LINEAR,
    indices: Sequence[int] | None = None,
) -> RuleSet:
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
    >>> rebuild_half_spaces(X, y, is_threshold, [(0, 2)], "conjunction").describe()
    ['+3·x[0] < 6 or missing']
    """
    _check_pairs(y, pairs, is_threshold)
    names, sign = _names(X, indices), _sign(kind)
    members = np.flatnonzero(y == sign)
    rules = []
    for a, b in pairs:
        triple = (names[a], names[b], names[a])
        points = tuple(X[a].tolist()), tuple(X[b].tolist())
        rule = HalfSpace(*points, 0.0, "below" if sign > 0 else "above", kernel, triple)
        values = rule.values(X[members])
        at = int(np.argmin(values) if sign > 0 else np.argmax(values))
        triple = (names[a], names[b], names[members[at]])
        rules.append(replace(rule, threshold=float(values[at]), indices=triple))
    return RuleSet(tuple(rules), kind)


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
    _check_pairs(y, pairs, np.zeros(len(y), dtype=bool))
    names, side = _names(X, indices), "below" if _sign(kind) > 0 else "above"
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


def _names(X: Floats, indices: Sequence[int] | None) -> list[int]:
    return list(range(X.shape[0])) if indices is None else [int(i) for i in indices]


def _sign(kind: str) -> int:
    return 1 if kind == "conjunction" else -1


def _check_pairs(y: Ints, pairs: Sequence[tuple[int, int]], is_threshold: Mask) -> None:
    for a, b in pairs:
        if y[a] != 1 or y[b] != -1 or is_threshold[a] or is_threshold[b]:
            raise ValueError(
                f"`pairs` must name a positive and a negative example that are not marked as "
                f"thresholds, got ({a}, {b})."
            )
