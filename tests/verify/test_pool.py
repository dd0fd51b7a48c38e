"""Pools drawn again: ranks are a distribution, regressions those of scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from handful import load_dataset
from handful.rules.pooled import first_pairs
from handful.verify.code_prices import PoolCode
from handful.verify.covers import Cover
from handful.verify.pool_candidates import (
    find_candidate,
    fit_ridge_logistic,
    make_lines,
    pairs_of,
    rank_prices,
    usefulness,
)


@pytest.fixture(scope="module")
def pool():
    data = load_dataset("breastw")
    families = ["stumps", "linear", "half-spaces", "balls"]
    is_word = np.zeros(data.X.shape[1], dtype=bool)
    order = np.random.default_rng(0).permutation(len(data.y))
    code = PoolCode(137, families, 0.15)
    return data, *make_lines(data.X, data.y, order, code, is_word)


def test_ranks_are_a_prior(pool):
    data, rows, directions = pool
    signs = np.where(data.y[rows] == 1, -1, 1)
    total = 0.0
    for direction in directions[:3]:
        for j, cut in enumerate(direction.cuts):
            for op in direction.ops:
                rule = direction.cover(j, op)
                assert rule.cut == cut
                prices, places = rank_prices([rule], directions[:3], signs)
                assert places[0][1] == j
                total += math.exp(-prices[0])
    assert total == pytest.approx(1.0)


def testusefulness_by_counting(pool, rng):
    _, rows, directions = pool
    signs = rng.integers(-1, 2, len(rows))
    for direction in (directions[0], directions[9], directions[-1]):
        found = usefulness(direction, signs)
        for j, cut in enumerate(direction.cuts):
            below = signs[direction.values < cut - direction.tolerance].sum()
            above = signs[direction.values > cut + direction.tolerance].sum()
            assert found[:, j].tolist() == [below, above]


def test_regression_is_ridge_logistic_regression(rng):
    Z = rng.normal(size=(80, 3))
    y = np.where(Z[:, 0] + rng.normal(size=80) > 0.3, 1, -1)
    w = fit_ridge_logistic(Z, y, 1.0)
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(Z, y)
    assert np.allclose(w[:-1], peer.coef_[0], atol=1e-4)
    assert w[-1] == pytest.approx(peer.intercept_[0], abs=1e-4)


def test_a_strange_rule_is_found_out(pool):
    _, rows, directions = pool
    rule = Cover("stump", {"kind": "feature", "feature": 0}, "<", 1.25, 0.0)
    assert find_candidate(rule, directions) is None
    with pytest.raises(LookupError, match="not among the candidates"):
        rank_prices([rule], directions, np.ones(len(rows), dtype=int))


@pytest.mark.parametrize(("n_first", "n_second"), [(1, 1), (3, 5), (4, 6), (20, 20), (1, 200)])
def test_pairs_are_the_library_s(n_first, n_second):
    pairs = pairs_of(n_first, n_second)
    assert pairs == first_pairs(n_first, n_second, 120)
    assert len(set(pairs)) == len(pairs) == min(120, n_first * n_second)


def test_a_pool_with_holes_offers_stumps_only(rng):
    X, y = rng.normal(size=(50, 2)), np.where(np.arange(50) < 10, 1, -1)
    code = PoolCode(30, ["stumps", "half-spaces", "balls"], 0.15)
    is_word = np.zeros(2, dtype=bool)
    assert len(make_lines(X, y, np.arange(50), code, is_word)[1]) == 2 + 120 + 2 * 30
    X[0, 0] = np.nan
    assert len(make_lines(X, y, np.arange(50), code, is_word)[1]) == 2
