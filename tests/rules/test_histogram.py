"""The engine for one machine: pruning must not lose the best half-space."""

import numpy as np
import pytest

from handful.rules._exact import exact_half_space_paths
from tests.oracles.half_spaces import greedy_path
from tests.rules.test_exact import KINDS, as_tuples, data_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["grid", "smooth", "duplicates", "rbf", "heavy"])
@pytest.mark.parametrize("penalty", [0.5, 1.0, 3.0, np.inf])
def test_one_machine_equals_the_triple_loop(name, kind, penalty, rng):
    K, y = data_of(name, rng, m=18)
    for n_threads in (1, 2):
        (path,) = exact_half_space_paths(
            K, y, kind=kind, penalties=[penalty], max_rules=3, n_threads=n_threads
        )
        assert as_tuples(path) == greedy_path(K, y, kind, penalty, 3, True)
