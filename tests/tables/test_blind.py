"""The order of rows that nobody chose."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chi2

from handful.bounds import binomial_tail_inverse
from handful.tables import RowDigests, blind_order, row_digests


def _tied(rng, n=60):
    return rng.integers(0, 2, (n, 2)).astype(float), rng.integers(0, 2, n)


@pytest.mark.parametrize("random_state", [None, 3])
def test_the_order_of_the_rows_does_not_matter(rng, random_state):
    X, y = _tied(rng)
    perm = rng.permutation(len(y))
    here = blind_order(X, y, random_state=random_state)
    there = blind_order(X[perm], y[perm], random_state=random_state)
    assert here.digest == there.digest
    assert sorted(here.order.tolist()) == list(range(len(y)))
    assert (X[here.order] == X[perm][there.order]).all()
    assert (y[here.order] == y[perm][there.order]).all()


def test_seeds_give_other_orders_and_are_named(rng):
    X, y = _tied(rng)
    orders = [tuple(blind_order(X, y, random_state=s).order) for s in (None, 0, 1)]
    assert len(set(orders)) == 3
    assert blind_order(X, y).seed is None
    assert blind_order(X, y, random_state=np.int64(5)).seed == 5
    assert blind_order(X, y, random_state=np.random.default_rng(0)).seed is not None
    assert blind_order(X, y, random_state=np.random.RandomState(0)).seed is not None


def test_left_out_columns_decide_too(rng):
    X, y = _tied(rng)
    whole = RowDigests(row_digests(np.column_stack([X, rng.normal(size=len(y))]), y))
    one = blind_order(X[:, :1], y, random_state=whole)
    two = blind_order(X, y, random_state=whole)
    assert (one.order == two.order).all()
    with pytest.raises(ValueError, match="digests of 60 rows, but X has 59"):
        blind_order(X[:-1], random_state=whole)


def test_copies_of_a_row_fall_on_both_sides(rng):
    """All rows equal: the number of ones in the first half is that of a random half."""
    X = np.zeros((40, 1))
    firsts = np.array([blind_order(X, random_state=s).order[:20] for s in range(400)])
    counts = np.bincount(firsts.ravel(), minlength=40)
    # each row is in the half with probability 1/2; variance by sampling without replacement
    statistic = ((counts - 200.0) ** 2 / (400 * 0.25)).sum() * 39 / 40
    assert chi2.sf(statistic, 39) > 1e-6


def test_the_pool_is_independent_of_the_labels_given_ties(rng):
    """Discrete data full of ties: errors outside the pool are as many as they should be."""
    n, n_pool, n_draws = 40, 16, 3000
    shares = []
    for _ in range(n_draws):
        X, y = rng.integers(0, 3, (n, 1)).astype(float), rng.integers(0, 2, n)
        pool = blind_order(X, y).order[:n_pool]
        counted = np.ones(n, dtype=bool)
        counted[pool] = False
        majority = [
            int(2 * y[pool][X[pool, 0] == v].sum() >= (X[pool, 0] == v).sum()) for v in range(3)
        ]
        shares.append(np.mean(np.array(majority)[X[counted, 0].astype(int)] != y[counted]))
    error = np.std(shares) / np.sqrt(n_draws)
    assert abs(np.mean(shares) - 0.5) < 4.5 * error
    assert 4.5 * error < 0.01  # a pool that copies its ties to one side is off by more


@pytest.mark.parametrize("wrong", ["today", 1.5, True])
def test_bad_random_states(wrong):
    with pytest.raises(ValueError, match="`random_state` must be None, a whole number"):
        blind_order(np.zeros((3, 1)), random_state=wrong)


def _missed_share(n_draws, order_of):
    """How often a certificate at delta = .5 misses on coin flips, three cells for 40 rows."""
    rng = np.random.default_rng(5)
    n_missed = 0
    for _ in range(n_draws):
        X, y = rng.integers(0, 3, (40, 1)).astype(float), rng.integers(0, 2, 40)
        pool, counted = np.split(order_of(X, y), [16])
        vote = [2 * y[pool][X[pool, 0] == v].sum() > (X[pool, 0] == v).sum() for v in range(3)]
        n_errors = int((np.array(vote)[X[counted, 0].astype(int)] != y[counted]).sum())
        n_missed += binomial_tail_inverse(n_errors, 24, np.log(0.5)) < 0.5
    return n_missed / n_draws


@pytest.mark.thorough
def test_certificates_miss_as_often_as_they_may_on_ties():
    """Misses are near delta, so that a pool that favoured anything would show."""
    allowed = binom.cdf(11, 24, 0.5)  # 12 errors of 24 certify more than one half
    found = _missed_share(2000, lambda X, y: blind_order(X, y).order)
    assert abs(found - allowed) < 4 * np.sqrt(0.25 / 2000)


def test_the_simulation_would_notice_copies_on_one_side():
    """Keys without the number of earlier equal rows: all copies fall on one side."""

    def together(X, y):
        keys = [hash((x, label, float(y.sum()))) for x, label in zip(X[:, 0], y, strict=True)]
        return np.argsort(keys, kind="stable")

    allowed = binom.cdf(11, 24, 0.5)
    assert abs(_missed_share(500, together) - allowed) > 4 * np.sqrt(0.25 / 500)
