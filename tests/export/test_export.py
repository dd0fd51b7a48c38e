"""Exports do what the machine does: SQL in sqlite3, Python in a bare interpreter."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from handful import (
    AdaBoost,
    DecisionListMachine,
    SetCoveringMachine,
    load_dataset,
    load_model,
    save_model,
)
from handful.export import export_json, export_python, export_sql

NASTY = ['a "b"', "it's; DROP TABLE t; --", "x\ny", "<script>", "p%s", "été", "select", "[i]", "` "]
MACHINES = {
    "auto": SetCoveringMachine(random_state=0),
    "stumps": SetCoveringMachine("stumps", candidates=40, max_rules=3, random_state=0),
    "linear": SetCoveringMachine("linear", random_state=0),
    "half-spaces": SetCoveringMachine("half-spaces", candidates=30, max_rules=2, random_state=0),
    "rbf": SetCoveringMachine("half-spaces", kernel="rbf", candidates=30, random_state=0),
    "two-point": SetCoveringMachine("two-point", candidates=30, max_rules=2, random_state=0),
    "balls": SetCoveringMachine("balls", candidates=40, random_state=0),
    "manhattan": SetCoveringMachine("balls", metric="manhattan", candidates=40, random_state=0),
    "chebyshev": SetCoveringMachine("balls", metric="chebyshev", candidates=40, random_state=0),
    "kernel-balls": SetCoveringMachine(
        "balls", metric="kernel", kernel="rbf", candidates=30, random_state=0
    ),
    "list": DecisionListMachine(candidates=40, max_rules=3, random_state=0),
}


def _sql_labels(machine, frame):
    query = export_sql(machine, table="the 'table\"", column='my "label"', include_rows=True)
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("the 'table\"", connection, index=False)
        return [row[-1] for row in connection.execute(query)]


def _python_labels(machine, frame, tmp_path):
    (tmp_path / "rules.py").write_text(export_python(machine, include_rows=True), encoding="utf-8")
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


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_numbers(name, tmp_path, rng):
    data = load_dataset("glass-2class")
    X = pd.DataFrame(data.X, columns=NASTY)
    y = np.where(data.y > 0, "it's", 'ot"her')
    machine = MACHINES[name].fit(X, y)
    new = X.sample(200, replace=True, random_state=1) * rng.normal(1.0, 0.1, size=(200, 9))
    wanted = machine.predict(new).tolist()
    assert len(set(wanted)) == 2
    assert _sql_labels(machine, new) == wanted
    assert _python_labels(machine, new, tmp_path) == wanted


def test_words_and_missing_values(tmp_path, rng):
    colour = rng.choice(["r'ed", 'gr"een', "blue"], 200).astype(object)
    size = np.where(rng.random(200) < 0.1, np.nan, rng.normal(size=200))
    X = pd.DataFrame({"the colour": colour, "size": size})
    y = np.where((colour == "r'ed") & ~(size > 0.3), 1, 0)
    machine = DecisionListMachine(candidates=60, max_rules=3, random_state=0).fit(X, y)
    new = pd.DataFrame({"the colour": ["r'ed", None, "violet", 'gr"een'] * 2})
    new["size"] = [0.0, 0.1, 0.2, None, None, 9.0, 0.5, -3.0]
    wanted = machine.predict(new).tolist()
    assert _sql_labels(machine, new) == wanted
    assert _python_labels(machine, new, tmp_path) == wanted


@pytest.mark.parametrize("machine", [
    SetCoveringMachine(random_state=0),
    DecisionListMachine(candidates=60, max_rules=2, random_state=0),
    SetCoveringMachine("balls", candidates=40, random_state=0),
], ids=["set", "list", "balls"])  # fmt: skip
def test_three_classes(machine, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    machine.fit(X, y)
    assert _python_labels(machine, X, tmp_path) == machine.predict(X).tolist()
    with pytest.raises(ValueError, match="must have two classes"):
        export_sql(machine, include_rows=True)
    document = json.loads(export_json(machine, include_rows=True))
    assert len(document["fitted"]["machine"]["members"]) == 3
    assert document["classes"] == [0, 1, 2]


def test_constants_and_stored_models(tmp_path):
    data = load_dataset("haberman-294")
    machine = SetCoveringMachine(random_state=2).fit(data.X, data.y)
    save_model(machine, tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert export_sql(model).splitlines()[1] == str(machine.predict(data.X[:1])[0])
    frame = pd.DataFrame(data.X, columns=["x0", "x1", "x2"])
    assert _sql_labels(model, frame) == machine.predict(data.X).tolist()
    assert json.loads(export_json(model))["fitted"]["machine"]["rules"] == []


def test_what_has_no_rules_is_exported_as_its_form():
    data = load_dataset("haberman-294")
    machine = AdaBoost(n_rounds=3).fit(data.X, data.y)
    namespace = {}
    exec(export_python(machine), namespace)
    rows = [dict(zip(("x0", "x1", "x2"), row, strict=True)) for row in data.X]
    assert [namespace["predict"](row) for row in rows] == machine.predict(data.X).tolist()
    found = json.loads(export_json(machine))
    assert found["classes"] == machine.classes_.tolist()
    assert found["fitted"]["machine"]["machine"] == "votes"


def test_nul_characters_are_refused():
    data = load_dataset("breastw")
    X = pd.DataFrame(data.X, columns=[f"a\0{j}" for j in range(9)])
    machine = SetCoveringMachine("stumps", candidates=40, random_state=0).fit(X, data.y)
    with pytest.raises(ValueError, match="NUL"):
        export_sql(machine)
