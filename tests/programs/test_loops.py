import numpy as np

from handful.programs import loops


def _state(rng, m=7):
    return rng.random((6, m)) + 0.1, rng.normal(size=m) + 1.0


def test_measure_against_numpy(rng):
    state, g = _state(rng)
    hinge, top, sum_a, sum_p, products = loops.measure(state, g, True, True)
    a, v, zl, zu, p, zp = state
    np.testing.assert_allclose(hinge, np.maximum(1 - g, 0).sum())
    np.testing.assert_allclose([top, sum_a, sum_p], [g.max(), a.sum(), p.sum()])
    np.testing.assert_allclose(products, a @ zl + v @ zu + p @ zp)


def test_switched_off_blocks_do_not_count(rng):
    state, g = _state(rng)
    a, _, zl, _, _, _ = state
    np.testing.assert_allclose(loops.measure(state, g, False, False)[4], a @ zl)
    step = rng.normal(size=(5, g.size))
    expected = (a + 0.5 * step[0]) @ (zl + 0.25 * step[1])
    found = loops.products_after(state, step, 0.5, 0.25, False, False)
    np.testing.assert_allclose(found, expected)


def test_a_direction_solves_the_linearised_equations(rng):
    state, g = _state(rng)
    a, v, zl, zu, p, zp = (row.copy() for row in state)
    h, mu, dg, dh = 2.0, 0.01, rng.normal(size=g.size), 0.3
    weights, aims, step = np.zeros((3, g.size)), np.zeros((6, g.size)), np.zeros((5, g.size))
    loops.weigh(state, True, True, weights)
    np.testing.assert_allclose(weights[0], 1 / (zl / a + zu / v))
    loops.aim(state, step, g, h, mu, weights, aims)
    primal, dual = loops.turn(state, step, aims, weights, dg, dh, True, True)
    da, dl, du, dp, dz = step
    np.testing.assert_allclose(a * dl + zl * da, mu - a * zl)
    np.testing.assert_allclose(v * du - zu * da, mu - v * zu)
    np.testing.assert_allclose(p * dz + zp * dp, mu - p * zp)
    np.testing.assert_allclose((g + dg - 1) - (zl + dl) + (zu + du), 0.0, atol=1e-12)
    np.testing.assert_allclose((h + dh - g - dg) - (zp + dz), 0.0, atol=1e-12)
    ahead = state.copy()
    loops.advance(ahead, step, 0.999 * primal, 0.999 * dual, True, True)
    assert (ahead > 0).all()
    over = state[[0, 1, 4]] + 1.001 * primal * np.stack([da, -da, dp])
    assert over.min() < 0
