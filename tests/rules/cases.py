"""Small messy data: ties, duplicates, contradictory labels, missing values."""

from __future__ import annotations

import numpy as np

from handful.rules import FAMILIES as BY_NAME
from handful.rules import Geometry, collapse_rows, grow

SHAPES = ("grid", "smooth", "duplicates", "heavy")
FAMILIES = ("stumps", "balls", "half-spaces", "two-point")
KINDS = ("conjunction", "disjunction")
SIDES = ("below", "above", "equal", "unequal") * 2  # in the words of the oracle
SIGNS = {"conjunction": 1, "disjunction": -1}


def messy(rng, shape, m=14, n=2):
    """Features and labels in {-1, +1}, both present."""
    if shape == "grid":
        X = rng.integers(-1, 3, (m, n)).astype(float)
    elif shape == "smooth":
        X = rng.normal(size=(m, n))
    elif shape == "duplicates":
        X = rng.normal(size=(m, n))[rng.integers(0, max(2, m // 2), m)]
    else:
        X = np.sinh(3 * rng.normal(size=(m, n)))
    y = np.where(rng.random(m) < rng.uniform(0.3, 0.7), 1, -1)
    y[:2] = 1, -1
    return X, y


def rows_and_pool(rng, shape, m=14, n=2, pool_size=None):
    """Collapsed rows and a sorted pool with one example a row."""
    X, y = messy(rng, shape, m, n)
    rows = collapse_rows(X, y)
    pool = np.sort(rng.permutation(m)[: m if pool_size is None else pool_size])
    _, first = np.unique(rows.row_of[pool], return_index=True)
    return rows, pool[first]


def table_of(family, rows, pool, **geometry):
    return BY_NAME[family].table(rows, pool, Geometry(**geometry))


def path_of(sweep, *how):
    """The path that a sweep grows."""
    return grow(sweep.counter, [sweep.rounds(*how)])[0]
