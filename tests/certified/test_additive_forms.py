import numpy as np

from handful.certified._additive_forms import _binned, _boosted, additive
from tests.certified.cases import error, make_pool, three_classes


def bumps(rng, n=300):
    X = rng.normal(size=(n, 3))
    X[rng.random(n) < 0.1, 2] = np.nan
    y = (np.abs(X[:, 0]) + 0.2 * rng.normal(size=n) > 0.8).astype(int)
    return make_pool(X, y)


def test_a_curve_that_is_not_a_line(rng):
    pool = bumps(rng)
    (proposal,) = additive(pool)
    assert error(proposal, pool) < 0.15
    curve = next(c for c in proposal.machine.curves if c.feature == 0)
    values = curve.values[0]
    assert values[0] > min(values) < values[-1]


def test_the_record_scores_as_the_loop_did(rng):
    pool = bumps(rng)
    binned = _binned(pool)
    for is_straight in (True, False):
        rows = np.arange(len(pool))
        curves, kept, start = _boosted(pool, binned, rows, (25,), is_straight)
        from handful.certified._additive_forms import _machine

        machine = _machine(binned.cuts, curves[-1], start)
        np.testing.assert_allclose(machine.scores(pool.X), kept[-1, :, 0], atol=1e-9)


def test_three_classes(rng):
    pool = three_classes(rng)
    (proposal,) = additive(pool)
    assert error(proposal, pool) < 0.2
