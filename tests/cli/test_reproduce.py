"""handful reproduce: ours beside theirs."""

import json

import pytest
from typer.testing import CliRunner

from handful.cli import app

runner = CliRunner()


def test_quick_table_as_json():
    words = ["reproduce", "scm-2003", "--table", "slides", "--quick", "--json"]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["slides"]
    assert [row["set"] for row in rows] == ["Haberman", "Glass"]
    assert all(row["difference"] == row["errors"] - row["errors_slides"] for row in rows)
    assert json.loads(result.stdout)["notes"]["slides"]


def test_quick_table_is_printed():
    result = runner.invoke(app, ["reproduce", "scm-2003", "--table", "slides", "--quick"])
    assert "Haberman" in result.output
    assert "errors" in result.output


@pytest.mark.parametrize("words", [["reproduce", "x"], ["reproduce", "scm-2003", "--table", "9"]])
def test_unknown_names_are_misuse(words):
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "must be one of" in result.stderr
