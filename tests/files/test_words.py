"""One normal form of a category, and of True and False, on every road."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from handful import SetCoveringMachine, load_model, save_model
from handful.cli import app
from handful.export import export_python, export_sql
from handful.tables import Choices, load_table, read_study
from handful.verify import verify_model


@pytest.fixture
def coded(rng):
    """Whole numbers as categories: 3 means yes, nearly always."""
    code = rng.integers(0, 6, size=200)
    y = np.where((code == 3) ^ (rng.random(200) < 0.02), "yes", "no")
    return pd.DataFrame({"code": code, "size": rng.normal(size=200).round(2)}), y


FORMS = {
    "whole numbers": lambda c: c.astype(object),
    "floats": lambda c: c.astype(float),
    "text": lambda c: c.astype(str),
    "text of floats": lambda c: c.astype(float).astype(str),
    "padded text": lambda c: " " + c.astype(str) + " ",
    "categories": lambda c: c.astype("category"),
    "nullable": lambda c: c.astype("Int64"),
}


@pytest.mark.sample(10)
@pytest.mark.parametrize("trained", ["whole numbers", "text", "text of floats", "floats"])
@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_number_is_the_same_word_in_every_form(trained, form, coded, tmp_path):
    X, y = coded
    words = X.assign(code=FORMS[trained](X["code"]).astype("category"))
    machine = SetCoveringMachine("stumps", random_state=0).fit(words, y)
    wanted = machine.predict(words).tolist()
    assert len(set(wanted)) == 2
    new = X.assign(code=FORMS[form](X["code"]))
    assert machine.predict(new).tolist() == wanted
    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model.fitted.columns.columns[0].words == ("3",)  # which the rule names, and no other
    assert model.predict(new).tolist() == wanted
    assert verify_model(tmp_path / "m.json", new, y).is_valid
    space = {}
    exec(export_python(machine), space)
    assert [space["predict"](row) for row in new.to_dict(orient="records")] == wanted
    plain = new.assign(code=list(new["code"]))
    connection = sqlite3.connect(":memory:")
    plain.to_sql("t", connection, index=False)
    found = [row[-1] for row in connection.execute(export_sql(machine, table="t"))]
    connection.close()
    assert found == wanted


def test_a_missing_value_in_a_batch_leaves_the_other_words_alone(coded, tmp_path):
    X, y = coded
    words = X.assign(code=X["code"].astype("category"))
    machine = SetCoveringMachine("stumps", random_state=0).fit(words, y)
    holed = X.assign(code=X["code"].astype(float))
    holed.loc[0, "code"] = np.nan
    assert machine.predict(holed)[1:].tolist() == machine.predict(words)[1:].tolist()


@pytest.fixture
def flags(rng):
    flag = rng.random(120) < 0.5
    y = np.where(flag ^ (rng.random(120) < 0.05), "sick", "well")
    return pd.DataFrame({"smoker": flag, "age": rng.integers(20, 60, 120)}), y


@pytest.mark.parametrize("has_gaps", [False, True])
def test_true_and_false_on_every_road(flags, has_gaps, tmp_path):
    X, y = flags
    if has_gaps:
        X = X.assign(smoker=X["smoker"].astype(object))
        X.loc[3, "smoker"] = None
    machine = SetCoveringMachine("stumps", random_state=0).fit(X, y)
    wanted = machine.predict(X).tolist()
    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert all(column.words is None for column in model.fitted.columns.columns)
    assert model.predict(X).tolist() == wanted
    assert model.predict(X.astype(object)).tolist() == wanted
    assert verify_model(tmp_path / "m.json", X, y).is_valid
    space = {}
    exec(export_python(machine), space)
    assert [space["predict"](row) for row in X.to_dict(orient="records")] == wanted
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    table = X.assign(smoker=X["smoker"].astype("boolean"))
    connection.register("t", table)
    found = [row[-1] for row in connection.execute(export_sql(machine, table="t")).fetchall()]
    connection.close()
    assert found == wanted


@pytest.mark.sample(1)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("has_gaps", [False, True])
def test_the_command_line_reads_true_and_false_back(flags, suffix, has_gaps, tmp_path):
    X, y = flags
    table = X.assign(smoker=X["smoker"].astype("boolean"), outcome=y)
    if has_gaps:
        table.loc[5, "smoker"] = None
    path = tmp_path / f"data.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    run = CliRunner()
    out = tmp_path / "out"
    done = run.invoke(
        app,
        ["certify", str(path), "-t", "outcome", "--rules", "stumps", "--out", str(out), "--json"],
    )
    assert done.exit_code == 0, done.output
    labels = tmp_path / "labels.csv"
    done = run.invoke(app, ["predict", str(out / "model.json"), str(path), "--out", str(labels)])
    assert done.exit_code == 0, done.output
    found = pd.read_csv(labels)["label"].to_numpy()
    model = json.loads((out / "model.json").read_text())
    study = read_study(load_table(path).frame, Choices(target="outcome"), set_aside=True)
    is_wrong = np.delete(found != y, study.pool)  # these rows read the columns
    assert is_wrong.sum() == sum(code["n_training_errors"] for code in model["training"]["codes"])
    checked = run.invoke(app, ["verify", str(out / "model.json"), str(path), "--target", "outcome"])
    assert checked.exit_code == 0, checked.output
