"""Frames, categories, missing values and weights."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from handful.covering.cover_settings import steering_weights
from handful.tables import typed_columns


def levels(columns):
    return tuple(column.levels for column in columns.columns)


def test_numbers_need_no_columns():
    assert typed_columns(np.zeros((3, 2))) is None
    assert typed_columns([[1.0], [2.0]]) is None
    frame = pd.DataFrame({"a": [1, 2], "b": [True, False], "c": [1.5, None]})
    assert typed_columns(frame) is None
    assert typed_columns(pl.DataFrame({"a": [1, None], "b": [True, False]})) is None
    objects = pd.DataFrame({"a": pd.Series([1, 2.5, None], dtype=object)})
    assert typed_columns(objects) is None


@pytest.mark.parametrize("module", [pd, pl])
def test_words_are_categories(module):
    frame = module.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["red", None, "blue"]})
    columns = typed_columns(frame)
    assert levels(columns) == ((), ("blue", "red"))
    assert columns.is_categorical.tolist() == [False, True]
    np.testing.assert_array_equal(columns.encode(frame), [[1.0, 1.0], [2.0, math.nan], [3.0, 0.0]])


def test_categories_of_numbers_are_categories():
    frame = pd.DataFrame({"code": pd.Categorical([3, 1, 3])})
    assert levels(typed_columns(frame)) == (("1", "3"),)
    enum = pl.DataFrame({"code": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert levels(typed_columns(enum)) == (("a", "b"),)


def test_an_unknown_category_is_not_missing():
    columns = typed_columns(pd.DataFrame({"colour": ["red", "blue"]}))
    new = pd.DataFrame({"colour": ["red", "green", None]})
    codes = columns.encode(new)[:, 0]
    assert codes[:2].tolist() == [1.0, -1.0]  # no category has this code
    assert math.isnan(codes[2])


def test_pandas_markers_of_missing_values():
    frame = pd.DataFrame(
        {
            "n": pd.Series([1, pd.NA, 3], dtype="Int64"),
            "word": pd.Series(["a", pd.NA, "b"], dtype="string"),
        }
    )
    columns = typed_columns(frame)
    assert levels(columns) == ((), ("a", "b"))
    np.testing.assert_array_equal(
        columns.encode(frame), [[1.0, 0.0], [math.nan, math.nan], [3.0, 1.0]]
    )


def test_mixed_columns_are_refused():
    frame = pd.DataFrame({"x": pd.Series([1, "two", 3], dtype=object)})
    with pytest.raises(ValueError, match="Column 'x' mixes numbers and words"):
        typed_columns(frame)


def test_weights_are_relative():
    assert steering_weights([0, 1.5, 4.5], 3, 100).tolist() == [0, 75, 225]
    assert steering_weights(2, 3, 100).tolist() == [100, 100, 100]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([1, 2, math.inf], "Input sample_weight contains infinity"),
        ([1, 2, -1], "Negative values in data passed to `sample_weight`"),
        ([1, 2, math.nan], "Input sample_weight contains NaN"),
        ([0, 0, 0], "Sample weights must contain at least one non-zero number"),
    ],
)
def test_other_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        steering_weights(weight, 3, 10)
