"""Words that are answers until told otherwise: none, -, ND, nil; and how to tell."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import CertifiedClassifier, export_python, export_sql
from handful.cli import app
from handful.files import Retraining, load_model, save_model
from handful.tables import Choices, read_study
from handful.verify import verify_model

ANSWERS = ("none", "None", "-", "ND", "nil")


def table(word="none", n=240):
    rng = np.random.default_rng(3)
    pain = np.where(rng.random(n) < 0.6, word, np.where(rng.random(n) < 0.5, "dull", "sharp"))
    ill = (pain == word) ^ (rng.random(n) < 0.1)
    age = rng.integers(30, 80, n)
    return pd.DataFrame({"pain": pain, "age": age, "outcome": np.where(ill, "ill", "well")})


def column(study, name):
    return next(c for c in study.columns if c.name == name)


def rule_of(frame, choices=None):
    machine = CertifiedClassifier(["constant", "one rule"]).fit(read_study(frame, choices))
    return " ".join(machine.choose("one rule").fitted_.sentences())


@pytest.mark.parametrize("word", ANSWERS)
def test_they_are_answers_and_the_rule_says_so(word):
    frame = table(word)
    found = column(read_study(frame), "pain")
    assert found.n_missing == 0
    assert word.casefold() in [level.casefold() for level in found.levels]
    n = int((frame["pain"] == word).sum())
    assert f"{word!r} is an answer in {n} rows" in "; ".join(found.notes)
    assert f"--missing pain={word}" in "; ".join(found.notes)
    sentence = rule_of(frame)
    assert word in sentence
    assert "missing" not in sentence


def test_missing_adds_and_not_missing_removes():
    added = read_study(table(), Choices(missing={"pain": ("none",)}))
    n = int((table()["pain"] == "none").sum())
    assert column(added, "pain").n_missing == n
    assert f"missing where it says 'none' ({n})" in "; ".join(column(added, "pain").notes)
    assert "pain is known" in rule_of(table(), Choices(missing={"": ("None",)}))
    frame = table("not done")
    assert column(read_study(frame), "pain").n_missing > 0
    for where in ("pain", ""):
        told = Choices(not_missing={where: ("Not Done",)})
        assert column(read_study(frame, told), "pain").n_missing == 0
        assert "not done" in rule_of(frame, told)
    with pytest.raises(ValueError, match="`--not-missing` must be a column"):
        read_study(frame, Choices(not_missing={"pian": ("not done",)}))
    for cell in ("NA", "", "?"):
        with pytest.raises(ValueError, match=r"`--not-missing`.*empty cell.*another word"):
            read_study(frame, Choices(not_missing={"pain": (cell,)}))
    with pytest.raises(ValueError, match=r"`--not-missing`.*`--missing`"):
        read_study(frame, Choices(missing={"": ("x",)}, not_missing={"pain": ("x",)}))


def test_what_was_missing_by_default_still_is():
    marks = ["", "?", ".", "--", "NA", "n/a", "N.A.", "NaN", "null", "missing", "not done", "n.d."]
    frame = table()
    frame.loc[: len(marks) - 1, "pain"] = marks
    assert column(read_study(frame), "pain").n_missing == len(marks)


def test_among_measurements_they_count_as_missing_and_a_note_says_so():
    frame = table().assign(crp=np.random.default_rng(0).normal(size=240).round(2).astype(str))
    frame.loc[::20, "crp"] = "ND"
    few = column(read_study(frame), "crp")
    assert (few.kind, few.n_missing) == ("number", 12)
    frame.loc[::3, "crp"] = "ND"  # a third; measurements of so many values are no answers
    many = column(read_study(frame), "crp")
    n = int((frame["crp"] == "ND").sum())
    assert (many.kind, many.n_missing) == ("number", n)
    assert f"{n} words such as 'ND' among numbers count as missing" in many.notes


def test_of_a_few_numbers_none_is_one_answer_more():
    drinks = np.random.default_rng(0).choice(["none", "1", "2", "3"], 240)
    found = column(read_study(table().assign(drinks=drinks)), "drinks")
    assert (found.kind, found.n_missing) == ("category", 0)
    assert "if it means missing, say --missing drinks=none" in "; ".join(found.notes)
    told = read_study(table().assign(drinks=drinks), Choices(missing={"drinks": ("none",)}))
    assert column(told, "drinks").kind == "number"


@pytest.mark.parametrize(
    ("word", "choices"),
    [
        ("none", {}),
        ("-", {"missing": {"pain": ("-",)}}),
        ("not done", {"not_missing": {"": ("not done",)}}),
    ],
    ids=["answer", "added", "removed"],
)  # fmt: skip
def test_files_sql_and_the_re_check_read_the_same(word, choices, tmp_path):
    frame = table(word)
    study = read_study(frame, Choices(**choices))
    machine = CertifiedClassifier(["constant", "one rule"]).fit(study).choose("one rule")
    path = tmp_path / "m.json"
    save_model(machine, path)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
    wanted = machine.predict(study.table).tolist()
    model = load_model(path)
    assert model.predict(frame).tolist() == wanted
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("t", base, index=False)
        found = pd.read_sql(export_sql(model, table="t"), base)["prediction"].tolist()
    assert found == wanted
    space: dict = {}
    exec(export_python(model), space)
    rows = frame.to_dict("records")
    assert [space["predict"](row) for row in rows] == wanted


def test_the_command_line_has_both_options(tmp_path):
    path = tmp_path / "t.csv"
    table("not done").to_csv(path, index=False)
    words = ["certify", str(path), "--candidates", "constant,one rule", "--json"]
    for option in (["--not-missing", "pain=not done"], ["--not-missing", "not done"]):
        run = CliRunner().invoke(app, [*words, *option])
        assert run.exit_code == 0, run.output
        (pain,) = [c for c in json.loads(run.stdout)["columns"] if c["name"] == "pain"]
        assert pain["n_missing"] == 0
    model = tmp_path / "out"
    run = CliRunner().invoke(app, [*words[:-1], *option, "--out", str(model)])
    assert run.exit_code == 0, run.output
    run = CliRunner().invoke(app, ["verify", str(model / "model.json"), str(path)])
    assert run.exit_code == 0, run.output


def test_ordered_categories_of_a_frame_are_read_again_by_their_order(tmp_path, rng):
    stage = rng.integers(0, 4, 150)
    y = np.where(stage + rng.normal(0, 0.5, 150) > 1.5, "ill", "well")
    grade = pd.Categorical.from_codes(stage, ["low", "mid", "high", "top"], ordered=True)
    X = pd.DataFrame({"grade": grade, "z": rng.normal(size=150)})
    machine = CertifiedClassifier(["constant", "one rule"]).fit(X, y)
    path, frame = tmp_path / "m.json", X.assign(y=y)
    assert column(read_study(frame), "grade").levels == ("low", "mid", "high", "top")
    save_model(machine, path)
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status == "VALID", verdict.differences
