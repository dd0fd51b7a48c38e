"""Data as the auditor reads them."""

import json

import numpy as np
import pandas as pd

from handful.verify import verify_model
from handful.verify.audit import Audit
from handful.verify.redraw import name_digest
from handful.verify.sheets import are_offered, offered_places, wide_rows, words_of
from tests.verify.cases import case, reseal


def test_words_numbers_and_missing_values():
    frame = pd.DataFrame({"n": [1, 2, None], "c": ["b", None, "z"], "more": [0, 0, 0]})
    rows = wide_rows(frame, [1, 0], [["a", "b"], None])
    assert np.array_equal(rows, [[1, 1], [np.nan, 2], [-1, np.nan]], equal_nan=True)


def _offered(names, X, n):
    audit, digests = Audit(), names if names is None else [name_digest(name) for name in names]
    document = {"data": {"n_features": n, "features": digests}}
    are_offered(audit, document, X)
    return offered_places(document, X), " ".join(audit.verdict().differences)


def test_columns_must_exist_once():
    frame = pd.DataFrame([[1, 2, 3]], columns=["n", "c", "c"])
    assert _offered(["n"], frame, 1)[0] == [0]
    assert "not all in the data" in _offered(["c", "n"], frame, 2)[1]
    assert "not all in the data" in _offered(["n"], frame, 2)[1]
    assert _offered(None, np.zeros((2, 2)), 2)[0] == [0, 1]
    assert "the data have 2" in _offered(None, np.zeros((2, 2)), 1)[1]


def test_words_are_those_of_the_data():
    X = pd.DataFrame({"colour": ["red", "green", None, "blue", "red "], "n": [3.0, 2, 3, 1, 1]})
    assert words_of(X["colour"]) == ["blue", "green", "red"]
    assert words_of(X["n"]) == ["1", "2", "3"]


def test_words_that_the_data_do_not_have_are_refused(tmp_path):
    document = json.loads(case("words").text)
    column = next(c for c in document["fitted"]["columns"]["columns"] if c["words"])
    column["words"] = ["purple" for _ in column["words"]]
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    verdict = verify_model(path, case("words").X, case("words").y)
    assert "the word 'purple'" in " ".join(verdict.differences)
