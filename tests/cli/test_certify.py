"""The main job through the real application."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model
from handful.bounds import Certificate
from handful.cli import app
from handful.cli._tables import read_table

runner = CliRunner()


@pytest.fixture(scope="module")
def result():
    return runner.invoke(app, ["certify"])


def test_without_arguments_it_shows_everything(result):
    assert result.exit_code == 0, result.output
    for words in ("Rule", "Certificate", "With 95 % confidence", "What the certificate pays"):
        assert words in result.output
    assert "clump-thickness" in result.output


def test_json_equals_the_library(tmp_path):
    out = tmp_path / "model.json"
    words = ["certify", "--rules", "stumps", "--json", "--out", str(out), "--seed", "3"]
    data = json.loads(runner.invoke(app, words).stdout)
    table = read_table(None, None)
    machine = SetCoveringMachine("stumps", random_state=3, n_jobs=1).fit(table.X, table.y)
    assert Certificate.from_dict(data["certificate"]) == machine.certificate_
    assert data["training_errors"] == machine.training_errors_
    model = load_model(out)
    assert (model.predict(table.X.to_numpy()) == machine.predict(table.X)).all()


def test_categories_and_missing_values(tmp_path, rng):
    sex = rng.choice(["f", "m"], 80)
    frame = pd.DataFrame({"sex": sex, "age": rng.normal(size=80), "y": np.where(sex == "f", 1, 0)})
    frame.loc[3, "age"] = np.nan
    frame.to_csv(tmp_path / "d.csv", index=False)
    result = runner.invoke(app, ["certify", str(tmp_path / "d.csv"), "--target", "y"])
    assert result.exit_code == 0, result.output
    assert "sex" in result.output
    assert "missing" in result.output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["certify", "none.csv"], 1, "there is no file"),
        (["certify", "--rules", "cubes"], 2, "`rules` must be one of"),
        (["certify", "--delta", "7"], 2, "`delta` must be in"),
        (["certify", "--max-rules", "many"], 2, "`max_rules` must be"),
        (["certify", "--rules", "stumps", "--out", "none/m.json"], 1, "does not exist"),
    ],
)
def test_misuse_and_failure(words, code, message):
    result = runner.invoke(app, words)
    assert result.exit_code == code
    assert message in result.stderr.replace("\n", " ")
