"""What was set other than by default must have been named before any certificate was seen."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.cli import app
from handful.files import Retraining, save_model
from handful.files.document import to_text
from handful.tables import read_study
from handful.verify import verify_model

END = "named before any certificate was seen"


def table(n=120):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 2)).round(2)
    ill = X[:, 0] + 0.5 * rng.normal(size=n) > 0
    return pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(ill, "ill", "well"))


def said(certificate):
    return [str(one) for one in certificate.assumptions if one.key == "named"]


SETTINGS = [
    ({}, None),
    ({"candidates": ["one rule", "score card"]}, f"the forms were {END}"),
    ({"candidates": "all", "delta": 0.1}, f"the forms and delta were {END}"),
    ({"delta": 0.1}, f"delta was {END}"),
    ({"pool_share": 0.4, "candidates": "balls"}, f"the forms and the share of the pool were {END}"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "sentence"), SETTINGS[1:2] + SETTINGS[3:])
def test_settings_other_than_the_defaults_are_an_assumption(settings, sentence):
    frame = table(60)
    machine = CertifiedClassifier(**settings).fit(frame[["a", "b"]], frame["y"])
    assert said(machine.certificate_) == [sentence]
    assert sentence in machine.explain()


@pytest.mark.thorough
@pytest.mark.parametrize(("settings", "sentence"), SETTINGS)
def test_all_of_these_settings(settings, sentence):
    frame = table()
    machine = CertifiedClassifier(**settings).fit(frame[["a", "b"]], frame["y"])
    assert said(machine.certificate_) == ([] if sentence is None else [sentence])


def test_so_are_goals_and_a_delta_given_later():
    frame = table(300)
    machine = CertifiedClassifier().fit(frame[["a", "b"]], frame["y"])
    assert said(machine.certificate_) == []
    assert said(machine.certify(0.2)) == [f"delta was {END}"]
    assert said(machine.choose("linear").certificate_) == []  # choosing is paid for
    after = machine.reach(sensitivity=0.6)  # every threshold pays, so that it may be set late
    assert said(after.certificate_) == []
    assert "the errors of the menu before the goal and its rates among them" in after.together()
    named = CertifiedClassifier(goal="sensitivity >= 0.6").fit(frame[["a", "b"]], frame["y"])
    assert said(named.certificate_) == [f"the goal was {END}"]
    assert "before the goal" not in named.together()


@pytest.fixture
def written(tmp_path):
    frame = table()
    study = read_study(frame)
    machine = CertifiedClassifier(["one rule", "linear"], delta=0.1).fit(study)
    path = tmp_path / "m.json"
    save_model(machine, path)
    return path, frame


def test_the_re_check_derives_the_sentence(written):
    path, frame = written
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    document = json.loads(path.read_text())
    words = document["certificate"]["assumptions"]
    document["certificate"]["assumptions"] = [one for one in words if one["key"] != "named"]
    path.write_text(to_text(document))
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "NOT VALID"
    assert any("assumptions" in text for text in verdict.differences)


def test_the_first_screen_says_so(tmp_path):
    path = tmp_path / "t.csv"
    table(60).to_csv(path, index=False)
    run = CliRunner().invoke(app, ["certify", str(path), "--candidates", "one rule", "-d", "0.1"])
    assert run.exit_code == 0, run.output
    text = " ".join(run.output.split())
    assert f"The forms and delta were {END}" in text
    assert "set again after a look" in text
    run = CliRunner().invoke(app, ["certify", str(path), "--candidates", "one rule", "--json"])
    found = json.loads(run.stdout)
    assert {"names": "the forms", "verb": "were"} in [
        one["values"] for one in found["certificate"]["assumptions"]
    ]
    assert found["named_beforehand"] == ["the forms"]
