"""Pools and candidates are drawn without looking at the data."""

import numpy as np
import pytest

from handful.pursuit.candidate_pool import CandidatePool, first_candidates, is_outside, pool_size


@pytest.mark.parametrize(
    ("n_samples", "fraction", "size"),
    [(100, 0.4, 40), (100, 0.401, 41), (12, 0.1, 6), (30, 0.1, 10), (100, 0.05, 10), (1, 0.5, 1)],
)
def test_pool_size_depends_on_the_number_alone(n_samples, fraction, size):
    assert pool_size(n_samples, fraction) == size


def test_candidates():
    assert first_candidates(None, 5) is None
    assert first_candidates(5, 5) is None
    assert len(first_candidates(4, 5)) == 4
    assert first_candidates([3, 1, 3], 5).tolist() == [1, 3]


@pytest.mark.parametrize("bad", [[5], [-1], [], [0.5], ["a"]])
def test_bad_candidates(bad):
    with pytest.raises(ValueError, match=r"`candidates` must be row numbers in \[0, 5\)"):
        first_candidates(bad, 5)


def test_split_keeps_rows_and_candidates_apart():
    ground = CandidatePool(np.arange(0, 40, 2), np.array([0, 3, 7, 19]), 40)
    inner, held = ground.split(0.25)
    assert len(held) == 5
    assert set(inner.rows) | set(held) == set(range(0, 40, 2))
    assert not set(inner.rows) & set(held)
    assert set(inner.rows[inner.candidates]) <= {0, 6, 14, 38}


def test_split_refuses_to_leave_nothing():
    with pytest.raises(ValueError, match="`validation_fraction` must leave examples"):
        CandidatePool(np.arange(1), None, 1).split(0.5)


def test_is_outside():
    assert is_outside(4, np.array([0, 2])).tolist() == [False, True, False, True]
