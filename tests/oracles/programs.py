"""Slow twins of `handful.programs`: dense programs written as published, solved by linprog."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize


def toy(flipped=True):
    """The twelve points of the specification; labels 5 and 10 flipped."""
    i = np.arange(1, 13)
    X = np.column_stack([np.sin(i), np.cos(2 * i)])
    y = np.sign(np.sin(i) + 0.5 * np.cos(2 * i))
    if flipped:
        y[[4, 9]] *= -1
    return X, y


def published_mcm(F, y, C, weight=0.0):
    """(11)-(14) or (23)-(26) word for word: columns u, v (w = u - v), b, h, q."""
    m, n = F.shape
    G = F * y[:, None]
    one = np.ones((m, 1))
    cost = np.concatenate([np.full(2 * n, weight), [0.0, 1.0], np.full(m, C)])
    upper = np.hstack([G, -G, y[:, None], -one, np.eye(m)])
    lower = np.hstack([-G, G, -y[:, None], 0 * one, -np.eye(m)])
    bounds = [(0, None)] * (2 * n) + [(None, None)] * 2 + [(0, None)] * m
    found = linprog(
        cost,
        A_ub=np.vstack([upper, lower]),
        b_ub=np.concatenate([np.zeros(m), -np.ones(m)]),
        bounds=bounds,
    )
    assert found.status == 0, found.message
    return found.fun, found.x[:n] - found.x[n : 2 * n], found.x[2 * n]


def published_hard_mcm(F, y):
    """(7)-(9); None where infeasible."""
    m, n = F.shape
    G = np.column_stack([F * y[:, None], y])
    A = np.vstack([np.column_stack([G, -np.ones(m)]), np.column_stack([-G, np.zeros(m)])])
    right = np.concatenate([np.zeros(m), -np.ones(m)])
    found = linprog(np.eye(n + 2)[-1], A_ub=A, b_ub=right, bounds=[(None, None)] * (n + 2))
    return found.fun if found.status == 0 else None


def one_norm_svm(F, y, C):
    """min sum |w| + C sum xi: columns u, v, b, xi."""
    m, n = F.shape
    G = F * y[:, None]
    cost = np.concatenate([np.ones(2 * n), [0.0], np.full(m, C)])
    A = -np.hstack([G, -G, y[:, None], np.eye(m)])
    bounds = [(0, None)] * (2 * n) + [(None, None)] + [(0, None)] * m
    found = linprog(cost, A_ub=A, b_ub=-np.ones(m), bounds=bounds)
    assert found.status == 0, found.message
    return found.fun, found.x[:n] - found.x[n : 2 * n], found.x[2 * n]


def touching(F, y, C, weight, capped, slop=1e-7):
    """Examples with margin <= 1, or at the cap, at some optimum: one linprog each way.

    The face is cut out by objective <= optimum + slop, with explicit slacks.
    """
    m, n = F.shape
    G = F * y[:, None]
    cost = np.concatenate([np.full(2 * n, weight), [0.0, float(capped)], np.full(m, C)])
    rows = [-np.hstack([G, -G, y[:, None], np.zeros((m, 1)), np.eye(m)])]
    right = [-np.ones(m)]
    if capped:
        rows.append(np.hstack([G, -G, y[:, None], -np.ones((m, 1)), np.zeros((m, m))]))
        right.append(np.zeros(m))
    A, b = np.vstack(rows), np.concatenate(right)
    bounds = [(0, None)] * (2 * n) + [(None, None), (1, None)] + [(0, None)] * m
    best = linprog(cost, A_ub=A, b_ub=b, bounds=bounds).fun
    A, b = np.vstack([A, cost]), np.append(b, best + slop)
    out = []
    for i in range(m):
        row = np.concatenate([G[i], -G[i], [y[i], 0.0], np.zeros(m)])
        least = linprog(row, A_ub=A, b_ub=b, bounds=bounds)
        is_touching = least.status != 0 or least.fun <= 1.0 + 1e-4
        if capped and not is_touching:
            to_cap = -row
            to_cap[2 * n + 1] = 1.0
            least = linprog(to_cap, A_ub=A, b_ub=b, bounds=bounds)
            is_touching = least.status != 0 or least.fun <= 1e-4
        if is_touching:
            out.append(i)
    return np.array(out, dtype=int)


def published_regressor(F, y, epsilon, C, weight=0.0):
    """The regressor of Jayadeva et al. word for word: columns u, v, b, t, h, q+, q-.

    h >= w.x + b + t (y + eps) + q+ >= 1 and h >= -(w.x + b + t (y - eps)) + q- >= 1.
    """
    m, n = F.shape
    one, zero, eye = np.ones((m, 1)), np.zeros((m, m)), np.eye(m)
    up = np.hstack([F, -F, one, (y + epsilon)[:, None]])
    down = -np.hstack([F, -F, one, (y - epsilon)[:, None]])
    rows = np.vstack(
        [
            np.hstack([up, -one, eye, zero]),
            np.hstack([down, -one, zero, eye]),
            np.hstack([-up, 0 * one, -eye, zero]),
            np.hstack([-down, 0 * one, zero, -eye]),
        ]
    )
    right = np.concatenate([np.zeros(2 * m), -np.ones(2 * m)])
    cost = np.concatenate([np.full(2 * n, weight), [0.0, 0.0, 1.0], np.full(2 * m, C)])
    bounds = [(0, None)] * (2 * n) + [(None, None)] * 3 + [(0, None)] * (2 * m)
    found = linprog(cost, A_ub=rows, b_ub=right, bounds=bounds)
    assert found.status == 0, found.message
    return found.fun


def capped_least_squares(F, y, epsilon, C, weight=0.0):
    """min (1 + top) + C sum (r/eps)^2 + weight sum |w|, r = y - eps (F w + b), |r| <= eps top."""
    m, n = F.shape

    def residual(x):
        return y / epsilon - F @ (x[:n] - x[n : 2 * n]) - x[2 * n]

    def value(x):
        return 1.0 + x[-1] + C * np.sum(residual(x) ** 2) + weight * np.sum(x[: 2 * n])

    def gradient(x):
        pull = -2.0 * C * residual(x)
        parts = [F.T @ pull + weight, -F.T @ pull + weight, [pull.sum(), 1.0]]
        return np.concatenate(parts)

    def room(x):
        return np.concatenate([x[-1] - residual(x), x[-1] + residual(x)])

    slope = np.hstack([F, -F, np.ones((m, 1))])
    slopes = np.hstack([np.vstack([slope, -slope]), np.ones((2 * m, 1))])
    start = np.zeros(2 * n + 2)
    start[-1] = 1.1 * np.abs(y).max() / epsilon
    found = minimize(
        value,
        start,
        jac=gradient,
        method="SLSQP",
        bounds=[(0, None)] * (2 * n) + [(None, None)] * 2,
        constraints={"type": "ineq", "fun": room, "jac": lambda x: slopes},
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    w = epsilon * (found.x[:n] - found.x[n : 2 * n])
    return found.fun, w, epsilon * found.x[2 * n]
