"""The re-check through the real application."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    data = folder / "data.csv"
    assert runner.invoke(app, ["datasets", "bupa", "--out", str(data)]).exit_code == 0
    words = ["certify", str(data), "--out", str(folder / "out"), "--json"]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    return folder


def test_valid(folder):
    words = ["verify", str(folder / "out" / "model.json"), str(folder / "data.csv")]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "VALID" in result.output
    assert "NOT VALID" not in result.output
    assert "Taken on trust" in result.output
    all_of_it = runner.invoke(app, [*words, "--all"])
    assert all_of_it.output.count("holds") > 30
    verdict = json.loads(runner.invoke(app, [*words, "--json"]).stdout)
    assert verdict["is_valid"]
    assert len(verdict["findings"]) > 30


def test_tampered(folder, tmp_path):
    text = (folder / "out" / "model.json").read_text()
    (tmp_path / "m.json").write_text(text.replace('"delta": 0.05', '"delta": 0.06'))
    words = ["verify", str(tmp_path / "m.json"), str(folder / "data.csv")]
    result = runner.invoke(app, words)
    assert result.exit_code == 1
    assert "NOT VALID" in result.output
    assert "content hash" in result.output
    assert "confidence" in result.output
    assert json.loads(runner.invoke(app, [*words, "--json"]).stdout)["is_valid"] is False


def test_another_table_is_refused_by_the_column_that_it_lacks(folder, tmp_path):
    model = json.loads((folder / "out" / "model.json").read_text())
    read = [column["name"] for column in model["fitted"]["columns"]["columns"]]
    table = pd.read_csv(folder / "data.csv")
    for gone in (read[0], model["data"]["reading"]["target"]):
        table.drop(columns=gone).to_csv(tmp_path / "other.csv", index=False)
        words = ["verify", str(folder / "out" / "model.json"), str(tmp_path / "other.csv")]
        result = runner.invoke(app, words)
        assert result.exit_code != 0
        assert f"without the column {gone!r}" in result.output
        assert "NOT VALID" not in result.output
    table.iloc[1:].to_csv(tmp_path / "other.csv", index=False)
    result = runner.invoke(app, words)  # it has the columns, and lacks a row
    assert result.exit_code == 1
    assert "digest of the table" in result.output


def test_embedded_data(tmp_path):
    out = tmp_path / "m.json"
    assert runner.invoke(app, ["certify", "--rules", "stumps", "--out", str(out)]).exit_code == 0
    assert runner.invoke(app, ["verify", str(out)]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["verify", "none.json"], 1, "there is no model file"),
        (["verify", "none.json", "none.csv"], 1, "there is no model file"),
        (["verify"], 2, "Missing argument"),
    ],
)
def test_misuse(words, code, message):
    result = runner.invoke(app, words)
    assert result.exit_code == code
    assert message in result.stderr.replace("\n", " ")
