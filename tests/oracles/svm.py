"""Slow twins of the support vector machines: nothing here imports the package."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize


def paper_data():
    """Twenty points on a curve with two flipped labels."""
    i = np.arange(1.0, 21.0)
    X = np.column_stack([np.sin(i), np.cos(2 * i)])
    y = np.sign(np.sin(i) + 0.5 * np.cos(2 * i))
    y[[4, 9]] *= -1
    return X, y


def gaussian(X, Z, gamma):
    return np.array([[math.exp(-gamma * float(np.sum((a - b) ** 2))) for b in Z] for a in X])


def centred(K):
    J = np.eye(len(K)) - 1.0 / len(K)
    return J @ K @ J


def coordinate_descent(K, y, C, change=1e-12, max_passes=200_000):
    """Dual without a bias, one variable after the other."""
    alpha = np.zeros(len(y))
    f = np.zeros(len(y))
    for _ in range(max_passes):
        largest = 0.0
        for i in range(len(y)):
            new = min(max(alpha[i] + (1.0 - y[i] * f[i]) / K[i, i], 0.0), C)
            step = new - alpha[i]
            if step:
                alpha[i] = new
                f = f + step * y[i] * K[i]
                largest = max(largest, abs(step))
        if largest <= change:
            return alpha
    raise AssertionError("no convergence")


def dual_objective(K, y, alpha):
    u = alpha * y
    return float(alpha.sum() - 0.5 * u @ K @ u)


def primal_objective(K, y, alpha, bias, C):
    u = alpha * y
    slack = np.maximum(0.0, 1.0 - y * (K @ u + bias))
    return float(0.5 * u @ K @ u + C * slack.sum())


def enclosing_radius(K):
    """Smallest enclosing ball by a general optimiser on the simplex."""
    m = len(K)
    best = minimize(
        lambda b: float(b @ K @ b - b @ np.diagonal(K)),
        np.full(m, 1.0 / m),
        jac=lambda b: 2 * K @ b - np.diagonal(K),
        bounds=[(0, 1)] * m,
        constraints=[{"type": "eq", "fun": lambda b: b.sum() - 1, "jac": lambda b: np.ones(m)}],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    )
    return math.sqrt(-best.fun)


def best_biases(scores, y, weights=1.0):
    """Ends of the interval of biases with the smallest hinge loss, by trying all breakpoints."""
    points = np.sort(y - scores)
    losses = np.array([(weights * np.maximum(0, 1 - y * (scores + b))).sum() for b in points])
    best = points[losses <= losses.min() + 1e-9]
    return best.min(), best.max()


def span_squares(K, alpha, C, bias):
    """S_p^2 by solving for the nearest point of the (affine) span, one vector at a time."""
    free = [i for i in range(len(K)) if 1e-8 * C < alpha[i] < (1 - 1e-8) * C]
    out = {}
    for p in np.flatnonzero(alpha > 1e-8 * C):
        others = [i for i in free if i != p]
        A, k = K[np.ix_(others, others)], K[others, p]
        if bias:
            M = np.block([[A, np.ones((len(others), 1))], [np.ones((1, len(others))), 0.0]])
            x = np.linalg.solve(M, np.append(k, 1.0))[:-1]
        else:
            x = np.linalg.solve(A, k)
        out[int(p)] = float(K[p, p] - 2 * x @ k + x @ A @ x)
    return out
