"""Raw tables for machines that count all rows: what is read, set aside, said and refused."""

import time

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app
from handful.cli.study_rows import read_rest
from handful.tables import Choices, read_study


def _csv(tmp_path, frame):
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def read(path, **choices):
    return read_rest(path, Choices(**choices))


def test_embedded_data_are_known_beforehand():
    table = read(None)
    assert table.X.shape == (683, 9)
    assert table.study is None
    assert table.classes == ("benign", "malignant")
    assert any("234 rows repeat" in note for note in table.notes)


def test_columns_left_out_of_embedded_data_set_rows_aside():
    table = read(None, exclude=("mitoses",))
    assert table.X.shape == (683 - 68, 8)


@pytest.fixture
def frame(rng):
    age = rng.integers(30, 80, 120).astype(float)
    y = np.where(age + rng.normal(0, 9, 120) > 55, "ill", "well")
    return pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 120), "outcome": y})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".txt"])
def test_a_tenth_of_the_rows_reads_the_columns_and_is_not_used(frame, tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    table = read(path)
    assert list(table.X.columns) == ["age", "sex"]
    assert len(table.X) == len(table.y) == len(table.random_state.digests) == 100
    assert "20 of 120 rows were set aside to read the columns by." in table.notes
    assert len(table.study.pool) == 20


def test_nothing_about_other_rows_changes_how_columns_are_read(frame, tmp_path):
    """Only rows that are set aside have a say, whatever the others hold."""
    table = read(_csv(tmp_path, frame.astype({"age": object})))
    kinds = {column.name: column.kind for column in table.study.columns}
    left = np.setdiff1d(np.arange(len(frame)), table.study.pool)
    spoiled = frame.astype({"age": object})
    # the digest moves with the cells, so that the rows set aside are looked for again
    for word in ("x", "y", "z"):
        spoiled.loc[left, "age"] = word
        again = read(_csv(tmp_path, spoiled))
        numbers = pd.to_numeric(spoiled["age"].iloc[again.study.pool], errors="coerce")
        is_number = numbers.notna().mean() >= 0.9
        found = next(c for c in again.study.columns if c.name == "age")
        assert (found.kind == "number") == is_number
    assert kinds["age"] == "number"


@pytest.mark.parametrize(
    ("content", "target", "message"),
    [
        ("", None, "not a readable table"),
        ("a,b\n", "b", "a header but no rows"),
        ("a,b\n1,2\n", None, "`--target` must name"),
        ("a,label\n1,2\n", "lable", "Did you mean 'label'"),
        ("a,label\n1,2\n", "zzz", "Check the header"),
        ("a,label\n1,2\n3,2\n", None, "one value only"),
        ("label\n1\n2\n", None, "no column is left"),
        ("a,label\n1,\n2,3\n", None, "no label in 1 rows"),
        ("a,label\n" + "".join(f"1,{i}\n" for i in range(30)), None, "30 different values"),
        ("a,label\n1,2,3,4\n1\n", None, "not a readable table"),
    ],
)
def test_unusable_files(content, target, message, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read(path, target=target)


def test_a_class_that_only_rows_set_aside_have_is_an_error(tmp_path, frame):
    for seed in range(40):  # some of these rows falls among those set aside
        rare = frame.copy()
        rare.loc[seed, "outcome"] = "odd"
        path = _csv(tmp_path, rare)
        if seed in read_study(rare, set_aside=True).pool:
            with pytest.raises(ValueError, match=r"class 'odd' has 1 rows, all of which were set"):
                read(path)
            return
    raise AssertionError("none was set aside")


def test_missing_binary_and_unknown_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read(tmp_path / "none.csv")
    (tmp_path / "data.csv").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(ValueError, match="not a readable table"):
        read(tmp_path / "data.csv")
    (tmp_path / "data.xyz").write_text("a,label\n1,2\n")
    with pytest.raises(ValueError, match="must end with one of"):
        read(tmp_path / "data.xyz")


@pytest.mark.parametrize(
    ("labels", "positive", "wanted", "is_said"),
    [
        ("no yes", None, "yes", True),
        ("Yes No", None, "Yes", True),
        ("0 1", None, "1", True),
        ("malignant benign", None, "malignant", True),
        ("b a b", None, "a", False),
        ("b a", "a", "a", True),
        ("a b c", None, None, False),
    ],
)
def test_the_case(labels, positive, wanted, is_said, tmp_path, rng):
    y = (labels.split() * 60)[:60]
    table = read(_csv(tmp_path, pd.DataFrame({"x": rng.normal(size=60), "y": y})),
                 positive=positive)  # fmt: skip
    assert (table.positive, table.is_positive_said) == (wanted, is_said)


def test_the_case_must_exist(tmp_path, rng):
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": list("abc") * 20})
    with pytest.raises(ValueError, match="`--positive` needs two classes"):
        read(_csv(tmp_path, frame), positive="a")
    frame["y"] = list("ab") * 30
    with pytest.raises(ValueError, match="`--positive` must be one of"):
        read(_csv(tmp_path, frame), positive="c")


def test_bad_parquet(tmp_path):
    (tmp_path / "data.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ValueError, match="not a readable table"):
        read(tmp_path / "data.parquet")
    pd.DataFrame({"x": [[1], [2]], "y": [0, 1]}).to_parquet(tmp_path / "data.parquet")
    with pytest.raises(ValueError, match="hold lists"):
        read(tmp_path / "data.parquet")


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
    table = read(_csv(tmp_path, frame))
    left = table.X.assign(label=table.y)
    distinct = left.drop_duplicates()
    n_contradictory = distinct.drop(columns="label").duplicated(keep=False).sum()
    assert any(f"{len(left) - len(distinct)} rows repeat" in note for note in table.notes)
    assert any(f"{n_contradictory} distinct rows occur" in note for note in table.notes)


@pytest.mark.thorough
def test_time_grows_with_the_number_of_columns_not_its_square(tmp_path):
    """Columns without meaning: four times as many take less than twelve times as long."""
    times = []
    for n_columns in (2_000, 8_000):
        path = tmp_path / f"{n_columns}.csv"
        rows = [",".join([f"0.{k}{j % 7}" for j in range(n_columns)]) for k in range(16)]
        names = ",".join(f"c{j}" for j in range(n_columns))
        path.write_text(f"{names},label\n" + "".join(f"{r},{k % 2}\n" for k, r in enumerate(rows)))
        start = time.process_time()
        read(path)
        times.append(time.process_time() - start)
    assert times[1] < 12 * times[0]


def test_one_sheet_from_the_first_look_to_new_labels(rng, tmp_path):
    """``--sheet`` in certify, verify and predict; a wrong one is refused with the sheets."""
    age = rng.integers(30, 80, 120)
    frame = pd.DataFrame({"age": age, "nodes": rng.integers(0, 9, 120)})
    frame["outcome"] = np.where(age + rng.normal(0, 5, 120) > 55, "ill", "well")
    table, out = str(tmp_path / "t.xlsx"), str(tmp_path / "out")
    with pd.ExcelWriter(table) as book:
        pd.DataFrame({"read me": ["first"]}).to_excel(book, sheet_name="About", index=False)
        frame.to_excel(book, sheet_name="Visits", index=False)

    def run(*words):
        return CliRunner().invoke(app, list(words))

    sheet, model = ("--sheet", "Visits"), f"{out}/model.json"
    made = run("certify", table, *sheet, "--candidates", "one rule", "-o", out)
    assert made.exit_code == 0, made.output
    assert run("verify", model, table, *sheet).exit_code == 0
    labels = run("predict", model, table, *sheet, "--quiet")
    assert labels.exit_code == 0
    assert len(labels.stdout.splitlines()) == 121
    for words in (("certify", table), ("verify", model, table), ("predict", model, table)):
        wrong = run(*words, "--sheet", "visits")
        assert wrong.exit_code != 0
        assert "'About', 'Visits'" in wrong.output
    assert "read me" in run("verify", model, table).output
    for more in ((), ("--engine", "dask", "--rules", "stumps")):
        assert "`--sheet` is for Excel" in run("certify", *sheet, *more).output
