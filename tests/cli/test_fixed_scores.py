"""``handful validate``, ``monitor`` and ``plan`` through the real application."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful.cli import app

CARDS = Path(__file__).resolve().parents[2] / "examples" / "cards"
runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cases")
    rng = np.random.default_rng(7)
    n = 240
    frame = pd.DataFrame(
        {
            "patient": np.arange(n),
            "respiratory_rate": rng.normal(20, 5, n).round(),
            "gcs": rng.choice([15, 15, 14], n),
            "systolic_bp": rng.normal(115, 18, n).round(),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    q = (frame.respiratory_rate >= 22) * 1 + (frame.gcs < 15) + (frame.systolic_bp <= 100)
    frame["risk"] = (1 / (1 + np.exp(3 - 1.5 * q))).round(3)
    frame["died"] = np.where(rng.random(n) < frame["risk"], "yes", "no")
    frame.to_csv(place / "cases.csv", index=False)
    known = ["--target", "died", "--exclude", "patient,risk,sex", "--candidates", "one rule"]
    made = run("certify", place / "cases.csv", *known, "--out", place / "model")
    assert made.exit_code == 0, made.output
    frame["died"] = frame["died"].where(np.arange(n) % 10 > 0)
    frame.assign(patient=frame.patient + 1000).to_csv(place / "new.csv", index=False)
    return place


def run(*words):
    return runner.invoke(app, [str(word) for word in words])


def test_a_card_and_risks_on_one_screen(folder):
    made = run("validate", folder / "cases.csv", "--target", "died", "--card",
               CARDS / "qsofa.toml", "--column", "risk", "--threshold", "0.2",
               "--subgroups", "sex", "--out", folder / "checked")  # fmt: skip
    assert made.exit_code == 0, made.output
    said = " ".join(made.output.split())
    for words in ("Nothing was trained", "Fixed beforehand: qSOFA", "Sensitivity:", "PPV",
                  "Area under the ROC curve", "Net benefit", "sex = f", "risk against qSOFA",
                  "both families with 90 %"):  # fmt: skip
        assert words in said
    assert max(map(len, made.output.splitlines())) <= 80
    assert (folder / "checked" / "report.html").is_file()


def test_json_is_whole(folder):
    made = run("validate", folder / "cases.csv", "--target", "died", "--score", "gcs < 15",
               "--json")  # fmt: skip
    assert json.loads(made.stdout)["scores"][0]["certificate"]["n_errors"] > 0


def test_one_model_on_other_cases(folder):
    words = ["--target", "died", "--drop-missing-target", "--model", folder / "model/model.json"]
    made = run("validate", folder / "new.csv", *words)
    assert made.exit_code == 0, made.output
    made = run("validate", folder / "new.csv", *words, "--map", "gcs")
    assert "`--map` must be old=new, got 'gcs'" in made.output
    made = run("validate", folder / "cases.csv", "--target", "died", "--model",
               folder / "model/model.json")  # fmt: skip
    assert "these are the rows that model.json was trained on" in " ".join(made.output.split())


def test_skops_files(folder):
    skops = pytest.importorskip("skops.io", reason="the extra handful[skops] is not installed")
    from sklearn.linear_model import LogisticRegression

    frame = pd.read_csv(folder / "cases.csv")
    columns = ["respiratory_rate", "gcs"]
    skops.dump(LogisticRegression().fit(frame[columns], frame["died"]), folder / "m.skops")
    made = run("validate", folder / "cases.csv", "-t", "died", "--skops", folder / "m.skops")
    assert made.exit_code == 0, made.output
    assert "Brier score" in made.output


def test_misuse_is_said(folder):
    for words, text in (
        ([], "`--score` must say what is validated"),
        (["--column", "risk"], "`--threshold` must say"),
        (["--score", "nope >= 2"], "which the table does not have"),
        (["--card", folder / "no.toml"], "there is no card"),
        (["--score", "gcs < 15", "--subgroups", "nope"], "must have the column 'nope'"),
    ):
        made = run("validate", folder / "cases.csv", "--target", "died", *words)
        assert made.exit_code in (1, 2)
        assert text in " ".join(made.output.split())


def test_a_watch_from_start_to_alarm(folder):
    model, state = folder / "model/model.json", folder / "watch.json"
    first = run("monitor", model, folder / "new.csv", "--state", state)
    assert "`--id` must name a column" in " ".join(first.output.split())
    assert not state.exists()
    start = ["--state", state, "--id", "patient", "--claims", "error=0.4", "--horizon", "30"]
    first = run("monitor", model, folder / "new.csv", *start)
    assert first.exit_code == 0, first.output
    assert max(map(len, first.output.splitlines())) <= 80
    frame = pd.read_csv(folder / "cases.csv")
    frame["died"] = np.where(frame["died"] == "yes", "no", "yes")
    frame.assign(patient=frame.patient + 5000).to_csv(folder / "bad.csv", index=False)
    frame.assign(died="perhaps").to_csv(folder / "odd.csv", index=False)
    before = state.read_bytes()
    odd = run("monitor", model, folder / "odd.csv", "--state", state)
    assert "the label in row 1 must be one of" in " ".join(odd.output.split())
    other = run("monitor", model, folder / "bad.csv", "--state", state, "--horizon", "31")
    assert "was fixed as 30" in " ".join(other.output.split())
    assert state.read_bytes() == before
    bad = run("monitor", model, folder / "bad.csv", "--state", state, "--json", "--plot",
              folder / "watch.svg")  # fmt: skip
    assert bad.exit_code == 4
    assert json.loads(bad.stdout)["alarm"]
    assert (folder / "watch.svg").read_text("utf-8").startswith("<?xml")
    checked = run("verify", state)
    assert checked.exit_code == 0, checked.output
    assert "VALID" in checked.output


def test_costs_and_groups_are_no_claims_about_each_case(folder):
    frame = pd.read_csv(folder / "cases.csv").assign(ward=np.arange(240) // 2)
    frame.to_csv(folder / "wards.csv", index=False)
    known = ["--target", "died", "--exclude", "patient,risk,sex", "--out"]
    ways = {"groups": ["--groups", "ward", "--candidates", "one rule"],
            "costs": ["--exclude", "ward", "--positive", "yes", "--rules", "stumps", "--costs",
                      "1,2"]}  # fmt: skip
    for name, words in ways.items():
        made = run("certify", folder / "wards.csv", *known, folder / name, *words)
        assert made.exit_code == 0, made.output
        start = ["--state", folder / f"{name}.json", "--id", "patient"]
        made = run("monitor", folder / name / "model.json", folder / "new.csv", *start)
        assert "must say what is claimed of each case" in " ".join(made.output.split())
        made = run("monitor", folder / name / "model.json", folder / "new.csv", *start,
                   "--claims", "error=0.5")  # fmt: skip
        assert made.exit_code == 0, made.output
        said = " ".join(made.output.split())
        assert "240 wait, as 24 of them have no label yet" in said  # the first case has none
        assert "all wait for case 1, until its label comes or 1000 later cases" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("certificate.json", "holds the certificate alone"),
        ("evidence.json", "holds what is said beside a model alone"),
        ("cut.json", "which is not whole"),
    ],
)
def test_files_that_are_no_models_are_named(folder, name, said):
    whole = (folder / "model/model.json").read_text("utf-8")
    (folder / "model/cut.json").write_text(whole[:500], "utf-8")
    data = [] if name == "cut.json" else [folder / "cases.csv"]
    made = run("verify", folder / "model" / name, *data)
    assert made.exit_code == 2
    assert said in " ".join(made.output.split())
    (folder / "model/cut.json").unlink()


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--target-risk", "0.25", "--error-rate", "0.2"],
        ["sensitivity", "--target", "0.8", "--expect", "0.9", "--prevalence", "0.2"],
        ["specificity", "--target", "0.8", "--expect", "0.9", "--prevalence", "0.2"],
        ["menu-sensitivity", "--target", "0.8", "--expect", "0.9", "--prevalence", "0.2"],
        ["auc", "--target", "0.7", "--expect", "0.8", "--prevalence", "0.2"],
        ["subgroup", "--expect", "0.9", "--prevalence", "0.2", "--share", "0.3"],
    ],
)
def test_plans(words):
    made = run("plan", "--for", *words, "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert found["n_samples"] == found["n_more"] > 50
    assert "rows are needed" in " ".join(run("plan", "--for", *words).output.split())


def test_plans_by_a_pilot_and_without_a_guess(folder):
    made = run("plan", "--for", "auc", "--target", "0.6", "--pilot",
               folder / "checked/validation.json", "--json")  # fmt: skip
    assert made.exit_code == 0, made.output
    made = run("plan", "--for", "auc", "--target", "0.6")
    assert "`--prevalence` must be said" in made.output
    made = run("plan", "--for", "tea")
    assert "`--for` must be one of" in " ".join(made.output.split())
    made = run("plan", "--for", "monitoring", "--claim", "0.1", "--expect", "0.3", "--json")
    assert 10 < json.loads(made.stdout)["n_cases"] < 100
