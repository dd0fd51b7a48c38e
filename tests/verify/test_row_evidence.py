"""evidence.json beside a menu: what is honest is valid, and every changed number is noticed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng, n = np.random.default_rng(8), 300
    x = rng.normal(size=(n, 3))
    found = x[:, 0] + 0.6 * x[:, 1]
    frame = pd.DataFrame(x.round(3), columns=list("abc"))
    person = np.repeat(np.arange(n // 3), 3)
    place = tmp_path_factory.mktemp("tables")
    frame.assign(y=np.where(found > 0.4, "ill", "well")).to_csv(place / "two.csv", index=False)
    many = np.select([found < -0.5, found < 0.6], ["low", "mid"], "high")
    frame.assign(y=many).to_csv(place / "three.csv", index=False)
    level = np.where(found + found[3 * person] > 0.8, "ill", "well")
    frame.assign(patient=person, y=level).to_csv(place / "groups.csv", index=False)
    return place


def _study(folder, table, out, *more):
    words = ["certify", str(folder / table), "--target", "y", "--out", str(out), "-q", *more]
    done = runner.invoke(app, words)
    assert done.exit_code == 0, done.output
    return out


def _verdict(folder, table, out):
    words = ["verify", str(out / "model.json"), str(folder / table), "--json", "-q"]
    return json.loads(runner.invoke(app, words).stdout)


STUDIES = {
    "two classes": ("two.csv",),
    "the first class is the case": ("two.csv", "--positive", "well", "--choose", "score card"),
    "rules": ("two.csv", "--candidates", "one rule"),
    "several classes": ("three.csv",),
    "groups": ("groups.csv", "--groups", "patient"),
    "a goal": ("two.csv", "--goal", "sensitivity >= 0.6"),
    "silence in doubt": ("two.csv", "--candidates", "linear", "--abstain", "0.3"),
    "covers": ("two.csv", "--rules", "stumps"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_an_honest_study_is_valid(name, folder, tmp_path):
    table, *more = STUDIES[name]
    verdict = _verdict(folder, table, _study(folder, table, tmp_path / "out", *more))
    assert verdict["status"] == "VALID", [f for f in verdict["findings"] if not f["holds"]]
    looked_at = {finding["name"] for finding in verdict["findings"]}
    assert "evidence.json: model" in looked_at
    if name not in ("covers", "several classes"):
        assert {"evidence: counts", "evidence: area", "evidence: limit of ppv"} <= looked_at


@pytest.fixture(scope="module")
def honest(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("studies")
    more = ("--candidates", "linear,one rule")
    _study(folder, "two.csv", out / "two.csv", *more)
    _study(folder, "three.csv", out / "three.csv", *more)
    return out


def _moved(record, name, by):
    record[name] += by


FORGED = {
    "model": ("two.csv", lambda d: d.update(model="0" * 64)),
    "row": ("two.csv", lambda d: d.update(row="one rule")),
    "delta": ("two.csv", lambda d: d.update(delta=0.01)),
    "together": ("two.csv", lambda d: d.update(together="All holds with 99 %.")),
    "counts": ("two.csv", lambda d: _moved(d["counts"], "cases_flagged", 1)),
    "level": ("two.csv", lambda d: _moved(d["levels"], "rates", d["delta"])),
    "sensitivity": ("two.csv", lambda d: _moved(d["rates"]["sensitivity"], "lower", 1e-4)),
    "ppv": ("two.csv", lambda d: _moved(d["rates"]["ppv"], "lower", 1e-4)),
    "area": ("two.csv", lambda d: _moved(d["area"], "lower", 1e-4)),
    "area here": ("two.csv", lambda d: _moved(d["area"], "estimate", 1e-4)),
    "case": ("two.csv", lambda d: d.update(case="well")),
    "a class": ("three.csv", lambda d: d["classes"].pop()),
    "counts of a class": ("three.csv", lambda d: d["classes"][0].update(counts=[9, 9, 9, 9])),
    "rate of a class": (
        "three.csv",
        lambda d: _moved(d["classes"][1]["rates"]["npv"], "lower", 1e-4),
    ),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", sorted(FORGED))
def test_what_was_changed_is_noticed(name, folder, honest):
    table, change = FORGED[name]
    path = honest / table / "evidence.json"
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    change(document)
    try:
        path.write_text(json.dumps(document), encoding="utf-8")
        verdict = _verdict(folder, table, honest / table)
    finally:
        path.write_text(text, encoding="utf-8")
    assert verdict["status"] == "NOT VALID"
    assert all("evidence" in f["name"] for f in verdict["findings"] if not f["holds"])
