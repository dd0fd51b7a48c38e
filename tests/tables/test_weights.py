"""Weights of rows from weights of classes."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from handful.tables import class_weights

Y = np.array(["b", "a", "b", "c", "b", "c"])


@pytest.mark.parametrize("weight", ["balanced", {"a": 2.0, "c": 0.5}, {}])
def test_equals_scikit_learn(weight):
    classes, codes = np.unique(Y, return_inverse=True)
    expected = compute_sample_weight({"b": 1.0, **weight} if weight != "balanced" else weight, Y)
    if weight == {}:
        expected = np.ones(6)
    np.testing.assert_allclose(class_weights(weight, classes, codes), expected)


def test_none_says_that_all_rows_weigh_the_same():
    assert class_weights(None, np.array([0, 1]), np.array([0, 1, 1])) is None


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        ("even", ValueError, "must be a dict, 'balanced' or None, got 'even'"),
        ([1.0, 2.0], TypeError, "must be a dict, 'balanced' or None"),
        ({"d": 1.0}, ValueError, "must name classes of `y`, got 'd'"),
        ({"a": 0.0}, ValueError, "must hold positive numbers"),
        ({"a": np.inf}, ValueError, "must hold positive numbers"),
    ],
)
def test_what_it_refuses(weight, error, message):
    classes, codes = np.unique(Y, return_inverse=True)
    with pytest.raises(error, match=message):
        class_weights(weight, classes, codes)
