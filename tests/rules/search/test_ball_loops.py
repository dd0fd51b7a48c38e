"""The bound of a centre is never below the worth of any ball around it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.rules.search.ball_loops import bound_balls


@pytest.mark.parametrize("penalty", [0.5, 1.0, 3.0, math.inf])
@pytest.mark.parametrize("is_inside", [True, False])
@pytest.mark.parametrize("slack", [0.0, 0.01])
def test_bounds_hold_and_are_close(rng, penalty, is_inside, slack):
    for _ in range(20):
        n_same, n = 30, 70
        exact = rng.exponential(size=n).astype(np.float32)
        exact[:5] = exact[5]
        weight = rng.integers(1, 4, n)
        values = (exact + rng.uniform(-slack, slack, n) / 2).astype(np.float32)[None]
        limit = np.float32(np.quantile(exact[:n_same], 0.8 if is_inside else 0.2))
        bounds = np.empty((1, 1))
        bound_balls(
            values,
            n_same,
            weight,
            np.array([limit]),
            np.array([slack], np.float32),
            np.array([is_inside]),
            np.array([penalty]),
            np.float32(values.max() * 1.001 + slack),
            bounds,
        )
        best = 0.0
        for radius in exact[:n_same]:
            if (radius > limit) if is_inside else (radius < limit):
                continue
            covered = exact < radius if is_inside else exact > radius
            same = weight[:n_same][covered[:n_same]].sum()
            other = weight[n_same:][covered[n_same:]].sum()
            best = max(best, float(other) if same == 0 else other - penalty * same)
        assert bounds[0, 0] >= best
        if slack == 0.0:
            assert bounds[0, 0] <= best + 12
