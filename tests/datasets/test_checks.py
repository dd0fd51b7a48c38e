"""Arguments are checked with messages that name them."""

import numpy as np
import pytest

from handful.datasets._checks import (
    as_generator,
    check_count,
    check_matrix,
    check_real,
    check_reals,
)


def test_generators_pass_through_and_integers_seed():
    rng = np.random.default_rng(3)
    assert as_generator(rng) is rng
    assert as_generator(5).random() == as_generator(np.int64(5)).random()
    assert as_generator(None).random() != as_generator(None).random()


@pytest.mark.parametrize("value", ["0", 1.0, True, np.random.RandomState(0)])
def test_other_random_states_are_refused(value):
    with pytest.raises(TypeError, match=r"`random_state` must be None, an int or a numpy"):
        as_generator(value)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match=r"must be at least 0, got -1"):
        as_generator(-1)


def test_counts():
    assert check_count("n", np.int32(4)) == 4
    assert check_count("n", 0, 0) == 0
    with pytest.raises(ValueError, match=r"`n` must be at least 1, got 0"):
        check_count("n", 0)
    for wrong in (2.0, True, "2"):
        with pytest.raises(TypeError, match=r"`n` must be an int"):
            check_count("n", wrong)


def test_reals_include_the_ends_and_nothing_beyond():
    assert check_real("p", 0, 0.0, 0.5, "") == 0.0
    assert check_real("p", np.float64(0.5), 0.0, 0.5, "") == 0.5
    for wrong in (-1e-9, 0.5 + 1e-9, float("nan")):
        with pytest.raises(ValueError, match=r"`p` must be in \[0, 0.5\], got .*Halve it"):
            check_real("p", wrong, 0.0, 0.5, "Halve it.")
    with pytest.raises(TypeError, match=r"`p` must be a number, got str"):
        check_real("p", "x", 0.0, 1.0, "")


def test_sequences_of_reals():
    assert check_reals("t", np.array([1, 2]), "") == (1.0, 2.0)
    for wrong in ((), (1.0, np.inf), 3.0, ((1.0,), (2.0,))):
        with pytest.raises(ValueError, match=r"`t` must be a non-empty sequence of finite"):
            check_reals("t", wrong, "")
    with pytest.raises(TypeError, match=r"`t` must hold numbers"):
        check_reals("t", ["a"], "")


def test_matrices():
    assert check_matrix([[1, 2]], 2).dtype == np.float64
    with pytest.raises(ValueError, match=r"`X` must have shape \(n_samples, 3\), got \(1, 2\)"):
        check_matrix([[1, 2]], 3)
    with pytest.raises(ValueError, match=r"`X` must have no missing values"):
        check_matrix([[np.nan]], 1)
