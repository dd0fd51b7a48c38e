import numpy as np
import pandas as pd
import pytest

from handful.report.training_rows import MAX_COLUMNS, as_cell, example_roles, read_examples


@pytest.mark.parametrize("name", ["stumps", "half-spaces", "balls", "list", "three", "words"])
def test_rows_are_the_kept_examples(fitted, name):
    machine, X, y = fitted(name)
    found = read_examples(machine, X, np.asarray(y), machine.predict(X))
    assert sorted(row["number"] - 1 for row in found["rows"]) == machine.compression_set_.tolist()
    for row in found["rows"]:
        assert row["label"] == str(np.asarray(y)[row["number"] - 1])
        assert len(row["cells"]) == len(found["columns"])


def test_cells_are_the_values(fitted):
    machine, X, y = fitted("words")
    found = read_examples(machine, X, np.asarray(y), machine.predict(X))
    assert found["columns"] == ["colour", "size"]  # those that the rules use
    assert found["n_hidden_columns"] == 1
    row = found["rows"][0]
    assert row["cells"][0]["text"] == X["colour"].iloc[row["number"] - 1]


def test_polars_gives_the_same_rows(fitted):
    import polars as pl

    machine, X, y = fitted("words")
    args = (np.asarray(y), machine.predict(X))
    frame = pl.from_pandas(X.astype({"colour": "str"}))
    texts = [
        [
            [cell["text"] for cell in row["cells"]]
            for row in read_examples(machine, t, *args)["rows"]
        ]
        for t in (X, frame)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stumps", {"threshold"}),
        ("balls", {"centre", "border"}),
        ("half-spaces", {"a", "b", "threshold"}),
    ],
)
def test_roles_name_the_examples_of_the_rules(fitted, name, words):
    machine, _, _ = fitted(name)
    roles = example_roles(machine)
    assert set(roles) == {int(i) for rule in machine.rules_ for i in rule.examples}
    assert {role.split(" of ")[0] for found in roles.values() for role in found} == words


def test_wide_data_shows_the_features_that_tell(rng):
    from handful import SetCoveringMachine, SupportVectorMachine

    X = rng.normal(size=(80, 40))
    y = X[:, 33] > 0
    machine = SetCoveringMachine(rules="stumps", candidates=None, max_rules=1).fit(X, y)
    found = read_examples(machine, X, y, machine.predict(X))
    assert found["columns"] == ["x33"]
    assert found["n_hidden_columns"] == 39
    other = SupportVectorMachine(gamma=0.01, C=10.0).fit(X, y)
    found = read_examples(other, X, y, other.predict(X))
    assert len(found["columns"]) == MAX_COLUMNS
    assert found["n_hidden_columns"] == 40 - MAX_COLUMNS


@pytest.mark.parametrize(
    ("value", "text", "number"),
    [
        (1.5, "1.5", "1.5"),
        (np.int64(3), "3", "3.0"),
        (np.nan, "–", None),
        (None, "–", None),
        (pd.NA, "–", None),
        (True, "True", None),
        ("<b>", "<b>", None),
        (1e300, "1e+300", "1e+300"),
    ],
    ids=["float", "int", "nan", "none", "na", "bool", "text", "large"],
)
def test_cells(value, text, number):
    assert as_cell(value) == {"text": text, "number": number}
