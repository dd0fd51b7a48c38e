"""Forms of a menu leave as SQL and as Python: on raw tables they say what the library says."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, ScoreCard, load_dataset
from handful.certified import READABLE
from handful.export import export_json, export_python, export_sql
from handful.tables import Choices, read_study

CHOICES = Choices(
    missing={"lab": ("-999",)}, ordered=("stage",), categories=("site",), exclude=("day",)
)
N = 240


def raw_table(rng, n_classes=2):
    """Every cell a text, as a CSV file has them."""
    age, crp = rng.integers(20, 90, N), rng.gamma(2, 8, N)
    stage = rng.choice(["I", "II", "III"], N)
    colour = rng.choice(["red", "Green", 'it\'s "blue"'], N)
    lab = rng.normal(50, 9, N).round(1)
    signal = (age - 55) / 12 + (crp - 16) / 10 + (stage == "III") + (colour == "red")
    signal += rng.normal(0, 0.7, N)
    cuts = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    frame = pd.DataFrame(
        {
            "age": [str(v) for v in age],
            "crp, mg/l": [f"{v:.1f}".replace(".", ",") for v in crp],
            "stage": stage,
            "colour": colour,
            "site": rng.integers(1, 4, N).astype(str),
            "lab": [f"{v}" for v in lab],
            "day": "2020-01-01",
            "class": np.array(["well", "ill's", "worse"])[np.digitize(signal, cuts)],
        }
    )
    frame["crp, mg/l"] = frame["crp, mg/l"].where(rng.random(N) > 0.1, "NA")
    frame.loc[rng.random(N) < 0.1, "lab"] = "-999"
    frame.loc[rng.random(N) < 0.1, "stage"] = "?"
    frame.loc[rng.random(N) < 0.1, "colour"] = ""
    frame.loc[5, "colour"] = " RED "
    frame.loc[7, "crp, mg/l"] = "<0,5"
    return frame


@pytest.fixture(scope="module")
def menus():
    rng = np.random.default_rng(4)
    out = {}
    for n_classes in (2, 3):
        frame = raw_table(rng, n_classes)
        study = read_study(frame, CHOICES)
        names = [*READABLE, "support vectors"]
        machine = CertifiedClassifier(names).fit(study)
        out[n_classes] = (frame, study, machine)
    return out


FORMS = [(2, name) for name in (*READABLE, "support vectors")] + [
    (3, name) for name in ("constant", "one rule", "rule list", "linear", "additive", "prototypes")
]


def in_sqlite(query, frame):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("EXP", 1, lambda v: None if v is None else math.exp(v))
        connection.create_function("SQRT", 1, lambda v: None if v is None else math.sqrt(v))
        frame.to_sql("patients", connection, index=False)
        return [row[-1] for row in connection.execute(query)]


def in_duckdb(query, frame):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with closing(duckdb.connect()) as connection:
        connection.register("patients", frame)
        return [row[-1] for row in connection.execute(query).fetchall()]


def in_python(text, frame, tmp_path):
    (tmp_path / "rules.py").write_text(text, encoding="utf-8")
    rows = frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    program = (
        "import json, sys; sys.path.insert(0, '.'); import rules; "
        "rows = json.load(open('rows.json', encoding='utf-8')); "
        "print(json.dumps([rules.predict(row) for row in rows]))"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(run.stdout)


def typed(frame):
    """The same table as a database holds it: numbers as numbers, nothing as NULL."""
    out = frame.replace({"NA": None, "?": None, "": None})
    out["age"] = pd.to_numeric(out["age"])
    out["lab"] = pd.to_numeric(out["lab"])
    commas = out["crp, mg/l"].str.replace(",", ".").str.replace("<", "")
    out["crp, mg/l"] = pd.to_numeric(commas)
    return out


@pytest.mark.sample(6)
@pytest.mark.parametrize(("n_classes", "name"), FORMS)
def test_every_form_says_the_same_everywhere(n_classes, name, menus, tmp_path):
    frame, study, machine = menus[n_classes]
    assert name in machine.menu_.index  # a form that failed would say nothing
    chosen = machine.choose(name)
    wanted = [str(label) for label in chosen.predict(study.table)]
    assert name == "constant" or len(set(wanted)) >= 2
    as_text = export_sql(chosen, table="patients", is_text=True, include_rows=True)
    as_typed = export_sql(chosen, table="patients", include_rows=True)
    assert in_sqlite(as_text, frame) == wanted
    assert in_duckdb(as_text, frame) == wanted
    assert in_sqlite(as_typed, typed(frame)) == wanted
    assert in_duckdb(as_typed, typed(frame)) == wanted
    assert in_python(export_python(chosen, include_rows=True), frame, tmp_path) == wanted
    assert in_python(export_python(chosen, include_rows=True), typed(frame), tmp_path) == wanted


@pytest.mark.parametrize("name", ["one rule", "rule list", "score card", "linear", "additive"])
def test_rows_without_anything_known(name, menus, tmp_path):
    frame, study, machine = menus[2]
    chosen = machine.choose(name)
    empty = frame.head(2).copy()
    empty.loc[:, :] = ""
    wanted = [str(v) for v in chosen.predict(empty[list(study.table.columns)])]
    assert in_sqlite(export_sql(chosen, table="patients", is_text=True), empty) == wanted
    assert in_duckdb(export_sql(chosen, table="patients", is_text=True), empty) == wanted
    assert in_python(export_python(chosen), empty, tmp_path) == wanted
    assert in_python(export_python(chosen), frame.head(2)[["day"]], tmp_path) == wanted


def test_the_certificate_stands_at_the_head_and_unused_columns_nowhere(menus):
    _, _, machine = menus[2]
    chosen = machine.choose("one rule")
    sql, python = export_sql(chosen), export_python(chosen)
    assert sql.startswith("-- ")
    assert sql.splitlines()[0] == f"-- {chosen.certificate_}"
    unused = set(machine.feature_names_in_) - set(chosen.fitted_.uses)
    assert len(unused) >= 4
    for name in unused:
        assert name not in sql
        assert repr(name) not in python
    data = json.loads(export_json(chosen))
    assert data["columns"] == list(chosen.fitted_.uses)
    assert data["sentences"] == chosen.fitted_.reduced().sentences()


def test_a_score_card_without_a_certificate(tmp_path):
    X, y = load_dataset("haberman-294").named()
    card = ScoreCard(max_items=4).fit(X, y)
    text = export_sql(card, table="patients")
    assert text.startswith("-- No certificate.")
    assert in_sqlite(text, X) == [str(v) for v in card.predict(X)]
    assert in_python(export_python(card), X, tmp_path) == [str(v) for v in card.predict(X)]


def test_what_cannot_leave_is_refused(menus):
    _, study, _ = menus[2]
    from sklearn.dummy import DummyClassifier

    black = CertifiedClassifier([("mine", DummyClassifier())]).fit(study)
    with pytest.raises(TypeError, match="plain data to be exported"):
        export_sql(black)
    frame = raw_table(np.random.default_rng(0)).assign(
        day=pd.date_range("2001-01-01", periods=N).strftime("%Y-%m-%d")
    )
    frame["class"] = np.where(np.arange(N) > N // 2, "late", "early")
    dated = CertifiedClassifier(["one rule"]).fit(read_study(frame, Choices(features=("day",))))
    with pytest.raises(ValueError, match="holds dates"):
        export_sql(dated)
    with pytest.raises(ValueError, match="holds dates"):
        export_python(dated)
