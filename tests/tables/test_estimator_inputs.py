import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from handful.tables import feature_names, read_table

WORDS = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})


def test_frames_come_back_as_they_are():
    machine = BaseEstimator()
    table, y = read_table(machine, WORDS, [0, 1])
    assert table is WORDS
    assert y.tolist() == [0, 1]
    assert feature_names(machine) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names should match"):
        read_table(machine, WORDS.rename(columns={"b": "c"}))


def test_infinities_are_refused_and_missing_values_are_not():
    machine = BaseEstimator()
    assert np.isnan(read_table(machine, np.array([[np.nan], [1.0]]), [0, 1])[0][0, 0])
    with pytest.raises(ValueError, match="infinity"):
        read_table(machine, np.array([[np.inf], [1.0]]), [0, 1])
    assert feature_names(machine) == ["x0"]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent"):
        read_table(BaseEstimator(), WORDS, [0, 1, 1])
