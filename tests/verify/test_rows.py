"""Data as the auditor reads them."""

import json

import numpy as np
import pandas as pd
import pytest

from handful.verify import verify_model
from handful.verify._audit import Audit
from handful.verify._rows import check_categories, read_rows
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


@pytest.mark.parametrize(
    "known", [["red"], ["red", "green", "blue"], ["blue", "green", "red", "x"]]
)
def test_words_are_those_of_the_data(known):
    X = pd.DataFrame({"colour": ["red", "green", None, "blue"], "size": [1.0, 2.0, 3.0, 4.0]})
    document = {"n_features": 2, "feature_names": ["colour", "size"]}
    audit = Audit()
    check_categories(audit, {**document, "categories": [["blue", "green", "red"], None]}, X)
    assert audit.verdict().is_valid
    check_categories(audit, {**document, "categories": [known, None]}, X)
    assert "categories of column 1" in " ".join(audit.verdict().differences)


def test_words_left_out_are_refused(tmp_path):
    """One class's words listed, the others "unknown": a file that looked excellent."""
    document = json.loads(case("words").text)
    document["categories"][0] = ["red"]
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    verdict = verify_model(path, case("words").X, case("words").y)
    assert "categories of column 1" in " ".join(verdict.differences)
