import numpy as np

from handful.certified._linear_forms import linear, sparse_linear
from tests.certified.cases import error, linear_pool, make_pool, three_classes


def test_linear_learns_a_line(rng):
    pool = linear_pool(rng)
    (proposal,) = linear(pool)
    assert error(proposal, pool) < 0.2
    assert np.mean(proposal.guesses != pool.y) < 0.3


def test_weights_are_in_the_features_own_units(rng):
    pool = linear_pool(rng)
    (first,) = linear(pool)
    (second,) = linear(make_pool(pool.X * 1000.0 + 5.0, pool.y))
    ratio = np.array(first.machine.weights) / np.array(second.machine.weights)
    np.testing.assert_allclose(ratio, 1000.0, rtol=1e-3)


def test_sparse_linear_finds_the_two_that_matter(rng):
    pool = linear_pool(rng, n=300, d=8, noise=0.1)
    (proposal,) = sparse_linear(pool)
    assert {0, 1} <= set(proposal.machine.features)
    assert proposal.machine.size <= 5


def test_three_classes(rng):
    pool = three_classes(rng)
    (proposal,) = linear(pool)
    assert error(proposal, pool) < 0.25


def test_weights_steer(rng):
    pool = linear_pool(rng, n=200, noise=3.0)
    heavy = make_pool(pool.X, pool.y, weight=np.where(pool.y == 1, 20.0, 1.0))
    (proposal,) = linear(heavy)
    assert proposal.machine.labels(pool.X).mean() > 0.9
