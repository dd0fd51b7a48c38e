"""Fifty digits against scipy, brute force and the library's own bounds."""

import itertools
import math

import pytest
from scipy import stats

from handful.bounds import held_out_bound
from handful.verify.arithmetic import (
    MP,
    binomial_tail,
    is_tail_bound,
    log_binomial,
    n_pairings,
    tail_bound,
)


@pytest.mark.parametrize(("k", "n", "p"), [(0, 5, 0.3), (3, 10, 0.1), (30, 400, 0.12), (7, 7, 0.5)])
def test_tails(k, n, p):
    assert float(binomial_tail(k, n, p)) == pytest.approx(stats.binom.cdf(k, n, p), rel=1e-12)


def test_tail_far_below_the_range_of_floats():
    assert float(MP.log(binomial_tail(0, 10_000, 0.5))) == pytest.approx(-10_000 * math.log(2))


@pytest.mark.parametrize(("n", "k"), [(100, 0), (100, 7), (683, 40), (20, 20)])
def test_bounds_of_the_library_are_confirmed(n, k):
    risk, nats = held_out_bound(n, k).risk, -math.log(0.05)
    assert is_tail_bound(risk, k, n, nats)
    assert tail_bound(k, n, nats) == pytest.approx(risk, rel=1e-9)
    if k < n:
        assert not is_tail_bound(risk * (1 - 1e-7), k, n, nats)
        assert not is_tail_bound(risk * (1 + 1e-7), k, n, nats)
    assert not is_tail_bound(1.5, k, n, nats)


def test_log_binomial():
    assert float(log_binomial(50, 25)) == pytest.approx(math.log(math.comb(50, 25)), rel=1e-15)
    with pytest.raises(ValueError, match="no 4 of 3"):
        log_binomial(3, 4)


@pytest.mark.parametrize(("a", "b", "r"), [(1, 1, 1), (2, 2, 3), (3, 2, 3), (2, 2, 1)])
def test_pairings_by_listing_them(a, b, r):
    cells = list(itertools.product(range(a), range(b)))
    n = sum(
        len({i for i, _ in edges}) == a and len({j for _, j in edges}) == b
        for edges in itertools.combinations(cells, r)
    )
    assert n_pairings(a, b, r) == n
