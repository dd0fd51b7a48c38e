"""Forms and covers take one road: each thing is made once, and rows are chosen in the same way."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model
from handful.candidates import menu
from handful.cli import app
from handful.covering import cover_fit
from handful.models import Fitted
from handful.tables import rows

runner = CliRunner()
ROADS = {"forms": ["--candidates", "one rule,score card,linear"], "covers": ["--rules", "stumps"]}


def run(*words):
    result = runner.invoke(app, ["certify", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result


def shown(*words):
    return json.loads(run(*words, "--json").stdout)


@pytest.fixture(params=sorted(ROADS))
def road(request):
    return ROADS[request.param]


@pytest.fixture
def calls(monkeypatch):
    """How often pools are drawn, certificates are computed, and each classifier labels rows."""
    found = Counter()

    def count(owner, name, key):
        inner = getattr(owner, name)

        def counted(*args, **options):
            found[key(*args)] += 1
            return inner(*args, **options)

        monkeypatch.setattr(owner, name, counted)

    count(rows, "blind_order", lambda *args: "draw")
    count(menu, "certify", lambda code, *args: ("certificate", id(code)))
    count(cover_fit, "certify", lambda code, *args: ("certificate", id(code)))
    count(Fitted, "labels", lambda fitted, X: ("labels", len(X)))
    return found


def test_everything_is_made_once(road, calls, tmp_path):
    """Rows are labelled when errors are counted; files, page and text take the counts.

    Covers have two pools: the rows by which the columns are read, and those that propose rules.
    """
    run(*road, "--out", tmp_path / "out")
    assert calls["draw"] == (2 if "--rules" in road else 1)
    made = [n for key, n in calls.items() if key[0] == "certificate"]
    assert max(made) == 1  # of each row that is shown
    assert len(made) == (1 if "--rules" in road else len(made))
    assert not [key for key in calls if key[0] == "labels"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'id="errors"' in page


def test_both_roads_say_the_same_things(tmp_path):
    forms, covers = (shown(*ROADS[name], "--out", tmp_path / name) for name in ("forms", "covers"))
    assert list(forms) == list(covers)
    assert list(forms["menu"][0]) == list(covers["menu"][0])
    for name in ("forms", "covers"):
        names = sorted(path.name for path in (tmp_path / name).iterdir())
        assert names == ["certificate.json", "evidence.json", "model.json", "report.html"]
        evidence = json.loads((tmp_path / name / "evidence.json").read_text(encoding="utf-8"))
        assert ("rates" in evidence) == (name == "forms")  # covers have no score
        assert 'id="menu"' in (tmp_path / name / "report.html").read_text(encoding="utf-8")


def test_the_file_says_what_the_screen_says_of_all_statements(road, tmp_path):
    """How sure all statements are at once: on the screen, in the file, and in the re-check."""
    out = tmp_path / "out"
    found = shown(*road, "--out", out)
    path = out / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    assert certificate["together"] == found["together"] != ""
    assert {name: certificate[name] for name in found["certificate"]} == found["certificate"]
    words = ["verify", str(out / "model.json"), "--json"]
    assert runner.invoke(app, words).exit_code == 0
    certificate["together"] = "These 3 statements hold with 99 % confidence each."
    path.write_text(json.dumps(certificate), encoding="utf-8")
    forged = runner.invoke(app, words)
    assert forged.exit_code == 1
    assert "certificate.json: together" in forged.stdout


def test_any_row_is_chosen_by_number_or_name_and_verified(road, tmp_path):
    found = shown(*road)
    for row in found["menu"][:3]:
        out = tmp_path / str(row["number"])
        by_number = shown(*road, "--choose", row["number"], "--out", out)
        assert by_number["chosen"] == row["name"]
        assert by_number["certificate"]["risk"] == pytest.approx(row["certificate"], rel=1e-12)
        assert shown(*road, "--choose", row["name"])["rule"] == by_number["rule"]
        verdict = runner.invoke(app, ["verify", str(out / "model.json")])
        assert verdict.exit_code == 0, verdict.output


def test_the_default_cover_has_the_smallest_certificate():
    found = shown("--rules", "auto", "--include-rows")
    risks = [row["certificate"] for row in found["menu"]]
    assert found["chosen"] == found["menu"][int(np.argmin(risks))]["name"]


def test_details_show_what_is_paid(road):
    text = run(*road, "--details").output
    for words in ("counted", "nats", "confidence, ln(1/delta)"):
        assert words in text
    assert "nats" not in run(*road).output


@pytest.fixture(scope="module")
def rings(tmp_path_factory):
    """A table that balls describe: each ball contains training rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)).round(3)
    inside = (X**2).sum(axis=1) < 1.2
    path = tmp_path_factory.mktemp("rings") / "t.csv"
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": np.where(inside, "in", "out")}).to_csv(
        path, index=False
    )
    return path


def test_covers_with_training_rows_ask_for_leave(rings, tmp_path):
    found = shown(rings, "--rules", "balls")
    assert "training rows. Say --include-rows" in found["rule"][0]
    refused = runner.invoke(
        app, ["certify", str(rings), "--rules", "balls", "--out", str(tmp_path / "m.json")]
    )
    assert refused.exit_code == 2
    assert "no row of the menu may be written" in " ".join(refused.stderr.split())
    whole = shown(rings, "--rules", "balls", "--include-rows", "--out", tmp_path / "m.json")
    assert whole["chosen"] == found["chosen"]
    assert load_model(tmp_path / "m.json").fitted.n_training_rows > 0


def test_another_cover_takes_the_place_of_one_with_training_rows(rings, tmp_path):
    found = shown(rings, "--rules", "auto", "--out", tmp_path / "m.json")
    assert any("takes the place of" in note for note in found["notes"])
    assert load_model(tmp_path / "m.json").fitted.n_training_rows == 0


def test_several_classes_are_one_row(tmp_path):
    X = np.random.default_rng(1).normal(size=(240, 2)).round(3)
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_csv(path, index=False)
    found = shown(path, "--rules", "stumps", "--target", "y", "--out", tmp_path / "out")
    (row,) = found["menu"]
    assert row["certificate"] == pytest.approx(found["certificate"]["risk"], rel=1e-12)
    assert (
        runner.invoke(app, ["verify", str(tmp_path / "out/model.json"), str(path)]).exit_code == 0
    )


def test_the_menu_of_the_command_is_that_of_the_library():
    from handful import load_dataset

    data = load_dataset("breastw")
    X, _ = data.named()
    y = np.where(data.y > 0, "malignant", "benign")
    machine = SetCoveringMachine("stumps").fit(X, y)
    found = shown("--rules", "stumps")
    assert [row["name"] for row in found["menu"]] == list(machine.menu_.index)
    assert [row["certificate"] for row in found["menu"]] == machine.menu_risks_.tolist()


def test_progress_stays_out_of_json(monkeypatch):
    """However slow the machine: progress is for standard error."""
    clock = iter(range(0, 10**9, 5))
    monkeypatch.setattr("handful.cli.console.time.monotonic", lambda: next(clock))
    result = run("--rules", "stumps", "--json")
    assert "Learning: " in result.stderr
    assert json.loads(result.stdout)["chosen"]
