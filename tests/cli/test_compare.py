"""The comparison through the real application."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app
from handful.cli.compare_command import draw, known_columns
from handful.cli.contest import Contest, make_rival
from handful.cli.rivals import RIVALS
from handful.tables import Choices, GivenRows, read_rows, read_study
from tests.messy import TABLES

runner = CliRunner()
WORDS = ["compare", "--machines", "stumps,one-norm-svm,tree", "--quick"]


def test_table_files_and_picture(tmp_path):
    result = runner.invoke(app, [*WORDS, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    for word in ("stumps", "tree", "made", "held", "hold-out", "standard error"):
        assert word in result.output
    frame = pd.read_csv(tmp_path / "out" / "compare.csv")
    assert frame["machine"].tolist() == ["stumps", "one-norm-svm", "tree"]
    assert (frame["held_out"] > frame["error"]).all()
    assert (frame["error_se"] > 0).all()
    assert frame["made_of"].notna().tolist() == [True, True, False]
    assert "…" not in result.output.split("Certificates hold")[0].split("Comparing")[0]
    root = ET.fromstring((tmp_path / "out" / "compare.svg").read_text())
    assert root.tag.endswith("svg")


def test_json():
    data = json.loads(runner.invoke(app, [*WORDS, "--json"]).stdout)
    assert data["n_folds"] == 3
    assert [row["group"] for row in data["machines"]] == ["handful", "handful", "baseline"]
    assert data["machines"][2]["certificate"] is None


def test_titles_are_text():
    row = {"machine": "tree", "group": "baseline", "error": 0.1, "certificate": None}
    frame = pd.DataFrame([{**row, "held_out": 0.2}])
    assert "<script>" not in draw(frame, "<script> $x_{1$")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--folds", "400"], "`--folds` must be between 2 and 239"),
        (["--delta", "0"], "`--delta` must be in"),
        (["--machines", "oracle"], "`--machines` must be among"),
    ],
)
def test_misuse(words, message):
    result = runner.invoke(app, ["compare", *words])
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")


def kinds_again(study):
    """Kinds and roles that the menu reads off the clean rows, and those of the whole table."""
    clean = study.rest()
    contest = Contest(clean.X, clean.y, 3, 0.05, True, 0, known_columns(study))
    told = make_rival(RIVALS["certified-menu"], contest).columns
    again = read_rows(GivenRows(clean.X, clean.y), told)
    return [
        [(column.name, column.kind, column.role, column.n_missing > 0) for column in columns]
        for columns in (again.columns[:-1], study.features)
    ]


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", TABLES)
def test_the_menu_takes_columns_as_the_comparison_read_them(name):
    messy = TABLES[name]()
    study = read_study(messy.frame, Choices(target=messy.target, **messy.choices), set_aside=True)
    again, before = kinds_again(study)
    assert again == before


@pytest.mark.parametrize(
    "choices",
    [
        Choices(features=("seq", "code", "drug")),
        Choices(categories=("code",)),
        Choices(not_missing={"drug": ("not done",)}),
        Choices(not_missing={"": ("not done",), "seq": ("not done",)}),
    ],
    ids=["features", "categories", "an answer", "an answer of all columns"],
)
def test_what_is_said_of_columns_reaches_the_menu(choices, rng):
    n = 400
    frame = pd.DataFrame(
        {
            "seq": np.arange(n),
            "code": rng.integers(0, 40, n) * 1.5,
            "drug": rng.choice(["not done", "aspirin"], n),
            "age": rng.integers(20, 90, n),
        }
    )
    frame["outcome"] = np.where(frame["age"] + rng.normal(0, 9, n) > 50, "ill", "well")
    again, before = kinds_again(read_study(frame, choices, set_aside=True))
    assert again == before
