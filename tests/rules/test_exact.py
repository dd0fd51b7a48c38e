"""The exact half-space search agrees with the definition, whatever engine and thread count."""

from __future__ import annotations

import numpy as np
import pytest

from handful.rules._exact import HalfSpaceStep, exact_half_space_paths
from tests.oracles.half_spaces import greedy_path, is_bad

KINDS = ["conjunction", "disjunction"]
PENALTIES = [0.3, 0.7, 1.0, 1.5, 4.0, np.inf]
X_1D = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])
Y_1D = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
I_24 = np.arange(1, 25)
X_24 = np.column_stack([np.sin(I_24), np.cos(2 * I_24)])
Y_24 = np.where((X_24**2).sum(axis=1) < 0.9, 1, -1)


def triples(path):
    return [(s.a, s.b, s.c) for s in path]


def as_tuples(path):
    return [(s.a, s.b, s.c, s.n_other, s.n_same) for s in path]


def data_of(name, rng, m=14):
    """Small data with ties: integer grids, duplicates, contradictory labels, heavy tails."""
    if name == "grid":
        X = rng.integers(0, 3, (m, 2)).astype(float)
    elif name == "smooth":
        X = rng.normal(size=(m, 3))
    elif name == "duplicates":
        X = rng.normal(size=(m, 2))[rng.integers(0, m // 2, m)]
    else:
        X = np.exp(4 * rng.normal(size=(m, 2)))
    y = np.where(rng.random(m) < 0.45, 1, -1)
    y[:2] = 1, -1
    if name == "rbf":
        gaps = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        return np.exp(-0.1 * gaps), y
    return X @ X.T, y


@pytest.mark.parametrize(
    ("X", "y", "kind", "penalty", "max_rules", "expected"),
    [
        (X_1D, Y_1D, "conjunction", np.inf, 5, [(3, 0, 3), (3, 6, 5)]),
        (X_1D, Y_1D, "conjunction", 0.1, 5, [(3, 0, 3), (3, 6, 5)]),
        (X_1D, Y_1D, "conjunction", 1.0, 1, [(3, 0, 3)]),
        (X_1D, Y_1D, "disjunction", np.inf, 5, []),
        (X_24, Y_24, "conjunction", np.inf, 6, [(3, 4, 3), (3, 21, 8)]),
        (X_24, Y_24, "disjunction", 1.0, 6, [(3, 4, 1)]),
    ],
)
def test_the_toy_vectors(X, y, kind, penalty, max_rules, expected):
    X = X.reshape(len(y), -1)
    paths = exact_half_space_paths(X @ X.T, y, kind=kind, penalties=[penalty], max_rules=max_rules)
    assert triples(paths[0]) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["grid", "smooth", "duplicates", "rbf", "heavy"])
@pytest.mark.parametrize("stops", [True, False])
def test_every_penalty_equals_the_triple_loop(name, kind, stops, rng):
    K, y = data_of(name, rng)
    paths = exact_half_space_paths(
        K, y, kind=kind, penalties=PENALTIES, max_rules=4, stop_on_nonpositive=stops
    )
    for penalty, path in zip(PENALTIES, paths, strict=True):
        assert as_tuples(path) == greedy_path(K, y, kind, penalty, 4, stops)


@pytest.mark.parametrize("kind", KINDS)
def test_folds_and_weights_equal_the_triple_loop(kind, rng):
    K, y = data_of("grid", rng)
    weights = rng.integers(0, 4, len(y))
    active = rng.random((3, len(y))) < 0.8
    paths = exact_half_space_paths(
        K, y, kind=kind, penalties=[0.7, 2.0], max_rules=3, weights=weights, active=active
    )
    expected = [
        greedy_path(K, y, kind, p, 3, weights=weights, active=fold)
        for fold in active
        for p in (0.7, 2.0)
    ]
    assert [as_tuples(path) for path in paths] == expected


def test_covers_are_what_the_predicate_says(rng):
    K, y = data_of("smooth", rng, m=40)
    (path,) = exact_half_space_paths(K, y, kind="conjunction", penalties=[1.0], max_rules=5)
    assert path
    assert isinstance(path[0], HalfSpaceStep)
    live = np.ones(len(y), bool)
    for s in path:
        bad = np.array([is_bad(K, s.a, s.b, s.c, x, "conjunction") for x in range(len(y))])
        assert (bad & live & (y < 0)).sum() == s.n_other
        assert (bad & live & (y > 0)).sum() == s.n_same
        live &= ~bad
