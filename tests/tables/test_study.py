"""Damaged and ordinary tables: what every column is taken for, and what is said about it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from handful.tables import Choices, Columns, read_study

N = 100
RNG = np.random.default_rng(7)
AGE = RNG.integers(20, 80, N).astype(float)
Y = np.where(AGE + RNG.normal(0, 12, N) > 50, "ill", "well")


def study(cells, *, name="column", y=Y, **choices):
    """The study of a table with one more column than age and outcome."""
    return read_study(pd.DataFrame({name: cells, "age": AGE, "outcome": y}), Choices(**choices))


def encoding(ready):
    return Columns(ready.features).asking(ready.X.iloc[ready.pool])


def column(cells, *, name="column", **choices):
    return study(cells, name=name, **choices).columns[0]


def _some(values, *words, every=9):
    """Values with every ninth replaced by words in turn."""
    out = list(values)
    for k, i in enumerate(range(0, len(out), every)):
        out[i] = words[k % len(words)]
    return out


WHOLE = RNG.integers(0, 50, N)
REAL = np.round(RNG.gamma(2.0, 3.0, N), 2) + 0.5
MATRIX = {
    "numbers": (REAL, "number", "feature", None),
    "whole numbers": (WHOLE, "number", "feature", None),
    "numbers as text": ([str(v) for v in REAL], "number", "feature", None),
    "decimal comma": ([str(v).replace(".", ",") for v in REAL], "number", "feature", "decimal"),
    "thousands": ([f"{1000 + 37 * v:,}" for v in WHOLE], "number", "feature", "thousands comma"),
    "limit of detection": (_some(map(str, REAL), "<0.5"), "number", "feature", "their limit"),
    "odd words": (_some(map(str, REAL), "hemolyzed", every=20), "number", "feature", "missing"),
    "percent": ([f"{v} %" for v in REAL], "number", "feature", "'12 %' is read as 12"),
    "words": (RNG.choice(["red", "green", "blue"], N), "category", "feature", None),
    "capitals": (RNG.choice(["red", "Red ", "blue"], N), "category", "feature", "one word"),
    "yes and no": (RNG.choice(["Yes", "no"], N), "yes/no", "feature", None),
    "true and false": (RNG.choice([True, False], N), "yes/no", "feature", None),
    "roman stages": (RNG.choice(["I", "II", "III", "IV"], N), "ordered", "feature", "I < II"),
    "ranges": (RNG.choice(["40-49", "50-59", "60+"], N), "ordered", "feature", "40-49 < 50-59"),
    "severity": (RNG.choice(["mild", "severe", "moderate"], N), "ordered", "feature", "mild < m"),
    "iso dates": (
        pd.Series(pd.date_range("2020-01-01", periods=N)).sample(frac=1, random_state=0).to_numpy(),
        "date",
        "ignored",
        "dates are left out",
    ),
    "german dates": (
        [f"{d:02d}.{m:02d}.2021" for d, m in zip(WHOLE % 28 + 1, WHOLE % 12 + 1, strict=True)],
        "date",
        "ignored",
        "dates are left out",
    ),
    "empty": ([None] * N, "empty", "ignored", "it is empty"),
    "only marks": (["NA", "."] * (N // 2), "empty", "ignored", "it is empty"),
    "constant": (["x"] * N, "constant", "ignored", "throughout"),
    "constant number": ([3.0] * N, "constant", "ignored", "throughout"),
    "unique words": ([f"p{i * 7919 % 1000:03d}" for i in range(N)], None, "id", "identifier"),
    "row numbers": (np.arange(500, 500 + N), "number", "id", "counts the rows"),
    "row numbers downwards": (np.arange(900, 900 - N, -1), "number", "id", "counts the rows"),
    "free text": (
        _some([" ".join(RNG.choice(list("abcdefgh"), 5)) for _ in range(N)], "see chart", every=3),
        "text",
        "ignored",
        "its own words",
    ),
    "target again": (np.where(Y == "ill", 2, 5), "number", "ignored", "target again"),
    "sentinel": (_some(REAL, -999.0), "number", "feature", "--missing column=-999"),
    "minus one": (_some(REAL, -1.0), "number", "feature", "--missing column=-1"),
    "no sentinel among negatives": (_some(REAL - 10.0, -1.0), "number", "feature", None),
}


@pytest.mark.parametrize("case", sorted(MATRIX))
def test_every_kind_of_column(case):
    cells, kind, role, note = MATRIX[case]
    found = column(cells)
    assert kind is None or found.kind == kind
    assert role is None or found.role == role
    said = " ".join(found.notes)
    assert (said == "") if note is None else (note in said)


@pytest.mark.parametrize(
    ("name", "cells", "kind", "role", "note"),
    [
        ("site", RNG.integers(1, 4, N), "category", "feature", "read as codes"),
        ("patient_id", RNG.permutation(np.arange(N)) * 3 + 1, "number", "id", "identifier"),
        ("patient", np.repeat(np.arange(N // 5), 5), "number", "id", "--groups patient"),
        ("survival_days", RNG.integers(1, 900, N), "number", "feature", "--exclude survival_days"),
        ("weight", RNG.normal(70, 9, N), "number", "feature", "--weights weight"),
        ("weight_kg", RNG.normal(70, 9, N), "number", "feature", None),
        ("grade", RNG.integers(1, 4, N), "number", "feature", None),
    ],
)
def test_names_say_what_columns_are_for(name, cells, kind, role, note):
    found = column(cells, name=name)
    assert (found.kind, found.role) == (kind, role)
    said = " ".join(found.notes)
    assert (said == "") if note is None else (note in said)


def test_a_column_that_predicts_alone_is_named():
    found = column(np.where(Y == "ill", 10.0, 0.0) + RNG.random(N))
    assert found.role == "feature"
    assert "it alone gives the target in 100 % of the pool" in " ".join(found.notes)


def test_the_user_has_the_last_word():
    cells = np.arange(N) + 0
    assert column(cells, features=("column",)).role == "feature"
    assert column(cells, exclude=("column",)).role == "ignored"
    assert column(WHOLE % 3, categories=("column",)).levels == ("0", "1", "2")
    assert column(WHOLE, id=("column",)).role == "id"
    ready = study(np.repeat(np.arange(20), 5), groups="column")
    assert ready.columns[0].role == "group"
    assert len(set(ready.groups.tolist())) == 20
    ready = study(REAL, weights="column")
    assert ready.weights.tolist() == REAL.tolist()
    with pytest.raises(ValueError, match="`--weights` must name a column of numbers"):
        study(_some(REAL, -2.0), weights="column")
    with pytest.raises(ValueError, match=r"`--exclude` must be a column .* Did you mean 'column'"):
        study(REAL, exclude=("colum",))


def test_marks_of_the_user_are_missing():
    ready = study(_some(REAL, -999.0), missing={"column": ("-999",)})
    columns = encoding(ready)
    matrix = columns.encode(ready.X)
    assert columns.names[:2] == ("column", "column is missing")
    assert matrix[:, 1].sum() == 12
    assert np.nanmin(matrix[:, 0]) > 0


def test_dates_become_days_where_they_are_asked_for():
    days = pd.Series(pd.date_range("2020-01-01", periods=N))
    ready = study(days, features=("column", "age"))
    columns = encoding(ready)
    values = columns.encode(ready.X)[:, columns.names.index("column (days since 1970)")]
    assert (np.diff(values) == 1.0).all()


@pytest.mark.parametrize("layout", ["csv", "parquet", "polars", "arrow"])
def test_the_same_table_by_every_road(layout, tmp_path):
    frame = pd.DataFrame(
        {
            "age": _some(AGE, None),
            "colour": _some(RNG.choice(["red", "green"], N), None),
            "smoker": RNG.choice([True, False], N),
            "outcome": Y,
        }
    )
    if layout == "csv":
        frame.to_csv(tmp_path / "t.csv", index=False)
        other = pd.read_csv(tmp_path / "t.csv")
    elif layout == "parquet":
        frame.to_parquet(tmp_path / "t.parquet")
        other = pd.read_parquet(tmp_path / "t.parquet")
    elif layout == "polars":
        other = pytest.importorskip("polars").from_pandas(frame)
    else:
        other = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    here, there = read_study(frame), read_study(other)
    assert here.columns == there.columns
    assert (here.pool == there.pool).all()
    np.testing.assert_array_equal(encoding(here).encode(here.X), encoding(there).encode(there.X))


def test_rows_in_another_order_give_the_same_pool_and_columns():
    frame = pd.DataFrame({"age": AGE, "score": REAL, "outcome": Y})
    turned = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    here, there = read_study(frame), read_study(turned)
    assert here.columns == there.columns
    assert (
        here.X.iloc[here.pool]
        .reset_index(drop=True)
        .equals(there.X.iloc[there.pool].reset_index(drop=True))
    )


def test_cells_outside_the_pool_do_not_decide():
    frame = pd.DataFrame({"x": [str(v) for v in REAL], "outcome": Y})
    ready = read_study(frame)
    outside = sorted(set(range(N)) - set(ready.pool.tolist()))
    frame.loc[outside[0], "x"] = "a word"
    changed = read_study(frame)
    pool_rows = set(changed.pool.tolist())
    if outside[0] not in pool_rows:  # another table has another pool
        assert changed.columns[0].kind == "number"
        assert "1 words such as 'a word'" in " ".join(changed.columns[0].notes)  # only said


LABELS = {
    "case and control": (["case", "control"], "case"),
    "abnormal and normal": (["abnormal", "normal"], "abnormal"),
    "zero and one": ([0, 1], "1"),
    "yes and no": (["no", "yes"], "yes"),
    "dead and alive": (["alive", "Dead"], "Dead"),
    "one known word": (["benign", "zz"], "zz"),
}


@pytest.mark.parametrize("case", sorted(LABELS))
def test_the_case_is_known_by_its_meaning(case):
    words, positive = LABELS[case]
    assert (
        study(REAL, y=np.array([words[i % 2] for i in range(N)], dtype=object)).positive == positive
    )


def test_without_a_meaning_the_rarer_class_is_the_case_and_it_is_said():
    y = np.array(["a"] * 70 + ["b"] * 30, dtype=object)
    ready = study(REAL, y=y)
    assert ready.positive == "b"
    assert any("the rarer one; choose with --positive" in note for note in ready.notes)


def test_spellings_of_a_label_are_one_class():
    y = np.array(_some(_some(Y, "Ill", every=11), "well ", every=13), dtype=object)
    ready = study(REAL, y=y)
    assert set(ready.y.tolist()) == {"ill", "well"}
    assert any("are one class" in note for note in ready.notes)


def test_missing_labels_are_named_and_can_be_left_out():
    y = np.array(_some(Y, None, every=30), dtype=object)
    with pytest.raises(ValueError, match=r"no label in 4 rows \(1, 31, 61, 91\).*--drop-missing"):
        study(REAL, y=y)
    ready = study(REAL, y=y, drop_missing_target=True)
    assert len(ready.y) == len(ready.X) == 96


def test_numbers_are_not_classes_unless_the_user_says_so():
    with pytest.raises(ValueError, match="different values, more than 10"):
        study(REAL, y=WHOLE)
    assert study(REAL, y=WHOLE, categories=("outcome",)).positive is None


def test_few_rows_and_many_columns_are_said():
    frame = pd.DataFrame(RNG.normal(size=(12, 30)), columns=[f"x{j}" for j in range(30)])
    frame["outcome"] = ["a"] * 9 + ["b"] * 3
    said = " ".join(read_study(frame).notes)
    assert "12 rows are very few" in said
    assert "'b' has 3 rows" in said
    assert "30 columns for 12 rows" in said


def test_nothing_left_to_predict_from():
    with pytest.raises(ValueError, match="no column is left to predict from"):
        read_study(pd.DataFrame({"x": [1.0] * 30, "outcome": ["a", "b"] * 15}))


def test_remarks_with_numbers_are_no_scale():
    """A dozen words in the pool that never repeat, each with a number in it."""
    few = [f"remark {i} of ward {i % 3}" if i % 3 == 0 else None for i in range(N)]
    column = study(few).columns[0]
    assert column.kind == "text"
    assert "remark" not in " ".join(column.notes)
