"""The candidates of a pool, and the rank of each rule among them.

A pool code may use anything that is computed from the pool. To know what the rank of a rule
costs, the candidates of the pool are made again: cuts of single features, two ridge logistic
regressions with cross-validated values, directions between pairs of examples, balls. Then the
candidates are ordered by how useful they are on the pool, as at the time each rule was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.verify.audit import Document, Floats, Ints, Mask, is_close
from handful.verify.code_prices import PoolCode
from handful.verify.covers import Cover
from handful.verify.evaluate import RELATIVE, answers, value_of

# How many candidates a pool gives: part of the code, so it must be the same here.
_MOST_CUTS, _MOST_PAIRS, _MOST_CENTERS, _MOST_FITTED = 120, 120, 60, 5000
_OVERFLOWS = 1e150  # squares of larger values are infinite
_LEAST_WEIGHT = 0.01  # of a feature in a distance, relative to the largest
_SAME = 1e-10  # of the weights: two solvers end this close


@dataclass(frozen=True)
class CutLine:
    """Candidates that share their values: one a cut and a comparison.

    ``made_of`` are the places in the pool of the examples behind the value, if some alone are;
    weights are compared in ``units`` of the features.
    """

    kind: str
    value: Document
    values: Floats
    cuts: Floats
    ops: tuple[str, str] = ("<", ">")
    tolerance: float = 0.0
    units: Floats | None = None
    made_of: tuple[int, ...] | None = None

    def cover(self, j: int, op: str) -> Cover:
        """The candidate of a cut."""
        cut = float(self.cuts[j])
        tol = RELATIVE * cut if self.kind == "ball" else self.tolerance
        return Cover(self.kind, self.value, op, cut, tol)


def _families_of(X_pool: Floats, families: Sequence[str]) -> list[str]:
    # Distances and inner products need all values, and squares that are finite; a stump needs
    # neither.
    too_large = np.isnan(X_pool).any() or np.abs(X_pool).max(initial=0.0) > _OVERFLOWS
    return [f for f in families if f == "stumps"] if too_large else list(families)


def pairs_of(n_positive: int, n_negative: int) -> list[tuple[int, int]]:
    """Which positive and negative examples of a pool make half-spaces, by their places.

    Both are gone through in turn; after each common round the second moves on by one.

    Examples
    --------
    >>> pairs_of(2, 2)
    [(0, 0), (1, 1), (0, 1), (1, 0)]
    """
    pairs, shift = [], 0
    for k in range(min(n_positive * n_negative, _MOST_PAIRS)):
        if k and k % math.lcm(n_positive, n_negative) == 0:
            shift += 1
        pairs.append((k % n_positive, (k + shift) % n_negative))
    return pairs


def make_lines(
    X: Floats, y: Ints, order: Ints, code: PoolCode, is_word: Mask
) -> tuple[Ints, list[CutLine]]:
    """The pool of a code in drawn order, and its candidates."""
    pool = order[: code.size]
    X_pool, y_pool = X[pool], y[pool]
    families = _families_of(X_pool, code.families)
    center, scale = _spread(X_pool)
    lines: list[CutLine] = _stump_lines(X_pool, is_word) if "stumps" in families else []
    if len(set(y_pool.tolist())) == 2:
        if "linear" in families and len(y_pool) >= 10:
            lines += _logistic_lines(X_pool, y_pool, center, scale)
        if "half-spaces" in families:
            lines += _pair_lines(X_pool, y_pool, scale)
    if "balls" in families:
        lines += _ball_lines(X_pool, y_pool, center, scale)
    return pool, lines


def _stump_lines(X_pool: Floats, is_word: Mask) -> list[CutLine]:
    lines = []
    for j, column in enumerate(X_pool.T):
        ordered = np.unique(column[~np.isnan(column)])
        value = {"kind": "feature", "feature": j}
        if is_word[j]:
            lines.append(CutLine("stump", value, column, ordered[:_MOST_CUTS], ("=", "≠")))
        else:
            lines.append(CutLine("stump", value, column, _middles(ordered)))
    return lines


def _middles(ordered: Floats) -> Floats:
    """Halfway between neighbours, at most 120, evenly by rank."""
    # Halves are added, not sums halved: the sum of two large values may overflow.
    cuts = ordered[:-1] / 2 + ordered[1:] / 2
    if len(cuts) <= _MOST_CUTS:
        return cuts
    return cuts[np.round(np.linspace(0, len(cuts) - 1, _MOST_CUTS)).astype(int)]


def _line(
    kind: str,
    value: Document,
    values: Floats,
    units: Floats,
    made_of: tuple[int, ...] | None = None,
) -> CutLine:
    """Candidates of computed values: those that differ by rounding only are one value."""
    ordered = np.unique(values)
    tolerance = 1e-11 * float(np.abs(ordered).max(initial=0.0))
    # No cut may fall between values that are one.
    is_apart = np.diff(ordered, prepend=-np.inf) > 100 * tolerance
    cuts = _middles(ordered[is_apart])
    return CutLine(kind, value, values, cuts, ("<", ">"), tolerance, units, made_of)


def _spread(X_pool: Floats) -> tuple[Floats, Floats]:
    """Means and standard deviations of the known values; 1 if a column does not vary."""
    means, spreads = np.zeros(X_pool.shape[1]), np.ones(X_pool.shape[1])
    for j, column in enumerate(X_pool.T):
        known = column[~np.isnan(column)]
        if known.size == 0:
            continue
        # Divided before they are added, as no sum may overflow.
        means[j] = np.sum(known / known.size)
        gap = known - means[j]
        # In units of the largest gap its square is at most one, however large the values are.
        unit = float(np.abs(gap).max())
        spread = unit * math.sqrt(float(np.mean((gap / unit) ** 2))) if unit > 0 else 0.0
        # A spread of that size is rounding of a constant column, which is not scaled.
        if spread > 1e-12 * float(np.abs(known).max()):
            spreads[j] = spread
    return means, spreads


def fit_ridge_logistic(Z: Floats, y: Ints, ridge: float) -> Floats:
    """Minimum of the sum of ln(1 + exp(-y z.w)) + ridge |w|^2 / 2, intercept last (1e-6 / 2).

    Newton's method; the step is halved until the objective falls.
    """
    A = np.column_stack([Z, np.ones(len(y))])
    weight = np.append(np.full(Z.shape[1], ridge), 1e-6)

    def objective(w: Floats) -> float:
        return float(np.logaddexp(0.0, -y * (A @ w)).sum() + 0.5 * (weight * w**2).sum())

    w = np.zeros(A.shape[1])
    value = objective(w)
    for _ in range(200):
        # The logistic function without an exponential that could overflow.
        p = 0.5 - 0.5 * np.tanh(0.5 * y * (A @ w))
        slope = weight * w - A.T @ (y * p)
        curvature = A.T @ (A * (p * (1.0 - p))[:, None]) + np.diag(weight)
        step = np.linalg.solve(curvature, slope)
        length = 1.0
        # At the optimum the objective no longer falls beyond rounding; that is no reason to halve.
        while length > 1e-6 and objective(w - length * step) > value + 1e-12 * abs(value):
            length /= 2
        w = w - length * step
        value = objective(w)
        if float(np.abs(step).max()) < 1e-10:
            break
    return w


def _logistic_lines(X_pool: Floats, y_pool: Ints, center: Floats, scale: Floats) -> list[CutLine]:
    """Two regressions; their pool values come from models that did not see the example."""
    Z = (X_pool - center) / scale
    fold = np.arange(len(y_pool)) % 5
    lines = []
    for ridge in (1.0, 10.0):
        whole = fit_ridge_logistic(Z[:_MOST_FITTED], y_pool[:_MOST_FITTED], ridge)
        values = np.empty(len(y_pool))
        for f in range(5):
            rest = np.flatnonzero(fold != f)[:_MOST_FITTED]
            is_usable = len(set(y_pool[rest].tolist())) == 2
            w = fit_ridge_logistic(Z[rest], y_pool[rest], ridge) if is_usable else whole
            # Relative to the intercept of the whole, so that one threshold serves all folds.
            values[fold == f] = Z[fold == f] @ w[:-1] + (w[-1] - whole[-1])
        weights = whole[:-1] / scale
        value = {"kind": "sum", "weights": weights.tolist(), "fill": None}
        lines.append(_line("linear", value, values + float(weights @ center), scale))
    return lines


def plain_regression(X_pool: Floats, y_pool: Ints) -> tuple[Floats, float] | None:
    """Weights on raw features and threshold of a pool's regression; None if it has none."""
    if len(y_pool) < 10 or len(set(y_pool.tolist())) < 2 or not _families_of(X_pool, ["linear"]):
        return None
    center, scale = _spread(X_pool)
    Z = (X_pool - center) / scale
    w = fit_ridge_logistic(Z[:_MOST_FITTED], y_pool[:_MOST_FITTED], 1.0)
    weights = w[:-1] / scale
    return weights, math.fsum((weights * center).tolist()) - float(w[-1])


def _pair_lines(X_pool: Floats, y_pool: Ints, scale: Floats) -> list[CutLine]:
    positive, negative = np.flatnonzero(y_pool > 0), np.flatnonzero(y_pool < 0)
    lines = []
    for i, j in pairs_of(len(positive), len(negative)):
        a, b = int(positive[i]), int(negative[j])
        weights = (X_pool[a] / scale - X_pool[b] / scale) / scale
        value = {"kind": "sum", "weights": weights.tolist(), "fill": None}
        lines.append(_line("linear", value, X_pool @ weights, scale, (a, b)))
    return lines


def _ball_lines(X_pool: Floats, y_pool: Ints, center: Floats, scale: Floats) -> list[CutLine]:
    """Around the first examples: in units of the spread, then of what tells the classes apart."""
    units = [scale]
    if len(y_pool) >= 10 and len(set(y_pool.tolist())) == 2:
        Z = (X_pool - center) / scale
        sizes = np.abs(fit_ridge_logistic(Z[:_MOST_FITTED], y_pool[:_MOST_FITTED], 1.0)[:-1])
        largest = float(sizes.max())
        # Where no feature says anything, all that is left of the weights is rounding.
        if largest >= 1e-6:
            units.append(scale / np.clip(sizes / largest, _LEAST_WEIGHT, None))
    lines = []
    for unit in units:
        for at, row in enumerate(X_pool[:_MOST_CENTERS]):
            value = {"kind": "distance", "center": row.tolist(), "scale": unit.tolist()}
            value |= {"metric": "euclidean", "kernel": None, "fill": None}
            lines.append(_line("ball", value, value_of(value, X_pool), unit, (at,)))
    return lines


def find_candidate(cover: Cover, lines: Sequence[CutLine]) -> tuple[int, int] | None:
    """Which candidate a stored rule is, by line and cut; None if it is none."""
    # Cuts of stumps are values of the data and must be the same float; others are computed here by
    # another code and agree to ten digits.
    for t, line in enumerate(lines):
        if not _is_same_line(cover, line):
            continue
        scale = float(np.abs(line.cuts).max(initial=0.0))
        for j, cut in enumerate(line.cuts.tolist()):
            if cover.cut == cut or (line.tolerance and is_close(cover.cut, cut, scale)):
                return t, j
    return None


def _is_same_line(cover: Cover, line: CutLine) -> bool:
    found, wanted = cover.value, line.value
    if cover.kind != line.kind or cover.op not in line.ops or found["kind"] != wanted["kind"]:
        return False
    if cover.kind == "stump":
        return bool(found["feature"] == wanted["feature"])
    if cover.kind == "ball":
        names = ("metric", "kernel", "fill", "center")
        same = all(found[name] == wanted[name] for name in names) and found["scale"] is not None
        return same and _same_weights(found["scale"], wanted["scale"], None)
    # A regression is made of the whole pool, a half-space of the examples that it names.
    is_known = bool(cover.examples) == (line.made_of is not None)
    is_known = is_known and is_close(cover.tol, line.tolerance, line.tolerance)
    return is_known and _same_weights(found["weights"], wanted["weights"], line.units)


def _same_weights(found: Sequence[float], wanted: Sequence[float], units: Floats | None) -> bool:
    """Equal to ten digits of the largest weight, in units of the features."""
    if len(found) != len(wanted):
        return False
    a, b = np.array(found, dtype=float), np.array(wanted, dtype=float)
    if units is None:
        return bool((np.abs(a - b) <= _SAME * np.abs(b)).all())
    a, b = a * units, b * units
    return bool((np.abs(a - b) <= _SAME * np.abs(b).max(initial=0.0)).all())


def is_made_of(cover: Cover, line: CutLine, cut: float, pool: Ints, X: Floats) -> bool:
    """Whether a rule names the examples of its pool that it is made of.

    Those of its value, and those between whose values its cut lies; none for a regression, which
    the whole pool made. Equal rows may stand for each other.
    """
    if cover.kind == "linear" and line.made_of is None:
        return not cover.examples
    head = list(line.made_of or ())
    first, rest = cover.examples[: len(head)], cover.examples[len(head) :]
    pairs = zip(first, pool[head], strict=True)
    if not all(np.array_equal(X[i], X[j], equal_nan=True) for i, j in pairs):
        return False
    at = {int(example): place for place, example in enumerate(pool)}
    if not all(example in at for example in rest):
        return False
    found = [float(line.values[at[example]]) for example in rest]
    return _are_beside(found, line, cut)


def _are_beside(found: Sequence[float], line: CutLine, cut: float) -> bool:
    """Whether values are the nearest ones on both sides of a cut; of words, the word itself."""
    if line.ops[0] == "=":
        return list(found) == [cut]
    known = line.values[~np.isnan(line.values)]
    below, above = known[known <= cut], known[known > cut]
    ends = [float(side(part)) for side, part in ((np.max, below), (np.min, above)) if len(part)]
    scale = float(np.abs(known).max(initial=0.0))
    return len(found) == len(ends) and all(
        is_close(f, w, scale) for f, w in zip(found, ends, strict=True)
    )


def rank_prices(
    covers: Sequence[Cover], lines: Sequence[CutLine], signs: Ints, with_missing: bool = False
) -> tuple[list[float], list[tuple[int, int]]]:
    """Price of each rule given those before it, and which candidates they are.

    ``signs`` is +1 for pool examples that should be covered, -1 for those that should not.
    Rules of a conjunction also take the examples whose value is missing (``with_missing``).
    """
    live = np.ones(len(signs), dtype=bool)
    prices, found = [], []
    for cover in covers:
        place = find_candidate(cover, lines)
        if place is None:
            raise LookupError("a rule is not among the candidates of its pool")
        useful = [usefulness(line, np.where(live, signs, 0), with_missing) for line in lines]
        line = lines[place[0]]
        own = int(useful[place[0]][line.ops.index(cover.op), place[1]])
        prices.append(_rank_price(np.concatenate([u.ravel() for u in useful]), own))
        is_covered = answers(line.values, cover.op, float(line.cuts[place[1]]), line.tolerance)
        live &= ~(is_covered | (np.isnan(line.values) & with_missing))
        found.append(place)
    return prices, found


def usefulness(line: CutLine, signs: Ints, with_missing: bool = False) -> Ints:
    """Covered examples with their signs, for both comparisons (rows) and every cut (columns)."""
    known = ~np.isnan(line.values)
    more = int(signs[~known].sum()) if with_missing else 0
    order = np.argsort(line.values[known], kind="stable")
    values, signs = line.values[known][order], signs[known][order]
    sums = np.concatenate([[0], np.cumsum(signs)])
    # A value within the tolerance lies on the threshold: on neither side of it.
    below = sums[np.searchsorted(values, line.cuts - line.tolerance, side="left")]
    not_above = sums[np.searchsorted(values, line.cuts + line.tolerance, side="right")]
    if line.ops[0] == "<":
        return np.array([below, sums[-1] - not_above]) + more
    equal = not_above - below
    return np.array([equal, sums[-1] - equal]) + more


def _rank_price(everything: Ints, own: int) -> float:
    """-ln of the mass of the ranks that the candidates equally useful share, a share each."""
    # Equally useful candidates share the mass of their ranks: no order among them need be agreed
    # on.
    n_above, n_equal = int((everything > own).sum()), int((everything == own).sum())
    ranks = np.arange(1, len(everything) + 1, dtype=float)
    masses = 1.0 / (ranks * (1.0 + np.log(ranks)) ** 2)
    mine = math.fsum(masses[n_above : n_above + n_equal].tolist())
    return -math.log(mine / math.fsum(masses.tolist()) / n_equal)
