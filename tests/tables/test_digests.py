"""Digests of rows and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from handful.tables import Choices, read_study, row_digests, table_digest, word_of


def test_one_normal_form_of_a_category():
    assert {word_of(v) for v in (7, 7.0, np.int8(7), np.float32(7), "7", " 7 ")} == {"7"}
    assert word_of(0.5) == "0.5"
    assert word_of(True) == word_of(np.bool_(True)) == "True"


def test_numbers_count_by_value():
    a = row_digests(np.array([[0.0, np.nan]]))
    b = row_digests(np.array([[-0.0, -np.nan]]))
    assert (a == b).all()
    assert (row_digests(np.array([[1]])) == row_digests(np.array([[1.0]]))).all()
    assert (row_digests(np.array([[1.0]])) != row_digests(np.array([[1.0 + 2**-52]]))).any()


def test_every_cell_and_the_label_count():
    X = np.arange(12.0).reshape(4, 3)
    digests = row_digests(X, [0, 1, 0, 1])
    for i in range(4):
        for j in range(3):
            changed = X.copy()
            changed[i, j] += 0.5
            differs = (row_digests(changed, [0, 1, 0, 1]) != digests).any(axis=1)
            assert differs.tolist() == [k == i for k in range(4)]
    assert (row_digests(X, [1, 1, 0, 1]) != digests).any(axis=1).tolist() == [True] + [False] * 3


def test_frames_are_read_by_column_name_and_as_words():
    frame = pd.DataFrame({"b": ["x", None, "y"], "a": [1.0, 2.0, np.nan]})
    assert (row_digests(frame) == row_digests(frame[["a", "b"]])).all()
    polars = pytest.importorskip("polars")
    assert (row_digests(frame) == row_digests(polars.from_pandas(frame))).all()


def test_the_table_digest_sees_rows_and_not_their_order(rng):
    X = rng.integers(0, 2, (30, 2)).astype(float)
    digests = row_digests(X)
    assert table_digest(digests) == table_digest(digests[rng.permutation(30)])
    assert table_digest(digests) != table_digest(digests[:-1])
    assert table_digest(digests) != table_digest(np.vstack([digests, digests[:1]]))


def test_no_column_is_an_error():
    with pytest.raises(ValueError, match="`X` must have at least one column"):
        row_digests(np.empty((3, 0)))


def test_labels_that_are_equal_in_python_are_told_apart_by_kind():
    """True equals 1 and 1.0: by value alone the second would get the word of the first."""
    X = np.zeros((5, 1))
    mixed = row_digests(X, np.array([True, 1, 1.0, "1", False], dtype=object))
    assert (mixed[0] != mixed[1]).any()
    assert (mixed[1] == mixed[2]).all()
    assert (mixed[2] == mixed[3]).all()


def test_words_that_cannot_be_looked_up():
    X = np.zeros((2, 1))
    labels = np.empty(2, dtype=object)
    labels[0], labels[1] = [1, 2], "[1, 2]"
    first, second = row_digests(X, labels)
    assert (first == second).all()


def test_labels_count_by_value_in_text_and_in_typed_tables():
    X = np.zeros((2, 1))
    for written, typed in ((["1.50", "2"], [1.5, 2.0]), (["TRUE", "false"], [True, False])):
        assert (row_digests(X, written) == row_digests(X, typed)).all()
    assert (row_digests(X, ["007", "b"]) != row_digests(X, [7, "b"])).any()


def test_the_place_and_the_name_of_the_target_are_in_no_digest(rng):
    X = pd.DataFrame(rng.normal(size=(60, 3)).round(2), columns=["a", "m", "z"])
    y = np.where(X["a"] + rng.normal(0.0, 0.5, 60) > 0, "ill", "well")
    wanted = table_digest(row_digests(X, y))
    for place, name in ((0, "b"), (1, "outcome"), (3, "A")):
        frame = X.copy()
        frame.insert(place, name, y)
        study = read_study(frame, Choices(target=name))
        assert table_digest(study.digests.digests) == wanted
