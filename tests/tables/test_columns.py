import numpy as np
import pandas as pd
import polars as pl
import pytest

from handful.models import Constant, Fitted
from handful.tables import Column, Columns

FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0, 20.0],
        "colour": ["red", "green", None, "blue"],
        "sex": ["m", "f", "f", "m"],
    }
)
COLUMNS = Columns((Column("age", ""), Column("colour", "words"), Column("sex", "words")))


def test_words_become_questions_and_missing_values_stay_missing():
    columns = COLUMNS.asking(FRAME)
    assert columns.names == (
        "age", "age is missing", "colour = blue", "colour = green", "colour = red",
        "colour is missing", "sex = m",
    )  # fmt: skip
    encoded = columns.encode(FRAME)
    assert np.isnan(encoded[1, 0])
    assert encoded[1, 1] == 1.0
    assert np.isnan(encoded[2, 2:5]).all()
    assert encoded[2, 5] == 1.0
    assert encoded[0].tolist() == [30.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_a_word_never_seen_is_none_of_the_words_but_not_missing():
    columns = COLUMNS.asking(FRAME)
    new = pd.DataFrame({"age": [1.0], "colour": ["mauve"], "sex": ["x"]})
    assert columns.encode(new)[0].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_only_the_given_rows_say_what_is_asked():
    columns = COLUMNS.asking(FRAME.iloc[[0, 3]])
    assert columns.names == ("age", "colour = red", "sex = m")
    assert columns.encode(FRAME).shape == (4, 3)


def test_pandas_polars_and_objects_agree():
    columns = COLUMNS.asking(FRAME)
    expected = columns.encode(FRAME)
    np.testing.assert_array_equal(columns.encode(pl.from_pandas(FRAME)), expected)
    np.testing.assert_array_equal(columns.encode(FRAME.to_numpy(dtype=object)), expected)


def test_documents():
    columns = COLUMNS.asking(FRAME)
    fitted = Fitted("constant", columns, ("well", "ill"), Constant(0))
    assert Fitted.from_document(fitted.to_document()).columns == columns


def test_sources_lead_back_to_columns():
    columns = Columns(
        (Column("age", has_missing=True), Column("sex", "words", words=("f", "m", "x")))
    )
    assert columns.sources == (0, 0, 1, 1, 1)


def test_words_where_numbers_were():
    columns = Columns.of_numbers(["age"])
    with pytest.raises(ValueError, match="Column 'age' must hold numbers"):
        columns.encode(np.array([["old"]], dtype=object))


def test_numbers_that_are_written_as_texts_are_numbers():
    column = Column("a", "")
    found = column.read([" 3", "true", "False", None, 2])
    np.testing.assert_array_equal(found, [3.0, 1.0, 0.0, np.nan, 2.0])
    with pytest.raises(ValueError, match=r"'a' must hold numbers.*'many'"):
        column.read(["1", "many"])
