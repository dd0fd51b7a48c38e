"""handful reproduce: ours beside theirs."""

import json
import math

import pandas as pd
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


@pytest.mark.thorough
def test_figures_are_written(tmp_path):
    words = [
        "reproduce",
        "scm-2003",
        "--table",
        "table-1",
        "--quick",
        "--plot",
        str(tmp_path / "new"),
    ]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / "scm-2003-table-1.svg").read_text().startswith("<?xml")
    again = runner.invoke(app, words)
    assert again.exit_code != 0
    assert "exists already" in again.stderr


def test_a_table_without_a_figure_is_misuse(tmp_path):
    words = ["reproduce", "scm-2003", "--table", "slides", "--plot", str(tmp_path / "new")]
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "needs a table with a figure" in result.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("words", [[], ["--table", "table-2"]])
def test_a_paper_without_figures_is_misuse(words, tmp_path):
    result = runner.invoke(app, ["reproduce", "mcm-2014", *words, "--plot", str(tmp_path / "new")])
    assert result.exit_code == 2
    assert "needs a paper with figures, got 'mcm-2014'" in result.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    "paper", ["compression-2004", "mcm-2014", "nonconformity-2009", "scm-2003"]
)
def test_every_paper_says_what_is_missing(paper, monkeypatch, tmp_path):
    """Without a folder, and with one that lacks files, before anything runs."""
    monkeypatch.delenv("HANDFUL_DATA", raising=False)
    result = runner.invoke(app, ["reproduce", paper])
    assert result.exit_code == 2
    assert "must name a folder with" in result.stderr.replace("\n", " ")
    (tmp_path / "other.csv").write_text("a,b\n1,0\n2,1\n")
    result = runner.invoke(app, ["reproduce", paper, "--data-dir", str(tmp_path)])
    assert result.exit_code == 2
    assert ".csv" in result.stderr


def test_infinity_in_json(monkeypatch):
    from handful.papers import scm_2003

    made = pd.DataFrame({"set": ["a"], "penalty": [math.inf], "errors": [math.nan]})
    monkeypatch.setitem(scm_2003.TABLES, "best", lambda run: made)
    result = runner.invoke(app, ["reproduce", "scm-2003", "--table", "best", "--quick", "--json"])
    row = json.loads(result.stdout)["best"][0]
    assert row == {"set": "a", "penalty": "inf", "errors": None}


def test_a_missing_folder_is_named(monkeypatch):
    monkeypatch.delenv("HANDFUL_DATA", raising=False)
    result = runner.invoke(app, ["reproduce", "nonconformity-2009"])
    assert result.exit_code == 2
    assert "HANDFUL_DATA must name a folder with" in result.stderr.replace("\n", " ")


@pytest.mark.parametrize("words", [["reproduce", "x"], ["reproduce", "scm-2003", "--table", "9"]])
def test_unknown_names_are_misuse(words):
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "must be one of" in result.stderr
