"""Data sets listed and written."""

import json

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from handful import load_dataset
from handful.cli import app
from handful.tables import load_table, read_study

runner = CliRunner()


def test_list():
    result = runner.invoke(app, ["datasets"])
    assert result.exit_code == 0
    assert "breastw" in result.output
    assert "banana" in result.output
    rows = json.loads(runner.invoke(app, ["datasets", "--json"]).stdout)
    assert {"name": "bupa", "kind": "data set", "examples": 345.0, "features": 6,
            "classes": "200 / 145"} in rows  # fmt: skip


def test_a_written_set_is_read_back(tmp_path):
    path = tmp_path / "haberman.csv"
    assert runner.invoke(app, ["datasets", "haberman-294", "--out", str(path)]).exit_code == 0
    study, data = read_study(load_table(path).frame), load_dataset("haberman-294")
    assert np.array_equal(study.X.to_numpy(), data.X)
    assert (study.y == data.y.astype(str)).all()


def test_problems_are_drawn_by_seed():
    words = ["datasets", "banana", "--n-samples", "20", "--seed", "4"]
    first, again = (runner.invoke(app, words).stdout for _ in range(2))
    assert first == again
    assert len(first.splitlines()) == 21
    rows = json.loads(runner.invoke(app, [*words, "--json"]).stdout)
    assert list(pd.DataFrame(rows)) == ["x0", "x1", "label"]


def test_misuse(tmp_path):
    assert "Nearest" in runner.invoke(app, ["datasets", "banan"]).stderr.replace("\n", " ")
    result = runner.invoke(app, ["datasets", "bupa", "--out", str(tmp_path / "no" / "x.csv")])
    assert result.exit_code == 1
    assert "does not exist" in result.stderr
