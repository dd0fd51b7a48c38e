"""Tables are read as documented, and what is wrong in a file is said with its place."""

import gzip

import numpy as np
import pytest

from handful.datasets.dataset import read_csv


@pytest.fixture
def parse(tmp_path):
    def read(text):
        (tmp_path / "toy.csv").write_text(text)
        return read_csv(tmp_path / "toy.csv")

    return read


def test_the_label_is_found_by_name_or_is_the_last_column(parse):
    named = parse("a,label,b\n1,-1,2\n3,1,4")
    assert named.feature_names == ("a", "b")
    assert named.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert named.y.tolist() == [-1, 1]
    assert named.y.dtype == np.int64
    last = parse("a,b,class\n1,2,5\n3,4,6")
    assert last.feature_names == ("a", "b")
    assert last.y.tolist() == [5, 6]


def test_missing_values_are_nan(parse):
    table = parse("a,b,label\n,?,1\nNA, 2.5 ,0\n1e3,nan,0")
    np.testing.assert_array_equal(table.X, [[np.nan, np.nan], [np.nan, 2.5], [1000.0, np.nan]])
    assert table.categories == {}
    empty = parse("a,b,label\n,1,1\n,2,0")
    assert np.isnan(empty.X[:, 0]).all()


def test_columns_of_words_are_alphabetical_ranks(parse):
    table = parse("a,colour,label\n1,red,1\n2,blue,0\n3,?,0\n4,red,1")
    np.testing.assert_array_equal(table.X[:, 1], [1.0, 0.0, np.nan, 1.0])
    assert table.categories == {"colour": ("blue", "red")}


def test_labels_may_be_words_or_whole_numbers_written_as_decimals(parse):
    assert parse("a,label\n1,yes\n2,no").y.tolist() == ["yes", "no"]
    floats = parse("a,label\n1,1.0\n2,2.0").y
    assert floats.tolist() == [1, 2]
    assert floats.dtype == np.int64


def test_quotes_blank_lines_and_byte_order_marks(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text('"a, really",label\n\n1,1\n\n2,-1\n', encoding="utf-8-sig")
    table = read_csv(path)
    assert table.feature_names == ("a, really",)
    assert table.X.tolist() == [[1.0], [2.0]]


def test_compressed_files(tmp_path):
    path = tmp_path / "toy.csv.gz"
    path.write_bytes(gzip.compress(b"a,label\n1,1\n2,-1\n"))
    assert read_csv(path).y.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"toy.csv is not a readable table: it is empty"),
        ("\n\n", r"its first line is empty; the names of the columns belong there"),
        ("a,label", r"toy.csv has a header but no rows"),
        ("label\n1\n2", r"at least one feature and a label.*Separate the columns by commas"),
        ("1,2\n3,4", r"must start with column names, got only numbers \(1, ...\)"),
        ("a,a,label\n1,2,3", r"the column 'a' occurs twice"),
        ("a,b,label\n1,2,1\n1,1", r"line 3 has 2 cells, the header has 3"),
        ("a,label\n1,1\nx,1", r"numbers or words, not both, got 'x' in data row 2"),
        ("a,label\n1,1\ninf,1", r"column 'a' must be finite, got inf in data row 2"),
        ("a,label\n1,1\n2,", r"the label must be known in every row, got none in data row 2"),
        ("a,target\n1,1\n2,0.5", r"labels must be whole numbers or words, got 0.5 in data row 2"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(text, message, parse):
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_broken_bytes(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_bytes(b"a,label\n\x01\xff,1\n")
    with pytest.raises(ValueError, match=r"toy.csv is not a readable table: it is not"):
        read_csv(path)
    path = tmp_path / "toy.csv.gz"
    for content in (b"a,label\n1,1\n", gzip.compress(b"a,label\n1,1\n")[:-9]):
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=r"toy.csv.gz is not a readable table: it is not a whole gzip"
        ):
            read_csv(path)
