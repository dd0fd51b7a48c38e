"""Which class is the case: rates and goals of a file speak of it, and so does the re-check."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.cli import app
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import Choices, read_study
from handful.verify import verify_model

runner = CliRunner()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 2)).round(2)
    is_b = X[:, 0] + 0.8 * rng.normal(size=300) > 0.9
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(is_b, "north", "east"))


def _verdict(path, frame):
    return verify_model(path, frame, library=Retraining(path, frame))


@pytest.mark.parametrize("case", ["north", "east"])
def test_rates_of_the_files_are_those_on_the_screen(case, frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["certify", str(tmp_path / "t.csv"), "--target", "y", "--positive", case]
    arguments += ["--candidates", "one rule", "--out", str(tmp_path / "out"), "--json"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    shown = {rate["name"]: 1.0 - rate["at_least"] for rate in json.loads(result.stdout)["rates"]}
    for name in ("certificate.json", "model.json"):
        found = json.loads((tmp_path / "out" / name).read_text())
        rates = dict(found.get("certificate", found)["rates"])
        assert rates["false_negative_given_positive"] == pytest.approx(shown["sensitivity"])
        assert rates["false_positive_given_negative"] == pytest.approx(shown["specificity"])
    assert _verdict(tmp_path / "out" / "model.json", pd.read_csv(tmp_path / "t.csv")).is_valid


@pytest.mark.parametrize("case", ["north", "east", None])
def test_another_case_is_not_valid(case, frame, tmp_path):
    study, path = read_study(frame, Choices(positive=case)), tmp_path / "m.json"
    save_model(CertifiedClassifier(["one rule"]).fit(study), path)
    assert _verdict(path, frame).status == "VALID"
    document = json.loads(path.read_text())
    own = document["data"]["reading"]["positive"]
    assert own == study.positive
    for other in ({"north", "east"} - {own}).union({None, "south"}):
        document["data"]["reading"]["positive"] = other
        path.write_text(to_text(document))
        assert _verdict(path, frame).status == "NOT VALID", other


@pytest.mark.parametrize("case", ["north", "east"])
def test_a_goal_speaks_of_the_case(case, frame, tmp_path):
    choices, path = Choices(positive=case), tmp_path / "m.json"
    study = read_study(frame, choices)
    machine = CertifiedClassifier(["linear"]).fit(study)
    of_second = case == str(machine.classes_[1])
    machine = machine.reach(**{"sensitivity" if of_second else "specificity": 0.5})
    save_model(machine, path)
    assert json.loads(path.read_text())["training"]["goal"] == ["sensitivity", 0.5]
    assert _verdict(path, frame).status == "VALID"


@pytest.mark.parametrize("field", ["n_errors", "n_compressed"])
def test_counts_of_groups_are_not_written_over(field, tmp_path):
    rng = np.random.default_rng(0)
    who, level = np.repeat(np.arange(60), 6), rng.normal(size=360)
    ill = level + 0.8 * rng.normal(size=360) > 0
    frame = pd.DataFrame({"who": who, "level": level.round(3), "y": np.where(ill, "ill", "well")})
    choices, path = Choices(groups="who"), tmp_path / "m.json"
    study = read_study(frame, choices)
    machine = CertifiedClassifier(["one rule"]).fit(study)
    assert machine.certificate_.bound == "betting"
    save_model(machine, path)
    assert _verdict(path, frame).status == "VALID"
    document = json.loads(path.read_text())
    document["certificate"][field] = 0
    path.write_text(to_text(document))
    assert _verdict(path, frame).status == "NOT VALID"
