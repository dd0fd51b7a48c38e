import numpy as np

from handful.certified.additive_forms import (
    POINTS,
    additive,
    additive_machine,
    binned_pool,
    boosted_curves,
)
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


def test_the_record_scores_as_the_loop_did_in_whole_points(rng):
    pool = bumps(rng)
    binned = binned_pool(pool)
    for is_straight in (True, False):
        rows = np.arange(len(pool))
        curves, kept, start = boosted_curves(pool, binned, rows, (25,), is_straight)
        machine = additive_machine(binned.cuts, curves[-1], start)
        scores = machine.scores(pool.X)
        assert np.array_equal(scores, np.rint(scores))
        half = 0.5 * (len(machine.curves) + 1)  # each curve and the start are rounded once
        np.testing.assert_allclose(scores, POINTS * kept[-1, :, 0], rtol=0.0, atol=half)
        assert all(v == round(v) for c in machine.curves for v in (*c.values[0], *c.missing))


def test_three_classes(rng):
    pool = three_classes(rng)
    (proposal,) = additive(pool)
    assert error(proposal, pool) < 0.2
