import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from handful.tables import feature_names, given_rows, new_table

WORDS = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})


def test_frames_stay_as_they_are():
    machine = BaseEstimator()
    given = given_rows(machine, WORDS, pd.Series([0, 1], name="outcome"))
    assert given.X is WORDS
    assert given.y.tolist() == [0, 1]
    assert given.name == "outcome"
    assert feature_names(machine) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        new_table(machine, WORDS.rename(columns={"b": "c"}), ["a", "b"])
    with pytest.warns(UserWarning, match="valid feature names"):
        same = new_table(machine, WORDS.to_numpy(), ["a", "b"])
    assert same.to_dict() == WORDS.to_dict()


def test_a_column_and_the_target_have_different_names():
    assert given_rows(BaseEstimator(), WORDS, pd.Series([0, 1], name="a")).name == "y"


def test_infinities_are_refused_and_missing_values_are_not():
    machine = BaseEstimator()
    assert np.isnan(given_rows(machine, np.array([[np.nan], [1.0]]), [0, 1]).X[0, 0])
    with pytest.raises(ValueError, match="infinity"):
        given_rows(machine, np.array([[np.inf], [1.0]]), [0, 1])
    with pytest.raises(ValueError, match="infinity"):
        new_table(machine, np.array([[np.inf]]), None)
    assert feature_names(machine) == ["x0"]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent"):
        given_rows(BaseEstimator(), WORDS, [0, 1, 1])
