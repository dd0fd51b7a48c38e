"""Reading tables: every unusable file gets an error that says what to do."""

import time

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


def _csv(tmp_path, frame):
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


@pytest.mark.parametrize(
    ("labels", "positive", "wanted", "is_known"),
    [
        ("no yes", None, "yes", True),
        ("Yes No", None, "Yes", True),
        ("0 1", None, 1, True),
        ("malignant benign", None, "malignant", True),
        ("b a", None, "b", False),
        ("b a", "a", "a", True),
        ("a b c", None, None, False),
    ],
)
def test_positive_class(labels, positive, wanted, is_known, tmp_path):
    frame = pd.DataFrame({"x": range(6), "y": (labels.split() * 3)[:6]})
    table = read_table(_csv(tmp_path, frame), None, positive)
    assert (table.positive, table.is_positive_known) == (wanted, is_known)


def test_positive_class_must_exist(tmp_path):
    path = _csv(tmp_path, pd.DataFrame({"x": range(4), "y": list("abab")}))
    with pytest.raises(ValueError, match="`--positive` must be one of"):
        read_table(path, None, "c")
    path = _csv(tmp_path, pd.DataFrame({"x": range(3), "y": list("abc")}))
    with pytest.raises(ValueError, match="`--positive` needs two classes"):
        read_table(path, None, "a")


def test_row_numbers_question_marks_and_strange_words(tmp_path):
    frame = pd.DataFrame({"x": [f"{i}" for i in range(40)], "id": [f"i{i}" for i in range(40)]})
    frame.loc[3, "x"], frame.loc[5, "x"] = "?", "seven"
    frame["y"] = ["a", "b"] * 20
    frame.to_csv(tmp_path / "data.csv", index=True)
    table = read_table(tmp_path / "data.csv", None)
    text = " ".join(table.notes)
    assert list(table.X.columns) == ["x", "id"]
    assert table.X["x"].isna().sum() == 1
    for words in (
        "row numbers was left out",
        "2 columns hold words",
        "holds 1 words; it is read as words",
    ):
        assert words in text
    assert "id has a different word in nearly every row" in text


def test_infinity_is_refused(tmp_path):
    path = _csv(tmp_path, pd.DataFrame({"x": [1.0, np.inf], "y": list("ab")}))
    with pytest.raises(ValueError, match="'x' holds infinity"):
        read_table(path, None)


def test_bad_parquet(tmp_path):
    (tmp_path / "data.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ValueError, match="not a readable table"):
        read_table(tmp_path / "data.parquet", None)
    pd.DataFrame({"x": [[1], [2]], "y": [0, 1]}).to_parquet(tmp_path / "data.parquet")
    with pytest.raises(ValueError, match="hold lists"):
        read_table(tmp_path / "data.parquet", None)


def test_repeated_and_contradictory_rows_are_those_of_a_data_frame(tmp_path, rng):
    """The quick keys of rows count as pandas does."""
    frame = pd.DataFrame(
        {
            "n": rng.integers(0, 3, size=300),
            "f": rng.choice([0.0, -0.0, 1.5, np.nan], size=300),
            "w": rng.choice(["u", "v", None], size=300),
            "label": rng.choice(["a", "b"], size=300),
        }
    )
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    notes = read_table(path, None).notes
    distinct = frame.drop_duplicates()
    n_contradictory = distinct.drop(columns="label").duplicated(keep=False).sum()
    assert any(f"{len(frame) - len(distinct)} rows repeat" in note for note in notes)
    assert any(f"{n_contradictory} distinct rows occur" in note for note in notes)


def test_time_grows_with_the_number_of_columns_not_its_square(tmp_path):
    """Columns without meaning: four times as many take less than twelve times as long."""
    times = []
    for n_columns in (5_000, 20_000):
        path = tmp_path / f"{n_columns}.csv"
        row = ",".join(["0.5"] * n_columns)
        names = ",".join(f"c{j}" for j in range(n_columns))
        path.write_text(f"{names},label\n" + "".join(f"{row},{k % 2}\n" for k in range(6)))
        start = time.process_time()
        read_table(path, None)
        times.append(time.process_time() - start)
    assert times[1] < 12 * times[0]
