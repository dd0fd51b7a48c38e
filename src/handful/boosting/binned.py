"""AdaBoost with stumps at the values of a pool: rounds that need only sums of whole numbers.

The thresholds come from a pool of examples that is drawn without looking at labels. A round needs
the bins of each row and one histogram of weights for each class. Weights are integers, in quanta
of 2^-61 of the total. So the sums, and the machine, depend neither on the order of the rows nor
on how they are cut into chunks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.boosting.margin_certificates import MarginCounts
from handful.boosting.rounds import CHANCE, Boosted, Round, capped_alpha
from handful.boosting.votes import WeightedVote
from handful.boosting.weak_learners import StumpColumns, WeakStump
from handful.estimator import columns_of
from handful.models import from_scores
from handful.rules.stump import feature_values
from handful.rules.table import Encoder, pad_thresholds
from handful.tables import Sums

QUANTUM_BITS = 61  # weights are multiples of 2^-61: sums do not depend on order and fit 64 bits


@dataclass(frozen=True)
class Weighing:
    """The score so far by bin; a row with label y and score f weighs exp(-y f - log_total)."""

    levels: Floats
    constant: float
    log_total: float


#: Gives the sums of quanta of the negatives and the positives, by feature and bin.
Weigh = Callable[[Weighing], Ints]


def pool_encoder(X_pool: Floats) -> Encoder:
    """Bins between the thresholds of all stumps on the pool.

    Examples
    --------
    >>> import numpy as np
    >>> pool_encoder(np.array([[1.0], [3.0]]))(np.array([[0.0], [2.0], [2.5], [np.nan]]))
    array([[0, 1, 2, 3]], dtype=uint16)
    """
    cuts = StumpColumns(X_pool).cuts()
    thresholds, n_thresholds = pad_thresholds(cuts)
    first = np.arange(len(cuts))
    none = np.full(len(cuts), -1)
    return Encoder(feature_values, first, none, thresholds, n_thresholds, np.zeros(len(cuts)))


def weigh_rows(
    codes: NDArray[np.uint16],
    is_positive: NDArray[np.bool_],
    weights: Floats,
    n_codes: int,
    ask: Weighing,
) -> Ints:
    """Sums of quanta by class, feature and bin."""
    from handful.boosting.loops import add_quanta

    out = np.zeros((2, len(codes), n_codes), dtype=np.int64)
    add_quanta(
        codes, is_positive, weights, ask.levels, ask.constant, ask.log_total, QUANTUM_BITS, out
    )
    return out


@dataclass(frozen=True)
class BinnedRows:
    """A job: the bins of some rows, and the codes of their labels."""

    encoder: Encoder

    def __call__(self, X: Floats, codes: Ints) -> tuple[NDArray[np.uint16], Ints]:
        return self.encoder(X), codes


@dataclass(frozen=True)
class WeighedRows:
    """A job: sums of quanta by class, feature and bin, one class against the rest."""

    ask: Weighing
    positive: int
    n_codes: int

    def __call__(self, binned: tuple[NDArray[np.uint16], Ints]) -> Ints:
        codes, labels = binned
        is_positive = labels == self.positive
        return weigh_rows(codes, is_positive, np.ones(len(labels)), self.n_codes, self.ask)

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of the question, and of the answer of one chunk."""
        return self.ask.levels.nbytes, 16 * len(self.ask.levels) * self.n_codes


@dataclass(frozen=True)
class VoteMargins:
    """A job: counts of the margins of each machine, and the number of errors."""

    votes: Sequence[WeightedVote]
    positives: tuple[int, ...]

    def __call__(self, X: Floats, codes: Ints) -> Sums:
        scores = [vote(X) for vote in self.votes]
        margins = [
            np.where(codes == positive, 1.0, -1.0) * score / (vote.total or 1.0)
            for vote, score, positive in zip(self.votes, scores, self.positives, strict=True)
        ]
        n_wrong = int(np.sum(from_scores(columns_of(scores)) != codes))
        return Sums(*(MarginCounts.of(margin) for margin in margins), n_wrong)


def binned_rounds(
    encoder: Encoder, weigh: Weigh, n_samples: int, log_total: float, n_rounds: int
) -> Boosted:
    """The rounds of `adaboost_rounds` with the stumps of the pool; ``weigh`` adds up the rows.

    Ties go to the lowest feature, then to the lowest threshold, then to sign +1; the constants
    come last.
    """
    ask = Weighing(np.zeros((len(encoder.first), encoder.n_codes)), 0.0, log_total)
    rounds: list[Round] = []
    start: Ints | None = None
    for _ in range(n_rounds):
        sums = weigh(ask)
        start = sums if start is None else start
        found = _best(encoder, sums)
        right, wrong, total = _split(sums, found)
        # No stump is better than a coin flip under these weights: further rounds add nothing.
        if right - wrong <= CHANCE * total:
            return Boosted(rounds, "chance")
        stump = _stump(encoder, found)
        if wrong == 0 and right == total:
            return Boosted([_alone(stump, _split(start, found), n_samples)], "perfect")
        # The minimiser of Z = right exp(-alpha) + wrong exp(alpha). Without a wrong row it is
        # infinite, and is capped.
        alpha = 0.5 * math.log(right / wrong) if wrong else capped_alpha(n_samples, 1.0)
        rounds.append(_round(stump, alpha, right, wrong, total))
        ask = _after(ask, found, encoder, alpha, rounds[-1].Z)
    return Boosted(rounds, "rounds")


#: Feature (-1: constant), threshold and sign.
Cut = tuple[int, int, int]


def _best(encoder: Encoder, sums: Ints) -> Cut:
    """The stump with the largest edge, in quanta."""
    signed = sums[1] - sums[0]
    best, best_edge = (-1, 0, 1), -1
    for j in range(len(signed)):
        n_cuts = int(encoder.n_thresholds[j])
        if n_cuts == 0:
            continue
        # Whole numbers of quanta: these sums are exact, whatever the order of the rows.
        left = np.cumsum(signed[j])[1 : 2 * n_cuts : 2]
        edges = 2 * left - int(signed[j, :-1].sum())
        # The first of equal edges: the lowest threshold.
        k = int(np.argmax(np.abs(edges)))
        if abs(int(edges[k])) > best_edge:
            best_edge = abs(int(edges[k]))
            best = (j, k, 1 if edges[k] >= 0 else -1)
    constant = int(signed[0].sum())
    if abs(constant) > best_edge:
        return (-1, 0, 1 if constant >= 0 else -1)
    return best


def _split(sums: Ints, cut: Cut) -> tuple[int, int, int]:
    """Weight of the rows on which a stump is right, on which it is wrong, and of all rows."""
    j, k, sign = cut
    total = int(sums[:, 0].sum())
    if j < 0:
        right = int(sums[(sign + 1) // 2, 0].sum())
        return right, total - right, total
    left = sums[:, j, : 2 * k + 2].sum(axis=1)
    above = sums[:, j, 2 * k + 2 : -1].sum(axis=1)
    agree, other = int(left[1] + above[0]), int(left[0] + above[1])
    return (agree, other, total) if sign > 0 else (other, agree, total)


def _stump(encoder: Encoder, cut: Cut) -> WeakStump:
    j, k, sign = cut
    return WeakStump(j, 0.0 if j < 0 else float(encoder.thresholds[j, k]), sign)


def _round(stump: WeakStump, alpha: float, right: int, wrong: int, total: int) -> Round:
    p, q = right / total, wrong / total
    # Rows on which the stump says nothing (missing values) keep their weight.
    Z = p * math.exp(-alpha) + q * math.exp(alpha) + (total - right - wrong) / total
    return Round(stump, alpha, min(1.0, max(0.0, 0.5 * (1.0 - (p - q)))), Z)


def _alone(stump: WeakStump, split: tuple[int, int, int], n_samples: int) -> Round:
    """The only round, of a learner without error; its weight is capped."""
    right, wrong, total = split
    return _round(stump, capped_alpha(n_samples, (right - wrong) / total), right, wrong, total)


def _after(ask: Weighing, cut: Cut, encoder: Encoder, alpha: float, Z: float) -> Weighing:
    """The next round: one more stump in the score, and a total that is smaller by Z."""
    j, k, sign = cut
    log_total = ask.log_total + math.log(Z)
    if j < 0:
        return Weighing(ask.levels, ask.constant + sign * alpha, log_total)
    levels = ask.levels.copy()
    levels[j, : 2 * k + 2] += sign * alpha
    levels[j, 2 * k + 2 : encoder.n_codes - 1] -= sign * alpha
    return Weighing(levels, ask.constant, log_total)
