"""The record of a data set."""

import dataclasses
import pickle

import numpy as np
import pytest

from handful.datasets import Dataset, load_dataset


@pytest.fixture
def small():
    return Dataset(
        name="small",
        X=np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, np.nan]]),
        y=np.array([2, 1, 2]),
        feature_names=("size", "colour"),
        target_names={1: "one", 2: "two"},
        categories={"colour": ("blue", "red")},
    )


def test_counts_and_text(small):
    assert (small.n_samples, small.n_features) == (3, 2)
    assert small.class_counts == {1: 1, 2: 2}
    assert repr(small) == "Dataset('small', 3 × 2, labels {1: 1, 2: 2})"


def test_it_is_frozen_and_can_be_pickled(small):
    with pytest.raises(dataclasses.FrozenInstanceError):
        small.name = "other"
    again = pickle.loads(pickle.dumps(small))
    np.testing.assert_array_equal(again.X, small.X)
    assert again.categories == small.categories


def test_the_frame_restores_words_and_missing_values(small):
    frame = small.frame()
    assert list(frame.columns) == ["size", "colour", "label"]
    assert frame["colour"].tolist()[:2] == ["blue", "red"]
    assert frame["colour"].isna().tolist() == [False, False, True]
    assert frame["size"].isna().tolist() == [False, True, False]
    assert frame["label"].tolist() == [2, 1, 2]


def test_named_data_give_names_to_rules():
    data = load_dataset("haberman")
    X, y = data.named()
    assert list(X.columns) == list(data.feature_names)
    assert (X.to_numpy() == data.X).all()
    assert [data.target_names[label] for label in data.y] == y.tolist()
