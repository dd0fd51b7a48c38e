"""Linear forms: all features, and few."""

from __future__ import annotations

import math

import numpy as np

from handful._types import Floats, Ints
from handful.certified._logistic import log_losses, logistic_path
from handful.certified._pool import Pool
from handful.certified._proposals import (
    Proposal,
    need_folds,
    need_two_classes,
    select,
)
from handful.models import LinearScore

# Strongest first: each fit starts from the last.
PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.1)
_FEWEST_DIGITS, _MOST_DIGITS = 2, 8  # of the largest effect: few are easily copied
MAX_SPARSE = 5  # a formula of more terms is no longer sparse to a reader
_SPARSE_PENALTY = 1.0  # one example's worth: keeps separable data finite


def linear(pool: Pool) -> list[Proposal]:
    """Logistic regression on all features; the penalty by cross-validation."""
    need_folds(pool)
    paths = [_path(pool, train) for train, _ in pool.folds]
    best, guess = _selected(pool, paths)
    beta = logistic_path(pool.scaled, pool.y, pool.weight, PENALTIES[: best + 1], pool.n_scores)[-1]
    return [Proposal("linear", _score(pool, beta), guess)]


def _selected(pool: Pool, paths: list[list[Floats]]) -> tuple[int, Ints]:
    """The best setting by the log loss on the folds, one path a fold, and honest guesses."""
    guesses = np.zeros((len(paths[0]), len(pool)), dtype=np.int64)
    losses = np.zeros(guesses.shape)
    for (_, test), path in zip(pool.folds, paths, strict=True):
        for i, beta in enumerate(path):
            scores = pool.scaled[test] @ beta[:-1] + beta[-1]
            guesses[i, test] = _of_scores(scores)
            losses[i, test] = log_losses(scores, pool.y[test])
    return select(guesses, pool, losses)


def _path(pool: Pool, rows: Ints) -> list[Floats]:
    return logistic_path(
        pool.scaled[rows], pool.y[rows], pool.weight[rows], PENALTIES, pool.n_scores
    )


def _labels(Z: Floats, beta: Floats) -> Ints:
    return _of_scores(Z @ beta[:-1] + beta[-1])


def _of_scores(scores: Floats) -> Ints:
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0.0).astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def _score(pool: Pool, beta: Floats) -> LinearScore:
    """Weights in the features' own units, with as few digits as change no label of the pool."""
    weights, intercepts = rounded(pool, beta)
    return LinearScore(
        tuple(tuple(float(w) for w in row) for row in weights),
        tuple(float(b) for b in intercepts),
        tuple(float(f) for f in pool.fill),
        tuple(float(f"{s:.3g}") for s in pool.scale),
    )


def rounded(pool: Pool, beta: Floats) -> tuple[Floats, Floats]:
    """Weights (n_scores, n_features) and intercepts that a person can copy.

    The largest effect of a sum, weight times spread, keeps a few digits, and smaller ones fewer, to
    the same place of the sum; what is left of the mean goes into the intercept. Taken are the
    fewest digits with which no label of the pool changes, and scores by a fiftieth of their spread
    at most.
    """
    exact = beta[:-1].T / pool.scale
    at_mean = beta[-1]
    labels, scores = _labels(pool.scaled, beta), pool.scaled @ beta[:-1] + at_mean
    width = np.maximum(scores.std(axis=0), 1e-300)
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        weights = np.vstack([_to_place(w, pool.scale, digits) for w in exact])
        places = [_place(s) + 1 - digits for s in width]
        raw = at_mean - weights @ pool.center
        intercepts = np.array([_at(b, p) for b, p in zip(raw, places, strict=True)])
        new = pool.filled @ weights.T + intercepts
        change = np.abs(new - scores).max(axis=0)
        if (change <= width / 50.0).all() and (_of_scores(new) == labels).all():
            return weights, intercepts
    return exact, at_mean - exact @ pool.center


def _place(value: float) -> int:
    """Decimal place of the first digit."""
    return math.floor(math.log10(max(abs(value), 1e-300)))


def _at(value: float, place: int) -> float:
    """A number cut at a decimal place, with no more digits than that."""
    return float(f"{value:.{max(0, _place(value) - place)}e}") if _place(value) >= place else 0.0


def _to_place(weights: Floats, scale: Floats, digits: int) -> list[float]:
    """Weights whose effects are cut at the place of the last digit of the largest effect."""
    effects = np.abs(weights) * scale
    last = _place(float(effects.max(initial=0.0))) + 1 - digits
    cut = []
    for weight, effect in zip(weights.tolist(), effects.tolist(), strict=True):
        kept = _place(effect) - last + 1
        cut.append(float(f"{weight:.{kept - 1}e}") if kept >= 1 else 0.0)
    return cut


def sparse_linear(pool: Pool) -> list[Proposal]:
    """Logistic regression on few features, chosen greedily; their number by cross-validation."""
    need_two_classes(pool)
    need_folds(pool)
    n_sizes = min(MAX_SPARSE, pool.X.shape[1])
    paths = [_greedy(pool, train, n_sizes) for train, _ in pool.folds]
    best, guess = _selected(pool, paths)
    beta = _greedy(pool, np.arange(len(pool)), best + 1)[-1]
    return [Proposal("sparse linear", _score(pool, beta), guess)]


def _greedy(pool: Pool, rows: Ints, n_sizes: int) -> list[Floats]:
    """Weights of 1, 2, ... features, each step taking the one with the steepest loss."""
    Z, y, weight = pool.scaled[rows], pool.y[rows], pool.weight[rows]
    target = (y == 1).astype(np.float64)
    chosen: list[int] = []
    out: list[Floats] = []
    eta = np.zeros(len(rows))
    for _ in range(n_sizes):
        p = 1.0 / (1.0 + np.exp(-eta))
        bend = np.maximum(weight * p * (1.0 - p), 1e-10)
        share = bend @ Z / bend.sum()
        slope = (weight * (target - p)) @ Z - (weight * (target - p)).sum() * share
        spread = bend @ Z**2 - bend.sum() * share**2 + _SPARSE_PENALTY
        gain = slope**2 / spread
        gain[chosen] = -1.0
        chosen.append(int(np.argmax(gain)))
        small = logistic_path(Z[:, chosen], y, weight, [_SPARSE_PENALTY], 1)[0]
        beta = np.zeros((Z.shape[1] + 1, 1))
        beta[chosen], beta[-1] = small[:-1], small[-1]
        eta = np.clip(Z[:, chosen] @ small[:-1, 0] + small[-1, 0], -30.0, 30.0)
        out.append(beta)
    return out
