"""Files in chunks through the real application, on threads and on a cluster."""

from __future__ import annotations

import json

import dask
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_dataset, load_model
from handful.bounds import Certificate
from handful.cli import app
from handful.cli.study_rows import on_scheduler

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # inside Dask

runner = CliRunner()
DATA = load_dataset("breastw")


@pytest.fixture
def folder(tmp_path):
    """Rows in three Parquet files, labels in words."""
    frame = pd.DataFrame(DATA.X, columns=list(DATA.feature_names))
    frame["label"] = np.where(DATA.y > 0, "malignant", "benign")
    (tmp_path / "rows").mkdir()
    for k, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[part].to_parquet(tmp_path / "rows" / f"{k}.parquet", index=False)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


@pytest.fixture(autouse=True)
def _plain():
    with dask.config.set(scheduler="synchronous"):
        yield


def certify(*words):
    return runner.invoke(app, ["certify", *map(str, words), "--engine", "dask"])


@pytest.mark.parametrize("pattern", ["rows/*.parquet", "rows.csv"])
def test_the_certificate_is_that_of_memory(folder, pattern):
    frame = pd.read_csv(folder / "rows.csv")
    X, y = frame.drop(columns=["label"]).astype(float), frame["label"]
    here = SetCoveringMachine("stumps").fit(X, y)
    result = certify(folder / pattern, "--rules", "stumps", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert Certificate.from_dict(data["certificate"]) == here.certificate_
    assert data["rule"] == here.fitted_.sentences()
    assert [row["certificate"] for row in data["menu"]] == here.menu_risks_.tolist()
    assert any("chunks" in note for note in data["notes"])


def test_the_model_is_written_and_reads_back(folder):
    out = folder / "out"
    result = certify(folder / "rows/*.parquet", "--rules", "stumps", "--out", out)
    assert result.exit_code == 0, result.output
    names = sorted(path.name for path in out.iterdir())
    assert names == ["certificate.json", "evidence.json", "model.json", "report.html"]
    model = load_model(out / "model.json")
    assert model.data.target == "label"
    assert model.data.file == "*.parquet"  # not where it was
    assert model.data.row_codes is None
    frame = pd.read_csv(folder / "rows.csv")
    machine = SetCoveringMachine("stumps")
    machine.fit(frame.drop(columns=["label"]), frame["label"])
    X = frame.drop(columns=["label"])
    np.testing.assert_array_equal(model.predict(X), machine.predict(X))


def test_the_positive_class_and_costs(folder):
    words = ["--rules", "stumps", "--positive", "benign", "--costs", "1,5", "--json"]
    result = certify(folder / "rows/*.parquet", *words)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["positive"] == "benign"
    assert data["classes"] == ["benign", "malignant"]  # naming the case moves no rule
    assert data["certificate"]["bound"] == "cost"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "`DATA` must be given with --engine dask"),
        (["none/*.parquet"], 1, "no file matches none/*.parquet"),
        (["{folder}/rows.txt"], 2, "`DATA` must end with .parquet or .csv"),
        (["{folder}/rows.csv", "--target", "lable"], 2, "Did you mean 'label'?"),
        (["{folder}/one.csv"], 2, "has no column besides the target"),
        (["{folder}/same.csv"], 2, "has one value only"),
        (["{folder}/gaps.csv"], 2, "has missing values"),
    ],
)
def test_misuse_is_explained(folder, words, code, message):
    (folder / "rows.txt").write_text("a,label\n1,2\n")
    (folder / "one.csv").write_text("label\n1\n2\n")
    (folder / "same.csv").write_text("a,label\n1,1\n2,1\n")
    (folder / "gaps.csv").write_text("a,label\n1,x\n2,\n3,y\n")
    result = certify(*(word.format(folder=folder) for word in words))
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())


def test_engines_are_known():
    result = runner.invoke(app, ["certify", "--engine", "abacus"])
    assert result.exit_code == 2
    assert "`--engine` must be one of 'memory', 'dask', got 'abacus'" in result.stderr


@pytest.mark.parametrize("command", [["certify"], ["reproduce", "scm-2003"], ["compare"]])
def test_a_missing_extra_is_a_failure_that_says_what_to_do(command, monkeypatch):
    def absent(*args):
        raise ImportError("distributed is not installed. Install it with `pip ...`.")

    monkeypatch.setattr("handful.distributed.cluster.require_dask", absent)
    result = runner.invoke(app, [*command, "--scheduler", "tcp://127.0.0.1:9"])
    assert result.exit_code == 1
    assert "distributed is not installed" in result.stderr


def test_no_address_is_no_cluster(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("a cluster was asked for")

    monkeypatch.setattr("handful.distributed.scheduler", refuse)
    inside = []
    with on_scheduler(None):
        inside.append(True)
    assert inside
    with pytest.raises(AssertionError, match="a cluster was asked for"), on_scheduler("tcp://x"):
        inside.append(False)
    assert inside == [True]


@pytest.mark.parametrize("rules", ["stumps", "auto"])
def test_a_model_file_of_chunks_is_verified(folder, rules):
    certify(folder / "rows/*.parquet", "--rules", rules, "--out", folder / "model.json")
    found = runner.invoke(app, ["verify", str(folder / "model.json"), str(folder / "rows.csv")])
    assert found.exit_code == 0, found.output
    assert "VALID" in found.output
