"""Logistic regression along a path of penalties: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from handful._types import Floats, Ints

_N_STEPS = 30  # Newton needs about eight; the rest is for halved steps


def logistic_path(
    Z: Floats, y: Ints, weight: Floats, penalties: Sequence[float], n_scores: int
) -> list[Floats]:
    """Weights with the intercept last, (n_features + 1, n_scores), one array a penalty.

    Minimises sum of weight * log loss + penalty / 2 * |weights|^2, warm from one penalty to the
    next. The intercept is free.

    Examples
    --------
    >>> Z, y = np.array([[-1.0], [-0.5], [0.5], [1.0]]), np.array([0, 1, 0, 1])
    >>> [w.round(3).ravel().tolist() for w in logistic_path(Z, y, np.ones(4), [1.0], 1)]
    [[0.308, 0.0]]
    """
    rotation = None
    if Z.shape[1] > len(Z):  # the solution lies in the span of the rows
        _, _, rotation = np.linalg.svd(Z, full_matrices=False)
        Z = Z @ rotation.T
    A = np.column_stack([Z, np.ones(len(Z))])
    beta = np.zeros((A.shape[1], n_scores))
    path = []
    for penalty in penalties:
        if n_scores == 1:
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
