import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.programs import trivial_solution_test
from tests.oracles.programs import published_mcm


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.05, 0.3, 1.0, 10.0]))
def test_decides_as_the_program_does(seed, C):
    """w = 0 is optimal exactly where its objective, 1 + 2 C m_min, is the optimum."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(6, 25))
    X = rng.normal(size=(m, 2))
    y = np.where(X[:, 0] + 1.5 * rng.normal(size=m) > 0.7, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    value = published_mcm(X, y, C)[0]
    constant = 1.0 + 2.0 * C * min(np.sum(y > 0), np.sum(y < 0))
    test = trivial_solution_test(X, y, C)
    assert test.is_optimal == (value > constant - 1e-7)
    assert test.is_optimal == (test.critical_c >= C * (1 - 1e-9))


def test_separable_classes_and_overlapping_ones():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert trivial_solution_test(X, [0, 0, 1, 1]).critical_c < np.inf
    X = np.array([[0.0], [4.0], [1.0], [2.0], [3.0]])
    assert trivial_solution_test(X, list("aabaa")).critical_c == np.inf


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([[0.0], [1.0]], [0, 0]), "`y` must have two classes, got 1"),
        (([[0.0], [1.0]], [0, 1, 1]), "`X` and `y` must match"),
        (([[0.0], [1.0]], [0, 1], -1.0), "`C` must be positive, got -1.0"),
    ],
)
def test_bad_input(args, message):
    with pytest.raises(ValueError, match=message):
        trivial_solution_test(*args)
