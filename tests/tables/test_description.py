"""Table 1: counts, quartiles, and that nothing hidden can be computed from what is shown."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from handful.tables import Choices, describe_columns, hidden_cells, read_study, table_one
from handful.tables.description import LEAST


def _determined(whole, is_hidden):
    """Hidden cells that linear equations give, by exact elimination: a slow twin."""
    n, m = whole.shape
    places = [(i, j) for i in range(n) for j in range(m) if is_hidden[i, j]]
    rows = []
    for i in range(n):
        rows.append([Fraction((-1 if j == 0 else 1) if k == i else 0) for k, j in places])
    for j in range(m):
        rows.append([Fraction(1 if c == j else 0) for _, c in places])
    reduced, width = [], len(places)
    for column in range(width):
        pivot = next((row for row in rows if row[column] != 0), None)
        if pivot is None:
            continue
        rows = [row for row in rows if row is not pivot]
        pivot = [value / pivot[column] for value in pivot]
        rows = [[a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        reduced = [
            [a - row[column] * b for a, b in zip(row, pivot, strict=True)] for row in reduced
        ]
        reduced.append(pivot)
    alone = {next(k for k, v in enumerate(row) if v) for row in reduced if sum(map(bool, row)) == 1}
    return [places[k] for k in alone]


@pytest.mark.parametrize("seed", range(60))
def test_no_hidden_count_can_be_computed(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 6), rng.integers(2, 4)
    counts = rng.integers(0, 30, shape) * (rng.random(shape) < 0.8) + rng.integers(0, 7, shape)
    counts[:, :] += 8 * (counts.sum(axis=0) < 20)  # a class of few rows has nothing to show
    whole = np.column_stack([counts.sum(axis=1), counts])
    is_hidden = hidden_cells(counts)
    assert is_hidden[(whole < LEAST) & (whole[:, :1] > 0)].all()
    assert _determined(whole, is_hidden) == []
    for j in range(whole.shape[1]):
        gone = whole[is_hidden[:, j], j]
        assert gone.size == 0 or (gone.size > 1 and gone.sum() >= LEAST)
    for i in range(len(whole)):
        gone = whole[i, 1:][is_hidden[i, 1:]]
        assert is_hidden[i, 0] or gone.size == 0 or (gone.size > 1 and gone.sum() >= LEAST)


def test_the_twin_sees_what_subtraction_gives():
    """Only small cells hidden: each of them follows from its row."""
    whole = np.array([[42, 2, 40], [130, 60, 70], [50, 30, 20]])
    assert _determined(whole, whole < LEAST) == [(0, 1)]


def test_large_counts_are_all_shown():
    assert not hidden_cells(np.array([[20, 30], [40, 50], [0, 0]])).any()


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n).astype(float),
            "stage": rng.choice(["i", "ii", "iii"], n, p=[0.5, 0.3, 0.2]),
            "site": rng.choice(["north", "south", "rare"], n, p=[0.55, 0.44, 0.01]),
            "smoker": rng.choice(["yes", "no"], n),
            "grade": rng.integers(1, 4, n),
        }
    )
    frame.loc[rng.choice(n, 30, replace=False), "age"] = np.nan
    frame["outcome"] = np.where(rng.random(n) < 0.4, "ill", "well")
    return frame


@pytest.fixture(scope="module")
def study(table):
    return read_study(table, Choices(target="outcome", ordered=("stage",)))


def test_counts_and_quartiles_are_those_of_the_table(table, study):
    found = table_one(study, list(table.columns))
    assert found["groups"] == ["all", *study.classes]
    assert found["sizes"][0] == len(table)
    parts = [table, *(table[table["outcome"] == word] for word in study.classes)]
    n_checked = 0
    for row in found["rows"]:
        for part, cell in zip(parts, row["cells"], strict=True):
            column = part[row["column"]]
            if cell is None:
                continue
            n_checked += 1
            if row["shows"] == "quartiles":
                wanted = column.quantile([0.25, 0.5, 0.75]).tolist()
                assert cell == pytest.approx(wanted, abs=0.006 * (wanted[2] - wanted[0]))
            elif row["shows"] == "missing":
                assert cell == column.isna().sum()
            else:
                assert cell == (column.astype(str) == row["word"]).sum()
    assert n_checked > 30
    assert {row["column"] for row in found["rows"]} == set(table.columns) - {"outcome"}
    words = [row["word"] for row in found["rows"] if row["column"] == "stage"]
    assert words == ["i", "ii", "iii", ""]  # in their order


def test_rare_words_are_not_named(table, study):
    found = table_one(study, ["site"])
    assert [row["word"] for row in found["rows"]][:2] == ["south", "north"]
    assert "rare" not in str(found)
    other = next(row for row in found["rows"] if row["word"] == "other words")
    assert None in other["cells"][1:]


def test_only_named_columns_are_told(table, study):
    found = table_one(study, ["age"])
    assert {row["column"] for row in found["rows"]} == {"age"}
    described = describe_columns(study, ["age"])
    assert [column["name"] for column in described["columns"]] == ["age"]
    assert (
        described["n_features"]
        == len(study.features)
        == sum(n for role, n in described["roles"].items() if role == "feature")
    )


def test_few_values_have_no_quartiles():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(3), "y": ["a"] * 12 + ["b"] * 48})
    found = table_one(read_study(frame), ["x"])
    assert found["rows"][0]["cells"][1] is None  # twelve rows
    assert found["rows"][0]["cells"][2] is not None


def test_dates_and_pairs_are_summarised():
    n = 80
    days = pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d")
    frame = pd.DataFrame(
        {
            "seen": days,
            "pressure": [f"{110 + i % 40}/{60 + i % 30}" for i in range(n)],
            "y": ["a", "b"] * (n // 2),
        }
    )
    study = read_study(frame, Choices(features=("seen", "pressure")))
    rows = table_one(study, ["seen", "pressure"])["rows"]
    by_name = {(row["column"], row["word"]): row["cells"][0] for row in rows}
    assert by_name["seen", ""] == 0  # the last line of the name: none is missing
    assert next(row for row in rows if row["column"] == "seen")["cells"][0][0].startswith("2020-01")
    assert by_name["pressure", "first number"][1] > by_name["pressure", "second number"][1]
