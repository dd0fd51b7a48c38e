"""SQL says what `predict` says, by execution: decimal commas, backslashes, İ and huge numbers."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, SupportVectorMachine, export_sql, load_model
from handful.files import save_model
from handful.tables import Choices, read_study

FORMS = ["one rule", "linear", "score card", "rule list", "additive"]


def in_sqlite(query, frame):
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("t", connection, index=False)
        return pd.read_sql(query, connection)["prediction"].tolist()


def in_duckdb(query, frame):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with closing(duckdb.connect()) as connection:
        connection.register("t", frame)
        names = [part[0] for part in connection.execute(query).description]
        return [row[names.index("prediction")] for row in connection.fetchall()]


def check(frame, forms=FORMS, choices=None, new=None):
    """Every form says the same in both databases; gives the texts."""
    study = read_study(frame, choices)
    machine = CertifiedClassifier(forms).fit(study)
    # forms that are one classifier are one row, which names the others
    assert sum(1 + len(row.also) for row in machine.candidates_) >= len(forms)
    rows, texts = frame if new is None else new, []
    for name in machine.menu_.index:
        chosen = machine.choose(name)
        wanted = [str(label) for label in chosen.predict(rows[list(study.table.columns)])]
        text = export_sql(chosen, table="t", include_rows=True)
        for run in (in_sqlite, in_duckdb):
            found = run(text, rows)
            n_other = sum(a != b for a, b in zip(found, wanted, strict=True))
            assert n_other == 0, f"{name} in {run.__name__}: {n_other} rows differ"
        texts.append(text)
    return texts


STYLES = {
    "decimal comma": lambda v: f"{v:.2f}".replace(".", ","),
    "thousands comma": lambda v: f"{1e5 * v:,.0f}",
    "thousands dot": lambda v: f"{1e5 * v:,.2f}".translate(str.maketrans(",.", ".,")),
}


@pytest.mark.parametrize("style", sorted(STYLES))
def test_the_model_knows_how_numbers_are_written(style, rng, tmp_path):
    x, n = rng.normal(size=300), 300
    ill = x + 0.3 * rng.normal(size=n) > 0
    cells = [STYLES[style](v) for v in x]
    cells[5], cells[50] = "ND", "n.d."
    frame = pd.DataFrame(
        {"crp": cells, "b": rng.normal(size=n).round(2), "y": np.where(ill, "ill", "well")}
    )
    check(frame)
    study = read_study(frame)
    assert study.features[0].style == style
    machine = CertifiedClassifier(["one rule"]).fit(study)
    path = tmp_path / "m.json"
    save_model(machine, path)
    text = export_sql(load_model(path), table="t")
    assert in_sqlite(text, frame) == machine.predict(study.table).tolist()
    typed = frame.assign(crp=[np.nan if "d" in c.lower() else 1.5 for c in cells])
    plain = export_sql(machine, table="t", is_text=False)  # numbers in the database
    assert "REPLACE" not in plain
    assert in_sqlite(plain, typed) == machine.predict(typed[["crp", "b"]]).tolist()


WORDS = [r"C:\temp", r"it's \' OR 1=1 --", "\\", r"a\\b", r"tab\t", "plain"]


def test_backslashes_mean_themselves_in_every_engine(rng):
    """Some engines read \\t as a tab and \\' as a quote: there every backslash must be written so
    that both readings agree."""
    n = 400
    k = rng.integers(0, len(WORDS), n)
    ill = (k % 2 == 0) ^ (rng.random(n) < 0.05)
    labels = np.where(ill, r"il\l", r"w'e\'ll")
    frame = pd.DataFrame(
        {"w": [WORDS[i] for i in k], "b": rng.normal(size=n).round(2), "y": labels}
    )
    texts = check(frame, choices=Choices(categories=("w",)))
    assert any("\\" in text for text in texts)
    for text in texts:
        # what is left has no backslash: where '\\' is read as one, as two, nothing else changes
        assert "\\" not in text.replace(r"SUBSTR('\\', 1, 1)", "")
        assert re.sub(r"'(?:[^']|'')*'", "", text).count("'") == 0


def test_letters_whose_small_form_engines_disagree_on(rng):
    n, x = 300, rng.normal(size=300)
    city = np.where(x > 0, "İzmir", np.where(rng.random(n) < 0.5, "izmir", "Ärzte"))
    ill = (x > 0) ^ (rng.random(n) < 0.05)
    frame = pd.DataFrame(
        {"city": city, "b": rng.normal(size=n).round(2), "y": np.where(ill, "ill", "well")}
    )
    new = pd.DataFrame({"city": ["İZMİR", "IZMIR", "ÄRZTE", "ärzte", "Izmir", "İzmir"], "b": 0.0})
    check(frame)
    check(frame, new=new)
    check(frame.assign(y=np.where((city == "Ärzte") ^ (rng.random(n) < 0.05), "ill", "well")))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_huge_numbers(rng):
    """Sums overflow: what is no number is above nothing, also in engines that sort it last."""
    n = 300
    X = rng.normal(size=(n, 3)).round(3)
    ill = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=np.where(ill, "ill", "well"))
    huge = (1e308, -1e308, 0.5, -2.0)
    new = pd.DataFrame([(a, b, c) for a in huge for b in huge for c in huge], columns=list("abc"))
    check(frame, [*FORMS, "sparse linear", "half-spaces"], new=new)
    svm = SupportVectorMachine(kernel="linear").fit(frame[["a", "b", "c"]], frame["y"])
    for run in (in_sqlite, in_duckdb):
        text = export_sql(svm, table="t", include_rows=True)
        assert run(text, new) == [str(label) for label in svm.predict(new)]
