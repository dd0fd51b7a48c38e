"""The additive form: boosted stumps, one curve a feature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats, Ints
from handful.certified.linear_forms import log_losses, logistic_path
from handful.certified.training_pool import Pool, Proposal, labels_of, need_folds, select
from handful.models import Additive, Curve
from handful.scoring import quantile_cuts

# About 1.6 times more rounds each: few candidates over the whole range.
CHECKPOINTS = (8, 15, 25, 40, 65, 100, 160, 250, 400)
_N_CUTS = 24  # a curve of 24 steps can still be read
_SHRINK = 0.1  # of each step, so that no single cut decides a curve
_LEAST = 1.0  # bend of the loss on each side of a stump
_RIDGE = 1.0  # one example's worth of evidence for a step of zero
_STRAIGHT = 30.0  # penalty of the straight start
POINTS = 10.0  # a unit of log odds: coarser curves are shorter, and err no more


@dataclass(frozen=True, eq=False)
class Binned:
    """Features of the pool in bins, bin 0 for missing values, and the mean of each bin."""

    cuts: list[list[float]]
    bins: NDArray[np.uint8]
    n_bins: Ints
    means: list[Floats]

    @cached_property
    def stepped(self) -> Floats:
        """Each value replaced by the mean of its bin."""
        return np.column_stack([m[b] for m, b in zip(self.means, self.bins, strict=True)])


def additive(pool: Pool) -> list[Proposal]:
    """Stagewise logistic stumps on quantile bins.

    They start from the class frequencies or from a logistic regression on the bins' means, which
    is a sum of curves as well; the start and the number of rounds by cross-validation.
    """
    need_folds(pool)
    binned = binned_pool(pool)
    settings = [(is_straight, r) for is_straight in (True, False) for r in range(len(CHECKPOINTS))]
    guesses = np.zeros((len(settings), len(pool)), dtype=np.int64)
    losses, first = np.zeros(guesses.shape), np.zeros(guesses.shape)
    for train, test in pool.folds:
        for is_straight in (True, False):
            _, kept, _ = boosted_curves(pool, binned, train, CHECKPOINTS, is_straight)
            for r, scores in enumerate(kept):
                row = settings.index((is_straight, r))
                guesses[row, test] = labels_of(scores[test])
                losses[row, test] = log_losses(scores[test], pool.y[test])
                first[row, test] = POINTS * scores[test, 0]
    found = select(guesses, pool, losses, first)
    is_straight, r = settings[found.best]
    rounds = CHECKPOINTS[: r + 1]
    curves, _, start = boosted_curves(pool, binned, np.arange(len(pool)), rounds, is_straight)
    machine = additive_machine(binned.cuts, curves[-1], start)
    setting = (found.best,)
    return [Proposal("additive", machine, found.guesses, scores=found.scores, setting=setting)]


def binned_pool(pool: Pool) -> Binned:
    """The pool with each feature cut at quantiles of the pool."""
    X = pool.X
    cuts = [quantile_cuts(X[:, j], _N_CUTS) for j in range(X.shape[1])]
    bins = np.empty((X.shape[1], len(X)), dtype=np.uint8)
    means = []
    for j, at in enumerate(cuts):
        position = np.searchsorted(np.array(at), X[:, j], side="right") + 1
        bins[j] = np.where(np.isnan(X[:, j]), 0, position)
        size = np.bincount(bins[j], minlength=len(at) + 2)
        total = np.bincount(bins[j], weights=pool.scaled[:, j], minlength=len(at) + 2)
        means.append(total / np.maximum(size, 1))
    n_bins = np.array([len(at) + 2 for at in cuts], dtype=np.int64)
    return Binned(cuts, bins, n_bins, means)


def boosted_curves(
    pool: Pool, binned: Binned, rows: Ints, checkpoints: tuple[int, ...], is_straight: bool
) -> tuple[Floats, Floats, Floats]:
    """Curves and scores at each checkpoint, and the intercepts."""
    from handful.certified import loops

    is_on = np.zeros(len(pool), dtype=bool)
    is_on[rows] = True
    width = int(binned.n_bins.max(initial=1))
    curves = np.zeros((len(checkpoints), len(binned.cuts), width, pool.n_scores))
    first = np.zeros(curves.shape[1:])
    if is_straight:
        beta = logistic_path(
            binned.stepped[rows],
            pool.y[rows],
            pool.weight[rows],
            [_STRAIGHT],
            pool.n_scores,
            pool.directions,
        )[0]
        start, scores = beta[-1], binned.stepped @ beta[:-1] + beta[-1]
        for j, means in enumerate(binned.means):
            first[j, : len(means)] = means[:, None] * beta[j]
    else:
        start = _start(pool, rows)
        scores = np.tile(start, (len(pool), 1))
    kept = np.zeros((len(checkpoints), *scores.shape))
    free = np.zeros(len(binned.cuts), dtype=np.int64)
    loops.boost(
        binned.bins,
        binned.n_bins,
        free if pool.directions is None else pool.directions,
        pool.y,
        pool.weight,
        is_on,
        _SHRINK,
        _LEAST,
        _RIDGE,
        np.array(checkpoints),
        np.ascontiguousarray(scores),
        curves,
        kept,
    )
    return curves + first, kept, start


def _start(pool: Pool, rows: Ints) -> Floats:
    """Logarithms of the class frequencies."""
    counts = np.bincount(pool.y[rows], weights=pool.weight[rows], minlength=pool.n_classes) + 0.5
    logs = np.log(counts / counts.sum())
    return logs[1:] - logs[:1] if pool.n_classes == 2 else logs


def additive_machine(cuts: list[list[float]], curves: Floats, start: Floats) -> Additive:
    """Curves in whole points, without cuts that change nothing.

    Sums of whole numbers are exact, so the printed curves decide every case as the machine does.
    """
    curves, start = np.rint(POINTS * curves) + 0.0, np.rint(POINTS * start) + 0.0
    made = []
    for j, at in enumerate(cuts):
        steps = curves[j, 1 : len(at) + 2]
        if not curves[j].any():
            continue
        changes = np.flatnonzero(np.any(steps[1:] != steps[:-1], axis=1))
        values = steps[np.concatenate([[0], changes + 1])].T
        made.append(
            Curve(
                j,
                tuple(float(at[i]) for i in changes),
                tuple(tuple(float(v) for v in row) for row in values),
                tuple(float(v) for v in curves[j, 0]),
            )
        )
    return Additive(tuple(made), tuple(float(v) for v in start))
