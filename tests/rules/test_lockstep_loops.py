"""Orders are sorted once: each block lists its rows by ascending projection."""

import numpy as np
import pytest

from handful.rules._exact import exact_half_space_paths
from tests.oracles.half_spaces import greedy_path
from tests.rules.test_exact import as_tuples


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_orders_survive_any_scale_and_many_ties(scale, rng):
    X = rng.integers(0, 4, (16, 2)).astype(float) * scale
    y = np.where(rng.random(16) < 0.5, 1, -1)
    y[:2] = 1, -1
    penalties = [0.6, 1.0, 1.7]
    paths = exact_half_space_paths(X @ X.T, y, kind="conjunction", penalties=penalties, max_rules=3)
    for penalty, path in zip(penalties, paths, strict=True):
        expected = greedy_path(X @ X.T, y, "conjunction", penalty, 3, True)
        assert as_tuples(path) == expected
