"""The comparison through the real application."""

import json
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app
from handful.cli._compare import draw

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
