"""The additive form: boosted stumps, one curve a feature."""

from __future__ import annotations

import numpy as np

from handful.certified._pool import Floats, Ints, Pool
from handful.certified._proposals import Proposal, need_folds, select
from handful.fitted import Additive, Curve
from handful.scoring import quantile_cuts

CHECKPOINTS = (8, 15, 25, 40, 65, 100, 160, 250, 400)
_N_CUTS = 24
_SHRINK = 0.1
_LEAST = 1.0  # bend of the loss on each side of a stump
_RIDGE = 1.0


def additive(pool: Pool) -> list[Proposal]:
    """Stagewise logistic stumps on quantile bins; the number of rounds by cross-validation."""
    need_folds(pool)
    cuts = [quantile_cuts(pool.X[:, j], _N_CUTS) for j in range(pool.X.shape[1])]
    bins = _bins(pool.X, cuts)
    guesses = np.zeros((len(CHECKPOINTS), len(pool)), dtype=np.int64)
    for train, test in pool.folds:
        _, kept, _ = _boosted(pool, bins, cuts, train, CHECKPOINTS)
        for row, scores in zip(guesses, kept, strict=True):
            row[test] = _labels(scores[test])
    best, guess = select(guesses, pool)
    curves, _, start = _boosted(pool, bins, cuts, np.arange(len(pool)), CHECKPOINTS[: best + 1])
    return [Proposal("additive", _machine(cuts, curves[-1], start), guess)]


def _bins(X: Floats, cuts: list[list[float]]) -> np.ndarray:
    """Bin 0 is for missing values, then from left to right."""
    bins = np.empty((X.shape[1], len(X)), dtype=np.uint8)
    for j, at in enumerate(cuts):
        position = np.searchsorted(np.array(at), X[:, j], side="right") + 1
        bins[j] = np.where(np.isnan(X[:, j]), 0, position)
    return bins


def _labels(scores: Floats) -> Ints:
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0.0).astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def _boosted(
    pool: Pool, bins: np.ndarray, cuts: list[list[float]], rows: Ints, checkpoints: tuple[int, ...]
) -> tuple[Floats, Floats, Floats]:
    """Curves and scores at each checkpoint, and the start."""
    from handful.certified import _loops

    is_on = np.zeros(len(pool), dtype=bool)
    is_on[rows] = True
    start = _start(pool, rows)
    scores = np.tile(start, (len(pool), 1))
    n_bins = np.array([len(at) + 2 for at in cuts], dtype=np.int64)
    shape = (len(checkpoints), len(cuts), int(n_bins.max(initial=1)), pool.n_scores)
    curves, kept = np.zeros(shape), np.zeros((len(checkpoints), *scores.shape))
    _loops.boost(
        bins,
        n_bins,
        pool.y,
        pool.weight,
        is_on,
        _SHRINK,
        _LEAST,
        _RIDGE,
        np.array(checkpoints),
        scores,
        curves,
        kept,
    )
    return curves, kept, start


def _start(pool: Pool, rows: Ints) -> Floats:
    """Logarithms of the class frequencies."""
    counts = np.bincount(pool.y[rows], weights=pool.weight[rows], minlength=pool.n_classes) + 0.5
    logs = np.log(counts / counts.sum())
    return logs[1:] - logs[:1] if pool.n_classes == 2 else logs


def _machine(cuts: list[list[float]], curves: Floats, start: Floats) -> Additive:
    """Curves without cuts that change nothing; weights of the pool's mean stay in the curve."""
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
