"""Linear forms: logistic regression on all features, and on few."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from handful.arrays import Floats, Ints
from handful.certified.training_pool import (
    Pool,
    Proposal,
    Selected,
    labels_of,
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
_N_STEPS = 30  # Newton needs about eight; the rest is for halved steps


def linear(pool: Pool) -> list[Proposal]:
    """Logistic regression on all features; the penalty by cross-validation."""
    need_folds(pool)
    paths = [_path(pool, train, PENALTIES) for train, _ in pool.folds]
    found = _selected(pool, paths)
    beta = _path(pool, np.arange(len(pool)), PENALTIES[: found.best + 1])[-1]
    return [_proposal("linear", pool, beta, found)]


def _proposal(form: str, pool: Pool, beta: Floats, found: Selected) -> Proposal:
    setting = (found.best,)
    return Proposal(form, _score(pool, beta), found.guesses, scores=found.scores, setting=setting)


def _selected(pool: Pool, paths: list[list[Floats]]) -> Selected:
    """The best setting by the log loss on the folds, one path a fold, and honest guesses."""
    guesses = np.zeros((len(paths[0]), len(pool)), dtype=np.int64)
    losses, first = np.zeros(guesses.shape), np.zeros(guesses.shape)
    for (_, test), path in zip(pool.folds, paths, strict=True):
        for i, beta in enumerate(path):
            scores = pool.scaled[test] @ beta[:-1] + beta[-1]
            guesses[i, test] = labels_of(scores)
            losses[i, test] = log_losses(scores, pool.y[test])
            first[i, test] = scores[:, 0]
    return select(guesses, pool, losses, first)


def _path(pool: Pool, rows: Ints, penalties: Sequence[float]) -> list[Floats]:
    Z, y, weight = pool.scaled[rows], pool.y[rows], pool.weight[rows]
    return logistic_path(Z, y, weight, penalties, pool.n_scores, pool.directions)


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
    scores = pool.scaled @ beta[:-1] + at_mean
    labels = labels_of(scores)
    width = np.maximum(scores.std(axis=0), 1e-300)
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        weights = np.vstack([_to_place(w, pool.scale, digits) for w in exact])
        places = [_place(s) + 1 - digits for s in width]
        raw = at_mean - weights @ pool.center
        intercepts = np.array([_at(b, p) for b, p in zip(raw, places, strict=True)])
        new = pool.filled @ weights.T + intercepts
        change = np.abs(new - scores).max(axis=0)
        if (change <= width / 50.0).all() and (labels_of(new) == labels).all():
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
    found = _selected(pool, paths)
    beta = _greedy(pool, np.arange(len(pool)), found.best + 1)[-1]
    return [_proposal("sparse linear", pool, beta, found)]


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
        if pool.directions is not None:
            gain[pool.directions * slope < 0.0] = -1.0
        gain[chosen] = -1.0
        chosen.append(int(np.argmax(gain)))
        signs = None if pool.directions is None else pool.directions[chosen]
        small = logistic_path(Z[:, chosen], y, weight, [_SPARSE_PENALTY], 1, signs)[0]
        beta = np.zeros((Z.shape[1] + 1, 1))
        beta[chosen], beta[-1] = small[:-1], small[-1]
        eta = np.clip(Z[:, chosen] @ small[:-1, 0] + small[-1, 0], -30.0, 30.0)
        out.append(beta)
    return out


def logistic_path(
    Z: Floats,
    y: Ints,
    weight: Floats,
    penalties: Sequence[float],
    n_scores: int,
    signs: Ints | None = None,
) -> list[Floats]:
    """Weights with the intercept last, (n_features + 1, n_scores), one array a penalty.

    Minimises sum of weight * log loss + penalty / 2 * |weights|^2, warm from one penalty to the
    next. The intercept is free. With ``signs`` (1, -1, or 0 for either), no weight of the one
    score has the other sign.

    Examples
    --------
    >>> Z, y = np.array([[-1.0], [-0.5], [0.5], [1.0]]), np.array([0, 1, 0, 1])
    >>> [w.round(3).ravel().tolist() for w in logistic_path(Z, y, np.ones(4), [1.0], 1)]
    [[0.308, 0.0]]
    """
    rotation = None
    if Z.shape[1] > len(Z) and signs is None:  # the solution lies in the span of the rows
        _, _, rotation = np.linalg.svd(Z, full_matrices=False)
        Z = Z @ rotation.T
    A = np.column_stack([Z, np.ones(len(Z))])
    beta = np.zeros((A.shape[1], n_scores))
    path = []
    for penalty in penalties:
        if signs is not None:
            beta = _signed_fit(A, (y == 1).astype(float), weight, penalty, beta, signs)
        elif n_scores == 1:
            beta = _newton(A, (y == 1).astype(float), weight, penalty, beta[:, 0])[:, None]
        else:
            beta = _softmax_fit(A, np.eye(n_scores)[y], weight, penalty, beta)
        path.append(beta if rotation is None else np.vstack([rotation.T @ beta[:-1], beta[-1:]]))
    return path


def log_losses(scores: Floats, y: Ints) -> Floats:
    """Log loss of each row, of one score for two classes or one a class for more.

    Examples
    --------
    >>> log_losses(np.array([[0.0], [2.0]]), np.array([1, 0])).round(3).tolist()
    [0.693, 2.127]
    """
    if scores.shape[1] == 1:
        return np.asarray(np.logaddexp(0.0, np.where(y == 1, -scores[:, 0], scores[:, 0])))
    return np.asarray(-log_softmax(scores, axis=1)[np.arange(len(y)), y])


def _loss(eta: Floats, y: Floats, weight: Floats) -> float:
    return float(weight @ (np.logaddexp(0.0, eta) - y * eta))


def _newton(A: Floats, y: Floats, weight: Floats, penalty: float, beta: Floats) -> Floats:
    ridge = np.full(A.shape[1], float(penalty))
    ridge[-1] = 1e-8  # all but free: two pure classes have no best intercept
    beta = beta.copy()
    eta = A @ beta
    value = _loss(eta, y, weight) + 0.5 * float(ridge @ beta**2)
    for _ in range(_N_STEPS):
        p = expit(eta)
        slope = A.T @ (weight * (y - p)) - ridge * beta
        bend = (A * np.maximum(weight * p * (1.0 - p), 1e-10)[:, None]).T @ A
        bend[np.diag_indices_from(bend)] += ridge + 1e-10
        step = np.linalg.solve(bend, slope)
        size = 1.0
        for _ in range(20):
            new = beta + size * step
            new_eta = A @ new
            new_value = _loss(new_eta, y, weight) + 0.5 * float(ridge @ new**2)
            if new_value <= value + 1e-12 * (1.0 + abs(value)):
                break
            size *= 0.5
        fall = value - new_value
        beta, eta, value = new, new_eta, new_value
        if fall <= 1e-7 * (1.0 + abs(value)):
            break
    return beta


def _signed_fit(
    A: Floats, y: Floats, weight: Floats, penalty: float, start: Floats, signs: Ints
) -> Floats:
    """The minimum of the same loss among weights that have no wrong sign."""
    ridge = np.full(A.shape[1], float(penalty))
    ridge[-1] = 1e-8

    def value_and_slope(beta: Floats) -> tuple[float, Floats]:
        eta = A @ beta
        slope = A.T @ (weight * (expit(eta) - y)) + ridge * beta
        return _loss(eta, y, weight) + 0.5 * float(ridge @ beta**2), slope

    free = [(None, None), (0.0, None), (None, 0.0)]  # by the sign: 0, 1, -1
    bounds = [free[sign] for sign in signs.tolist()] + [free[0]]
    options = {"maxiter": 500, "ftol": 1e-12}
    found = minimize(
        *(value_and_slope, start[:, 0]), jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    return np.asarray(found.x)[:, None]


def _softmax_fit(A: Floats, Y: Floats, weight: Floats, penalty: float, start: Floats) -> Floats:
    ridge = np.full((A.shape[1], 1), float(penalty))
    ridge[-1] = 1e-8
    shape = start.shape

    def value_and_slope(flat: Floats) -> tuple[float, Floats]:
        beta = flat.reshape(shape)
        eta = A @ beta
        value = -float(weight @ (Y * log_softmax(eta, axis=1)).sum(axis=1))
        slope = A.T @ (weight[:, None] * (softmax(eta, axis=1) - Y)) + ridge * beta
        return value + 0.5 * float((ridge * beta**2).sum()), slope.ravel()

    options = {"maxiter": 200, "ftol": 1e-9}
    found = minimize(value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x).reshape(shape)
