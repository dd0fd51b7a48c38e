"""What a pool offers: scales, linear models, differences and distances, as candidate rules.

Everything here may depend on the pool in any way (its labels too): the pool is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from handful.arrays import Floats, Ints, Mask
from handful.models import Condition, Op, WeightedSum, as_floats, distances
from handful.rules.ball import ball_cover
from handful.rules.half_spaces import inner_products
from handful.rules.search_rows import Rows
from handful.rules.table import (
    ABOVE,
    BELOW,
    EQUAL,
    SIDE_OPS,
    UNEQUAL,
    CodeTable,
    Encoder,
    known_values,
    pad_thresholds,
)
from handful.threads import one_blas_thread

MAX_THRESHOLDS = 120  # ranks cost the logarithm of the number of candidates
MAX_PAIRS = 120  # the first of the blind order; as many as thresholds of a column
MAX_CENTERS = 60  # the first of the blind order; in two metrics as many as pairs
MAX_FIT = 5000  # a regression gains little from more rows; it is fitted six times a ridge
_RIDGES = (1.0, 10.0)  # two strengths fixed before the data; the rank pays for the choice
_LEAST_WEIGHT = 0.01  # of a feature in a metric, relative to the largest
_N_FOLDS = 5  # each model sees four fifths of the pool
LARGEST = 1e150  # squares of larger values overflow


def fit_logistic(Z: Floats, y: Ints, ridge: float) -> Floats:
    """Weights (intercept last) of ridge logistic regression by Newton's method, y in {-1, +1}.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> weights = fit_logistic(Z, np.array([-1, -1, 1, 1]), ridge=1.0)
    >>> bool(weights[0] > 0 and abs(weights[1]) < 1e-9)
    True
    """
    A = np.column_stack([Z, np.ones(Z.shape[0])])
    penalty = np.full(A.shape[1], ridge)
    # The intercept is hardly penalised: only enough that the system can always be solved.
    penalty[-1] = 1e-6
    w = np.zeros(A.shape[1])
    for _ in range(30):
        margin = y * (A @ w)
        p = 1.0 / (1.0 + np.exp(np.clip(margin, -500, 500)))
        gradient = penalty * w - A.T @ (y * p)
        hessian = (A * (p * (1.0 - p))[:, None]).T @ A + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        length = float(np.abs(step).max())
        # Short steps far from the optimum: whole Newton steps may run away if classes are
        # separable.
        w = w - step * min(1.0, 5.0 / max(length, 1e-300))
        if length < 1e-8:
            break
    return w


@dataclass(frozen=True)
class Projections:
    """Candidate directions of one pool with codes for all rows and for the pool itself.

    ``values`` are those of the pool, by direction; ``pairs`` the positions in the pool of the two
    examples behind each weighted sum, -1 if the whole pool is behind it. Balls are those around
    all ``centers`` in the first of the ``metrics`` (scales of the features), then in the next.
    """

    family: str
    pool: Ints
    pool_y: Ints
    values: Floats
    pairs: Ints
    table: CodeTable
    pool_table: CodeTable
    sides: Ints
    stump_features: Ints
    weights: Floats
    centers: Floats
    metrics: Floats
    tolerances: Floats

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The pool's examples in order."""
        return tuple(np.sort(self.pool).tolist())

    def make_rule(self, t: int, j: int, side: int) -> Condition:
        """The cover of direction t and threshold j."""
        cut, op = float(self.table.thresholds[t, j]), SIDE_OPS[side]
        n_stumps, n_linear = len(self.stump_features), len(self.weights)
        if t < n_stumps:
            return Condition.on(int(self.stump_features[t]), op, cut, self._beside(t, cut))
        if t < n_stumps + n_linear:
            return self._weighted(t, t - n_stumps, cut, op)
        metric, at = divmod(t - n_stumps - n_linear, len(self.centers))
        made_of = (int(self.pool[at]), *self._beside(t, cut))
        return ball_cover(self.centers[at], cut, op, scale=self.metrics[metric], examples=made_of)

    def _weighted(self, t: int, at: int, cut: float, op: Op) -> Condition:
        value, pair = WeightedSum(as_floats(self.weights[at])), self.pairs[at]
        made_of = () if pair[0] < 0 else (*self.pool[pair].tolist(), *self._beside(t, cut))
        return Condition(value, op, cut, float(self.tolerances[t]), made_of)

    def _beside(self, t: int, cut: float) -> tuple[int, ...]:
        """The examples just below and above a cut; for a category, an example that has it."""
        values = self.values[t]
        at = np.flatnonzero(values == cut)
        if len(at) and self.sides[2 * t, 1] == EQUAL:
            return (int(self.pool[at[0]]),)
        nearest = (
            values[values <= cut].max(initial=-np.inf),
            values[values > cut].min(initial=np.inf),
        )
        found = [np.flatnonzero(values == value) for value in nearest]
        return tuple(int(self.pool[at[0]]) for at in found if len(at))


def make_projections(rows: Rows, pool: Ints, families: Sequence[str]) -> Projections:
    """Candidates of a pool: stumps, linear models, half-spaces between examples, balls.

    The pool comes in the order in which it was drawn; if only some of its examples can be used, the
    first are.
    """
    pool_rows = rows.row_of[pool]
    Xp, yp = rows.X[pool_rows], rows.y[pool_rows]
    if not is_comparable(Xp):  # of the pool alone: the others must not shape its candidates
        families = [family for family in families if family == "stumps"]
    center, scale = pool_scales(Xp)
    stumps = np.arange(rows.X.shape[1]) if "stumps" in families else np.arange(0)
    with one_blas_thread():
        weights, held_out, pairs = _linear_part(Xp, yp, center, scale, families)
        metrics = ball_metrics(Xp, yp) if "balls" in families else Xp[:0]
    centers = Xp[:MAX_CENTERS] if len(metrics) else Xp[:0]
    values = partial(_values, stumps, weights, centers, metrics)
    pool_values = values(Xp)
    pool_values[len(stumps) : len(stumps) + len(held_out)] = held_out
    is_categorical = np.zeros(len(pool_values), dtype=bool)
    is_categorical[: len(stumps)] = rows.is_categorical[stumps]
    cuts, tolerances = _thresholds(pool_values, is_categorical, len(stumps))
    encoder = Encoder.of_sources(values, cuts, tolerances)
    sides = np.where(is_categorical[:, None], [EQUAL, UNEQUAL], [BELOW, ABOVE])
    return Projections(
        family="+".join(families),
        pool=pool,
        pool_y=yp,
        values=pool_values,
        pairs=pairs,
        table=CodeTable(encoder(rows.X), encoder),
        pool_table=CodeTable(encoder.coded(pool_values), encoder),  # held-out values of models
        sides=np.column_stack([np.repeat(encoder.first, 2), sides.ravel()]),
        stump_features=stumps,
        weights=weights,
        centers=centers,
        metrics=metrics,
        tolerances=tolerances,
    )


def is_comparable(X: Floats) -> bool:
    """Whether distances and inner products of the rows exist: nothing missing, no overflow."""
    return not np.isnan(X).any() and float(np.abs(X).max(initial=0.0)) <= LARGEST


def pool_scales(Xp: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the pool; 1 for constant or wholly missing columns."""
    known = ~np.isnan(Xp)
    count = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, Xp, 0.0)
    mean = (filled / count).sum(axis=0)
    gaps = np.where(known, Xp - mean, 0.0)
    largest = np.abs(gaps).max(axis=0, initial=0.0)
    unit = np.where(largest > 0.0, largest, 1.0)  # squares of it neither overflow nor vanish
    spread = unit * np.sqrt(((gaps / unit) ** 2).sum(axis=0) / count)
    # A spread below the rounding of the values themselves is that of a constant column.
    floor = 1e-12 * np.abs(filled).max(axis=0, initial=0.0)
    return mean, np.where(spread > floor, spread, 1.0)


def ball_metrics(Xp: Floats, yp: Ints) -> Floats:
    """Scales of the features, one row a metric: the pool's spread, and what tells classes apart.

    The second divides the spread by the size of the feature's weight in a ridge logistic
    regression, relative to the largest: features that say nothing hardly add to a distance.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 1.0], [1.0, -1.0]] * 3)
    >>> ball_metrics(X, np.where(X[:, 0] > 0, 1, -1)).round(6).tolist()
    [[0.5, 1.0], [0.5, 100.0]]
    """
    center, scale = pool_scales(Xp)
    if len(yp) < 10 or len(np.unique(yp)) < 2:
        return scale[None]
    w = np.abs(fit_logistic(((Xp - center) / scale)[:MAX_FIT], yp[:MAX_FIT], _RIDGES[0])[:-1])
    if w.max() < 1e-6:  # no feature says anything
        return scale[None]
    return np.array([scale, scale / np.maximum(w / w.max(), _LEAST_WEIGHT)])


def _linear_part(
    Xp: Floats,
    yp: Ints,
    center: Floats,
    scale: Floats,
    families: Sequence[str],
) -> tuple[Floats, Floats, Ints]:
    """Weights on raw features; cross-validated values at the pool for the fitted models.

    Then the pair of positions in the pool behind each, -1 if the whole pool is.
    """
    n_features = Xp.shape[1]
    weights: list[Floats] = []
    held_out: list[Floats] = []
    pairs: list[tuple[int, int]] = []
    both = len(np.unique(yp)) == 2
    if "linear" in families and both and len(yp) >= 10:
        Z = (Xp - center) / scale
        for ridge in _RIDGES:
            w = fit_logistic(Z[:MAX_FIT], yp[:MAX_FIT], ridge)
            weights.append(w[:-1] / scale)
            held_out.append(_cross_validated(Z, yp, ridge, w, (center, scale)))
            pairs.append((-1, -1))
    if "half-spaces" in families and both:
        positive, negative = np.flatnonzero(yp > 0), np.flatnonzero(yp < 0)
        for i, j in first_pairs(len(positive), len(negative), MAX_PAIRS):
            a, b = positive[i], negative[j]
            # The difference in units of the pool's spread, written as weights of the raw features.
            weights.append((Xp[a] / scale - Xp[b] / scale) / scale)
            pairs.append((int(a), int(b)))
    W = np.array(weights).reshape(-1, n_features)
    made_of = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return W, np.array(held_out).reshape(-1, len(yp)), made_of


def first_pairs(n_first: int, n_second: int, n_most: int) -> list[tuple[int, int]]:
    """Distinct pairs, in which the members of either side take part about equally often.

    Examples
    --------
    >>> first_pairs(2, 2, 3)
    [(0, 0), (1, 1), (0, 1)]
    """
    cycle = math.lcm(n_first, n_second)
    n_pairs = min(n_most, n_first * n_second)
    return [(k % n_first, (k + k // cycle) % n_second) for k in range(n_pairs)]


def _cross_validated(
    Z: Floats, y: Ints, ridge: float, w_all: Floats, units: tuple[Floats, Floats]
) -> Floats:
    """Values at the pool of models that did not see the example, so that ranks are honest."""
    # The pool comes in blind order, so every fifth example is a random fold.
    fold = np.arange(len(y)) % _N_FOLDS
    out = np.empty(len(y))
    for f in range(_N_FOLDS):
        train = np.flatnonzero(fold != f)[:MAX_FIT]
        w = fit_logistic(Z[train], y[train], ridge) if len(np.unique(y[train])) == 2 else w_all
        # Intercepts of the folds differ: values are moved to the intercept of the whole model, so
        # that one threshold means the same in each fold.
        out[fold == f] = Z[fold == f] @ w[:-1] + (w[-1] - w_all[-1])
    center, scale = units
    return out + float((w_all[:-1] / scale) @ center)


def _values(stumps: Ints, weights: Floats, centers: Floats, metrics: Floats, X: Floats) -> Floats:
    """Features, weighted sums and distances of any rows; each row on its own."""
    parts = [np.asarray(X[:, stumps].T)]
    parts.append(inner_products(weights, X) if len(weights) else np.empty((0, X.shape[0])))
    parts += [distances(centers, X, scale=tuple(scale)) for scale in metrics.tolist()]
    return np.ascontiguousarray(np.vstack(parts))


def _thresholds(
    pool_values: Floats, is_categorical: Mask, n_stumps: int
) -> tuple[tuple[Floats, Ints], Floats]:
    """Cuts halfway between neighbouring values of the pool, thinned evenly by rank; tolerances."""
    lists, tolerances = [], np.zeros(len(pool_values))
    for t, ordered in enumerate(known_values(pool_values)):
        if is_categorical[t]:
            lists.append(ordered[:MAX_THRESHOLDS])
            continue
        if t >= n_stumps and ordered.size:
            tolerances[t] = 1e-11 * float(np.abs(ordered).max())
            ordered = ordered[np.concatenate([[True], np.diff(ordered) > 100 * tolerances[t]])]
        # Halved before they are added: the sum of two huge values would overflow.
        cuts = 0.5 * ordered[1:] + 0.5 * ordered[:-1]
        if len(cuts) > MAX_THRESHOLDS:
            cuts = cuts[np.linspace(0, len(cuts) - 1, MAX_THRESHOLDS).round().astype(int)]
        lists.append(cuts)
    return pad_thresholds(lists), tolerances
