"""The main job through the real application."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model
from handful.bounds import Certificate
from handful.cli import app
from handful.cli.study_rows import embedded_frame

runner = CliRunner()


@pytest.fixture(scope="module")
def result():
    return runner.invoke(app, ["certify"])


def test_without_arguments_it_shows_everything(result):
    assert result.exit_code == 0, result.output
    for words in ("Menu", "Chosen", "Certificate", "With 95 % confidence", "Sensitivity"):
        assert words in result.output
    assert "clump-thickness" in result.output


def test_json_equals_the_library(tmp_path):
    out = tmp_path / "model.json"
    words = ["certify", "--rules", "stumps", "--json", "--out", str(out), "--seed", "3"]
    data = json.loads(runner.invoke(app, words).stdout)
    X, y = embedded_frame().drop(columns="class"), embedded_frame()["class"]
    machine = SetCoveringMachine("stumps", random_state=3, n_jobs=1).fit(X, y)
    assert Certificate.from_dict(data["certificate"]) == machine.certificate_
    assert data["chosen"] == machine.chosen_
    assert [row["certificate"] for row in data["menu"]] == machine.menu_risks_.tolist()
    model = load_model(out)
    assert (model.predict(X.to_numpy()) == machine.predict(X)).all()


def test_categories_and_missing_values(tmp_path, rng):
    sex = rng.choice(["f", "m"], 80)
    frame = pd.DataFrame({"sex": sex, "age": rng.normal(size=80), "y": np.where(sex == "f", 1, 0)})
    frame.loc[3, "age"] = np.nan
    frame.to_csv(tmp_path / "d.csv", index=False)
    result = runner.invoke(app, ["certify", str(tmp_path / "d.csv"), "--target", "y"])
    assert result.exit_code == 0, result.output
    assert "it is the target again" in " ".join(result.output.split())
    noisy = frame.assign(y=np.where(rng.random(80) < 0.1, 1 - frame["y"], frame["y"]))
    noisy.to_csv(tmp_path / "d.csv", index=False)
    words = ["certify", str(tmp_path / "d.csv"), "--target", "y", "--choose", "one rule"]
    result = runner.invoke(app, words)
    assert "If sex" in result.output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["certify", "none.csv"], 1, "there is no file"),
        (["certify", "--rules", "stumps", "--choose", "one"], 2, "`choice` must be one of"),
        (
            ["certify", "--rules", "stumps", "--goal", "sensitivity >= 0.9"],
            2,
            "`--goal` goes with a menu",
        ),
        (
            ["certify", "--rules", "stumps", "--abstain", "0.1"],
            2,
            "`--abstain` goes with a menu of forms",
        ),
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


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("data") / "patients.csv"
    frame = pd.DataFrame({"age": rng.integers(20, 90, 150), "dose": rng.normal(size=150)})
    frame["outcome"] = np.where(frame["age"] > 55, "alive", "dead")
    frame.to_csv(path, index=False)
    return path


def test_a_folder_gets_model_certificate_and_report(patients, tmp_path, monkeypatch):
    import handful.report

    seen = {}

    def render(machine, *, X, y, **more):
        seen.update(more, n=len(y))
        return "<html></html>"

    monkeypatch.setattr(handful.report, "render_report", render, raising=False)
    out = tmp_path / "results"
    words = ["certify", str(patients), "--target", "outcome", "--rules", "stumps", "--json"]
    data = json.loads(runner.invoke(app, [*words, "--out", str(out)]).stdout)
    names = sorted(path.name for path in out.iterdir())
    assert names == ["certificate.json", "evidence.json", "model.json", "report.html"]
    assert sorted(data["files"]) == [str(out / name) for name in names]
    certificate = json.loads((out / "certificate.json").read_text())
    assert "at once" in certificate.pop("together")
    assert (
        certificate == data["certificate"] == load_model(out / "model.json").certificate.to_dict()
    )
    assert seen["n"] == 130  # 20 rows were set aside to read the columns
    assert seen["title"] == "patients.csv"
    assert seen["provenance"]["table sha256"]
    assert "row_codes" not in str(seen["provenance"])


@pytest.mark.parametrize("positive", ["alive", "dead"])
def test_the_other_case_changes_neither_rule_nor_certificate(positive, patients, tmp_path):
    words = ["certify", str(patients), "--target", "outcome", "--positive", positive, "--json"]
    words += ["--rules", "auto"]
    result = runner.invoke(app, [*words, "--out", str(tmp_path / "m.json")])
    data = json.loads(result.stdout)
    assert data["classes"] == ["alive", "dead"]
    assert data["positive"] == positive
    assert data["rates"][0]["class"] == positive
    plain = ["certify", str(patients), "--target", "outcome", "--rules", "auto", "--json"]
    unsaid = json.loads(runner.invoke(app, plain).stdout)
    assert (unsaid["rule"], unsaid["certificate"]) == (data["rule"], data["certificate"])
    frame = pd.read_csv(patients)
    model = load_model(tmp_path / "m.json")
    assert (model.predict(frame) == frame["outcome"]).mean() > 0.9
    verify = ["verify", str(tmp_path / "m.json"), str(patients), "--target", "outcome"]
    assert runner.invoke(app, verify).exit_code == 0


def test_costs_ask_for_the_positive_class(patients, tmp_path):
    frame = pd.read_csv(patients).replace({"alive": "left", "dead": "right"})
    frame.to_csv(tmp_path / "d.csv", index=False)
    words = ["certify", str(tmp_path / "d.csv"), "--target", "outcome", "--costs"]
    asked = runner.invoke(app, [*words, "1,5"])
    assert asked.exit_code == 2
    assert "`--positive` must say which class" in asked.stderr.replace("\n", " ")
    given = runner.invoke(app, [*words, "1,5", "--positive", "left", "--json"])
    assert json.loads(given.stdout)["certificate"]["bound"] == "cost"
    bad = runner.invoke(app, [*words, "much", "--positive", "left"])
    assert "two numbers such as 1,5" in bad.stderr.replace("\n", " ")


def test_a_file_in_the_way_of_the_folder(patients, tmp_path):
    (tmp_path / "results").write_text("mine")
    words = ["certify", str(patients), "--target", "outcome", "--rules", "stumps"]
    result = runner.invoke(app, [*words, "--out", str(tmp_path / "results")])
    assert result.exit_code == 1
    assert (tmp_path / "results").read_text() == "mine"


def test_groups_of_one_machine(tmp_path):
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(70), 3)
    level = rng.normal(size=70)[person] + rng.normal(0, 0.3, 210)
    sick = np.where(level + rng.normal(0, 0.3, 210) > 0, "yes", "no")
    frame = pd.DataFrame({"patient": person, "level": level.round(3), "y": sick})
    path, out = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(path, index=False)
    words = ["certify", str(path), "--rules", "stumps", "--groups", "patient", "--out", str(out)]
    shown = runner.invoke(app, words)
    assert shown.exit_code == 0, shown.output
    said = " ".join(shown.output.replace("│", " ").split())
    assert "random case of a random new group" in said
    assert "Sensitivity and specificity are not certified: the rows of one group" in said
    data = json.loads(runner.invoke(app, [*words, "--force", "--json"]).stdout)
    assert not any("patient" in line for line in data["rule"])  # the column is no feature
    frame.sample(frac=1.0, random_state=1).to_csv(path, index=False)
    again = runner.invoke(app, ["verify", str(out), str(path), "-q"])
    assert again.exit_code == 0, again.output
    guess = runner.invoke(app, ["predict", str(out), str(path), "-q"])
    assert guess.exit_code == 0, guess.output
    missing = runner.invoke(app, [*words[:5], "patent"])
    assert missing.exit_code == 2
    assert "`--groups` must be a column" in missing.output
    for word in ("any", "mean"):
        more = ["--group-loss", word, "--force", "--json"]
        said = json.loads(runner.invoke(app, [*words, *more]).stdout)
        assert said["certificate"]["quantity"]["key"] == f"group-{word}"
