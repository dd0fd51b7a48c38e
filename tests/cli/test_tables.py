"""Reading tables: every unusable file gets an error that says what to do."""

import numpy as np
import pandas as pd
import pytest

from handful.cli._tables import read_table


def test_embedded_data():
    table = read_table(None, None)
    assert table.X.shape == (683, 9)
    assert sorted(set(table.y)) == ["benign", "malignant"]
    assert any("234 rows repeat" in note for note in table.notes)


@pytest.fixture
def frame():
    return pd.DataFrame({"age": [1.0, 2.0, 1.0, np.nan], "sex": list("fmfm"), "y": list("abba")})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".txt"])
def test_formats_and_notes(frame, tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    table = read_table(path, None)
    assert list(table.X.columns) == ["age", "sex"]
    assert list(table.y) == list("abba")
    assert any("1 rows have missing" in note for note in table.notes)
    assert any("2 distinct rows occur with more than one label" in note for note in table.notes)


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("", None, "not a readable table"),
        ("a,b\n", "b", "a header but no rows"),
        ("a,b\n1,2\n", None, "`--target` must name"),
        ("a,label\n1,2\n", "lable", "Did you mean 'label'"),
        ("a,label\n1,2\n", "zzz", "Check the header"),
        ("a,label\n1,2\n3,2\n", None, "one value only"),
        ("label\n1\n2\n", None, "no column besides"),
        ("a,label\n1,\n2,3\n", None, "1 missing values"),
        ("a,label\n" + "".join(f"1,{i}\n" for i in range(30)), None, "30 different values"),
        ("a,label\n1,2,3,4\n1\n", None, "not a readable table"),
    ],
)
def test_unusable_files(content, target, message, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_table(path, target)


def test_missing_binary_and_unknown_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_table(tmp_path / "none.csv", None)
    (tmp_path / "data.csv").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(ValueError, match="not a readable table"):
        read_table(tmp_path / "data.csv", None)
    (tmp_path / "data.xyz").write_text("a,label\n1,2\n")
    with pytest.raises(ValueError, match="must end with one of"):
        read_table(tmp_path / "data.xyz", None)
