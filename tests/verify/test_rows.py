"""Data as the auditor reads them."""

import json

import numpy as np
import pandas as pd
import pytest

from handful.verify import verify_model
from handful.verify._rows import read_rows, words_of
from tests.verify.cases import case, reseal

DOCUMENT = {"n_features": 2, "feature_names": ["c", "n"], "categories": [["a", "b"], None]}


def test_words_numbers_and_missing_values():
    frame = pd.DataFrame({"n": [1, 2, None], "c": ["b", None, "z"], "more": [0, 0, 0]})
    rows = read_rows(DOCUMENT, frame)
    assert np.array_equal(rows, [[1, 1], [np.nan, 2], [-1, np.nan]], equal_nan=True)


def test_columns_must_exist_once():
    with pytest.raises(ValueError, match="0 columns named 'c'"):
        read_rows(DOCUMENT, pd.DataFrame({"n": [1]}))
    with pytest.raises(ValueError, match="one a feature"):
        read_rows({**DOCUMENT, "categories": [None]}, pd.DataFrame({"n": [1]}))


def test_words_are_those_of_the_data():
    X = pd.DataFrame({"colour": ["red", "green", None, "blue", "red "], "n": [3.0, 2, 3, 1, 1]})
    assert words_of(X, 0, "colour") == ["blue", "green", "red"]
    assert words_of(X, 1, None) == ["1", "2", "3"]


def test_words_that_the_data_do_not_have_are_refused(tmp_path):
    document = json.loads(case("words").text)
    column = next(c for c in document["fitted"]["columns"]["columns"] if c["words"])
    column["words"] = ["purple" for _ in column["words"]]
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    verdict = verify_model(path, case("words").X, case("words").y)
    assert "the word 'purple'" in " ".join(verdict.differences)
