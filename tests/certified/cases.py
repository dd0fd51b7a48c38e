"""Small pools for the tests of the learners."""

from __future__ import annotations

import numpy as np

from handful.certified import Pool
from handful.certified.training_pool import make_folds
from handful.tables import Columns


def make_pool(X, y, *, weight=None, groups=None):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    columns = Columns.of_numbers(f"f{j}" for j in range(X.shape[1])).asking(X)
    return Pool(
        table=X,
        X=np.ascontiguousarray(columns.encode(X)),
        y=y,
        weight=np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float),
        fold=make_folds(y, groups),
        n_classes=len(np.unique(y)),
        columns=columns,
        is_weighted=weight is not None,
        groups=groups,
    )


def linear_pool(rng, n=120, d=4, noise=0.5):
    X = rng.normal(size=(n, d))
    y = (X[:, 0] - X[:, 1] + noise * rng.normal(size=n) > 0).astype(int)
    return make_pool(X, y)


def three_classes(rng, n=150):
    X = rng.normal(size=(n, 2))
    y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=n), [-0.5, 0.5])
    return make_pool(X, y)


def error(proposal, pool):
    return float(np.mean(proposal.machine.labels(pool.X) != pool.y))
