"""Ties are decided by the two examples of a direction alone."""

import numpy as np

from handful.rules._half_space_states import half_space_tolerance
from handful.rules._rules import HalfSpace, pair_tolerance


def test_search_and_rule_share_their_tolerance(rng):
    a, b = rng.normal(size=(2, 3)) * 100
    searched = float(half_space_tolerance(a @ a, a @ b, b @ b))
    assert searched == pair_tolerance(a @ a, b @ b, a @ b)
    rule = HalfSpace(tuple(a), tuple(b), 0.0, "below")
    np.testing.assert_allclose(rule.tolerance, searched, rtol=1e-12)


def test_it_scales_with_the_kernel():
    assert half_space_tolerance(4e6, 1e6, 2e6) == 1e6 * half_space_tolerance(4.0, 1.0, 2.0)
