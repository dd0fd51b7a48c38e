"""Silence in doubt goes into files: written, read, used, counted again."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, load_model
from handful.certified import Band
from handful.cli import app
from handful.export import export_python, export_sql
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model

FORMS = ["score card", "linear", "additive", "one rule"]
runner = CliRunner()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3)).round(2)
    ill = X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=400) > 0
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(ill, "ill", "well"))


@pytest.fixture(scope="module")
def study(frame):
    return read_study(frame)


@pytest.fixture(scope="module")
def menu(study):
    return CertifiedClassifier(FORMS).fit(study)


def _band(machine):
    bands = machine.bands()
    return min(bands, key=lambda band: band.errs_at_most)


@pytest.mark.parametrize("name", FORMS[:3])
def test_a_band_is_written_read_and_counted_again(name, menu, frame, study, tmp_path):
    machine, path = menu.choose(name), tmp_path / "m.json"
    band = _band(machine)
    assert machine.abstain(band.errs_at_most) == band
    save_model(machine, path, band=band)
    stored = load_model(path)
    assert stored.band == band
    wanted = machine.decide(frame[["a", "b", "c"]], band)
    found = stored.decide(frame)
    assert [None if v is None else str(v) for v in wanted] == found.tolist()
    assert 0 < sum(label is None for label in found) < len(found)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.is_valid, verdict.differences
    for field, value in (
        ("width", band.width * 1.5),
        ("errs_at_most", band.errs_at_most * 0.9),
        ("answers_at_least", band.answers_at_least + 0.01),
        ("n_answered", band.n_answered - 1),
        ("n_errors", band.n_errors + 1),
    ):
        document = json.loads(path.read_text())
        document["training"]["band"][field] = value
        document.pop("content_sha256")
        other = tmp_path / "forged.json"
        other.write_text(to_text(document))
        forged = verify_model(other, frame, library=Retraining(other, frame))
        assert any("band" in text for text in forged.differences), field


def test_a_file_without_a_band_answers_always(menu, frame, study, tmp_path):
    path = tmp_path / "m.json"
    save_model(menu.choose("linear"), path)
    stored = load_model(path)
    assert stored.band is None
    assert (stored.decide(frame) == stored.predict(frame)).all()


def test_bands_of_other_rows_are_refused(menu, study, tmp_path):
    with pytest.raises(ValueError, match="`band` must be one of this row"):
        save_model(menu.choose("linear"), tmp_path / "m.json", band=Band(0.1, 1.0, 0.0, 9, 0))


@pytest.mark.parametrize("name", FORMS[:3])
def test_exports_are_silent_where_the_form_is(name, menu, frame, study, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    machine, path = menu.choose(name), tmp_path / "m.json"
    save_model(machine, path, band=_band(machine))
    stored = load_model(path)
    patients = frame  # noqa: F841 - DuckDB finds it by name
    found = duckdb.sql(export_sql(stored, table="patients", column="label")).df()["label"].tolist()
    assert [None if v != v else v for v in found] == stored.decide(frame).tolist()
    known: dict = {}
    exec(export_python(stored), known)
    rows = frame.drop(columns=["y"], errors="ignore").to_dict("records")
    assert [known["predict"](row) for row in rows] == stored.decide(frame).tolist()


def test_the_command_line(frame, tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(table, index=False)
    words = ["certify", str(table), "--candidates", "linear", "--abstain", "0.2", "-q"]
    shown = runner.invoke(app, [*words, "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "Silent where the score is at most" in shown.output
    checked = runner.invoke(app, ["verify", str(out), str(table), "-q"])
    assert checked.exit_code == 0, checked.output
    rows = runner.invoke(app, ["predict", str(out), str(table), "-q"]).stdout.splitlines()
    assert sum("abstains: in doubt" in row for row in rows) == int(
        load_model(out).is_in_doubt(frame).sum()
    )
    hard = runner.invoke(app, [*words[:5], "0.001", "-q"])
    assert hard.exit_code == 2
    assert "No width of doubt" in hard.output
