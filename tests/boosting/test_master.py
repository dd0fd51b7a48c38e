"""The restricted dual, warm, against a fresh program on all its columns."""

import numpy as np
import pytest

from handful.boosting import WeakColumn
from handful.boosting.generation import DualMaster
from tests.oracles import boosting as oracle


def test_growing_master_equals_fresh_programs(rng):
    H = rng.uniform(-1, 1, size=(25, 8))
    y = np.where(H[:, 0] + 0.5 * rng.normal(size=25) > 0, 1.0, -1.0)
    caps = rng.uniform(0.06, 0.2, size=25)
    master = DualMaster(y, caps)
    np.testing.assert_allclose(master.start(), caps / caps.sum())
    for j in range(8):
        master.add(WeakColumn(j, H[:, j], 0.0))
        solution = master.solve()
        value, _, _, _ = oracle.lpboost_primal(H[:, : j + 1], y, caps)
        beta, _ = oracle.lpboost_dual(H[:, : j + 1], y, caps)
        assert solution.beta == pytest.approx(value, abs=1e-8)
        assert solution.beta == pytest.approx(beta, abs=1e-8)
        assert solution.weights.sum() == pytest.approx(1.0)
        assert np.all(solution.u <= caps + 1e-9)
        edges = master.scores(solution.u) @ H[:, : j + 1]
        assert edges.max() == pytest.approx(solution.beta, abs=1e-8)
        # Complementary slackness: only columns with the largest edge have weight.
        assert np.all(solution.weights[edges < solution.beta - 1e-7] <= 1e-9)
