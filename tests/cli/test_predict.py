"""Streamed prediction equals prediction in memory; exports come out."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_dataset, load_model, save_model
from handful.cli import app
from tests.cli.program import ENVIRONMENT

runner = CliRunner()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    data = load_dataset("breastw")
    X = pd.DataFrame(data.X, columns=[f"f {j}" for j in range(9)])
    machine = SetCoveringMachine("stumps", random_state=0)
    machine.fit(X, np.where(data.y > 0, "=ill", "well"))
    save_model(machine, folder / "m.json")
    return folder, machine, X


def _read(path, field="label"):
    with path.open(newline="", encoding="utf-8") as file:
        return [row[field] for row in csv.DictReader(file)]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz"])
def test_streamed_is_in_memory(suffix, trained, tmp_path, monkeypatch, rng):
    folder, machine, X = trained
    monkeypatch.setattr("handful.tables._read.CHUNK", 100)
    new = X.sample(1050, replace=True, random_state=0) * rng.normal(1.0, 0.1, size=(1050, 9))
    new = new.reset_index(drop=True).assign(extra="=1+1")
    path, out = tmp_path / f"new{suffix}", tmp_path / "labels.csv"
    if suffix == ".parquet":
        new.to_parquet(path)
    else:
        new.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    result = runner.invoke(app, ["predict", str(folder / "m.json"), str(path), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert _read(out) == machine.predict(new[X.columns]).tolist()
    rules = [c.removesuffix(" or missing") for c in machine.get_rules()["condition"]] + [""]
    assert _read(out, "rule") == [rules[i] for i in machine.fired_rules(new[X.columns])]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([path.name, "labels.csv"])


def test_only_the_columns_that_decide(trained, tmp_path):
    folder, machine, X = trained
    used = [X.columns[j] for j in load_model(folder / "m.json").used_features]
    assert 0 < len(used) < 9
    X[used].to_csv(tmp_path / "new.csv", index=False)
    words = ["predict", str(folder / "m.json"), str(tmp_path / "new.csv")]
    result = runner.invoke(app, words)
    assert [row.split(",")[1] for row in result.stdout.splitlines()[1:]] == list(machine.predict(X))
    lines = runner.invoke(app, [*words, "--json"]).stdout.splitlines()
    assert json.loads(lines[0]).keys() == {"row", "label", "rule"}
    X[used[:-1]].to_csv(tmp_path / "new.csv", index=False)
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "must have the columns" in result.stderr


def test_words_that_look_like_numbers_and_unknown_words(tmp_path, rng, monkeypatch):
    monkeypatch.setattr("handful.tables._read.CHUNK", 3)
    code = rng.choice(["1", "02", "x"], 150)
    X, y = pd.DataFrame({"code": code}), np.where(code == "02", 1, 0)
    machine = SetCoveringMachine("stumps", candidates=40, max_rules=1, random_state=0).fit(X, y)
    save_model(machine, tmp_path / "m.json")
    new = pd.DataFrame({"code": ["1", "02", "02", "1", "02", "1", "x", "new", None, "NA"]})
    new.to_csv(tmp_path / "n.csv", index=False)
    words = ["predict", str(tmp_path / "m.json"), str(tmp_path / "n.csv"), "--json"]
    found = [json.loads(line)["label"] for line in runner.invoke(app, words).stdout.splitlines()]
    new.loc[9] = None
    assert found == machine.predict(new).tolist()


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        ("f 0,f 1\n1,2\n", 2, "must have the columns"),
        ("", 2, "it is empty"),
        (",".join(f"f {j}" for j in range(9)) + "\n" + "abc," * 8 + "1\n", 2, "must hold numbers"),
    ],
)
def test_bad_data(content, code, message, trained, tmp_path):
    (tmp_path / "new.csv").write_text(content)
    out = tmp_path / "labels.csv"
    words = ["predict", str(trained[0] / "m.json"), str(tmp_path / "new.csv"), "--out", str(out)]
    result = runner.invoke(app, words)
    assert result.exit_code == code
    assert message in result.stderr.replace("\n", " ")
    assert not out.exists()


def test_out_must_be_a_file_in_a_folder(trained, tmp_path):
    words = ["predict", str(trained[0] / "m.json"), str(trained[0] / "m.json"), "--out"]
    for out, message in (("no/such/x.csv", "does not exist"), (str(tmp_path), "is a folder")):
        result = runner.invoke(app, [*words, out])
        assert result.exit_code == 1
        assert message in result.stderr.replace("\n", "")


@pytest.mark.parametrize("to", ["sql", "python", "json"])
def test_export(to, trained, tmp_path):
    words = ["export", str(trained[0] / "m.json"), "--to", to]
    printed = runner.invoke(app, words)
    assert printed.exit_code == 0
    runner.invoke(app, [*words, "--out", str(tmp_path / "x")])
    assert (tmp_path / "x").read_text() == printed.stdout
    assert json.loads(runner.invoke(app, [*words, "--json"]).stdout)["text"] == printed.stdout


def test_export_misuse(trained):
    result = runner.invoke(app, ["export", str(trained[0] / "m.json"), "--to", "excel"])
    assert result.exit_code == 2
    assert "must be sql, python or json" in result.stderr


MEASURED = """
import sys
from handful.cli import app
app(sys.argv[1:], standalone_mode=False)
print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""


def _predict_many(folder, tmp_path, n_rows, limit, rng):
    """Labels of many rows in a process whose largest memory is measured."""
    machine = load_model(folder / "m.json")
    path, out = tmp_path / "many.csv", tmp_path / "labels.csv"
    with path.open("w") as file:
        for k in range(0, n_rows, 50_000):
            block = rng.integers(1, 11, size=(min(50_000, n_rows - k), 9)).astype(float)
            frame = pd.DataFrame(block, columns=machine.names)
            frame.to_csv(file, index=False, header=k == 0)
    words = ["predict", str(folder / "m.json"), str(path), "--out", str(out)]
    program = [sys.executable, "-c", MEASURED, *words]
    run = subprocess.run(program, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    peak = 1024 * int(run.stdout.split()[-2])
    assert peak < limit
    whole = pd.read_csv(path)
    assert _read(out) == machine.predict(whole.to_numpy()).tolist()
    return peak


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc"
)


@needs_proc
def test_many_rows_in_little_memory(trained, tmp_path, rng):
    _predict_many(trained[0], tmp_path, 50_000, 500 * 2**20, rng)


@needs_proc
@pytest.mark.slow
def test_a_million_rows_within_500_mib(trained, tmp_path, rng):
    print(_predict_many(trained[0], tmp_path, 1_000_000, 500 * 2**20, rng) / 2**20, "MiB")
