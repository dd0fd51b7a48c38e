"""The engine for many machines gives what one search a machine gives, on any budget."""

import numpy as np
import pytest

from handful.rules._exact import exact_half_space_paths
from tests.rules.test_exact import KINDS, as_tuples, data_of

PENALTIES = [0.7, 1.0, 2.0, np.inf]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["grid", "smooth", "heavy"])
def test_all_at_once_equals_one_by_one(name, kind, rng):
    K, y = data_of(name, rng, m=40)
    active = rng.random((4, len(y))) < 0.85
    together = {
        (threads, budget): exact_half_space_paths(
            K,
            y,
            kind=kind,
            penalties=PENALTIES,
            max_rules=4,
            active=active,
            n_threads=threads,
            memory_budget=budget,
        )
        for threads, budget in ((1, 2**29), (2, 2**29), (1, 1000))
    }
    alone = [
        as_tuples(
            exact_half_space_paths(
                K, y, kind=kind, penalties=[p], max_rules=4, active=fold[None, :]
            )[0]
        )
        for fold in active
        for p in PENALTIES
    ]
    for paths in together.values():
        assert [as_tuples(path) for path in paths] == alone
