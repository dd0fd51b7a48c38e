"""A table of few distinct rows has hardly a choice of pools: the draw is not called random."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.cli import app
from handful.files import Retraining, save_model
from handful.tables import TableCaution, read_study
from handful.verify import verify_model

SAID = "has only {} distinct rows"
N = 100


def _labels(rng):
    return np.where(np.arange(N) % 10 == 0, "dead", "alive")


def test_few_distinct_rows_are_said(rng):
    X, y = np.zeros((N, 1)), _labels(rng)
    with pytest.warns(TableCaution, match=SAID.format(2)):
        machine = CertifiedClassifier(["constant"]).fit(X, y)
    assert SAID.format(2) in " ".join(machine.notes_)
    assert SAID.format(2) in " ".join(machine.certificate_.notes)
    assert "random_state" in " ".join(machine.certificate_.notes)
    assert SAID.format(2) in machine.explain()
    fixed = CertifiedClassifier(["constant"], random_state=7).fit(X, y)
    assert not fixed.certificate_.notes


def test_thirty_distinct_rows_are_enough(rng):
    X = (np.arange(N) % 29).astype(float)[:, None]
    y = np.where(X[:, 0] > 20, "b", "a")
    with pytest.warns(TableCaution, match="29 distinct"):
        assert CertifiedClassifier(["constant"]).fit(X, y).certificate_.notes
    X[0] = 99.0
    assert not CertifiedClassifier(["constant"]).fit(X, y).certificate_.notes


@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows, on purpose
def test_groups_count_by_their_content(rng):
    X, y = (np.arange(N) % 2).astype(float)[:, None], _labels(rng)
    machine = CertifiedClassifier(["constant"]).fit(X, y, groups=np.arange(N) // 2)
    assert "distinct groups" in " ".join(machine.certificate_.notes)


@pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows, on purpose
def test_chunks_say_it_too(rng):
    da = pytest.importorskip("dask.array", reason="the extra handful[dask] is not installed")
    X, y = np.zeros((N, 1)), _labels(rng)
    here = CertifiedClassifier(["constant"]).fit(X, y)
    there = CertifiedClassifier(["constant"]).fit(
        da.from_array(X, chunks=(30, -1)), da.from_array(y, chunks=30)
    )
    assert there.certificate_ == here.certificate_


def _frame(rng):
    return pd.DataFrame({"sex": np.where(np.arange(N) % 3 == 0, "f", "m"), "outcome": _labels(rng)})


def test_a_study_warns_and_verify_derives_the_same(rng, tmp_path):
    frame = _frame(rng)
    study = read_study(frame)
    assert any(SAID.format(4) in line for line in study.cautions)
    machine = CertifiedClassifier(["constant"]).fit(study)
    path = tmp_path / "form.json"
    save_model(machine, path)
    assert any(SAID.format(4) in n for n in json.loads(path.read_text())["certificate"]["notes"])
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "VALID"


def test_the_screen_and_the_report_warn(rng, tmp_path):
    _frame(rng).to_csv(tmp_path / "t.csv", index=False)
    words = ["certify", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert SAID.format(4) in " ".join(result.output.split())
    assert SAID.format(4) in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
