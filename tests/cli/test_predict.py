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
    monkeypatch.setattr("handful.tables.table_files.CHUNK", 100)
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
    assert _read(out, "decided by") == machine.reasons(new[X.columns]).tolist()
    scores = machine.decision_function(new[X.columns])
    assert [float(score) for score in _read(out, "score")] == pytest.approx(scores, abs=1e-6)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([path.name, "labels.csv"])


def test_only_the_columns_that_decide(trained, tmp_path):
    folder, machine, X = trained
    used = list(load_model(folder / "m.json").needs)
    assert 0 < len(used) < 9
    X[used].to_csv(tmp_path / "new.csv", index=False)
    words = ["predict", str(folder / "m.json"), str(tmp_path / "new.csv")]
    result = runner.invoke(app, words)
    assert [row.split(",")[1] for row in result.stdout.splitlines()[1:]] == list(machine.predict(X))
    lines = runner.invoke(app, [*words, "--json"]).stdout.splitlines()
    assert json.loads(lines[0]).keys() == {"row", "label", "score", "decided by", "missing"}
    X[used[:-1]].to_csv(tmp_path / "new.csv", index=False)
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "must have the columns" in result.stderr


def test_words_that_look_like_numbers_and_unknown_words(tmp_path, rng, monkeypatch):
    monkeypatch.setattr("handful.tables.table_files.CHUNK", 3)
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
    assert "`--to excel` writes a file: say --out rule.xlsx." in result.stderr
    result = runner.invoke(app, ["export", str(trained[0] / "m.json"), "--to", "pmml"])
    assert result.exit_code == 2
    assert "must be sql, python, r, excel, json or card" in result.stderr


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
            frame = pd.DataFrame(block, columns=[f"f {j}" for j in range(9)])
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


@pytest.mark.thorough
@needs_proc
def test_many_rows_in_little_memory(trained, tmp_path, rng):
    _predict_many(trained[0], tmp_path, 50_000, 500 * 2**20, rng)


@needs_proc
@pytest.mark.slow
def test_a_million_rows_within_500_mib(trained, tmp_path, rng):
    print(_predict_many(trained[0], tmp_path, 1_000_000, 500 * 2**20, rng) / 2**20, "MiB")


@pytest.fixture(scope="module")
def form(tmp_path_factory):
    """A form of a menu over numbers, words and codes, written by the program."""
    folder = tmp_path_factory.mktemp("form")
    rng = np.random.default_rng(3)
    n = 300
    age, dose = rng.integers(20, 90, n), rng.gamma(2.0, 3.0, n).round(2)
    code = rng.choice(["007", "7a", "012"], n)
    y = np.where(age + 5 * dose + 25 * (code == "007") + rng.normal(0, 15, n) > 90, "ill", "well")
    table = pd.DataFrame({"id": np.arange(n) + 500, "age": age, "dose": dose, "code": code})
    table.assign(outcome=y).to_csv(folder / "train.csv", index=False)
    words = ["certify", str(folder / "train.csv"), "--choose", "score card", "--out"]
    result = runner.invoke(app, [*words, str(folder / "study"), "-q"])
    assert result.exit_code == 0, result.output
    return folder


NEW = "id,age,dose,code\n0017,75,9.5,007\n0018,,9.5,7a\n0019,30,NA,012\n0020,25,<0.5,012\n"


def _rows(form, tmp_path, *options, model="study/model.json", data=NEW):
    (tmp_path / "new.csv").write_text(data)
    words = ["predict", str(form / model), str(tmp_path / "new.csv"), "-q", *options]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(result.stdout.splitlines()))


def test_forms_say_what_decided_and_what_was_missing(form, tmp_path):
    rows = _rows(form, tmp_path, "--keep", "id")
    assert [row["id"] for row in rows] == ["0017", "0018", "0019", "0020"]
    assert rows[0]["label"] == "ill"
    assert rows[0]["decided by"].startswith(("1", "2"))
    assert " points: " in rows[0]["decided by"]
    assert "≥" in rows[0]["decided by"]
    assert [row["missing"] for row in rows] == ["", "missing: age", "missing: dose", ""]
    assert float(rows[0]["score"]) > 0 > float(rows[3]["score"])


def test_forms_may_abstain_where_a_value_is_missing(form, tmp_path):
    rows = _rows(form, tmp_path, "--on-missing", "abstain")
    assert [row["label"] for row in rows][1:3] == ["", ""]
    assert [row["decided by"] for row in rows][1:3] == ["abstains"] * 2
    other = _rows(form, tmp_path, "--on-missing", "evaluate")
    assert [row["label"] for row in rows][::3] == [row["label"] for row in other][::3]
    result = runner.invoke(app, ["predict", "m", "n", "--on-missing", "never"])
    assert "must be one of" in result.stderr


def test_the_linear_form_predicts_and_says_its_sum(form, tmp_path):
    words = ["certify", str(form / "train.csv"), "--choose", "linear", "-q", "--out"]
    result = runner.invoke(app, [*words, str(tmp_path / "linear.json")])
    assert result.exit_code == 0, result.output
    assert "(effect +" in result.stdout
    assert "Sum > " in result.stdout
    rows = _rows(tmp_path, tmp_path, model="linear.json")
    assert rows[0]["decided by"].startswith("score +")


def test_codes_are_words_in_new_tables_too(form, tmp_path):
    """A piece in which all codes look like numbers is read as the training table was."""
    data = "id,age,dose,code\n1,60,5,007\n2,60,5,012\n"
    both = _rows(form, tmp_path, data=data)
    mixed = _rows(form, tmp_path, data=data + "3,60,5,7a\n")
    assert [row["score"] for row in both] == [row["score"] for row in mixed][:2]


def test_nothing_is_written_where_there_are_no_rows(form, tmp_path):
    assert _rows(form, tmp_path, data="id,age,dose,code\n") == []
    words = ["predict", str(form / "study/model.json"), str(tmp_path / "new.csv"), "-q"]
    assert runner.invoke(app, words).stdout == ""


def test_results_are_not_overwritten_unasked(form, tmp_path):
    (tmp_path / "new.csv").write_text(NEW)
    out = tmp_path / "labels.csv"
    words = ["predict", str(form / "study/model.json"), str(tmp_path / "new.csv"), "-o", str(out)]
    assert runner.invoke(app, words).exit_code == 0
    assert b"\r" not in out.read_bytes()
    out.write_text("precious")
    assert runner.invoke(app, words).exit_code == 1
    assert out.read_text() == "precious"
    assert runner.invoke(app, [*words, "--force"]).exit_code == 0
    assert out.read_text().startswith("row,label")


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_consoles_of_other_encodings(encoding, form, tmp_path):
    (tmp_path / "new.csv").write_text(NEW)
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding}
    for words, shown in (
        (["predict", str(form / "study/model.json"), str(tmp_path / "new.csv")], b">="),
        (["certify", str(form / "train.csv"), "--candidates", "one rule"], b"-> 0"),
    ):
        program = [sys.executable, "-m", "handful", *words]
        run = subprocess.run(program, capture_output=True, env=environment, check=False)
        assert run.returncode == 0, run.stderr
        assert shown in run.stdout


@pytest.mark.thorough
def test_a_closed_pipe_ends_it_quietly(form, tmp_path):
    rows = "".join(f"{i},{20 + i % 60},{i % 9},007\n" for i in range(60_000))
    (tmp_path / "new.csv").write_text("id,age,dose,code\n" + rows)
    program = [sys.executable, "-m", "handful", "predict", str(form / "study/model.json")]
    with subprocess.Popen(
        [*program, str(tmp_path / "new.csv"), "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as run:
        assert run.stdout.readline().startswith(b"row,label")
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 141
