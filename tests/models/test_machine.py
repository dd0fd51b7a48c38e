import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handful.models import Vocabulary, as_floats, from_scores, short, steady_product

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@given(NUMBERS, NUMBERS)
def test_short_numbers_separate_what_the_value_separates(a, b):
    low, high = sorted((a, b))
    if low < high:
        cut = short(0.5 * (low + high), low, high)
        assert low < cut <= high


def test_a_row_has_the_same_product_in_any_company(rng):
    X, w = rng.normal(size=(200, 7)), rng.normal(size=(2, 7))
    together = steady_product(X, w)
    alone = np.vstack([steady_product(row[None, :], w) for row in X])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_allclose(together, X @ w.T, rtol=1e-12)


def test_scores_to_positions():
    assert from_scores(np.array([0.0, 1e-9, -1.0])).tolist() == [0, 1, 0]
    assert from_scores(np.array([[0.0, 0.0, 1.0], [2.0, 2.0, 0.0]])).tolist() == [2, 0]


def test_long_sums_are_told_in_full():
    words = Vocabulary(tuple(f"f{j}" for j in range(12)), ("a", "b"))
    text = words.score(np.arange(1.0, 13.0))
    assert text.split() == [f"+{j + 1}·f{j}" for j in range(12)]


def test_frozen_floats():
    assert as_floats(np.eye(2)) == ((1.0, 0.0), (0.0, 1.0))
