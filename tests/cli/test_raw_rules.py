"""``certify --rules`` on a table as a hospital sends it: the same way in as the menu's."""

import io
import json
import sqlite3
import zipfile

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model
from handful.cli import app
from handful.cli.study_rows import read_rest
from handful.export import export_python, export_sql
from handful.tables import Choices, read_study
from handful.verify import content_hash, verify_model

runner = CliRunner()
N = 240


def damaged(seed=0):
    """Marks, limits, commas, spellings, identifiers, dates, sentinels, constants."""
    rng = np.random.default_rng(seed)
    stage = rng.integers(0, 4, N)
    crp = rng.gamma(2.0, 6.0, N).round(1)
    smoker = rng.integers(0, 2, N)
    y = (stage + smoker + crp / 12 + rng.normal(0, 0.5, N)) > 3
    frame = pd.DataFrame(
        {
            "patient_id": np.arange(5001, 5001 + N),
            "visit": pd.date_range("2021-03-01", periods=N).strftime("%d.%m.%Y"),
            "crp": [("<1,5" if c < 1.5 else f"{c:.1f}".replace(".", ",")) for c in crp],
            "smoker": [rng.choice(["YES", "Yes"] if s else ["no ", "No"]) for s in smoker],
            "stage": [("I", "II", "III", "IV")[k] for k in stage],
            "site": rng.integers(1, 4, N),
            "bmi": np.where(rng.random(N) < 0.1, -999, rng.normal(27, 4, N).round(1)),
            "ward": "A",
            "outcome": np.where(y, "Died", "alive"),
        }
    )
    frame.loc[::17, "crp"] = "n.d."
    frame.loc[::13, "smoker"] = ""
    return frame


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    damaged().to_csv(folder / "t.csv", index=False)
    words = ["certify", str(folder / "t.csv"), "--rules", "stumps", "--missing", "bmi=-999"]
    made = runner.invoke(app, [*words, "--max-rules", "3", "--out", str(folder / "out")])
    assert made.exit_code == 0, made.output
    return folder, " ".join(made.output.replace("│", " ").split())


def predicted(folder, *words):
    model = str(folder / "out" / "model.json")
    result = runner.invoke(app, ["predict", model, *words, "-q"])
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout), keep_default_na=False)


def test_what_was_assumed_stands_on_the_first_screen(study):
    _, text = study
    for words in (
        "24 of 240 rows were set aside to read the columns by",
        "it counts the rows: an identifier",
        "dates are left out",
        "numbers are read with a decimal comma",
        "cells such as '<1,5' are read as their limit",
        "its words are ordered: I < II < III < IV",
        "its 3 whole numbers are read as codes",
        "it is 'A' throughout",
        "are one word",
        "19 missing",
        "The case is 'Died', by its meaning",
        "Sensitivity (Died)",
    ):
        assert words in text


def test_the_file_is_valid_and_a_forged_one_is_not(study, tmp_path):
    folder, _ = study
    words = ["verify", str(folder / "out" / "model.json"), str(folder / "t.csv")]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    document = json.loads((folder / "out" / "model.json").read_text())
    changes = (
        ("marks", ["7"]),
        ("style", "thousands comma"),
        ("kind", "date"),
        ("name", "other"),
    )
    for name, value in changes:
        forged = json.loads(json.dumps(document))
        forged["fitted"]["columns"]["columns"][0][name] = value
        assert not _is_valid(forged, folder, tmp_path), name
    for name, value in (("n_set_aside", 23), ("reading", None), ("n_rows", 1)):
        forged = json.loads(json.dumps(document))
        forged["data"][name] = value
        assert not _is_valid(forged, folder, tmp_path), name
    forged = json.loads(json.dumps(document))
    forged["data"]["reading"]["exclude"] = ["bmi"]
    assert not _is_valid(forged, folder, tmp_path)


def _is_valid(document, folder, tmp_path):
    document.pop("content_sha256")
    text = json.dumps(document)
    document["content_sha256"] = content_hash(text)
    (tmp_path / "forged.json").write_text(json.dumps(document))
    words = ["verify", str(tmp_path / "forged.json"), str(folder / "t.csv")]
    return runner.invoke(app, words).exit_code == 0


def test_a_clean_table_does_not_pass_for_the_raw_one(study):
    folder, _ = study
    clean = read_study(damaged(), Choices(missing={"bmi": ("-999",)}), set_aside=True).rest()
    verdict = verify_model(folder / "out" / "model.json", clean.X, clean.y)
    assert not verdict.is_valid


def test_new_raw_tables_are_labelled_as_the_machine_does(study, tmp_path):
    folder, _ = study
    new = damaged(1).drop(columns="outcome")
    new.to_csv(tmp_path / "new.csv", index=False)
    found = predicted(folder, str(tmp_path / "new.csv"), "--keep", "patient_id")
    assert found["patient_id"].tolist() == new["patient_id"].tolist()
    choices = Choices(missing={"bmi": ("-999",)})
    table = read_rest(folder / "t.csv", choices)
    machine = SetCoveringMachine(
        "stumps", max_rules=3, classes=list(table.classes), random_state=table.random_state
    ).fit(table.X, table.y)
    both = pd.concat([damaged(), damaged(1)], ignore_index=True)
    clean = read_study(both.assign(outcome=both["outcome"]), choices, set_aside=True).rest()
    assert set(clean.X["smoker"].dropna()) == {"No", "YES"}
    model = load_model(folder / "out" / "model.json")
    used = list(model.needs)
    lower = {name: set(new[name].astype(str).str.strip().str.lower()) for name in used}
    assert lower
    assert (model.classes, machine.fitted_.sentences()) == (table.classes, _sentences(folder))
    gaps = found["missing"].str.startswith("missing: ")
    is_gone = pd.Series(False, index=new.index)
    for name in used:
        marks = ["", "n.d."] + (["-999", "-999.0"] if name == "bmi" else [])
        is_gone |= new[name].astype(str).str.strip().isin(marks)
    assert gaps.tolist() == is_gone.tolist()
    silent = predicted(folder, str(tmp_path / "new.csv"), "--on-missing", "abstain")
    assert (silent["label"] == "").tolist() == is_gone.tolist()
    known = ~is_gone.to_numpy()
    assert silent["label"][known].tolist() == found["label"][known].tolist()
    assert (found["decided by"] != "").all()


def _sentences(folder):
    page = json.loads((folder / "out" / "model.json").read_text())
    assert page["format"] == "handful-model"
    words = ["certify", str(folder / "t.csv"), "--rules", "stumps", "--missing", "bmi=-999"]
    result = runner.invoke(app, [*words, "--max-rules", "3", "--json"])
    return json.loads(result.stdout)["rule"]


def test_exports_read_raw_cells_as_the_library_does(study, tmp_path):
    folder, _ = study
    new = damaged(2).drop(columns="outcome")
    new.to_csv(tmp_path / "new.csv", index=False)
    wanted = predicted(folder, str(tmp_path / "new.csv"))["label"].tolist()
    model = load_model(folder / "out" / "model.json")
    space: dict = {}
    exec(export_python(model), space)
    assert [space["predict"](row) for row in new.to_dict("records")] == wanted
    texts = new.astype(str)
    with sqlite3.connect(":memory:") as base:
        texts.to_sql("t", base, index=False)
        sql = export_sql(model, table="t", is_text=True)
        assert [row[-1] for row in base.execute(sql)] == wanted


def _written(frame, folder):
    """The same table in many files."""
    paths = {name: folder / f"t{name}" for name in (".csv", ".tsv", ".parquet", ".xlsx", ".jsonl")}
    frame.to_csv(paths[".csv"], index=False)
    frame.to_csv(paths[".tsv"], index=False, sep="\t")
    frame.to_parquet(paths[".parquet"])
    frame.to_excel(paths[".xlsx"], index=False)
    frame.to_json(paths[".jsonl"], orient="records", lines=True)
    frame.to_csv(folder / "t.csv.gz", index=False)
    with zipfile.ZipFile(folder / "t.zip", "w") as archive:
        archive.write(paths[".csv"], "t.csv")
    frame.iloc[:100].to_csv(folder / "part1.csv", index=False)
    frame.iloc[100:].to_csv(folder / "part2.csv", index=False)
    return [*paths.values(), folder / "t.csv.gz", folder / "t.zip", folder / "part*.csv"]


def test_every_file_of_the_same_table_gives_the_same_machine(tmp_path):
    frame = damaged(3)
    found = []
    for path in _written(frame, tmp_path):
        words = ["certify", str(path), "--rules", "stumps", "--max-rules", "2", "--json"]
        result = runner.invoke(app, words)
        assert result.exit_code == 0, (path, result.output)
        data = json.loads(result.stdout)
        found.append((data["rule"], data["certificate"], data["columns"]))
    words = ["certify", "-", "--rules", "stumps", "--max-rules", "2", "--json"]
    result = runner.invoke(app, words, input=(tmp_path / "t.csv").read_bytes())
    data = json.loads(result.stdout)
    found.append((data["rule"], data["certificate"], data["columns"]))
    for rule, certificate, columns in found[1:]:
        assert (rule, certificate) == found[0][:2]
        assert [(c["kind"], c["role"]) for c in columns] == [
            (c["kind"], c["role"]) for c in found[0][2]
        ]


def test_frames_of_all_libraries_give_the_same_clean_table(tmp_path):
    import polars
    import pyarrow

    frame = damaged(4)
    tables = [frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)]
    clean = [read_study(table, set_aside=True).rest() for table in tables]
    for other in clean[1:]:
        pd.testing.assert_frame_equal(other.X, clean[0].X)
        assert (other.digests.digests == clean[0].digests.digests).all()


def test_ordered_words_are_compared_by_order_and_printed(tmp_path, rng):
    stage = rng.integers(0, 5, 200)
    y = np.where(stage + rng.normal(0, 0.6, 200) > 2.5, "ill", "well")
    words = np.array(["I", "II", "III", "IV", "V"])
    frame = pd.DataFrame({"stage": words[stage], "z": rng.normal(size=200).round(2), "outcome": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = ["certify", str(tmp_path / "t.csv"), "--rules", "stumps", "--json"]
    data = json.loads(runner.invoke(app, [*made, "--out", str(tmp_path / "m.json")]).stdout)
    rule = " ".join(data["rule"])
    assert "stage > III" in rule or "stage ≥ IV" in rule, rule
    new = pd.DataFrame({"stage": ["iii", "IV", "v", "?", "VI"]})
    new.to_csv(tmp_path / "new.csv", index=False)
    result = runner.invoke(
        app, ["predict", str(tmp_path / "m.json"), str(tmp_path / "new.csv"), "-q"]
    )
    found = pd.read_csv(io.StringIO(result.stdout), keep_default_na=False)
    assert found["label"].tolist()[:3] == ["well", "ill", "ill"]
    assert found["missing"].tolist()[3:] == ["missing: stage"] * 2
    verify = ["verify", str(tmp_path / "m.json"), str(tmp_path / "t.csv")]
    assert runner.invoke(app, verify).exit_code == 0


def test_ordered_categories_in_python(tmp_path, rng):
    stage = rng.integers(0, 4, 150)
    y = np.where(stage + rng.normal(0, 0.5, 150) > 1.5, 1, 0)
    cells = pd.Categorical.from_codes(stage, ["low", "mid", "high", "top"], ordered=True)
    X = pd.DataFrame({"grade": cells, "z": rng.normal(size=150)})
    machine = SetCoveringMachine("stumps").fit(X, y)
    assert "grade > mid" in machine.explain() or "grade ≥ high" in machine.explain()
    from handful import save_model

    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    raw = X.astype({"grade": str})
    assert (model.predict(raw) == machine.predict(X)).all()
    assert (machine.predict(raw) == machine.predict(X)).all()
    assert verify_model(tmp_path / "m.json", X, y).is_valid


@pytest.mark.parametrize("option", ["--missing -9", "--ordered a", "--weights a"])
def test_chunks_take_columns_as_they_are(option, tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n" + "1,0\n2,1\n" * 30)
    words = ["certify", str(tmp_path / "t.csv"), "--engine", "dask", *option.split()]
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "takes columns as the files have them" in " ".join(result.stderr.split())
